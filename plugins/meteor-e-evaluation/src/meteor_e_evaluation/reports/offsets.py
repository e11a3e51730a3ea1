"""Computes the character offsets of normalized words in the raw text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rapidfuzz.distance import Levenshtein

# Normalization replaces each of these characters by a single other character.
_PLAIN_CHARACTERS = str.maketrans("“”„«»‟‘’‚‛`´–—‐‑−。、，；：？！（）", "\"\"\"\"\"\"''''''-----..,;:?!()")


def word_offsets(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the character offsets at which each word starts and ends in the raw text.

    Normalization may have changed some characters, so a Levenshtein alignment between the words and the text locates
    each word.

    The end of a word is exclusive. If a word does not occur in the text, its start equals its end.

    Args:
        text: the raw segment.
        words: normalized words of the segment, in order.
    """
    character_ranges = _align_characters(text, "".join(words))
    offsets: list[tuple[int, int]] = []
    end = 0
    for word, last in zip(words, accumulate(len(word) for word in words), strict=True):
        word_ranges = character_ranges[last - len(word) : last]
        # An empty word begins and ends where the previous word ends.
        start, end = _join_ranges(word_ranges, default=end)
        offsets.append((start, end))
    return offsets


def _align_characters(text: str, normalized: str) -> list[tuple[int, int]]:
    """For each normalized character, return the start and the end of its range in the raw text.

    For example, the raw text ``a b…`` is aligned with the normalized text ``ab..``. The letters have the ranges
    ``(0, 1)`` and ``(2, 3)``. The first full stop is inserted and has the empty range ``(3, 3)``. The other full stop
    replaces the ellipsis and has the range ``(3, 4)``.

    Args:
        text: the raw text. Its white space is ignored.
        normalized: the normalized text without white space.
    """
    raw_characters = "".join(text.split())
    # These are the offsets of all non-space characters in the text, followed by the length of the text.
    positions = [*(index for index, character in enumerate(text) if not character.isspace()), len(text)]
    ranges: list[tuple[int, int]] = []
    # The edit indices are also valid for the original texts, because ``_fold`` preserves the length of a text.
    for edit in Levenshtein.opcodes(_fold(raw_characters), _fold(normalized)):
        if edit.tag == "insert":
            # An inserted character is mapped to an empty range just before the next raw character.
            position = positions[edit.src_start]
            ranges += [(position, position)] * (edit.dest_end - edit.dest_start)
        elif edit.tag != "delete":
            # If the edit keeps or replaces characters, each normalized character is paired with one raw character.
            ranges += [(position, position + 1) for position in positions[edit.src_start : edit.src_end]]
    return ranges


def _join_ranges(ranges: Sequence[tuple[int, int]], default: int) -> tuple[int, int]:
    """Return the smallest range that contains all ranges. Without ranges, return an empty range at ``default``."""
    if not ranges:
        return default, default
    nonempty_ranges = [(start, end) for start, end in ranges if start < end] or ranges
    return nonempty_ranges[0][0], nonempty_ranges[-1][1]


def _fold(text: str) -> str:
    """Convert letters to lower case and punctuation marks to plain ones, without changing the length of the text."""
    characters = []
    for character in text:
        lower = character.lower()
        # Some characters become two characters in lower case, which would change the length of the text.
        characters.append(lower if len(lower) == 1 else character)
    return "".join(characters).translate(_PLAIN_CHARACTERS)
