"""Presents the result of an evaluation as tables, records and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

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
    """The result of an evaluation, which the output formats write.

    The tables have one row per metric. They contain ranks, intervals and significance tests if these were requested.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield each table, followed by its significance tests between metrics. Notes come at the end."""
        for table in self.evaluation.tables:
            yield _table_grid(table, 4 if digits is None else digits)
            for column, comparison in table.comparisons.items():
                yield _comparison_grid(table, column, comparison)
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
            for name, values in table.rows.items():
                for column, value in zip(table.columns, values, strict=True):
                    low = None if value.interval is None else value.interval.low
                    high = None if value.interval is None else value.interval.high
                    rank = _find_rank(table, name, column)
                    yield table.testset, table.measure.name, name, column, value.value, low, high, rank

    def document(self) -> dict[str, Any]:
        """Return the unrounded results of the evaluation as a JSON document."""
        return {
            "tables": [_table_document(table) for table in self.evaluation.tables],
            "signatures": self.evaluation.signatures,
            "counts": self.evaluation.counts,
            "warnings": self.evaluation.warnings,
            "settings": self.evaluation.settings,
        }


def _title(table: Table) -> str:
    return f"{table.testset}, {table.measure.title}"


def _find_rank(table: Table, metric: str, column: str) -> int | None:
    """Return the rank of a metric in a column, or None if the column has no ranks."""
    return table.ranks.get(column, {}).get(metric)


def _table_grid(table: Table, digits: int) -> Grid:
    """Return a table as text, with the best value of each column marked."""
    sorted_rows = _sort_rows(table)
    text_rows = []
    for metric, values in sorted_rows:
        text_row = [metric]
        for column, value in zip(table.columns, values, strict=True):
            rank = _find_rank(table, metric, column)
            text_row.append(_format_value(value, rank, digits))
        text_rows.append(text_row)
    best_cells: set[tuple[int, int]] = set()
    # Column 0 of the grid contains the names of the metrics.
    for column_index in range(len(table.columns)):
        column_values = [values[column_index].value for _, values in sorted_rows]
        best_cells.update((row_index, column_index + 1) for row_index in _find_best(column_values))
    return Grid(
        ["metric", *table.columns],
        text_rows,
        title=f"{_title(table)}, {table.measure.level} level",
        notes=_explain_undefined(table),
        best=frozenset(best_cells),
    )


def _find_best(values: Sequence[float]) -> list[int]:
    """Return the index of each occurrence of the largest value. NaN is ignored."""
    largest_value = max((value for value in values if not math.isnan(value)), default=math.nan)
    return [index for index, value in enumerate(values) if value == largest_value]


def _sort_rows(table: Table) -> list[tuple[str, tuple[Value, ...]]]:
    """Return the rows of a table. If the last column has ranks, the best metric comes first."""

    def get_last_value(row: tuple[str, tuple[Value, ...]]) -> float:
        _, values = row
        last_value = values[-1].value
        return -math.inf if math.isnan(last_value) else last_value

    rows = list(table.rows.items())
    if table.columns[-1] in table.ranks:
        rows.sort(key=get_last_value, reverse=True)
    return rows


def _format_value(value: Value, rank: int | None, digits: int) -> str:
    """Format a value, with its rank in parentheses and its interval in brackets."""
    text = format_number(value.value, digits)
    if rank is not None:
        text += f" ({rank})"
    if value.interval is not None and not math.isnan(value.value):
        low = format_number(value.interval.low, digits)
        high = format_number(value.interval.high, digits)
        text += f" [{low}, {high}]"
    return text


def _explain_undefined(table: Table) -> list[str]:
    """Return notes that explain why values of the table are undefined.

    Each note gives a reason, and lists the affected metrics and columns.
    """
    columns_by_reason_and_metric: dict[tuple[str, str], list[str]] = {}
    for metric, values in table.rows.items():
        for column, value in zip(table.columns, values, strict=True):
            if value.reason:
                columns_by_reason_and_metric.setdefault((value.reason, metric), []).append(column)
    # Metrics with undefined values share a note if the reason and the columns are equal.
    metrics_by_reason_and_columns: dict[tuple[str, str], list[str]] = {}
    for (reason, metric), columns in columns_by_reason_and_metric.items():
        metrics_by_reason_and_columns.setdefault((reason, ", ".join(columns)), []).append(metric)
    notes = []
    for (reason, column_list), metrics in metrics_by_reason_and_columns.items():
        notes.append(f"– ({', '.join(metrics)}; {column_list}): {reason}.")
    return notes


def _comparison_grid(table: Table, column: str, comparison: Comparison) -> Grid:
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


def _table_document(table: Table) -> dict[str, Any]:
    """Return a table with its significance tests as a JSON object."""
    metrics = {}
    for metric, values in table.rows.items():
        value_by_column = {}
        for column, value in zip(table.columns, values, strict=True):
            value_by_column[column] = _value_document(value, _find_rank(table, metric, column))
        metrics[metric] = value_by_column
    return {
        "testset": table.testset,
        "measure": table.measure.name,
        "level": table.measure.level,
        "metrics": metrics,
        "comparisons": {column: _comparison_document(comparison) for column, comparison in table.comparisons.items()},
    }


def _comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return the significance tests between metrics as a JSON object."""
    return {
        "test": comparison.test,
        "assumed_independent": comparison.assumed,
        "metrics": comparison.names,
        "p": json_ready(comparison.p.tolist()),
    }


def _value_document(value: Value, rank: int | None) -> dict[str, Any]:
    """Return a value as a JSON object. If the value is undefined, the object contains the reason."""
    document = {"value": json_ready(value.value), "interval": json_ready(value.interval), "rank": rank}
    if value.reason:
        document["reason"] = value.reason
    return document
