"""Match words or segments with similar spelling, by their character n-grams, prefixes or subsequences.

In alphabetic scripts, inflected forms, compounds and spelling variants of a word have most characters in common.
Therefore these matchers work without dictionaries or models.
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

    The n-grams have 1 to ``longest`` lowercase characters, including marks for the start and the end of a word. The
    positions of capital letters are compared as well.
    """

    name: ClassVar[str] = "ngram"
    core_family: ClassVar[str] = "ngrams"
    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:NgramOptions"

    def pieces(self, token: Token) -> Iterator[str]:
        """Yield the character n-grams of a word, and a text that encodes the positions of capital letters, if any."""
        lowercase_word = self.lowercase_form(token)
        yield from _case_pattern(token.form[:MAX_WORD_CHARACTERS], lowercase_word)
        yield from lowercase_word
        marked_word = f"{_START}{lowercase_word}{_END}"
        for length in range(2, self.options.longest + 1):
            for start in range(len(marked_word) - length + 1):
                yield marked_word[start : start + length]

    @staticmethod
    def lowercase_form(token: Token) -> str:
        """Return the lowercase form of a word. The character n-grams are extracted from this form."""
        return lowercase(token.form[:MAX_WORD_CHARACTERS])

    def describe(self) -> str:
        """Return the values of the options that affect scores: the maximum n-gram length and the minimum similarity."""
        return f"1-{self.options.longest}, from {self.options.threshold!r}"


def _case_pattern(word: str, lowercase_word: str) -> list[str]:
    """Return a list with one text that encodes the positions of a word's capital letters.

    The list is empty if the word does not have capital letters. The text for "iPhone" is "case Ullll", where "U" marks
    a capital letter and "l" marks any other letter. The letters before the first capital letter are left out.
    """
    if lowercase_word == word:
        return []
    letters = zip(word, lowercase_word, strict=False)
    pattern = "".join("l" if letter == lowercase_letter else "U" for letter, lowercase_letter in letters)
    return ["case " + pattern.lstrip("l")]


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
        """Describe the minimum similarity of matching words. No other option of this matcher affects scores."""
        return f"from {self.options.threshold!r}"


class CharactersMatcher(Matcher):
    """Two segments are compared by the precision and recall of their character n-grams.

    Words are not aligned. The n-grams of 1 to 6 characters also reflect word order, and the spelling of compounds as
    one or several words (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"). Both values are
    reduced if the hypothesis repeats characters more often than the reference.

    The weighted precision and recall of this matcher are added to those of the other matchers. The weights of all
    matchers should add up to 1. For example, a word matcher can have the weight 0.4, and this matcher the weight 0.6.
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

    The matcher compares subsequences of characters and subsequences of character pairs. Words are not aligned. Repeated
    text lowers the precision and recall in the same way as in :class:`CharactersMatcher`.
    """

    name: ClassVar[str] = "subsequence"
    core_family: ClassVar[str] = "subsequence"
