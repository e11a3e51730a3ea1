"""Sufficient statistics: all that scores, corpus scores, tuning and significance tests need of a segment."""

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
"""What a word counts in a chain where a match may count in part."""

SEGMENT_UNIT = 1 << 24
"""What a segment counts, the mean of both sides, in a chain where all segments count the same."""

CHARACTER_UNITS = "utf-16-le"

WholeShares = Callable[[Sequence[str], Sequence[str]], tuple[float, float]]
"""What shares of a hypothesis and of a reference, each as its words, match as a whole."""


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

    def weighted_lengths(self, delta: float) -> tuple[Any, Any]:
        """Return the words of either side, of which content words count δ and function words 1 - δ."""
        content = self.hypothesis_length - self.hypothesis_function_words
        others = self.reference_length - self.reference_function_words
        return (
            delta * content + (1 - delta) * self.hypothesis_function_words,
            delta * others + (1 - delta) * self.reference_function_words,
        )

    @property
    def is_perfect(self) -> bool:
        """Whether all words of both sides match in one chunk, which carries no penalty.

        The matchers' counts are compared with the lengths, because both are in characters in character mode. A matcher
        of whole segments can make them more than the lengths.
        """
        hypothesis = sum(counts.hypothesis_content + counts.hypothesis_function for counts in self.matchers)
        reference = sum(counts.reference_content + counts.reference_function for counts in self.matchers)
        # "&" and not "and": the fields of statistics_columns() are arrays.
        return (self.chunks == 1) & (hypothesis >= self.hypothesis_length) & (reference >= self.reference_length)

    def to_vector(self) -> list[int]:
        """Return the numbers in their fixed order: that of :func:`statistics_names`."""
        fields: tuple[Any, ...] = self
        return [*fields[:_AT], *itertools.chain.from_iterable(self.matchers), *fields[_AT + 1 :]]

    @classmethod
    def from_vector(cls, vector: Sequence[int]) -> Statistics:
        """Return the statistics of a vector as :meth:`to_vector` makes it."""
        size, behind = len(MatcherCounts._fields), len(vector) - len(_AFTER)
        matchers = tuple(MatcherCounts(*vector[at : at + size]) for at in range(len(_BEFORE), behind, size))
        return cls._make((*vector[: len(_BEFORE)], matchers, *vector[behind:]))


_AT = Statistics._fields.index("matchers")
_BEFORE, _AFTER = Statistics._fields[:_AT], Statistics._fields[_AT + 1 :]

LAYOUT = (_BEFORE, MatcherCounts._fields, _AFTER)
"""Names of the columns of a vector: those before the matchers, those of each matcher, those after them."""


def statistics_width(matchers: int) -> int:
    """Return how many statistics a chain with so many matchers has."""
    return len(_BEFORE) + len(MatcherCounts._fields) * matchers + len(_AFTER)


def statistics_names(matchers: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a vector; a column of a matcher is called ``matcher_field``."""
    counts = [f"{matcher}_{field}" for matcher in matchers for field in MatcherCounts._fields]
    return (*_BEFORE, *counts, *_AFTER)


def statistics_columns(counts: NDArray[Any]) -> Any:
    """Return the columns of many vectors by name: :class:`Statistics` whose fields are arrays, views of ``counts``.

    Args:
        counts: vectors of statistics, ``(…, width)``, as :meth:`Statistics.to_vector` makes them.
    """
    return Statistics.from_vector([counts[..., at] for at in range(counts.shape[-1])])  # type: ignore[misc]


def as_summed(counts: NDArray[Any]) -> NDArray[Any]:
    """Return statistics of segments as a corpus adds them up: a perfect segment leaves its chunk out.

    Args:
        counts: vectors of statistics, ``(…, width)``.
    """
    import numpy as np

    result: NDArray[Any] = counts.copy()
    chunks = statistics_columns(result).chunks
    np.copyto(chunks, 0, where=statistics_columns(counts).is_perfect)
    return result


def characters_of(word: str) -> int:
    """Return what a word counts in character mode: its length in UTF-16 code units, as Java counts."""
    return len(word.encode(CHARACTER_UNITS, "surrogatepass")) // 2


def collect(
    alignment: Alignment,
    matcher_count: int,
    function_words: Collection[str],
    *,
    weigh: Callable[[str], int] | None = None,
    graded: Sequence[bool] = (),
    whole: Sequence[WholeShares | None] = (),
    equal: bool = False,
) -> Statistics:
    """Count the statistics of an aligned pair.

    Args:
        alignment: of the pair.
        matcher_count: number of matchers of the chain.
        function_words: the language's function words, in lower case.
        weigh: what a word counts, instead of 1: its characters or its rarity.
        graded: of each matcher of the chain, whether its matches count as much as they are probable; words then count
            :data:`GRADED_UNIT`, times what they count otherwise.
        whole: of each matcher that compares whole segments, how it finds the shares that match.
        equal: lengths and matches are shares of :data:`SEGMENT_UNIT`.
    """
    scale = GRADED_UNIT if any(graded) else 1
    sides = []
    for words in (alignment.hypothesis, alignment.reference):
        units = [scale if weigh is None else scale * weigh(word) for word in words]
        sides.append((units, [lowercase(word) in function_words for word in words]))
    (hypothesis_units, hypothesis_functional), (reference_units, reference_functional) = sides
    counts = [dict.fromkeys(MatcherCounts._fields, 0) for _ in range(matcher_count)]
    hypothesis_matched = reference_matched = 0
    for match in alignment.matches:
        count = counts[match.matcher]
        share = match.probability if graded and graded[match.matcher] else 1.0
        for i in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
            count["hypothesis_function" if hypothesis_functional[i] else "hypothesis_content"] += _part(
                hypothesis_units[i], share
            )
        for j in range(match.reference_start, match.reference_start + match.reference_length):
            count["reference_function" if reference_functional[j] else "reference_content"] += _part(
                reference_units[j], share
            )
        hypothesis_matched += match.hypothesis_length
        reference_matched += match.reference_length
    for count, find_shares in zip(counts, whole, strict=False):
        if find_shares is None:
            continue
        for side, (units, functional), share in zip(
            ("hypothesis", "reference"), sides, find_shares(alignment.hypothesis, alignment.reference), strict=True
        ):
            function = sum(itertools.compress(units, functional))
            count[f"{side}_content"] = _part(sum(units) - function, share)
            count[f"{side}_function"] = _part(function, share)
    made = Statistics(
        hypothesis_length=sum(hypothesis_units),
        reference_length=sum(reference_units),
        hypothesis_function_words=sum(itertools.compress(hypothesis_units, hypothesis_functional)),
        reference_function_words=sum(itertools.compress(reference_units, reference_functional)),
        matchers=tuple(MatcherCounts(**count) for count in counts),
        chunks=alignment.chunks,
        hypothesis_matched=hypothesis_matched,
        reference_matched=reference_matched,
    )
    both = made.hypothesis_length + made.reference_length
    if not equal or not both:
        return made
    vector, ratio = made.to_vector(), 2.0 * SEGMENT_UNIT / both
    scaled = len(vector) - len(_AFTER)
    return made.from_vector([*(_part(units, ratio) for units in vector[:scaled]), *vector[scaled:]])


def _part(units: int, share: float) -> int:
    """Return a share of what a word counts, rounded."""
    return math.floor(units * share + 0.5)


def corpus_vector(statistics: Statistics) -> list[int]:
    """Return a segment's numbers as a corpus adds them up: a perfect segment, without a penalty, brings no chunk."""
    return (statistics._replace(chunks=0) if statistics.is_perfect else statistics).to_vector()


class StatisticsSum:
    """A running sum of segment statistics: what a corpus score is computed from."""

    def __init__(self, matcher_count: int) -> None:
        self.segments = 0
        self._totals = [0] * statistics_width(matcher_count)

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of one segment."""
        self.add_total(corpus_vector(statistics), 1)

    def add_total(self, vector: Sequence[int], segments: int) -> None:
        """Add the sum of some segments, as another sum has it."""
        self.segments += segments
        self._totals = [total + value for total, value in zip(self._totals, vector, strict=True)]

    @property
    def total(self) -> Statistics:
        """The statistics of all segments together."""
        return Statistics.from_vector(self._totals)
