"""A metric's statistics of a system: checked batch by batch, and added up in the order of the segments."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import InputError, PluginError, guarded

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


class Batch(NamedTuple):
    """The batch that is being scored, beside its texts.

    Attributes:
        before: the number of segments of the system before it.
        threads: threads that the metric may use for it; ``None``: as many as the metric has.
        stop: when another thread makes it true, a list that gets an item, scoring ends in KeyboardInterrupt.
        alignments: whether details will hold alignments.
        shared: where metrics that score the batch together look up alignments; ``None`` for a metric alone.
    """

    before: int = 0
    threads: int | None = None
    stop: object = None
    alignments: bool = False
    shared: dict[str, Any] | None = None


_ALONE = Batch()
_current: ContextVar[Batch] = ContextVar("batch", default=_ALONE)


def current_batch() -> Batch:
    """Return the batch that this thread scores."""
    return _current.get()


@contextlib.contextmanager
def scoring(batch: Batch) -> Iterator[None]:
    """Say within the block which batch this thread scores."""
    token = _current.set(batch)
    try:
        yield
    finally:
        _current.reset(token)


class SummedRows:
    """Statistics that are whole numbers and come with their sum, ``(segments, width)``; ``numpy.asarray`` takes them.

    :meth:`Metric.statistics` may return them instead of an array. They are added up without NumPy, and handed to
    :meth:`Metric.segment_scores` and :meth:`Metric.details` as they are.

    Attributes:
        total: the sum, ``(width,)``.
        count: the number of segments that it is the sum of.
    """

    total: list[int]
    count: int

    def __len__(self) -> int:
        raise NotImplementedError


def main_scores(values: Any, place: int = 0) -> Floats:
    """Return one column of what a metric's ``corpus_scores`` returned: by default the first, its score."""
    import numpy as np

    found: Floats = np.asarray(values, float)
    return found if found.ndim == 1 else found[:, place]


def checked_rows(
    metric: Any,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    *,
    finite: bool = True,
) -> Floats | SummedRows:
    """Return a metric's statistics of a batch, of the right shape and finite.

    Args:
        metric: what scores.
        hypotheses, references, sources: as for :meth:`Metric.statistics`.
        finite: refuse statistics that are not finite.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: for a row that is not finite.
    """
    with guarded(f"metric {metric.name!r}"):
        rows = metric.statistics(hypotheses, references, sources)
        if isinstance(rows, SummedRows):
            return rows
        import numpy as np

        part: Floats = np.asarray(rows, float)
    if part.ndim != 2 or len(part) != len(hypotheses):
        raise PluginError(
            f"metric {metric.name!r} returned statistics of shape {part.shape} for {len(hypotheses)} segments; "
            "one row per segment is needed"
        )
    known = np.isfinite(part).all(axis=1)
    if finite and not known.all():
        at = int(np.argmin(known))
        number = current_batch().before + at + 1
        raise InputError(f"{metric.label} gives no finite number for segment {number}: {part[at]}")
    return part


def values_of(metric: Any, found: Any) -> list[list[float]]:
    """Return scores of segments or systems as rows of the values of all columns.

    Raises:
        PluginError: if they are not as many as the columns of the metric have.
    """
    if not isinstance(found, list):
        import numpy as np

        values = np.asarray(found, float)
        found = (values[:, None] if values.ndim == 1 else values).tolist()
    width = sum(1 + len(column.parts) for column in metric.headings)
    if found and len(found[0]) != width:
        raise PluginError(f"metric {metric.name!r} returned {len(found[0])} values; its columns have {width}")
    rows: list[list[float]] = found
    return rows


class MetricSum:
    """A metric's statistics of a system, added up.

    Sums of parts of a system can be added: ``a + b``. The digits are those of the whole in one piece:
    :class:`SummedRows` have an exact sum, and other rows are kept and added in order.

    Args:
        metric: what scores.
        keep: keep the rows of all segments, which :meth:`__add__` needs.

    Attributes:
        count: number of segments.
        given: the values of the system, where a metric knows them and does not compute them from the sum.
    """

    def __init__(self, metric: Any, keep: bool = False) -> None:
        self.metric, self.keep = metric, keep
        self.count = 0
        self.given: list[float] | None = None
        self._sum: Any = None
        self._rows: list[Any] = []

    def add(self, rows: Floats | SummedRows) -> None:
        """Add the rows of the next segments."""
        if isinstance(rows, SummedRows):
            self.add_total(rows.total, rows.count)
            if not self.keep:  # Plain METEOR does without NumPy.
                return
        import numpy as np

        part = np.asarray(rows, float)
        if self.keep:
            self._rows.append(part)
        if not isinstance(rows, SummedRows) and len(part):
            # One after the other, so that no digit depends on the batches.
            whole = part if self._sum is None else np.concatenate([np.asarray(self._sum, float)[None], part])
            self._sum = np.add.accumulate(whole, axis=0)[-1]
            self.count += len(part)

    def add_total(self, total: Any, count: int) -> None:
        """Add the sum of the next segments."""
        if isinstance(total, list) and isinstance(self._sum, list):
            total = [a + b for a, b in zip(self._sum, total, strict=True)]
        elif self._sum is not None:
            total = self._sum + total
        self._sum = total
        self.count += count

    def __add__(self, other: MetricSum) -> MetricSum:
        """Return the sum of this part and the next one."""
        both = MetricSum(self.metric, self.keep)
        both._sum, both.count, both._rows = self._sum, self.count, [*self._rows]
        if other._rows and not isinstance(other._sum, list):
            for rows in other._rows:
                both.add(rows)
        elif other._sum is not None:
            both.add_total(other._sum, other.count)
            both._rows += other._rows
        return both

    @property
    def total(self) -> Any:
        """The sum, ``(width,)``: a list of whole numbers, or an array.

        Raises:
            InputError: if there are no segments.
        """
        if self._sum is None or not self.count:
            raise InputError("there are no segments to score")
        return self._sum

    @property
    def statistics(self) -> Floats:
        """Statistics of all segments, ``(segments, width)``, if they were kept."""
        import numpy as np

        return np.concatenate(self._rows) if self._rows else np.empty((0, 0))

    def values(self) -> list[float]:
        """Return the values of the system: of each column the score, then its parts."""
        total = self.total
        if self.given is not None:
            return self.given
        with guarded(f"metric {self.metric.name!r}"):
            sums = [total] if isinstance(total, list) else total[None]
            return values_of(self.metric, self.metric.corpus_scores(sums))[0]
