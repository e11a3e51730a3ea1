"""Readers of human rankings: what WMT published from 2008 to 2016.

Each reader yields comparisons of two systems on one segment, with the names and numbers as they stand in the
file; lining them up with outputs is the concern of :mod:`meteor_e_evaluation.data`.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, reading, spell_size
from meteor_e.formats.plain import csv_rows, read_segments
from meteor_e_evaluation.metric_task import whole_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_MAX_XML = 1 << 30

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


class Comparison(NamedTuple):
    """A judgment on the outputs of two systems for one segment.

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


def _ordered(pair: str, segment: int, ranked: Iterable[tuple[str, int]], where: str) -> Iterator[Comparison]:
    """Turn one ranking (1 is best) into all its comparisons of two."""
    for (first, first_rank), (second, second_rank) in itertools.combinations(ranked, 2):
        better, worse = (first, second) if first_rank <= second_rank else (second, first)
        yield Comparison(pair, segment, better, worse, first_rank == second_rank, where)


def read_ranking_csv(path: PathLike, languages: Mapping[str, str] | None = None) -> Iterator[Comparison]:
    """Read a WMT ranking file (to 2014, and the exports of later years): one ranking of up to five systems a row.

    The columns are found by their names: ``srclang``, ``trglang``, ``srcIndex`` (or ``segmentId``), and
    ``system1Id`` … with ``system1rank`` …. A rank of -1 means that the system was not ranked.

    Args:
        path: the file, plain or gzip.
        languages: codes for the names in ``srclang`` and ``trglang``; :data:`LANGUAGES` by default. Names that
            are two or three letters long are taken to be codes.

    Raises:
        InputError: for missing columns, an unknown language, or a number that is none, with file and line.
    """
    known = {**LANGUAGES, **(languages or {})}
    name = input_name(path)
    rows = csv_rows(csv.reader(read_segments(path)), name)
    header = next(rows, None)
    if header is None:
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
    for number, row in enumerate(rows, 2):
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


def read_rank_file(path: PathLike) -> Iterator[Comparison]:
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
        yield Comparison(pair, whole_number(segment, "the segment", where), better, worse, False, where)


def read_ranking_xml(path: PathLike) -> Iterator[Comparison]:
    """Read the ranking XML of WMT15 and WMT16 (Appraise's export).

    A ``ranking-item`` (or ``HIT``'s ``ranking-task`` with one item) carries the pair in ``source-language`` and
    ``target-language``, the segment in ``src-id`` or ``id``, and one ``translation system="a,b" rank="2"`` an
    output; a comma list names systems that gave the same output. They are told apart here: each is compared with
    the systems of the other outputs, never with those of its own.

    Languages stand as three-letter or two-letter codes or names; three-letter codes become two-letter ones.

    Raises:
        InputError: for malformed XML (entity declarations are refused), missing attributes or wrong numbers.
    """
    from xml.etree import ElementTree

    name = input_name(path)
    with open_binary(path) as stream, reading(name):
        data = stream.read(_MAX_XML + 1)
    if len(data) > _MAX_XML:
        raise InputError(f"{name}: holds more than {spell_size(_MAX_XML)}; split it")
    if b"<!ENTITY" in data:
        raise InputError(f"{name}: declares entities; such files are not read")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(f"{name}, line {error.position[0]}: malformed XML ({error})") from error
    for count, (item, inherited) in enumerate(_ranking_items(root), 1):
        where = f"{name}, ranking {count}"
        source, target = (_language(inherited, side, where) for side in ("source", "target"))
        segment = inherited.get("src-id") or inherited.get("segment") or inherited.get("id")
        if segment is None:
            raise InputError(f"{where}: no src-id or id says which segment it is")
        outputs: list[tuple[list[str], int]] = []
        for translation in item.iter("translation"):
            systems, rank = translation.get("system"), translation.get("rank")
            if systems is None or rank is None:
                raise InputError(f"{where}: a translation without system or rank")
            ranked = whole_number(rank, "rank", where)
            if ranked != NOT_RANKED:
                outputs.append(([system.strip() for system in systems.split(",") if system.strip()], ranked))
        number = whole_number(segment, "src-id", where)
        for (firsts, first_rank), (seconds, second_rank) in itertools.combinations(outputs, 2):
            for first, second in itertools.product(firsts, seconds):
                yield from _ordered(f"{source}-{target}", number, [(first, first_rank), (second, second_rank)], where)


_ISO3 = {
    "bul": "bg", "ces": "cs", "cze": "cs", "deu": "de", "eng": "en", "eus": "eu", "fin": "fi", "fra": "fr", "fre": "fr",
    "ger": "de", "hin": "hi", "lav": "lv", "nld": "nl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru",
    "spa": "es", "tur": "tr",
}  # fmt: skip


def _language(attributes: Mapping[str, str], side: str, where: str) -> str:
    value = attributes.get(f"{side}-language") or attributes.get(f"{side}-lang")
    if not value:
        raise InputError(f"{where}: no {side}-language")
    return LANGUAGES.get(value, _ISO3.get(value.lower(), value))


def _ranking_items(root: Element) -> Iterator[tuple[Element, dict[str, str]]]:
    """Walk to the innermost elements that hold translations, with the attributes on the way to them."""
    open_nodes: list[tuple[Element, dict[str, str]]] = [(root, {})]
    while open_nodes:
        node, above = open_nodes.pop()
        attributes = {**above, **node.attrib}
        if node.find("translation") is None:
            open_nodes.extend((child, attributes) for child in reversed(node))
            continue
        # The segment may be told by a <source id="…"> beside the translations.
        source = node.find("source")
        if source is not None and "id" in source.attrib:
            attributes.setdefault("src-id", source.attrib["id"])
        yield node, attributes
