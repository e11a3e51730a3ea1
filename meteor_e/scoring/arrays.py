"""METEOR's formula on arrays of statistics.

The result equals :func:`meteor_e.scoring.formula.compute` except for the last bits; the order of the operations is
the same, and powers are taken by :func:`math.pow`, so that segments which tie there tie here.
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
    """Return chunks over matched words; 0 for perfect matches, NaN where nothing matches."""
    of = statistics_columns(counts)
    matched = (of.hypothesis_matched + of.reference_matched) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: Floats = np.where(of.is_perfect, 0.0, of.chunks.astype(float) / matched)
    return result


def each_number(function: Callable[[float], float], values: Floats) -> Floats:
    """Return a function of the module :mod:`math` of each number, computed once a distinct value.

    NumPy's powers, logarithms and exponentials differ in the last bit from processor to processor.
    """
    distinct, at = np.unique(values, return_inverse=True)
    found = np.array([function(value) for value in distinct.tolist()], float)
    result: Floats = found[at].reshape(values.shape)
    return result


def _power(values: Floats, exponent: float) -> Floats:
    return each_number(lambda value: math.pow(value, exponent), values)


def precision_recall(counts: Counts, delta: float, weights: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return weighted precision and recall; NaN or infinite where a side is empty."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return formula.precision_recall(statistics_columns(counts), delta, weights, np.true_divide)


def fmean(precision: Floats, recall: Floats, alpha: float) -> Floats:
    """Return Fmean: the harmonic mean of precision and recall, weighted by α."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: Floats = 1.0 / ((1 - alpha) / precision + alpha / recall)
    return result


def quotient(numerators: Floats, denominators: Floats) -> Floats:
    """Divide; by 0, the quotient is 0."""
    numerators, denominators = np.broadcast_arrays(numerators, denominators)
    zeros = np.zeros(numerators.shape)
    result: Floats = np.divide(numerators, denominators, out=zeros, where=denominators != 0)
    return result


def score_arrays(counts: Counts, parameters: Parameters) -> Floats:
    """Score statistics of segments, or sums of them.

    Args:
        counts: ``(…, width)``.
        parameters: with one weight per matcher.

    Returns:
        METEOR, of the shape of ``counts`` without its last axis.
    """
    scores: Floats = part_arrays(counts, parameters).score
    return scores


def part_arrays(counts: Counts, parameters: Parameters) -> Any:
    """Return METEOR and its parts as :class:`FormulaScores` of arrays; arguments as for :func:`score_arrays`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return compute(statistics_columns(counts), parameters, ARRAYS)


ARRAYS = Arithmetic(np.true_divide, _power, np.where)
"""The formula's arithmetic on arrays."""
