"""Reads the human scores that WMT publishes: direct assessments, MQM errors, and other ratings."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import parse_finite_number, parse_whole_number, split_fields

ColumnNames = Mapping[str, Sequence[str]]
"""The possible names of the column of each field, in lower case and in order of preference."""


class HumanScore(NamedTuple):
    """A human score of one output or of a whole system.

    Attributes:
        pair: language pair. Empty if the file does not name it.
        system: name of the system in the file, which may stand for several systems.
        segment: number of the segment in the file, or None for a score of a system.
        score: the score.
        location: file and line, for error messages.
        document: the document within which segments are numbered. Empty if they are numbered within the test set.
        text: the rated output, or None if the file does not contain it.
    """

    pair: str
    system: str
    segment: int | None
    score: float
    location: str
    document: str = ""
    text: str | None = None


class _Table(NamedTuple):
    """A table of human scores.

    Attributes:
        file_name: name of the file, for error messages.
        titles: titles of the columns.
        rows: line number and cells of each row below the header.
    """

    file_name: str
    titles: Sequence[str]
    rows: Iterator[tuple[int, Sequence[str]]]


def _iterate_cells(
    table: _Table, columns: ColumnNames, required: Collection[str], filters: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location and the cells of each row of a table.

    Args:
        table: the table.
        columns: possible names of the columns of each field.
        required: fields that the table must have.
        filters: values by column that a row must have. Other rows are skipped.

    Yields:
        The file and line of a row, and its cells by field. The cell of a missing column is empty.

    Raises:
        InputError: if a column is missing, or if a row has more or fewer fields than the header.
    """
    index_of_field = _find_columns(table, columns, required)
    required_values = [
        (_require_column(table, [title.lower()], repr(title)), value) for title, value in filters.items()
    ]
    for location, row in _iterate_rows(table):
        if any(row[index] != value for index, value in required_values):
            continue
        yield location, {field: "" if index is None else row[index] for field, index in index_of_field.items()}


def _find_columns(table: _Table, columns: ColumnNames, required: Collection[str]) -> dict[str, int | None]:
    """Return the index of the column of each field, or None for a missing column.

    Raises:
        InputError: if the column of a required field is missing.
    """
    for field in required:
        _require_column(table, columns[field], " or ".join(columns[field]))
    return {field: _find_column(table, names) for field, names in columns.items()}


def _find_column(table: _Table, names: Sequence[str]) -> int | None:
    """Return the index of a column, or None if the table does not have the column.

    Args:
        table: the table.
        names: possible names of the column, in lower case. The first name that is a title is used.
    """
    titles = [title.strip().lower() for title in table.titles]
    return next((titles.index(name) for name in names if name in titles), None)


def _require_column(table: _Table, names: Sequence[str], description: str) -> int:
    """Return the index of a column.

    Args:
        table: the table.
        names: possible names of the column, in lower case.
        description: description of the column, for the error message.

    Raises:
        InputError: if the table does not have the column.
    """
    index = _find_column(table, names)
    if index is None:
        raise InputError(f"{table.file_name}: no column {description}; it has {', '.join(table.titles)}")
    return index


def _iterate_rows(table: _Table) -> Iterator[tuple[str, list[str]]]:
    """Yield the location and the fields of each row that is not empty, without white space around the fields.

    Raises:
        InputError: if a row has more or fewer fields than the header.
    """
    n_columns = len(table.titles)
    for line_number, row in table.rows:
        fields = [field.strip() for field in row]
        if not any(fields):
            continue
        location = f"{table.file_name}, line {line_number}"
        if len(fields) != n_columns:
            raise InputError(f"{location}: {len(fields)} fields; the header has {n_columns}")
        yield location, fields


def _select_score_column(columns: ColumnNames, score: str | None) -> ColumnNames:
    """Use the given title for the column of the score, if a title is given."""
    if not score:
        return columns
    return {**columns, "score": (score.lower(),)}


_DIRECT_ASSESSMENT_COLUMNS: ColumnNames = {
    "pair": ("lp", "pair"),
    "system": ("system", "sys"),
    "segment": ("sid", "segid", "seg_id", "segment", "seg"),
    "score": ("human", "z.scr", "z", "score", "raw.scr", "raw"),
}


def read_assessments(path: PathLike, *, segments: bool, score: str | None = None) -> Iterator[HumanScore]:
    """Read a file of direct assessments with a header and one score per row.

    Columns are separated by blanks, tabs or commas, and are found by their titles. Rows with the score ``None`` are
    skipped.

    Supported files include those of WMT 2017, with the header ``LP DATA SYSTEM SID HUMAN``, and those of WMT 2021, with
    the header ``SYS SID RAW.SCR Z.SCR N``.

    Args:
        path: path of the file.
        segments: whether the scores are scores of segments. Otherwise, they are scores of systems.
        score: column of the score. By default, the column ``HUMAN``, the standardized score or the raw score is used.

    Raises:
        InputError: if a column is missing, or if a field is not a number. The message names the file and the line.
    """
    table = _open_assessment_table(path)
    columns = _select_score_column(_DIRECT_ASSESSMENT_COLUMNS, score)
    required = ("system", "score", "segment") if segments else ("system", "score")
    for location, cells in _iterate_cells(table, columns, required, filters={}):
        if cells["score"] == "None":
            continue
        segment = parse_whole_number(cells["segment"], "the segment", location) if segments else None
        value = parse_finite_number(cells["score"], "the score", location)
        yield HumanScore(pair=cells["pair"], system=cells["system"], segment=segment, score=value, location=location)


def _open_assessment_table(path: PathLike) -> _Table:
    """Open a file of direct assessments, and read its header."""
    file_name = input_name(path)
    lines = read_segments(path)
    header = next(lines, None)
    if header is None:
        raise InputError(f"{file_name}: the file is empty; a header was expected")
    rows = ((line_number, split_fields(line)) for line_number, line in enumerate(lines, 2))
    return _Table(file_name, split_fields(header), rows)


MQM_WEIGHTS: Mapping[str, float] = {
    "major": 5.0,
    "major/non-translation": 25.0,
    "minor": 1.0,
    "minor/fluency/punctuation": 0.1,
    "neutral": 0.0,
    "no-error": 0.0,
    "no error": 0.0,
    "none": 0.0,
}
"""Penalties of MQM errors by severity, or by severity and prefix of the category.

Source: Freitag et al. (2021), "Experts, Errors, and Context", table 4.
"""

PLANTED_ERROR_PREFIX = "hotw"
"""Prefix of the severities of errors that were inserted to check the attention of the raters."""

_RATING_COLUMNS: ColumnNames = {
    "pair": ("lp", "pair", "langpair"),
    "system": ("system", "systemid", "sys", "mt_system"),
    "document": ("document", "doc", "documentid", "document_id", "docid"),
    "segment": ("globalsegid", "global_seg_id", "seg_id", "segment", "segmentid", "segment_id", "line", "sid"),
    # In Google's files, "doc_id" numbers the segments of a document, and "seg_id" numbers the segments of a test set.
    "document segment": ("docsegid", "doc_seg_id", "doc_id", "line", "segment", "segmentid", "segment_id", "seg_id"),
    "rater": ("rater", "annotator", "userid", "user", "login"),
    "score": ("score", "rating", "esa_score", "raw", "raw_score"),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}


def _open_rating_table(path: PathLike, titles: Sequence[str] = ()) -> _Table:
    """Open a table of ratings, whose columns are separated by tabs or commas.

    Args:
        path: path of the file.
        titles: titles of the columns, if the file does not have a header.
    """
    file_name = input_name(path)
    rows = _split_rows(path, file_name)
    if titles:
        return _Table(file_name, titles, rows)
    _, header = next(rows)
    return _Table(file_name, header, rows)


def _split_rows(path: PathLike, file_name: str) -> Iterator[tuple[int, list[str]]]:
    """Return the line number and the cells of each row of a table, including the header.

    Cells are separated by tabs, or by commas if the first line does not contain a tab.
    """
    remaining_lines = read_segments(path)
    first_line = next(remaining_lines, None)
    if first_line is None:
        raise InputError(f"{file_name}: the file is empty; a table of ratings was expected")
    lines = itertools.chain([first_line], remaining_lines)
    if "\t" in first_line:
        # In tab-separated files, quotation marks are part of the text.
        return csv_rows(lines, file_name, delimiter="\t", quoting=csv.QUOTE_NONE)
    return csv_rows(lines, file_name)


def read_mqm(
    path: PathLike,
    *,
    in_document: bool = False,
    weights: Mapping[str, float] | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[HumanScore]:
    """Read MQM annotations in Google's format, which has one error per row.

    Each rater gives a segment a score: the sum of the weights of all marked errors, with a negative sign.

    Args:
        path: path of the file.
        in_document: whether segments are numbered within each document instead of the test set.
        weights: weights that override those of :data:`MQM_WEIGHTS`.
        only: values by column that a row must have. Other rows are skipped.

    Yields:
        One score for each output and each of its raters.

    Raises:
        InputError: if a column is missing, a severity is unknown, or a field is not a number. The message names the
            file and the line.
    """
    new_weights = {error_type.lower(): weight for error_type, weight in (weights or {}).items()}
    all_weights = {**MQM_WEIGHTS, **new_weights}
    required = _list_required_fields("rater", "category", "severity", in_document=in_document)
    # Both dictionaries have keys of the form (system, document, segment, rater).
    penalties: defaultdict[tuple[str, str, int, str], float] = defaultdict(float)
    first_errors: dict[tuple[str, str, int, str], tuple[str, dict[str, str]]] = {}
    for location, cells in _iterate_cells(_open_rating_table(path), _RATING_COLUMNS, required, only or {}):
        if cells["severity"].lower().startswith(PLANTED_ERROR_PREFIX):
            continue
        document = cells["document"] if in_document else ""
        weight = _error_weight(cells["severity"], cells["category"], all_weights, location)
        segment = _parse_segment(cells, location, in_document=in_document)
        key = (cells["system"], document, segment, cells["rater"])
        penalties[key] += weight
        first_errors.setdefault(key, (location, cells))
    for key, penalty in penalties.items():
        location, cells = first_errors[key]
        text = re.sub(r"</?v>", "", cells["target"])  # The tags <v> and </v> mark the error in the text.
        yield _make_human_score({**cells, "target": text}, -penalty, location, in_document=in_document)


def _segment_field(in_document: bool) -> str:
    """Return the name of the field that contains the segment number."""
    return "document segment" if in_document else "segment"


def _parse_segment(cells: Mapping[str, str], location: str, *, in_document: bool) -> int:
    """Return the segment number of a row, within its document or within the test set."""
    return parse_whole_number(cells[_segment_field(in_document)], "the segment", location)


def _list_required_fields(*fields: str, in_document: bool) -> list[str]:
    """Return the fields that a table of ratings must have, including the system and the segment."""
    required = ["system", _segment_field(in_document), *fields]
    if in_document:
        required.append("document")
    return required


def _make_human_score(cells: Mapping[str, str], score: float, location: str, *, in_document: bool) -> HumanScore:
    """Convert a row of a table of ratings to a human score.

    Args:
        cells: the cells of the row by field.
        score: the score.
        location: file and line of the row.
        in_document: whether segments are numbered within each document instead of the test set.
    """
    return HumanScore(
        pair=cells["pair"],
        system=cells["system"],
        segment=_parse_segment(cells, location, in_document=in_document),
        score=score,
        location=location,
        document=cells["document"] if in_document else "",
        text=cells["target"] or None,
    )


def _error_weight(severity: str, category: str, weights: Mapping[str, float], location: str) -> float:
    """Return the weight of an error.

    A key of the weights is a severity, such as ``major``, optionally followed by a slash and the beginning of an error
    category. If several keys match an error, the longest key is used.
    """
    error_type = f"{severity}/{category}/".lower()
    # A key also matches if an exclamation mark follows, as in the category "Non-translation!".
    matching_keys = [key for key in weights if error_type.startswith((f"{key}/", f"{key}!"))]
    if not matching_keys:
        severities = ", ".join(sorted({key.partition("/")[0] for key in weights}))
        raise InputError(
            f"{location}: unknown severity {severity!r}; there are {severities}. Give it a weight under 'weights' in "
            "the index"
        )
    longest_key = max(matching_keys, key=len)
    return weights[longest_key]


def read_ratings(
    path: PathLike,
    *,
    in_document: bool = False,
    score: str | None = None,
    columns: Sequence[str] = (),
    only: Mapping[str, str] | None = None,
) -> Iterator[HumanScore]:
    """Read ratings of segments, such as DA+SQM or ESA scores, with one rating per row.

    Columns are separated by tabs or commas.

    Args:
        path: path of a table with the columns ``system``, ``segment`` or ``line``, and ``score``.
        in_document: whether segments are numbered within each document. The table then needs the column ``document``.
        score: column of the score.
        columns: titles of the columns, if the file does not have a header.
        only: values by column that a row must have, such as ``{type: TGT}``. Other rows are skipped.

    Yields:
        One score per row. Rows without a score are skipped.

    Raises:
        InputError: if a column is missing, or if a field is not a number. The message names the file and the line.
    """
    required = _list_required_fields("score", in_document=in_document)
    table = _open_rating_table(path, titles=columns)
    column_names = _select_score_column(_RATING_COLUMNS, score)
    for location, cells in _iterate_cells(table, column_names, required, only or {}):
        if cells["score"] not in ("", "None"):
            rating = parse_finite_number(cells["score"], "the score", location)
            yield _make_human_score(cells, rating, location, in_document=in_document)


def read_score_lines(path: PathLike, n_segments: int | None) -> Iterator[HumanScore]:
    """Read human scores in the format of mt-metrics-eval, with a system and its score in each line.

    Lines with the score ``None`` are skipped.

    Args:
        path: path of the file.
        n_segments: number of segments of each system, or None if each system has a single score.

    Raises:
        InputError: if a line is malformed, or if a system has a different number of lines.
    """
    file_name = input_name(path)
    n_lines: Counter[str] = Counter()
    for line_number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        location = f"{file_name}, line {line_number}"
        system, score = _split_score_line(line, location)
        n_lines[system] += 1
        if score != "None":
            segment = None if n_segments is None else n_lines[system]
            value = parse_finite_number(score, "the score", location)
            yield HumanScore(pair="", system=system, segment=segment, score=value, location=location)
    if n_segments is not None:
        _check_line_counts(file_name, n_lines, n_segments)


def _split_score_line(line: str, location: str) -> tuple[str, str]:
    """Return the system and the score of a line, which are separated by a tab or by blanks."""
    fields = line.split("\t") if "\t" in line else line.split()
    if len(fields) != 2:
        raise InputError(f"{location}: {len(fields)} fields; SYSTEM and SCORE were expected")
    system, score = fields
    return system.strip(), score.strip()


def _check_line_counts(file_name: str, n_lines: Mapping[str, int], n_segments: int) -> None:
    """Check that the file has one line per segment for each system."""
    for system, count in n_lines.items():
        if count != n_segments:
            raise InputError(f"{file_name}: system {system} has {count} scores; the test set has {n_segments} segments")
