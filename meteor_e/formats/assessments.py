"""Readers of direct assessment and of metric score files, in the forms that WMT published."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import read_segments

__all__ = ["Assessment", "MetricScore", "read_assessments", "read_metric_scores"]


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


class MetricScore(NamedTuple):
    """A metric's score for the output of a system.

    Attributes:
        metric: name of the metric; empty where the file does not say.
        pair: language pair; empty where the file does not say.
        testset: name of the test set; empty where the file does not say.
        reference: name of the reference; empty where the file does not say.
        system: the system.
        segment: number of the segment, as in the file; ``None`` for a score of the whole system.
        score: the score; NaN where the file says ``None`` or ``NaN``.
        where: file and line, for messages.
    """

    metric: str
    pair: str
    testset: str
    reference: str
    system: str
    segment: int | None
    score: float
    where: str


_COLUMNS: Mapping[str, Sequence[str]] = {
    "pair": ("LP", "PAIR"),
    "system": ("SYSTEM", "SYS"),
    "segment": ("SID", "SEGID", "SEG_ID", "SEGMENT", "SEG"),
    "score": ("HUMAN", "Z.SCR", "Z", "SCORE", "RAW.SCR", "RAW"),
}


def _fields(line: str) -> list[str]:
    separator = "\t" if "\t" in line else "," if "," in line and " " not in line.strip() else None
    return [field.strip().strip('"') for field in (line.rstrip(" ") if separator else line).split(separator)]


def _number(text: str, what: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a number") from None
    if not math.isfinite(value):
        raise InputError(f"{where}: {what} is {text!r}; a finite number was expected")
    return value


def _whole(text: str, what: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a whole number") from None


def read_assessments(path: PathLike, *, segments: bool, score: str | None = None) -> Iterator[Assessment]:
    """Read a direct-assessment file: a header, then a row a score; blanks, tabs or commas between.

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
    titles = _fields(header)
    upper = [title.upper() for title in titles]
    wanted = {**_COLUMNS, "score": (score.upper(),)} if score else _COLUMNS
    at = {what: next((upper.index(title) for title in names if title in upper), None) for what, names in wanted.items()}
    for what in ("system", "score", "segment") if segments else ("system", "score"):
        if at[what] is None:
            raise InputError(f"{name}: no column {' or '.join(wanted[what])}; it has {', '.join(titles)}")
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = _fields(line)
        if len(fields) != len(titles):
            raise InputError(f"{where}: {len(fields)} fields; the header has {len(titles)}")
        cell = {what: fields[column] if column is not None else "" for what, column in at.items()}
        if cell["score"] == "None":
            continue
        yield Assessment(
            cell["pair"],
            cell["system"],
            _whole(cell["segment"], "the segment", where) if segments else None,
            _number(cell["score"], "the score", where),
            where,
        )


def read_metric_scores(path: PathLike) -> Iterator[MetricScore]:
    """Read a metric's scores as the WMT metrics task exchanges them, at segment or system level.

    Without a header, tabs (or blanks) between: ``METRIC LP TESTSET SYSTEM SEGMENT SCORE`` a segment,
    ``METRIC LP TESTSET SYSTEM SCORE`` a system; from 2019 on, ``REFERENCE`` may stand after ``TESTSET``, and
    ``ensemble`` and ``available`` at the end. The short form of later years, ``SYSTEM SCORE``, is known too: where
    a system has several lines, they are its segments in order, from 1.

    Raises:
        InputError: for lines of another form, with file and line.
    """
    name = input_name(path)
    count: dict[str, int] = {}
    short: list[tuple[str, float, str]] = []
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = _fields(line)
        if len(fields) == 2:
            short.append((fields[0], _metric_score(fields[1], where), where))
            continue
        if short:
            raise InputError(f"{where}: {len(fields)} fields; the lines before have 2")
        while len(fields) > 5 and not _is_score(fields[-1]):
            fields.pop()
        if len(fields) not in (5, 6, 7) or "-" not in fields[1]:
            raise InputError(
                f"{where}: not a line of a metric's scores; METRIC LP TESTSET SYSTEM [SEGMENT] SCORE was expected"
            )
        metric, pair, testset = fields[:3]
        rest = fields[3:-1]
        score = _metric_score(fields[-1], where)
        reference = ""
        if len(rest) == 3 or (len(rest) == 2 and not rest[-1].isdecimal()):
            reference, *rest = rest
        if len(rest) == 1:
            yield MetricScore(metric, pair, testset, reference, rest[0], None, score, where)
        elif rest[-1].isdecimal():
            yield MetricScore(metric, pair, testset, reference, rest[0], int(rest[-1]), score, where)
        else:
            raise InputError(f"{where}: the segment is {rest[-1]!r}, not a whole number")
    per_system = len(short) != len({system for system, _, _ in short})
    for system, score, where in short:
        count[system] = count.get(system, 0) + 1
        yield MetricScore("", "", "", "", system, count[system] if per_system else None, score, where)


def _is_score(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text == "None"
    return True


def _metric_score(text: str, where: str) -> float:
    if text == "None":
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}: the score is {text!r}, not a number") from None
