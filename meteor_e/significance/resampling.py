"""Bootstrap samples of segments and permutation tests.

A bootstrap sample is represented by the number of times that each segment is drawn. The statistics of many samples are
then one matrix product. Efron and Tibshirani (1993); Koehn (2004); Riezler and Maxwell (2005).
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
"""The significance level: a difference with a smaller p-value is significant."""

SLACK = 1e-12
"""The tolerance for rounding errors. Two differences count as equal if they differ by less."""

BLOCK_CELLS = 1 << 22
"""The maximum number of weights that are in memory at the same time, 32 MiB."""

MIN_BLOCK = 16
"""The minimum number of samples in a block of weights, even if the block then exceeds :data:`BLOCK_CELLS`."""


class Interval(NamedTuple):
    """A confidence interval, from percentiles of resampled values."""

    low: float
    high: float


def draw_weight_blocks(segments: int, samples: int, seed: int = DEFAULT_SEED) -> Iterator[Floats]:
    """Draw bootstrap samples in blocks, so that memory does not grow with the number of samples.

    Args:
        segments: number of segments. Each sample has the same number, drawn with replacement.
        samples: number of samples.
        seed: seed of NumPy's default generator. Blocks of any size contain the same samples.

    Yields:
        Weights of some samples, ``(samples, segments)``: the number of times that each sample contains each segment.
    """
    random = np.random.default_rng(seed)
    block_size = max(MIN_BLOCK, BLOCK_CELLS // segments)
    for start in range(0, samples, block_size):
        yield _draw_rows(random, segments, min(block_size, samples - start))


def draw_weights(segments: int, samples: int, seed: int = DEFAULT_SEED) -> Floats:
    """Draw bootstrap samples, and return all weights, ``(samples, segments)``; see :func:`draw_weight_blocks`."""
    return _draw_rows(np.random.default_rng(seed), segments, samples)


def _draw_rows(random: np.random.Generator, segments: int, samples: int) -> Floats:
    """Draw the next samples of a generator, and return their weights, ``(samples, segments)``."""
    weights = np.empty((samples, segments))
    for row in weights:
        row[:] = np.bincount(random.integers(segments, size=segments), minlength=segments)
    return weights


def interval(values: Floats, confidence: float = 0.95) -> Interval:
    """Return the percentile interval of resampled values, except NaN; its ends are NaN if no values remain."""
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def random_signs(
    units: int, samples: int, seed: int | Sequence[int] = DEFAULT_SEED, block: int = 200
) -> Iterator[NDArray[np.bool_]]:
    """Draw which units are exchanged in each sample of a permutation test.

    Args:
        units: number of units, such as segments.
        samples: number of samples.
        seed: seed of NumPy's default generator.
        block: maximum number of samples that are in memory at the same time.

    Yields:
        Booleans for some samples, ``(samples, units)``.
    """
    random = np.random.default_rng(seed)
    for start in range(0, samples, block):
        yield random.integers(2, size=(min(block, samples - start), units), dtype=bool)


def permutation_p(extreme: int, samples: int) -> float:
    """Return the p-value of a permutation test.

    The observed order counts as an additional sample, so that the p-value is never 0 (Phipson and Smyth, 2010).

    Args:
        extreme: number of samples whose difference reaches the observed difference.
        samples: number of samples.
    """
    return (extreme + 1) / (samples + 1)
