"""Characters that whole segments share, across words: n-grams, and the longest common subsequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from meteor_e.api.matchers import Match, Matcher
from meteor_e.api.tokens import Token


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
