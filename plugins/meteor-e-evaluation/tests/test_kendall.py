"""Tests of Kendall's tau and of pairwise accuracy with tie calibration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.kendall import (
    PairCounts,
    compute_pair_weights,
    compute_tied_accuracy,
    count_pairs,
    mark_correct_pairs,
    tau,
)
from scipy import stats

# Two systems on five segments: a concordant pair, a discordant pair, a tie of the metric only, a tie of the humans
# only, and a tie of both.
SCORES = np.array([[2.0, 1.0, 1.0, 2.0, 1.0], [1.0, 2.0, 1.0, 1.0, 1.0]])
RANKINGS = Rankings(np.arange(5), np.zeros(5, int), np.ones(5, int), np.array([False, False, False, True, True]))


def test_count_pairs_counts_each_outcome():
    assert count_pairs(RANKINGS, SCORES) == PairCounts(1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("strict", (6 - 2 - 1) / 9),
        ("wmt13", (6 - 2) / 8),
        ("wmt14", (6 - 2) / 9),
        ("accuracy", 6 / 9),
        ("b", (6 - 2) / math.sqrt((6 + 2 + 1) * (6 + 2 + 4))),
    ],
)
def test_tau_variants_treat_ties_as_defined(variant, expected):
    assert tau(PairCounts(6, 2, 1, 4, 3), variant) == pytest.approx(expected)


def test_tau_is_nan_without_pairs():
    assert math.isnan(tau(PairCounts(0, 0, 0, 0, 0), "strict"))
    assert math.isnan(compute_tied_accuracy(RANKINGS.select(np.zeros(5, bool)), SCORES).accuracy)


def test_tied_accuracy_does_not_tie_missing_scores():
    ties = Rankings(
        segments=np.array([0, 1, 2]), better=np.zeros(3, int), worse=np.ones(3, int), ties=np.array([True, True, False])
    )
    scores = np.array([[0.5, np.nan, 0.9], [0.5, 0.2, 0.1]])
    assert compute_tied_accuracy(ties, scores) == (2 / 3, 0.0)


small_scores = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(small_scores, small_scores), min_size=2, max_size=12))
def test_tau_b_equals_scipy(rows):
    human, metric = (np.array(column) for column in zip(*rows, strict=True))
    n_systems = len(rows)
    assessments = Assessments(np.zeros(n_systems, int), np.arange(n_systems), human)
    tau_b = tau(count_pairs(assessments.comparisons, metric[:, None]), "b")
    assert tau_b == pytest.approx(float(stats.kendalltau(human, metric).statistic), nan_ok=True)


def compute_accuracy_by_definition(human, metric, threshold):
    """Return the mean, over the segments, of the proportion of correct pairs, computed by the definition."""
    proportions = []
    for segment in range(human.shape[1]):
        correct = []
        for a, b in itertools.combinations(range(len(human)), 2):
            difference = metric[a, segment] - metric[b, segment]
            metric_sign = 0 if abs(difference) <= threshold else np.sign(difference)
            correct.append(np.sign(human[a, segment] - human[b, segment]) == metric_sign)
        proportions.append(np.mean(correct))
    return float(np.mean(proportions))


@given(st.lists(st.tuples(*[st.integers(0, 4).map(float)] * 8), min_size=1, max_size=5))
def test_tie_calibration_finds_the_best_threshold(rows):
    table = np.array(rows).T
    human, metric = table[:4], table[4:]
    segments, systems = np.meshgrid(np.arange(human.shape[1]), np.arange(4))
    pairs = Assessments(segments.ravel(), systems.ravel(), human.ravel()).comparisons
    calibration = compute_tied_accuracy(pairs, metric)
    candidates = {0.0, *(abs(a - b) for column in metric.T for a, b in itertools.combinations(column, 2))}
    best = max(compute_accuracy_by_definition(human, metric, threshold) for threshold in candidates)
    assert calibration.accuracy == pytest.approx(best)
    assert compute_accuracy_by_definition(human, metric, calibration.threshold) == pytest.approx(best)
    if len(pairs):
        accuracy = np.average(mark_correct_pairs(pairs, metric, 1.0), weights=compute_pair_weights(pairs))
        assert accuracy == pytest.approx(compute_accuracy_by_definition(human, metric, 1.0))
