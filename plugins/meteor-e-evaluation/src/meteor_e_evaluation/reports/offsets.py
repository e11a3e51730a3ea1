"""Offsets of aligned words in the raw text."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

# Marks that normalization replaces, one character by one.
_MARKS = str.maketrans("“”„«»‟‘’‚‛`´–—‐‑−。、，；：？！（）", "\"\"\"\"\"\"''''''-----..,;:?!()")


def word_offsets(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end of each word in a raw text, in characters; the end is exclusive.

    The offsets come from the fewest edits that turn the text without white space into the words, so that words are
    found although normalization changed some characters. A word that the text does not hold is empty: its start is its
    end.

    Args:
        text: the raw segment.
        words: its words, normalized, in order.
    """
    places = [at for at, char in enumerate(text) if not char.isspace()]
    raw, found = _folded("".join(text[at] for at in places)), _folded("".join(words))
    places.append(len(text))
    ranges: list[tuple[int, int]] = []
    for edit in Levenshtein.opcodes(raw, found):
        size, start = edit.dest_end - edit.dest_start, edit.src_start
        if edit.tag == "insert":
            ranges += [(places[start], places[start])] * size
        else:
            ranges += [(places[start + at], places[start + at] + 1) for at in range(size)]
    at = 0
    offsets: list[tuple[int, int]] = []
    for word in words:
        own = ranges[at : at + len(word)]
        at += len(word)
        kept = [place for place in own if place[0] < place[1]] or own
        offsets.append((kept[0][0], kept[-1][1]) if kept else (offsets[-1][1] if offsets else 0,) * 2)
    return offsets


def _folded(text: str) -> str:
    """Return a text in lower case and with plain marks, of the same length."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text).translate(_MARKS)
