"""Look up synonyms and paraphrases in memory-mapped index files."""

from __future__ import annotations

import itertools
import os
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import ResourceError
from meteor_e.packs.index_format import Layout, map_file, map_sections, raise_damaged, read_header

NODE_FIELDS = 3
"""The number of integers in the record of a trie node: the word with its flags, the first child, the first entry."""
_CACHED_WORDS = 1 << 16

_MAX_WORDS = 1 << 30
"""The limit of the number of words. The word id in a trie node has 30 bits, because two bits are flags."""
_MAX_WORD_BYTES = 1 << 32
"""The limit of the total size of all words. The offset of a word has 32 bits."""

WORD_SECTIONS = (("word_offsets", 4), ("word_bytes", 1), ("word_slots", 4))
"""The sections of the vocabulary. Its size and its longest probe sequence are the first two parameters of an index."""

SYNONYMS = Layout(
    b"MEsynset", (*WORD_SECTIONS, ("synset_start", 4), ("synset_ids", 4), ("base_start", 4), ("base_ids", 4))
)
"""The parameters are the number of words, the longest probe sequence, and the number of words with synsets."""

PARAPHRASES = Layout(b"MEphrase", (*WORD_SECTIONS, ("nodes", 4 * NODE_FIELDS), ("entries", 4)))
"""The parameters are those of :class:`ParaphraseParameters`."""


class ParaphraseParameters(NamedTuple):
    """The parameters of a paraphrase index, in file order."""

    n_words: int
    max_probes: int
    """The length of the longest probe sequence of the vocabulary."""
    n_first_words: int
    """The number of words that begin a phrase. Their ids are lower than the ids of all other words."""
    n_nodes: int
    """The number of trie nodes."""
    n_entries: int
    """The number of table entries."""
    longest: int
    """The number of words of the longest phrase."""


LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The flags in the low bits of a node's word, which say on which sides of the table the node's phrase occurs."""
_IS_PHRASE = LEFT_SIDE | RIGHT_SIDE
"""A mask for both flags. At least one of them is set if a phrase of the table ends at the node."""


class IndexFile:
    """A memory-mapped file with a vocabulary and with the synonyms or paraphrases of its words.

    The file remains mapped as long as a ``memoryview`` of its data exists. All methods raise
    :class:`~meteor_e.base.errors.ResourceError` for damaged data.

    Args:
        path: the path of the index.
        layout: the expected layout.

    Raises:
        ResourceError: if the file cannot be read, has a different layout, or has a damaged header.
    """

    def __init__(self, path: str | os.PathLike[str], layout: Layout) -> None:
        self.path = Path(path)
        data = map_file(self.path)
        self.parameters = read_header(self.path, data, layout).parameters
        self.sections = map_sections(self.path, data, layout)
        self.size, self._max_probes = self.parameters[:2]
        self._offsets = self.sections["word_offsets"]
        self._bytes = self.sections["word_bytes"]
        self._slots = self.sections["word_slots"]
        self._ids = BoundedCache[str, int](_CACHED_WORDS)
        self._check_vocabulary()

    def _check_vocabulary(self) -> None:
        """Raise a :class:`ResourceError` if the sizes of the vocabulary's sections are inconsistent."""
        has_all_words = len(self._offsets) == self.size + 1 and self._offsets[self.size] == len(self._bytes)
        n_slots = len(self._slots)
        is_power_of_two = n_slots & (n_slots - 1) == 0
        # A lookup ends at an empty slot, so there must be more slots than words.
        if not (has_all_words and is_power_of_two and n_slots > self.size and n_slots >= self._max_probes):
            raise_damaged(self.path, "its word table does not fit")

    def word_id(self, word: str) -> int:
        """Return the id of a word, or -1 if the index does not contain the word."""
        word_id = self._ids.get(word)
        if word_id is None:
            word_id = self._ids[word] = self._find_word(word.encode("utf-8", "surrogatepass"))
        return word_id

    def _find_word(self, encoded_word: bytes) -> int:
        """Look up a word in the hash table, and return its id, or -1 if the index does not contain the word."""
        first_position = zlib.crc32(encoded_word)
        # The number of slots is a power of two, so the mask computes the remainder.
        mask = len(self._slots) - 1
        for probe in range(self._max_probes):
            # A slot contains the id of its word plus 1, or 0 if it is empty.
            slot = self._slots[(first_position + probe) & mask]
            if slot == 0:
                break
            if self._encoded_word(slot - 1) == encoded_word:
                return slot - 1
        return -1

    def _encoded_word(self, word_id: int) -> memoryview:
        """Return the word with an id as UTF-8."""
        return self.row(self._offsets, self._bytes, word_id)

    def word(self, word_id: int) -> str:
        """Return the word with an id."""
        try:
            return str(self._encoded_word(word_id), "utf-8")
        except UnicodeDecodeError:
            raise_damaged(self.path, f"its word {word_id} is not valid UTF-8")

    def row(self, starts: memoryview, data: memoryview, index: int) -> memoryview:
        """Return a row of a table.

        Args:
            starts: the offset of each row in ``data``, followed by the end of the last row.
            data: the concatenated rows.
            index: the index of the row.
        """
        if not 0 <= index < len(starts) - 1:
            raise_damaged(self.path, f"its tables have no row {index}")
        start, end = starts[index], starts[index + 1]
        if not start <= end <= len(data):
            raise_damaged(self.path, f"row {index} of its tables is outside of the file")
        return data[start:end]

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return type(self), (self.path,)


class VocabularyData(NamedTuple):
    """A vocabulary in the form in which it is stored in an index file.

    Attributes:
        sections: the content of each of ``WORD_SECTIONS``.
        parameters: the number of words and the longest probe sequence, which are the first parameters of the index.
    """

    sections: list[bytes]
    parameters: tuple[int, int]


def make_vocabulary_sections(words: Sequence[bytes], source: Path) -> VocabularyData:
    """Convert a vocabulary to the binary form in which it is stored in an index file.

    Args:
        words: the words as UTF-8. The id of a word is its index.
        source: the path of the file in errors.

    Raises:
        ResourceError: for too many words.
    """
    text = b"".join(words)
    if len(text) >= _MAX_WORD_BYTES or len(words) >= _MAX_WORDS:
        raise ResourceError(f"{source} has too many words for an index ({len(words)} words, {len(text)} bytes)")
    offsets = array("I", [0, *itertools.accumulate(map(len, words))])
    slots, max_probes = _fill_hash_table(words)
    # No word needs more than max_probes probes, so a lookup can stop after one additional probe.
    return VocabularyData(
        sections=[offsets.tobytes(), text, slots.tobytes()],
        parameters=(len(words), min(max_probes + 1, len(slots))),
    )


def _fill_hash_table(words: Sequence[bytes]) -> tuple[array[int], int]:
    """Create a hash table for words, and return its slots and the length of its longest probe sequence.

    An empty slot contains 0. Any other slot contains the id of a word plus 1.
    """
    # The number of slots is a power of two, and at least twice the number of words.
    n_slots = max(2, 1 << (2 * len(words) - 1).bit_length())
    slots = array("I", bytes(4 * n_slots))
    mask = n_slots - 1
    max_probes = 0
    for word_id, word in enumerate(words):
        position = zlib.crc32(word) & mask
        n_probes = 1
        while slots[position]:
            position = (position + 1) & mask
            n_probes += 1
        slots[position] = word_id + 1
        max_probes = max(max_probes, n_probes)
    return slots, max_probes


class SynonymIndex(IndexFile):
    """An index that maps words to their synsets, and irregular words to their base forms."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, SYNONYMS)
        self._synsets = self.sections["synset_start"], self.sections["synset_ids"]
        self._bases = self.sections["base_start"], self.sections["base_ids"]
        for starts, data in (self._synsets, self._bases):
            if len(starts) != self.size + 1 or starts[self.size] != len(data):
                raise_damaged(self.path, "its synset table does not fit")

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the synset ids of a word in the order of the source file. The result is empty for unknown words."""
        word_id = self.word_id(word)
        return () if word_id < 0 else tuple(self.row(*self._synsets, word_id))

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the base forms of an irregular word in file order, or an empty tuple for any other word."""
        word_id = self.word_id(word)
        return () if word_id < 0 else tuple(map(self.word, self.row(*self._bases, word_id)))

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self.parameters[2]


class ParaphraseIndex(IndexFile):
    """The index of a paraphrase table. Phrases from both sides of the table are stored in one trie.

    Each phrase is identified by the number of its last trie node. The number is the same on both sides of the table.

    Attributes:
        nodes: the number of nodes. Node 0 is the empty phrase.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, PARAPHRASES)
        parameters = ParaphraseParameters(*self.parameters[: len(ParaphraseParameters._fields)])
        self.nodes = parameters.n_nodes
        self._n_first_words = parameters.n_first_words
        self._entries = self.sections["entries"]
        records = self.sections["nodes"]
        self._flagged_words = records[0::NODE_FIELDS]
        self._first_children = records[1::NODE_FIELDS]
        self._first_entry = records[2::NODE_FIELDS]
        if not self._is_consistent(parameters):
            raise_damaged(self.path, "its phrase table does not fit")

    def _is_consistent(self, parameters: ParaphraseParameters) -> bool:
        """Return whether the trie and the entries have the sizes that the parameters of the file specify."""
        # An additional record marks the end of the last node's children and entries.
        return (
            self.nodes > 0
            and len(self.sections["nodes"]) == NODE_FIELDS * (self.nodes + 1)
            and len(self._entries) == parameters.n_entries
            and self._first_children[0] == 1
            and self._first_children[self.nodes] == self.nodes
            and self._first_entry[self.nodes] == parameters.n_entries
            and parameters.n_first_words < self.nodes
            and parameters.n_first_words <= self.size
        )

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Find the phrases of the table that begin at a position in a segment. Return their lengths and trie nodes.

        The list begins with the shortest phrase. The function starts at the root of the trie and follows the segment's
        words from node to child node. The function is long, because smaller functions would be 40% slower.

        Args:
            ids: the ids of a segment's words; see :meth:`word_id`.
            start: the position in ``ids``.
        """
        first_word = ids[start]
        if not 0 <= first_word < self._n_first_words:
            return []
        # In a flagged word, the low bits are a trie node's flags, and the other bits are the id of the node's word.
        flagged_words, first_children = self._flagged_words, self._first_children
        # Words that begin a phrase are children of the root, in the order of their ids.
        node = first_word + 1
        phrases = [(1, node)] if flagged_words[node] & _IS_PHRASE else []
        try:
            for position in range(start + 1, len(ids)):
                word = ids[position]
                # The children of a node are sorted by their words.
                children_end = first_children[node + 1]
                node = bisect_left(flagged_words, word << FLAG_BITS, first_children[node], children_end)
                if node >= children_end or flagged_words[node] >> FLAG_BITS != word:
                    break
                if flagged_words[node] & _IS_PHRASE:
                    phrases.append((position + 1 - start, node))
        except IndexError:
            raise_damaged(self.path, "a node of its trie does not exist")
        return phrases

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the trie nodes of all paraphrases of a phrase, in the order of the paraphrase table.

        Args:
            node: the node of the phrase on the left side of the table.
        """
        return self.row(self._first_entry, self._entries, node)

    def phrase(self, node: int) -> tuple[str, ...]:
        """Return the words of a node's phrase."""
        word_ids: list[int] = []
        try:
            while node:
                word_ids.append(self._flagged_words[node] >> FLAG_BITS)
                # The list of first children is sorted, so a binary search in this list finds the parent of a node.
                node = bisect_right(self._first_children, node, 0, node) - 1
        except IndexError:
            raise_damaged(self.path, f"it has no phrase {node}")
        return tuple(map(self.word, reversed(word_ids)))

    def __len__(self) -> int:
        """Return the number of table entries."""
        return len(self._entries)
