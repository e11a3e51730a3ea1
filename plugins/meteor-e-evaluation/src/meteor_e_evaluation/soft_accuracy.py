"""Computes soft pairwise accuracy (SPA) of a metric.

For each pair of systems, SPA compares the p-value computed from metric scores with the p-value computed from human
scores.

Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
Pairwise Accuracy". Scores are matrices ``(systems, segments)``, with NaN for outputs without human scores. Two systems
are compared on the segments for which both have human scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from meteor_e.api.measures import Agreement
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.significance.resampling import SLACK
from meteor_e_evaluation.segment_coefficients import system_pairs

PERMUTATIONS = 1000
"""Default number of permutations, as in WMT24."""

_PERMUTATIONS_PER_BLOCK = 200


def soft_pairwise_accuracy(
    human_scores: Floats, metric_scores: Floats, *, seed: int, permutations: int = PERMUTATIONS
) -> float:
    """Return soft pairwise accuracy, with p-values from paired permutation tests.

    The accuracy is 1 minus the mean absolute difference between the p-value from human scores and the p-value from
    metric scores, over all pairs of systems.

    Each permutation swaps two systems on random segments. The p-value is the proportion of permutations in which the
    sum of score differences is at least as large as the observed sum.

    Args:
        human_scores: human scores, ``(systems, segments)``.
        metric_scores: metric scores, ``(systems, segments)``, without NaN for outputs that have human scores.
        seed: seed of the permutations, which are the same for the human and the metric scores.
        permutations: number of permutations.

    Returns:
        A number between 0 and 1, or NaN if there are fewer than two systems.
    """
    if len(human_scores) < 2:
        return math.nan
    human_differences = _score_differences(human_scores, human_scores)  # (segments, pairs)
    metric_differences = _score_differences(metric_scores, human_scores)
    n_segments, n_pairs = human_differences.shape
    # Dividing the counts by the number of permutations gives the p-values.
    human_counts = np.zeros(n_pairs)
    metric_counts = np.zeros(n_pairs)
    for signs in _draw_signs(n_segments, permutations, seed):
        human_counts += _count_extreme(human_differences, signs)
        metric_counts += _count_extreme(metric_differences, signs)
    return float(1 - np.abs(human_counts - metric_counts).mean() / permutations)


def _draw_signs(n_segments: int, permutations: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of random signs. The sign -1 swaps two systems on a segment."""
    random = np.random.default_rng(seed)
    for start in range(0, permutations, _PERMUTATIONS_PER_BLOCK):
        block_size = min(_PERMUTATIONS_PER_BLOCK, permutations - start)
        yield np.asarray(random.integers(2, size=(block_size, n_segments)) * 2.0 - 1.0, float)


def _count_extreme(differences: Floats, signs: Floats) -> Integers:
    """Count, for each pair of systems, the permutations that reach the observed sum of differences.

    Args:
        differences: score differences, ``(segments, pairs)``.
        signs: random signs, ``(permutations, segments)``.
    """
    observed_sums = differences.sum(axis=0)
    slack = SLACK * np.abs(differences).sum(axis=0)
    is_extreme = signs @ differences >= observed_sums - slack
    return np.asarray(is_extreme.sum(axis=0))


def make_approximate_soft_accuracy(human_scores: Floats) -> Agreement:
    """Return a function that computes soft pairwise accuracy with p-values from the normal distribution.

    With random signs, a sum of differences has mean 0, and its variance is the sum of the squared differences. The
    normal approximation is accurate for a hundred or more segments.

    The approximation makes SPA fast enough for bootstrap samples and for permutation tests of metrics.

    Args:
        human_scores: human scores of at least two systems, ``(systems, segments)``.
    """
    weights = np.ones(human_scores.shape[1])
    human_p_values = _approximate_p_values(_score_differences(human_scores, human_scores), weights)

    def compute_accuracy(metric_scores: Floats) -> float:
        metric_p_values = _approximate_p_values(_score_differences(metric_scores, human_scores), weights)
        return float(1 - np.abs(metric_p_values - human_p_values).mean())

    return compute_accuracy


def resample_soft_accuracy(human_scores: Floats, metric_scores: Floats, weights: Floats) -> Floats:
    """Compute soft pairwise accuracy on each bootstrap sample of segments, with p-values from the normal distribution.

    Args:
        human_scores: human scores of at least two systems, ``(systems, segments)``.
        metric_scores: metric scores of the systems, ``(systems, segments)``.
        weights: number of times that each sample contains each segment, ``(samples, segments)``.
    """
    human_differences = _score_differences(human_scores, human_scores)  # (segments, pairs)
    metric_differences = _score_differences(metric_scores, human_scores)
    accuracies = []
    for segment_weights in weights:
        human_p_values = _approximate_p_values(human_differences, segment_weights)
        metric_p_values = _approximate_p_values(metric_differences, segment_weights)
        accuracies.append(1 - np.abs(metric_p_values - human_p_values).mean())
    return np.array(accuracies)


def _approximate_p_values(differences: Floats, weights: Floats) -> Floats:
    """Return a p-value for each pair of systems.

    If two systems have equal scores on all segments, the p-value is 1.

    Args:
        differences: score differences, ``(segments, pairs)``.
        weights: weight of each segment.
    """
    from scipy import special

    sums = weights @ differences  # (pairs,)
    variances = weights @ (differences * differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = sums / np.sqrt(variances)
    return np.where(variances > 0, np.asarray(special.ndtr(-z)), 1.0)


def _score_differences(scores: Floats, human_scores: Floats) -> Floats:
    """Return the score difference of each pair of systems on each segment.

    The difference is 0 on segments for which one of the two systems lacks a human score.

    Returns:
        An array ``(segments, pairs)``.
    """
    first, second = system_pairs(len(scores))
    rated = ~np.isnan(human_scores)
    return np.where(rated[first] & rated[second], scores[first] - scores[second], 0.0).T
