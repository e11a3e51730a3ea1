"""Computes the agreement of metric scores with human scores within groups of outputs.

Scores are matrices ``(systems, segments)``, with NaN for outputs without human scores.

Each function prepares the human scores once, and returns a function that takes a matrix of metric scores. This saves
time in permutation tests, because they evaluate thousands of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from meteor_e.api.measures import Agreement
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.segment_coefficients import make_segment_coefficient_function

Grouping: TypeAlias = Literal["none", "item", "sys"]
"""Name of a grouping of outputs, as in mt-metrics-eval.

``none`` puts all outputs into one group, ``item`` groups the outputs by segment, and ``sys`` by system.
"""


def make_mean_group_agreement(coefficient: str, grouping: Grouping, human_scores: Floats) -> Agreement:
    """Return a function that averages a correlation coefficient over groups of outputs.

    The mean does not include groups in which the coefficient is undefined. A coefficient is undefined in groups with
    fewer than two ratings. Correlations are also undefined if all metric scores or all ratings of a group are equal.

    Args:
        coefficient: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``acc`` (pairwise accuracy with ties).
        grouping: grouping of the outputs.
        human_scores: human scores, ``(systems, segments)``.

    Returns:
        A function that takes metric scores, ``(systems, segments)``. Its value is NaN if the coefficient is undefined
        in all groups.
    """
    compute_coefficients = make_group_coefficient_function(coefficient, grouping, human_scores)

    def compute_agreement(metric_scores: Floats) -> float:
        coefficients = compute_coefficients(metric_scores)
        defined_coefficients = coefficients[~np.isnan(coefficients)]
        if not len(defined_coefficients):
            return math.nan
        return float(defined_coefficients.mean())

    return compute_agreement


def average_over_groups(coefficients: Floats, weights: Floats) -> float:
    """Return the weighted mean of all coefficients that are not NaN.

    The mean is NaN if the total weight of these coefficients is 0.

    Args:
        coefficients: coefficient of each group.
        weights: weight of each group.
    """
    is_defined = ~np.isnan(coefficients)
    total_weight = float(weights[is_defined].sum())
    if total_weight == 0:
        return math.nan
    return float(weights[is_defined] @ coefficients[is_defined]) / total_weight


def make_group_coefficient_function(
    coefficient: str, grouping: Grouping, human_scores: Floats
) -> Callable[[Floats], Floats]:
    """Return a function that computes a correlation coefficient for each group of outputs.

    Args:
        coefficient: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``acc`` (pairwise accuracy with ties).
        grouping: grouping of the outputs.
        human_scores: human scores, ``(systems, segments)``.

    Returns:
        A function that returns one value per group, with NaN for groups in which the coefficient is undefined.
    """
    if grouping == "item":
        return make_segment_coefficient_function(coefficient, human_scores)
    human_groups = _group_rows(grouping, human_scores)  # (groups, outputs)

    def compute_coefficients(metric_scores: Floats) -> Floats:
        metric_groups = _group_rows(grouping, metric_scores)
        coefficients = []
        for metric_group, human_group in zip(metric_groups, human_groups, strict=True):
            is_rated = ~np.isnan(human_group)
            coefficients.append(_compute_coefficient(coefficient, metric_group[is_rated], human_group[is_rated]))
        return np.array(coefficients)

    return compute_coefficients


def _group_rows(grouping: Grouping, scores: Floats) -> Floats:
    """Reshape a score matrix so that it has one row per group."""
    return scores.reshape(1, -1) if grouping == "none" else scores


def _compute_coefficient(coefficient: str, metric_scores: Floats, human_scores: Floats) -> float:
    """Return the coefficient for the outputs of a group, or NaN if there are fewer than two outputs."""
    if len(metric_scores) < 2:
        return math.nan
    if coefficient == "acc":
        return pairwise_accuracy_with_ties(metric_scores, human_scores)
    return correlate(metric_scores, human_scores, coefficient)


def pairwise_accuracy_with_ties(metric_scores: Floats, human_scores: Floats) -> float:
    """Return the proportion of pairs on which metric scores and human scores agree.

    Metric scores and human scores agree if both order the pair in the same way, or if both tie the pair.
    """
    n_scores = len(metric_scores)
    if n_scores < 2:
        return math.nan
    n_pairs = n_scores * (n_scores - 1) // 2
    n_common_ties = _count_ties(metric_scores, human_scores)
    n_concordant = _count_concordant(metric_scores, human_scores, n_common_ties)
    return (n_concordant + n_common_ties) / n_pairs


def _count_concordant(metric_scores: Floats, human_scores: Floats, n_common_ties: int) -> int:
    """Count the pairs of outputs that metric scores and human scores order in the same way.

    The count is derived from Kendall's τ-b, which SciPy computes without comparing all pairs. There are ``C``
    concordant pairs, ``D`` discordant pairs and ``T`` pairs that are tied by metric scores, by human scores or by both.
    Then ``C + D = n_pairs - T``, and τ-b is ``(C - D) / sqrt(n_metric_untied * n_human_untied)``.
    """
    from scipy import stats

    n_pairs = len(metric_scores) * (len(metric_scores) - 1) // 2
    n_metric_ties = _count_ties(metric_scores)
    n_human_ties = _count_ties(human_scores)
    if n_metric_ties == n_pairs or n_human_ties == n_pairs:
        return 0  # No pair is ordered by both, and τ-b is undefined.
    tau_b = float(stats.kendalltau(metric_scores, human_scores).statistic)
    normalizer = math.sqrt(float(n_pairs - n_metric_ties) * float(n_pairs - n_human_ties))
    difference = round(tau_b * normalizer)  # C - D
    total = n_pairs - (n_metric_ties + n_human_ties - n_common_ties)  # C + D
    return (total + difference) // 2


def _count_ties(*score_rows: Floats) -> int:
    """Count the pairs of items whose scores are equal in every row."""
    # After sorting, items whose scores are equal in every row are adjacent.
    order = np.lexsort(score_rows)
    differs_from_previous = np.logical_or.reduce([np.diff(scores[order]) != 0 for scores in score_rows])
    run_boundaries = np.flatnonzero(np.r_[True, differs_from_previous, True])
    run_lengths = np.diff(run_boundaries).astype(np.int64)
    return int((run_lengths * (run_lengths - 1) // 2).sum())
