"""Scores of all cells for a point of parameters, with what neighboring points share computed once."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from meteor_e import Parameters
from meteor_e.base.array_cache import Floats
from meteor_e.base.memory import Memory
from meteor_e.scoring.arrays import fmean, fragmentation, precision_recall
from meteor_e_evaluation.tuning.data import TuningSet

Point: TypeAlias = tuple[float, ...]
"""α, β, γ, δ and one weight per matcher."""


def point_of(parameters: Parameters) -> Point:
    """Return parameters as a point."""
    return (parameters.alpha, parameters.beta, parameters.gamma, parameters.delta, *parameters.weights)


class PointScorer:
    """Scores cells for points.

    The formula falls into parts: precision and recall depend on δ and the weights, Fmean also on α, the power of
    the fragmentation on β alone. Each part is kept until its parameters change, powers for good, so points are
    best asked for with γ changing fastest, then α or β. Results equal those of
    :func:`meteor_e.scoring.score`.

    Args:
        data: the cells.
    """

    def __init__(self, data: TuningSet) -> None:
        counts = data.counts.astype(float)
        self._counts = np.ascontiguousarray(counts.T)
        self._fragmentation = fragmentation(counts)
        self._distinct, self._at = np.unique(self._fragmentation, return_inverse=True)
        self._starts = data.starts if len(data.starts) != len(counts) else None
        self._powers = Memory[float, Floats](64)
        self._matched: tuple[Point, Floats, Floats] | None = None
        self._mean: tuple[Point, Floats] | None = None
        self._buffer = np.empty(len(counts))

    def score(self, point: Point) -> Floats:
        """Return the scores of all cells, ``(cells,)``; the array is overwritten by the next call."""
        alpha, beta, gamma, delta, *weights = point
        mean = self._fmean(alpha, delta, tuple(weights))
        scores = self._buffer
        np.multiply(self._power(beta), gamma, out=scores)
        np.subtract(1.0, scores, out=scores)
        np.multiply(mean, scores, out=scores)
        # Fmean is 0 where it is not a number, and γ·frag^β is at most 1, but character mode may exceed that.
        np.maximum(scores, 0.0, out=scores)
        if self._starts is None:
            return scores
        result: Floats = np.maximum.reduceat(scores, self._starts)
        return result

    def _power(self, beta: float) -> Floats:
        powers = self._powers.get(beta)
        if powers is None:
            powers = np.array([math.pow(value, beta) for value in self._distinct.tolist()], float)[self._at]
            np.nan_to_num(powers, copy=False, nan=0.0)
            self._powers[beta] = powers
        return powers

    def _fmean(self, alpha: float, delta: float, weights: Point) -> Floats:
        key = (alpha, delta, *weights)
        if self._mean is None or self._mean[0] != key:
            precision, recall = self._precision_recall(delta, weights)
            mean = fmean(precision, recall, alpha)
            np.nan_to_num(mean, copy=False, nan=0.0)
            self._mean = (key, mean)
        return self._mean[1]

    def _precision_recall(self, delta: float, weights: Point) -> tuple[Floats, Floats]:
        key = (delta, *weights)
        if self._matched is None or self._matched[0] != key:
            precision, recall = precision_recall(self._counts.T, delta, weights)
            self._matched = (key, precision, recall)
        return self._matched[1], self._matched[2]
