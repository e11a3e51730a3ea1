"""Matchers of partly similar words and segments: character n-grams, common prefixes and common subsequences.

Inflected forms, compounds and spelling variants share most of their characters in every language with an alphabetic
script. These matchers do not need any resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from meteor_e.api.matchers import Match, Matcher, OverlapMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.lowercase import lowercase

MAX_WORD_CHARACTERS = 200
"""Characters of a word that are compared; the rest of a longer word is ignored."""

_START, _END = "\x02", "\x03"


class NgramMatcher(OverlapMatcher):
    """Words match partly, by the character n-grams that they share.

    The n-grams have 1 to ``longest`` characters. They are case-insensitive, and the start and the end of a word are
    marked. A word with capital letters has one more piece, which says which of its letters are capitals.
    """

    name: ClassVar[str] = "ngram"
    core_family: ClassVar[str] = "ngrams"
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:NgramOptions"

    def pieces(self, token: Token) -> Iterator[str]:
        """Return the n-grams of a word."""
        word, lowercase_word = token.form[:MAX_WORD_CHARACTERS], self.lowercase_form(token)
        if lowercase_word != word:
            letters = zip(word, lowercase_word, strict=False)
            yield "case " + "".join("l" if letter == low else "U" for letter, low in letters).lstrip("l")
        marked = f"{_START}{lowercase_word}{_END}"
        yield from lowercase_word
        for length in range(2, self.options.longest + 1):
            for start in range(len(marked) - length + 1):
                yield marked[start : start + length]

    @staticmethod
    def lowercase_form(token: Token) -> str:
        """Return the lowercase word, which the native core cuts into n-grams."""
        return lowercase(token.form[:MAX_WORD_CHARACTERS])

    def describe(self) -> str:
        """Name the options that change the scores."""
        return f"1-{self.options.longest}, from {self.options.threshold!r}"


class PrefixMatcher(OverlapMatcher):
    """Words match partly, by their common prefix.

    The similarity of two words of m and n characters with a common prefix of k characters is 2k/(m + n). Case does
    not matter.
    """

    name: ClassVar[str] = "prefix"

    def pieces(self, token: Token) -> Iterator[str]:
        """Return all prefixes of a word."""
        word = lowercase(token.form[:MAX_WORD_CHARACTERS])
        return (word[:length] for length in range(1, len(word) + 1))

    def describe(self) -> str:
        """Name the option that changes the scores."""
        return f"from {self.options.threshold!r}"


class CharactersMatcher(Matcher):
    """Precision and recall of the character n-grams that two segments share; no words are aligned.

    The other matchers align words. These n-grams of 1 to 6 characters also reflect word order, and compounds that only
    one of the segments writes as one word. Precision and recall are weighted sums over the matchers: with a weight of
    0.4 for the words and 0.6 here, they are weighted means (Popović 2015, "chrF: character n-gram F-score for
    automatic MT evaluation"). Both are reduced if the hypothesis repeats characters more often than the reference.
    """

    name: ClassVar[str] = "characters"
    core_family: ClassVar[str] = "characters"
    default_weight: ClassVar[float] = 0.5
    graded: ClassVar[bool] = True

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> tuple[Match, ...]:
        """Propose no matches, because whole segments are compared."""
        return ()


class SubsequenceMatcher(CharactersMatcher):
    """Precision and recall of the characters that two segments have in the same order; no words are aligned.

    They are computed from the longest common subsequences of characters and of pairs of characters. Repeated text is
    penalized as in :class:`CharactersMatcher`.
    """

    name: ClassVar[str] = "subsequence"
    core_family: ClassVar[str] = "subsequence"
