"""Pearson's and Spearman's correlation, weighted for resampling, and Williams' test.

Kendall's coefficient comes from SciPy. SciPy does not have weighted correlations, in which a row counts several times
as in a bootstrap sample.
"""

from __future__ import annotations

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
        The coefficient; NaN for fewer than two scores, or if all scores of the metric or of people are equal.
    """
    if len(metric) < 2 or np.ptp(metric) == 0 or np.ptp(human) == 0:
        return math.nan
    if coefficient == "pearson":
        return _pearson(metric, human)
    if coefficient == "spearman":
        return _pearson(*rank_rows(np.stack([metric, human])))
    from scipy import stats

    variant = "c" if coefficient == "kendall-c" else "b"
    return float(stats.kendalltau(metric, human, variant=variant).statistic)


def rank_rows(scores: Floats) -> Floats:
    """Rank the scores of each row from 1; ties share their mean rank."""
    from scipy import stats

    return np.asarray(stats.rankdata(scores, axis=1), float)


def _pearson(first: Floats, second: Floats) -> float:
    """Return Pearson's coefficient without a p-value, which takes most of the time of SciPy's function."""
    x, y = first - first.mean(), second - second.mean()
    return float(np.clip((x / np.linalg.norm(x)) @ (y / np.linalg.norm(y)), -1.0, 1.0))


def compute_grouped_pearson(metric: Floats, human: Floats, groups: Integers, weights: Floats) -> Floats:
    """Compute Pearson's correlation on many resampled data sets at once.

    Args:
        metric, human: scores, ``(rows,)``.
        groups: index of each row's segment, ``(rows,)``.
        weights: how often each segment is drawn, ``(samples, segments)``.

    Returns:
        The coefficient of each sample, ``(samples,)``; NaN for a sample in which the scores of one kind are all equal.
    """
    # Centered scores keep the sums of squares accurate.
    x, y = metric - metric.mean(), human - human.mean()
    moments = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    sums = np.stack([np.bincount(groups, moment, weights.shape[1]) for moment in moments])
    count, sum_x, sum_y, sum_xx, sum_yy, sum_xy = sums @ weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sum_xy - sum_x * sum_y / count
        variance_x = sum_xx - sum_x * sum_x / count
        variance_y = sum_yy - sum_y * sum_y / count
        coefficients = covariance / np.sqrt(variance_x * variance_y)
    return np.where((variance_x > 0) & (variance_y > 0), coefficients, np.nan)


class Williams(NamedTuple):
    """Result of Williams' test.

    Attributes:
        t: the statistic, with ``n - 3`` degrees of freedom.
        p: one-sided p-value of the hypothesis that the first correlation is not higher than the second.
    """

    t: float
    p: float


def williams(first: float, second: float, between: float, count: int) -> Williams:
    """Test whether one metric correlates better with people than another metric on the same data.

    Source: Williams (1959), as stated by Graham and Baldwin (2014), "Testing for Significance of Increased Correlation
    with Human Judgment".

    Args:
        first: correlation of the first metric with people.
        second: correlation of the second metric with people.
        between: correlation of the two metrics.
        count: number of scores.

    Raises:
        InputError: for fewer than four scores.
    """
    if count < 4:
        raise InputError(f"Williams' test needs at least 4 rows, not {count}")
    if any(math.isnan(value) for value in (first, second, between)):
        return Williams(math.nan, math.nan)
    if between >= 1:
        return Williams(0.0, 0.5)
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    variance = 2 * max(determinant, 0.0) * (count - 1) / (count - 3) + mean**2 * (1 - between) ** 3
    if not variance:
        return Williams(math.copysign(math.inf, first - second), float(first < second))
    t = (first - second) * math.sqrt((count - 1) * (1 + between) / variance)
    from scipy import stats

    return Williams(t, float(stats.t.sf(t, count - 3)))


def williams_matrix(metrics: Floats, human: Floats) -> Floats:
    """Test every metric against every other.

    Args:
        metrics: scores ``(metrics, rows)``; a row is an output or a system.
        human: human scores, ``(rows,)``.

    Returns:
        One-sided p-values ``(metrics, metrics)`` of the hypothesis that the row's metric is not better than the
        column's; NaN on the diagonal. A negative correlation is worse than none.
    """
    correlations = [correlate(scores, human) for scores in metrics]
    p_values = np.full((len(metrics), len(metrics)), math.nan)
    for first in range(len(metrics)):
        for second in range(len(metrics)):
            if first != second:
                between = correlate(metrics[first], metrics[second])
                p_values[first, second] = williams(correlations[first], correlations[second], between, len(human)).p
    return p_values
