"""Where the words that a chain compares stand in the raw text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["utf16_offsets", "word_offsets"]

_BLANKS = " \t\n\r\f"
"""What separates words; all other characters, other white space too, may be words."""
_WINDOW = 48
"""How many characters are searched for a word that does not stand where the last one ended."""
# What normalizers write for other marks; one character for one, so that offsets stay.
_MARKS = str.maketrans("“”„«»‟‘’‚‛`´–—‐‑−。、，；：？！（）", "\"\"\"\"\"\"''''''-----..,;:?!()")


def word_offsets(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end of each word in the raw text, in characters; the end is exclusive.

    A word that normalization changed gets the text between its neighbors. The offsets never decrease and never begin
    or end in a blank, a tab or a line end. A word with nothing left in the text has a start that equals its end.

    Args:
        text: the raw segment.
        words: its words, normalized and in order.
    """
    folded = _folded(text)
    found: list[tuple[int, int]] = []
    at = waiting = 0
    for word in words:
        start = _place(folded, word, at)
        if start < 0:
            waiting += 1
            continue
        if waiting:
            found += _between(folded, at, start, words[len(found) : len(found) + waiting])
            waiting = 0
        at = start + len(word)
        found.append((start, at))
    if waiting:
        found += _between(folded, at, len(text), words[len(found) :])
    return found


def utf16_offsets(text: str, places: Sequence[int]) -> list[int]:
    """Turn offsets in characters into offsets in UTF-16 code units, as JavaScript and Java count."""
    if text.isascii() or max(text) <= "\uffff":
        return list(places)
    wide = [0]
    for char in text:
        wide.append(wide[-1] + 1 + (char > "\uffff"))
    return [wide[place] for place in places]


def _folded(text: str) -> str:
    """Return the text in lower case and with plain marks, of the same length."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered.translate(_MARKS)


def _place(folded: str, word: str, at: int) -> int:
    """Return where a word begins at or soon after a position; -1 if it is not there."""
    if folded.startswith(word, at):
        return at
    if folded.startswith(word, at + 1) and folded[at] in _BLANKS:
        return at + 1
    word = word.translate(_MARKS)
    start = folded.find(word, at, at + _WINDOW + len(word))
    if start < 0:
        return start
    # A short word may stand by chance inside of a longer one: only white space and marks may be left out.
    if len(word) < 4 and any(char.isalnum() for char in folded[at:start]):
        return -1
    return start


def _between(folded: str, start: int, end: int, words: Sequence[str]) -> list[tuple[int, int]]:
    """Share the text between two words that were found among those that were not."""
    while start < end and folded[start] in _BLANKS:
        start += 1
    while end > start and folded[end - 1] in _BLANKS:
        end -= 1
    if len(words) == 1:
        return [(start, end)]
    sizes = [max(1, len(word)) for word in words]
    total, done, shared, last = sum(sizes), 0, [], start
    for size in sizes:
        done += size
        stop = start + (end - start) * done // total
        first, until = last, stop
        while first < until and folded[first] in _BLANKS:
            first += 1
        while until > first and folded[until - 1] in _BLANKS:
            until -= 1
        shared.append((first, until))
        last = stop
    return shared
