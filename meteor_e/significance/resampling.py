"""Bootstrap resampling and permutation tests (Efron and Tibshirani, 1993; Koehn, 2004; Riezler and Maxwell, 2005).

A bootstrap sample is represented by one weight per segment, which tells how often the segment was drawn. One matrix
product then computes the statistics of many samples.
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
"""The significance level. Differences with a smaller p-value are significant."""

SLACK = 1e-12
"""The tolerance for rounding errors when two differences are compared."""

BLOCK_CELLS = 1 << 22
"""The maximum number of weights in a block of samples, which occupy 32 MiB."""

MIN_BLOCK = 16
"""The minimum number of samples in a block, which takes precedence over :data:`BLOCK_CELLS`."""


class Interval(NamedTuple):
    """A confidence interval, whose bounds are percentiles of resampled values."""

    low: float
    high: float


def draw_weight_blocks(n_segments: int, n_samples: int, seed: int = DEFAULT_SEED) -> Iterator[Floats]:
    """Draw bootstrap samples of segments in blocks, so that memory use does not depend on the number of samples.

    A sample is represented by one weight per segment, which is the number of times that the segment was drawn.

    Args:
        n_segments: the number of segments, which is also the size of each sample.
        n_samples: the number of samples.
        seed: the seed of NumPy's default generator.

    Yields:
        The weights of a block of samples, ``(samples, segments)``.
    """
    generator = np.random.default_rng(seed)
    block_size = max(MIN_BLOCK, BLOCK_CELLS // n_segments)
    for start in range(0, n_samples, block_size):
        yield _draw_rows(generator, n_segments, min(block_size, n_samples - start))


def draw_weights(n_segments: int, n_samples: int, seed: int = DEFAULT_SEED) -> Floats:
    """Draw all bootstrap samples at once, and return their weights as an array ``(samples, segments)``.

    The samples are the same as those of :func:`draw_weight_blocks`.
    """
    return _draw_rows(np.random.default_rng(seed), n_segments, n_samples)


def _draw_rows(generator: np.random.Generator, n_segments: int, n_samples: int) -> Floats:
    """Draw bootstrap samples with a random generator, and return their weights as an array ``(samples, segments)``."""
    weights = np.empty((n_samples, n_segments))
    for row in weights:
        drawn_segments = generator.integers(n_segments, size=n_segments)
        row[:] = np.bincount(drawn_segments, minlength=n_segments)
    return weights


def interval(values: Floats, confidence: float = 0.95) -> Interval:
    """Compute a confidence interval from resampled values by the percentile method.

    NaN is ignored. If all values are NaN, the bounds are NaN, too.
    """
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def draw_exchanges(
    n_units: int, n_samples: int, seed: int | Sequence[int] = DEFAULT_SEED, block_size: int = 200
) -> Iterator[NDArray[np.bool_]]:
    """For each sample of a permutation test, randomly choose the units, such as segments, that two systems swap.

    Swapping the two systems' scores of a unit flips the sign of the unit's score difference.

    Args:
        n_units: the number of units, such as segments.
        n_samples: the number of samples.
        seed: the seed of NumPy's default generator.
        block_size: the maximum number of samples in a block.

    Yields:
        For each sample of a block, a boolean mask of the units to exchange, ``(samples, units)``.
    """
    generator = np.random.default_rng(seed)
    for start in range(0, n_samples, block_size):
        n_rows = min(block_size, n_samples - start)
        yield generator.integers(2, size=(n_rows, n_units), dtype=bool)


def permutation_p(extreme: int, samples: int) -> float:
    """Return the p-value of a permutation test.

    The observed data count as an additional sample, so that the p-value is never 0 (Phipson and Smyth, 2010).

    Args:
        extreme: the number of samples whose difference is at least as large as the observed difference.
        samples: the number of samples.
    """
    return (extreme + 1) / (samples + 1)
