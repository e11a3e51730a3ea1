"""Look up synonyms and paraphrases in memory-mapped index files.

``docs/index-format.md`` documents the format byte by byte. The C++ core maps the same files into memory. Even large
files are opened at once, because only the header is checked.
"""

from __future__ import annotations

import itertools
import mmap
import os
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular

FORMAT_VERSION = 1
BYTE_ORDER_MARK = 0x0A0B0C0D
ALIGNMENT = 64
PARAMETERS = 8

_FIXED = struct.Struct("<8sIIQII8I")  # magic, version, byte order, file size, CRC, sections, parameters
_SECTION = struct.Struct("<QQ")  # offset, size in bytes
_CRC_OFFSET = 24
_BLOCK_SIZE = 1 << 16
"""The size in bytes of the blocks in which sections are written. Linux maps a file in blocks of the written size.

With small blocks, a process that looks up one sentence in the English table maps 7 MB instead of 60 MB."""
_CACHED_WORDS = 1 << 16


class Layout(NamedTuple):
    """The file layout of a kind of index."""

    magic: bytes
    """The first eight bytes of the file."""
    sections: tuple[tuple[str, int], ...]
    """The name and the element size in bytes of each section, in file order, beginning with ``WORD_SECTIONS``."""


WORD_SECTIONS = (("word_offsets", 4), ("word_bytes", 1), ("word_slots", 4))
"""The sections of the vocabulary. Its size and its longest probe sequence are the first two parameters of an index."""

SYNONYMS = Layout(
    b"MEsynset", (*WORD_SECTIONS, ("synset_start", 4), ("synset_ids", 4), ("base_start", 4), ("base_ids", 4))
)
"""The parameters are the number of words, the longest probe sequence, and the number of words with synsets."""

PARAPHRASES = Layout(b"MEphrase", (*WORD_SECTIONS, ("nodes", 12), ("entries", 4)))
"""The parameters are the size of the vocabulary, the longest probe sequence, and four numbers about the phrases.

These are the number of words that begin a phrase, of nodes and of entries, and the length of the longest phrase."""

LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The flags in the low bits of a node's word, which say on which sides of the table the node's phrase occurs."""


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
        try:
            with open_regular(self.path) as file:
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ResourceError(f"cannot open the index {self.path}: {reason}") from error
        self.parameters = self._read_header(view, layout)
        self.sections = self._map_sections(view, layout)
        self.size, self._max_probes = self.parameters[:2]
        self._offsets = self.sections["word_offsets"]
        self._bytes = self.sections["word_bytes"]
        self._slots = self.sections["word_slots"]
        self._ids = BoundedCache[str, int](_CACHED_WORDS)
        n_slots = len(self._slots)
        has_all_words = len(self._offsets) == self.size + 1 and self._offsets[self.size] == len(self._bytes)
        is_power_of_two = n_slots & (n_slots - 1) == 0
        has_enough_slots = is_power_of_two and n_slots > self.size and n_slots >= self._max_probes
        if not has_all_words or not has_enough_slots:
            raise_damaged(self.path, "its word table does not fit")

    def _read_header(self, view: memoryview, layout: Layout) -> tuple[int, ...]:
        """Check the header of an index file, and return the parameters that it contains."""
        if bytes(view[:8]) != layout.magic:
            raise_damaged(self.path, f"it does not begin with {layout.magic.decode('ascii')!r}, like such an index")
        header_size = _FIXED.size + _SECTION.size * len(layout.sections)
        if len(view) < header_size:
            raise_damaged(self.path, "it ends inside its header")
        _, version, byte_order, size, crc, n_sections, *parameters = _FIXED.unpack_from(view)
        if byte_order != BYTE_ORDER_MARK or sys.byteorder != "little":
            raise_damaged(self.path, "its byte order is not the byte order of this machine")
        if version != FORMAT_VERSION:
            raise_damaged(self.path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            raise_damaged(self.path, f"it has {len(view)} bytes instead of {size}")
        header = bytearray(view[:header_size])
        # The checksum is computed as if its own four bytes were zeros.
        header[_CRC_OFFSET : _CRC_OFFSET + 4] = bytes(4)
        if n_sections != len(layout.sections) or crc != zlib.crc32(header):
            raise_damaged(self.path, "the checksum of its header is wrong")
        return tuple(parameters)

    def _map_sections(self, view: memoryview, layout: Layout) -> dict[str, memoryview]:
        """Return a memory view of each section of the file. The items of a view have four bytes or one byte."""
        sections = {}
        previous_end = _FIXED.size + _SECTION.size * len(layout.sections)
        for index, (name, item_size) in enumerate(layout.sections):
            start, length = _SECTION.unpack_from(view, _FIXED.size + _SECTION.size * index)
            end = start + length
            if start % ALIGNMENT or start < previous_end or end > len(view) or length % item_size:
                raise_damaged(self.path, f"its section {name!r} is misaligned, or exceeds the file")
            sections[name] = view[start:end].cast("I") if item_size % 4 == 0 else view[start:end]
            previous_end = end
        return sections

    def word_id(self, word: str) -> int:
        """Return the id of a word, or -1 if the index does not contain the word."""
        cached_id = self._ids.get(word)
        if cached_id is not None:
            return cached_id
        offsets, data, slots = self._offsets, self._bytes, self._slots
        encoded_word = word.encode("utf-8", "surrogatepass")
        first_probe = zlib.crc32(encoded_word)
        word_id = -1
        try:
            for probe in range(first_probe, first_probe + self._max_probes):
                # The number of slots is a power of two, so the mask computes the remainder.
                slot = slots[probe & (len(slots) - 1)]
                if slot == 0:
                    break
                # A slot contains the id of its word plus 1.
                slot_word = data[offsets[slot - 1] : offsets[slot]]
                if slot_word == encoded_word:
                    word_id = slot - 1
                    break
        except IndexError:
            raise_damaged(self.path, "its word table does not fit")
        self._ids[word] = word_id
        return word_id

    def word(self, word_id: int) -> str:
        """Return the word with an id."""
        try:
            start, end = self._offsets[word_id], self._offsets[word_id + 1]
            if start <= end <= len(self._bytes):
                return str(self._bytes[start:end], "utf-8")
        except (IndexError, UnicodeDecodeError):
            pass
        raise_damaged(self.path, f"it has no word {word_id}")

    def row(self, starts: memoryview, data: memoryview, index: int) -> memoryview:
        """Return a row of a table.

        Args:
            starts: the offset of each row in ``data``.
            data: the concatenated rows.
            index: the index of the row.
        """
        try:
            start, end = starts[index], starts[index + 1]
            if start <= end <= len(data):
                return data[start:end]
        except IndexError:
            pass
        raise_damaged(self.path, f"its tables have no row {index}")

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return type(self), (self.path,)


def raise_damaged(path: Path, problem: str) -> NoReturn:
    """Raise the :class:`ResourceError` for a damaged index."""
    raise ResourceError(
        f"cannot use the index {path}: {problem}; "
        "create it again by installing its pack or converting its source; if it is in the cache, delete it"
    )


def write_index(
    target: Path, layout: Layout, parameters: Sequence[int], sections: Iterable[bytes | memoryview]
) -> None:
    """Write an index.

    Args:
        target: the path of the index. It is written in place, so readers must not use this path until it is complete.
        layout: the layout of the index.
        parameters: the parameters of the index.
        sections: the sections, in the order of the layout and in the byte order of the machine.
    """
    views = [memoryview(section).cast("B") for section in sections]
    if len(views) != len(layout.sections) or len(parameters) > PARAMETERS:
        raise ValueError("sections or parameters do not fit the layout")
    if sys.byteorder != "little":
        raise ResourceError("indexes need a machine whose byte order is little-endian")
    header, offsets = _make_header(layout, parameters, [len(view) for view in views])
    with target.open("wb") as output:
        output.write(header)
        for offset, view in zip(offsets, views, strict=True):
            padding = bytes(offset - output.tell())
            output.write(padding)
            for start in range(0, len(view), _BLOCK_SIZE):
                output.write(view[start : start + _BLOCK_SIZE])
        output.flush()
        os.fsync(output.fileno())


def _make_header(layout: Layout, parameters: Sequence[int], sizes: Sequence[int]) -> tuple[bytearray, list[int]]:
    """Create the header of an index file, and compute the offset of each section.

    Args:
        layout: the layout of the index.
        parameters: the parameters of the index.
        sizes: the size of each section in bytes.
    """
    position = _FIXED.size + _SECTION.size * len(sizes)
    section_table = b""
    offsets = []
    for size in sizes:
        # Round up to a multiple of the alignment.
        position += -position % ALIGNMENT
        section_table += _SECTION.pack(position, size)
        offsets.append(position)
        position += size
    padded_parameters = [*parameters, *[0] * (PARAMETERS - len(parameters))]
    file_size, checksum = position, 0
    fixed = _FIXED.pack(
        layout.magic, FORMAT_VERSION, BYTE_ORDER_MARK, file_size, checksum, len(sizes), *padded_parameters
    )
    header = bytearray(fixed + section_table)
    # The checksum of the header is computed while its own four bytes are zeros.
    struct.pack_into("<I", header, _CRC_OFFSET, zlib.crc32(header))
    return header, offsets


def make_vocabulary_sections(words: Sequence[bytes], source: Path) -> tuple[list[bytes], list[int]]:
    """Convert a vocabulary to the binary form in which it is stored in an index file.

    Args:
        words: the words as UTF-8. The id of a word is its index.
        source: the path of the file in errors.

    Returns:
        The sections of the vocabulary, and its size and its longest probe sequence, which are parameters of the index.

    Raises:
        ResourceError: for too many words.
    """
    text = b"".join(words)
    if len(text) >= 1 << 32 or len(words) >= 1 << 30:
        raise ResourceError(f"{source} has too many words for an index ({len(words)} words, {len(text)} bytes)")
    offsets = array("I", [0, *itertools.accumulate(map(len, words))])
    slots, max_probes = _fill_hash_table(words)
    # A lookup can stop after one probe more than the longest probe sequence.
    return [offsets.tobytes(), text, slots.tobytes()], [len(words), min(max_probes + 1, len(slots))]


def _fill_hash_table(words: Sequence[bytes]) -> tuple[array[int], int]:
    """Create a hash table for words, and return its slots and the length of its longest probe sequence.

    An empty slot contains 0. Any other slot contains the id of a word plus 1.
    """
    # The number of slots is a power of two, and at least twice the number of words.
    n_slots = max(2, 1 << (2 * len(words) - 1).bit_length()) if words else 2
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
        """Return the base forms of an irregular word in the order of the file. The result is empty for other words."""
        word_id = self.word_id(word)
        return () if word_id < 0 else tuple(map(self.word, self.row(*self._bases, word_id)))

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self.parameters[2]


class ParaphraseIndex(IndexFile):
    """The index of a paraphrase table. Phrases from both sides of the table are stored in one trie.

    The number of a trie node identifies a phrase. A phrase has the same number on both sides of the table.

    Attributes:
        nodes: the number of nodes. Node 0 is the empty phrase.
        longest: the number of words of the longest phrase.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, PARAPHRASES)
        _, _, self._first_words, self.nodes, n_entries, self.longest = self.parameters[:6]
        self._entries = self.sections["entries"]
        records = self.sections["nodes"]
        self._words = records[0::3]
        self._first_child = records[1::3]
        self._first_entry = records[2::3]
        has_all_records = len(records) == 3 * (self.nodes + 1) and len(self._entries) == n_entries
        if not has_all_records or not self.nodes:
            raise_damaged(self.path, "its phrase table does not fit")
        has_root = self._first_child[0] == 1
        # An additional record marks the end of the last children and entries.
        has_end = self._first_child[self.nodes] == self.nodes and self._first_entry[self.nodes] == n_entries
        has_all_first_words = self._first_words < self.nodes and self._first_words <= self.size
        if not (has_root and has_end and has_all_first_words):
            raise_damaged(self.path, "its phrase table does not fit")

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Find the phrases of the table that begin at a position in a segment. Return their lengths and trie nodes.

        Shorter phrases come first. The search follows the words of the segment down the trie.

        Args:
            ids: the ids of a segment's words; see :meth:`word_id`.
            start: the position in ``ids``.
        """
        phrases: list[tuple[int, int]] = []
        first_word = ids[start]
        if not 0 <= first_word < self._first_words:
            return phrases
        words, first_child = self._words, self._first_child
        try:
            # Words that begin a phrase are children of the root, in the order of their ids.
            node = first_word + 1
            record = words[node]
            if record & (LEFT_SIDE | RIGHT_SIDE):
                phrases.append((1, node))
            for position in range(start + 1, len(ids)):
                word = ids[position]
                low, high = first_child[node], first_child[node + 1]
                if low >= high or word < 0:
                    break
                # Flags are in the low bits, so sorting the children of a node sorts them by word id.
                node = bisect_left(words, word << FLAG_BITS, low, high)
                if node >= high:
                    break
                record = words[node]
                if record >> FLAG_BITS != word:
                    break
                if record & (LEFT_SIDE | RIGHT_SIDE):
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
                word_ids.append(self._words[node] >> FLAG_BITS)
                # In breadth-first order, child numbers increase, so the parent is found by binary search.
                node = bisect_right(self._first_child, node, 0, node) - 1
        except IndexError:
            raise_damaged(self.path, f"it has no phrase {node}")
        return tuple(map(self.word, reversed(word_ids)))

    def __len__(self) -> int:
        """Return the number of table entries."""
        return len(self._entries)
