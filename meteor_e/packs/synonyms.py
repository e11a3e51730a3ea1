"""The synonym dictionary: words, their synsets, and the base forms of the exceptions list, memory-mapped."""

from __future__ import annotations

import os
from pathlib import Path

from meteor_e.packs.indexfile import IndexFile, Layout, damaged
from meteor_e.packs.vocabulary import SECTIONS, Vocabulary

LAYOUT = Layout(
    b"MEsynset",
    (
        *SECTIONS,
        ("synset_start", 4),
        ("synset_ids", 4),
        ("base_start", 4),
        ("base_ids", 4),
        ("name_offsets", 4),
        ("name_bytes", 1),
    ),
)
"""Parameters: words, longest probe, words with synsets, distinct synsets."""


class SynonymIndex:
    """Synsets of words and base forms of irregular words.

    All methods raise :class:`~meteor_e.errors.ResourceError` when the file turns out to be damaged.
    """

    __slots__ = ("_base_ids", "_base_start", "_entries", "_name_bytes", "_name_offsets", "_synset_ids",
                 "_synset_start", "_synsets", "_vocabulary", "path")  # fmt: skip

    def __init__(self, file: IndexFile) -> None:
        words, probes, entries, synsets = file.parameters[:4]
        self.path = file.path
        self._entries = entries
        self._synsets = synsets
        self._vocabulary = Vocabulary(file, words, probes)
        sections = file.sections
        self._synset_start, self._synset_ids = sections["synset_start"], sections["synset_ids"]
        self._base_start, self._base_ids = sections["base_start"], sections["base_ids"]
        self._name_offsets, self._name_bytes = sections["name_offsets"], sections["name_bytes"]
        for start, count, data in (
            (self._synset_start, words, self._synset_ids),
            (self._base_start, words, self._base_ids),
            (self._name_offsets, synsets, self._name_bytes),
        ):
            if len(start) != count + 1 or start[count] != len(data):
                damaged(file.path, "its synset table does not fit")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SynonymIndex:
        """Map an index that :func:`build_synonym_index` wrote; ResourceError if it is none or damaged."""
        return cls(IndexFile.open(path, LAYOUT))

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the numbers of the word's synsets, in the file's order; empty for an unknown word."""
        number = self._vocabulary.id(word)
        if number < 0:
            return ()
        return tuple(self._row(self._synset_start, self._synset_ids, number))

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the word's base forms after the exceptions list, in its order; empty if it is not there."""
        number = self._vocabulary.id(word)
        if number < 0:
            return ()
        try:
            return tuple(map(self._vocabulary.word, self._row(self._base_start, self._base_ids, number)))
        except IndexError:
            damaged(self.path, "a base form lies outside it")

    def synset_name(self, synset: int) -> str:
        """Return the identifier that the source file gives a synset, numeric ones without leading zeros."""
        if not 0 <= synset < self._synsets:
            raise IndexError(synset)
        return bytes(self._row(self._name_offsets, self._name_bytes, synset)).decode("utf-8", "replace")

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self._entries

    def _row(self, starts: memoryview, data: memoryview, number: int) -> memoryview:
        try:
            start, end = starts[number], starts[number + 1]
        except IndexError:
            damaged(self.path, "a word lies outside its synset table")
        if not start <= end <= len(data):
            damaged(self.path, "a synset lies outside it")
        return data[start:end]

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return SynonymIndex.open, (self.path,)
