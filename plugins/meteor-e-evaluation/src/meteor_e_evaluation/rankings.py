"""Readers of human rankings: what WMT published from 2008 on.

Each reader yields comparisons of two systems on one segment, with the names and numbers as they stand in the
file; lining them up with outputs is the concern of :mod:`meteor_e_evaluation.data`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import whole_number

LANGUAGES = {
    "Czech": "cs",
    "English": "en",
    "Estonian": "et",
    "Finnish": "fi",
    "French": "fr",
    "German": "de",
    "Haitian": "ht",
    "Hindi": "hi",
    "Hungarian": "hu",
    "Latvian": "lv",
    "Romanian": "ro",
    "Russian": "ru",
    "Spanish": "es",
    "Turkish": "tr",
}
"""Names of languages in WMT's ranking files, in English, and their ISO 639-1 codes."""

NOT_RANKED = -1


class RankedPair(NamedTuple):
    """A judgment on the outputs of two systems for one segment, from a ranking.

    Attributes:
        pair: language pair, ``source-target``; empty where the file does not say.
        segment: its number as in the file.
        better, worse: the two systems.
        tie: whether they were ranked equal.
        where: file and line, for messages.
    """

    pair: str
    segment: int
    better: str
    worse: str
    tie: bool
    where: str


def _ordered(pair: str, segment: int, ranked: Iterable[tuple[str, int]], where: str) -> Iterator[RankedPair]:
    """Turn one ranking (1 is best) into all its comparisons of two."""
    for (first, first_rank), (second, second_rank) in itertools.combinations(ranked, 2):
        better, worse = (first, second) if first_rank <= second_rank else (second, first)
        yield RankedPair(pair, segment, better, worse, first_rank == second_rank, where)


def read_ranking_csv(path: PathLike, languages: Mapping[str, str] | None = None) -> Iterator[RankedPair]:
    """Read a WMT ranking file (to 2014, and the exports of later years): one ranking of up to five systems per row.

    The columns are found by their names: ``srclang``, ``trglang``, ``srcIndex`` (or ``segmentId``), and
    ``system1Id`` … with ``system1rank`` …. A rank of -1 means that the system was not ranked.

    Args:
        path: the file, plain or gzip.
        languages: codes for the names in ``srclang`` and ``trglang``; :data:`LANGUAGES` by default. Names that
            are two or three letters long are taken to be codes.

    Raises:
        InputError: for missing columns, an unknown language, or a value that is not a number, with file and line.
    """
    known = {**LANGUAGES, **(languages or {})}
    name = input_name(path)
    rows = csv_rows(read_segments(path), name)
    header = next(rows, (0, []))[1]
    if not header:
        raise InputError(f"{name}: the file is empty; a header was expected")
    columns = {title.strip(): number for number, title in enumerate(header)}
    systems = [count for count in range(1, 100) if f"system{count}Id" in columns and f"system{count}rank" in columns]
    segment_column = next((title for title in ("srcIndex", "segmentId") if title in columns), None)
    missing = [title for title in ("srclang", "trglang") if title not in columns]
    if missing or segment_column is None or len(systems) < 2:
        raise InputError(
            f"{name}: not a ranking file; it needs the columns srclang, trglang, srcIndex, system1Id, system1rank, "
            f"system2Id, system2rank, … and has {', '.join(columns) or 'none'}"
        )
    width = len(header)
    for number, row in rows:
        if not row:
            continue
        where = f"{name}, line {number}"
        if len(row) != width:
            raise InputError(f"{where}: {len(row)} fields; the header has {width}")
        codes = []
        for title in ("srclang", "trglang"):
            language = row[columns[title]].strip()
            code = known.get(language, language if len(language) in (2, 3) and language.islower() else None)
            if code is None:
                raise InputError(f"{where}: unknown language {language!r}; name its code under 'languages'")
            codes.append(code)
        ranked = []
        for count in systems:
            rank = whole_number(row[columns[f"system{count}rank"]], f"system{count}rank", where)
            system = row[columns[f"system{count}Id"]].strip()
            if rank != NOT_RANKED and system:
                ranked.append((system, rank))
        segment = whole_number(row[columns[segment_column]], segment_column, where)
        yield from _ordered("-".join(codes), segment, ranked, where)


def read_rank_file(path: PathLike) -> Iterator[RankedPair]:
    """Read a METEOR ``.rank`` file: ``segment, pair, better system, pair, worse system`` a line, tabs between.

    Raises:
        InputError: for a line that is not of this form.
    """
    name = input_name(path)
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 5:
            raise InputError(f"{where}: {len(fields)} fields; segment, pair, better, pair, worse were expected")
        segment, pair, better, other, worse = (field.strip() for field in fields)
        if pair != other:
            raise InputError(f"{where}: outputs of two language pairs, {pair} and {other}, cannot be compared")
        yield RankedPair(pair, whole_number(segment, "the segment", where), better, worse, False, where)
