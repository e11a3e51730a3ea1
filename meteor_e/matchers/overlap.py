"""Words that are alike in part: character n-grams, and common beginnings.

Inflected forms, compounds and variants of spelling share most of their characters in every language that writes words
by letters. These matchers need no resource.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from meteor_e.api.matchers import OverlapMatcher
from meteor_e.api.tokens import Token

_LONGEST = 200
"""Characters of a word that are looked at; ``native/vocabulary.cpp`` has the same."""

_START, _END = "\x02", "\x03"


class NgramMatcher(OverlapMatcher):
    """Words match as far as their character n-grams do, in part; their beginnings and ends are marked.

    The n-grams have 1 to ``longest`` characters. Case does not matter.
    """

    name: ClassVar[str] = "ngram"
    core_family: ClassVar[str] = "ngrams"
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:NgramOptions"

    def pieces(self, token: Token) -> Iterator[str]:
        """Return the n-grams of a word."""
        word, lowered = token.form[:_LONGEST], self.lowered(token)
        if lowered != word:
            yield "case " + "".join(
                "U" if one != other else "l" for one, other in zip(word, lowered, strict=False)
            ).lstrip("l")
        marked = f"{_START}{lowered}{_END}"
        yield from lowered
        for length in range(2, self.options.longest + 1):
            for start in range(len(marked) - length + 1):
                yield marked[start : start + length]

    @staticmethod
    def lowered(token: Token) -> str:
        """Return what the core makes the same pieces of, beside the word itself."""
        return token.form[:_LONGEST].lower()

    def describe(self) -> str:
        """Name the options that decide."""
        return f"1-{self.options.longest}, from {self.options.threshold!r}"


class PrefixMatcher(OverlapMatcher):
    """Words match as far as their beginnings do: by 2k/(m+n) where k characters of m and n are common."""

    name: ClassVar[str] = "prefix"

    def pieces(self, token: Token) -> Iterator[str]:
        """Return all beginnings of a word."""
        word = token.form[:_LONGEST].lower()
        return (word[:length] for length in range(1, len(word) + 1))

    def describe(self) -> str:
        """Name the option that decides."""
        return f"from {self.options.threshold!r}"
