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
NODE_FIELDS = 3
"""The number of integers in the record of a trie node: the word with its flags, the first child, the first entry."""

_FIXED = struct.Struct("<8sIIQII8I")  # magic, version, byte order, file size, CRC, sections, parameters
_SECTION = struct.Struct("<QQ")  # offset, size in bytes
_CRC_OFFSET = 24
_BLOCK_SIZE = 1 << 16
"""The size in bytes of the blocks in which sections are written. Linux maps a file in blocks of the written size.

With small blocks, a process that looks up one sentence in the English table maps 7 MB instead of 60 MB."""
_CACHED_WORDS = 1 << 16

_MAX_WORDS = 1 << 30
"""The limit of the number of words. The word id in a trie node has 30 bits, because two bits are flags."""
_MAX_WORD_BYTES = 1 << 32
"""The limit of the total size of all words. The offset of a word has 32 bits."""


class Layout(NamedTuple):
    """The file layout of a kind of index."""

    magic: bytes
    """The first eight bytes of the file."""
    sections: tuple[tuple[str, int], ...]
    """The name and the element size in bytes of each section, in file order, beginning with ``WORD_SECTIONS``."""

    @property
    def header_size(self) -> int:
        """The size in bytes of the header, which contains the fixed fields and the section table."""
        return _FIXED.size + _SECTION.size * len(self.sections)


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
_SIDES = LEFT_SIDE | RIGHT_SIDE


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
        view = _map_file(self.path)
        self.parameters = self._read_header(view, layout)
        self.sections = self._map_sections(view, layout)
        self.size, self._max_probes = self.parameters[:2]
        self._offsets = self.sections["word_offsets"]
        self._bytes = self.sections["word_bytes"]
        self._slots = self.sections["word_slots"]
        self._ids = BoundedCache[str, int](_CACHED_WORDS)
        self._check_vocabulary()

    def _check_vocabulary(self) -> None:
        """Raise a :class:`ResourceError` if the sections of the vocabulary do not fit each other."""
        has_all_words = len(self._offsets) == self.size + 1 and self._offsets[self.size] == len(self._bytes)
        n_slots = len(self._slots)
        is_power_of_two = n_slots & (n_slots - 1) == 0
        # A lookup ends at an empty slot, so there must be more slots than words.
        if not (has_all_words and is_power_of_two and n_slots > self.size and n_slots >= self._max_probes):
            raise_damaged(self.path, "its word table does not fit")

    def _read_header(self, view: memoryview, layout: Layout) -> tuple[int, ...]:
        """Check the header of an index file, and return the parameters that it contains."""
        if bytes(view[: len(layout.magic)]) != layout.magic:
            raise_damaged(self.path, f"it does not begin with {layout.magic.decode('ascii')!r}, like such an index")
        if len(view) < layout.header_size:
            raise_damaged(self.path, "it ends inside its header")
        _, version, byte_order, size, checksum, n_sections, *parameters = _FIXED.unpack_from(view)
        if byte_order != BYTE_ORDER_MARK or sys.byteorder != "little":
            raise_damaged(self.path, "its byte order is not the byte order of this machine")
        if version != FORMAT_VERSION:
            raise_damaged(self.path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            raise_damaged(self.path, f"it has {len(view)} bytes instead of {size}")
        if n_sections != len(layout.sections) or checksum != _compute_checksum(view[: layout.header_size]):
            raise_damaged(self.path, "the checksum of its header is wrong")
        return tuple(parameters)

    def _map_sections(self, view: memoryview, layout: Layout) -> dict[str, memoryview]:
        """Return a memory view of each section of the file. The items of a view have four bytes or one byte."""
        sections = {}
        previous_end = layout.header_size
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
        word_id = self._ids.get(word)
        if word_id is None:
            word_id = self._ids[word] = self._find_word(word.encode("utf-8", "surrogatepass"))
        return word_id

    def _find_word(self, encoded_word: bytes) -> int:
        """Look up a word in the hash table, and return its id, or -1 if the index does not contain the word."""
        offsets, data, slots = self._offsets, self._bytes, self._slots
        first_probe = zlib.crc32(encoded_word)
        try:
            for probe in range(first_probe, first_probe + self._max_probes):
                # The number of slots is a power of two, so the mask computes the remainder.
                slot = slots[probe & (len(slots) - 1)]
                if slot == 0:
                    return -1
                # A slot contains the id of its word plus 1.
                if data[offsets[slot - 1] : offsets[slot]] == encoded_word:
                    return slot - 1
        except IndexError:
            raise_damaged(self.path, "its word table does not fit")
        return -1

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


def _map_file(path: Path) -> memoryview:
    """Map a file into memory. Raise a :class:`ResourceError` if the file cannot be read."""
    try:
        with open_regular(path) as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot open the index {path}: {reason}") from error


def _compute_checksum(header: bytearray | memoryview) -> int:
    """Return the checksum of a header, which is computed as if its own four bytes were zeros."""
    checked_header = bytearray(header)
    checked_header[_CRC_OFFSET : _CRC_OFFSET + 4] = bytes(4)
    return zlib.crc32(checked_header)


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
    position = layout.header_size
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
    struct.pack_into("<I", header, _CRC_OFFSET, _compute_checksum(header))
    return header, offsets


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
    # A lookup can stop after one probe more than the longest probe sequence.
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
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, PARAPHRASES)
        parameters = ParaphraseParameters(*self.parameters[: len(ParaphraseParameters._fields)])
        self.nodes = parameters.n_nodes
        self._n_first_words = parameters.n_first_words
        self._entries = self.sections["entries"]
        records = self.sections["nodes"]
        self._words = records[0::NODE_FIELDS]
        self._first_child = records[1::NODE_FIELDS]
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
            and self._first_child[0] == 1
            and self._first_child[self.nodes] == self.nodes
            and self._first_entry[self.nodes] == parameters.n_entries
            and parameters.n_first_words < self.nodes
            and parameters.n_first_words <= self.size
        )

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Find the phrases of the table that begin at a position in a segment. Return their lengths and trie nodes.

        Shorter phrases come first. Splitting this function would make it 40% slower.

        Args:
            ids: the ids of a segment's words; see :meth:`word_id`.
            start: the position in ``ids``.
        """
        first_word = ids[start]
        if not 0 <= first_word < self._n_first_words:
            return []
        words, first_child = self._words, self._first_child
        # Words that begin a phrase are children of the root, in the order of their ids.
        node = first_word + 1
        phrases = [(1, node)] if words[node] & _SIDES else []
        try:
            for position in range(start + 1, len(ids)):
                word = ids[position]
                children_end = first_child[node + 1]
                # The children of a node are sorted by their words. The low bits of a node's word are flags.
                node = bisect_left(words, word << FLAG_BITS, first_child[node], children_end)
                if node >= children_end or words[node] >> FLAG_BITS != word:
                    break
                if words[node] & _SIDES:
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
