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
        check_levels(self.levels)

    @classmethod
    def fit(cls, scores: NDArray[np.floating], part: NDArray[np.int64]) -> Scale:
        """Compute the levels of a scale, which are weighted quantiles of the raw scores of system outputs.

        Args:
            scores: the raw scores.
            part: the index of each output's part, such as a language pair of a year. All parts have equal weight.
        """
        weights = 1 / np.bincount(part)[part]
        levels = _weighted_quantiles(scores, weights, SHARES / 100)
        # A tiny step between levels keeps the scale strictly increasing even if many outputs share a score.
        step = max(float(np.ptp(levels)), 1.0) * 1e-9
        return cls(np.maximum.accumulate(levels) + step * np.arange(len(levels)))

    def of(self, scores: Floats) -> Floats:
        """Convert each raw score to a percentile rank, which is a number between 0 and 100."""
        lowest, highest = self.levels[0], self.levels[-1]
        interpolated = np.interp(scores, self.levels, SHARES)
        # Outside the range of the levels, percentages approach 0 and 100 exponentially.
        low_width, high_width = self.levels[3] - lowest, highest - self.levels[-4]
        low_tail = SHARES[0] * apply_scalar(math.exp, np.minimum(scores - lowest, 0) / low_width)
        high_share = 100 - SHARES[-1]
        high_tail = 100 - high_share * apply_scalar(math.exp, -np.maximum(scores - highest, 0) / high_width)
        result: Floats = np.where(scores < lowest, low_tail, np.where(scores > highest, high_tail, interpolated))
        return result


def _weighted_quantiles(values: NDArray[np.floating], weights: Floats, shares: Floats) -> Floats:
    """Return weighted quantiles of values, with linear interpolation.

    Args:
        values: the values.
        weights: the weight of each value.
        shares: the quantiles to return, from 0 to 1.
    """
    order = np.argsort(values, kind="stable")
    sorted_weights = weights[order]
    cumulative_weights = np.cumsum(sorted_weights)
    # The quantile of a value is the weight of all smaller values plus half of the value's own weight.
    value_shares = (cumulative_weights - sorted_weights / 2) / cumulative_weights[-1]
    quantiles: Floats = np.interp(shares, value_shares, values[order].astype(float))
    return quantiles


def check_levels(levels: Floats) -> None:
    """Raise ValueError if the levels of a scale do not increase, or if their number is wrong."""
    if levels.shape != SHARES.shape or not (np.diff(levels) > 0).all():
        raise ValueError("the levels of the scale do not increase")
