"""Human judgments of a test set's outputs, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers


@dataclass(frozen=True)
class Rankings:
    """Comparisons of two systems on a segment, one per row of the arrays.

    Attributes:
        segments: index of the segment.
        better, worse: indices of the two systems among the test set's systems.
        ties: whether people ranked the two systems equally; ``better`` and ``worse`` are then in the file's order.
    """

    segments: Integers
    better: Integers
    worse: Integers
    ties: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Rankings:
        """Return the comparisons with these indices, or for which this mask is true."""
        return Rankings(self.segments[rows], self.better[rows], self.worse[rows], self.ties[rows])

    def strict(self) -> Rankings:
        """Return the comparisons that are not ties."""
        return self.select(~self.ties)


@dataclass(frozen=True)
class Assessments:
    """Ratings of outputs, one per row of the arrays.

    An output has one row unless each of several ratings was kept.

    Attributes:
        segments: index of the segment.
        systems: index of the system among the test set's systems.
        scores: the rating; higher is better.
    """

    segments: Integers
    systems: Integers
    scores: Floats

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Assessments:
        """Return the ratings with these indices, or for which this mask is true."""
        return Assessments(self.segments[rows], self.systems[rows], self.scores[rows])

    def average_repeated(self) -> Assessments:
        """Return one row per output, with the mean of its ratings, sorted by segment and system."""
        if not len(self):
            return self
        outputs = np.stack([self.segments, self.systems])
        (segments, systems), output_index, n_ratings = np.unique(
            outputs, axis=1, return_inverse=True, return_counts=True
        )
        output_index = output_index.reshape(-1)
        means = np.bincount(output_index, self.scores, len(segments)) / n_ratings
        # A sum and a division could change the last bit of a single rating.
        single_ratings = np.zeros(len(segments))
        single_ratings[output_index] = self.scores
        return Assessments(segments, systems, np.where(n_ratings == 1, single_ratings, means))

    def matrix(self, shape: tuple[int, int]) -> Floats:
        """Return the mean ratings as a matrix ``(systems, segments)``, with NaN for outputs without ratings."""
        ratings = np.full(shape, np.nan)
        means = self.average_repeated()
        ratings[means.systems, means.segments] = means.scores
        return ratings

    def comparisons(self) -> Rankings:
        """Return a comparison for every two systems that were rated on the same segment.

        Equal ratings are ties. Two ratings of the same system are not compared.
        """
        return self._comparisons

    @cached_property
    def _comparisons(self) -> Rankings:
        order = np.lexsort((self.systems, self.segments))
        segments, systems, scores = self.segments[order], self.systems[order], self.scores[order]
        first, second = _pairs_within_segments(segments)
        is_between_systems = systems[first] != systems[second]
        first, second = first[is_between_systems], second[is_between_systems]
        second_is_better = scores[first] < scores[second]
        better, worse = np.where(second_is_better, second, first), np.where(second_is_better, first, second)
        return Rankings(segments[first], systems[better], systems[worse], scores[first] == scores[second])


def _pairs_within_segments(segments: Integers) -> tuple[Integers, Integers]:
    """Return the indices of all pairs of rows of the same segment; rows are sorted by segment."""
    firsts, seconds = [np.array([], np.int64)], [np.array([], np.int64)]
    if len(segments):
        starts = np.flatnonzero(np.r_[True, segments[1:] != segments[:-1]])
        ends = np.append(starts[1:], len(segments))
        for start, end in zip(starts, ends, strict=True):
            first, second = np.triu_indices(end - start, 1)
            firsts.append(first + start)
            seconds.append(second + start)
    return np.concatenate(firsts), np.concatenate(seconds)
