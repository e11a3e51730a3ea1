"""METEOR's formula on arrays of statistics.

The result equals :func:`meteor_e.scoring.formula.compute` but for the last bits; the order of the operations is
the same, and powers are taken by :func:`math.pow`, so that segments which tie there tie here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.arraytypes import Floats
from meteor_e.scoring.parameters import Parameters
from meteor_e.scoring.statistics import perfect_rows

__all__ = ["ArrayScores", "Counts", "drop_perfect_chunks", "fragmentation", "power", "precision_recall", "score"]

Counts = NDArray[Any]
"""Statistics, ``(…, 7 + 4·matchers)``, in the order of :meth:`meteor_e.scoring.statistics.Statistics.to_vector`."""

ArrayScores = Floats


def drop_perfect_chunks(counts: Counts) -> Counts:
    """Return segment statistics as they are summed: perfect one-chunk segments carry no chunk.

    See :class:`meteor_e.scoring.statistics.StatisticsSum`.
    """
    result = counts.copy()
    result[..., -3] = np.where(perfect_rows(counts), 0, counts[..., -3])
    return result


def fragmentation(counts: Counts) -> Floats:
    """Return chunks over matched words; 0 for perfect matches, NaN where nothing matches."""
    chunks = counts[..., -3].astype(float)
    matched = (counts[..., -2] + counts[..., -1]) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: Floats = np.where(perfect_rows(counts), 0.0, chunks / matched)
    return result


def power(values: Floats, exponent: float) -> Floats:
    """Raise to a power with :func:`math.pow`, once a distinct value."""
    distinct, at = np.unique(values, return_inverse=True)
    powers = np.array([math.pow(value, exponent) for value in distinct.tolist()], float)
    result: Floats = powers[at].reshape(values.shape)
    return result


def precision_recall(counts: Counts, delta: float, weights: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return weighted precision and recall; NaN or infinite where a side is empty."""
    shape = counts.shape[:-1]
    sums = [np.zeros(shape), np.zeros(shape)]
    for offset, factor in ((0, delta), (2, 1 - delta)):
        for matcher, weight in enumerate(weights):
            for side in (0, 1):
                sums[side] += counts[..., 4 + 4 * matcher + offset + side] * weight * factor
    result = []
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for side in (0, 1):
            function = counts[..., 2 + side]
            content = counts[..., side] - function
            result.append(sums[side] / (delta * content + (1 - delta) * function))
    return result[0], result[1]


def mean(precision: Floats, recall: Floats, alpha: float) -> Floats:
    """Return Fmean: the harmonic mean of precision and recall, weighted by α."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: Floats = 1.0 / ((1 - alpha) / precision + alpha / recall)
    return result


def score(counts: Counts, parameters: Parameters) -> ArrayScores:
    """Score statistics of segments, or sums of them.

    Args:
        counts: ``(…, 7 + 4·matchers)``.
        parameters: with one weight a matcher.

    Returns:
        METEOR, of the shape of ``counts`` without its last axis.
    """
    precision, recall = precision_recall(counts, parameters.delta, parameters.weights)
    fmean = mean(precision, recall, parameters.alpha)
    penalty = parameters.gamma * power(fragmentation(counts), parameters.beta)
    with np.errstate(invalid="ignore"):
        scores = fmean * (1 - penalty)
        result: Floats = np.where(scores > 0, scores, 0.0)
    return result
