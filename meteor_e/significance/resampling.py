"""Bootstrap samples of segments and permutation tests.

A sample is kept as how often each segment is drawn, so that anything that is a sum over segments is a product of
matrices. Efron and Tibshirani (1993); Koehn (2004); Riezler and Maxwell (2005).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import Floats

SIGNIFICANT = 0.05
"""p below which a difference counts."""

SLACK = 1e-12
"""Differences closer than this are equal except for rounding."""


class Interval(NamedTuple):
    """A percentile interval."""

    low: float
    high: float


def draw_weights(segments: int, samples: int, seed: int = DEFAULT_SEED) -> Floats:
    """Draw bootstrap samples.

    Args:
        segments: number of segments; each sample has as many, drawn with replacement.
        samples: number of samples.
        seed: of numpy's default generator.

    Returns:
        ``(samples, segments)``: how often each segment is in each sample.
    """
    random = np.random.default_rng(seed)
    result = np.empty((samples, segments))
    for row in range(samples):
        result[row] = np.bincount(random.integers(segments, size=segments), minlength=segments)
    return result


def interval(values: Floats, confidence: float = 0.95) -> Interval:
    """Return the percentile interval of resampled values; NaN where there are none."""
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def random_signs(
    units: int, samples: int, seed: int | Sequence[int] = DEFAULT_SEED, block: int = 200
) -> Iterator[NDArray[np.bool_]]:
    """Draw which units are exchanged, ``(≤ block, units)`` at a time, to keep memory flat."""
    random = np.random.default_rng(seed)
    for start in range(0, samples, block):
        yield random.integers(2, size=(min(block, samples - start), units), dtype=bool)


def permutation_p(extreme: int, samples: int) -> float:
    """Return the p-value of a permutation test in which ``extreme`` samples reach the observed difference.

    The observed order counts as one sample, so that p is never 0 (Phipson and Smyth, 2010).
    """
    return (extreme + 1) / (samples + 1)
