"""The synonym dictionary: words, their synsets, and the base forms of the exceptions list, memory-mapped."""

from __future__ import annotations

import os
from pathlib import Path

from meteor_e.packs.indexfile import IndexFile, Layout, damaged
from meteor_e.packs.vocabulary import VOCABULARY_SECTIONS, Vocabulary

LAYOUT = Layout(
    b"MEsynset",
    (
        *VOCABULARY_SECTIONS,
        ("synset_start", 4),
        ("synset_ids", 4),
        ("base_start", 4),
        ("base_ids", 4),
    ),
)
"""Parameters: words, longest probe, words with synsets."""


class SynonymIndex:
    """Synsets of words and base forms of irregular words.

    All methods raise :class:`~meteor_e.base.errors.ResourceError` when the file turns out to be damaged.
    """

    __slots__ = (
        "_base_ids",
        "_base_start",
        "_entries",
        "_synset_ids",
        "_synset_start",
        "_vocabulary",
        "path",
    )

    def __init__(self, file: IndexFile) -> None:
        words, probes, entries = file.parameters[:3]
        self.path = file.path
        self._entries = entries
        self._vocabulary = Vocabulary(file, words, probes)
        sections = file.sections
        self._synset_start, self._synset_ids = sections["synset_start"], sections["synset_ids"]
        self._base_start, self._base_ids = sections["base_start"], sections["base_ids"]
        for start, data in ((self._synset_start, self._synset_ids), (self._base_start, self._base_ids)):
            if len(start) != words + 1 or start[words] != len(data):
                damaged(file.path, "its synset table does not fit")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SynonymIndex:
        """Map an index that :func:`build_synonym_index` wrote; ResourceError if it is none or damaged."""
        return cls(IndexFile.open(path, LAYOUT))

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the ids of the word's synsets, as the source file has them; empty for an unknown word."""
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
