"""METEOR's statistics of segments, such as the number of matched words, from which scores are computed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.lowercase import lowercase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.scoring.alignment import Alignment

GRADED_UNIT = 100
"""Number of units that a word counts if the chain has partial matches. Otherwise, a word counts one unit."""

SEGMENT_UNIT = 1 << 24
"""Mean length of a hypothesis and its reference, in units, if all segments count equally (``macro_average``)."""

CHARACTER_UNITS = "utf-16-le"
"""The encoding whose code units are counted in character mode, as in Java."""

SegmentShares = Callable[[Sequence[str], Sequence[str]], tuple[float, float]]
"""Function that compares the words of a hypothesis and a reference, and returns the matching share of each segment."""


class MatcherCounts(NamedTuple):
    """How many content words and function words a matcher matched. In character mode, characters are counted."""

    hypothesis_content: int = 0
    reference_content: int = 0
    hypothesis_function: int = 0
    reference_function: int = 0


class Statistics(NamedTuple):
    """The statistics of a segment, or their sums over the segments of a corpus.

    By default, lengths and the counts of the matchers are given in words. In character mode, they are given in UTF-16
    code units, which are the characters of Java. The numbers of chunks and of matched words do not depend on the mode.

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
        """Return the weighted lengths of the hypothesis and of the reference.

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
        """Whether all words of both segments match in a single chunk. Such matches are not penalized.

        In character mode, lengths are given in characters, but matched words are still counted as words. Therefore,
        lengths are compared with the counts of the matchers. Matchers that compare whole segments can have counts that
        exceed the lengths.
        """
        hypothesis_count = sum(counts.hypothesis_content + counts.hypothesis_function for counts in self.matchers)
        reference_count = sum(counts.reference_content + counts.reference_function for counts in self.matchers)
        has_full_hypothesis = hypothesis_count >= self.hypothesis_length
        has_full_reference = reference_count >= self.reference_length
        # The operator "&" is used instead of "and", because the fields can also be NumPy arrays.
        return (self.chunks == 1) & has_full_hypothesis & has_full_reference

    def to_vector(self) -> list[int]:
        """Return the statistics as a flat list of numbers, in the order of :func:`statistics_names`."""
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
    """Return the length of the statistics vector for a chain with the given number of matchers."""
    return len(_LEADING_FIELDS) + len(MatcherCounts._fields) * matchers + len(_TRAILING_FIELDS)


def statistics_names(matchers: Sequence[str]) -> tuple[str, ...]:
    """Return the field names of a vector of statistics.

    Args:
        matchers: names of the chain's matchers, with which the names of their counts begin.
    """
    matcher_columns = [f"{matcher}_{field}" for matcher in matchers for field in MatcherCounts._fields]
    return (*_LEADING_FIELDS, *matcher_columns, *_TRAILING_FIELDS)


def statistics_columns(counts: NDArray[Any]) -> Any:
    """Wrap an array of statistics vectors in a :class:`Statistics` object, whose fields are the columns of the array.

    The columns are views of the array.

    Args:
        counts: vectors that :meth:`Statistics.to_vector` returned, ``(…, width)``.
    """
    columns = [counts[..., index] for index in range(counts.shape[-1])]
    return Statistics.from_vector(columns)  # type: ignore[arg-type]


def to_additive(counts: NDArray[Any]) -> NDArray[Any]:
    """Convert the statistics of segments to additive statistics, whose sum gives the statistics of a corpus.

    The number of chunks of a perfectly matched segment is set to 0, because METEOR 1.5 does not count this chunk in
    corpus scores.

    Args:
        counts: vectors of statistics, ``(…, width)``.
    """
    import numpy as np

    result: NDArray[Any] = counts.copy()
    chunks = statistics_columns(result).chunks
    np.copyto(chunks, 0, where=statistics_columns(counts).is_perfect)
    return result


def characters_of(word: str) -> int:
    """Return the length of a word in UTF-16 code units, which are the characters of Java."""
    return len(word.encode(CHARACTER_UNITS, "surrogatepass")) // 2


class _WordUnits(NamedTuple):
    """How much each word of a hypothesis or reference counts, in integer units.

    Both lists have one item per word. A content word has the value 0 in ``function``, and a function word has the value
    0 in ``content``.

    Attributes:
        content: for each content word its number of units.
        function: for each function word its number of units.
    """

    content: list[int]
    function: list[int]


def count_statistics(
    alignment: Alignment,
    matcher_count: int,
    function_words: Collection[str],
    *,
    word_units: Callable[[str], int] | None = None,
    graded: Sequence[bool] = (),
    segment_shares: Sequence[SegmentShares | None] = (),
    macro_average: bool = False,
) -> Statistics:
    """Count the matched words of an alignment and other statistics, from which METEOR scores are computed.

    Args:
        alignment: the alignment of a hypothesis with a reference.
        matcher_count: number of matchers of the chain.
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units that a word counts, such as its characters. By default,
            each word counts 1.
        graded: for each matcher of the chain, whether its matches count in proportion to their probability. If any
            matcher is graded, the units of all words are multiplied by :data:`GRADED_UNIT`.
        segment_shares: for each matcher that compares whole segments, the function that does so; otherwise ``None``.
        macro_average: divide lengths and matches by the segment's length and multiply them by :data:`SEGMENT_UNIT`.
    """
    scale = GRADED_UNIT if any(graded) else 1
    hypothesis = _count_units(alignment.hypothesis, function_words, word_units, scale)
    reference = _count_units(alignment.reference, function_words, word_units, scale)
    matcher_counts = _count_matches(alignment, hypothesis, reference, matcher_count, graded)
    for index, compare_segments in enumerate(segment_shares):
        if compare_segments is not None:
            hypothesis_share, reference_share = compare_segments(alignment.hypothesis, alignment.reference)
            matcher_counts[index] = _count_shares(hypothesis, reference, hypothesis_share, reference_share)
    statistics = Statistics(
        hypothesis_length=sum(hypothesis.content) + sum(hypothesis.function),
        reference_length=sum(reference.content) + sum(reference.function),
        hypothesis_function_words=sum(hypothesis.function),
        reference_function_words=sum(reference.function),
        matchers=tuple(matcher_counts),
        chunks=alignment.chunks,
        hypothesis_matched=sum(match.hypothesis_length for match in alignment.matches),
        reference_matched=sum(match.reference_length for match in alignment.matches),
    )
    return _normalize_lengths(statistics) if macro_average else statistics


def _count_units(
    words: Sequence[str], function_words: Collection[str], word_units: Callable[[str], int] | None, scale: int
) -> _WordUnits:
    """Return how much each content word and each function word counts, in integer units.

    Args:
        words: words of a hypothesis or reference.
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units of a word; ``None`` if each word counts 1.
        scale: factor by which the numbers of units are multiplied.
    """
    content_units, function_units = [0] * len(words), [0] * len(words)
    for position, word in enumerate(words):
        units = scale if word_units is None else scale * word_units(word)
        if lowercase(word) in function_words:
            function_units[position] = units
        else:
            content_units[position] = units
    return _WordUnits(content_units, function_units)


def _count_matches(
    alignment: Alignment,
    hypothesis: _WordUnits,
    reference: _WordUnits,
    matcher_count: int,
    graded: Sequence[bool],
) -> list[MatcherCounts]:
    """Sum for each matcher the units of the words that it matched.

    Args:
        alignment: the alignment of a hypothesis with a reference.
        hypothesis: units of the hypothesis's words, which say how much each word counts.
        reference: units of the reference's words.
        matcher_count: number of matchers of the chain.
        graded: for each matcher, whether its matches count in proportion to their probability.
    """
    counts = [MatcherCounts()] * matcher_count
    for match in alignment.matches:
        share = match.probability if graded and graded[match.matcher] else 1.0
        hypothesis_phrase = slice(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length)
        reference_phrase = slice(match.reference_start, match.reference_start + match.reference_length)
        total = counts[match.matcher]
        counts[match.matcher] = MatcherCounts(
            total.hypothesis_content + _sum_shares(hypothesis.content[hypothesis_phrase], share),
            total.reference_content + _sum_shares(reference.content[reference_phrase], share),
            total.hypothesis_function + _sum_shares(hypothesis.function[hypothesis_phrase], share),
            total.reference_function + _sum_shares(reference.function[reference_phrase], share),
        )
    return counts


def _sum_shares(units: Sequence[int], share: float) -> int:
    """Multiply the units of each word by a share, round the products half up, and add them."""
    return sum(math.floor(word_units * share + 0.5) for word_units in units)


def _count_shares(
    hypothesis: _WordUnits, reference: _WordUnits, hypothesis_share: float, reference_share: float
) -> MatcherCounts:
    """Compute the counts of a matcher that compares whole segments instead of words. Counts are rounded half up.

    Args:
        hypothesis: units of the hypothesis's words.
        reference: units of the reference's words.
        hypothesis_share: share of the hypothesis that matches.
        reference_share: share of the reference that matches.
    """
    return MatcherCounts(
        hypothesis_content=math.floor(sum(hypothesis.content) * hypothesis_share + 0.5),
        reference_content=math.floor(sum(reference.content) * reference_share + 0.5),
        hypothesis_function=math.floor(sum(hypothesis.function) * hypothesis_share + 0.5),
        reference_function=math.floor(sum(reference.function) * reference_share + 0.5),
    )


def _normalize_lengths(statistics: Statistics) -> Statistics:
    """Rescale lengths and counts. Afterwards, the mean of both lengths is :data:`SEGMENT_UNIT`."""
    total_length = statistics.hypothesis_length + statistics.reference_length
    if not total_length:
        return statistics
    factor = 2.0 * SEGMENT_UNIT / total_length
    vector = statistics.to_vector()
    scaled_count = len(vector) - len(_TRAILING_FIELDS)
    scaled = [math.floor(units * factor + 0.5) for units in vector[:scaled_count]]
    return Statistics.from_vector([*scaled, *vector[scaled_count:]])


def sum_statistics(segments: Iterable[Statistics], matcher_count: int) -> list[int]:
    """Return the sum of the additive statistics of segments, in the order of :meth:`Statistics.to_vector`.

    Args:
        segments: statistics of the segments; see :func:`to_additive` for the difference to additive statistics.
        matcher_count: number of matchers of the chain.
    """
    total = [0] * statistics_width(matcher_count)
    for statistics in segments:
        # METEOR 1.5 does not count the chunk of a perfectly matched segment in corpus scores.
        additive = statistics._replace(chunks=0) if statistics.is_perfect else statistics
        for column, value in enumerate(additive.to_vector()):
            total[column] += value
    return total


class StatisticsSum:
    """The sum of the statistics of segments, from which a corpus score is computed."""

    def __init__(self, matcher_count: int) -> None:
        self.segments = 0
        self._totals = [0] * statistics_width(matcher_count)

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of one segment."""
        self.add_total(sum_statistics([statistics], len(statistics.matchers)), 1)

    def add_total(self, vector: Sequence[int], segments: int) -> None:
        """Add the summed statistics of several segments.

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
