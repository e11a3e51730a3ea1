"""Pearson's and Spearman's correlation, weighted for resampling, and Williams' test.

Ranks and Kendall's coefficient come from scipy. Weighted correlations, in which a row counts several times, as in a
bootstrap sample, have no counterpart there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats, Integers


def correlate(metric: Floats, human: Floats, kind: str = "pearson") -> float:
    """Correlate two rows of numbers.

    Args:
        metric: scores of a metric.
        human: scores of people.
        kind: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``kendall-c`` (Stuart's τ-c).

    Returns:
        The coefficient; NaN for fewer than two rows or where one side does not vary.
    """
    if len(metric) < 2 or np.ptp(metric) == 0 or np.ptp(human) == 0:
        return math.nan
    if kind == "pearson":
        return _pearson(metric, human)
    from scipy import stats

    if kind == "spearman":
        return _pearson(stats.rankdata(metric), stats.rankdata(human))
    return float(stats.kendalltau(metric, human, variant="c" if kind == "kendall-c" else "b").statistic)


def _pearson(first: Floats, second: Floats) -> float:
    """Return Pearson's coefficient alone: scipy's p-value costs more, and permutation tests ask thousands of times."""
    x, y = first - first.mean(), second - second.mean()
    return float(np.clip((x / np.linalg.norm(x)) @ (y / np.linalg.norm(y)), -1.0, 1.0))


def grouped_pearson(metric: Floats, human: Floats, groups: Integers, weights: Floats) -> Floats:
    """Compute Pearson's correlation on many resampled data sets at once.

    Args:
        metric, human: ``(rows,)``.
        groups: the segment of each row, ``(rows,)``, from 0.
        weights: how often each segment is drawn, ``(samples, segments)``.

    Returns:
        ``(samples,)``.
    """
    # Shifting both towards 0 keeps the sums of squares exact enough.
    x, y = metric - metric.mean(), human - human.mean()
    moments = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    sums = np.stack([np.bincount(groups, moment, weights.shape[1]) for moment in moments])
    count, sx, sy, sxx, syy, sxy = sums @ weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sxy - sx * sy / count
        result: Floats = covariance / np.sqrt((sxx - sx * sx / count) * (syy - sy * sy / count))
    return result


class Williams(NamedTuple):
    """Result of Williams' test.

    Attributes:
        t: the statistic, with ``n - 3`` degrees of freedom.
        p: probability of such a difference or a larger one if the first correlation is not higher (one-sided).
    """

    t: float
    p: float


def williams(first: float, second: float, between: float, count: int) -> Williams:
    """Test whether a metric correlates more with people than another that was measured on the same data.

    Williams (1959), as given by Graham and Baldwin (2014), "Testing for Significance of Increased Correlation
    with Human Judgment".

    Args:
        first: correlation of the first metric with people.
        second: correlation of the second.
        between: correlation of the two metrics.
        count: number of rows.

    Raises:
        InputError: for fewer than four rows.
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
        metrics: ``(metrics, rows)``; a row is a segment of a system, or a system.
        human: ``(rows,)``.

    Returns:
        ``(metrics, metrics)``: the p-value that the row's metric is no better than the column's; NaN on the
        diagonal. Signs count: a metric that correlates negatively is worse than one that does not correlate.
    """
    own = [correlate(row, human) for row in metrics]
    result = np.full((len(metrics), len(metrics)), math.nan)
    for first in range(len(metrics)):
        for second in range(len(metrics)):
            if first != second:
                between = correlate(metrics[first], metrics[second])
                result[first, second] = williams(own[first], own[second], between, len(human)).p
    return result
