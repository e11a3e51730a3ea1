"""Computes a system score as a mean of segment scores, such as the harmonic mean (Vela and Tan, 2015, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError

Floats = NDArray[np.float64]

MAX_ITERATIONS = 50
"""Maximum number of iterations of the arithmetic-geometric mean, which converges quadratically."""
_TOLERANCE = 1e-9
"""The largest difference from one half at which a sum of shares is considered to be one half."""


def _arithmetic(values: Floats, shares: Floats) -> Floats:
    return shares @ values


def _median(values: Floats, shares: Floats) -> Floats:
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    cumulative_shares = np.cumsum(shares[:, order], axis=1)
    last_index = len(values) - 1
    # If the shares of the lower values sum to exactly one half, the weighted median is the mean of two values.
    # The tolerance compensates for rounding errors of the sums.
    lower_indexes = (cumulative_shares < 0.5 - _TOLERANCE).sum(axis=1).clip(max=last_index)
    upper_indexes = (cumulative_shares < 0.5 + _TOLERANCE).sum(axis=1).clip(max=last_index)
    return np.asarray((sorted_values[lower_indexes] + sorted_values[upper_indexes]) / 2)


def _geometric(values: Floats, shares: Floats) -> Floats:
    return np.exp(shares @ np.log(values))


def _harmonic(values: Floats, shares: Floats) -> Floats:
    return 1 / (shares @ (1 / values))


def _arithmetic_geometric(values: Floats, shares: Floats) -> Floats:
    arithmetic = _arithmetic(values, shares)
    geometric = _geometric(values, shares)
    for _ in range(MAX_ITERATIONS):
        arithmetic, geometric = (arithmetic + geometric) / 2, np.sqrt(arithmetic * geometric)
        if np.allclose(arithmetic, geometric, rtol=1e-15, atol=0):
            break
    return arithmetic


def _root_mean_square(values: Floats, shares: Floats) -> Floats:
    return np.sqrt(shares @ values**2)


MEANS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "arithmetic": _arithmetic,
    "median": _median,
    "geometric": _geometric,
    "harmonic": _harmonic,
    "arithmetic-geometric": _arithmetic_geometric,
    "root-mean-square": _root_mean_square,
}
"""The available means by name.

Each function expects the values, ``(segments,)``, and the share of each segment in each sample, ``(samples,
segments)``. It returns the mean of each sample.
"""

MEANS_OF_ANY_NUMBERS = ("arithmetic", "median")
"""The means that do not require positive values."""

Mean = Literal["arithmetic", "median", "geometric", "harmonic", "arithmetic-geometric", "root-mean-square"]


def system_mean(name: str, values: Floats, weights: Floats | None = None, *, floor: float = 0.01) -> Floats:
    """Compute a mean of segment scores, such as the harmonic mean, for one or more samples of the segments.

    All means except for the arithmetic mean and the median replace scores below ``floor`` by ``floor``. Therefore, the
    mean is always finite, and a lower score of a segment never increases the mean.

    Args:
        name: the name of the mean, a key of :data:`MEANS`.
        values: the scores of the segments, ``(segments,)``.
        weights: the number of occurrences of each segment in each sample, ``(samples, segments)``; by default, there is
            one sample that contains each segment once.
        floor: the smallest score, above 0, in means that are defined for positive numbers only.

    Returns:
        The mean of each sample, ``(samples,)``.

    Raises:
        InputError: if there are no segments.
    """
    scores = np.asarray(values, float)
    if not len(scores):
        raise InputError("there are no segments to take the mean of")
    counts = np.ones((1, len(scores))) if weights is None else np.asarray(weights, float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    limited_scores = scores if name in MEANS_OF_ANY_NUMBERS else np.maximum(scores, floor)
    return MEANS[name](limited_scores, shares)
