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
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular
from meteor_e.base.memory import Memory

if TYPE_CHECKING:
    pass

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
    """Name and element size (bytes) of each section, in file order."""


VOCABULARY_SECTIONS: tuple[tuple[str, int], ...] = (("word_offsets", 4), ("word_bytes", 1), ("word_slots", 4))
"""What a vocabulary adds to an index's layout; its parameters are the first two: words, longest probe."""

SYNONYMS = Layout(
    b"MEsynset",
    (*VOCABULARY_SECTIONS, ("synset_start", 4), ("synset_ids", 4), ("base_start", 4), ("base_ids", 4)),
)
"""Parameters: words, longest probe, words with synsets."""

PARAPHRASES = Layout(b"MEphrase", (*VOCABULARY_SECTIONS, ("nodes", 12), ("entries", 4)))
"""Parameters: words, longest probe, starting words, nodes, entries, longest phrase."""

LEFT_SIDE, RIGHT_SIDE, FLAG_BITS = 1, 2, 2
"""The low bits of a node's word: its phrase is the left (right) side of a table entry."""


class IndexFile:
    """A mapped index: its parameters and a view of each section.

    The views keep the map alive; it is released with the last of them.

    Raises:
        ResourceError: naming the file and what is wrong.
    """

    __slots__ = ("parameters", "path", "sections")

    def __init__(self, path: str | os.PathLike[str], layout: Layout) -> None:
        self.path = path = Path(path)
        try:
            with open_regular(path) as file:
                if os.fstat(file.fileno()).st_size == 0:
                    damaged(path, "it is empty")
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ResourceError(f"cannot open the index {path}: {reason}") from error
        if bytes(view[:8]) != layout.magic:
            damaged(path, f"it does not begin with {layout.magic.decode('ascii')!r}, so it is no such index")
        if len(view) < _FIXED.size:
            damaged(path, "it ends inside its header")
        _, version, order, size, crc, count, *parameters = _FIXED.unpack_from(view)
        if order != BYTE_ORDER_MARK or sys.byteorder != "little":
            damaged(path, "its byte order is not the one of this machine")
        if version != FORMAT_VERSION:
            damaged(path, f"it has format version {version}; this release reads version {FORMAT_VERSION}")
        if size != len(view):
            damaged(path, f"it holds {len(view)} bytes and should hold {size}")
        end = _FIXED.size + _SECTION.size * len(layout.sections)
        if count != len(layout.sections) or len(view) < end:
            damaged(path, "its section table does not fit")
        if crc != _header_crc(view[:end]):
            damaged(path, "the checksum of its header is wrong")
        self.parameters: tuple[int, ...] = tuple(parameters)
        self.sections: dict[str, memoryview] = {}
        for number, (name, item) in enumerate(layout.sections):
            start, length = _SECTION.unpack_from(view, _FIXED.size + _SECTION.size * number)
            if start % ALIGNMENT or start < end or start + length > size or length % item:
                damaged(path, f"its section {name!r} lies outside the file or is out of line")
            end = start + length
            self.sections[name] = view[start:end].cast("I") if item % 4 == 0 else view[start:end]


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
    struct.pack_into("<I", header, _CRC_AT, _header_crc(header))
    with target.open("wb") as out:
        out.write(header)
        for place, view in zip(places, views, strict=True):
            out.write(bytes(place - out.tell()))
            for start in range(0, len(view), _PIECE):
                out.write(view[start : start + _PIECE])
        out.flush()
        os.fsync(out.fileno())


def _header_crc(header: bytes | bytearray | memoryview) -> int:
    blank = bytearray(header)
    blank[_CRC_AT : _CRC_AT + 4] = bytes(4)
    return zlib.crc32(blank)


class Vocabulary:
    """The words of an index, numbered from 0: a string table with a hash table, which are not loaded."""

    __slots__ = ("_bytes", "_ids", "_offsets", "_path", "_probes", "_slots", "size")

    def __init__(self, file: IndexFile) -> None:
        self.size: int = file.parameters[0]
        self._probes: int = file.parameters[1]
        self._path = file.path
        self._offsets, self._bytes, self._slots = (file.sections[name] for name, _ in VOCABULARY_SECTIONS)
        self._ids = Memory[str, int](_REMEMBERED)
        slots = len(self._slots)
        if (
            len(self._offsets) != self.size + 1
            or self._offsets[self.size] != len(self._bytes)
            or slots & (slots - 1)
            or slots <= self.size
            or self._probes > slots
        ):
            damaged(file.path, "its word table does not fit")

    def id(self, word: str) -> int:
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
            damaged(self._path, "its word table does not fit")
        self._ids[word] = found
        return found

    def word(self, number: int) -> str:
        """Return the word of this number; IndexError if there is none."""
        start, end = self._offsets[number], self._offsets[number + 1]
        if not start <= end <= len(self._bytes):
            damaged(self._path, "its word table does not fit")
        try:
            return str(self._bytes[start:end], "utf-8")
        except UnicodeDecodeError:
            damaged(self._path, "a word in it is not valid UTF-8")


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


def _row(path: Path, starts: memoryview, data: memoryview, number: int) -> memoryview:
    """Return what an index has under a number: where each row starts, and all rows in one."""
    try:
        start, end = starts[number], starts[number + 1]
    except IndexError:
        damaged(path, f"its tables have no row {number}")
    if not start <= end <= len(data):
        damaged(path, f"row {number} of a table lies outside it")
    return data[start:end]


class SynonymIndex:
    """Synsets of words and base forms of irregular words, memory-mapped.

    All methods raise :class:`~meteor_e.base.errors.ResourceError` when the file turns out to be damaged.
    """

    __slots__ = ("_bases", "_entries", "_synsets", "_vocabulary", "file", "path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = file = IndexFile(path, SYNONYMS)
        self.path = file.path
        self._vocabulary = Vocabulary(file)
        self._entries = file.parameters[2]
        self._synsets = file.sections["synset_start"], file.sections["synset_ids"]
        self._bases = file.sections["base_start"], file.sections["base_ids"]
        words = self._vocabulary.size
        for start, data in (self._synsets, self._bases):
            if len(start) != words + 1 or start[words] != len(data):
                damaged(file.path, "its synset table does not fit")

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the ids of the word's synsets, as the source file has them; empty for an unknown word."""
        number = self._vocabulary.id(word)
        return () if number < 0 else tuple(_row(self.path, *self._synsets, number))

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the word's base forms after the exceptions list, in its order; empty if it is not there."""
        number = self._vocabulary.id(word)
        try:
            return () if number < 0 else tuple(map(self._vocabulary.word, _row(self.path, *self._bases, number)))
        except IndexError:
            damaged(self.path, "a base form lies outside it")

    def __len__(self) -> int:
        """Return the number of words that have synsets."""
        return self._entries

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return SynonymIndex, (self.path,)


class ParaphraseIndex:
    """A paraphrase table, looked up by phrase: a memory-mapped trie over the phrases of both sides.

    A phrase is a *node*, a number: equal phrases are equal nodes, whichever side of the table they stand on.
    All methods raise :class:`~meteor_e.base.errors.ResourceError` when the file turns out to be damaged.
    """

    __slots__ = ("_entries", "_first_child", "_first_entry", "_starts", "_vocabulary", "_words", "file",
                 "longest", "nodes", "path", "word_id")  # fmt: skip

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = file = IndexFile(path, PARAPHRASES)
        words, _, self._starts, nodes, entries, self.longest = file.parameters[:6]
        self.path = file.path
        self.nodes = nodes
        """How many nodes there are; node 0 is the empty phrase."""
        self._vocabulary = Vocabulary(file)
        self.word_id = self._vocabulary.id
        """Returns the number of a word, or -1 if no phrase holds it."""
        records = file.sections["nodes"]
        self._words, self._first_child, self._first_entry = records[0::3], records[1::3], records[2::3]
        self._entries = file.sections["entries"]
        if (
            len(records) != 3 * (nodes + 1)
            or len(self._entries) != entries
            or not nodes
            or self._starts >= nodes
            or self._starts > words
            or self._first_child[0] != 1
            or self._first_child[nodes] != nodes
            or self._first_entry[nodes] != entries
        ):
            damaged(file.path, "its phrase table does not fit")

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
        return _row(self.path, self._first_entry, self._entries, node)

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
        return ParaphraseIndex, (self.path,)
