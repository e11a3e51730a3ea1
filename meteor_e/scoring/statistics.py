"""Statistics of segments, such as the number of matched words. METEOR scores are computed from these statistics."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.lowercase import lowercase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.scoring.alignment import AlignedMatch, Alignment

GRADED_UNIT = 100
"""Number of units that a word counts if the chain has partial matches. Otherwise, a word counts one unit."""

SEGMENT_UNIT = 1 << 24
"""Mean length of a hypothesis and its reference, in units, if all segments count equally (``macro_average``)."""

CHARACTER_UNITS = "utf-16-le"
"""The encoding whose code units are counted in character mode, as in Java."""

SegmentComparison = Callable[[Sequence[str], Sequence[str]], tuple[float, float]]
"""Function that compares the words of a hypothesis and a reference, and returns the matching share of each segment."""


class MatcherCounts(NamedTuple):
    """How many content words and function words a matcher matched. In character mode, characters are counted."""

    hypothesis_content: int = 0
    reference_content: int = 0
    hypothesis_function: int = 0
    reference_function: int = 0

    def add(self, counts: MatcherCounts) -> MatcherCounts:
        """Return the field-by-field sum of this object and another object."""
        return MatcherCounts._make(map(operator.add, self, counts))

    def weighted_words(self, delta: float) -> tuple[Any, Any]:
        """Return the weighted numbers of matched words of the hypothesis and of the reference.

        Args:
            delta: weight of content words. The weight of function words is ``1 - delta``.
        """
        return (
            delta * self.hypothesis_content + (1 - delta) * self.hypothesis_function,
            delta * self.reference_content + (1 - delta) * self.reference_function,
        )


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
        """Whether all words of both segments match and form a single chunk. METEOR does not penalize such segments.

        In character mode, the counts of the matchers and the lengths are both given in characters, so they can be
        compared. The numbers of matched words are always given in words. If a matcher compares whole segments, its
        counts may exceed the lengths.
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
    """Convert the statistics of segments to a form that can be summed to obtain the statistics of a corpus.

    The words of a perfectly matched segment form one contiguous chunk. METEOR 1.5 ignores this chunk in corpus scores,
    so the segment's number of chunks is set to 0.

    Args:
        counts: vectors of statistics, ``(…, width)``.
    """
    additive_counts = counts.copy()
    columns = statistics_columns(additive_counts)
    # Each column is a view, so this assignment changes the array.
    columns.chunks[columns.is_perfect] = 0
    return additive_counts


def characters_of(word: str) -> int:
    """Return the length of a word in UTF-16 code units, which are the characters of Java."""
    return len(word.encode(CHARACTER_UNITS, "surrogatepass")) // 2


class _WordUnits(NamedTuple):
    """The integer weight of each word of a hypothesis or reference.

    Both lists have one item per word. A content word has the value 0 in ``function``, and a function word has the value
    0 in ``content``.

    Attributes:
        content: the weight of each content word.
        function: the weight of each function word.
    """

    content: list[int]
    function: list[int]

    def sum_text(self, share: float = 1.0) -> tuple[int, int]:
        """Return the total weight of all content words and the total weight of all function words.

        The function multiplies both totals by ``share`` and rounds the products.

        Args:
            share: fraction of the text that matches.
        """
        return _round_half_up(sum(self.content) * share), _round_half_up(sum(self.function) * share)

    def sum_phrase(self, start: int, length: int, share: float) -> tuple[int, int]:
        """Return the total weight of a phrase's content words and the total weight of its function words.

        The function multiplies each word's weight by ``share``, rounds the product, and adds up the rounded products.

        Args:
            start, length: position of the first word, and number of words.
            share: fraction of each word that counts, such as the probability of a match.
        """
        phrase = slice(start, start + length)
        content_units = [_round_half_up(units * share) for units in self.content[phrase]]
        function_units = [_round_half_up(units * share) for units in self.function[phrase]]
        return sum(content_units), sum(function_units)


def _round_half_up(value: float) -> int:
    """Round a number to the nearest integer. Numbers halfway between two integers are rounded up."""
    return math.floor(value + 0.5)


@dataclass(frozen=True)
class StatisticsCounter:
    """Count the matched words of alignments and other statistics, from which METEOR scores are computed.

    Attributes:
        function_words: the language's function words, in lower case.
        word_units: function that returns the number of units that a word counts, such as its characters. By default,
            each word counts 1.
        graded_matchers: indexes of the matchers whose matches count in proportion to their probability. If there is
            such a matcher, the units of all words are multiplied by :data:`GRADED_UNIT`.
        segment_comparisons: functions that compare whole segments, by the index of the matcher.
        macro_average: divide lengths and matches by the segment's length and multiply them by :data:`SEGMENT_UNIT`.
    """

    function_words: Collection[str]
    word_units: Callable[[str], int] | None = None
    graded_matchers: Collection[int] = ()
    segment_comparisons: Mapping[int, SegmentComparison] = field(default_factory=dict)
    macro_average: bool = False

    def count(self, alignment: Alignment) -> Statistics:
        """Return the statistics of an alignment."""
        hypothesis = self._count_units(alignment.hypothesis)
        reference = self._count_units(alignment.reference)
        hypothesis_content_words, hypothesis_function_words = hypothesis.sum_text()
        reference_content_words, reference_function_words = reference.sum_text()
        statistics = Statistics(
            hypothesis_length=hypothesis_content_words + hypothesis_function_words,
            reference_length=reference_content_words + reference_function_words,
            hypothesis_function_words=hypothesis_function_words,
            reference_function_words=reference_function_words,
            matchers=tuple(self._count_matches(alignment, hypothesis, reference)),
            chunks=alignment.chunks,
            hypothesis_matched=sum(match.hypothesis_length for match in alignment.matches),
            reference_matched=sum(match.reference_length for match in alignment.matches),
        )
        return _normalize_lengths(statistics) if self.macro_average else statistics

    def _count_units(self, words: Sequence[str]) -> _WordUnits:
        """Return the integer weight of each content word and of each function word."""
        scale = GRADED_UNIT if self.graded_matchers else 1
        content_units, function_units = [0] * len(words), [0] * len(words)
        for position, word in enumerate(words):
            units = scale if self.word_units is None else scale * self.word_units(word)
            if lowercase(word) in self.function_words:
                function_units[position] = units
            else:
                content_units[position] = units
        return _WordUnits(content_units, function_units)

    def _count_matches(
        self, alignment: Alignment, hypothesis: _WordUnits, reference: _WordUnits
    ) -> list[MatcherCounts]:
        """For each matcher, return the total weights of the words that are matched.

        Args:
            alignment: the alignment of a hypothesis with a reference.
            hypothesis: the weights of the hypothesis's words.
            reference: the weights of the reference's words.
        """
        counts = [MatcherCounts()] * len(alignment.matchers)
        for match in alignment.matches:
            matched_units = self._sum_match(match, hypothesis, reference)
            counts[match.matcher] = counts[match.matcher].add(matched_units)
        # Matchers that compare whole segments do not match words, so their counts are still 0.
        for index, compare_segments in self.segment_comparisons.items():
            hypothesis_share, reference_share = compare_segments(alignment.hypothesis, alignment.reference)
            counts[index] = _join_units(hypothesis.sum_text(hypothesis_share), reference.sum_text(reference_share))
        return counts

    def _sum_match(self, match: AlignedMatch, hypothesis: _WordUnits, reference: _WordUnits) -> MatcherCounts:
        """Add up the weights of the words in a match. The arguments are described in :meth:`_count_matches`."""
        share = match.probability if match.matcher in self.graded_matchers else 1.0
        hypothesis_units = hypothesis.sum_phrase(match.hypothesis_start, match.hypothesis_length, share)
        reference_units = reference.sum_phrase(match.reference_start, match.reference_length, share)
        return _join_units(hypothesis_units, reference_units)


def _join_units(hypothesis: tuple[int, int], reference: tuple[int, int]) -> MatcherCounts:
    """Create the counts of a matcher.

    Args:
        hypothesis, reference: for each segment, the weights of the content words and of the function words.
    """
    hypothesis_content, hypothesis_function = hypothesis
    reference_content, reference_function = reference
    return MatcherCounts(hypothesis_content, reference_content, hypothesis_function, reference_function)


def _normalize_lengths(statistics: Statistics) -> Statistics:
    """Rescale lengths and counts so that the mean length of hypothesis and reference is :data:`SEGMENT_UNIT`."""
    total_length = statistics.hypothesis_length + statistics.reference_length
    if not total_length:
        return statistics
    factor = 2.0 * SEGMENT_UNIT / total_length
    vector = statistics.to_vector()
    scaled_count = len(vector) - len(_TRAILING_FIELDS)
    scaled = [_round_half_up(units * factor) for units in vector[:scaled_count]]
    return Statistics.from_vector([*scaled, *vector[scaled_count:]])


def sum_statistics(segments: Iterable[Statistics], matcher_count: int) -> list[int]:
    """Return the sum of the additive statistics of segments, in the order of :meth:`Statistics.to_vector`.

    Args:
        segments: statistics of the segments; see :func:`to_additive` for the difference to additive statistics.
        matcher_count: number of matchers of the chain.
    """
    total = [0] * statistics_width(matcher_count)
    for statistics in segments:
        # In corpus scores, METEOR 1.5 ignores the single chunk that the words of a perfectly matched segment form.
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
