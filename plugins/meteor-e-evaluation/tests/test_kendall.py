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

# Two systems on five segments: concordant, discordant, tie of the metric, tie of people, tie of both.
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


def test_tau_without_pairs_is_nan():
    assert math.isnan(tau(PairCounts(0, 0, 0, 0, 0), "strict"))
    assert math.isnan(compute_tied_accuracy(RANKINGS.select(np.zeros(5, bool)), SCORES).accuracy)


small = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(small, small), min_size=2, max_size=12))
def test_tau_b_equals_scipys(rows):
    human, metric = (np.array(side) for side in zip(*rows, strict=True))
    size = len(rows)
    given_scores = Assessments(np.zeros(size, int), np.arange(size), human)
    ours = tau(count_pairs(given_scores.comparisons(), metric[:, None]), "b")
    assert ours == pytest.approx(float(stats.kendalltau(human, metric).statistic), nan_ok=True)


def slow_tied_accuracy(human, metric, threshold):
    """By definition: the mean over segments of the share of pairs that are right."""
    shares = []
    for segment in range(human.shape[1]):
        right = [
            (np.sign(human[a, segment] - human[b, segment]))
            == (0 if abs(gap := metric[a, segment] - metric[b, segment]) <= threshold else np.sign(gap))
            for a, b in itertools.combinations(range(len(human)), 2)
        ]
        shares.append(np.mean(right))
    return float(np.mean(shares))


@given(st.lists(st.tuples(*[st.integers(0, 4).map(float)] * 8), min_size=1, max_size=5))
def test_tie_calibration_finds_the_best_threshold(rows):
    table = np.array(rows).T
    human, metric = table[:4], table[4:]
    segments, systems = np.meshgrid(np.arange(human.shape[1]), np.arange(4))
    pairs = Assessments(segments.ravel(), systems.ravel(), human.ravel()).comparisons()
    found = compute_tied_accuracy(pairs, metric)
    candidates = {0.0, *(abs(a - b) for column in metric.T for a, b in itertools.combinations(column, 2))}
    best = max(slow_tied_accuracy(human, metric, threshold) for threshold in candidates)
    assert found.accuracy == pytest.approx(best)
    assert slow_tied_accuracy(human, metric, found.threshold) == pytest.approx(best)
    if len(pairs):
        accuracy = np.average(mark_correct_pairs(pairs, metric, 1.0), weights=compute_pair_weights(pairs))
        assert accuracy == pytest.approx(slow_tied_accuracy(human, metric, 1.0))
