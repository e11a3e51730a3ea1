"""What a word counts by how rare it is: its inverse document frequency in a text, one segment per document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from meteor_e.base.errors import InputError

UNIT = 1000
"""Weights are whole numbers, so many to 1."""

MOST_WORDS = 1 << 22
"""Distinct words that a text may have."""


class Rarity:
    """Weights of words: ln((N + 1)/(n + 1)) of N segments, of which n hold the word (Zhang et al., 2020, section 3).

    Statistics count words in whole numbers, so a weight is rounded to thousandths; none is less than one thousandth. A
    word that the text has not is the rarest.

    Args:
        segments: the words of each segment.
        source: where they are from, for errors.

    Raises:
        InputError: if there are no words, or too many.
    """

    def __init__(self, segments: Iterable[Sequence[str]], source: str) -> None:
        counts: dict[str, int] = {}
        number = 0
        for words in segments:
            number += 1
            for word in dict.fromkeys(words):
                counts[word] = counts.get(word, 0) + 1
            if len(counts) > MOST_WORDS:
                raise InputError(f"{source} has more than {MOST_WORDS:,} distinct words")
        if not counts:
            raise InputError(f"{source} has no words to weigh others by")
        weights = {count: self._rounded(number, count) for count in set(counts.values())}
        self._weights = {word: weights[count] for word, count in counts.items()}
        self._unknown = self._rounded(number, 0)

    @staticmethod
    def _rounded(segments: int, count: int) -> int:
        return max(1, round(UNIT * math.log((segments + 1) / (count + 1))))

    def __call__(self, word: str) -> int:
        """Return the weight of a word, in thousandths."""
        return self._weights.get(word, self._unknown)
