"""Judgements that are lined up with outputs, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.arraytypes import Floats, Integers

__all__ = ["Assessments", "Floats", "Integers", "Rankings"]


@dataclass(frozen=True)
class Rankings:
    """Comparisons of two systems on a segment, one a row of the arrays.

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
    """Human scores of segments, one a row of the arrays.

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

    def comparisons(self) -> Rankings:
        """Compare every two systems that were assessed on the same segment; equal scores are ties."""
        order = np.lexsort((self.systems, self.segments))
        segments, systems, scores = self.segments[order], self.systems[order], self.scores[order]
        starts = np.flatnonzero(np.r_[True, segments[1:] != segments[:-1]]) if len(segments) else np.array([], int)
        parts = []
        for start, end in zip(starts, [*starts[1:], len(segments)], strict=True):
            first, second = np.triu_indices(end - start, 1)
            parts.append((first + start, second + start))
        if not parts:
            none = np.array([], np.int64)
            return Rankings(none, none, none, none.astype(bool))
        first, second = (np.concatenate(side) for side in zip(*parts, strict=True))
        swap = scores[first] < scores[second]
        better, worse = np.where(swap, second, first), np.where(swap, first, second)
        return Rankings(segments[first], systems[better], systems[worse], scores[first] == scores[second])
