"""Weight words by their inverse document frequency (IDF). Each segment of a text is a document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from meteor_e.base.errors import InputError

UNIT = 1000
"""The integer that represents the weight 1."""

MAX_WORDS = 1 << 22
"""The maximum number of distinct words in a text."""


class IdfWeights:
    """IDF weights. If n of N segments contain a word, its weight is ln((N + 1)/(n + 1)) (Zhang et al. 2020, section 3).

    Weights are rounded to thousandths, because statistics are whole numbers. The smallest weight is one thousandth. A
    word that does not occur in the text has the largest weight.

    Args:
        segments: the words of each segment.
        source: the name of the text in error messages.

    Raises:
        InputError: if the text does not contain any words, or too many distinct ones.
    """

    def __init__(self, segments: Iterable[Sequence[str]], source: str) -> None:
        document_frequencies: dict[str, int] = {}
        segment_count = 0
        for words in segments:
            segment_count += 1
            for word in dict.fromkeys(words):
                document_frequencies[word] = document_frequencies.get(word, 0) + 1
            if len(document_frequencies) > MAX_WORDS:
                raise InputError(f"{source} has more than {MAX_WORDS:,} distinct words")
        if not document_frequencies:
            raise InputError(f"{source} has no words to weigh others by")
        weights = {
            frequency: self._weight(segment_count, frequency) for frequency in set(document_frequencies.values())
        }
        self._weights = {word: weights[frequency] for word, frequency in document_frequencies.items()}
        self._unknown_weight = self._weight(segment_count, 0)

    @staticmethod
    def _weight(segment_count: int, document_frequency: int) -> int:
        """Return the weight of a word that occurs in some of the segments, in thousandths."""
        return max(1, round(UNIT * math.log((segment_count + 1) / (document_frequency + 1))))

    def __call__(self, word: str) -> int:
        """Return the weight of a word, in thousandths."""
        return self._weights.get(word, self._unknown_weight)
