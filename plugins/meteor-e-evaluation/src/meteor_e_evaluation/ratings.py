"""Readers of the human scores that WMT publishes: direct assessments, MQM errors, ratings, and lines of scores."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import parse_finite_number, parse_whole_number, split_fields

ColumnNames = Mapping[str, Sequence[str]]
"""For each field, the names that its column may have, in lower case, the preferred one first."""


class HumanScore(NamedTuple):
    """A human score of an output, or of all outputs of a system.

    Attributes:
        pair: language pair; empty if the file does not name it.
        system: the system, or several systems in the spelling of the file.
        segment: number of the segment in the file; ``None`` for a score of the system.
        score: the score.
        location: file and line, for messages.
        document: the document whose segments the number counts; empty if it counts those of the test set.
        text: the output that was rated; ``None`` if the file does not have it.
    """

    pair: str
    system: str
    segment: int | None
    score: float
    location: str
    document: str = ""
    text: str | None = None


def _iterate_cells(
    file_name: str,
    titles: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str]]],
    columns: ColumnNames,
    required: Collection[str],
    only: Mapping[str, str],
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location and the cells of each row of a table.

    Args:
        file_name: name of the file, for messages.
        titles: titles of the columns.
        rows: line number and cells of each row.
        columns: names of the columns of each field.
        required: fields that the table must have.
        only: keep only rows with these values in these columns.

    Yields:
        File and line, and the cell of each field; it is empty if the table does not have the column.
    """
    lower_titles = [title.strip().lower() for title in titles]
    column_index = {
        field: next((lower_titles.index(name) for name in names if name in lower_titles), None)
        for field, names in columns.items()
    }
    for field in required:
        if column_index[field] is None:
            raise InputError(f"{file_name}: no column {' or '.join(columns[field])}; it has {', '.join(titles)}")
    for title in only:
        if title.lower() not in lower_titles:
            raise InputError(f"{file_name}: no column {title!r}; it has {', '.join(titles)}")
    for line_number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        location = f"{file_name}, line {line_number}"
        if len(row) != len(titles):
            raise InputError(f"{location}: {len(row)} fields; the header has {len(titles)}")
        if all(row[lower_titles.index(title.lower())].strip() == value for title, value in only.items()):
            yield (
                location,
                {field: "" if index is None else row[index].strip() for field, index in column_index.items()},
            )


_DIRECT_ASSESSMENT_COLUMNS: ColumnNames = {
    "pair": ("lp", "pair"),
    "system": ("system", "sys"),
    "segment": ("sid", "segid", "seg_id", "segment", "seg"),
    "score": ("human", "z.scr", "z", "score", "raw.scr", "raw"),
}


def read_assessments(path: PathLike, *, segments: bool, score: str | None = None) -> Iterator[HumanScore]:
    """Read a file of direct assessments: a header, then one row per score; separated by blanks, tabs or commas.

    Known formats are those of 2017 (``LP DATA SYSTEM SID HUMAN``; ``LP HUMAN SYSTEM``) and of 2021 (``SYS SID
    RAW.SCR Z.SCR N``; without ``SID`` for systems). Columns are found by name. Rows with the score ``None`` are
    skipped.

    Args:
        path: the file.
        segments: whether the scores are scores of segments; otherwise they are scores of systems.
        score: column of the score; by default ``HUMAN``, or else the standardized score, or else the raw score.

    Raises:
        InputError: for missing columns, or a field that is not a number, with file and line.
    """
    file_name = input_name(path)
    lines = read_segments(path)
    header = next(lines, None)
    if header is None:
        raise InputError(f"{file_name}: the file is empty; a header was expected")
    columns = {**_DIRECT_ASSESSMENT_COLUMNS, **({"score": (score.lower(),)} if score else {})}
    required = ("system", "score", "segment") if segments else ("system", "score")
    rows = ((line_number, split_fields(line)) for line_number, line in enumerate(lines, 2))
    for location, cells in _iterate_cells(file_name, split_fields(header), rows, columns, required, {}):
        if cells["score"] == "None":
            continue
        segment = parse_whole_number(cells["segment"], "the segment", location) if segments else None
        value = parse_finite_number(cells["score"], "the score", location)
        yield HumanScore(cells["pair"], cells["system"], segment, value, location)


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
"""Penalties of errors in lower case, by severity, or by severity and a prefix of the category.

Source: Freitag et al. (2021), "Experts, Errors, and Context", table 4.
"""

PLANTED_ERROR_PREFIX = "hotw"
"""Prefix of the severities of errors that were planted to test the raters ("hands on the wheel")."""

_RATING_COLUMNS: ColumnNames = {
    "pair": ("lp", "pair", "langpair"),
    "system": ("system", "systemid", "sys", "mt_system"),
    "document": ("document", "doc", "documentid", "document_id", "docid"),
    "segment": ("globalsegid", "global_seg_id", "seg_id", "segment", "segmentid", "segment_id", "line", "sid"),
    # Google's "doc_id" counts the segments of a document, whose name is in "doc"; its "seg_id" counts all segments.
    "document segment": ("docsegid", "doc_seg_id", "doc_id", "line", "segment", "segmentid", "segment_id", "seg_id"),
    "rater": ("rater", "annotator", "userid", "user", "login"),
    "score": ("score", "rating", "esa_score", "raw", "raw_score"),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}


def _read_rating_table(
    path: PathLike, required: Collection[str], titles: Sequence[str], only: Mapping[str, str], score: str | None
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location and the cells of each row of a table of ratings.

    Columns are separated by tabs, or by commas if the first line does not have a tab.

    Args:
        path: the file.
        required: fields that the table must have.
        titles: titles of the columns, if the file does not have a header.
        only: keep only rows with these values in these columns.
        score: column of the score.
    """
    file_name = input_name(path)
    lines = read_segments(path)
    first_line = next(lines, None)
    if first_line is None:
        raise InputError(f"{file_name}: the file is empty; a table of ratings was expected")
    # In tab-separated files, quotation marks are part of the text.
    dialect = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if "\t" in first_line else {}
    rows = csv_rows(itertools.chain([first_line], lines), file_name, **dialect)
    header = list(titles) if titles else next(rows)[1]
    columns = {**_RATING_COLUMNS, **({"score": (score.lower(),)} if score else {})}
    yield from _iterate_cells(file_name, header, rows, columns, required, only)


def read_mqm(
    path: PathLike,
    *,
    in_document: bool = False,
    weights: Mapping[str, float] | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[HumanScore]:
    """Read errors that experts marked, in the format in which Google publishes them: one row per error.

    Columns are ``system``, ``doc``, ``globalSegId`` (or ``seg_id``) or ``docSegId``, ``rater``, ``target``,
    ``category`` and ``severity``. A rater's score of a segment is the negated sum of the weights of its errors.

    Args:
        path: the file.
        in_document: whether segment numbers count the segments of a document.
        weights: weights that differ from :data:`MQM_WEIGHTS`.
        only: keep only rows with these values in these columns.

    Yields:
        A score for each segment of each system and each of its raters.

    Raises:
        InputError: for missing columns, unknown severities, or a field that is not a number, with file and line.
    """
    weight_table = {**MQM_WEIGHTS, **{key.lower(): value for key, value in (weights or {}).items()}}
    segment_field = "document segment" if in_document else "segment"
    required = ("system", segment_field, "rater", "category", "severity", *(("document",) if in_document else ()))
    scores: dict[tuple[str, str, int, str], HumanScore] = {}
    for location, cells in _read_rating_table(path, required, (), only or {}, None):
        if cells["severity"].lower().startswith(PLANTED_ERROR_PREFIX):
            continue
        penalty = _error_weight(cells["severity"], cells["category"], weight_table, location)
        document = cells["document"] if in_document else ""
        segment = parse_whole_number(cells[segment_field], "the segment", location)
        key = (cells["system"], document, segment, cells["rater"])
        if key in scores:
            scores[key] = scores[key]._replace(score=scores[key].score - penalty)
        else:
            text = re.sub(r"</?v>", "", cells["target"]) or None
            scores[key] = HumanScore(cells["pair"], cells["system"], segment, -penalty, location, document, text)
    yield from scores.values()


def _error_weight(severity: str, category: str, weights: Mapping[str, float], location: str) -> float:
    """Return the weight of the longest key that is a prefix of ``severity/category``, in whole parts."""
    error = f"{severity}/{category}".lower()
    keys = [key for key in weights if error.startswith(key) and error[len(key) : len(key) + 1] in ("", "/", "!")]
    if not keys:
        severities = ", ".join(sorted({key.partition("/")[0] for key in weights}))
        raise InputError(
            f"{location}: unknown severity {severity!r}; there are {severities}. Give it a weight under 'weights' in "
            "the index"
        )
    return weights[max(keys, key=len)]


def read_ratings(
    path: PathLike,
    *,
    in_document: bool = False,
    score: str | None = None,
    columns: Sequence[str] = (),
    only: Mapping[str, str] | None = None,
) -> Iterator[HumanScore]:
    """Read ratings of segments, one per row: direct assessment with scalar quality metrics (DA+SQM), or ESA.

    Args:
        path: a table with the columns ``system``, ``segment`` (or ``line``), ``score`` and, if segments are counted in
            documents, ``document``; separated by tabs or commas.
        in_document: whether segment numbers count the segments of a document.
        score: column of the score.
        columns: titles of the columns, if the file does not have a header.
        only: keep only rows with these values in these columns, such as ``{type: TGT}``.

    Yields:
        One score per row; rows without a score (``None`` or empty) are skipped.

    Raises:
        InputError: for missing columns, or a field that is not a number, with file and line.
    """
    segment_field = "document segment" if in_document else "segment"
    required = ("system", segment_field, "score", *(("document",) if in_document else ()))
    for location, cells in _read_rating_table(path, required, columns, only or {}, score):
        if cells["score"] in ("", "None"):
            continue
        value = parse_finite_number(cells["score"], "the score", location)
        segment = parse_whole_number(cells[segment_field], "the segment", location)
        document = cells["document"] if in_document else ""
        yield HumanScore(cells["pair"], cells["system"], segment, value, location, document, cells["target"] or None)


def read_score_lines(path: PathLike, n_segments: int | None) -> Iterator[HumanScore]:
    """Read ``SYSTEM⇥SCORE`` lines, the format of human scores in mt-metrics-eval; lines with ``None`` are skipped.

    Args:
        path: the file.
        n_segments: number of segments of each system, which are in order; ``None`` for one score per system.

    Raises:
        InputError: for malformed lines, or a system with another number of lines, with file and line.
    """
    file_name = input_name(path)
    n_lines: dict[str, int] = {}
    for line_number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        location = f"{file_name}, line {line_number}"
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 2:
            raise InputError(f"{location}: {len(fields)} fields; SYSTEM and SCORE were expected")
        system, score = (field.strip() for field in fields)
        n_lines[system] = n_lines.get(system, 0) + 1
        if score != "None":
            segment = None if n_segments is None else n_lines[system]
            yield HumanScore("", system, segment, parse_finite_number(score, "the score", location), location)
    for system, count in n_lines.items():
        if n_segments is not None and count != n_segments:
            raise InputError(f"{file_name}: system {system} has {count} scores; the test set has {n_segments} segments")
