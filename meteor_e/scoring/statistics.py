"""Sufficient statistics: all that scores, corpus scores, tuning and significance tests need of a segment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from meteor_e.scoring.alignment import AlignedMatch

CHARACTER_UNITS = "utf-16-le"


class MatcherCounts(NamedTuple):
    """What one matcher matched, in words (in character mode: in characters)."""

    hypothesis_content: int = 0
    reference_content: int = 0
    hypothesis_function: int = 0
    reference_function: int = 0


class Statistics(NamedTuple):
    """The sufficient statistics of a segment or, summed, of a corpus.

    Lengths and matches count words, or characters (UTF-16 code units, as Java counts) in character mode;
    chunks and the two matched-word counts always count words.

    Attributes:
        hypothesis_length, reference_length: words on either side.
        hypothesis_function_words, reference_function_words: function words on either side.
        matchers: counts a matcher, in chain order.
        chunks: contiguous, identically ordered stretches of the alignment.
        hypothesis_matched, reference_matched: words that the alignment covers.
    """

    hypothesis_length: int
    reference_length: int
    hypothesis_function_words: int
    reference_function_words: int
    matchers: tuple[MatcherCounts, ...]
    chunks: int
    hypothesis_matched: int
    reference_matched: int

    @property
    def hypothesis_content_words(self) -> int:
        """Content words of the hypothesis."""
        return self.hypothesis_length - self.hypothesis_function_words

    @property
    def reference_content_words(self) -> int:
        """Content words of the reference."""
        return self.reference_length - self.reference_function_words

    @property
    def is_perfect(self) -> bool:
        """Whether all words of both sides match in one chunk, which carries no penalty.

        The matchers' counts are held against the lengths, because both are in characters in character mode.
        """
        if self.chunks != 1:
            return False
        hypothesis = sum(counts.hypothesis_content + counts.hypothesis_function for counts in self.matchers)
        reference = sum(counts.reference_content + counts.reference_function for counts in self.matchers)
        return hypothesis == self.hypothesis_length and reference == self.reference_length

    def to_vector(self) -> list[int]:
        """Return the numbers in the order of METEOR's ``-ssOut`` lines, ``7 + 4·matchers`` of them."""
        counts = [count for matcher in self.matchers for count in matcher]
        return [*self[:4], *counts, *self[5:]]

    @classmethod
    def from_vector(cls, vector: Sequence[int]) -> Statistics:
        """Return the statistics of a vector as :meth:`to_vector` makes it.

        Raises:
            InputError: if the vector's length is not ``7 + 4·matchers``.
        """
        if len(vector) < 7 or (len(vector) - 7) % 4:
            raise InputError(f"{len(vector)} statistics; 7 and 4 more a matcher were expected")
        matchers = tuple(MatcherCounts(*vector[at : at + 4]) for at in range(4, len(vector) - 3, 4))
        return cls(vector[0], vector[1], vector[2], vector[3], matchers, vector[-3], vector[-2], vector[-1])


def perfect_rows(counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return :attr:`Statistics.is_perfect` of many segments at once.

    Args:
        counts: vectors of statistics, ``(…, 7 + 4·matchers)``, as :meth:`Statistics.to_vector` makes them.

    Returns:
        Truth values of the shape of ``counts`` without its last axis.
    """
    # Columns of the matchers alternate between hypothesis and reference.
    matched = [counts[..., 4 + side : -3 : 2].sum(axis=-1) for side in (0, 1)]
    result: NDArray[np.bool_] = (counts[..., -3] == 1) & (matched[0] == counts[..., 0]) & (matched[1] == counts[..., 1])
    return result


def word_units(words: Sequence[str], character_mode: bool) -> list[int]:
    """Return what each word counts: 1, or its length in UTF-16 code units in character mode."""
    if not character_mode:
        return [1] * len(words)
    return [len(word.encode(CHARACTER_UNITS, "surrogatepass")) // 2 for word in words]


def collect(
    hypothesis: Sequence[str],
    reference: Sequence[str],
    matches: Iterable[AlignedMatch],
    chunks: int,
    matcher_count: int,
    function_words: Collection[str],
    *,
    character_mode: bool = False,
) -> Statistics:
    """Count the statistics of an aligned pair.

    Args:
        hypothesis: words of the hypothesis.
        reference: words of the reference.
        matches: the alignment.
        chunks: its chunks.
        matcher_count: number of matchers of the chain.
        function_words: the language's function words, in lower case.
        character_mode: count lengths and matches in characters.
    """
    sides = []
    for words in (hypothesis, reference):
        units = word_units(words, character_mode)
        functional = [word.lower() in function_words for word in words]
        sides.append((units, functional))
    (hypothesis_units, hypothesis_functional), (reference_units, reference_functional) = sides
    counts = [[0, 0, 0, 0] for _ in range(matcher_count)]
    hypothesis_matched = reference_matched = 0
    for match in matches:
        count = counts[match.matcher]
        for i in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
            count[2 if hypothesis_functional[i] else 0] += hypothesis_units[i]
        for j in range(match.reference_start, match.reference_start + match.reference_length):
            count[3 if reference_functional[j] else 1] += reference_units[j]
        hypothesis_matched += match.hypothesis_length
        reference_matched += match.reference_length
    return Statistics(
        sum(hypothesis_units),
        sum(reference_units),
        sum(unit for unit, functional in zip(hypothesis_units, hypothesis_functional, strict=True) if functional),
        sum(unit for unit, functional in zip(reference_units, reference_functional, strict=True) if functional),
        tuple(MatcherCounts(*count) for count in counts),
        chunks,
        hypothesis_matched,
        reference_matched,
    )


class StatisticsSum:
    """A running sum of segment statistics: what a corpus score is computed from.

    Chunks of a perfect one-chunk segment are left out of the sum, because such a segment has no penalty.
    """

    def __init__(self, matcher_count: int) -> None:
        self.segments = 0
        self._totals = [0] * (7 + 4 * matcher_count)

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of one segment."""
        self.segments += 1
        vector = statistics.to_vector()
        if statistics.is_perfect:
            vector[-3] = 0
        self._totals = [total + value for total, value in zip(self._totals, vector, strict=True)]

    def add_total(self, vector: Sequence[int], segments: int) -> None:
        """Add the sum of some segments, as another sum has it."""
        self.segments += segments
        self._totals = [total + value for total, value in zip(self._totals, vector, strict=True)]

    @property
    def total(self) -> Statistics:
        """The statistics of all segments together."""
        return Statistics.from_vector(self._totals)
