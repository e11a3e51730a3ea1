"""Means of the segments' scores, as a system's score (Vela and Tan, 2015, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError

Floats = NDArray[np.float64]


def _arithmetic(values: Floats, shares: Floats, floor: float) -> Floats:
    result: Floats = shares @ values
    return result


def _median(values: Floats, shares: Floats, floor: float) -> Floats:
    order = np.argsort(values, kind="stable")
    ordered, reached = values[order], np.cumsum(shares[:, order], axis=1)
    # Halfway between the two values in the middle, if the middle falls between them; sums of shares are rounded.
    low, high = ((reached < 0.5 + side).sum(axis=1).clip(max=len(values) - 1) for side in (-1e-9, 1e-9))
    result: Floats = (ordered[low] + ordered[high]) / 2
    return result


def _geometric(values: Floats, shares: Floats, floor: float) -> Floats:
    result: Floats = np.exp(shares @ np.log(np.maximum(values, floor)))
    return result


def _harmonic(values: Floats, shares: Floats, floor: float) -> Floats:
    result: Floats = 1 / (shares @ (1 / np.maximum(values, floor)))
    return result


def _arithmetic_geometric(values: Floats, shares: Floats, floor: float) -> Floats:
    one, other = shares @ np.maximum(values, floor), _geometric(values, shares, floor)
    # It converges quadratically; a handful of steps reach the last digit.
    for _ in range(50):
        one, other = (one + other) / 2, np.sqrt(one * other)
        if np.allclose(one, other, rtol=1e-15, atol=0):
            break
    result: Floats = one
    return result


def _root_mean_square(values: Floats, shares: Floats, floor: float) -> Floats:
    result: Floats = np.sqrt(shares @ np.maximum(values, floor) ** 2)
    return result


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
    """Return a mean of segments' scores, also on resampled segments.

    Geometric, harmonic, arithmetic-geometric and root-mean-square mean are those of positive numbers: with a single
    score of 0 the harmonic one would be 0 for every system, and with negative ones none would be a mean. So scores
    below ``floor`` count as ``floor`` there; the result is always a number, and no system gains by a worse segment.

    Args:
        name: one of :data:`MEANS`.
        values: scores of segments, ``(segments,)``.
        weights: how often each segment is in each sample, ``(samples, segments)``; by default one sample of all.
        floor: see above; above 0.

    Returns:
        ``(samples,)``.

    Raises:
        InputError: if there is nothing to take the mean of.
    """
    values = np.asarray(values, float)
    if not len(values):
        raise InputError("there are no segments to take the mean of")
    weights = np.ones((1, len(values))) if weights is None else np.asarray(weights, float)
    return MEANS[name](values, weights / weights.sum(axis=1, keepdims=True), floor)
