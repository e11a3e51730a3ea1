"""Computes the METEOR scores of all judged outputs for given parameters."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from meteor_e import Parameters
from meteor_e.base.array_cache import Floats
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.scoring.arrays import fmean, fragmentation, precision_recall
from meteor_e_evaluation.tuning.data import TuningSet

Point: TypeAlias = tuple[float, ...]
"""The parameters α, β, γ and δ, followed by one weight per matcher."""

MAX_POWERS = 64
"""Largest number of exponents β whose powers are cached."""


def make_point(parameters: Parameters) -> Point:
    """Return the parameters and matcher weights of a chain as one tuple of coordinates."""
    return (parameters.alpha, parameters.beta, parameters.gamma, parameters.delta, *parameters.weights)


class PointScorer:
    """Computes the METEOR scores of all system outputs in a tuning set, for any values of METEOR's parameters.

    The scorer caches precision, recall, Fmean, and powers of the fragmentation. Scoring is fastest if only γ changes,
    because γ does not affect the cached values.

    Args:
        data: the cells to score.
    """

    def __init__(self, data: TuningSet) -> None:
        counts = data.counts.astype(float)
        self._counts = np.ascontiguousarray(counts.T)
        self._fragmentations, self._fragmentation_index = np.unique(fragmentation(counts), return_inverse=True)
        has_several_references = len(data.starts) != len(counts)
        self._first_rows = data.starts if has_several_references else None
        self._powers = BoundedCache[float, Floats](MAX_POWERS)
        self._precision_recall: tuple[Point, Floats, Floats] | None = None
        self._fmean: tuple[Point, Floats] | None = None
        self._scores = np.empty(len(counts))

    def score(self, point: Point) -> Floats:
        """Return the METEOR scores of all outputs for the given parameters.

        The score with one reference is ``max(0, fmean * (1 - gamma * fragmentation ** beta))``. If there are several
        references, the score of an output is the highest of its scores with each reference.

        The next call overwrites the returned array.

        Returns:
            An array ``(cells,)``.
        """
        alpha, beta, gamma, delta, *weights = point
        fmean_scores = self._compute_fmean(alpha, delta, tuple(weights))
        # All steps of the formula change the same array. A search would be slower if each step allocated an array.
        scores = self._scores  # (cells × references,)
        np.multiply(self._compute_power(beta), gamma, out=scores)
        np.subtract(1.0, scores, out=scores)
        scores *= fmean_scores
        # If the matchers compare characters, the penalty may exceed 1, which makes the score negative.
        np.maximum(scores, 0.0, out=scores)
        if self._first_rows is None:
            return scores
        return np.asarray(np.maximum.reduceat(scores, self._first_rows))

    def _compute_power(self, beta: float) -> Floats:
        powers = self._powers.get(beta)
        if powers is None:
            distinct_powers = [math.pow(value, beta) for value in self._fragmentations.tolist()]
            powers = np.array(distinct_powers, float)[self._fragmentation_index]
            np.nan_to_num(powers, copy=False, nan=0.0)
            self._powers[beta] = powers
        return powers

    def _compute_fmean(self, alpha: float, delta: float, weights: Point) -> Floats:
        key = (alpha, delta, *weights)
        if self._fmean is None or self._fmean[0] != key:
            precision, recall = self._compute_precision_recall(delta, weights)
            fmean_scores = fmean(precision, recall, alpha)
            np.nan_to_num(fmean_scores, copy=False, nan=0.0)
            self._fmean = (key, fmean_scores)
        return self._fmean[1]

    def _compute_precision_recall(self, delta: float, weights: Point) -> tuple[Floats, Floats]:
        key = (delta, *weights)
        if self._precision_recall is None or self._precision_recall[0] != key:
            precision, recall = precision_recall(self._counts.T, delta, weights)
            self._precision_recall = (key, precision, recall)
        return self._precision_recall[1], self._precision_recall[2]
