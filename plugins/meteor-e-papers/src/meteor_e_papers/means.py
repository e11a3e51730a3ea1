"""Means of the segments' scores, which are a system's score (Vela and Tan, 2015, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError

Floats = NDArray[np.float64]

MAX_ITERATIONS = 50
"""Iterations of the arithmetic-geometric mean, which converges quadratically."""


def _arithmetic(values: Floats, shares: Floats, floor: float) -> Floats:
    mean: Floats = shares @ values
    return mean


def _median(values: Floats, shares: Floats, floor: float) -> Floats:
    order = np.argsort(values, kind="stable")
    ordered, cumulated = values[order], np.cumsum(shares[:, order], axis=1)
    # The median is halfway between two values if the middle falls between them. Sums of shares are rounded.
    low, high = ((cumulated < 0.5 + slack).sum(axis=1).clip(max=len(values) - 1) for slack in (-1e-9, 1e-9))
    median: Floats = (ordered[low] + ordered[high]) / 2
    return median


def _geometric(values: Floats, shares: Floats, floor: float) -> Floats:
    mean: Floats = np.exp(shares @ np.log(np.maximum(values, floor)))
    return mean


def _harmonic(values: Floats, shares: Floats, floor: float) -> Floats:
    mean: Floats = 1 / (shares @ (1 / np.maximum(values, floor)))
    return mean


def _arithmetic_geometric(values: Floats, shares: Floats, floor: float) -> Floats:
    arithmetic, geometric = shares @ np.maximum(values, floor), _geometric(values, shares, floor)
    for _ in range(MAX_ITERATIONS):
        arithmetic, geometric = (arithmetic + geometric) / 2, np.sqrt(arithmetic * geometric)
        if np.allclose(arithmetic, geometric, rtol=1e-15, atol=0):
            break
    mean: Floats = arithmetic
    return mean


def _root_mean_square(values: Floats, shares: Floats, floor: float) -> Floats:
    mean: Floats = np.sqrt(shares @ np.maximum(values, floor) ** 2)
    return mean


MEANS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "arithmetic": _arithmetic,
    "median": _median,
    "geometric": _geometric,
    "harmonic": _harmonic,
    "arithmetic-geometric": _arithmetic_geometric,
    "root-mean-square": _root_mean_square,
}
"""The means, by name."""
Mean = Literal["arithmetic", "median", "geometric", "harmonic", "arithmetic-geometric", "root-mean-square"]


def system_mean(name: str, values: Floats, weights: Floats | None = None, *, floor: float = 0.01) -> Floats:
    """Return a mean of segments' scores, also for resampled segments.

    The geometric, harmonic, arithmetic-geometric and root-mean-square mean need positive numbers. Scores below
    ``floor`` count as ``floor`` in these means. So the mean is always a finite number, and a worse segment never
    raises it.

    Args:
        name: one of :data:`MEANS`.
        values: scores of segments, ``(segments,)``.
        weights: how often each segment occurs in each sample, ``(samples, segments)``; by default one sample with each
            segment once.
        floor: the lowest score in means that need positive numbers; above 0.

    Returns:
        The mean of each sample, ``(samples,)``.

    Raises:
        InputError: if there are no segments.
    """
    values = np.asarray(values, float)
    if not len(values):
        raise InputError("there are no segments to take the mean of")
    weights = np.ones((1, len(values))) if weights is None else np.asarray(weights, float)
    return MEANS[name](values, weights / weights.sum(axis=1, keepdims=True), floor)
