"""Computes Kendall's τ and pairwise accuracy from pairwise judgments, in the variants of the WMT metrics tasks.

The page ``docs/evaluation.md`` describes how each variant treats ties. Sources: Callison-Burch et al. (2012), section
4; Macháček and Bojar (2013; 2014), "Results of the WMT13/WMT14 Metrics Shared Task"; Kendall (1945) for τ-b; Deutsch,
Foster and Freitag (2023), "Ties Matter", for accuracy with tie calibration.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation.judgments import Rankings
from meteor_e_evaluation.segment_coefficients import divide_or_nan


class PairCounts(NamedTuple):
    """Counts of concordant, discordant and tied pairs of systems.

    Each attribute is either a single count, or an array with one count for each sample of a permutation test.

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


class PairClass(IntEnum):
    """Classes of pairs of systems, in the order of the fields of :class:`PairCounts`."""

    CONCORDANT = 0
    DISCORDANT = 1
    METRIC_TIE = 2
    HUMAN_TIE = 3
    BOTH_TIE = 4


def pair_differences(rankings: Rankings, scores: Floats) -> Floats:
    """Return the metric's score difference between the better and the worse system of each pair.

    Args:
        rankings: the human judgments.
        scores: scores of the metric, ``(systems, segments)``.
    """
    return np.asarray(scores[rankings.better, rankings.segments] - scores[rankings.worse, rankings.segments])


def classify_pairs(rankings: Rankings, scores: Floats) -> Integers:
    """Classify each pair of systems as concordant, discordant or tied.

    Args:
        rankings: the human judgments.
        scores: scores of the metric, ``(systems, segments)``.

    Returns:
        The class of each pair, a value of :class:`PairClass`.
    """
    differences = pair_differences(rankings, scores)
    is_human_tie = rankings.ties
    is_metric_tie = differences == 0
    # The first condition that is true determines the class.
    conditions_and_classes = [
        (is_human_tie & is_metric_tie, PairClass.BOTH_TIE),
        (is_human_tie, PairClass.HUMAN_TIE),
        (is_metric_tie, PairClass.METRIC_TIE),
        (differences > 0, PairClass.CONCORDANT),
    ]
    conditions, classes = zip(*conditions_and_classes, strict=True)
    return np.select(conditions, classes, default=PairClass.DISCORDANT)


def count_pairs(rankings: Rankings, scores: Floats) -> PairCounts:
    """Count the concordant, discordant and tied pairs of systems.

    Args:
        rankings: the human judgments.
        scores: scores of the metric, ``(systems, segments)``.
    """
    counts = np.bincount(classify_pairs(rankings, scores), minlength=len(PairCounts._fields))
    return PairCounts(*(float(count) for count in counts))


def tau(counts: PairCounts, variant: str) -> Floats:
    """Compute a variant of Kendall's τ, or pairwise accuracy, from counts of pairs.

    Args:
        counts: the numbers of pairs, or arrays of them.
        variant: one of the following. ``strict`` (WMT08–12) treats pairs that the metric ties as wrong, ``wmt13``
            leaves them out, and ``wmt14`` treats them as neither right nor wrong. ``b`` is τ-b, which corrects for all
            ties. ``accuracy`` is the proportion of concordant pairs among the pairs that the annotator did not tie.

    Returns:
        The value of τ between -1 and 1, or the accuracy between 0 and 1. It is NaN if there are no pairs.

    Raises:
        ValueError: if the variant is unknown.
    """
    concordant_minus_discordant = np.asarray(counts.concordant - counts.discordant, float)
    untied_by_both = counts.concordant + counts.discordant
    untied_by_humans = untied_by_both + counts.metric_ties
    untied_by_metric = untied_by_both + counts.human_ties
    # Each variant is a fraction, given by its numerator and its denominator.
    fractions = {
        "strict": (concordant_minus_discordant - counts.metric_ties, untied_by_humans),
        "wmt13": (concordant_minus_discordant, untied_by_both),
        "wmt14": (concordant_minus_discordant, untied_by_humans),
        "b": (concordant_minus_discordant, np.sqrt(untied_by_humans * untied_by_metric)),
        "accuracy": (counts.concordant, untied_by_humans),
    }
    if variant not in fractions:
        raise ValueError(f"unknown variant {variant!r}")
    numerator, denominator = fractions[variant]
    return divide_or_nan(numerator, denominator)


class TiedAccuracy(NamedTuple):
    """Result of pairwise accuracy with tie calibration.

    Attributes:
        accuracy: proportion of pairs that the metric orders or ties like the annotator, averaged over segments.
        threshold: largest difference of metric scores that is regarded as a tie.
    """

    accuracy: float
    threshold: float


def compute_pair_weights(rankings: Rankings) -> Floats:
    """Return weights of the pairs that add up to 1 for each segment."""
    pairs_per_segment = np.bincount(rankings.segments)
    return np.asarray(1.0 / pairs_per_segment[rankings.segments])


def mark_correct_pairs(rankings: Rankings, scores: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return a mask of the pairs on which the metric and the annotator agree.

    The metric and the annotator agree if both prefer the same system, or if both tie the systems.

    Args:
        rankings: the human judgments, which may contain ties.
        scores: scores of the metric, ``(systems, segments)``.
        threshold: largest difference of metric scores that is regarded as a tie.
    """
    differences = pair_differences(rankings, scores)
    is_metric_tie = np.abs(differences) <= threshold
    is_ordered_right = ~rankings.ties & (differences > 0)
    return np.where(is_metric_tie, rankings.ties, is_ordered_right)


def compute_tied_accuracy(rankings: Rankings, scores: Floats) -> TiedAccuracy:
    """Compute pairwise accuracy with tie calibration, which is called ``acc_eq`` in WMT23.

    Metric scores are tied if they differ by no more than a threshold. The threshold is chosen so that the accuracy is
    as high as possible. Accuracy is averaged over segments.

    Args:
        rankings: the human judgments, which may contain ties.
        scores: scores of the metric, ``(systems, segments)``.

    Returns:
        The accuracy and the threshold, which are NaN if there are no judgments.
    """
    if not len(rankings):
        return TiedAccuracy(math.nan, math.nan)
    differences = pair_differences(rankings, scores)
    pair_weights = compute_pair_weights(rankings)
    is_ordered_right = ~rankings.ties & (differences > 0)
    weight_without_ties = float(pair_weights[is_ordered_right].sum())
    gains = compute_tie_gains(pair_weights, rankings.ties, is_ordered_right)
    correct_weight, threshold = _calibrate_threshold(np.abs(differences), gains, weight_without_ties)
    return TiedAccuracy(correct_weight / float(pair_weights.sum()), threshold)


def compute_tie_gains(
    pair_weights: Floats, is_human_tie: NDArray[np.bool_], is_ordered_right: NDArray[np.bool_]
) -> Floats:
    """For each pair, return how much the total weight of correct pairs would change if the metric tied this pair.

    A pair is correct if the metric and the annotator agree. If the annotator tied the pair, a tie of the metric makes
    the pair correct. If the metric ordered the pair correctly, a tie of the metric makes the pair wrong. Any other pair
    stays wrong.

    Args:
        pair_weights: weight of each pair.
        is_human_tie: mask of the pairs that the annotator tied.
        is_ordered_right: mask of the pairs that the metric orders like the annotator.
    """
    losses = np.where(is_ordered_right, -pair_weights, 0.0)
    return np.where(is_human_tie, pair_weights, losses)


def _calibrate_threshold(distances: Floats, gains: Floats, weight_without_ties: float) -> tuple[float, float]:
    """Find the tie threshold that maximizes the total weight of correct pairs.

    The metric ties a pair if its score difference is not larger than the threshold.

    Args:
        distances: absolute score difference of each pair.
        gains: change of the total weight if the metric ties the pair.
        weight_without_ties: total weight of correct pairs if the metric does not tie any pair.

    Returns:
        The total weight and the threshold. If several thresholds are equally good, the smallest one is returned.
    """
    # Element i of each array is for the threshold at which the i pairs with the smallest differences are tied.
    order = np.argsort(distances, kind="stable")
    thresholds = np.r_[0.0, distances[order]]
    correct_weights = weight_without_ties + np.r_[0.0, np.cumsum(gains[order])]
    # If several thresholds are equal, only the last element includes all pairs that are tied at this threshold.
    is_last_of_equal = np.r_[thresholds[1:] != thresholds[:-1], True]
    # A missing score makes the difference NaN. NaN is sorted last and is not a threshold, so the pair is never tied.
    is_threshold = is_last_of_equal & ~np.isnan(thresholds)
    best_index = int(np.argmax(np.where(is_threshold, correct_weights, -math.inf)))
    return float(correct_weights[best_index]), float(thresholds[best_index])


def count_concordant(levels: Integers) -> Floats:
    """Count the concordant pairs of each element. A pair is concordant if the later element has a higher level.

    In the sequence ``[2, 3, 1]``, only the levels 2 and 3 form a concordant pair, so the counts are ``[1, 1, 0]``.

    The function compares the levels bit by bit, which is faster than comparing all pairs of elements. The highest bit
    in which two levels differ decides which level is higher. In each round, elements whose levels have the same higher
    bits form a run, and the elements of a run are compared by the next bit.

    Args:
        levels: level of each element, a non-negative integer.

    Returns:
        The number of concordant pairs of each element, ``(elements,)``.
    """
    n_bits = int(levels.max()).bit_length()
    counts = np.zeros(len(levels))
    order = np.arange(len(levels))  # All elements form a single run at first.
    for bit in reversed(range(n_bits)):
        prefixes = levels[order] >> bit  # The bit itself and all higher bits.
        counts[order] += _count_pairs_by_last_bit(prefixes)
        # In each run, a stable sort moves elements with bit 0 before elements with bit 1. It keeps the order otherwise.
        order = order[np.argsort(prefixes, kind="stable")]
    return counts


def _count_pairs_by_last_bit(prefixes: Integers) -> Integers:
    """For each integer, count the concordant pairs with other integers that are equal except for the last bit.

    Two integers form a concordant pair if the later integer is larger. Integers that are equal except for the last bit
    form a run. In each run, an integer with the last bit 1 forms a concordant pair with every earlier 0, and an integer
    with the last bit 0 forms one with every later 1. For example, if the last bits of a run are ``0 1 0 1``, the counts
    are ``2 1 1 2``.

    Args:
        prefixes: non-negative integers, in which all integers of a run are adjacent.
    """
    position = np.arange(len(prefixes))
    higher_bits = prefixes >> 1  # The integers of a run have the same higher bits.
    run_start = np.searchsorted(higher_bits, higher_bits, "left")
    run_end = np.searchsorted(higher_bits, higher_bits, "right")
    last_bits = prefixes & 1
    ones_before = np.r_[0, np.cumsum(last_bits)]  # Element i counts the ones before the position i.
    earlier_ones = ones_before[position] - ones_before[run_start]
    earlier_zeros = (position - run_start) - earlier_ones
    later_ones = ones_before[run_end] - ones_before[position]
    return np.asarray(np.where(last_bits == 1, earlier_zeros, later_ones))
