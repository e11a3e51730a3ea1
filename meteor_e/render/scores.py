"""Views of a score table: tables for people, records and the JSON document for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meteor_e.api.formats import Grid, MetricColumn, Result
from meteor_e.api.score_table import MetricScores, ScoreTable, SystemScores
from meteor_e.base.extras import data_frame
from meteor_e.render.alignments import alignment_lines
from meteor_e.render.plain import shown_number, shown_p

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.significance.resampling import Interval
    from meteor_e.significance.tables import TableTests

SCHEMA_VERSION = 2
"""Version of the JSON document; it rises when a program that reads it has to change."""

PART_TITLES = {"f1": "F1", "fmean": "Fmean", "fragmentation_penalty": "penalty"}
"""What tables for people call parts of a score that have another name there."""

TEST_NAMES = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}

BOOTSTRAP_NOTE = (
    "The paired bootstrap finds differences too easily: of equal systems, about one in ten differs at p < 0.05. "
    "Prefer --significance randomization."
)


@dataclass(frozen=True)
class ScoreResult(Result):
    """A score table with its tests and explanations, for output formats.

    Attributes:
        table: the scores.
        tests: of the systems against the first one; ``None`` for none.
        explanations: why systems differ: metric, baseline, system, text; ``None`` if they were not asked for.
        worst: how many segments of each system :meth:`lines` shows, lowest scores of the first column first; ``None``
            for all, in their order.
        percent_columns: names of the columns that tables and lines for people show from 0 to 100 instead of 0 to 1.
    """

    table: ScoreTable
    tests: TableTests | None = None
    explanations: Sequence[tuple[str, str, str, str]] | None = None
    worst: int | None = None
    percent_columns: frozenset[str] = frozenset()

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row per system; ConfigError if pandas is not installed."""
        names = [column.name for column in self.table.columns]
        rows = [
            (system.system, *(values[0] for _, values in _columns(self.table, system))) for system in self.table.systems
        ]
        return data_frame(("system", *names), rows)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield the scores of segments, and their alignments where they are known."""
        table = self.table
        columns = table.columns
        names = [f"{column.name} " if len(columns) > 1 else "" for column in columns]
        decimals, factors = self._decimals(digits), self._factors()
        for system in table.systems:
            prefix = f"{system.system}, " if len(table.systems) > 1 else ""
            for segment_id, values, details in self._shown_segments(system):
                shown = zip(names, values, factors, decimals, strict=True)
                scores = [name + shown_number(factor * column[0], places) for name, column, factor, places in shown]
                yield f"{prefix}segment {segment_id}: {', '.join(scores)}"
                for detail in details:
                    if detail and "alignment" in detail:
                        yield from alignment_lines(detail["alignment"])
                        yield ""

    def _shown_segments(
        self, system: SystemScores
    ) -> Iterable[tuple[Any, list[Sequence[float]], list[Mapping[str, Any] | None]]]:
        """Return the segments that lines show: all of them, or those with the worst scores of the first column."""
        segments = _segments(self.table, system)
        if self.worst is None:
            return segments
        sign = 1 if self.table.columns[0].higher_is_better else -1
        return sorted(segments, key=lambda segment: sign * segment[1][0][0])[: self.worst]

    def _factors(self) -> list[int]:
        """Return the factor by which the shown values of each column are multiplied."""
        return [100 if column.name in self.percent_columns else 1 for column in self.table.columns]

    def _decimals(self, digits: int | None) -> list[int]:
        """Return the decimals of each column: ``digits``, or the column's own, two fewer if it is in percent."""
        if digits is not None:
            return [digits for _ in self.table.columns]
        return [
            max(0, column.decimals - 2) if column.name in self.percent_columns else column.decimals
            for column in self.table.columns
        ]

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the scores, the tests and the explanations."""
        yield self._score_grid(digits)
        if self.tests is not None:
            yield self._test_grid(self.tests, digits)
        for *_, text in self.explanations or ():
            yield Grid((), (), notes=text.split("\n"))

    def _score_grid(self, digits: int | None) -> Grid:
        table = self.table
        columns = table.columns
        with_parts = len(columns) == 1
        header = ["system"]
        for column in columns:
            header.append(column.name + ("" if column.higher_is_better else " ↓"))
            header += [PART_TITLES.get(part, part) for part in column.parts if with_parts]
        rows = []
        for system in table.systems:
            cells = [system.system]
            shown = zip(_columns(table, system), self._factors(), self._decimals(digits), strict=True)
            for (_, values), factor, places in shown:
                cells += [shown_number(factor * value, places) for value in (values if with_parts else values[:1])]
            rows.append([*cells, str(system.segment_count)])
        return Grid([*header, "segments"], rows, notes=[*self._signature_notes(), *self._left_out_notes()])

    def _signature_notes(self) -> list[str]:
        """Return the signatures; columns of one signature share a note."""
        names: dict[str, list[str]] = {}
        for info in self.table.metrics:
            names.setdefault(info.signature, []).extend(column.name for column in info.columns)
        alone = len(self.table.columns) == 1
        return [signature if alone else f"{', '.join(labels)}: {signature}" for signature, labels in names.items()]

    def _left_out_notes(self) -> list[str]:
        ids = list(map(str, self.table.left_out.values()))
        if not ids:
            return []
        what = "segment" if len(ids) == 1 else f"{len(ids)} segments"
        return [f"Left out, because it cannot be aligned in every system: {what} {', '.join(ids)}."]

    def _test_grid(self, tests: TableTests, digits: int | None) -> Grid:
        """Return the table of tests: of each column one row per system."""
        table = self.table
        columns = table.columns
        alone = len(columns) == 1
        rows = []
        shown = zip(columns, self._factors(), self._decimals(digits), strict=True)
        for index, (column, factor, places) in enumerate(shown):
            for system, test in zip(table.systems, tests.columns[index], strict=True):
                score = list(_columns(table, system))[index][1][0]
                rows.append(
                    [
                        system.system,
                        *([] if alone else [column.name]),
                        shown_number(factor * score, places),
                        _shown_interval(test.interval, places, factor=factor),
                        shown_number(None if test.difference is None else factor * test.difference, places, "+"),
                        _shown_interval(test.difference_interval, places, "+", factor),
                        shown_p(test.p),
                    ]
                )
        method, samples, seed = tests.settings
        what = f"{TEST_NAMES[method]}, {samples} samples, seed {seed}"
        if len(table.systems) == 1:
            notes = [f"interval: {what}"]
        else:
            notes = [f"p: two-sided, against {table.systems[0].system}; {what}"]
            notes += [BOOTSTRAP_NOTE] if method == "bootstrap" else []
        title = columns[0].name if alone else "score"
        header = ["system", *([] if alone else ["metric"]), title, "95 % interval", "difference", "95 % interval", "p"]
        return Grid(header, rows, notes=notes, left=1 if alone else 2)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per segment, where they are kept, and one per system, with all digits."""
        table = self.table
        test_names = ("low", "high", "difference", "p") if self.tests is not None else ()
        header = ["system", "segment"]
        for column in table.columns:
            header += [column.name, *(f"{column.name} {part}" for part in (*column.parts, *test_names))]
        yield header
        for number, system in enumerate(table.systems):
            for segment_id, values, _ in _segments(table, system):
                cells: list[object] = [system.system, segment_id]
                for column_values in values:
                    cells += [*column_values, *[None] * len(test_names)]
                yield cells
            cells = [system.system, "all"]
            for index, (_, column_values) in enumerate(_columns(table, system)):
                cells += column_values
                if self.tests is not None:
                    test = self.tests.columns[index][number]
                    cells += [test.interval.low, test.interval.high, test.difference, test.p]
            yield cells

    def document(self) -> dict[str, Any]:
        """Return what ``docs/reference/score.schema.json`` describes."""
        table = self.table
        document: dict[str, Any] = {
            "version": SCHEMA_VERSION,
            "systems": [_system_entry(table, system) for system in table.systems],
            "metrics": {
                column.name: {
                    "signature": info.signature,
                    "higher_is_better": column.higher_is_better,
                    **info.about,
                }
                for info in table.metrics
                for column in info.columns
            },
        }
        if table.left_out:
            document["left_out"] = list(table.left_out.values())
        if self.tests is not None:
            document["significance"] = _test_entry(table, self.tests)
        if self.explanations is not None:
            keys = ("metric", "baseline", "system", "text")
            document["explanations"] = [dict(zip(keys, entry, strict=True)) for entry in self.explanations]
        return document

    to_dict = document

    def task_scores(self) -> Iterator[tuple[str, str, list[float], float]]:
        """Yield metric, system, scores of segments, and score, for WMT's files; NaN for a segment that is left out."""
        table = self.table
        for index, column in enumerate(table.columns):
            for system in table.systems:
                scores = [values[index][0] for _, values, _ in _segments(table, system)]
                for position in table.left_out if scores else ():
                    scores.insert(position, math.nan)
                yield column.name, system.system, scores, list(_columns(table, system))[index][1][0]


def _split(table: ScoreTable, metric: int, values: Sequence[float]) -> Iterator[Sequence[float]]:
    """Yield the values of each column of a metric: the score, then its parts."""
    start = 0
    for column in table.metrics[metric].columns:
        end = start + 1 + len(column.parts)
        yield values[start:end]
        start = end


def _columns(table: ScoreTable, system: SystemScores) -> Iterator[tuple[MetricColumn, Sequence[float]]]:
    """Yield each column with a system's values."""
    for index, (info, scores) in enumerate(zip(table.metrics, system.metrics, strict=True)):
        yield from zip(info.columns, _split(table, index, scores.values), strict=True)


def _segments(
    table: ScoreTable, system: SystemScores
) -> Iterator[tuple[Any, list[Sequence[float]], list[Mapping[str, Any] | None]]]:
    """Yield the id of each segment, the values of each column, and the details of each metric."""
    rows = zip(*(scores.segment_rows() for scores in system.metrics), strict=True)
    details = zip(*(_segment_details(scores, len(system.ids)) for scores in system.metrics), strict=True)
    for segment_id, metric_rows, metric_details in zip(system.ids, rows, details, strict=True):
        values = [part for index, row in enumerate(metric_rows) for part in _split(table, index, row)]
        yield segment_id, values, list(metric_details)


def _segment_details(scores: MetricScores, count: int) -> Iterator[Mapping[str, Any] | None]:
    if scores.segment_details:
        yield from scores.segment_details
    else:
        yield from (None for _ in range(count))


class _SegmentEntries(Sequence[dict[str, Any]]):
    """The segments of a system in a JSON document; each entry is made when it is written."""

    def __init__(self, table: ScoreTable, system: SystemScores) -> None:
        self._table, self._system = table, system

    def __len__(self) -> int:
        return len(self._system.ids)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for segment_id, values, details in _segments(self._table, self._system):
            yield {"id": segment_id, "scores": _score_entries(self._table, values, details)}


def _score_entries(
    table: ScoreTable, values: Sequence[Sequence[float]], details: Sequence[Mapping[str, Any] | None]
) -> dict[str, Any]:
    """Return the entry of each column: its score, parts and, in the metric's first column, details."""
    entries: dict[str, Any] = {}
    columns = iter(values)
    for info, detail in zip(table.metrics, details, strict=True):
        for index, column in enumerate(info.columns):
            score, *parts = next(columns)
            entry: dict[str, Any] = {"score": score}
            if parts:
                entry["parts"] = dict(zip(column.parts, parts, strict=True))
            if detail and index == 0:
                entry["details"] = dict(detail)
            entries[column.name] = entry
    return entries


def _system_entry(table: ScoreTable, system: SystemScores) -> dict[str, Any]:
    entry: dict[str, Any] = {"system": system.system}
    if len(system.ids):
        entry["segments"] = _SegmentEntries(table, system)
    values = [values for _, values in _columns(table, system)]
    entry["segment_count"] = system.segment_count
    entry["scores"] = _score_entries(table, values, [scores.details for scores in system.metrics])
    return entry


def _test_entry(table: ScoreTable, tests: TableTests) -> dict[str, Any]:
    """Return the section of the tests: for each column one entry per system."""
    method, samples, seed = tests.settings
    keys = ("interval", "difference", "difference_interval", "p")
    return {
        "test": method,
        "samples": samples,
        "seed": seed,
        "baseline": table.systems[0].system,
        "tests": {
            column.name: [
                {"system": system.system, **{key: getattr(test, key) for key in keys}}
                for system, test in zip(table.systems, tests.columns[index], strict=True)
            ]
            for index, column in enumerate(table.columns)
        },
    }


def _shown_interval(interval: Interval | None, digits: int, sign: str = "", factor: int = 1) -> str:
    if interval is None:
        return ""
    low, high = (shown_number(factor * end, digits, sign) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"
