"""A system's score by a metric, from segments that are added a part at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from meteor_e.api.outputs import MetricColumn, SegmentRow, Wanted
from meteor_e.base.errors import InputError, PluginError, guarded
from meteor_e.base.progress import Progress, silent

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

__all__ = ["BATCH", "Running", "RunningScore", "checked_statistics", "main_scores"]

BATCH = 4096
"""Segments that are scored at once."""


class Summed(Protocol):
    """What of a :class:`~meteor_e.api.metrics.Metric` is needed here; see there."""

    name: ClassVar[str]
    scored_before: int

    @property
    def label(self) -> str: ...

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Any: ...

    def corpus_scores(self, sums: Floats) -> Floats: ...

    def segment_scores(self, statistics: Floats) -> Floats: ...

    def details(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Sequence[Mapping[str, Any]] | None: ...


def main_scores(values: Floats, place: int = 0) -> Floats:
    """Return one column of what a metric's ``corpus_scores`` returned: by default the first, its score."""
    return values if values.ndim == 1 else values[:, place]


def statistics_in_batches(
    metric: Summed,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    progress: Progress = silent,
    *,
    finite: bool = True,
    before: int = 0,
) -> Iterator[Floats]:
    """Yield a metric's statistics of some thousand segments at a time, of the right shape and finite.

    Args:
        metric: what scores.
        hypotheses, references, sources: as for :meth:`Metric.statistics`.
        progress: told the number of segments done.
        finite: refuse what is not a number.
        before: the number of segments before the first of these, for messages.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: for a row that is not finite.
    """
    for start in range(0, len(hypotheses), BATCH):
        stop = min(start + BATCH, len(hypotheses))
        metric.scored_before = before + start
        given = None if sources is None else sources[start:stop]
        with guarded(f"metric {metric.name!r}"):
            part = np.asarray(metric.statistics(hypotheses[start:stop], references[start:stop], given), float)
        if part.ndim != 2 or len(part) != stop - start:
            raise PluginError(
                f"metric {metric.name!r} returned statistics of shape {part.shape} for {stop - start} segments; "
                "one row per segment is needed"
            )
        known = np.isfinite(part).all(axis=1)
        if finite and not known.all():
            at = int(np.argmin(known))
            number = before + start + at + 1
            raise InputError(f"{metric.label} gives no finite number for segment {number}: {part[at]}")
        yield part
        progress(metric.label, stop, len(hypotheses))


def checked_statistics(
    metric: Summed,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    *,
    finite: bool = True,
) -> Floats:
    """Return a metric's statistics of all segments; arguments and errors as for :func:`statistics_in_batches`."""
    return np.concatenate(list(statistics_in_batches(metric, hypotheses, references, sources, finite=finite)))


class Running(Protocol):
    """A system's score while it is made."""

    @property
    def statistics(self) -> Floats:
        """Statistics of all segments, ``(segments, width)``, if they were wanted."""

    def add(self, pairs: Iterable[tuple[str, Sequence[str]]]) -> Iterator[tuple[int, list[SegmentRow]]]:
        """Score segments; yield, a part at a time, their number and, if they are wanted, their rows.

        Args:
            pairs: hypotheses with their references; they follow those that were added before.

        Raises:
            InputError: for a segment that has no score, with its number.
            PluginError: if the metric fails.
        """

    def row(self) -> SegmentRow:
        """Return what was found for the system.

        Raises:
            InputError: if no segment was added.
        """


class RunningScore:
    """A system's score by a metric of any kind.

    Statistics are summed up. Beyond the sums, memory grows only with what is wanted: numbers, and no texts.

    Args:
        metric: a metric that is prepared.
        wanted: what to keep.
        columns: those of the metric; by default its first value is all that is asked for.
    """

    def __init__(self, metric: Summed, wanted: Wanted, columns: Sequence[MetricColumn] = ()) -> None:
        self._metric, self._wanted = metric, wanted
        self._width = sum(1 + len(column.parts) for column in columns)
        self._sum: Floats | None = None
        self._statistics: list[Floats] = []
        self.count = 0

    def scored(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        *,
        progress: Progress = silent,
    ) -> Iterator[tuple[int, Floats]]:
        """Add segments; yield the number of each part and its scores ``(segments, values)``, empty if not wanted."""
        metric = self._metric
        batches = statistics_in_batches(metric, hypotheses, references, sources, progress, before=self.count)
        for rows in batches:
            if self._wanted.statistics:
                self._statistics.append(rows)
            # One after the other, so that no digit depends on the parts.
            summed = rows if self._sum is None else np.concatenate([self._sum[None], rows])
            self._sum = np.add.accumulate(summed, axis=0)[-1]
            self.count += len(rows)
            values = np.empty((0, 0))
            if self._wanted.segments:
                with guarded(f"metric {metric.name!r}"):
                    values = self._values(metric.segment_scores(rows))
            yield len(rows), values

    def _values(self, found: Any) -> Floats:
        """Return what a metric made of statistics as ``(rows, values)``."""
        values = np.asarray(found, float)
        if not self._width:
            return main_scores(values)[:, None]
        values = values[:, None] if values.ndim == 1 else values
        if values.shape[1] != self._width:
            raise PluginError(
                f"metric {self._metric.name!r} returned {values.shape[1]} values; its columns have {self._width}"
            )
        return values

    def add(self, pairs: Iterable[tuple[str, Sequence[str]]]) -> Iterator[tuple[int, list[SegmentRow]]]:
        """See :meth:`Running.add`."""
        given = iter(pairs)
        while batch := list(itertools.islice(given, BATCH)):
            texts, lists = [text for text, _ in batch], [list(references) for _, references in batch]
            for count, values in self.scored(texts, lists):
                details = None
                if self._wanted.details and self._wanted.segments:
                    with guarded(f"metric {self._metric.name!r}"):
                        details = self._metric.details(texts, lists)
                    if details is not None and len(details) != count:
                        raise PluginError(
                            f"metric {self._metric.name!r} returned details of {len(details)} segments for {count}"
                        )
                each = itertools.repeat(None) if details is None else details
                yield count, [SegmentRow(tuple(row), found) for row, found in zip(values.tolist(), each)]  # noqa: B905

    @property
    def statistics(self) -> Floats:
        """See :attr:`Running.statistics`."""
        return np.concatenate(self._statistics) if self._statistics else np.empty((0, 0))

    def row(self) -> SegmentRow:
        """See :meth:`Running.row`."""
        if self._sum is None:
            raise InputError("there are no segments to score")
        with guarded(f"metric {self._metric.name!r}"):
            return SegmentRow(tuple(self._values(self._metric.corpus_scores(self._sum[None]))[0].tolist()))
