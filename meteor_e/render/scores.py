"""This module converts score tables to text tables, to records for CSV and TSV, and to JSON documents."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.formats import Grid, Result
from meteor_e.api.score_table import ScoreTable, SystemScores
from meteor_e.api.segments import SegmentId
from meteor_e.render.plain import format_number, format_p, isolate, printable
from meteor_e.render.score_document import SegmentRow, metric_entries, segment_rows, significance_entry, system_entry

# NumPy is not imported here, because the import takes time and METEOR's scores do not need NumPy.
if TYPE_CHECKING:
    from meteor_e.api.explanations import Explanation
    from meteor_e.scoring.alignment import Alignment
    from meteor_e.significance.resampling import Interval
    from meteor_e.significance.systems import SystemTest
    from meteor_e.significance.tables import TableIntervals, TableTests


SCHEMA_VERSION = 2
"""The version of the JSON document's schema increases with each incompatible change."""

PART_TITLES = {"f1": "F1", "fmean": "Fmean", "fragmentation_penalty": "penalty"}
"""In text tables, these score components have a title that differs from their name."""

INTERVAL_TITLE = "95 % interval"
"""The title of columns with confidence intervals."""

TEST_TITLES = ("low", "high", "difference", "p")
"""In records, these titles of significance tests follow the name of the metric column."""

TEST_NAMES = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}
"""The table maps each significance test to its full name."""

BOOTSTRAP_NOTE = (
    "The paired bootstrap finds differences too easily: of equal systems, about one in ten differs at p < 0.05. "
    "Prefer --significance randomization."
)


class NumberFormat(NamedTuple):
    """Format the scores in one column of a text table.

    Attributes:
        factor: the factor by which scores are multiplied, which is 100 for percentages and otherwise 1.
        decimals: the number of decimals.
    """

    factor: int
    decimals: int

    def format(self, value: float | None, sign: str = "") -> str:
        """Format a score. If ``sign`` is ``+``, positive numbers have a sign, too."""
        return format_number(None if value is None else self.factor * value, self.decimals, sign)

    def format_interval(self, interval: Interval | None, sign: str = "") -> str:
        """Format a confidence interval, such as ``[0.1, 0.2]``. The value ``None`` becomes an empty string."""
        if interval is None:
            return ""
        return f"[{self.format(interval.low, sign)}, {self.format(interval.high, sign)}]"


class TaskScores(NamedTuple):
    """One system's scores, to be written to a file for the WMT metrics task.

    Attributes:
        metric: the name of the metric.
        system: the name of the system.
        segments: the segment scores, or an empty list if they were not requested.
        corpus: the corpus score.
    """

    metric: str
    system: str
    segments: list[float]
    corpus: float


class _GridColumn(NamedTuple):
    """A column of a text table, with one cell per system."""

    title: str
    cells: list[str]


class _TestRow(NamedTuple):
    """A row in the table of significance tests. Each row shows the test of one system according to one metric."""

    system: str
    metric: str
    cells: list[str]


@dataclass(frozen=True)
class ScoreResult(Result):
    """Convert scores, significance tests and explanations to the texts, tables and records of the output formats.

    Attributes:
        table: the scores.
        tests: the significance tests against the first system, or ``None`` if no tests were requested.
        intervals: the confidence intervals that the table of scores shows in addition to the scores, or ``None``.
        explanations: explanations of differences between systems, or ``None`` if no explanations were requested.
        worst: the number of segments with the worst scores that :meth:`lines` yields per system, or ``None`` to yield
            all segments in their original order.
        percent_columns: the names of the columns whose scores are shown as percentages in text.
    """

    table: ScoreTable
    tests: TableTests | None = None
    intervals: TableIntervals | None = None
    explanations: Sequence[Explanation] | None = None
    worst: int | None = None
    percent_columns: frozenset[str] = frozenset()

    def to_pandas(self) -> Any:
        """Convert the scores to a pandas DataFrame with one row per system.

        Raises:
            ConfigError: if pandas is not installed.
        """
        from meteor_e.base.extras import data_frame

        header = ("system", *(column.name for column in self.table.columns))
        rows = [
            (system.system, *(values[0] for values in self.table.column_values(system)))
            for system in self.table.systems
        ]
        return data_frame(header, rows)

    def lines(self, digits: int | None = None) -> Iterator[str]:
        """Yield lines of text with the segment scores and, if requested, the alignments."""
        for system in self.table.systems:
            if system.ids:
                yield from self._segment_lines(system, digits)

    def _segment_lines(self, system: SystemScores, digits: int | None) -> Iterator[str]:
        """Yield lines of text with the scores and alignments of one system's segments."""
        columns = self.table.columns
        formats = self._number_formats(digits)
        prefix = f"{system.system}, " if len(self.table.systems) > 1 else ""
        for row in self._select_segments(system):
            scores = [
                number_format.format(values[0]) for number_format, values in zip(formats, row.values, strict=True)
            ]
            if len(columns) > 1:
                scores = [f"{column.name} {score}" for column, score in zip(columns, scores, strict=True)]
            yield f"{prefix}segment {row.id}: {', '.join(scores)}"
            yield from self._detail_lines(row, formats)

    def _detail_lines(self, row: SegmentRow, formats: Sequence[NumberFormat]) -> Iterator[str]:
        """Yield lines that show the alignments of a segment.

        If only the worst segments are shown, further lines contain the unmatched words and the score's components.
        """
        # This import is local, because scores without alignments do not need the module.
        from meteor_e.render.alignments import alignment_lines

        for details in row.details:
            if details and "alignment" in details:
                yield from alignment_lines(details["alignment"])
                if self.worst is not None:
                    yield from _unmatched_lines(details["alignment"])
                    yield from self._component_lines(row, formats)
                yield ""

    def _component_lines(self, row: SegmentRow, formats: Sequence[NumberFormat]) -> Iterator[str]:
        """Yield a line with the components of a segment's METEOR score, such as precision, recall and penalty."""
        for column, values, number_format in zip(self.table.columns, row.values, formats, strict=True):
            if column.name == "METEOR":
                components = []
                for part, value in zip(column.parts, values[1:], strict=True):
                    components.append(f"{PART_TITLES.get(part, part)} {number_format.format(value)}")
                yield f"  {', '.join(components)}"

    def _select_segments(self, system: SystemScores) -> Iterable[SegmentRow]:
        """Return all segments of a system. If :attr:`worst` is a number, return only that many segments.

        The selected segments are those with the worst scores in the first score column.
        """
        rows = segment_rows(self.table, system)
        if self.worst is None:
            return rows
        sign = 1 if self.table.columns[0].higher_is_better else -1
        return sorted(rows, key=lambda row: sign * row.values[0][0])[: self.worst]

    def _number_formats(self, digits: int | None) -> list[NumberFormat]:
        """Return the number format of each column. By default, percentages have two decimals fewer than fractions."""
        formats = []
        for column in self.table.columns:
            is_percentage = column.name in self.percent_columns
            default_decimals = max(0, column.decimals - 2) if is_percentage else column.decimals
            decimals = default_decimals if digits is None else digits
            formats.append(NumberFormat(100 if is_percentage else 1, decimals))
        return formats

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the text tables: the scores, the significance tests and the explanations."""
        yield self._score_grid(digits)
        if self.tests is not None:
            yield self._test_grid(self.tests, digits)
        for explanation in self.explanations or ():
            yield Grid((), (), notes=explanation.text.split("\n"))

    def _score_grid(self, digits: int | None) -> Grid:
        """Return the text table of system scores.

        If there is only one metric column, the table also shows the components of the score, such as precision.
        """
        grid_columns = [_GridColumn("system", [system.system for system in self.table.systems])]
        number_formats = self._number_formats(digits)
        for index, number_format in enumerate(number_formats):
            grid_columns += self._score_columns(index, number_format)
        # The table shows score components only for a single metric, because more columns would make the table too wide.
        if len(number_formats) == 1:
            grid_columns += self._component_columns(number_formats[0])
        grid_columns.append(_GridColumn("segments", [str(system.segment_count) for system in self.table.systems]))
        header = [column.title for column in grid_columns]
        rows = list(zip(*(column.cells for column in grid_columns), strict=True))
        return Grid(header, rows, notes=self._score_notes())

    def _score_columns(self, index: int, number_format: NumberFormat) -> Iterator[_GridColumn]:
        """Yield a text column with the scores of one metric and, if requested, another with confidence intervals."""
        column = self.table.columns[index]
        # The first value of a column is the score, which is followed by the components of the score.
        scores = [self.table.column_values(system)[index][0] for system in self.table.systems]
        title = column.name if column.higher_is_better else f"{column.name} ↓"
        yield _GridColumn(title, list(map(number_format.format, scores)))
        if self.intervals is not None and column.name in self.intervals.columns:
            intervals = self.intervals.columns[column.name]
            yield _GridColumn(INTERVAL_TITLE, [number_format.format_interval(interval) for interval in intervals])

    def _component_columns(self, number_format: NumberFormat) -> Iterator[_GridColumn]:
        """Yield a text column for each component of the first metric column's score, such as precision."""
        values_by_system = [self.table.column_values(system)[0] for system in self.table.systems]
        for value_index, part in enumerate(self.table.columns[0].parts, 1):
            cells = [number_format.format(values[value_index]) for values in values_by_system]
            yield _GridColumn(PART_TITLES.get(part, part), cells)

    def _score_notes(self) -> list[str]:
        """Return the notes below the score table: signatures, how intervals were computed, and skipped segments."""
        notes = self._signature_notes()
        if self.intervals is not None:
            notes.append(_describe_bootstrap(self.intervals.samples, self.intervals.seed))
        if self.table.left_out:
            notes.append(_describe_skipped_segments(self.table.left_out.values()))
        return notes

    def _signature_notes(self) -> list[str]:
        """Return a note for each signature. Metrics with the same signature share a note."""
        names_by_signature: dict[str, list[str]] = {}
        for metric in self.table.metrics:
            names = names_by_signature.setdefault(metric.signature, [])
            names += [column.name for column in metric.columns]
        if len(self.table.columns) == 1:
            return list(names_by_signature)
        return [f"{', '.join(names)}: {signature}" for signature, names in names_by_signature.items()]

    def _test_grid(self, tests: TableTests, digits: int | None) -> Grid:
        """Return the text table of significance tests, with one row for each metric column and system.

        A single metric is named in the header of the score column. Several metrics are named in a column of their own.
        """
        columns = self.table.columns
        test_rows = self._test_rows(tests, digits)
        if len(columns) == 1:
            titles = ["system", columns[0].name]
            rows = [[row.system, *row.cells] for row in test_rows]
        else:
            titles = ["system", "metric", "score"]
            rows = [[row.system, row.metric, *row.cells] for row in test_rows]
        header = [*titles, INTERVAL_TITLE, "difference", INTERVAL_TITLE, "p"]
        return Grid(header, rows, notes=self._test_notes(tests), left=len(titles) - 1)

    def _test_rows(self, tests: TableTests, digits: int | None) -> Iterator[_TestRow]:
        """Yield the rows of the table of significance tests, by metric column and system."""
        formats = self._number_formats(digits)
        for column, system_tests, number_format in zip(self.table.columns, tests.columns, formats, strict=True):
            for system, test in zip(self.table.systems, system_tests, strict=True):
                yield _TestRow(system.system, column.name, _test_cells(test, number_format))

    def _test_notes(self, tests: TableTests) -> list[str]:
        """Return the notes below the table of significance tests: the method, the baseline, and possibly a warning."""
        method, samples, seed = tests.settings
        if len(self.table.systems) == 1:
            return [_describe_bootstrap(tests.interval_samples, seed)]
        description = f"{TEST_NAMES[method]}, {samples} samples, seed {seed}"
        notes = [f"p: two-sided, against {self.table.systems[0].system}; {description}"]
        if method == "bootstrap":
            notes.append(BOOTSTRAP_NOTE)
        return notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield the rows of a table. The header comes first, and then the rows of each system.

        If segment scores were requested, a row for each segment precedes the row for the whole system.

        The columns contain, for each metric, the score, its components and, if requested, the significance test.
        """
        yield self._record_titles()
        for index, system in enumerate(self.table.systems):
            for row in segment_rows(self.table, system):
                yield self._segment_record(system, row)
            yield self._system_record(index, system)

    def _record_titles(self) -> list[str]:
        """Return the titles of the columns of :meth:`records`."""
        test_titles = () if self.tests is None else TEST_TITLES
        titles = ["system", "segment"]
        for column in self.table.columns:
            titles.append(column.name)
            titles += [f"{column.name} {title}" for title in (*column.parts, *test_titles)]
        return titles

    def _segment_record(self, system: SystemScores, row: SegmentRow) -> list[object]:
        """Return a row with the scores and score components of a segment."""
        # Significance tests compare whole systems, so the cells for significance tests are empty in segment rows.
        test_cells = [] if self.tests is None else [None] * len(TEST_TITLES)
        cells: list[object] = [system.system, row.id]
        for values in row.values:
            cells += [*values, *test_cells]
        return cells

    def _system_record(self, system_index: int, system: SystemScores) -> list[object]:
        """Return a row with a system's scores, score components and significance tests."""
        cells: list[object] = [system.system, "all"]
        for column_index, values in enumerate(self.table.column_values(system)):
            cells += values
            if self.tests is not None:
                test = self.tests.columns[column_index][system_index]
                cells += [test.interval.low, test.interval.high, test.difference, test.p]
        return cells

    def document(self) -> dict[str, Any]:
        """Return the scores as a JSON document. Its schema is in ``docs/reference/score.schema.json``."""
        table = self.table
        document: dict[str, Any] = {
            "version": SCHEMA_VERSION,
            "systems": [system_entry(table, system) for system in table.systems],
            "metrics": metric_entries(table),
        }
        if table.left_out:
            document["left_out"] = list(table.left_out.values())
        if self.tests is not None:
            document["significance"] = significance_entry(table, self.tests)
        if self.explanations is not None:
            document["explanations"] = [explanation._asdict() for explanation in self.explanations]
        return document

    to_dict = document

    def task_scores(self) -> Iterator[TaskScores]:
        """Yield the scores of each system for each metric. The score of a skipped segment is NaN."""
        for column in self.table.columns:
            system_scores = self.table.scores(column.name)
            for index, system in enumerate(self.table.systems):
                segment_scores = self.table.segment_scores(column.name, system=index)
                if segment_scores:
                    for position in self.table.left_out:
                        segment_scores.insert(position, math.nan)
                yield TaskScores(column.name, system.system, segment_scores, system_scores[index])


def _describe_bootstrap(samples: int, seed: int) -> str:
    """Return a note that describes how confidence intervals were computed."""
    return f"interval: bootstrap, {samples} samples, seed {seed}"


def _describe_skipped_segments(ids: Collection[SegmentId]) -> str:
    """Return a note that lists the segments that were skipped."""
    count = "segment" if len(ids) == 1 else f"{len(ids)} segments"
    return f"Left out, because it cannot be aligned in every system: {count} {', '.join(map(str, ids))}."


def _test_cells(test: SystemTest, number_format: NumberFormat) -> list[str]:
    """Format a significance test as table cells: the score, the difference, their intervals, and the p-value."""
    return [
        number_format.format(test.score),
        number_format.format_interval(test.interval),
        number_format.format(test.difference, "+"),
        number_format.format_interval(test.difference_interval, "+"),
        format_p(test.p),
    ]


def _unmatched_lines(alignment: Alignment) -> Iterator[str]:
    """Yield lines with the unmatched words of the hypothesis and of the reference."""
    hypothesis_words, reference_words = alignment.unmatched_words()
    for text, words in (("hypothesis", hypothesis_words), ("reference", reference_words)):
        yield f"  unmatched in the {text}: {isolate(printable(' '.join(words))) or 'none'}"
