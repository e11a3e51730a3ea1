"""Presents the result of an evaluation as tables, records and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from meteor_e.api import Result
from meteor_e.api.formats import Grid
from meteor_e.render.documents import json_ready
from meteor_e.render.plain import format_number, format_p
from meteor_e_evaluation.comparison import Comparison
from meteor_e_evaluation.evaluation import Evaluation, Table, Value

RANKS_NOTE = (
    "Ranks in parentheses: metrics share a rank until one is significantly worse (p < 0.05) than any of that rank."
)


class EvaluationResult(Result):
    """The result of an evaluation, which can be written in every output format.

    The tables have one row per metric. They contain ranks, intervals and significance tests if these were requested.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield each table, followed by the table's significance tests between metrics. Yield all notes last."""
        for table in self.evaluation.tables:
            yield _make_table_grid(table, 4 if digits is None else digits)
            for column, comparison in table.comparisons.items():
                yield _make_comparison_grid(table, column, comparison)
        yield Grid((), (), notes=self._notes())

    def _notes(self) -> list[str]:
        """Return notes that explain the ranks, the signatures and the confidence intervals."""
        notes = []
        if any(table.ranks for table in self.evaluation.tables):
            notes.append(RANKS_NOTE)
        notes += [f"{name}: {signature}" for name, signature in self.evaluation.signatures.items()]
        settings = self.evaluation.settings
        if settings["intervals"]:
            notes.append(
                f"Intervals: 95% confidence, percentiles of {settings['intervals']} bootstrap samples of the segments, "
                f"seed {settings['seed']}."
            )
        return notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header row, and then one row for each unrounded value."""
        yield "testset", "measure", "metric", "pair", "value", "low", "high", "rank"
        for table in self.evaluation.tables:
            for metric in table.rows:
                for column, value, rank in _iterate_cells(table, metric):
                    low = None if value.interval is None else value.interval.low
                    high = None if value.interval is None else value.interval.high
                    yield table.testset, table.measure.name, metric, column, value.value, low, high, rank

    def document(self) -> dict[str, Any]:
        """Return the unrounded results of the evaluation as a JSON document."""
        return {
            "tables": [_make_table_document(table) for table in self.evaluation.tables],
            "signatures": self.evaluation.signatures,
            "counts": self.evaluation.counts,
            "warnings": self.evaluation.warnings,
            "settings": self.evaluation.settings,
        }


def _title(table: Table) -> str:
    return f"{table.testset}, {table.measure.title}"


class _Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        column: title of the column.
        value: value of the metric.
        rank: rank of the metric in the column, or None if the column has no ranks.
    """

    column: str
    value: Value
    rank: int | None


def _iterate_cells(table: Table, metric: str) -> Iterator[_Cell]:
    """Yield the cells of the row of a metric."""
    for column, value in zip(table.columns, table.rows[metric], strict=True):
        yield _Cell(column, value, table.ranks.get(column, {}).get(metric))


def _make_table_grid(table: Table, digits: int) -> Grid:
    """Return a table as text, with the best value of each column marked."""
    metrics = _sort_metrics(table)
    return Grid(
        ["metric", *table.columns],
        [_format_row(table, metric, digits) for metric in metrics],
        title=f"{_title(table)}, {table.measure.level} level",
        notes=_explain_undefined(table),
        best=_find_best_cells([table.rows[metric] for metric in metrics]),
    )


def _find_best_cells(rows: Sequence[Sequence[Value]]) -> frozenset[tuple[int, int]]:
    """Return the row and the column of each cell that contains the largest value of its column. NaN is ignored.

    Columns are counted from 1, because column 0 contains the names of the metrics.
    """
    best_cells: set[tuple[int, int]] = set()
    for column_index, cells in enumerate(zip(*rows, strict=True), 1):
        values = [cell.value for cell in cells]
        largest_value = max((value for value in values if not math.isnan(value)), default=math.nan)
        best_cells.update((row_index, column_index) for row_index, value in enumerate(values) if value == largest_value)
    return frozenset(best_cells)


def _sort_metrics(table: Table) -> list[str]:
    """Return the metrics of a table. If the last column has ranks, the best metric comes first."""

    def get_last_value(metric: str) -> float:
        last_value = table.rows[metric][-1].value
        return -math.inf if math.isnan(last_value) else last_value

    if table.columns[-1] not in table.ranks:
        return list(table.rows)
    return sorted(table.rows, key=get_last_value, reverse=True)


def _format_row(table: Table, metric: str, digits: int) -> list[str]:
    """Return the name of a metric, followed by its formatted values."""
    return [metric, *(_format_cell(cell, digits) for cell in _iterate_cells(table, metric))]


def _format_cell(cell: _Cell, digits: int) -> str:
    """Format a value, with its rank in parentheses and its interval in brackets."""
    value = cell.value
    text = format_number(value.value, digits)
    if cell.rank is not None:
        text += f" ({cell.rank})"
    if value.interval is not None and not math.isnan(value.value):
        low = format_number(value.interval.low, digits)
        high = format_number(value.interval.high, digits)
        text += f" [{low}, {high}]"
    return text


def _explain_undefined(table: Table) -> list[str]:
    """Return notes that explain why values of the table are undefined.

    Each note gives a reason, and lists the affected metrics and columns. Metrics with the same reason and the same
    columns share a note.
    """
    metrics_by_note: dict[tuple[str, str], list[str]] = {}
    for metric in table.rows:
        for reason, columns in _group_undefined_columns(table, metric).items():
            metrics_by_note.setdefault((reason, ", ".join(columns)), []).append(metric)
    return [f"– ({', '.join(metrics)}; {columns}): {reason}." for (reason, columns), metrics in metrics_by_note.items()]


def _group_undefined_columns(table: Table, metric: str) -> dict[str, list[str]]:
    """Return the columns in which the value of a metric is undefined, grouped by the reason."""
    columns_by_reason: dict[str, list[str]] = {}
    for column, value, _ in _iterate_cells(table, metric):
        if value.reason:
            columns_by_reason.setdefault(value.reason, []).append(column)
    return columns_by_reason


def _make_comparison_grid(table: Table, column: str, comparison: Comparison) -> Grid:
    """Return a table with the p-values of the significance tests for a column."""
    rows = []
    for row_index, name in enumerate(comparison.names):
        row = [name]
        for column_index, p in enumerate(comparison.p[row_index]):
            row.append("" if row_index == column_index else format_p(float(p), 3))
        rows.append(row)
    title = (
        f"{_title(table)}, {column}: one-sided p-value that the row's metric is better than the column's, "
        f"{comparison.test}; assumes that {comparison.assumed} are independent"
    )
    return Grid(["", *comparison.names], rows, title)


def _make_table_document(table: Table) -> dict[str, Any]:
    """Return a table with its significance tests as a JSON object."""
    metrics = {}
    for metric in table.rows:
        metrics[metric] = {cell.column: _make_cell_document(cell) for cell in _iterate_cells(table, metric)}
    comparisons = {}
    for column, comparison in table.comparisons.items():
        comparisons[column] = _make_comparison_document(comparison)
    return {
        "testset": table.testset,
        "measure": table.measure.name,
        "level": table.measure.level,
        "metrics": metrics,
        "comparisons": comparisons,
    }


def _make_comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return the significance tests between metrics as a JSON object."""
    return {
        "test": comparison.test,
        "assumed_independent": comparison.assumed,
        "metrics": comparison.names,
        "p": json_ready(comparison.p.tolist()),
    }


def _make_cell_document(cell: _Cell) -> dict[str, Any]:
    """Return a value with its rank as a JSON object. If the value is undefined, the object contains the reason."""
    value = cell.value
    document = {"value": json_ready(value.value), "interval": json_ready(value.interval), "rank": cell.rank}
    if value.reason:
        document["reason"] = value.reason
    return document
