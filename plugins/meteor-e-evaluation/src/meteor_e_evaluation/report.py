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
        notes = [RANKS_NOTE] if any(table.ranks for table in self.evaluation.tables) else []
        notes += [f"{name}: {signature}" for name, signature in self.evaluation.signatures.items()]
        if self.evaluation.settings["intervals"]:
            notes.append(
                f"Intervals: 95% confidence, percentiles of {self.evaluation.settings['intervals']} bootstrap samples "
                f"of the segments, seed {self.evaluation.settings['seed']}."
            )
        return notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header row, then one row per value of the tables, without rounding."""
        yield "testset", "measure", "metric", "pair", "value", "low", "high", "rank"
        for table in self.evaluation.tables:
            for name, values in table.rows.items():
                for column, value in zip(table.columns, values, strict=True):
                    low, high = value.interval or (None, None)
                    rank = table.ranks.get(column, {}).get(name)
                    yield table.testset, table.measure.name, name, column, value.value, low, high, rank

    def document(self) -> dict[str, Any]:
        """Return all results of the evaluation, without rounding, as a JSON document."""
        return {
            "tables": [_table_document(table) for table in self.evaluation.tables],
            "signatures": self.evaluation.signatures,
            "counts": self.evaluation.counts,
            "warnings": self.evaluation.warnings,
            "settings": self.evaluation.settings,
        }


def _title(table: Table) -> str:
    return f"{table.testset}, {table.measure.title}"


def _table_grid(table: Table, digits: int) -> Grid:
    """Return a table as text, with the best value of each column marked."""
    best_values = [_find_best(values) for values in zip(*table.rows.values(), strict=True)]
    rows = []
    best_cells = set()
    for row_index, (name, values) in enumerate(_sort_rows(table)):
        row = [name]
        # The first column of the grid contains the names of the metrics.
        for column_index, (column, value) in enumerate(_cells(table, values), 1):
            row.append(_format_value(table, name, column, value, digits))
            if value.value == best_values[column_index - 1]:
                best_cells.add((row_index, column_index))
        rows.append(row)
    title = f"{_title(table)}, {table.measure.level} level"
    return Grid(["metric", *table.columns], rows, title, notes=_explain_undefined(table), best=frozenset(best_cells))


def _find_best(values: Sequence[Value]) -> float:
    """Return the largest of several values, or NaN if all of them are undefined."""
    return max((value.value for value in values if not math.isnan(value.value)), default=math.nan)


def _cells(table: Table, values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    return zip(table.columns, values, strict=True)


def _sort_rows(table: Table) -> list[tuple[str, tuple[Value, ...]]]:
    """Return the rows of a table. If the metrics are ranked by the last column, the rows are sorted by rank."""

    def get_last_value(row: tuple[str, tuple[Value, ...]]) -> float:
        _, values = row
        last_value = values[-1].value
        return -math.inf if math.isnan(last_value) else last_value

    rows = list(table.rows.items())
    if table.columns[-1] in table.ranks:
        rows.sort(key=get_last_value, reverse=True)
    return rows


def _format_value(table: Table, metric: str, column: str, value: Value, digits: int) -> str:
    """Format a value, with its rank in parentheses and its interval in brackets."""
    text = format_number(value.value, digits)
    rank = table.ranks.get(column, {}).get(metric)
    if rank is not None:
        text += f" ({rank})"
    if value.interval is not None and not math.isnan(value.value):
        low, high = (format_number(bound, digits) for bound in value.interval)
        text += f" [{low}, {high}]"
    return text


def _explain_undefined(table: Table) -> list[str]:
    """Return one note for each reason why values of the table are undefined.

    A note lists the metrics and the columns to which the reason applies.
    """
    columns_by_reason_and_metric: dict[tuple[str, str], list[str]] = {}
    for metric, values in table.rows.items():
        for column, value in _cells(table, values):
            if value.reason:
                columns_by_reason_and_metric.setdefault((value.reason, metric), []).append(column)
    # Metrics that are undefined for the same reason in the same columns share a note.
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
    metrics = {
        name: {column: _value_document(table, name, column, value) for column, value in _cells(table, values)}
        for name, values in table.rows.items()
    }
    comparisons = {
        column: {
            "test": comparison.test,
            "assumed_independent": comparison.assumed,
            "metrics": comparison.names,
            "p": json_ready(comparison.p.tolist()),
        }
        for column, comparison in table.comparisons.items()
    }
    return {
        "testset": table.testset,
        "measure": table.measure.name,
        "level": table.measure.level,
        "metrics": metrics,
        "comparisons": comparisons,
    }


def _value_document(table: Table, metric: str, column: str, value: Value) -> dict[str, Any]:
    document = {
        "value": json_ready(value.value),
        "interval": json_ready(value.interval),
        "rank": table.ranks.get(column, {}).get(metric),
    }
    return document | {"reason": value.reason} if value.reason else document
