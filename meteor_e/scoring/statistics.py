"""METEOR's statistics of segments, such as the numbers of matched words. All scores are computed from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.lowercase import lowercase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.scoring.alignment import Alignment

GRADED_UNIT = 100
"""Number of units that a word counts if the chain has partial matches. Otherwise, a word counts one unit."""

SEGMENT_UNIT = 1 << 24
"""Mean length of a hypothesis and its reference, in units, if all segments count equally (``equal_segments``)."""

CHARACTER_UNITS = "utf-16-le"

SegmentShares = Callable[[Sequence[str], Sequence[str]], tuple[float, float]]
"""Function that compares the words of a hypothesis and a reference, and returns the matching share of each segment."""


class MatcherCounts(NamedTuple):
    """The numbers of content and function words that a matcher matched. In character mode, characters are counted."""

    hypothesis_content: int = 0
    reference_content: int = 0
    hypothesis_function: int = 0
    reference_function: int = 0


class Statistics(NamedTuple):
    """The statistics of a segment, or their sums over the segments of a corpus.

    Lengths and the counts of the matchers are numbers of words. In character mode, they are numbers of characters,
    which are counted in UTF-16 code units as in Java. Chunks and matched words do not depend on the mode.

    Attributes:
        hypothesis_length, reference_length: number of words.
        hypothesis_function_words, reference_function_words: number of function words.
        matchers: counts of each matcher, in chain order.
        chunks: number of chunks of the alignment.
        hypothesis_matched, reference_matched: number of words that are part of a match.
    """

    hypothesis_length: int
    reference_length: int
    hypothesis_function_words: int
    reference_function_words: int
    matchers: tuple[MatcherCounts, ...]
    chunks: int
    hypothesis_matched: int
    reference_matched: int

    def weighted_lengths(self, delta: float) -> tuple[Any, Any]:
        """Return the weighted number of words of the hypothesis, and that of the reference.

        Args:
            delta: weight of content words. The weight of function words is ``1 - delta``.
        """
        hypothesis_content_words = self.hypothesis_length - self.hypothesis_function_words
        reference_content_words = self.reference_length - self.reference_function_words
        return (
            delta * hypothesis_content_words + (1 - delta) * self.hypothesis_function_words,
            delta * reference_content_words + (1 - delta) * self.reference_function_words,
        )

    @property
    def is_perfect(self) -> bool:
        """Whether all words of the hypothesis and of the reference match in a single chunk. Then there is no penalty.

        The lengths are compared with the counts of the matchers, because the numbers of matched words have another unit
        in character mode. If a matcher compares whole segments, the counts can exceed the lengths.
        """
        hypothesis_count = sum(counts.hypothesis_content + counts.hypothesis_function for counts in self.matchers)
        reference_count = sum(counts.reference_content + counts.reference_function for counts in self.matchers)
        has_full_hypothesis = hypothesis_count >= self.hypothesis_length
        has_full_reference = reference_count >= self.reference_length
        # The operator "&" also works for arrays, which the function statistics_columns() stores in the fields.
        return (self.chunks == 1) & has_full_hypothesis & has_full_reference

    def to_vector(self) -> list[int]:
        """Return all numbers as a list, in the order of :func:`statistics_names`."""
        fields: tuple[Any, ...] = self
        matcher_counts = itertools.chain.from_iterable(self.matchers)
        return [*fields[:_MATCHERS_INDEX], *matcher_counts, *fields[_MATCHERS_INDEX + 1 :]]

    @classmethod
    def from_vector(cls, vector: Sequence[int]) -> Statistics:
        """Create statistics from a vector that :meth:`to_vector` returned."""
        matchers_start, matchers_end = len(_LEADING_FIELDS), len(vector) - len(_TRAILING_FIELDS)
        width = len(MatcherCounts._fields)
        starts = range(matchers_start, matchers_end, width)
        matchers = tuple(MatcherCounts(*vector[start : start + width]) for start in starts)
        return cls._make((*vector[:matchers_start], matchers, *vector[matchers_end:]))


_MATCHERS_INDEX = Statistics._fields.index("matchers")
_LEADING_FIELDS = Statistics._fields[:_MATCHERS_INDEX]
_TRAILING_FIELDS = Statistics._fields[_MATCHERS_INDEX + 1 :]

LAYOUT = (_LEADING_FIELDS, MatcherCounts._fields, _TRAILING_FIELDS)
"""Names of a vector's columns: those in front of the matchers, those of each matcher, and those behind the matchers."""


def statistics_width(matchers: int) -> int:
    """Return the length of a vector of statistics for a chain with this number of matchers."""
    return len(_LEADING_FIELDS) + len(MatcherCounts._fields) * matchers + len(_TRAILING_FIELDS)


def statistics_names(matchers: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the numbers in a vector of statistics.

    Args:
        matchers: names of the chain's matchers, with which the names of their counts begin.
    """
    matcher_columns = [f"{matcher}_{field}" for matcher in matchers for field in MatcherCounts._fields]
    return (*_LEADING_FIELDS, *matcher_columns, *_TRAILING_FIELDS)


def statistics_columns(counts: NDArray[Any]) -> Any:
    """Return an instance of :class:`Statistics` whose fields are columns of an array of vectors.

    The columns are views of the array.

    Args:
        counts: vectors that :meth:`Statistics.to_vector` returned, ``(…, width)``.
    """
    columns = [counts[..., index] for index in range(counts.shape[-1])]
    return Statistics.from_vector(columns)  # type: ignore[arg-type]


def to_additive(counts: NDArray[Any]) -> NDArray[Any]:
    """Convert the statistics of segments to additive statistics, whose sum gives the statistics of a corpus.

    The chunk of a perfectly matched segment is set to 0, because METEOR 1.5 does not count it in corpus scores.

    Args:
        counts: vectors of statistics, ``(…, width)``.
    """
    import numpy as np

    result: NDArray[Any] = counts.copy()
    chunks = statistics_columns(result).chunks
    np.copyto(chunks, 0, where=statistics_columns(counts).is_perfect)
    return result


def characters_of(word: str) -> int:
    """Return the length of a word in character mode, which is its number of UTF-16 code units as in Java."""
    return len(word.encode(CHARACTER_UNITS, "surrogatepass")) // 2


class _SegmentWords(NamedTuple):
    """The words of a hypothesis or reference.

    Attributes:
        units: number of units that each word counts.
        is_function: whether each word is a function word.
    """

    units: list[int]
    is_function: list[bool]

    def function_units(self) -> int:
        """Return the number of units of all function words."""
        return sum(itertools.compress(self.units, self.is_function))

    def count_units(self, start: int, length: int, share: float) -> tuple[int, int]:
        """Return the number of units of the content words and of the function words of a phrase.

        Args:
            start: position of the first word.
            length: number of words.
            share: factor by which the units of each word are multiplied.
        """
        content_units = function_units = 0
        for position in range(start, start + length):
            units = _round_share(self.units[position], share)
            if self.is_function[position]:
                function_units += units
            else:
                content_units += units
        return content_units, function_units


def count_statistics(
    alignment: Alignment,
    matcher_count: int,
    function_words: Collection[str],
    *,
    word_units: Callable[[str], int] | None = None,
    graded: Sequence[bool] = (),
    segment_shares: Sequence[SegmentShares | None] = (),
    equal_segments: bool = False,
) -> Statistics:
    """Count the statistics of an alignment.

    Args:
        alignment: the alignment of a hypothesis with a reference.
        matcher_count: number of matchers of the chain.
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units that a word counts, such as its characters. By default,
            each word counts 1.
        graded: for each matcher of the chain, whether its matches count in proportion to their probability. If any
            matcher is graded, the units of all words are multiplied by :data:`GRADED_UNIT`.
        segment_shares: for each matcher that compares whole segments, the function that does so; otherwise ``None``.
        equal_segments: divide lengths and matches by the segment's length and multiply them by :data:`SEGMENT_UNIT`.
    """
    scale = GRADED_UNIT if any(graded) else 1
    hypothesis = _read_words(alignment.hypothesis, function_words, word_units, scale)
    reference = _read_words(alignment.reference, function_words, word_units, scale)
    matcher_counts = _count_matches(alignment, hypothesis, reference, matcher_count, graded)
    for index, compare_segments in enumerate(segment_shares):
        if compare_segments is not None:
            hypothesis_share, reference_share = compare_segments(alignment.hypothesis, alignment.reference)
            matcher_counts[index] = _count_shares(hypothesis, reference, hypothesis_share, reference_share)
    statistics = Statistics(
        hypothesis_length=sum(hypothesis.units),
        reference_length=sum(reference.units),
        hypothesis_function_words=hypothesis.function_units(),
        reference_function_words=reference.function_units(),
        matchers=tuple(matcher_counts),
        chunks=alignment.chunks,
        hypothesis_matched=sum(match.hypothesis_length for match in alignment.matches),
        reference_matched=sum(match.reference_length for match in alignment.matches),
    )
    return _normalize_lengths(statistics) if equal_segments else statistics


def _read_words(
    words: Sequence[str], function_words: Collection[str], word_units: Callable[[str], int] | None, scale: int
) -> _SegmentWords:
    """Return the number of units that each word counts, and whether the word is a function word.

    Args:
        words: words of a hypothesis or reference.
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units of a word; ``None`` if each word counts 1.
        scale: factor by which the numbers of units are multiplied.
    """
    units = [scale] * len(words)
    if word_units is not None:
        units = [scale * word_units(word) for word in words]
    return _SegmentWords(units, [lowercase(word) in function_words for word in words])


def _count_matches(
    alignment: Alignment,
    hypothesis: _SegmentWords,
    reference: _SegmentWords,
    matcher_count: int,
    graded: Sequence[bool],
) -> list[MatcherCounts]:
    """Count the words that each matcher matched, in units.

    Args:
        alignment: the alignment.
        hypothesis: words of the hypothesis.
        reference: words of the reference.
        matcher_count: number of matchers of the chain.
        graded: for each matcher, whether its matches count in proportion to their probability.
    """
    counts = [MatcherCounts()] * matcher_count
    for match in alignment.matches:
        share = match.probability if graded and graded[match.matcher] else 1.0
        hypothesis_content, hypothesis_function = hypothesis.count_units(
            match.hypothesis_start, match.hypothesis_length, share
        )
        reference_content, reference_function = reference.count_units(
            match.reference_start, match.reference_length, share
        )
        previous = counts[match.matcher]
        counts[match.matcher] = MatcherCounts(
            previous.hypothesis_content + hypothesis_content,
            previous.reference_content + reference_content,
            previous.hypothesis_function + hypothesis_function,
            previous.reference_function + reference_function,
        )
    return counts


def _count_shares(
    hypothesis: _SegmentWords, reference: _SegmentWords, hypothesis_share: float, reference_share: float
) -> MatcherCounts:
    """Return the counts of a matcher that compares whole segments.

    Args:
        hypothesis: words of the hypothesis.
        reference: words of the reference.
        hypothesis_share: share of the hypothesis that matches.
        reference_share: share of the reference that matches.
    """
    hypothesis_function, reference_function = hypothesis.function_units(), reference.function_units()
    return MatcherCounts(
        hypothesis_content=_round_share(sum(hypothesis.units) - hypothesis_function, hypothesis_share),
        reference_content=_round_share(sum(reference.units) - reference_function, reference_share),
        hypothesis_function=_round_share(hypothesis_function, hypothesis_share),
        reference_function=_round_share(reference_function, reference_share),
    )


def _normalize_lengths(statistics: Statistics) -> Statistics:
    """Multiply lengths and counts by a factor, so that the mean of both lengths is :data:`SEGMENT_UNIT`."""
    total_length = statistics.hypothesis_length + statistics.reference_length
    if not total_length:
        return statistics
    factor = 2.0 * SEGMENT_UNIT / total_length
    vector = statistics.to_vector()
    scaled_count = len(vector) - len(_TRAILING_FIELDS)
    scaled = [_round_share(units, factor) for units in vector[:scaled_count]]
    return Statistics.from_vector([*scaled, *vector[scaled_count:]])


def _round_share(units: int, share: float) -> int:
    """Multiply a number of units by a share, and round the product half up."""
    return math.floor(units * share + 0.5)


def to_additive_vector(statistics: Statistics) -> list[int]:
    """Return the additive vector of a segment, as :func:`to_additive` does for arrays."""
    if statistics.is_perfect:
        statistics = statistics._replace(chunks=0)
    return statistics.to_vector()


class StatisticsSum:
    """The sum of the statistics of segments, from which a corpus score is computed."""

    def __init__(self, matcher_count: int) -> None:
        self.segments = 0
        self._totals = [0] * statistics_width(matcher_count)

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of one segment."""
        self.add_total(to_additive_vector(statistics), 1)

    def add_total(self, vector: Sequence[int], segments: int) -> None:
        """Add the sum of the additive vectors of several segments.

        Args:
            vector: the sum.
            segments: number of segments.
        """
        self.segments += segments
        self._totals = [total + value for total, value in zip(self._totals, vector, strict=True)]

    @property
    def total(self) -> Statistics:
        """The statistics of all segments together."""
        return Statistics.from_vector(self._totals)
