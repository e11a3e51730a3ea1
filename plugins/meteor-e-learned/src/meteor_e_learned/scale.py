"""A scale that converts a raw score to its percentile rank among system outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats
from meteor_e.scoring.arrays import apply_scalar

SHARES = np.concatenate([[0.1, 0.25, 0.5], np.arange(1.0, 100.0), [99.5, 99.75, 99.9]])
"""The percentages for which a scale stores the raw score."""


@dataclass(frozen=True)
class Scale:
    """A strictly increasing function from raw scores to percentages between 0 and 100.

    The function interpolates linearly between the stored levels. Below the lowest level, it approaches 0 exponentially.
    Above the highest level, it approaches 100. Therefore, different raw scores never have the same percentage.

    Attributes:
        levels: the raw score for each percentage in :data:`SHARES`, in increasing order.

    Raises:
        ValueError: if the levels do not increase.
    """

    levels: Floats

    def __post_init__(self) -> None:
        if self.levels.shape != SHARES.shape or not (np.diff(self.levels) > 0).all():
            raise ValueError("the levels of the scale do not increase")

    @classmethod
    def fit(cls, scores: NDArray[np.floating], part: NDArray[np.int64]) -> Scale:
        """Compute the levels of a scale, which are weighted quantiles of the raw scores of system outputs.

        Args:
            scores: the raw scores.
            part: the index of each output's part, such as a language pair of a year. All parts have equal weight.
        """
        weights = 1 / np.bincount(part)[part]
        ascending = np.argsort(scores, kind="stable")
        cumulative_weights = np.cumsum(weights[ascending])
        # The quantile of a score lies in the middle of its weight.
        quantiles = (cumulative_weights - weights[ascending] / 2) / cumulative_weights[-1]
        levels = np.interp(SHARES / 100, quantiles, scores[ascending].astype(float))
        # If many outputs have the same score, a tiny step between the levels keeps the scale strictly increasing.
        step = max(float(np.ptp(levels)), 1.0) * 1e-9
        return cls(np.maximum.accumulate(levels) + step * np.arange(len(levels)))

    def of(self, scores: Floats) -> Floats:
        """Return the percentage for each raw score."""
        lowest, highest = self.levels[0], self.levels[-1]
        interpolated = np.interp(scores, self.levels, SHARES)
        # The exponential tails are scaled by the width of the three outermost intervals.
        low_width, high_width = self.levels[3] - lowest, highest - self.levels[-4]
        low_tail = SHARES[0] * apply_scalar(math.exp, np.minimum(scores - lowest, 0) / low_width)
        high_share = 100 - SHARES[-1]
        high_tail = 100 - high_share * apply_scalar(math.exp, -np.maximum(scores - highest, 0) / high_width)
        result: Floats = np.where(scores < lowest, low_tail, np.where(scores > highest, high_tail, interpolated))
        return result
