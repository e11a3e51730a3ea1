"""A table that contains the scores of several systems under several metrics.

The function :func:`meteor_e.evaluate.evaluate` creates a score table. Significance tests and output formats read the
table.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from meteor_e.api.formats import MetricColumn
from meteor_e.api.segments import SegmentId

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class MetricInfo:
    """The description of a metric in a table.

    Attributes:
        label: name of the metric in tables.
        columns: columns of the metric.
        signature: version and options. Scores with different signatures cannot be compared.
        about: additional entries for JSON.
    """

    label: str
    columns: tuple[MetricColumn, ...]
    signature: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def column_slices(self) -> list[slice]:
        """The slices that divide a list of the metric's values into columns, one slice per column.

        Each slice selects the score of the column and the additional values that belong to the score.
        """
        ends = list(itertools.accumulate(1 + len(column.parts) for column in self.columns))
        return [slice(start, end) for start, end in itertools.pairwise([0, *ends])]

    def split_values(self, values: Sequence[float]) -> list[Sequence[float]]:
        """Split the values of a metric into one sequence per column.

        Each sequence begins with the column's score. Additional values, such as precision and recall, follow the score.

        Args:
            values: the values of all columns of the metric, one after the other.
        """
        return [values[column_slice] for column_slice in self.column_slices]


@dataclass
class MetricScores:
    """The scores of one system under one metric.

    Attributes:
        values: for each column the score and its parts.
        total: the sum of the segments' statistics, ``(width,)``: a list of integers, or an array.
        segment_values: the values of all segments, one segment after the other; empty if segments were not kept.
        statistics: statistics of the segments, ``(segments, width)``; ``None`` if they were not kept.
        details: details of the system for JSON; ``None`` if there are none.
        segment_details: details of the segments for JSON; empty if they were not kept.
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
    """The scores of one system.

    Attributes:
        system: name of the system.
        segment_count: number of segments.
        metrics: one entry per metric.
        ids: ids of the segments, a range if they are line numbers; empty if segments were not kept.
        reference_digest: a hash of the references; 0 if it was not computed.
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
        systems: the systems. Significance tests compare the first system with all others.
        reference_counts: the distinct numbers of references per segment.
        left_out: ids of segments that were left out of all systems because they could not be scored, by their position
            in the file, from 0.
    """

    metrics: list[MetricInfo]
    systems: list[SystemScores]
    reference_counts: set[int] = field(default_factory=set)
    left_out: dict[int, SegmentId] = field(default_factory=dict)

    @property
    def columns(self) -> list[MetricColumn]:
        """The columns of all metrics."""
        return [column for info in self.metrics for column in info.columns]

    def column_values(self, system: SystemScores) -> list[Sequence[float]]:
        """Return a system's values for each column. The first value is the score, and the parts of the score follow."""
        values: list[Sequence[float]] = []
        for info, scores in zip(self.metrics, system.metrics, strict=True):
            values += info.split_values(scores.values)
        return values

    def _repr_html_(self) -> str:
        """Return an HTML table of the systems' scores for notebooks, with the signatures below it."""
        from meteor_e.base.html import html_table  # This import takes time, and is only needed in notebooks.

        rows: list[Sequence[str | float]] = []
        for system in self.systems:
            scores = [values[0] for values in self.column_values(system)]
            rows.append((system.system, *scores, system.segment_count))
        note = "; ".join(dict.fromkeys(info.signature for info in self.metrics))
        return html_table(("system", *(column.name for column in self.columns), "segments"), rows, note)

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.systems)} systems; {', '.join(column.name for column in self.columns)})"

    def find_column(self, name: str) -> tuple[int, int]:
        """Find a column by its name.

        Returns:
            The index of the metric to which the column belongs, and the index of the column's score among the values
            of this metric.

        Raises:
            KeyError: if there is no such column.
        """
        for metric_index, info in enumerate(self.metrics):
            for column, column_slice in zip(info.columns, info.column_slices, strict=True):
                if column.name == name:
                    return metric_index, column_slice.start
        raise KeyError(name)

    def scores(self, name: str) -> list[float]:
        """Return the scores of all systems in one column of the table."""
        metric_index, value_index = self.find_column(name)
        return [system.metrics[metric_index].values[value_index] for system in self.systems]

    def segment_scores(self, name: str, system: int = 0) -> list[float]:
        """Return the segment scores of a system in one column of the table.

        The list is empty if the scores of segments were not kept.
        """
        metric_index, value_index = self.find_column(name)
        scores = self.systems[system].metrics[metric_index]
        return scores.segment_values[value_index :: len(scores.values)].tolist()


class JoinedSequence(Sequence[Any]):
    """A read-only concatenation of several sequences, which are not copied.

    Args:
        parts: the sequences, in order.
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
