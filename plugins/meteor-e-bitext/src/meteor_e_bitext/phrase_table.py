"""Moses phrase tables: ``pivot ||| phrase ||| p(pivot|phrase) lex p(phrase|pivot) lex …``.

A table may be larger than memory. It is read once, its phrases as numbers of words into files; then the phrases are
numbered.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.memory import Memory
from meteor_e.base.progress import Progress
from meteor_e.formats.plain import read_segments
from meteor_e_bitext.numbering import number_rows
from meteor_e_bitext.phrases import PhrasePairs, Phrases

_TOGETHER = 100_000
"""Lines that are written to disk together."""

_RECENT = 100_000
"""Phrases of a side that are remembered, so that one that comes again soon is not taken apart again."""

_SIDES = ("phrases", "pivots")


class _Side:
    """The phrases of a side, on their way to disk as numbers of words, which follow the words' first appearance."""

    def __init__(self, wanted: Callable[[list[str]], bool], words: BinaryIO, lengths: BinaryIO) -> None:
        self._wanted = wanted
        self._files = words, lengths
        self._numbers: dict[str, int] = {}
        self._recent = Memory[str, tuple[int, ...]](_RECENT)
        self._row = array("I")
        self._lengths = bytearray()

    def find(self, phrase: str) -> tuple[int, ...]:
        """Return the numbers of a phrase's words, none if the phrase is not wanted."""
        found = self._recent.get(phrase)
        if found is None:
            words = phrase.split()
            numbers = self._numbers
            found = tuple([numbers.setdefault(word, len(numbers)) for word in words]) if self._wanted(words) else ()
            self._recent[phrase] = found
        return found

    def put(self, numbers: tuple[int, ...]) -> None:
        """Take a phrase into the next line."""
        self._row.extend(numbers)
        self._lengths.append(len(numbers))

    def write(self) -> None:
        """Write what was put."""
        words, lengths = self._files
        words.write(self._row.tobytes())
        lengths.write(self._lengths)
        del self._row[:]
        self._lengths.clear()

    def vocabulary(self) -> list[str]:
        """Return the words by number."""
        return list(self._numbers)


class PhraseRow(NamedTuple):
    """A line of a phrase table."""

    first: str
    second: str
    first_given_second: float
    second_given_first: float


def convert_phrase_table(
    path: PathLike,
    wanted: Callable[[list[str]], bool],
    wanted_pivot: Callable[[list[str]], bool],
    folder: Path,
    *,
    first: bool = False,
    least_probability: float = 0.0,
    progress: Progress,
) -> None:
    """Turn a phrase table, plain, gzip, bzip2 or xz, into numbers in a folder, for :func:`open_phrase_table`.

    Memory grows with the number of distinct words, and by some 60 bytes per line while phrases are numbered.

    Args:
        path: the file. It need not be sorted; a pair that it has twice counts twice, as in METEOR's program.
        wanted: whether a phrase of the pack's language, as words, may be a paraphrase or have one.
        wanted_pivot: whether a phrase of the pivot language may lead from one to the other.
        folder: where the files go.
        first: the pack's language is the table's first column; by default it is the second, as METEOR has it.
        least_probability: pairs with both probabilities below are left out.
        progress: told how far it is.

    Raises:
        InputError: for a line that is malformed, naming file and line.
        OSError: if the folder cannot be written.
    """
    name = input_name(path)
    with ExitStack() as files:

        def create(file: str) -> BinaryIO:
            return files.enter_context((folder / file).open("wb"))

        phrases, pivots = (
            _Side(filter_, create(f"{side}-words.bin"), create(f"{side}-row-lengths.bin"))
            for side, filter_ in zip(_SIDES, (wanted, wanted_pivot), strict=True)
        )
        probabilities = create("to-pivot.bin"), create("from-pivot.bin")
        columns = array("d"), array("d")

        def write() -> None:
            for side in (phrases, pivots):
                side.write()
            for file, column in zip(probabilities, columns, strict=True):
                file.write(column.tobytes())
                del column[:]

        for count, line in enumerate(read_segments(path), 1):
            row = _row(line, name, count)
            phrase, pivot = (row.first, row.second) if first else (row.second, row.first)
            to_pivot, from_pivot = row.first_given_second, row.second_given_first
            if first:
                to_pivot, from_pivot = from_pivot, to_pivot
            if count % _TOGETHER == 0:
                write()
                progress("reading the phrase table", count, None)
            if to_pivot < least_probability and from_pivot < least_probability:
                continue
            if (pivot_words := pivots.find(pivot)) and (words := phrases.find(phrase)):
                phrases.put(words)
                pivots.put(pivot_words)
                columns[0].append(to_pivot)
                columns[1].append(from_pivot)
        write()
    progress("reading the phrase table", 1, 1)
    for side, words_of in zip(_SIDES, (phrases, pivots), strict=True):
        progress(f"numbering {side}", 0, None)
        (folder / f"{side}-vocabulary.json").write_text(json.dumps(words_of.vocabulary()), "utf-8", newline="\n")
        lengths = folder / f"{side}-row-lengths.bin"
        numbered = number_rows(mapped(folder / f"{side}-words.bin", np.uint32), np.fromfile(lengths, np.uint8))
        lengths.unlink()
        for what, column in numbered._asdict().items():
            np.save(folder / f"{side}-{what}.npy", column)
        progress(f"numbering {side}", 1, 1)


def mapped(path: Path, kind: type[np.generic]) -> NDArray[Any]:
    """Return a file of numbers, which stays on disk."""
    return np.memmap(path, kind, "r") if path.stat().st_size else np.zeros(0, kind)


def open_phrase_table(folder: Path) -> PhrasePairs:
    """Return what :func:`convert_phrase_table` wrote into a folder; most of it stays on disk."""
    sides, numbers = [], []
    for side in _SIDES:
        words = mapped(folder / f"{side}-words.bin", np.uint32)
        places, lengths = (np.load(folder / f"{side}-{what}.npy") for what in ("places", "lengths"))
        sides.append(Phrases(words, places, lengths, json.loads((folder / f"{side}-vocabulary.json").read_bytes())))
        numbers.append(np.load(folder / f"{side}-numbers.npy", mmap_mode="r"))
    probabilities = (mapped(folder / f"{way}-pivot.bin", np.float64) for way in ("to", "from"))
    return PhrasePairs(sides[0], sides[1], numbers[0], numbers[1], *probabilities)


def _row(line: str, name: str, number: int) -> PhraseRow:
    parts = [part.strip() for part in line.split("|||", 3)]
    if len(parts) < 3 or not parts[0] or not parts[1]:
        raise InputError(
            f"{name}, line {number}: expected 'phrase ||| phrase ||| probabilities', found {line[:60].strip()!r}"
        )
    scores = parts[2].split(None, 3)
    try:
        first, second = float(scores[0]), float(scores[2])
    except (IndexError, ValueError):
        first = math.nan
    if not (0 <= first <= 1 and 0 <= second <= 1):
        raise InputError(
            f"{name}, line {number}: expected probabilities p(first|second) lex p(second|first) lex …, "
            f"found {parts[2][:60]!r}"
        )
    if len(line) > 2 * 255 and max(len(parts[0].split()), len(parts[1].split())) > 255:
        raise InputError(f"{name}, line {number}: a phrase of more than 255 words")
    return PhraseRow(parts[0], parts[1], first, second)
