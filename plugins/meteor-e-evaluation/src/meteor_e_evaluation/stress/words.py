"""A text as a list of words with the gaps between them, and lists of words."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from meteor_e.base.yamlfile import parse_yaml

_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"
"""Scripts that are written without spaces: two letters count as a word there."""
_MARKS = r"\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"({_UNSPACED}|[\w{_MARKS}]+(?:[.,:]\d+)*(?:['’][^\W\d_]+)?(?:-[\w{_MARKS}]+)*)")


class Words:
    """A text that can be changed word by word, while everything between the words stays.

    Attributes:
        words: the words.
        lower: the words in lower case.
        gaps: what stands before, between and after them: one more than there are words.
    """

    def __init__(self, text: str) -> None:
        parts = _WORD.split(text)
        self.gaps, self.words = parts[0::2], parts[1::2]
        self.lower = [word.lower() for word in self.words]

    def __len__(self) -> int:
        return len(self.words)

    def joined(self, words: Sequence[str]) -> str:
        """Return the text with other words instead of these."""
        return "".join(gap + word for gap, word in zip(self.gaps, [*words, ""], strict=True))

    def put(self, changes: Mapping[int, str]) -> str:
        """Return the text with some words replaced as they are given."""
        return self.joined([changes.get(at, word) for at, word in enumerate(self.words)])

    def replaced(self, changes: Mapping[int, str]) -> str:
        """Return the text with some words replaced; capitals at the start of a word are kept."""
        return self.put({at: like(self.words[at], word) for at, word in changes.items()})

    def inserted(self, at: int, text: str) -> str:
        """Return the text with another before word ``at``."""
        word = self.words[at]
        space = " " if len(self) < 2 or any(map(str.isspace, self.gaps[1:-1])) else ""
        if at == 0 and word[:1].isupper() and word != "I" and word[1:] == word[1:].lower():
            return self.put({0: f"{like(word, text)}{space}{word[0].lower()}{word[1:]}"})
        return self.put({at: f"{text}{space}{word}"})

    def without(self, places: Sequence[int]) -> str:
        """Return the text without some words, and without the spaces that they leave."""
        text = self.gaps[0]
        raised = 0 in places and self.words[0][:1].isupper()
        for at, (word, after) in enumerate(zip(self.words, self.gaps[1:], strict=True)):
            if at not in places:
                text += (word[:1].upper() + word[1:] if raised else word) + after
                raised = False
                continue
            # One of the spaces around the word goes with it; punctuation moves to the word before.
            text = text.rstrip() + (after if after.strip() or not text.strip() else " " * bool(after))
            text = text if text.strip() else text.lstrip()
        return text

    def span(self, first: int, last: int) -> str:
        """Return the words from ``first`` to ``last`` as they stand, with what is between them."""
        inner = zip(self.gaps[first + 1 : last + 1], self.words[first + 1 : last + 1], strict=True)
        return self.words[first] + "".join(gap + word for gap, word in inner)


def like(model: str, word: str) -> str:
    """Return a word with the capitals of another: of its first letter, or of all."""
    if len(model) > 1 and model.isupper() and model.isalpha():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() and model != "I" else word


@functools.lru_cache(maxsize=1)
def lists() -> dict[str, Any]:
    """Return the English word lists."""
    file = files("meteor_e_evaluation.stress") / "english.yaml"
    found: dict[str, Any] = parse_yaml(file.read_bytes(), "english.yaml").data
    return found


def rows(name: str) -> list[list[str]]:
    """Return a list of groups of words."""
    found = lists()[name]
    return [row.split() for row in (found.split(",") if isinstance(found, str) else found)]


@functools.lru_cache(maxsize=32)
def alternatives(name: str) -> dict[str, list[str]]:
    """Return for each word of a list, in lower case, the others of its groups."""
    found: dict[str, list[str]] = {}
    for row in rows(name):
        for word in row:
            found.setdefault(word.lower(), []).extend(other for other in row if other != word)
    return found


@functools.lru_cache(maxsize=32)
def words_of(*names: str) -> frozenset[str]:
    """Return all words of some lists."""
    return frozenset(word for name in names for row in rows(name) for word in row)


@functools.lru_cache(maxsize=64)
def known_words(language: str, count: int) -> tuple[str, ...]:
    """Return the most frequent words of a language; none where they are not known."""
    from wordfreq import available_languages, top_n_list

    return tuple(top_n_list(language, count)) if language in available_languages() else ()
