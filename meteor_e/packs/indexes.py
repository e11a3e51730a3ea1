"""Memory-mapped indexes: synonyms, paraphrases, and the container and the vocabulary that they share.

The layout is written down byte by byte in ``docs/index-format.md``; the native core maps the same files.
Opening costs a few pages whatever the size of the file: the header is checked, the sections are only sliced.
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
_CRC_AT = 24
# Linux caches a file in pages as large as it was written, and maps them whole: written in one piece, the
# English table puts 60 MB into a process that looks up one sentence, written in small ones 7 MB.
_PIECE = 1 << 16
_REMEMBERED = 1 << 16


class Layout(NamedTuple):
    """What a kind of index consists of."""

    magic: bytes
    """Eight bytes."""
    sections: tuple[tuple[str, int], ...]
    """Name and element size (bytes) of each section, in file order; first those of the words."""


WORD_SECTIONS = (("word_offsets", 4), ("word_bytes", 1), ("word_slots", 4))
"""The sections of an index's words; its first two parameters are the number of words and the longest probe."""

SYNONYMS = Layout(
    b"MEsynset", (*WORD_SECTIONS, ("synset_start", 4), ("synset_ids", 4), ("base_start", 4), ("base_ids", 4))
)
"""Parameters: words, longest probe, words with synsets."""

PARAPHRASES = Layout(b"MEphrase", (*WORD_SECTIONS, ("nodes", 12), ("entries", 4)))
"""Parameters: words, longest probe, starting words, nodes, entries, longest phrase."""

LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The low bits of a node's word: its phrase is the left (right) side of a table entry."""


class IndexFile:
    """A mapped index: its parameters, a view of each section, and its words, numbered from 0, by a hash table.

    The views keep the map alive; it is released with the last of them. All methods raise
    :class:`~meteor_e.base.errors.ResourceError` when the file turns out to be damaged.

    Raises:
        ResourceError: naming the file and what is wrong.
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
        _, version, order, size, crc, count, *parameters = _FIXED.unpack_from(view)
        if order != BYTE_ORDER_MARK or sys.byteorder != "little":
            damaged(path, "its byte order is not the one of this machine")
        if version != FORMAT_VERSION:
            damaged(path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            damaged(path, f"it holds {len(view)} bytes and should hold {size}")
        blank = zlib.crc32(bytes(4), zlib.crc32(view[:_CRC_AT]))
        if count != len(layout.sections) or crc != zlib.crc32(view[_CRC_AT + 4 : end], blank):
            damaged(path, "the checksum of its header is wrong")
        self.parameters: tuple[int, ...] = tuple(parameters)
        self.sections: dict[str, memoryview] = {}
        for number, (name, item) in enumerate(layout.sections):
            start, length = _SECTION.unpack_from(view, _FIXED.size + _SECTION.size * number)
            if start % ALIGNMENT or start < end or start + length > size or length % item:
                damaged(path, f"its section {name!r} lies outside the file or is out of line")
            end = start + length
            self.sections[name] = view[start:end].cast("I") if item % 4 == 0 else view[start:end]
        self.size, self._probes = self.parameters[:2]
        self._offsets, self._bytes, self._slots = list(self.sections.values())[:3]
        self._ids = Memory[str, int](_REMEMBERED)
        slots = len(self._slots)
        if (
            len(self._offsets) != self.size + 1
            or self._offsets[self.size] != len(self._bytes)
            or slots & (slots - 1)
            or slots <= self.size
            or self._probes > slots
        ):
            damaged(path, "its word table does not fit")

    def word_id(self, word: str) -> int:
        """Return the word's number, or -1 if the index does not know it."""
        known = self._ids.get(word)
        if known is not None:  # text repeats its words
            return known
        key = word.encode("utf-8", "surrogatepass")
        offsets, data, slots = self._offsets, self._bytes, self._slots
        position, found = zlib.crc32(key), -1
        try:
            for _ in range(self._probes):
                slot = slots[position & (len(slots) - 1)]
                if not slot:
                    break
                if data[offsets[slot - 1] : offsets[slot]] == key:
                    found = slot - 1
                    break
                position += 1
        except IndexError:
            damaged(self.path, "its word table does not fit")
        self._ids[word] = found
        return found

    def word(self, number: int) -> str:
        """Return the word of this number."""
        try:
            start, end = self._offsets[number], self._offsets[number + 1]
            if start <= end <= len(self._bytes):
                return str(self._bytes[start:end], "utf-8")
        except (IndexError, UnicodeDecodeError):
            pass
        damaged(self.path, f"it has no word {number}")

    def row(self, starts: memoryview, data: memoryview, number: int) -> memoryview:
        """Return what the index has under a number: where each row starts, and all rows in one."""
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
    """Raise the :class:`ResourceError` for an index that cannot be what a builder wrote."""
    raise ResourceError(
        f"cannot use the index {path}: {problem}; "
        "make it again (install its pack, or convert its source), or delete it if it is a cached one"
    )


def write_index(
    target: Path, layout: Layout, parameters: Sequence[int], sections: Iterable[bytes | memoryview]
) -> None:
    """Write an index; the sections come in the layout's order, in the machine's byte order.

    The file is written in place: give a path that nobody reads yet, and rename it when it is whole.
    """
    views = [memoryview(section).cast("B") for section in sections]
    if len(views) != len(layout.sections) or len(parameters) > PARAMETERS:
        raise ValueError("sections or parameters do not fit the layout")
    if sys.byteorder != "little":
        raise ResourceError("indexes need a machine whose byte order is little-endian")
    position = _FIXED.size + _SECTION.size * len(views)
    table, places = b"", []
    for view in views:
        position += -position % ALIGNMENT
        table += _SECTION.pack(position, len(view))
        places.append(position)
        position += len(view)
    padded = [*parameters, *[0] * (PARAMETERS - len(parameters))]
    fixed = _FIXED.pack(layout.magic, FORMAT_VERSION, BYTE_ORDER_MARK, position, 0, len(views), *padded)
    header = bytearray(fixed + table)
    struct.pack_into("<I", header, _CRC_AT, zlib.crc32(header))
    with target.open("wb") as out:
        out.write(header)
        for place, view in zip(places, views, strict=True):
            out.write(bytes(place - out.tell()))
            for start in range(0, len(view), _PIECE):
                out.write(view[start : start + _PIECE])
        out.flush()
        os.fsync(out.fileno())


def vocabulary_sections(words: Sequence[bytes], source: Path) -> tuple[list[bytes], list[int]]:
    """Return the sections and parameters of a vocabulary; the words' places are their numbers.

    ``source`` only serves the message of the :class:`ResourceError` when there are too many words.
    """
    blob = b"".join(words)
    if len(blob) >= 1 << 32 or len(words) >= 1 << 30:
        raise ResourceError(f"{source} holds more words than an index can ({len(words)}, {len(blob)} bytes)")
    offsets = array("I", [0, *itertools.accumulate(map(len, words))])
    slots = array("I", bytes(4 * max(2, 1 << (2 * len(words) - 1).bit_length() if words else 2)))
    mask = len(slots) - 1
    longest = 0
    for number, word in enumerate(words):
        position = zlib.crc32(word) & mask
        probes = 1
        while slots[position]:
            position = (position + 1) & mask
            probes += 1
        slots[position] = number + 1
        longest = max(longest, probes)
    # One probe more than any stored word takes settles that a word is absent.
    return [offsets.tobytes(), blob, slots.tobytes()], [len(words), min(longest + 1, len(slots))]


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
        """Return the ids of the word's synsets, as the source file has them; empty for an unknown word."""
        number = self.word_id(word)
        return () if number < 0 else tuple(self.row(*self._synsets, number))

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the word's base forms after the exceptions list, in its order; empty if it is not there."""
        number = self.word_id(word)
        return () if number < 0 else tuple(map(self.word, self.row(*self._bases, number)))

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self.parameters[2]


class ParaphraseIndex(IndexFile):
    """A paraphrase table, looked up by phrase: a trie over the phrases of both sides.

    A phrase is a *node*, a number: equal phrases are equal nodes, whichever side of the table they stand on.

    Attributes:
        nodes: how many nodes there are; node 0 is the empty phrase.
        longest: words of the longest phrase.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, PARAPHRASES)
        _, _, self._starts, self.nodes, entries, self.longest = self.parameters[:6]
        *_, records, self._entries = self.sections.values()
        self._words, self._first_child, self._first_entry = records[0::3], records[1::3], records[2::3]
        if (
            len(records) != 3 * (self.nodes + 1)
            or len(self._entries) != entries
            or not self.nodes
            or self._starts >= self.nodes
            or self._starts > self.size
            or self._first_child[0] != 1
            or self._first_child[self.nodes] != self.nodes
            or self._first_entry[self.nodes] != entries
        ):
            damaged(self.path, "its phrase table does not fit")

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
                if flagged & (LEFT_SIDE | RIGHT_SIDE):
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
        return self.row(self._first_entry, self._entries, node)

    def phrase(self, node: int) -> tuple[str, ...]:
        """Return the words of a node."""
        numbers: list[int] = []
        try:
            while node:
                numbers.append(self._words[node] >> FLAG_BITS)
                # Children are numbered after their parent, in the order of their parents.
                node = bisect_right(self._first_child, node, 0, node) - 1
        except IndexError:
            damaged(self.path, f"it has no phrase {node}")
        return tuple(map(self.word, reversed(numbers)))

    def __len__(self) -> int:
        """Return the number of table entries."""
        return len(self._entries)
