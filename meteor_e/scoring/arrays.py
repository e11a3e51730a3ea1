"""METEOR's score formula, applied to arrays of statistics.

The results equal those of :func:`meteor_e.scoring.formula.compute` except for the last bits. The order of the
operations is the same, and powers are computed with :func:`math.pow`. Therefore segments that have equal scores
according to one function also have equal scores according to the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.languages import Parameters
from meteor_e.base.array_cache import Floats
from meteor_e.scoring import formula
from meteor_e.scoring.formula import Arithmetic, compute
from meteor_e.scoring.statistics import statistics_columns

Counts = NDArray[Any]
"""Statistics, ``(…, width)``, in the order of :meth:`meteor_e.scoring.statistics.Statistics.to_vector`."""


def fragmentation(counts: Counts) -> Floats:
    """Return the number of chunks per matched word. It is 0 for perfect matches, and NaN if nothing matches."""
    statistics = statistics_columns(counts)
    matched_words = (statistics.hypothesis_matched + statistics.reference_matched) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(statistics.is_perfect, 0.0, statistics.chunks.astype(float) / matched_words)


def apply_scalar(function: Callable[[float], float], values: Floats) -> Floats:
    """Apply a function of numbers, such as :func:`math.exp`, to each distinct value of an array.

    Use this function instead of NumPy's powers, logarithms and exponentials, whose last bits depend on the processor.
    """
    distinct_values, indexes = np.unique(values, return_inverse=True)
    distinct_results = np.array([function(value) for value in distinct_values.tolist()], float)
    return np.asarray(distinct_results[indexes].reshape(values.shape))


def power(values: Floats, exponent: float) -> Floats:
    """Raise each value of an array to a power. The results do not depend on the processor."""
    return apply_scalar(lambda value: math.pow(value, exponent), values)


def precision_recall(counts: Counts, delta: float, weights: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return weighted precision and recall. They are NaN or infinite for an empty hypothesis or reference."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return formula.precision_recall(statistics_columns(counts), delta, weights, np.true_divide)


def fmean(precision: Floats, recall: Floats, alpha: float) -> Floats:
    """Return Fmean, the harmonic mean of precision and recall, weighted by α."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(1.0 / ((1 - alpha) / precision + alpha / recall))


def divide_or_zero(numerators: Floats, denominators: Floats) -> Floats:
    """Return the quotients of two arrays. A quotient is 0 if its denominator is 0."""
    numerators, denominators = np.broadcast_arrays(numerators, denominators)
    zeros = np.zeros(numerators.shape)
    return np.divide(numerators, denominators, out=zeros, where=denominators != 0)


def score_arrays(counts: Counts, parameters: Parameters) -> Floats:
    """Return the METEOR scores of segments or corpora.

    Args:
        counts: vectors of statistics, or sums of them, ``(…, width)``.
        parameters: parameters of the formula, with one weight per matcher.

    Returns:
        The scores, in the shape of ``counts`` without its last axis.
    """
    scores: Floats = part_arrays(counts, parameters).score
    return scores


def part_arrays(counts: Counts, parameters: Parameters) -> Any:
    """Return the METEOR scores of segments or corpora, and parts of the scores, such as precision.

    Args:
        counts: vectors of statistics, or sums of them, ``(…, width)``.
        parameters: parameters of the formula, with one weight per matcher.

    Returns:
        An instance of :class:`FormulaScores`, whose fields are arrays.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return compute(statistics_columns(counts), parameters, ARRAYS)


ARRAYS = Arithmetic(np.true_divide, power, np.where)
"""The formula's operations for arrays."""
