"""Read Moses phrase tables, whose lines are ``pivot ||| phrase ||| p(pivot|phrase) lex p(phrase|pivot) lex …``.

A phrase table may not fit into memory. This module therefore reads the table only once, and writes each phrase to a
file as a sequence of word ids. Afterwards, the module assigns an id to each distinct phrase.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.progress import Progress
from meteor_e.formats.plain import read_segments
from meteor_e.packs.paraphrase_table import build_trie, compute_starts
from meteor_e_bitext.phrases import PhrasePairs, Phrases, map_file
from meteor_e_bitext.pivot import WordFilter, WordFilters

_BLOCK = 100_000
"""The number of lines that are written to disk together."""

_CACHE_SIZE = 100_000
"""The number of phrases per language whose word ids are cached, because adjacent lines often have the same phrase."""

_MAX_WORDS = 255
"""The maximum number of words of a phrase. The length of a phrase is stored in one byte."""


class _ArrayFiles:
    """Write arrays of numbers to binary files in blocks.

    Args:
        folder: the folder for the files.
        stack: a stack that closes the files.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._files: list[tuple[BinaryIO, array[Any]]] = []

    def create(self, name: str, typecode: str) -> array[Any]:
        """Create a file, and return an empty array.

        The caller adds numbers to the array. The method :meth:`flush` writes these numbers to the file.

        Args:
            name: the name of the file.
            typecode: the type of the numbers, as in :class:`array.array`.
        """
        file = self._stack.enter_context((self._folder / name).open("wb"))
        numbers = array(typecode)
        self._files.append((file, numbers))
        return numbers

    def flush(self) -> None:
        """Append the numbers in each array to its file, and then clear the array."""
        for file, numbers in self._files:
            file.write(numbers.tobytes())
            del numbers[:]


class _PhraseWriter:
    """Write the phrases of one language as word ids. Words receive ids in the order in which they first occur.

    Args:
        word_filter: the filter that returns whether a phrase is written.
        files: the files.
        name: the prefix of the file names.
    """

    def __init__(self, word_filter: WordFilter, files: _ArrayFiles, name: str) -> None:
        self._filter = word_filter
        self._words = files.create(f"{name}-words.bin", "I")
        self._lengths = files.create(f"{name}-row-lengths.bin", "B")
        self._ids: dict[str, int] = {}
        self._cache = BoundedCache[str, tuple[int, ...]](_CACHE_SIZE)

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
        self._words.extend(word_ids)
        self._lengths.append(len(word_ids))

    def vocabulary(self) -> list[str]:
        """Return all words in the order of their ids."""
        return list(self._ids)


class TableEntry(NamedTuple):
    """Store a phrase pair from a line of a phrase table, and its probabilities in both directions.

    Attributes:
        phrase: the phrase of the pack's language.
        pivot: the phrase of the pivot language.
        to_pivot: the probability p(pivot | phrase).
        from_pivot: the probability p(phrase | pivot).
    """

    phrase: str
    pivot: str
    to_pivot: float
    from_pivot: float

    def swap(self) -> TableEntry:
        """Exchange the two languages."""
        return TableEntry(phrase=self.pivot, pivot=self.phrase, to_pivot=self.from_pivot, from_pivot=self.to_pivot)


def read_phrase_table(path: PathLike, pack_language_first: bool, progress: Progress) -> Iterator[TableEntry]:
    """Yield the entries of a phrase table.

    Args:
        path: the path of the table, which can be compressed with gzip, bzip2 or xz.
        pack_language_first: whether the first column contains the phrases of the pack's language. In METEOR's tables,
            the second column contains them.
        progress: called with the progress.

    Raises:
        InputError: if a line is malformed. The message contains the name of the file and the line number.
    """
    name = input_name(path)
    for line_number, line in enumerate(read_segments(path), 1):
        if line_number % _BLOCK == 0:
            progress("reading the phrase table", line_number, None)
        entry = _parse_entry(line, f"{name}, line {line_number}")
        yield entry.swap() if pack_language_first else entry
    progress("reading the phrase table", 1, 1)


def store_phrase_table(
    entries: Iterable[TableEntry], filters: WordFilters, min_probability: float, folder: Path, progress: Progress
) -> None:
    """Convert a phrase table to binary files that :func:`open_phrase_table` can read.

    The memory usage grows with the number of distinct words. Assigning ids to phrases requires about 80 bytes per line.

    Args:
        entries: the entries of the table, in any order. Repeated pairs are not merged.
        filters: the filters for phrases.
        min_probability: the minimum probability. A pair is omitted if both of its probabilities are lower.
        folder: the folder for the files.
        progress: called with the progress.

    Raises:
        OSError: if the folder cannot be written.
    """
    with ExitStack() as stack:
        files = _ArrayFiles(folder, stack)
        writer = _PairWriter(files, filters)
        for entry in entries:
            if max(entry.to_pivot, entry.from_pivot) >= min_probability:
                writer.add(entry)
        files.flush()
    _write_phrase_ids(folder, "phrases", writer.phrases.vocabulary(), progress)
    _write_phrase_ids(folder, "pivots", writer.pivots.vocabulary(), progress)


class _PairWriter:
    """Write phrase pairs and their probabilities to several binary files.

    Args:
        files: the files.
        filters: the filters for phrases.
    """

    def __init__(self, files: _ArrayFiles, filters: WordFilters) -> None:
        self._files = files
        self.phrases = _PhraseWriter(filters.phrases, files, "phrases")
        self.pivots = _PhraseWriter(filters.pivots, files, "pivots")
        self._to_pivot_probabilities = files.create("to-pivot.bin", "d")
        self._from_pivot_probabilities = files.create("from-pivot.bin", "d")

    def add(self, entry: TableEntry) -> None:
        """Add a phrase pair unless a filter rejects one of its phrases. Pairs are written to the files in blocks."""
        pivot_ids = self.pivots.find_word_ids(entry.pivot)
        if not pivot_ids:
            return
        phrase_ids = self.phrases.find_word_ids(entry.phrase)
        if not phrase_ids:
            return
        self.phrases.add(phrase_ids)
        self.pivots.add(pivot_ids)
        self._to_pivot_probabilities.append(entry.to_pivot)
        self._from_pivot_probabilities.append(entry.from_pivot)
        if len(self._to_pivot_probabilities) >= _BLOCK:
            self._files.flush()


def _write_phrase_ids(folder: Path, name: str, vocabulary: list[str], progress: Progress) -> None:
    """Assign ids to the distinct phrases of one language, and write the ids, the phrases and the vocabulary.

    Args:
        folder: the folder that contains the phrases as word ids.
        name: the prefix of the file names.
        vocabulary: all words in the order of their ids.
        progress: called with the progress.
    """
    progress(f"numbering {name}", 0, None)
    words = map_file(folder / f"{name}-words.bin", np.uint32)
    lengths = np.fromfile(folder / f"{name}-row-lengths.bin", np.uint8)
    # Equal phrases have the same trie node. The nodes of shorter phrases come first.
    nodes = build_trie(words, lengths).phrase_nodes
    _, first_rows, ids = np.unique(nodes, return_index=True, return_inverse=True)
    np.save(folder / f"{name}-ids.npy", ids.astype(np.uint32))
    np.save(folder / f"{name}-positions.npy", compute_starts(lengths)[first_rows])
    np.save(folder / f"{name}-lengths.npy", lengths[first_rows])
    (folder / f"{name}-vocabulary.json").write_text(json.dumps(vocabulary), "utf-8", newline="\n")
    progress(f"numbering {name}", 1, 1)


def open_phrase_table(folder: Path) -> PhrasePairs:
    """Open the files that :func:`store_phrase_table` wrote. Most files are memory-mapped."""
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


def _parse_entry(line: str, location: str) -> TableEntry:
    """Parse a line of a phrase table whose first column contains the phrases of the pivot language.

    Args:
        line: the line.
        location: the name of the file and the line number, for error messages.

    Raises:
        InputError: if the line is malformed.
    """
    fields = [field.strip() for field in line.split("|||", 3)]
    if len(fields) < 3 or not fields[0] or not fields[1]:
        raise InputError(
            f"{location}: expected 'phrase ||| phrase ||| probabilities', but the line is {line[:60].strip()!r}"
        )
    pivot, phrase, scores = fields[:3]
    to_pivot, from_pivot = _parse_probabilities(scores, location)
    # A phrase with too many words has at least 256 words and 511 characters, including the spaces.
    # Counting words is slow, so only lines with at least 511 characters are checked.
    if len(line) > 2 * _MAX_WORDS:
        _check_phrase_length(pivot, location)
        _check_phrase_length(phrase, location)
    return TableEntry(phrase, pivot, to_pivot, from_pivot)


def _check_phrase_length(phrase: str, location: str) -> None:
    """Raise an :class:`InputError` if a phrase has too many words."""
    if len(phrase.split()) > _MAX_WORDS:
        raise InputError(f"{location}: a phrase of more than {_MAX_WORDS} words")


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
