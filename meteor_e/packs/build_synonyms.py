"""From METEOR's synonym files (text, two lines per word) to the index that :mod:`synonyms` maps."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, open_regular, os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.packs.indexfile import write_index
from meteor_e.packs.synonyms import LAYOUT
from meteor_e.packs.vocabulary import little, vocabulary_sections

MAX_TEXT = 1 << 30
"""Bytes of text that a synonym file may hold."""


def build_synonym_index(
    synsets: str | os.PathLike[str] | IO[bytes],
    exceptions: str | os.PathLike[str] | IO[bytes] | None,
    target: str | os.PathLike[str],
    progress: Progress = silent,
) -> int:
    """Build the index of METEOR's synonym files, gzip or plain; return the number of words that have synsets.

    ``synsets``: a word on one line, the ids of its synsets on the next; of a word that comes twice, the
    last counts. Ids are whole numbers below 2³²; leading zeros do not count. ``exceptions``: a base form on
    one line, its irregular forms on the next. Both are paths or open binary streams. The target is written
    in place.
    Raises :class:`~meteor_e.base.errors.ResourceError` with file and line for malformed files.
    """
    progress("indexing synonyms", 0, None)
    name, lines = _lines(synsets)
    rows: dict[bytes, list[int]] = {}
    for number, word, ids in _pairs(name, lines):
        try:
            rows[word] = [_synset(text) for text in ids.split()]
        except ValueError as error:
            raise ResourceError(f"{name}, line {number + 1}: {error}") from None
    bases: dict[bytes, list[bytes]] = {}
    if exceptions is not None:
        exceptions_name, lines = _lines(exceptions)
        for _, base, forms in _pairs(exceptions_name, lines):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
    words = dict.fromkeys([*rows, *bases, *(base for several in bases.values() for base in several)])
    numbers = {word: number for number, word in enumerate(words)}
    sections, parameters = vocabulary_sections(list(words), Path(name))
    synset_rows = _rows([rows.get(word, []) for word in words])
    base_rows = _rows([[numbers[base] for base in bases.get(word, [])] for word in words])
    write_index(Path(target), LAYOUT, [*parameters, len(rows)], [*sections, *synset_rows, *base_rows])
    progress("indexing synonyms", 1, 1)
    return len(rows)


def _synset(text: bytes) -> int:
    if text.isdigit() and len(text) <= 20 and (value := int(text)) < 1 << 32:
        return value
    raise ValueError(f"{text[:40].decode()!r} is no synset id; ids are whole numbers below 4294967296")


def _rows(rows: list[list[int]]) -> list[bytes]:
    """Return where each row starts, and all rows in one."""
    starts = array("I", [0])
    data = array("I")
    for row in rows:
        data.extend(row)
        starts.append(len(data))
    return [little(starts), little(data)]


def _lines(source: str | os.PathLike[str] | IO[bytes]) -> tuple[str, list[bytes]]:
    """Return the name and the lines of a file, unpacked and known to be UTF-8."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        with os_errors_as(ResourceError, f"cannot read the synonym file {name}"), open_regular(source) as file:
            data = file.read(MAX_TEXT + 1)
    else:
        name = getattr(source, "name", None) or "the synonym file"
        data = source.read(MAX_TEXT + 1)
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_TEXT + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ResourceError(f"{name} is damaged or cut short: {error}") from error
    if len(data) > MAX_TEXT:
        raise ResourceError(f"{name} holds more than {MAX_TEXT >> 30} GiB of text; refusing to index it")
    decode_utf8(data, name)
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = data.split(b"\n")
    if not lines[-1]:
        del lines[-1]
    return name, lines


def _pairs(name: str, lines: list[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the first line's number (from 1), the first and the second line of each entry."""
    if len(lines) % 2:
        raise ResourceError(f"{name}, line {len(lines)}: the file ends inside an entry of two lines")
    for number in range(0, len(lines), 2):
        if not lines[number].strip():
            raise ResourceError(f"{name}, line {number + 1}: expected a word, found an empty line")
        yield number + 1, lines[number], lines[number + 1]
