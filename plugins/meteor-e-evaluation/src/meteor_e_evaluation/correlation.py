"""Computes correlation coefficients, and Williams' test of their differences."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats, Integers


def correlate(metric: Floats, human: Floats, coefficient: str = "pearson") -> float:
    """Correlate metric scores with human scores.

    Args:
        metric: scores of a metric.
        human: human scores of the same outputs.
        coefficient: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``kendall-c`` (Stuart's τ-c).

    Returns:
        The coefficient, or NaN if there are fewer than two scores, or if all scores of a kind are equal.
    """
    if len(metric) < 2 or np.ptp(metric) == 0 or np.ptp(human) == 0:
        return math.nan
    if coefficient == "pearson":
        return _pearson(metric, human)
    if coefficient == "spearman":
        metric_ranks, human_ranks = rank_scores(np.stack([metric, human]))
        return _pearson(metric_ranks, human_ranks)
    from scipy import stats

    variant = "c" if coefficient == "kendall-c" else "b"
    return float(stats.kendalltau(metric, human, variant=variant).statistic)


def rank_scores(scores: Floats) -> Floats:
    """Rank scores along the last axis. The lowest rank is 1. Equal scores share their mean rank."""
    from scipy import stats

    return np.asarray(stats.rankdata(scores, axis=-1), float)


def _pearson(first: Floats, second: Floats) -> float:
    """Return Pearson's correlation coefficient.

    This function is much faster than SciPy's function, which also computes a p-value.
    """
    first_deviations = first - first.mean()
    second_deviations = second - second.mean()
    first_unit_vector = first_deviations / np.linalg.norm(first_deviations)
    second_unit_vector = second_deviations / np.linalg.norm(second_deviations)
    return float(np.clip(first_unit_vector @ second_unit_vector, -1.0, 1.0))


def compute_grouped_pearson(metric: Floats, human: Floats, groups: Integers, weights: Floats) -> Floats:
    """Compute Pearson's correlation coefficient on all bootstrap samples at once.

    Args:
        metric: scores of a metric, ``(rows,)``.
        human: human scores, ``(rows,)``.
        groups: index of the segment of each row, ``(rows,)``.
        weights: number of times that each sample contains each segment, ``(samples, segments)``.

    Returns:
        The coefficient of each sample, ``(samples,)``. It is NaN if all scores of a kind are equal in the sample.
    """
    n_segments = weights.shape[1]
    # Centering the scores reduces rounding errors in the sums of squares.
    x = metric - metric.mean()
    y = human - human.mean()
    row_terms = (np.ones_like(x), x, y, x * x, y * y, x * y)
    segment_sums = np.stack([np.bincount(groups, terms, n_segments) for terms in row_terms])  # (6, segments)
    count, sum_x, sum_y, sum_xx, sum_yy, sum_xy = segment_sums @ weights.T  # Each array has the shape (samples,).
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sum_xy - sum_x * sum_y / count
        variance_x = sum_xx - sum_x * sum_x / count
        variance_y = sum_yy - sum_y * sum_y / count
        coefficients = covariance / np.sqrt(variance_x * variance_y)
    return np.where((variance_x > 0) & (variance_y > 0), coefficients, np.nan)


class Williams(NamedTuple):
    """Result of Williams' test.

    Attributes:
        t: the test statistic, which has ``n - 3`` degrees of freedom.
        p: one-sided p-value of the hypothesis that the first correlation is not higher than the second.
    """

    t: float
    p: float


def williams(first: float, second: float, between: float, count: int) -> Williams:
    """Test whether one metric correlates better with human judgments than another metric on the same data.

    Source: Williams (1959), as stated by Graham and Baldwin (2014), "Testing for Significance of Increased Correlation
    with Human Judgment".

    Args:
        first: correlation of the first metric with human judgments.
        second: correlation of the second metric with human judgments.
        between: correlation between the two metrics.
        count: number of scores.

    Returns:
        The test statistic and its p-value, which are NaN if a correlation is NaN.

    Raises:
        InputError: if there are fewer than four scores.
    """
    from scipy import stats

    if count < 4:
        raise InputError(f"Williams' test needs at least 4 rows, not {count}")
    if math.isnan(first) or math.isnan(second) or math.isnan(between):
        return Williams(math.nan, math.nan)
    difference = first - second
    if between >= 1 or difference == 0:
        # The metrics are equal except for their scale, or they correlate equally well, so neither is better.
        return Williams(0.0, 0.5)
    variance = _williams_variance(first, second, between, count)
    if variance == 0:
        t = math.copysign(math.inf, difference)
    else:
        t = difference * math.sqrt((count - 1) * (1 + between) / variance)
    one_sided_p = float(stats.t.sf(t, df=count - 3))
    return Williams(t, one_sided_p)


def _williams_variance(first: float, second: float, between: float, count: int) -> float:
    """Return the denominator of the squared test statistic of Williams' test.

    The arguments are those of :func:`williams`.
    """
    # This is the determinant of the correlation matrix of both metrics and the human judgments.
    # Rounding errors can make it negative.
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    return 2 * max(determinant, 0.0) * (count - 1) / (count - 3) + mean**2 * (1 - between) ** 3


def williams_matrix(metrics: Floats, human: Floats) -> Floats:
    """Return the p-values of Williams' test for all pairs of metrics.

    Args:
        metrics: scores of each metric for the same outputs or systems, ``(metrics, scores)``.
        human: human scores of the outputs or systems, ``(scores,)``.

    Returns:
        One-sided p-values of the hypothesis that the row's metric is not better than the column's metric, an array
        ``(metrics, metrics)`` with NaN on the diagonal.
    """
    n_metrics = len(metrics)
    human_correlations = [correlate(scores, human) for scores in metrics]
    p_values = np.full((n_metrics, n_metrics), math.nan)
    for first, second in itertools.permutations(range(n_metrics), 2):
        result = williams(
            first=human_correlations[first],
            second=human_correlations[second],
            between=correlate(metrics[first], metrics[second]),
            count=len(human),
        )
        p_values[first, second] = result.p
    return p_values
