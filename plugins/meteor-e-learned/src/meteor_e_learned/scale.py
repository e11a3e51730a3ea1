"""From weighted sums to scores that mean something: how much of known system outputs a hypothesis beats."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats
from meteor_e.scoring.arrays import apply_scalar

SHARES = np.concatenate([[0.1, 0.25, 0.5], np.arange(1.0, 100.0), [99.5, 99.75, 99.9]])
"""The shares, in percent, whose values a scale holds."""


@dataclass(frozen=True)
class Scale:
    """A strictly increasing map from raw scores to shares between 0 and 100.

    Between the levels it is linear; beyond the outermost ones it nears 0 and 100, so that no two scores become one.

    Attributes:
        levels: the raw score that each of :data:`SHARES` belongs to, increasing.

    Raises:
        ValueError: for levels that do not increase.
    """

    levels: Floats

    def __post_init__(self) -> None:
        if self.levels.shape != SHARES.shape or not (np.diff(self.levels) > 0).all():
            raise ValueError("the levels of the scale do not increase")

    @classmethod
    def fit(cls, scores: NDArray[np.floating], part: NDArray[np.int64]) -> Scale:
        """Return the scale of some outputs' raw scores; each part, such as a language pair of a year, counts alike."""
        weight = 1 / np.bincount(part)[part]
        order = np.argsort(scores, kind="stable")
        below = np.cumsum(weight[order])
        levels = np.interp(SHARES / 100, (below - weight[order] / 2) / below[-1], scores[order].astype(float))
        # Equal texts have equal scores; a scale has to increase all the same.
        step = max(float(np.ptp(levels)), 1.0) * 1e-9
        return cls(np.maximum.accumulate(levels) + step * np.arange(len(levels)))

    def of(self, scores: Floats) -> Floats:
        """Return shares in percent, each between 0 and 100."""
        inside = np.interp(scores, self.levels, SHARES)
        low, high = self.levels[0], self.levels[-1]
        below = SHARES[0] * apply_scalar(math.exp, np.minimum(scores - low, 0) / (self.levels[3] - low))
        rest = 100 - SHARES[-1]
        above = 100 - rest * apply_scalar(math.exp, -np.maximum(scores - high, 0) / (high - self.levels[-4]))
        result: Floats = np.where(scores < low, below, np.where(scores > high, above, inside))
        return result
