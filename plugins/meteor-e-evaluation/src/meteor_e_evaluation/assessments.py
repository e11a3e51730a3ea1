"""Readers of direct assessments, in the forms that WMT published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.toolkit import PathLike, input_name, read_segments
from meteor_e_evaluation.fields import finite_number, whole_number
from meteor_e_evaluation.metric_task import split_fields


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


_COLUMNS: Mapping[str, Sequence[str]] = {
    "pair": ("LP", "PAIR"),
    "system": ("SYSTEM", "SYS"),
    "segment": ("SID", "SEGID", "SEG_ID", "SEGMENT", "SEG"),
    "score": ("HUMAN", "Z.SCR", "Z", "SCORE", "RAW.SCR", "RAW"),
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
    titles = split_fields(header)
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
        fields = split_fields(line)
        if len(fields) != len(titles):
            raise InputError(f"{where}: {len(fields)} fields; the header has {len(titles)}")
        cell = {what: fields[column] if column is not None else "" for what, column in at.items()}
        if cell["score"] == "None":
            continue
        yield Assessment(
            cell["pair"],
            cell["system"],
            whole_number(cell["segment"], "the segment", where) if segments else None,
            finite_number(cell["score"], "the score", where),
            where,
        )
