"""Read Moses phrase tables, whose lines are ``pivot ||| phrase ||| p(pivot|phrase) lex p(phrase|pivot) lex …``.

A table can be larger than the available memory. The table is read once, and its phrases are written to files as word
ids. Afterwards, the distinct phrases receive ids.
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
from meteor_e_bitext.numbering import assign_phrase_ids
from meteor_e_bitext.phrases import PhrasePairs, Phrases

_BLOCK = 100_000
"""The number of lines that are written to disk together."""

_CACHE_SIZE = 100_000
"""The number of phrases per language whose word ids are cached, because adjacent lines often have the same phrase."""

_MAX_WORDS = 255
"""The maximum number of words of a phrase. The length of a phrase is stored in one byte."""

PhraseFilter = Callable[[list[str]], bool]
"""A function that returns whether a phrase, which is a list of words, can be part of a paraphrase."""


class _PhraseWriter:
    """Write the phrases of one language as word ids. Words receive ids in the order in which they first occur.

    Args:
        phrase_filter: a function that returns whether a phrase is written.
        word_file: the file for the word ids.
        length_file: the file for the lengths of the phrases.
    """

    def __init__(self, phrase_filter: PhraseFilter, word_file: BinaryIO, length_file: BinaryIO) -> None:
        self._filter = phrase_filter
        self._word_file = word_file
        self._length_file = length_file
        self._ids: dict[str, int] = {}
        self._cache = BoundedCache[str, tuple[int, ...]](_CACHE_SIZE)
        self._pending_words = array("I")
        self._pending_lengths = bytearray()

    def find_word_ids(self, phrase: str) -> tuple[int, ...]:
        """Return the word ids of a phrase, or an empty tuple if the filter rejects the phrase."""
        word_ids = self._cache.get(phrase)
        if word_ids is None:
            words = phrase.split()
            accepted_words = words if self._filter(words) else []
            word_ids = tuple([self._ids.setdefault(word, len(self._ids)) for word in accepted_words])
            self._cache[phrase] = word_ids
        return word_ids

    def add(self, word_ids: tuple[int, ...]) -> None:
        """Add a phrase that is given as a tuple of word ids."""
        self._pending_words.extend(word_ids)
        self._pending_lengths.append(len(word_ids))

    def flush(self) -> None:
        """Write the phrases that were added since the last call."""
        self._word_file.write(self._pending_words.tobytes())
        self._length_file.write(self._pending_lengths)
        del self._pending_words[:]
        self._pending_lengths.clear()

    def vocabulary(self) -> list[str]:
        """Return all words in the order of their ids."""
        return list(self._ids)


class _NumberWriter:
    """Write floating-point numbers to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._pending = array("d")

    def add(self, number: float) -> None:
        """Add a number."""
        self._pending.append(number)

    def flush(self) -> None:
        """Write the numbers that were added since the last call."""
        self._file.write(self._pending.tobytes())
        del self._pending[:]


class PhraseRow(NamedTuple):
    """Store a phrase pair from a line of a phrase table, and its probabilities in both directions."""

    first: str
    second: str
    first_given_second: float
    second_given_first: float


class _Entry(NamedTuple):
    """Store a phrase pair by language, regardless of the order of the columns in the phrase table."""

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
    """Convert a phrase table to binary files that :func:`open_phrase_table` can read.

    The memory usage grows with the number of distinct words. Assigning ids to phrases requires about 60 bytes per line.

    Args:
        path: the path of the table, which can be compressed with gzip, bzip2 or xz. The table does not have to be
            sorted. Repeated pairs are not merged.
        phrase_filter: the filter for phrases of the pack's language.
        pivot_filter: the filter for phrases of the pivot language.
        folder: the folder for the files.
        first: whether the language of the pack is in the first column. By default, it is in the second column, as in
            METEOR's tables.
        min_probability: the minimum probability. A pair is omitted if both of its probabilities are lower.
        progress: called with the progress.

    Raises:
        InputError: if a line is malformed. The message contains the name of the file and the line number.
        OSError: if the folder cannot be written.
    """
    with ExitStack() as files:
        writer = _PairWriter(folder, phrase_filter, pivot_filter, files)
        for line_number, line in enumerate(read_segments(path), 1):
            row = _parse_row(line, f"{input_name(path)}, line {line_number}")
            entry = _make_entry(row, is_pack_first=first)
            if line_number % _BLOCK == 0:
                writer.flush()
                progress("reading the phrase table", line_number, None)
            if max(entry.to_pivot, entry.from_pivot) >= min_probability:
                writer.add(entry)
        writer.flush()
    progress("reading the phrase table", 1, 1)
    _write_phrase_ids(folder, "phrases", writer.phrases.vocabulary(), progress)
    _write_phrase_ids(folder, "pivots", writer.pivots.vocabulary(), progress)


class _PairWriter:
    """Write phrase pairs and their probabilities to several binary files.

    Args:
        folder: the folder for the files.
        phrase_filter: the filter for phrases of the pack's language.
        pivot_filter: the filter for phrases of the pivot language.
        files: a stack that closes the files.
    """

    def __init__(self, folder: Path, phrase_filter: PhraseFilter, pivot_filter: PhraseFilter, files: ExitStack) -> None:
        def create(name: str) -> BinaryIO:
            return files.enter_context((folder / name).open("wb"))

        self.phrases = _PhraseWriter(phrase_filter, create("phrases-words.bin"), create("phrases-row-lengths.bin"))
        self.pivots = _PhraseWriter(pivot_filter, create("pivots-words.bin"), create("pivots-row-lengths.bin"))
        self._to_pivot = _NumberWriter(create("to-pivot.bin"))
        self._from_pivot = _NumberWriter(create("from-pivot.bin"))

    def add(self, entry: _Entry) -> None:
        """Add a phrase pair unless a filter rejects one of its phrases."""
        pivot_ids = self.pivots.find_word_ids(entry.pivot)
        if not pivot_ids:
            return
        phrase_ids = self.phrases.find_word_ids(entry.phrase)
        if not phrase_ids:
            return
        self.phrases.add(phrase_ids)
        self.pivots.add(pivot_ids)
        self._to_pivot.add(entry.to_pivot)
        self._from_pivot.add(entry.from_pivot)

    def flush(self) -> None:
        """Write the pairs that were added since the last call."""
        for writer in (self.phrases, self.pivots, self._to_pivot, self._from_pivot):
            writer.flush()


def _write_phrase_ids(folder: Path, name: str, vocabulary: list[str], progress: Progress) -> None:
    """Assign ids to the distinct phrases of one language, and write the ids, the phrases and the vocabulary.

    Args:
        folder: the folder that contains the phrases as word ids.
        name: the prefix of the file names.
        vocabulary: all words in the order of their ids.
        progress: called with the progress.
    """
    progress(f"numbering {name}", 0, None)
    (folder / f"{name}-vocabulary.json").write_text(json.dumps(vocabulary), "utf-8", newline="\n")
    length_file = folder / f"{name}-row-lengths.bin"
    words = map_file(folder / f"{name}-words.bin", np.uint32)
    phrases = assign_phrase_ids(words, np.fromfile(length_file, np.uint8))
    length_file.unlink()
    np.save(folder / f"{name}-ids.npy", phrases.ids)
    np.save(folder / f"{name}-positions.npy", phrases.positions)
    np.save(folder / f"{name}-lengths.npy", phrases.lengths)
    progress(f"numbering {name}", 1, 1)


def map_file(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Return a memory map of a file of numbers, or an ordinary array if the file is empty."""
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


def open_phrase_table(folder: Path) -> PhrasePairs:
    """Open the files that :func:`convert_phrase_table` wrote. Most files are memory-mapped."""
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


def _make_entry(row: PhraseRow, is_pack_first: bool) -> _Entry:
    """Determine which phrase of a row is in the language of the pack, and which is in the pivot language.

    Args:
        row: the row of a phrase table.
        is_pack_first: whether the language of the pack is in the first column instead of the second column.
    """
    if is_pack_first:
        return _Entry(
            phrase=row.first, pivot=row.second, to_pivot=row.second_given_first, from_pivot=row.first_given_second
        )
    return _Entry(
        phrase=row.second, pivot=row.first, to_pivot=row.first_given_second, from_pivot=row.second_given_first
    )


def _parse_row(line: str, location: str) -> PhraseRow:
    """Parse a line of a phrase table, and raise an :class:`InputError` if the line is malformed.

    Args:
        line: the line.
        location: the name of the file and the line number, for error messages.
    """
    fields = [field.strip() for field in line.split("|||", 3)]
    if len(fields) < 3 or not fields[0] or not fields[1]:
        raise InputError(
            f"{location}: expected 'phrase ||| phrase ||| probabilities', but the line is {line[:60].strip()!r}"
        )
    first, second, scores = fields[:3]
    first_given_second, second_given_first = _parse_probabilities(scores, location)
    # The words are counted only in long lines, because a short line cannot contain a phrase that is too long.
    is_long_line = len(line) > 2 * _MAX_WORDS
    if is_long_line and max(len(first.split()), len(second.split())) > _MAX_WORDS:
        raise InputError(f"{location}: a phrase of more than {_MAX_WORDS} words")
    return PhraseRow(first, second, first_given_second, second_given_first)


def _parse_probabilities(scores: str, location: str) -> tuple[float, float]:
    """Parse the probabilities p(first|second) and p(second|first) from the scores of a phrase pair."""
    numbers = scores.split(None, 3)
    try:
        first_given_second, second_given_first = float(numbers[0]), float(numbers[2])
    except (IndexError, ValueError):
        first_given_second, second_given_first = math.nan, math.nan
    if not (0 <= first_given_second <= 1 and 0 <= second_given_first <= 1):
        raise InputError(
            f"{location}: expected probabilities p(first|second) lex p(second|first) lex …, "
            f"but the field is {scores[:60]!r}"
        )
    return first_given_second, second_given_first
