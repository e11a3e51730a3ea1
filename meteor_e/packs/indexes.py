"""Memory-mapped indexes of synonyms and paraphrases, with a common file format and vocabulary.

``docs/index-format.md`` documents the format byte by byte; the native core maps the same files. Opening an index reads
a few pages, regardless of the size of the file: the header is checked, but the content of the sections is not read.
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

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular
from meteor_e.base.memory import Memory

FORMAT_VERSION = 1
BYTE_ORDER_MARK = 0x0A0B0C0D
ALIGNMENT = 64
PARAMETERS = 8

_FIXED = struct.Struct("<8sIIQII8I")  # magic, version, byte order, file size, CRC, sections, parameters
_SECTION = struct.Struct("<QQ")  # offset, size in bytes
_CRC_OFFSET = 24
# Linux caches a file in pages of the size in which it was written, and maps complete pages. If the English table is
# written at once, a process that looks up one sentence maps 60 MB; if it is written in small blocks, 7 MB.
_BLOCK_SIZE = 1 << 16
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
"""Parameters: number of words, longest probe sequence, number of words with synsets."""

PARAPHRASES = Layout(b"MEphrase", (*WORD_SECTIONS, ("nodes", 12), ("entries", 4)))
"""Parameters: number of words, longest probe sequence, numbers of first words, nodes and entries, longest phrase."""

LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The low bits of a node's word. They say whether its phrase is the left (right) side of a table entry."""


class IndexFile:
    """A mapped index: its parameters, a view of each section, and a hash table of its words.

    The file remains mapped as long as one of the views exists. All methods raise
    :class:`~meteor_e.base.errors.ResourceError` if they encounter damaged data.

    Args:
        path: the path of the index.
        layout: the expected layout.

    Raises:
        ResourceError: if the file cannot be read, has a different layout, or has a damaged header.
    """

    def __init__(self, path: str | os.PathLike[str], layout: Layout) -> None:
        self.path = path = Path(path)
        try:
            with open_regular(path) as file:
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ResourceError(f"cannot open the index {path}: {reason}") from error
        if bytes(view[:8]) != layout.magic:
            damaged(path, f"it does not begin with {layout.magic.decode('ascii')!r}, so it is not such an index")
        end = _FIXED.size + _SECTION.size * len(layout.sections)
        if len(view) < end:
            damaged(path, "it ends inside its header")
        _, version, byte_order, size, crc, n_sections, *parameters = _FIXED.unpack_from(view)
        if byte_order != BYTE_ORDER_MARK or sys.byteorder != "little":
            damaged(path, "its byte order is not the one of this machine")
        if version != FORMAT_VERSION:
            damaged(path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            damaged(path, f"it holds {len(view)} bytes and should hold {size}")
        # The checksum is computed over the header with zeros in place of the checksum.
        initial_crc = zlib.crc32(bytes(4), zlib.crc32(view[:_CRC_OFFSET]))
        if n_sections != len(layout.sections) or crc != zlib.crc32(view[_CRC_OFFSET + 4 : end], initial_crc):
            damaged(path, "the checksum of its header is wrong")
        self.parameters: tuple[int, ...] = tuple(parameters)
        self.sections: dict[str, memoryview] = {}
        for index, (name, item_size) in enumerate(layout.sections):
            start, length = _SECTION.unpack_from(view, _FIXED.size + _SECTION.size * index)
            if start % ALIGNMENT or start < end or start + length > size or length % item_size:
                damaged(path, f"its section {name!r} lies outside the file or is out of line")
            end = start + length
            self.sections[name] = view[start:end].cast("I") if item_size % 4 == 0 else view[start:end]
        self.size, self._max_probes = self.parameters[:2]
        self._offsets, self._bytes, self._slots = list(self.sections.values())[:3]
        self._ids = Memory[str, int](_CACHED_WORDS)
        n_slots = len(self._slots)
        if (
            len(self._offsets) != self.size + 1
            or self._offsets[self.size] != len(self._bytes)
            or n_slots & (n_slots - 1)
            or n_slots <= self.size
            or self._max_probes > n_slots
        ):
            damaged(path, "its word table does not fit")

    def word_id(self, word: str) -> int:
        """Return the id of a word, or -1 if the index does not contain the word."""
        cached_id = self._ids.get(word)
        if cached_id is not None:
            return cached_id
        key = word.encode("utf-8", "surrogatepass")
        offsets, data, slots = self._offsets, self._bytes, self._slots
        position, word_id = zlib.crc32(key), -1
        try:
            for _ in range(self._max_probes):
                slot = slots[position & (len(slots) - 1)]
                if not slot:
                    break
                if data[offsets[slot - 1] : offsets[slot]] == key:
                    word_id = slot - 1
                    break
                position += 1
        except IndexError:
            damaged(self.path, "its word table does not fit")
        self._ids[word] = word_id
        return word_id

    def word(self, number: int) -> str:
        """Return the word with an id."""
        try:
            start, end = self._offsets[number], self._offsets[number + 1]
            if start <= end <= len(self._bytes):
                return str(self._bytes[start:end], "utf-8")
        except (IndexError, UnicodeDecodeError):
            pass
        damaged(self.path, f"it has no word {number}")

    def row(self, starts: memoryview, data: memoryview, number: int) -> memoryview:
        """Return a row of a table.

        Args:
            starts: the offset of each row in ``data``.
            data: the concatenated rows.
            number: the index of the row.
        """
        try:
            start, end = starts[number], starts[number + 1]
            if start <= end <= len(data):
                return data[start:end]
        except IndexError:
            pass
        damaged(self.path, f"its tables have no row {number}")

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return type(self), (self.path,)


def damaged(path: Path, problem: str) -> NoReturn:
    """Raise the :class:`ResourceError` for a damaged index."""
    raise ResourceError(
        f"cannot use the index {path}: {problem}; "
        "make it again (install its pack, or convert its source), or delete it if it is a cached one"
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
    position = _FIXED.size + _SECTION.size * len(views)
    section_table, offsets = b"", []
    for view in views:
        position += -position % ALIGNMENT
        section_table += _SECTION.pack(position, len(view))
        offsets.append(position)
        position += len(view)
    padded = [*parameters, *[0] * (PARAMETERS - len(parameters))]
    fixed = _FIXED.pack(layout.magic, FORMAT_VERSION, BYTE_ORDER_MARK, position, 0, len(views), *padded)
    header = bytearray(fixed + section_table)
    struct.pack_into("<I", header, _CRC_OFFSET, zlib.crc32(header))
    with target.open("wb") as out:
        out.write(header)
        for offset, view in zip(offsets, views, strict=True):
            out.write(bytes(offset - out.tell()))
            for start in range(0, len(view), _BLOCK_SIZE):
                out.write(view[start : start + _BLOCK_SIZE])
        out.flush()
        os.fsync(out.fileno())


def vocabulary_sections(words: Sequence[bytes], source: Path) -> tuple[list[bytes], list[int]]:
    """Return the sections and parameters of a vocabulary.

    Args:
        words: the words as UTF-8. The id of a word is its index.
        source: the path of the file in errors.

    Raises:
        ResourceError: for too many words.
    """
    text = b"".join(words)
    if len(text) >= 1 << 32 or len(words) >= 1 << 30:
        raise ResourceError(f"{source} holds more words than an index can ({len(words)}, {len(text)} bytes)")
    offsets = array("I", [0, *itertools.accumulate(map(len, words))])
    slots = array("I", bytes(4 * max(2, 1 << (2 * len(words) - 1).bit_length() if words else 2)))
    mask = len(slots) - 1
    max_probes = 0
    for word_id, word in enumerate(words):
        position = zlib.crc32(word) & mask
        n_probes = 1
        while slots[position]:
            position = (position + 1) & mask
            n_probes += 1
        slots[position] = word_id + 1
        max_probes = max(max_probes, n_probes)
    # A word is absent if it takes more probes than any word of the vocabulary.
    return [offsets.tobytes(), text, slots.tobytes()], [len(words), min(max_probes + 1, len(slots))]


class SynonymIndex(IndexFile):
    """Synsets of words and base forms of irregular words."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, SYNONYMS)
        *_, synset_start, synset_ids, base_start, base_ids = self.sections.values()
        self._synsets, self._bases = (synset_start, synset_ids), (base_start, base_ids)
        for start, data in (self._synsets, self._bases):
            if len(start) != self.size + 1 or start[self.size] != len(data):
                damaged(self.path, "its synset table does not fit")

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's synsets, in the order of the source file; empty for an unknown word."""
        word_id = self.word_id(word)
        return () if word_id < 0 else tuple(self.row(*self._synsets, word_id))

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the base forms of an irregular word, in the order of the exceptions file; empty for other words."""
        word_id = self.word_id(word)
        return () if word_id < 0 else tuple(map(self.word, self.row(*self._bases, word_id)))

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self.parameters[2]


class ParaphraseIndex(IndexFile):
    """A paraphrase table, as a trie of the phrases of both sides.

    A phrase is identified by its *node*, an integer. A phrase has the same node on both sides of the table.

    Attributes:
        nodes: the number of nodes. Node 0 is the empty phrase.
        longest: the number of words of the longest phrase.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, PARAPHRASES)
        _, _, self._first_words, self.nodes, n_entries, self.longest = self.parameters[:6]
        *_, records, self._entries = self.sections.values()
        self._words, self._first_child, self._first_entry = records[0::3], records[1::3], records[2::3]
        if (
            len(records) != 3 * (self.nodes + 1)
            or len(self._entries) != n_entries
            or not self.nodes
            or self._first_words >= self.nodes
            or self._first_words > self.size
            or self._first_child[0] != 1
            or self._first_child[self.nodes] != self.nodes
            or self._first_entry[self.nodes] != n_entries
        ):
            damaged(self.path, "its phrase table does not fit")

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return the length and the node of each table phrase that begins at a position, the shortest first.

        Args:
            ids: the ids of a segment's words; see :meth:`word_id`.
            start: the position in ``ids``.
        """
        phrases: list[tuple[int, int]] = []
        word = ids[start]
        if not 0 <= word < self._first_words:
            return phrases
        words, first_child = self._words, self._first_child
        end = len(ids)
        position = start + 1
        try:
            # The root's children are the words that begin a phrase, in the order of their ids.
            node = word + 1
            record = words[node]
            while True:
                if record & (LEFT_SIDE | RIGHT_SIDE):
                    phrases.append((position - start, node))
                if position == end:
                    return phrases
                word = ids[position]
                low, high = first_child[node], first_child[node + 1]
                if low >= high or word < 0:
                    return phrases
                # Children are sorted by their words, because the flags are in the low bits.
                node = bisect_left(words, word << FLAG_BITS, low, high)
                if node >= high:
                    return phrases
                record = words[node]
                if record >> FLAG_BITS != word:
                    return phrases
                position += 1
        except IndexError:
            damaged(self.path, "a phrase in it leads nowhere")

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes of the paraphrases of a phrase, in the order of the table, including duplicates.

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
                # Nodes are in breadth-first order, so first children are sorted and follow their parents.
                node = bisect_right(self._first_child, node, 0, node) - 1
        except IndexError:
            damaged(self.path, f"it has no phrase {node}")
        return tuple(map(self.word, reversed(word_ids)))

    def __len__(self) -> int:
        """Return the number of table entries."""
        return len(self._entries)
