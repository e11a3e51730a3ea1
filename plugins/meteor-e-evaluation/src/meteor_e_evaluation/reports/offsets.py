"""Character offsets of aligned words in the raw text."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

# Normalization replaces each of these characters by one other character.
_PLAIN_CHARACTERS = str.maketrans("“”„«»‟‘’‚‛`´–—‐‑−。、，；：？！（）", "\"\"\"\"\"\"''''''-----..,;:?!()")


def word_offsets(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the start and the exclusive end of each word in a raw text, in characters.

    The offsets come from the smallest number of edits that turn the text without white space into the words, because
    normalization may have changed some characters. A word that is not in the text is empty: its start equals its end.

    Args:
        text: the raw segment.
        words: its normalized words, in order.
    """
    positions = [position for position, character in enumerate(text) if not character.isspace()]
    raw = _fold("".join(text[position] for position in positions))
    normalized = _fold("".join(words))
    positions.append(len(text))
    character_ranges: list[tuple[int, int]] = []
    for edit in Levenshtein.opcodes(raw, normalized):
        size, start = edit.dest_end - edit.dest_start, edit.src_start
        if edit.tag == "insert":
            character_ranges += [(positions[start], positions[start])] * size
        else:
            sources = positions[start : start + size]
            character_ranges += [(position, position + 1) for position in sources]
    offsets: list[tuple[int, int]] = []
    first_character = 0
    for word in words:
        ranges = character_ranges[first_character : first_character + len(word)]
        first_character += len(word)
        ranges = [(start, end) for start, end in ranges if start < end] or ranges
        if ranges:
            offsets.append((ranges[0][0], ranges[-1][1]))
        else:
            previous_end = offsets[-1][1] if offsets else 0
            offsets.append((previous_end, previous_end))
    return offsets


def _fold(text: str) -> str:
    """Return a text of the same length in lower case, with plain punctuation marks."""
    characters = []
    for character in text:
        lower = character.lower()
        # The lower case of a few characters has two characters.
        characters.append(lower if len(lower) == 1 else character)
    return "".join(characters).translate(_PLAIN_CHARACTERS)
