"""Soft pairwise accuracy (SPA): does a metric tell systems apart as surely as people do?

Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
Pairwise Accuracy". For each pair of systems, p is the one-sided p-value that the first is no better than the second,
once from people's scores and once from the metric's. SPA is 1 less the mean absolute difference of the two.
"""

from __future__ import annotations

import math

import numpy as np

from meteor_e.api import Agreement
from meteor_e.toolkit import Floats
from meteor_e_evaluation.groups import pairs_of_systems

PERMUTATIONS = 1000
SLACK = 1e-12


def _differences(scores: Floats, human: Floats) -> Floats:
    """Return differences of every two systems, ``(segments, pairs)``; 0 where people did not rate both."""
    first, second = pairs_of_systems(len(scores))
    rated = ~np.isnan(human)
    both = rated[first] & rated[second]
    with np.errstate(invalid="ignore"):
        return np.where(both, scores[first] - scores[second], 0.0).T


def soft_accuracy(human: Floats, metric: Floats, *, seed: int, permutations: int = PERMUTATIONS) -> float:
    """Compute SPA.

    p is the share of permutations whose sum of differences reaches the observed one; a permutation turns the signs
    of segments' differences at random.

    Args:
        human: people's scores, ``(systems, segments)``; NaN where there is none. A pair of systems is compared on the
            segments for which both were rated.
        metric: the metric's scores, without NaN in rated cells.
        seed: of the permutations, which both sides share.
        permutations: number of permutations.

    Returns:
        A number in [0, 1]; NaN for fewer than two systems.
    """
    if len(human) < 2:
        return math.nan
    sides = [_differences(human, human), _differences(metric, human)]
    observed = [side.sum(axis=0) for side in sides]
    random = np.random.default_rng(seed)
    reached = [np.zeros(len(total)) for total in observed]
    for start in range(0, permutations, 200):
        count = min(200, permutations - start)
        signs = random.integers(2, size=(count, human.shape[1])) * 2.0 - 1.0
        for at, side in enumerate(sides):
            slack = SLACK * np.abs(side).sum(axis=0)
            reached[at] += (signs @ side >= observed[at] - slack).sum(axis=0)
    return float(1 - np.abs(reached[0] - reached[1]).mean() / permutations)


def normal_agreement(human: Floats, weights: Floats | None = None) -> Agreement:
    """Return SPA as a function of the metric's scores, with p from the normal distribution.

    The sum of differences whose signs are random has mean 0 and the sum of their squares as variance. With a hundred
    segments and more, p differs from the permutations' by less than their own error; that makes SPA quick enough for
    bootstrap samples and permutation tests of metrics.

    Args:
        human: people's scores, ``(systems, segments)``.
        weights: how often each segment counts; by default once.
    """
    from scipy import special

    factor = np.ones(human.shape[1]) if weights is None else weights

    def p_values(scores: Floats) -> Floats:
        differences = _differences(scores, human)
        total, squares = factor @ differences, factor @ (differences * differences)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = total / np.sqrt(squares)
        result: Floats = np.where(squares > 0, special.ndtr(-z), 1.0)
        return result

    of_people = p_values(human)

    def agreement(metric: Floats) -> float:
        if not len(of_people):
            return math.nan
        return float(1 - np.abs(p_values(metric) - of_people).mean())

    return agreement
