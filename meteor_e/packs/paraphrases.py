"""The paraphrase table, as a memory-mapped trie over the phrases of both sides."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from meteor_e.packs.indexfile import IndexFile, Layout, damaged
from meteor_e.packs.vocabulary import VOCABULARY_SECTIONS, Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAYOUT = Layout(b"MEphrase", (*VOCABULARY_SECTIONS, ("nodes", 12), ("entries", 4)))
"""Parameters: words, longest probe, starting words, nodes, entries, longest phrase."""

LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The low bits of a node's word: its phrase is the left (right) side of a table entry."""
_FLAGS = LEFT_SIDE | RIGHT_SIDE

_TOGETHER = 1 << 22
"""Entries that are counted together."""


class ParaphraseIndex:
    """A paraphrase table, looked up by phrase.

    A phrase is a *node*, a number: equal phrases are equal nodes, whichever side of the table they stand on.
    All methods raise :class:`~meteor_e.base.errors.ResourceError` when the file turns out to be damaged.
    """

    __slots__ = ("_entries", "_first_child", "_first_entry", "_starts", "_vocabulary", "_words", "longest",
                 "nodes", "path")  # fmt: skip

    def __init__(self, file: IndexFile) -> None:
        words, probes, starts, nodes, entries, longest = file.parameters[:6]
        self.path = file.path
        self.nodes = nodes
        """How many nodes there are; node 0 is the empty phrase."""
        self.longest = longest
        """Words of the longest phrase."""
        self._vocabulary = Vocabulary(file, words, probes)
        records = file.sections["nodes"]
        self._words = records[0::3]
        self._first_child = records[1::3]
        self._first_entry = records[2::3]
        self._entries = file.sections["entries"]
        self._starts = starts
        if (
            len(records) != 3 * (nodes + 1)
            or len(self._entries) != entries
            or not nodes
            or starts >= nodes
            or starts > words
            or self._first_child[0] != 1
            or self._first_child[nodes] != nodes
            or self._first_entry[nodes] != entries
        ):
            damaged(file.path, "its phrase table does not fit")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParaphraseIndex:
        """Map an index that :func:`build_paraphrase_index` wrote; ResourceError if it is none or damaged."""
        return cls(IndexFile.open(path, LAYOUT))

    def word_id(self, word: str) -> int:
        """Return the number of a word, or -1 if no phrase holds it."""
        return self._vocabulary.id(word)

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return (length, node) of every table phrase, of either side, that begins at ``ids[start]``.

        ``ids`` are the :meth:`word_id` of a segment's words. Shortest first.
        """
        found: list[tuple[int, int]] = []
        word = ids[start]
        if not 0 <= word < self._starts:
            return found
        words, first_child = self._words, self._first_child
        end = len(ids)
        position = start + 1
        try:
            # Nodes of one word follow from the word: the root's children are the words that begin a phrase.
            node = word + 1
            flagged = words[node]
            while True:
                if flagged & _FLAGS:
                    found.append((position - start, node))
                if position == end:
                    return found
                word = ids[position]
                low, high = first_child[node], first_child[node + 1]
                if low >= high or word < 0:
                    return found
                # The flags are the low bits, so children are in the order of their words.
                node = bisect_left(words, word << FLAG_BITS, low, high)
                if node >= high:
                    return found
                flagged = words[node]
                if flagged >> FLAG_BITS != word:
                    return found
                position += 1
        except IndexError:
            damaged(self.path, "a phrase in it leads nowhere")

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes of the right sides of all entries whose left side is ``node``, in table order.

        An entry that the table holds twice is there twice.
        """
        first_entry, entries = self._first_entry, self._entries
        try:
            start, end = first_entry[node], first_entry[node + 1]
        except IndexError:
            damaged(self.path, f"it has no phrase {node}")
        if not start <= end <= len(entries):
            damaged(self.path, "an entry lies outside it")
        return entries[start:end]

    def paraphrase_counts(self) -> NDArray[np.int64]:
        """Return of each node how many entries have it as their right side; ``(nodes,)``."""
        import numpy as np

        counts = np.zeros(self.nodes, np.int64)
        for begin in range(0, len(self._entries), _TOGETHER):
            part = np.frombuffer(self._entries[begin : begin + _TOGETHER], np.uint32)
            if part.max() >= self.nodes:
                damaged(self.path, f"it has no phrase {part.max()}")
            counts += np.bincount(part, minlength=self.nodes)
        return counts

    def phrase(self, node: int) -> tuple[str, ...]:
        """Return the words of a node."""
        numbers: list[int] = []
        try:
            while node:
                numbers.append(self._words[node] >> FLAG_BITS)
                # Children are numbered after their parent, in the order of their parents.
                node = bisect_right(self._first_child, node, 0, node) - 1
            return tuple(map(self._vocabulary.word, reversed(numbers)))
        except IndexError:
            damaged(self.path, f"it has no phrase {node}")

    def __len__(self) -> int:
        """Return the number of table entries."""
        return len(self._entries)

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return ParaphraseIndex.open, (self.path,)
