"""A table of scores: what systems scored under metrics, as plain data.

:func:`meteor_e.evaluate.evaluate` fills it. Significance tests and output formats are functions of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from meteor_e.api.formats import MetricColumn
from meteor_e.api.segments import SegmentId
from meteor_e.base.html import html_table

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class MetricInfo:
    """What a table knows of a metric.

    Attributes:
        label: what tables call the metric.
        columns: its columns.
        signature: what must be the same for the numbers to be the same.
        about: what JSON says in addition to the signature.
    """

    label: str
    columns: tuple[MetricColumn, ...]
    signature: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Number of values: for each column the score and its parts."""
        return sum(1 + len(column.parts) for column in self.columns)


@dataclass
class MetricScores:
    """What one system scored under one metric.

    Attributes:
        values: of each column the score, then its parts.
        total: the sum of the segments' statistics, ``(width,)``: whole numbers in a list, or an array.
        segment_values: the values of the segments, one row after the other; empty if segments were not kept.
        statistics: of the segments, ``(segments, width)``; ``None`` if they were not kept.
        details: of the system, for JSON; ``None`` for none.
        segment_details: of the segments, for JSON; empty if they were not kept.
    """

    values: list[float]
    total: Any
    segment_values: array[float] = field(default_factory=lambda: array("d"), repr=False)
    statistics: Floats | None = field(default=None, repr=False)
    details: Mapping[str, Any] | None = field(default=None, repr=False)
    segment_details: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    def segment_rows(self) -> Iterator[Sequence[float]]:
        """Yield the values of each segment."""
        width = len(self.values)
        for start in range(0, len(self.segment_values), width):
            yield self.segment_values[start : start + width]


@dataclass
class SystemScores:
    """What one system scored.

    Attributes:
        system: its name.
        segment_count: number of segments.
        metrics: one entry per metric.
        ids: ids of the segments, if segments were kept.
        reference_digest: a hash of the references, if they are compared; else 0.
    """

    system: str
    segment_count: int
    metrics: list[MetricScores]
    ids: Sequence[SegmentId] = field(default=(), repr=False)
    reference_digest: int = 0


@dataclass
class ScoreTable:
    """Scores of systems under metrics.

    Attributes:
        metrics: the metrics.
        systems: the systems; the first is the baseline of tests.
        reference_counts: the distinct numbers of references of a segment.
        left_out: segments that cannot be scored and were left out of all systems: position in the file, from 0 → id.
    """

    metrics: list[MetricInfo]
    systems: list[SystemScores]
    reference_counts: set[int] = field(default_factory=set)
    left_out: dict[int, SegmentId] = field(default_factory=dict)

    @property
    def columns(self) -> list[MetricColumn]:
        """The columns of all metrics."""
        return [column for info in self.metrics for column in info.columns]

    def _repr_html_(self) -> str:
        """Return a table of the systems' scores, with the signatures, for notebooks."""
        rows: list[Sequence[str | float]] = []
        for index, system in enumerate(self.systems):
            scores = [self.scores(column.name)[index] for column in self.columns]
            rows.append((system.system, *scores, system.segment_count))
        note = "; ".join(dict.fromkeys(info.signature for info in self.metrics))
        return html_table(("system", *(column.name for column in self.columns), "segments"), rows, note)

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.systems)} systems; {', '.join(column.name for column in self.columns)})"

    def find_column(self, name: str) -> tuple[int, int]:
        """Return the index of the metric that has a column, and the index of the column's score among its values.

        Raises:
            KeyError: if there is no such column.
        """
        for metric, info in enumerate(self.metrics):
            start = 0
            for column in info.columns:
                if column.name == name:
                    return metric, start
                start += 1 + len(column.parts)
        raise KeyError(name)

    def scores(self, name: str) -> list[float]:
        """Return the systems' scores in a column."""
        metric, value = self.find_column(name)
        return [system.metrics[metric].values[value] for system in self.systems]

    def segment_scores(self, name: str, system: int = 0) -> list[float]:
        """Return the scores of a system's segments in a column, if segments were kept."""
        metric, value = self.find_column(name)
        scores = self.systems[system].metrics[metric]
        return scores.segment_values[value :: len(scores.values)].tolist()


class JoinedSequence(Sequence[Any]):
    """Consecutive sequences as one, without a copy.

    Args:
        parts: the sequences.
    """

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[Any]:
        for part in self._parts:
            yield from part
