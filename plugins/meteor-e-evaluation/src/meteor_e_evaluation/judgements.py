"""Judgments that are lined up with outputs, as arrays."""

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
        segments: segment, from 0.
        better, worse: positions of the systems in the test set's list.
        ties: whether people saw no difference; then ``better`` and ``worse`` are in the file's order.
    """

    segments: Integers
    better: Integers
    worse: Integers
    ties: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Rankings:
        """Return some of the rows."""
        return Rankings(self.segments[rows], self.better[rows], self.worse[rows], self.ties[rows])

    def strict(self) -> Rankings:
        """Return the comparisons in which people saw a difference."""
        return self.select(~self.ties)


@dataclass(frozen=True)
class Assessments:
    """Human scores of segments, one per row of the arrays.

    A segment of a system has one row, unless every rating of several was kept.

    Attributes:
        segments: segment, from 0.
        systems: position of the system in the test set's list.
        scores: the score; the higher, the better.
    """

    segments: Integers
    systems: Integers
    scores: Floats

    def __len__(self) -> int:
        return len(self.segments)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Assessments:
        """Return some of the rows."""
        return Assessments(self.segments[rows], self.systems[rows], self.scores[rows])

    def averaged(self) -> Assessments:
        """Return the mean of the ratings of each segment of each system, sorted by segment and system."""
        if not len(self):
            return self
        cells = np.stack([self.segments, self.systems])
        (segments, systems), at, counts = np.unique(cells, axis=1, return_inverse=True, return_counts=True)
        at = at.reshape(-1)
        means = np.bincount(at, self.scores, len(segments)) / counts
        # One rating is kept to its last bit.
        single = np.zeros(len(segments))
        single[at] = self.scores
        return Assessments(segments, systems, np.where(counts == 1, single, means))

    def matrix(self, shape: tuple[int, int]) -> Floats:
        """Return the scores as ``(systems, segments)``, NaN where there is none; several ratings are averaged."""
        result = np.full(shape, np.nan)
        mean = self.averaged()
        result[mean.systems, mean.segments] = mean.scores
        return result

    def comparisons(self) -> Rankings:
        """Compare every two systems that were assessed on the same segment; equal scores are ties.

        Ratings of one system are never compared with one another.
        """
        return self._comparisons

    @cached_property
    def _comparisons(self) -> Rankings:
        order = np.lexsort((self.systems, self.segments))
        segments, systems, scores = self.segments[order], self.systems[order], self.scores[order]
        starts = np.flatnonzero(np.r_[True, segments[1:] != segments[:-1]]) if len(segments) else np.array([], int)
        firsts, seconds = [np.array([], np.int64)], [np.array([], np.int64)]
        for start, end in zip(starts, np.r_[starts[1:], len(segments)] if len(starts) else starts, strict=True):
            first, second = np.triu_indices(end - start, 1)
            firsts.append(first + start)
            seconds.append(second + start)
        first, second = np.concatenate(firsts), np.concatenate(seconds)
        different = systems[first] != systems[second]
        first, second = first[different], second[different]
        swap = scores[first] < scores[second]
        better, worse = np.where(swap, second, first), np.where(swap, first, second)
        return Rankings(segments[first], systems[better], systems[worse], scores[first] == scores[second])
