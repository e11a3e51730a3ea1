"""Reads human rankings of systems in the formats that WMT has published since 2008.

Each reader yields comparisons of two systems on one segment. The comparisons contain the system names and segment
numbers as they appear in the file.

The module :mod:`meteor_e_evaluation.judgment_reader` finds the outputs that were compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import parse_whole_number

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
"""ISO 639-1 codes by the English names of languages in the ranking files of WMT."""

NOT_RANKED = -1
"""Value that marks a system without a rank in ranking files."""

_MAX_RANKED_SYSTEMS = 99


class RankedPair(NamedTuple):
    """A human comparison of the outputs of two systems for one segment.

    Attributes:
        pair: language pair, such as ``cs-en``. Empty if the file does not name it.
        segment: number of the segment in the file.
        better, worse: names of the better and the worse system.
        tie: whether the two systems were ranked equally.
        location: file and line, for error messages.
    """

    pair: str
    segment: int
    better: str
    worse: str
    tie: bool
    location: str


class _RankedSystem(NamedTuple):
    """Name and rank of a system that an annotator ranked. Rank 1 is the best rank."""

    name: str
    rank: int


class _SystemColumns(NamedTuple):
    """Columns of a ranking file that contain the name and the rank of a system.

    Attributes:
        name: index of the column with the name of the system.
        rank: index of the column with the rank.
        rank_title: title of the column with the rank.
    """

    name: int
    rank: int
    rank_title: str


class _RankingColumns(NamedTuple):
    """Columns of a ranking file.

    Attributes:
        source: index of the column with the source language.
        target: index of the column with the target language.
        segment_title: title of the column with the segment number.
        segment: index of the column with the segment number.
        systems: columns of each ranked system.
    """

    source: int
    target: int
    segment_title: str
    segment: int
    systems: list[_SystemColumns]


def read_ranking_csv(path: PathLike, languages: Mapping[str, str] | None = None) -> Iterator[RankedPair]:
    """Read a ranking file of WMT, in which each row ranks several systems on one segment.

    Columns are found by their titles, such as ``srclang``, ``trglang``, ``srcIndex`` (or ``segmentId``), ``system1Id``
    and ``system1rank``.

    Rank 1 is the best rank. Rank -1 marks systems that were not ranked.

    Args:
        path: path of the file, which may be compressed with gzip.
        languages: codes of the languages in ``srclang`` and ``trglang``, in addition to :data:`LANGUAGES`. Names of
            two or three lower-case letters are regarded as codes.

    Yields:
        One comparison for each pair of systems of a row.

    Raises:
        InputError: if a column is missing, a language is unknown, or a field is not a number. The message names the
            file and the line.
    """
    codes = LANGUAGES | dict(languages or {})
    file_name = input_name(path)
    rows = csv_rows(read_segments(path), file_name)
    _, header = next(rows, (0, []))  # The header is empty if the file is empty.
    columns = _find_columns(header, file_name)
    for line_number, row in rows:
        if not row:
            continue
        location = f"{file_name}, line {line_number}"
        if len(row) != len(header):
            raise InputError(f"{location}: {len(row)} fields; the header has {len(header)}")
        source = _language_code(row[columns.source].strip(), codes, location)
        target = _language_code(row[columns.target].strip(), codes, location)
        ranked_systems = _read_ranks(row, columns, location)
        segment = parse_whole_number(row[columns.segment], columns.segment_title, location)
        yield from _compare_ranked(f"{source}-{target}", segment, ranked_systems, location)


def _find_columns(header: Sequence[str], file_name: str) -> _RankingColumns:
    """Find the columns of a ranking file by their titles.

    Raises:
        InputError: if a column is missing.
    """
    if not header:
        raise InputError(f"{file_name}: the file is empty; a header was expected")
    index_of_title = {title.strip(): index for index, title in enumerate(header)}
    systems = _find_system_columns(index_of_title)
    segment_title = "srcIndex" if "srcIndex" in index_of_title else "segmentId"
    has_all_titles = {"srclang", "trglang", segment_title} <= index_of_title.keys()
    if not has_all_titles or len(systems) < 2:
        raise InputError(
            f"{file_name}: not a ranking file; it needs the columns srclang, trglang, srcIndex, system1Id, "
            f"system1rank, system2Id, system2rank, … and has {', '.join(index_of_title) or 'none'}"
        )
    return _RankingColumns(
        source=index_of_title["srclang"],
        target=index_of_title["trglang"],
        segment_title=segment_title,
        segment=index_of_title[segment_title],
        systems=systems,
    )


def _find_system_columns(index_of: Mapping[str, int]) -> list[_SystemColumns]:
    """Return the columns that contain the names and the ranks of systems."""
    systems = []
    for position in range(1, _MAX_RANKED_SYSTEMS + 1):
        name_title = f"system{position}Id"
        rank_title = f"system{position}rank"
        if name_title in index_of and rank_title in index_of:
            systems.append(_SystemColumns(name=index_of[name_title], rank=index_of[rank_title], rank_title=rank_title))
    return systems


def _language_code(name: str, codes: Mapping[str, str], location: str) -> str:
    """Return the code of a language, given its name or its code."""
    if name in codes:
        return codes[name]
    if len(name) in (2, 3) and name.islower():
        return name
    raise InputError(f"{location}: unknown language {name!r}; name its code under 'languages'")


def _read_ranks(row: Sequence[str], columns: _RankingColumns, location: str) -> list[_RankedSystem]:
    """Return the ranked systems of a row."""
    ranked_systems = []
    for system_columns in columns.systems:
        rank = parse_whole_number(row[system_columns.rank], system_columns.rank_title, location)
        name = row[system_columns.name].strip()
        if rank != NOT_RANKED and name:
            ranked_systems.append(_RankedSystem(name, rank))
    return ranked_systems


def _compare_ranked(
    pair: str, segment: int, ranked_systems: Iterable[_RankedSystem], location: str
) -> Iterator[RankedPair]:
    """Convert a ranking of several systems to comparisons of two systems.

    Args:
        pair: the language pair.
        segment: number of the segment.
        ranked_systems: names and ranks of the systems.
        location: file and line, for error messages.
    """
    for first, second in itertools.combinations(ranked_systems, 2):
        better, worse = (first, second) if first.rank <= second.rank else (second, first)
        is_tie = first.rank == second.rank
        yield RankedPair(pair, segment, better.name, worse.name, tie=is_tie, location=location)


def read_rank_file(path: PathLike) -> Iterator[RankedPair]:
    """Read a ``.rank`` file of METEOR, in which each line compares two systems on one segment.

    The fields of a line are the segment, the language pair, the better system, the language pair again, and the worse
    system. They are separated by tabs or blanks.

    Raises:
        InputError: if a line is malformed. The message names the file and the line.
    """
    file_name = input_name(path)
    for line_number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        location = f"{file_name}, line {line_number}"
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 5:
            raise InputError(f"{location}: {len(fields)} fields; segment, pair, better, pair, worse were expected")
        segment_text, better_pair, better, worse_pair, worse = [field.strip() for field in fields]
        if better_pair != worse_pair:
            raise InputError(
                f"{location}: outputs of two language pairs, {better_pair} and {worse_pair}, cannot be compared"
            )
        segment = parse_whole_number(segment_text, "the segment", location)
        yield RankedPair(better_pair, segment, better, worse, tie=False, location=location)
