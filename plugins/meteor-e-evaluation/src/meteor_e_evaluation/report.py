"""An evaluation as a result that every output format writes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from meteor_e.api import Result
from meteor_e.api.formats import Grid
from meteor_e.render.documents import json_ready
from meteor_e.render.plain import shown_number, shown_p
from meteor_e_evaluation.evaluation import Evaluation, Table, Value

RANKS = "Ranks in parentheses: metrics share a rank until one is significantly worse (p < 0.05) than any of that rank."


class EvaluationResult(Result):
    """Tables of agreement: of each measure one row per metric, with ranks, intervals and tests where they are known."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the tables and the tests of metrics against each other; the best of each column stands out."""
        digits = 4 if digits is None else digits
        for table in self.evaluation.tables:
            title = f"{table.testset}, {table.measure.title}"
            rows = _sorted_rows(table)
            cells = [[name, *_cells(table, name, digits)] for name, _ in rows]
            best = [max((v.value for v in column if not math.isnan(v.value)), default=math.nan)
                    for column in zip(*table.rows.values(), strict=True)]  # fmt: skip
            places = {
                (row, column)
                for row, (_, values) in enumerate(rows)
                for column, (value, top) in enumerate(zip(values, best, strict=True), 1)
                if value.value == top
            }
            yield Grid([table.measure.level, *table.columns], cells, title, best=frozenset(places))
            for pair, tested in table.comparisons.items():
                matrix = [
                    [name, *(shown_p(float(p), 3) if row != column else "" for column, p in enumerate(tested.p[row]))]
                    for row, name in enumerate(tested.names)
                ]
                head = (
                    f"{title}, {pair}: p that the row is no better than the column, {tested.test}; "
                    f"assumes that {tested.assumed} are independent"
                )
                yield Grid(["", *tested.names], matrix, head)
        yield Grid((), (), notes=self._notes())

    def _notes(self) -> list[str]:
        notes = [RANKS] if any(table.ranks for table in self.evaluation.tables) else []
        notes += [f"{name}: {signature}" for name, signature in self.evaluation.signatures.items()]
        if self.evaluation.settings["samples"]:
            notes.append(
                f"Intervals: 95 %, percentiles of {self.evaluation.settings['samples']} bootstrap samples of the "
                f"segments, seed {self.evaluation.settings['seed']}."
            )
        return notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per number, with full precision."""
        yield "testset", "measure", "metric", "pair", "value", "low", "high", "rank"
        for table in self.evaluation.tables:
            for name, results in table.rows.items():
                for column, result in zip(table.columns, results, strict=True):
                    low, high = result.interval or (None, None)
                    rank = table.ranks.get(column, {}).get(name)
                    yield table.testset, table.measure.name, name, column, result.value, low, high, rank

    def document(self) -> dict[str, Any]:
        """Return everything, with full precision."""
        tables = []
        for table in self.evaluation.tables:
            metrics = {
                name: {
                    column: {
                        "value": json_ready(result.value),
                        "interval": json_ready(result.interval),
                        "rank": table.ranks.get(column, {}).get(name),
                    }
                    for column, result in zip(table.columns, results, strict=True)
                }
                for name, results in table.rows.items()
            }
            comparisons = {
                pair: {
                    "test": tested.test,
                    "assumed_independent": tested.assumed,
                    "metrics": tested.names,
                    "p": json_ready(tested.p.tolist()),
                }
                for pair, tested in table.comparisons.items()
            }
            described = {"testset": table.testset, "measure": table.measure.name, "level": table.measure.level}
            tables.append({**described, "metrics": metrics, "comparisons": comparisons})
        return {
            "tables": tables,
            "signatures": self.evaluation.signatures,
            "counts": self.evaluation.counts,
            "warnings": self.evaluation.warnings,
            "settings": self.evaluation.settings,
        }


def _sorted_rows(table: Table) -> list[tuple[str, tuple[Value, ...]]]:
    """Return the rows of a table; where metrics are ranked, by the last column, best first."""
    rows = list(table.rows.items())
    if table.columns[-1] in table.ranks:
        rows.sort(key=lambda row: -math.inf if math.isnan(row[1][-1].value) else row[1][-1].value, reverse=True)
    return rows


def _cells(table: Table, name: str, digits: int) -> Iterator[str]:
    """Yield a metric's row as text: value, rank in parentheses, interval."""
    for column, result in zip(table.columns, table.rows[name], strict=True):
        text = shown_number(result.value, digits)
        rank = table.ranks.get(column, {}).get(name)
        text += "" if rank is None else f" ({rank})"
        if result.interval is not None and not math.isnan(result.value):
            low, high = (shown_number(end, digits) for end in result.interval)
            text += f" [{low}, {high}]"
        yield text
