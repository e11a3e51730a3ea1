"""The JSON objects of score tables: systems, segments, metrics and significance tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.formats import MetricColumn
from meteor_e.api.score_table import ScoreTable, SystemScores
from meteor_e.api.segments import SegmentId

# NumPy is not imported here, because the import takes time and METEOR's scores do not need NumPy.
if TYPE_CHECKING:
    from meteor_e.significance.tables import TableTests


class SegmentRow(NamedTuple):
    """Store the scores of one segment of a system.

    Attributes:
        id: the id of the segment.
        values: for each column of the score table, the score and its components.
        details: for each metric, further details such as the alignment, or ``None``.
    """

    id: SegmentId
    values: list[Sequence[float]]
    details: Sequence[Mapping[str, Any] | None]


def segment_rows(table: ScoreTable, system: SystemScores) -> Iterator[SegmentRow]:
    """Yield the scores of each segment of a system."""
    value_iterators = [scores.segment_rows() for scores in system.metrics]
    detail_iterators = [iter(scores.segment_details) for scores in system.metrics]
    for segment_id in system.ids:
        column_values: list[Sequence[float]] = []
        for info, metric_values in zip(table.metrics, value_iterators, strict=True):
            column_values += info.split_values(next(metric_values))
        # If no details were requested, the iterators are empty, so next() returns its second argument, None.
        details = [next(metric_details, None) for metric_details in detail_iterators]
        yield SegmentRow(segment_id, column_values, details)


class _SegmentEntries(Sequence[dict[str, Any]]):
    """A sequence of the JSON objects of segments. The objects are created one at a time to save memory."""

    def __init__(self, table: ScoreTable, system: SystemScores) -> None:
        self._table = table
        self._system = system

    def __len__(self) -> int:
        return len(self._system.ids)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in segment_rows(self._table, self._system):
            yield {"id": row.id, "scores": _score_entries(self._table, row.values, row.details)}


def _score_entries(
    table: ScoreTable, values: Iterable[Sequence[float]], details: Sequence[Mapping[str, Any] | None]
) -> dict[str, Any]:
    """Return a JSON object that maps column names to scores.

    Args:
        table: the score table.
        values: for each column of the table, the score and its components.
        details: for each metric, its details or ``None``. They are added to the first column of the metric.
    """
    score_by_column = {
        column.name: _score_entry(column, column_values)
        for column, column_values in zip(table.columns, values, strict=True)
    }
    for metric, metric_details in zip(table.metrics, details, strict=True):
        if metric_details:
            score_by_column[metric.columns[0].name]["details"] = dict(metric_details)
    return score_by_column


def _score_entry(column: MetricColumn, values: Sequence[float]) -> dict[str, Any]:
    """Return a score and its components as a JSON object."""
    score, *parts = values
    entry: dict[str, Any] = {"score": score}
    if parts:
        entry["parts"] = dict(zip(column.parts, parts, strict=True))
    return entry


def system_entry(table: ScoreTable, system: SystemScores) -> dict[str, Any]:
    """Return the JSON object of a system: its scores and, if requested, its segments."""
    entry: dict[str, Any] = {"system": system.system}
    if system.ids:
        entry["segments"] = _SegmentEntries(table, system)
    entry["segment_count"] = system.segment_count
    details = [scores.details for scores in system.metrics]
    entry["scores"] = _score_entries(table, table.column_values(system), details)
    return entry


def metric_entries(table: ScoreTable) -> dict[str, Any]:
    """Return a JSON object that describes the metric of each column, for example by its signature."""
    entries = {}
    for info in table.metrics:
        for column in info.columns:
            entries[column.name] = {
                "signature": info.signature,
                "higher_is_better": column.higher_is_better,
                **info.about,
            }
    return entries


def significance_entry(table: ScoreTable, tests: TableTests) -> dict[str, Any]:
    """Return the significance tests as a JSON object with one entry for each column and system."""
    column_entries: dict[str, list[dict[str, Any]]] = {}
    for column, system_tests in zip(table.columns, tests.columns, strict=True):
        column_entries[column.name] = [
            {
                "system": system.system,
                "interval": test.interval,
                "difference": test.difference,
                "difference_interval": test.difference_interval,
                "p": test.p,
            }
            for system, test in zip(table.systems, system_tests, strict=True)
        ]
    return {
        "test": tests.settings.method,
        "samples": tests.settings.samples,
        "seed": tests.settings.seed,
        "baseline": table.systems[0].system,
        "tests": column_entries,
    }
