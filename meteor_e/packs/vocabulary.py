"""A string table with a hash table, as sections of an index: word ↔ id, without loading it."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path

from meteor_e.base.errors import ResourceError
from meteor_e.base.memory import Memory
from meteor_e.packs.indexfile import IndexFile, damaged

VOCABULARY_SECTIONS: tuple[tuple[str, int], ...] = (("word_offsets", 4), ("word_bytes", 1), ("word_slots", 4))
"""What a vocabulary adds to an index's layout; it also takes two parameters: words, longest probe."""

_REMEMBERED = 1 << 16


class Vocabulary:
    """The words of an index, numbered from 0."""

    __slots__ = ("_bytes", "_ids", "_offsets", "_path", "_probes", "_slots", "size")

    def __init__(self, file: IndexFile, size: int, probes: int) -> None:
        self._path = file.path
        self._offsets = file.sections["word_offsets"]
        self._bytes = file.sections["word_bytes"]
        self._slots = file.sections["word_slots"]
        self._probes = probes
        self._ids = Memory[str, int](_REMEMBERED)
        self.size = size
        slots = len(self._slots)
        if (
            len(self._offsets) != size + 1
            or self._offsets[size] != len(self._bytes)
            or slots & (slots - 1)
            or slots <= size
            or probes > slots
        ):
            damaged(file.path, "its word table does not fit")

    def id(self, word: str) -> int:
        """Return the word's number, or -1 if the index does not know it."""
        try:
            return self._ids[word]
        except KeyError:
            pass
        found = self._look_up(word.encode("utf-8", "surrogatepass"))
        # Text repeats its words.
        self._ids[word] = found
        return found

    def word(self, number: int) -> str:
        """Return the word of this number; IndexError if there is none."""
        offsets = self._offsets
        start, end = offsets[number], offsets[number + 1]
        if not start <= end <= len(self._bytes):
            damaged(self._path, "its word table does not fit")
        try:
            return str(self._bytes[start:end], "utf-8")
        except UnicodeDecodeError:
            damaged(self._path, "a word in it is not valid UTF-8")

    def _look_up(self, key: bytes) -> int:
        offsets, data, slots = self._offsets, self._bytes, self._slots
        mask = len(slots) - 1
        position = zlib.crc32(key)
        try:
            for _ in range(self._probes):
                position &= mask
                slot = slots[position]
                if not slot:
                    return -1
                if data[offsets[slot - 1] : offsets[slot]] == key:
                    return slot - 1
                position += 1
        except IndexError:
            damaged(self._path, "its word table does not fit")
        return -1


def vocabulary_sections(words: Sequence[bytes], source: Path) -> tuple[list[bytes], list[int]]:
    """Return the sections and parameters of a vocabulary; the words' places are their numbers.

    ``source`` only serves the message of the :class:`ResourceError` when there are too many words.
    """
    blob = b"".join(words)
    if len(blob) >= 1 << 32 or len(words) >= 1 << 30:
        raise ResourceError(f"{source} holds more words than an index can ({len(words)}, {len(blob)} bytes)")
    offsets = array("I", bytes(4 * (len(words) + 1)))
    end = 0
    for number, word in enumerate(words):
        end += len(word)
        offsets[number + 1] = end
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
    parameters = [len(words), min(longest + 1, len(slots))]
    return [little(offsets), blob, little(slots)], parameters


def little(numbers: array[int]) -> bytes:
    """Return the array's items as little-endian bytes."""
    import sys

    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()
