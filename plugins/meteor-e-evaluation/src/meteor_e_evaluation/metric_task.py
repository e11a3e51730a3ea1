"""Readers of metric scores, as the WMT metrics task exchanges them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import read_segments


def finite_number(text: str, what: str, where: str) -> float:
    """Return the number that a field holds.

    Args:
        text: the field.
        what: the field's name, for messages.
        where: file and line, for messages.

    Raises:
        InputError: if it is not a number, or not a finite one.
    """
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a number") from None
    if not math.isfinite(value):
        raise InputError(f"{where}: {what} is {text!r}; a finite number was expected")
    return value


def whole_number(text: str, what: str, where: str) -> int:
    """Return the whole number that a field holds; the arguments are those of :func:`finite_number`.

    Raises:
        InputError: if it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a whole number") from None


class GivenScore(NamedTuple):
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


def split_fields(line: str) -> list[str]:
    """Split a line at tabs, else at commas where it has no blanks, else at blanks; quotes around a field go."""
    separator = "\t" if "\t" in line else "," if "," in line and " " not in line.strip() else None
    return [field.strip().strip('"') for field in (line.rstrip(" ") if separator else line).split(separator)]


def read_metric_scores(path: PathLike) -> Iterator[GivenScore]:
    """Read a metric's scores as the WMT metrics task exchanges them, at segment or system level.

    Without a header, tabs (or blanks) between: ``METRIC LP TESTSET SYSTEM SEGMENT SCORE`` a segment,
    ``METRIC LP TESTSET SYSTEM SCORE`` for a system; from 2019 on, ``REFERENCE`` may stand after ``TESTSET``, and
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
        fields = split_fields(line)
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
            yield GivenScore(metric, pair, testset, reference, rest[0], None, score, where)
        elif rest[-1].isdecimal():
            yield GivenScore(metric, pair, testset, reference, rest[0], int(rest[-1]), score, where)
        else:
            raise InputError(f"{where}: the segment is {rest[-1]!r}, not a whole number")
    per_system = len(short) != len({system for system, _, _ in short})
    for system, score, where in short:
        count[system] = count.get(system, 0) + 1
        yield GivenScore("", "", "", "", system, count[system] if per_system else None, score, where)


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
