"""Kendall's τ on pairwise judgments, in the variants of the WMT metrics tasks, and pairwise accuracy.

``docs/evaluation.md`` describes how each variant treats ties. Sources: Callison-Burch et al. (2012), section 4;
Macháček and Bojar (2013; 2014), "Results of the WMT13/WMT14 Metrics Shared Task"; Kendall (1945) for τ-b; Deutsch,
Foster and Freitag (2023), "Ties Matter", for accuracy with tie calibration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation.judgments import Rankings


class PairCounts(NamedTuple):
    """Numbers of pairs by how judgments and metric agree; each is a number or an array.

    Attributes:
        concordant: people and metric prefer the same system.
        discordant: people and metric prefer different systems.
        metric_ties: people prefer a system, the metric does not.
        human_ties: the metric prefers a system, people do not.
        both_ties: neither people nor the metric prefer a system.
    """

    concordant: Floats | float
    discordant: Floats | float
    metric_ties: Floats | float
    human_ties: Floats | float
    both_ties: Floats | float


def pair_differences(rankings: Rankings, scores: Floats) -> Floats:
    """Return, for each pair, the metric score of the better system minus that of the worse system.

    Args:
        rankings: the judgments.
        scores: the metric's scores, ``(systems, segments)``.
    """
    return np.asarray(scores[rankings.better, rankings.segments] - scores[rankings.worse, rankings.segments])


def outcomes(differences: Floats, ties: NDArray[np.bool_]) -> Integers:
    """Return for each pair the index of the field of :class:`PairCounts` that counts it."""
    without_metric_tie = np.where(ties, 3, np.where(differences > 0, 0, 1))
    with_metric_tie = np.where(ties, 4, 2)
    return np.where(differences == 0, with_metric_tie, without_metric_tie)


def count_pairs(rankings: Rankings, scores: Floats) -> PairCounts:
    """Count the pairs by how judgments and scores agree; the arguments are those of :func:`pair_differences`."""
    counts = np.bincount(outcomes(pair_differences(rankings, scores), rankings.ties), minlength=5)
    return PairCounts(*(float(count) for count in counts))


def tau(counts: PairCounts, variant: str) -> Floats | float:
    """Compute τ from the numbers of pairs.

    Args:
        counts: numbers, or arrays of numbers.
        variant: ``strict`` (WMT08–12: pairs that the metric ties are wrong), ``wmt13`` (they are left out), ``wmt14``
            (they are neither right nor wrong), ``b`` (τ-b, which corrects for the ties of people and of the metric),
            or ``accuracy`` (the share of concordant pairs; pairs that the metric ties are wrong).

    Returns:
        τ in [-1, 1], accuracy in [0, 1]; NaN if there are no pairs.
    """
    concordant, discordant, metric_ties, human_ties, _ = (np.asarray(count, float) for count in counts)
    untied_by_people = concordant + discordant + metric_ties
    if variant == "strict":
        numerator, denominator = concordant - discordant - metric_ties, untied_by_people
    elif variant == "wmt13":
        numerator, denominator = concordant - discordant, concordant + discordant
    elif variant == "wmt14":
        numerator, denominator = concordant - discordant, untied_by_people
    elif variant == "accuracy":
        numerator, denominator = concordant, untied_by_people
    elif variant == "b":
        untied_by_metric = concordant + discordant + human_ties
        numerator, denominator = concordant - discordant, np.sqrt(untied_by_people * untied_by_metric)
    else:
        raise ValueError(f"unknown variant {variant!r}")
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = numerator / denominator
    return float(quotient) if quotient.ndim == 0 else quotient


class TiedAccuracy(NamedTuple):
    """Pairwise accuracy with tie calibration.

    Attributes:
        accuracy: share of the pairs that the metric orders or ties as people do, averaged over segments.
        threshold: the largest difference of metric scores that counts as a tie.
    """

    accuracy: float
    threshold: float


def compute_tied_accuracy(rankings: Rankings, scores: Floats, *, threshold: float | None = None) -> TiedAccuracy:
    """Compute WMT23's ``acc_eq``: pairwise accuracy of a metric that has to predict ties.

    Accuracy is computed for each segment and averaged over segments. Metric scores tie if they differ by no more than a
    threshold. By default, the threshold is calibrated: it is the smallest one with the best accuracy.

    Args:
        rankings: the judgments, with ties.
        scores: the metric's scores, ``(systems, segments)``.
        threshold: the threshold to use instead of the calibrated one.

    Returns:
        Accuracy and threshold; NaN if there are no judgments.
    """
    if not len(rankings):
        return TiedAccuracy(math.nan, math.nan)
    differences = pair_differences(rankings, scores)
    distances = np.abs(differences)
    is_ordered_right = ~rankings.ties & (differences > 0)
    pair_weights = 1.0 / np.bincount(rankings.segments)[rankings.segments]
    total_weight = float(pair_weights.sum())
    if threshold is not None:
        is_correct = np.where(distances <= threshold, rankings.ties, is_ordered_right)
        return TiedAccuracy(float(pair_weights[is_correct].sum()) / total_weight, threshold)
    # A threshold that reaches a pair's distance makes a human tie correct and a correctly ordered pair wrong.
    gains = np.where(rankings.ties, pair_weights, np.where(is_ordered_right, -pair_weights, 0.0))
    weight_without_ties = float(pair_weights[is_ordered_right].sum())
    correct_weight, threshold = _calibrate_threshold(distances, gains, weight_without_ties)
    return TiedAccuracy(correct_weight / total_weight, threshold)


def _calibrate_threshold(distances: Floats, gains: Floats, weight_without_ties: float) -> tuple[float, float]:
    """Return the highest weight of correct pairs, and the smallest threshold that reaches it.

    Args:
        distances: absolute score difference of each pair.
        gains: for each pair, the weight that is gained if the pair becomes a tie.
        weight_without_ties: weight of the correct pairs if no pair is a tie.
    """
    order = np.argsort(distances, kind="stable")
    sorted_distances = distances[order]
    is_last_of_equal = np.r_[sorted_distances[1:] != sorted_distances[:-1], True]
    correct_weights = weight_without_ties + np.cumsum(gains[order])[is_last_of_equal]
    thresholds = sorted_distances[is_last_of_equal]
    if sorted_distances[0] > 0:
        correct_weights = np.r_[weight_without_ties, correct_weights]
        thresholds = np.r_[0.0, thresholds]
    best = int(np.argmax(correct_weights))
    return float(correct_weights[best]), float(thresholds[best])


def count_concordant(levels: Integers) -> Floats:
    """Count, for each element of a sequence, the earlier elements of lower level and the later ones of higher level.

    The levels are compared bit by bit, from the highest bit down, which takes ``O(n log n)`` time.

    Args:
        levels: non-negative numbers.
    """
    positions, order = np.arange(len(levels)), np.arange(len(levels))
    counts = np.zeros(len(levels))
    for bit in range(int(levels.max()).bit_length() - 1, -1, -1):
        # Elements whose levels have the same higher bits are adjacent, in the order of the sequence.
        prefixes = levels[order] >> bit
        start = np.searchsorted(prefixes >> 1, prefixes >> 1, "left")
        end = np.searchsorted(prefixes >> 1, prefixes >> 1, "right")
        is_high = (prefixes & 1).astype(bool)
        highs_before = np.r_[0, np.cumsum(is_high)]
        lows_before = np.r_[positions, len(levels)] - highs_before
        earlier_lows = lows_before[positions] - lows_before[start]
        later_highs = highs_before[end] - highs_before[positions]
        counts[order] += np.where(is_high, earlier_lows, later_highs)
        order = order[np.argsort(prefixes, kind="stable")]
    return counts
