"""Kendall's τ on pairwise judgments, in the variants of the WMT metrics tasks, and pairwise accuracy.

What the variants do with ties is written out in ``docs/evaluation.md``. Sources: Callison-Burch et al. (2012),
section 4; Macháček and Bojar (2013; 2014), "Results of the WMT13/WMT14 Metrics Shared Task"; Kendall (1945) for
τ-b; Deutsch, Foster and Freitag (2023), "Ties Matter", for accuracy with tie calibration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation.judgements import Rankings


class PairCounts(NamedTuple):
    """Counts of pairs by agreement of judgments and a metric; numbers, or arrays of them.

    Attributes:
        concordant: both prefer the same system.
        discordant: each prefers another.
        metric_ties: people prefer one, the metric none.
        human_ties: people prefer none, the metric one.
        both_ties: neither prefers one.
    """

    concordant: Floats | float
    discordant: Floats | float
    metric_ties: Floats | float
    human_ties: Floats | float
    both_ties: Floats | float


def pair_differences(rankings: Rankings, scores: Floats) -> Floats:
    """Return the metric's score of the better system less that of the worse.

    Args:
        rankings: judgments.
        scores: ``(systems, segments)``.
    """
    result: Floats = scores[rankings.better, rankings.segments] - scores[rankings.worse, rankings.segments]
    return result


def outcomes(differences: Floats, ties: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each pair which field of :class:`PairCounts` it belongs to."""
    unequal = np.where(ties, 3, np.where(differences > 0, 0, 1))
    result: NDArray[np.int64] = np.where(differences == 0, np.where(ties, 4, 2), unequal)
    return result


def count_pairs(rankings: Rankings, scores: Floats) -> PairCounts:
    """Count how judgments and scores agree."""
    counts = np.bincount(outcomes(pair_differences(rankings, scores), rankings.ties), minlength=5)
    return PairCounts(*(float(count) for count in counts))


def tau(counts: PairCounts, variant: str) -> Floats | float:
    """Compute τ from counts of pairs.

    Args:
        counts: numbers, or arrays of them.
        variant: ``strict`` (WMT08–12: the metric's ties are wrong), ``wmt13`` (its ties do not count at all),
            ``wmt14`` (its ties are neither right nor wrong), ``b`` (ties of both sides, corrected as τ-b does),
            or ``accuracy`` (share of concordant pairs, the metric's ties being wrong).

    Returns:
        τ in [-1, 1]; NaN where there are no pairs.
    """
    agree, disagree, metric, human, _ = (np.asarray(count, float) for count in counts)
    if variant == "strict":
        numerator, denominator = agree - disagree - metric, agree + disagree + metric
    elif variant == "wmt13":
        numerator, denominator = agree - disagree, agree + disagree
    elif variant == "wmt14":
        numerator, denominator = agree - disagree, agree + disagree + metric
    elif variant == "accuracy":
        numerator, denominator = agree, agree + disagree + metric
    elif variant == "b":
        numerator = agree - disagree
        denominator = np.sqrt((agree + disagree + metric) * (agree + disagree + human))
    else:
        raise ValueError(f"unknown variant {variant!r}")
    with np.errstate(divide="ignore", invalid="ignore"):
        result = numerator / denominator
    return float(result) if result.ndim == 0 else result


class TiedAccuracy(NamedTuple):
    """Pairwise accuracy with tie calibration.

    Attributes:
        accuracy: share of pairs that the metric orders or ties as people do, averaged over segments.
        threshold: the largest difference of scores that counts as a tie.
    """

    accuracy: float
    threshold: float


def tied_accuracy(rankings: Rankings, scores: Floats, *, threshold: float | None = None) -> TiedAccuracy:
    """Compute WMT23's ``acc_eq``: pairwise accuracy in which ties must be predicted.

    Accuracy is computed for each segment and averaged over segments, as WMT23 does. A metric's scores tie if they
    differ by no more than a threshold, which is the one that gives the best accuracy (of equals the smallest).

    Args:
        rankings: judgments, with ties.
        scores: ``(systems, segments)``.
        threshold: use this one.
    """
    if not len(rankings):
        return TiedAccuracy(math.nan, math.nan)
    ties, differences = rankings.ties, pair_differences(rankings, scores)
    value = 1.0 / np.bincount(rankings.segments)[rankings.segments]
    right, size, total = ~ties & (differences > 0), np.abs(differences), float(value.sum())
    if threshold is not None:
        return TiedAccuracy(float(value[np.where(size <= threshold, ties, right)].sum()) / total, threshold)
    # Growing the threshold beyond a pair's difference makes a human tie right and a concordant pair wrong.
    order = np.argsort(size, kind="stable")
    gain = np.where(ties, value, np.where(right, -value, 0.0))[order]
    ordered = size[order]
    last = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
    start = float(value[right].sum())
    accuracies, thresholds = start + np.cumsum(gain)[last], ordered[last]
    if ordered[0] > 0:
        accuracies, thresholds = np.r_[start, accuracies], np.r_[0.0, thresholds]
    best = int(np.argmax(accuracies))
    return TiedAccuracy(float(accuracies[best]) / total, float(thresholds[best]))


def concordant(levels: Integers) -> Floats:
    """Count the earlier places of lower and the later places of higher level, for each place, bit by bit of levels."""
    places, found, order = np.arange(len(levels)), np.zeros(len(levels)), np.arange(len(levels))
    for bit in range(int(levels.max()).bit_length() - 1, -1, -1):
        # Places are in order within those whose levels have the same higher bits.
        bits = levels[order] >> bit
        start, end = (np.searchsorted(bits >> 1, bits >> 1, side) for side in ("left", "right"))
        high = (bits & 1).astype(bool)
        highs = np.r_[0, np.cumsum(high)]
        lows = np.r_[places, len(levels)] - highs
        found[order] += np.where(high, lows[places] - lows[start], highs[end] - highs[places])
        order = order[np.argsort(bits, kind="stable")]
    return found
