"""Stores human judgments of the outputs of a test set in arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers


@dataclass(frozen=True)
class Rankings:
    """Human comparisons of two systems on one segment. Each row of the arrays is one comparison.

    Attributes:
        segments: index of the segment.
        better, worse: indices of the better and the worse system.
        ties: whether the annotator ranked the two systems equally.
    """

    segments: Integers
    better: Integers
    worse: Integers
    ties: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Rankings:
        """Return some of the comparisons, selected by their indices or by a mask."""
        return Rankings(self.segments[rows], self.better[rows], self.worse[rows], self.ties[rows])

    def strict(self) -> Rankings:
        """Return the comparisons that are not ties."""
        return self.select(~self.ties)


@dataclass(frozen=True)
class Assessments:
    """Human ratings of outputs. Each row of the arrays is one rating.

    Attributes:
        segments: index of the segment.
        systems: index of the system.
        scores: the rating. Higher ratings are better.
    """

    segments: Integers
    systems: Integers
    scores: Floats

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Assessments:
        """Return some of the ratings, selected by their indices or by a mask."""
        return Assessments(self.segments[rows], self.systems[rows], self.scores[rows])

    def average_repeated(self) -> Assessments:
        """Return the mean rating of each output, sorted by segment and system."""
        if not len(self):
            return self
        n_systems = int(self.systems.max()) + 1
        output_ids = self.segments * n_systems + self.systems
        distinct_ids, output_index, n_ratings = np.unique(output_ids, return_inverse=True, return_counts=True)
        segments, systems = np.divmod(distinct_ids, n_systems)
        return Assessments(segments, systems, scores=np.bincount(output_index, self.scores) / n_ratings)

    def matrix(self, shape: tuple[int, int]) -> Floats:
        """Return the mean ratings as a matrix ``(systems, segments)``, with NaN for outputs without ratings."""
        ratings = np.full(shape, np.nan)
        means = self.average_repeated()
        ratings[means.systems, means.segments] = means.scores
        return ratings

    @cached_property
    def comparisons(self) -> Rankings:
        """Comparisons of all pairs of systems that were rated on the same segment.

        Equal ratings are ties. Two ratings of the same system are not compared.
        """
        sorted_ratings = self.select(np.lexsort((self.systems, self.segments)))
        first_rows, second_rows = _pairs_within_segments(sorted_ratings.segments)
        is_between_systems = sorted_ratings.systems[first_rows] != sorted_ratings.systems[second_rows]
        first = sorted_ratings.select(first_rows[is_between_systems])
        second = sorted_ratings.select(second_rows[is_between_systems])
        second_is_better = first.scores < second.scores
        return Rankings(
            segments=first.segments,
            better=np.where(second_is_better, second.systems, first.systems),
            worse=np.where(second_is_better, first.systems, second.systems),
            ties=first.scores == second.scores,
        )


def _pairs_within_segments(segments: Integers) -> tuple[Integers, Integers]:
    """Return the indices of all pairs of rows that belong to the same segment.

    Args:
        segments: segment of each row, in ascending order.
    """
    _, starts, n_rows = np.unique(segments, return_index=True, return_counts=True)
    # Without these empty arrays, np.concatenate() would fail if there are no rows.
    first_rows = [np.array([], np.int64)]
    second_rows = [np.array([], np.int64)]
    for start, n_rows_of_segment in zip(starts, n_rows, strict=True):
        first, second = np.triu_indices(n_rows_of_segment, 1)
        first_rows.append(first + start)
        second_rows.append(second + start)
    return np.concatenate(first_rows), np.concatenate(second_rows)
