"""Match similar words and segments, which share character n-grams, prefixes or subsequences.

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
"""The maximum number of characters of a word that are compared. The rest of a longer word is ignored."""

_START, _END = "\x02", "\x03"


class NgramMatcher(OverlapMatcher):
    """Words match if they share character n-grams. A match counts in proportion to the similarity of the words.

    The n-grams have 1 to ``longest`` characters. They are lowercase, and contain marks for the start and the end of a
    word. The positions of capital letters in a word are an additional piece that is compared.
    """

    name: ClassVar[str] = "ngram"
    core_family: ClassVar[str] = "ngrams"
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:NgramOptions"

    def pieces(self, token: Token) -> Iterator[str]:
        """Yield the n-grams of a word, and a piece for its capital letters."""
        word, lowercase_word = token.form[:MAX_WORD_CHARACTERS], self.lowercase_form(token)
        if lowercase_word != word:
            letter_pairs = zip(word, lowercase_word, strict=False)
            pattern = "".join("l" if letter == lowercase_letter else "U" for letter, lowercase_letter in letter_pairs)
            yield "case " + pattern.lstrip("l")
        marked = f"{_START}{lowercase_word}{_END}"
        yield from lowercase_word
        for length in range(2, self.options.longest + 1):
            for start in range(len(marked) - length + 1):
                yield marked[start : start + length]

    @staticmethod
    def lowercase_form(token: Token) -> str:
        """Return the lowercase form of a word, from which the n-grams are taken."""
        return lowercase(token.form[:MAX_WORD_CHARACTERS])

    def describe(self) -> str:
        """Return the maximum n-gram length and the minimum similarity, which change the scores."""
        return f"1-{self.options.longest}, from {self.options.threshold!r}"


class PrefixMatcher(OverlapMatcher):
    """Words match if they have a common prefix. A match counts in proportion to the similarity of the words.

    The similarity of two words of m and n characters with a common prefix of k characters is 2k/(m + n). Case is
    ignored.
    """

    name: ClassVar[str] = "prefix"

    def pieces(self, token: Token) -> Iterator[str]:
        """Return all prefixes of a word."""
        word = lowercase(token.form[:MAX_WORD_CHARACTERS])
        return (word[:length] for length in range(1, len(word) + 1))

    def describe(self) -> str:
        """Return the minimum similarity, which changes the scores."""
        return f"from {self.options.threshold!r}"


class CharactersMatcher(Matcher):
    """Two segments are compared by the precision and recall of their character n-grams.

    Words are not aligned. The n-grams of 1 to 6 characters also reflect word order, and the spelling of compounds as
    one or several words (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"). Both values are
    reduced if the hypothesis repeats characters more often than the reference.

    The precision and recall of a chain are weighted sums over its matchers. If the weights add up to 1, such as 0.4
    for words and 0.6 for this matcher, they are weighted means.
    """

    name: ClassVar[str] = "characters"
    core_family: ClassVar[str] = "characters"
    default_weight: ClassVar[float] = 0.5
    graded: ClassVar[bool] = True

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> tuple[Match, ...]:
        """Return an empty tuple, because the matcher compares segments as a whole."""
        return ()


class SubsequenceMatcher(CharactersMatcher):
    """Two segments are compared by the precision and recall of their longest common subsequences.

    The subsequences consist of characters and of pairs of characters. Words are not aligned. Repeated text is penalized
    as by :class:`CharactersMatcher`.
    """

    name: ClassVar[str] = "subsequence"
    core_family: ClassVar[str] = "subsequence"
