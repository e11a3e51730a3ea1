"""Weight words by their inverse document frequency (IDF). Each segment of a text is a document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from meteor_e.base.errors import InputError

UNIT = 1000
"""The integer that represents the weight 1."""

MAX_WORDS = 1 << 22
"""The maximum number of distinct words in a text."""


class IdfWeights:
    """IDF weights as in BERTScore: if n of N segments contain a word, its weight is ln((N + 1)/(n + 1)).

    Zhang et al. (2020, section 3) introduced these weights. They are rounded to thousandths, because METEOR's
    statistics are whole numbers. The smallest weight is one thousandth. A word that does not occur in the text has the
    largest weight.

    Args:
        segments: the words of each segment.
        source: the name of the text in error messages.

    Raises:
        InputError: if the text does not contain any words, or too many distinct ones.
    """

    def __init__(self, segments: Iterable[Sequence[str]], source: str) -> None:
        counts = _count_documents(segments, source)
        distinct_frequencies = set(counts.frequencies.values())
        weights = {frequency: _idf_weight(counts.segment_count, frequency) for frequency in distinct_frequencies}
        self._weights = {word: weights[frequency] for word, frequency in counts.frequencies.items()}
        self._unknown_weight = _idf_weight(counts.segment_count, 0)

    def __call__(self, word: str) -> int:
        """Return the IDF weight of a word, multiplied by 1000 and rounded."""
        return self._weights.get(word, self._unknown_weight)


class _DocumentCounts(NamedTuple):
    """The document frequencies of words.

    Attributes:
        frequencies: for each word the number of segments that contain the word.
        segment_count: number of segments.
    """

    frequencies: dict[str, int]
    segment_count: int


def _count_documents(segments: Iterable[Sequence[str]], source: str) -> _DocumentCounts:
    """Count how many segments contain each word.

    Args:
        segments: the words of each segment.
        source: the name of the text in error messages.

    Raises:
        InputError: if the text does not contain any words, or too many distinct ones.
    """
    frequencies: Counter[str] = Counter()
    segment_count = 0
    for words in segments:
        segment_count += 1
        frequencies.update(set(words))
        if len(frequencies) > MAX_WORDS:
            raise InputError(f"{source} has more than {MAX_WORDS:,} distinct words")
    if not frequencies:
        raise InputError(f"{source} has no words to weigh others by")
    return _DocumentCounts(frequencies, segment_count)


def _idf_weight(segment_count: int, document_frequency: int) -> int:
    """Compute an IDF weight from the number of segments that contain the word. Multiply it by 1000 and round it."""
    return max(1, round(UNIT * math.log((segment_count + 1) / (document_frequency + 1))))
