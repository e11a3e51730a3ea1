"""Tests of correlation coefficients and of Williams' test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from meteor_e_evaluation.correlation import compute_grouped_pearson, correlate, williams, williams_matrix
from scipy import stats

from meteor_e.base.errors import InputError


def test_williams_equals_the_example_of_psych():
    # R's psych::r.test(103, .4, .5, .1) prints: t value -0.89 with probability < 0.37 (two-sided).
    result = williams(0.4, 0.5, 0.1, 103)
    assert result.t == pytest.approx(-0.89, abs=0.005)
    assert 2 * (1 - result.p) == pytest.approx(0.37, abs=0.01)


def test_williams_handles_extreme_correlations():
    assert williams(0.5, 0.5, 1.0, 10) == (0.0, 0.5)
    assert williams(0.0, 0.0, -1.0, 10) == (0.0, 0.5)
    assert math.isnan(williams(math.nan, 0.5, 0.5, 10).p)
    with pytest.raises(InputError, match="at least 4"):
        williams(0.5, 0.4, 0.3, 3)


def test_williams_matrix_is_antisymmetric():
    random = np.random.default_rng(3)
    human = random.normal(size=50)
    p = williams_matrix(np.stack([human + random.normal(size=50) * noise for noise in (0.3, 1.0, 3.0)]), human)
    assert np.isnan(np.diag(p)).all()
    assert p[0, 1] + p[1, 0] == pytest.approx(1)
    assert p[0, 2] < 0.001


def test_correlate_returns_nan_for_constant_scores():
    assert math.isnan(correlate(np.arange(4.0), np.ones(4)))
    assert math.isnan(correlate(np.arange(1.0), np.arange(1.0)))


def test_grouped_pearson_equals_pearson_of_repeated_rows():
    random = np.random.default_rng(5)
    metric, human, groups = random.normal(size=30) + 40, random.normal(size=30), random.integers(0, 8, 30)
    weights = random.integers(0, 3, (6, 8)).astype(float)

    def correlate_repeated_rows(group_weights):
        counts = group_weights[groups].astype(int)
        return stats.pearsonr(np.repeat(metric, counts), np.repeat(human, counts)).statistic

    expected = [correlate_repeated_rows(row) for row in weights]
    assert compute_grouped_pearson(metric, human, groups, weights) == pytest.approx(expected)


def test_grouped_pearson_is_nan_for_constant_samples():
    metric, human = np.array([0.1, 0.1, 0.3]), np.array([1.0, 2.0, 3.0])
    weights = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0], [3.0, 0.0, 0.0]])
    coefficients = compute_grouped_pearson(metric, human, np.arange(3), weights)
    assert coefficients[0] == pytest.approx(stats.pearsonr(metric, human).statistic)
    assert np.isnan(coefficients[2])
