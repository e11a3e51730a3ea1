"""Read Moses phrase tables, whose lines are ``pivot ||| phrase ||| p(pivot|phrase) lex p(phrase|pivot) lex …``.

A table may be larger than memory. It is read once: the phrases are written to files as word ids, and the distinct
phrases are numbered afterwards.
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
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.progress import Progress
from meteor_e.formats.plain import read_segments
from meteor_e_bitext.numbering import number_rows
from meteor_e_bitext.phrases import PhrasePairs, Phrases

_BLOCK = 100_000
"""Number of lines that are written to disk together."""

_CACHE_SIZE = 100_000
"""Number of phrases per language whose word ids are cached, because phrases are often repeated soon."""

_MAX_WORDS = 255
"""Maximum number of words of a phrase, whose length is stored in a byte."""

PhraseFilter = Callable[[list[str]], bool]
"""Returns whether a phrase, as a list of words, can take part in paraphrases."""


class _PhraseWriter:
    """Writes the phrases of one language as word ids. Ids are assigned by first appearance of the words."""

    def __init__(self, phrase_filter: PhraseFilter, word_file: BinaryIO, length_file: BinaryIO) -> None:
        self._filter = phrase_filter
        self._word_file = word_file
        self._length_file = length_file
        self._ids: dict[str, int] = {}
        self._cache = BoundedCache[str, tuple[int, ...]](_CACHE_SIZE)
        self._pending_words = array("I")
        self._pending_lengths = bytearray()

    def find_word_ids(self, phrase: str) -> tuple[int, ...]:
        """Return the word ids of a phrase, or an empty tuple if the phrase does not pass the filter."""
        word_ids = self._cache.get(phrase)
        if word_ids is None:
            word_ids = ()
            words = phrase.split()
            if self._filter(words):
                word_ids = tuple([self._ids.setdefault(word, len(self._ids)) for word in words])
            self._cache[phrase] = word_ids
        return word_ids

    def add(self, word_ids: tuple[int, ...]) -> None:
        """Add the phrase of a line."""
        self._pending_words.extend(word_ids)
        self._pending_lengths.append(len(word_ids))

    def flush(self) -> None:
        """Write the phrases that were added since the last call."""
        self._word_file.write(self._pending_words.tobytes())
        self._length_file.write(self._pending_lengths)
        del self._pending_words[:]
        self._pending_lengths.clear()

    def vocabulary(self) -> list[str]:
        """Return the words, by id."""
        return list(self._ids)


class _NumberWriter:
    """Writes floating-point numbers to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._pending = array("d")

    def add(self, number: float) -> None:
        self._pending.append(number)

    def flush(self) -> None:
        """Write the numbers that were added since the last call."""
        self._file.write(self._pending.tobytes())
        del self._pending[:]


class PhraseRow(NamedTuple):
    """A line of a phrase table."""

    first: str
    second: str
    first_given_second: float
    second_given_first: float


class _Entry(NamedTuple):
    """A phrase pair of a line, by language instead of by column."""

    phrase: str
    pivot: str
    to_pivot: float
    from_pivot: float


def convert_phrase_table(
    path: PathLike,
    phrase_filter: PhraseFilter,
    pivot_filter: PhraseFilter,
    folder: Path,
    *,
    first: bool = False,
    min_probability: float = 0.0,
    progress: Progress,
) -> None:
    """Convert a phrase table to files of numbers, which :func:`open_phrase_table` reads.

    Memory grows with the number of distinct words. The numbering of the phrases needs about 60 bytes per line.

    Args:
        path: the table, plain or compressed with gzip, bzip2 or xz. It does not have to be sorted. A repeated pair
            counts repeatedly, as in METEOR's program.
        phrase_filter: the filter for phrases of the pack's language.
        pivot_filter: the filter for phrases of the pivot language.
        folder: the folder for the files.
        first: whether the language of the pack is in the first column. By default it is in the second column, as in
            METEOR's tables.
        min_probability: pairs are left out if both of their probabilities are smaller.
        progress: called with the progress.

    Raises:
        InputError: if a line is malformed, with file and line.
        OSError: if the folder cannot be written.
    """
    with ExitStack() as files:

        def create(name: str) -> BinaryIO:
            return files.enter_context((folder / name).open("wb"))

        phrases = _PhraseWriter(phrase_filter, create("phrases-words.bin"), create("phrases-row-lengths.bin"))
        pivots = _PhraseWriter(pivot_filter, create("pivots-words.bin"), create("pivots-row-lengths.bin"))
        to_pivot, from_pivot = _NumberWriter(create("to-pivot.bin")), _NumberWriter(create("from-pivot.bin"))
        writers = (phrases, pivots, to_pivot, from_pivot)
        for line_number, line in enumerate(read_segments(path), 1):
            entry = _make_entry(_parse_row(line, f"{input_name(path)}, line {line_number}"), first)
            if line_number % _BLOCK == 0:
                for writer in writers:
                    writer.flush()
                progress("reading the phrase table", line_number, None)
            if entry.to_pivot < min_probability and entry.from_pivot < min_probability:
                continue
            pivot_ids = pivots.find_word_ids(entry.pivot)
            phrase_ids = phrases.find_word_ids(entry.phrase) if pivot_ids else ()
            if phrase_ids:
                phrases.add(phrase_ids)
                pivots.add(pivot_ids)
                to_pivot.add(entry.to_pivot)
                from_pivot.add(entry.from_pivot)
        for writer in writers:
            writer.flush()
    progress("reading the phrase table", 1, 1)
    _number_phrases(folder, "phrases", phrases.vocabulary(), progress)
    _number_phrases(folder, "pivots", pivots.vocabulary(), progress)


def _number_phrases(folder: Path, name: str, vocabulary: list[str], progress: Progress) -> None:
    """Assign ids to the distinct phrases of one language, and write them and the vocabulary."""
    progress(f"numbering {name}", 0, None)
    (folder / f"{name}-vocabulary.json").write_text(json.dumps(vocabulary), "utf-8", newline="\n")
    length_file = folder / f"{name}-row-lengths.bin"
    words = map_file(folder / f"{name}-words.bin", np.uint32)
    phrases = number_rows(words, np.fromfile(length_file, np.uint8))
    length_file.unlink()
    np.save(folder / f"{name}-ids.npy", phrases.ids)
    np.save(folder / f"{name}-positions.npy", phrases.positions)
    np.save(folder / f"{name}-lengths.npy", phrases.lengths)
    progress(f"numbering {name}", 1, 1)


def map_file(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Return a memory map of a file of numbers. A file without numbers makes an ordinary array."""
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


def open_phrase_table(folder: Path) -> PhrasePairs:
    """Open the files that :func:`convert_phrase_table` wrote. Most of their content stays on disk."""
    return PhrasePairs(
        phrases=_open_phrases(folder, "phrases"),
        pivots=_open_phrases(folder, "pivots"),
        pair_phrases=np.load(folder / "phrases-ids.npy", mmap_mode="r"),
        pair_pivots=np.load(folder / "pivots-ids.npy", mmap_mode="r"),
        to_pivot=map_file(folder / "to-pivot.bin", np.float64),
        from_pivot=map_file(folder / "from-pivot.bin", np.float64),
    )


def _open_phrases(folder: Path, name: str) -> Phrases:
    return Phrases(
        words=map_file(folder / f"{name}-words.bin", np.uint32),
        positions=np.load(folder / f"{name}-positions.npy"),
        lengths=np.load(folder / f"{name}-lengths.npy"),
        vocabulary=json.loads((folder / f"{name}-vocabulary.json").read_bytes()),
    )


def _make_entry(row: PhraseRow, first: bool) -> _Entry:
    """Return the phrase pair of a row. The language of the pack is in the first or the second column."""
    if first:
        return _Entry(row.first, row.second, row.second_given_first, row.first_given_second)
    return _Entry(row.second, row.first, row.first_given_second, row.second_given_first)


def _parse_row(line: str, location: str) -> PhraseRow:
    """Parse a line of a phrase table; raise an :class:`InputError` if it is malformed."""
    fields = [field.strip() for field in line.split("|||", 3)]
    if len(fields) < 3 or not fields[0] or not fields[1]:
        raise InputError(
            f"{location}: expected 'phrase ||| phrase ||| probabilities', but the line is {line[:60].strip()!r}"
        )
    scores = fields[2].split(None, 3)
    try:
        first_given_second, second_given_first = float(scores[0]), float(scores[2])
    except (IndexError, ValueError):
        first_given_second = second_given_first = math.nan
    if not (0 <= first_given_second <= 1 and 0 <= second_given_first <= 1):
        raise InputError(
            f"{location}: expected probabilities p(first|second) lex p(second|first) lex …, "
            f"but the field is {fields[2][:60]!r}"
        )
    # A short line cannot contain a long phrase, so its words need not be counted.
    if len(line) > 2 * _MAX_WORDS and max(len(field.split()) for field in fields[:2]) > _MAX_WORDS:
        raise InputError(f"{location}: a phrase of more than {_MAX_WORDS} words")
    return PhraseRow(fields[0], fields[1], first_given_second, second_given_first)
