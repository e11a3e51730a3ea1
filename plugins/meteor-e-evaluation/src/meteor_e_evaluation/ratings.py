"""Readers of the human scores that WMT publishes since 2020: MQM errors, ratings by document, lines of scores."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import finite_number, split_fields, whole_number


class Assessment(NamedTuple):
    """A human score for the output of a system.

    Attributes:
        pair: language pair; empty where the file does not say.
        system: the system, or several, as the file has it.
        segment: number of the segment as in the file; ``None`` for a score of the whole system.
        score: the score.
        where: file and line, for messages.
        document: the document that the segment's number counts in; empty where it counts in the test set.
        text: the output that was rated; ``None`` where the file does not say.
    """

    pair: str
    system: str
    segment: int | None
    score: float
    where: str
    document: str = ""
    text: str | None = None


def _cells(
    name: str,
    titles: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str]]],
    known: Mapping[str, Sequence[str]],
    needed: Collection[str],
    only: Mapping[str, str],
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each row of a table is, and its cells by what they are; columns are found by name.

    Args:
        name: of the file.
        titles: of the columns.
        rows: the number of each row's (last) line, and its fields.
        known: what columns may be called, in lower case.
        needed: which of them there must be.
        only: keep only rows in which these columns have these values.
    """
    lower = [title.strip().lower() for title in titles]
    at = {what: next((lower.index(title) for title in names if title in lower), None) for what, names in known.items()}
    for what in needed:
        if at[what] is None:
            raise InputError(f"{name}: no column {' or '.join(known[what])}; it has {', '.join(titles)}")
    for title in only:
        if title.lower() not in lower:
            raise InputError(f"{name}: no column {title!r}; it has {', '.join(titles)}")
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        where = f"{name}, line {number}"
        if len(row) != len(titles):
            raise InputError(f"{where}: {len(row)} fields; the header has {len(titles)}")
        if all(row[lower.index(title.lower())].strip() == value for title, value in only.items()):
            yield where, {what: "" if column is None else row[column].strip() for what, column in at.items()}


_ASSESSED: Mapping[str, Sequence[str]] = {
    "pair": ("lp", "pair"),
    "system": ("system", "sys"),
    "segment": ("sid", "segid", "seg_id", "segment", "seg"),
    "score": ("human", "z.scr", "z", "score", "raw.scr", "raw"),
}


def read_assessments(path: PathLike, *, segments: bool, score: str | None = None) -> Iterator[Assessment]:
    """Read a direct-assessment file: a header, then one row per score; blanks, tabs or commas between.

    Known forms are those of 2017 (``LP DATA SYSTEM SID HUMAN``; ``LP HUMAN SYSTEM``) and of 2021 (``SYS SID
    RAW.SCR Z.SCR N``; without ``SID`` for systems). Columns are found by name.

    Args:
        path: the file.
        segments: whether the scores are a segment's; else they are a system's.
        score: the column of the score; by default ``HUMAN``, else the standardized score, else the raw one.

    Raises:
        InputError: for missing columns or what is not a number, with file and line.
    """
    name = input_name(path)
    lines = read_segments(path)
    header = next(lines, None)
    if header is None:
        raise InputError(f"{name}: the file is empty; a header was expected")
    known = {**_ASSESSED, "score": (score.lower(),)} if score else _ASSESSED
    needed = ("system", "score", "segment") if segments else ("system", "score")
    rows = ((number, split_fields(line)) for number, line in enumerate(lines, 2))
    for where, cell in _cells(name, split_fields(header), rows, known, needed, {}):
        if cell["score"] == "None":
            continue
        yield Assessment(
            cell["pair"],
            cell["system"],
            whole_number(cell["segment"], "the segment", where) if segments else None,
            finite_number(cell["score"], "the score", where),
            where,
        )


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
"""Penalties of errors, by severity, or severity and beginning of the category, in lower case.

Source: Freitag et al. (2021), "Experts, Errors, and Context", table 4.
"""

_PROBES = "hotw"  # Severities of planted errors ("hands on the wheel"), which say nothing of the system.

_COLUMNS: Mapping[str, Sequence[str]] = {
    "pair": ("lp", "pair", "langpair"),
    "system": ("system", "systemid", "sys", "mt_system"),
    "document": ("document", "doc", "documentid", "document_id", "docid"),
    "segment": ("globalsegid", "global_seg_id", "seg_id", "segment", "segmentid", "segment_id", "line", "sid"),
    # Google's "doc_id" counts segments within "doc"; its "seg_id" counts them all.
    "document segment": ("docsegid", "doc_seg_id", "doc_id", "line", "segment", "segmentid", "segment_id", "seg_id"),
    "rater": ("rater", "annotator", "userid", "user", "login"),
    "score": ("score", "rating", "esa_score", "raw", "raw_score"),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}


def _rows(
    path: PathLike, needed: Collection[str], columns: Sequence[str], only: Mapping[str, str], score: str | None
) -> Iterator[tuple[str, dict[str, str]]]:
    """Read a table with a header, or with given names of columns; yield where each row is, and its cells.

    Tabs separate columns, or commas where the first line has no tab. Columns are found by name.
    """
    name = input_name(path)
    lines = read_segments(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{name}: the file is empty; a table of ratings was expected")
    by_tabs = "\t" in first

    # Quotation marks are text in the tab-separated files.
    dialect = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if by_tabs else {}
    rows = csv_rows(itertools.chain([first], lines), name, **dialect)
    titles = list(columns) if columns else next(rows)[1]
    known = {**_COLUMNS, **({"score": (score.lower(),)} if score else {})}
    yield from _cells(name, titles, rows, known, needed, only)


def read_mqm(
    path: PathLike,
    *,
    in_document: bool = False,
    weights: Mapping[str, float] | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[Assessment]:
    """Read errors that experts marked, as Google publishes them: a row per error, tabs between.

    Columns are ``system``, ``doc``, ``globalSegId`` (or ``seg_id``) or ``docSegId``, ``rater``, ``target``,
    ``category`` and ``severity``. The score of a segment by one rater is the negated sum of the errors' weights.

    Args:
        path: the file.
        in_document: whether segments are counted in their document.
        weights: weights that differ from :data:`MQM_WEIGHTS`.
        only: keep only rows in which these columns have these values.

    Yields:
        A score for each segment of each system and each of its raters.

    Raises:
        InputError: for missing columns, unknown severities, or what is not a number, with file and line.
    """
    table = {**MQM_WEIGHTS, **{key.lower(): value for key, value in (weights or {}).items()}}
    segment = "document segment" if in_document else "segment"
    needed = ("system", segment, "rater", "category", "severity", *(("document",) if in_document else ()))
    found: dict[tuple[str, str, int, str], Assessment] = {}
    for where, cell in _rows(path, needed, (), only or {}, None):
        if cell["severity"].lower().startswith(_PROBES):
            continue
        penalty = _penalty(cell["severity"], cell["category"], table, where)
        document = cell["document"] if in_document else ""
        key = (cell["system"], document, whole_number(cell[segment], "the segment", where), cell["rater"])
        before = found.get(key)
        if before is None:
            text = re.sub(r"</?v>", "", cell["target"]) or None
            found[key] = Assessment(cell["pair"], cell["system"], key[2], -penalty, where, document, text)
        else:
            found[key] = before._replace(score=before.score - penalty)
    yield from found.values()


def _penalty(severity: str, category: str, weights: Mapping[str, float], where: str) -> float:
    """Return the weight of an error: that of the longest beginning of ``severity/category`` that has one."""
    error = f"{severity}/{category}".lower()
    fitting = [key for key in weights if error.startswith(key) and error[len(key) : len(key) + 1] in ("", "/", "!")]
    if not fitting:
        known = ", ".join(sorted({key.partition("/")[0] for key in weights}))
        raise InputError(
            f"{where}: unknown severity {severity!r}; there are {known}. Give it a weight under 'weights' in the index"
        )
    return weights[max(fitting, key=len)]


def read_ratings(
    path: PathLike,
    *,
    in_document: bool = False,
    score: str | None = None,
    columns: Sequence[str] = (),
    only: Mapping[str, str] | None = None,
) -> Iterator[Assessment]:
    """Read ratings of segments, one per row: direct assessment with scalar quality metrics (DA+SQM), or ESA.

    Args:
        path: a table with the columns ``system``, ``segment`` (or ``line``), ``score`` and, where segments are
            counted in documents, ``document``; tabs or commas between.
        in_document: whether segments are counted in their document.
        score: the column of the score.
        columns: names of the columns where the file has no header.
        only: keep only rows in which these columns have these values, such as ``{type: TGT}``.

    Yields:
        One score per row; rows without one (``None`` or empty) are left out.

    Raises:
        InputError: for missing columns or what is not a number, with file and line.
    """
    segment = "document segment" if in_document else "segment"
    needed = ("system", segment, "score", *(("document",) if in_document else ()))
    for where, cell in _rows(path, needed, columns, only or {}, score):
        if cell["score"] in ("", "None"):
            continue
        document = cell["document"] if in_document else ""
        number = finite_number(cell["score"], "the score", where)
        text = cell["target"] or None
        yield Assessment(
            cell["pair"],
            cell["system"],
            whole_number(cell[segment], "the segment", where),
            number,
            where,
            document,
            text,
        )


def read_score_lines(path: PathLike, segments: int | None) -> Iterator[Assessment]:
    """Read ``SYSTEM⇥SCORE`` lines, as mt-metrics-eval lays human scores out; ``None`` is no score.

    Args:
        path: the file.
        segments: how many segments each system has, in order; ``None`` for one score per system.

    Raises:
        InputError: for lines of another form, or a system with another number of lines, with file and line.
    """
    name = input_name(path)
    count: dict[str, int] = {}
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 2:
            raise InputError(f"{where}: {len(fields)} fields; SYSTEM and SCORE were expected")
        system, text = (field.strip() for field in fields)
        count[system] = count.get(system, 0) + 1
        if text == "None":
            continue
        yield Assessment(
            "", system, None if segments is None else count[system], finite_number(text, "the score", where), where
        )
    for system, lines in count.items():
        if segments is not None and lines != segments:
            raise InputError(f"{name}: system {system} has {lines} scores; the test set has {segments} segments")
