"""Computes Kendall's τ and pairwise accuracy from pairwise judgments, in the variants of the WMT metrics tasks.

The page ``docs/evaluation.md`` describes how each variant treats ties. Sources: Callison-Burch et al. (2012), section
4; Macháček and Bojar (2013; 2014), "Results of the WMT13/WMT14 Metrics Shared Task"; Kendall (1945) for τ-b; Deutsch,
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
    """Numbers of pairs of systems by the agreement of human judgments and metric scores.

    Each attribute is a number or an array of numbers.

    Attributes:
        concordant: pairs for which the annotator and the metric prefer the same system.
        discordant: pairs for which the annotator and the metric prefer different systems.
        metric_ties: pairs that only the metric ties.
        human_ties: pairs that only the annotator ties.
        both_ties: pairs that both the annotator and the metric tie.
    """

    concordant: Floats | float
    discordant: Floats | float
    metric_ties: Floats | float
    human_ties: Floats | float
    both_ties: Floats | float


def pair_differences(rankings: Rankings, scores: Floats) -> Floats:
    """Return the metric score of the better system minus that of the worse system, for each pair.

    Args:
        rankings: the human judgments.
        scores: scores of the metric, ``(systems, segments)``.
    """
    return np.asarray(scores[rankings.better, rankings.segments] - scores[rankings.worse, rankings.segments])


def outcomes(differences: Floats, ties: NDArray[np.bool_]) -> Integers:
    """Return the index of the field of :class:`PairCounts` that each pair contributes to.

    Args:
        differences: metric score of the better system minus that of the worse system, for each pair.
        ties: whether the annotator tied the two systems.
    """
    without_metric_tie = np.where(ties, 3, np.where(differences > 0, 0, 1))
    with_metric_tie = np.where(ties, 4, 2)
    return np.where(differences == 0, with_metric_tie, without_metric_tie)


def count_pairs(rankings: Rankings, scores: Floats) -> PairCounts:
    """Count the pairs of systems by the agreement of human judgments and metric scores.

    Args:
        rankings: the human judgments.
        scores: scores of the metric, ``(systems, segments)``.
    """
    pair_outcomes = outcomes(pair_differences(rankings, scores), rankings.ties)
    counts = np.bincount(pair_outcomes, minlength=len(PairCounts._fields))
    return PairCounts(*(float(count) for count in counts))


def tau(counts: PairCounts, variant: str) -> Floats | float:
    """Compute a variant of Kendall's τ, or pairwise accuracy, from the numbers of pairs.

    Args:
        counts: the numbers of pairs, or arrays of them.
        variant: one of the following. ``strict`` (WMT08–12) treats pairs that the metric ties as wrong, ``wmt13``
            leaves them out, and ``wmt14`` treats them as neither right nor wrong. ``b`` is τ-b, which corrects for all
            ties. ``accuracy`` is the proportion of concordant pairs among the pairs that the annotator did not tie.

    Returns:
        The value of τ between -1 and 1, or the accuracy between 0 and 1. It is NaN if there are no pairs.
    """
    concordant, discordant, metric_ties, human_ties, _ = (np.asarray(count, float) for count in counts)
    untied_by_humans = concordant + discordant + metric_ties
    untied_by_metric = concordant + discordant + human_ties
    if variant == "strict":
        numerator, denominator = concordant - discordant - metric_ties, untied_by_humans
    elif variant == "wmt13":
        numerator, denominator = concordant - discordant, concordant + discordant
    elif variant == "wmt14":
        numerator, denominator = concordant - discordant, untied_by_humans
    elif variant == "b":
        numerator, denominator = concordant - discordant, np.sqrt(untied_by_humans * untied_by_metric)
    elif variant == "accuracy":
        numerator, denominator = concordant, untied_by_humans
    else:
        raise ValueError(f"unknown variant {variant!r}")
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = numerator / denominator
    return float(quotient) if quotient.ndim == 0 else quotient


class TiedAccuracy(NamedTuple):
    """Result of pairwise accuracy with tie calibration.

    Attributes:
        accuracy: proportion of pairs that the metric orders or ties like the annotator, averaged over segments.
        threshold: largest difference of metric scores that is regarded as a tie.
    """

    accuracy: float
    threshold: float


def compute_tied_accuracy(rankings: Rankings, scores: Floats, *, threshold: float | None = None) -> TiedAccuracy:
    """Compute pairwise accuracy with tie calibration, which is called ``acc_eq`` in WMT23.

    Metric scores are tied if they differ by no more than a threshold. By default, the threshold is the smallest one
    with the best accuracy. Accuracy is averaged over segments.

    Args:
        rankings: the human judgments, which may contain ties.
        scores: scores of the metric, ``(systems, segments)``.
        threshold: threshold to use instead of the calibrated one.

    Returns:
        The accuracy and the threshold, which are NaN if there are no judgments.
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
    # If the metric ties a pair, the pair is correct only if the annotator also tied it.
    gains = np.where(rankings.ties, pair_weights, np.where(is_ordered_right, -pair_weights, 0.0))
    weight_without_ties = float(pair_weights[is_ordered_right].sum())
    correct_weight, threshold = _calibrate_threshold(distances, gains, weight_without_ties)
    return TiedAccuracy(correct_weight / total_weight, threshold)


def _calibrate_threshold(distances: Floats, gains: Floats, weight_without_ties: float) -> tuple[float, float]:
    """Return the largest total weight of correct pairs, and the smallest threshold that attains it.

    Args:
        distances: absolute score difference of each pair.
        gains: change of the total weight if the metric ties the pair.
        weight_without_ties: total weight of correct pairs if the metric does not tie any pair.
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
    """Count the concordant pairs that each element of a sequence belongs to.

    Two elements are concordant if the later element has the higher level. The levels are compared bit by bit, from the
    highest to the lowest bit, so that not all pairs of elements need to be compared.

    Args:
        levels: level of each element, a non-negative integer.
    """
    positions = np.arange(len(levels))
    order = np.arange(len(levels))
    counts = np.zeros(len(levels))
    for bit in range(int(levels.max()).bit_length() - 1, -1, -1):
        # Elements whose higher bits are equal are adjacent, and still in the order of the sequence.
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
