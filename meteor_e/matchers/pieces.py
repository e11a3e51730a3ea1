"""Words and segments that are alike in part: character n-grams, common beginnings, and common subsequences.

Inflected forms, compounds and variants of spelling share most of their characters in every language that writes words
by letters. These matchers need no resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from meteor_e.api.matchers import Match, Matcher, OverlapMatcher
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


class CharactersMatcher(Matcher):
    """No words match; precision and recall count the n-grams of 1 to 6 characters that the segments share.

    What other matchers align must match word by word. These n-grams also see order, and compounds that one side writes
    apart. Precision and recall are sums over the matchers, each with its weight: weights of 0.4 for the words and of
    0.6 here are shares of both (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"). Where the
    hypothesis repeats characters that the reference has less often, it loses a part of both.
    """

    name: ClassVar[str] = "characters"
    core_family: ClassVar[str] = "characters"
    default_weight: ClassVar[float] = 0.5
    graded: ClassVar[bool] = True

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> tuple[Match, ...]:
        """Propose nothing."""
        return ()


class SubsequenceMatcher(CharactersMatcher):
    """No words match; precision and recall are shares of characters that both segments have in the same order.

    They are those of the longest common subsequences of characters and of pairs of characters. Repetition costs as with
    :class:`CharactersMatcher`.
    """

    name: ClassVar[str] = "subsequence"
    core_family: ClassVar[str] = "subsequence"
