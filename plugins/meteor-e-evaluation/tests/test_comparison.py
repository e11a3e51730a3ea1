"""Tests of the significance tests that compare metrics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from meteor_e_evaluation.comparison import INDEPENDENT_UNITS, average_comparisons, cluster_ranks, compare
from meteor_e_evaluation.measures import MEASURES, measure
from test_measures import make_scores, make_test_set

from meteor_e.base.errors import ConfigError

RANDOM = np.random.default_rng(9)
HUMAN = RANDOM.normal(size=(8, 60)) + np.arange(8)[:, None] * 0.3
GOOD = make_scores(HUMAN + RANDOM.normal(size=HUMAN.shape) * 0.5, "good")
POOR = make_scores(HUMAN + RANDOM.normal(size=HUMAN.shape) * 4, "poor")
SAME = make_scores(GOOD.segments * 2 + 1, "same")


def compare_metrics(measure_name, *scores, **options):
    """Compare two metrics under a measure with 200 samples."""
    return compare(measure(measure_name), make_test_set(HUMAN), scores or (GOOD, POOR), samples=200, seed=1, **options)


@pytest.mark.parametrize("name", [name for name in MEASURES if name not in ("darr", "system-accuracy-pooled")])
def test_compare_separates_good_from_poor_metrics(name):
    comparison = compare_metrics(name)
    p_good_above_poor, p_poor_above_good = comparison.p[0, 1], comparison.p[1, 0]
    assert p_good_above_poor < (0.3 if name.startswith("system") else 0.05)
    assert p_poor_above_good > 0.5
    assert np.isnan(np.diag(comparison.p)).all()


@pytest.mark.parametrize("method", ["perm-both", "paired", "systems"])
def test_compare_ignores_the_scale_of_scores(method):
    name = "system-accuracy" if method == "systems" else "acc-eq"
    comparison = compare_metrics(name, GOOD, SAME, method=method)
    assert comparison.p[0, 1] == comparison.p[1, 0] == 1.0


def test_compare_prefers_weak_to_negative_correlation():
    inverse_metric = make_scores(-GOOD.segments, "against")
    weak_metric = make_scores(HUMAN + RANDOM.normal(size=HUMAN.shape) * 6, "weak")
    comparison = compare_metrics("pearson", inverse_metric, weak_metric)
    assert comparison.p[0, 1] > 0.99
    assert comparison.p[1, 0] < 0.03


def test_average_combines_permutations_of_pairs():
    comparisons = [compare_metrics("acc-eq"), compare_metrics("acc-eq")]
    mean = average_comparisons(comparisons, [1.0, 1.0])
    for mean_test, test in zip(mean.parts, comparisons[0].parts, strict=True):
        np.testing.assert_array_equal(mean_test.differences[0, 1], test.differences[0, 1])
    assert mean.p[0, 1] <= comparisons[0].p[0, 1]
    assert average_comparisons([compare_metrics("pearson", method="williams")], [1.0]) is None


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("williams", "Williams' test compares correlations"),
        ("permboth", "unknown test 'permboth' .did you mean 'perm-both'"),
        ("documents", "the index names no documents"),
    ],
)
def test_compare_rejects_unsuitable_methods(method, message):
    with pytest.raises(ConfigError, match=message):
        compare_metrics("acc-eq", method=method)


def test_cluster_ranks_end_at_a_significant_difference():
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    p = np.full((4, 4), 0.5)
    p[0, 2] = 0.01
    p[2, 3] = 0.04
    comparison = compare_metrics("acc-eq")
    comparison = type(comparison)("", "", ("a", "b", "c", "d"), p)
    assert cluster_ranks(values, comparison) == {"a": 1, "b": 1, "c": 2, "d": 3}
    assert cluster_ranks({**values, "b": float("nan")}, comparison) == {"a": 1, "c": 2, "d": 3}


@pytest.mark.parametrize("name", ["pearson", "acc-eq", "tau-b", "system-accuracy", "spa"])
@pytest.mark.parametrize("method", ["paired", "documents", "systems"])
def test_compare_exchanges_the_units_of_the_method(name, method):
    documents = tuple(f"d{segment // 3}" for segment in range(HUMAN.shape[1]))
    test_set = dataclasses.replace(make_test_set(HUMAN), documents=documents)
    comparison = compare(measure(name), test_set, (GOOD, POOR), samples=200, seed=1, method=method)
    assert comparison.assumed == INDEPENDENT_UNITS[method]
    assert comparison.p[0, 1] < comparison.p[1, 0]


def test_compare_of_one_segment_documents_equals_paired():
    documents = tuple(f"d{segment:03}" for segment in range(HUMAN.shape[1]))
    test_set = dataclasses.replace(make_test_set(HUMAN), documents=documents)
    for name in ("acc-eq", "tau-b"):
        by_segment, by_document = (
            compare(measure(name), test_set, (GOOD, POOR), samples=99, seed=1, method=method)
            for method in ("paired", "documents")
        )
        np.testing.assert_array_equal(by_segment.p, by_document.p)


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "darr"])
def test_compare_defaults_to_segments_and_systems(name):
    """The scores of a segment share its difficulty; the scores of a system share the metric's bias toward it."""
    comparison = compare_metrics(name)
    selected_measure = measure(name)
    if selected_measure.level == "system":
        assert comparison.assumed == "systems"
        return
    assert comparison.assumed == INDEPENDENT_UNITS[selected_measure.default_test()] == "segments or systems"
    assert comparison.test == "higher p-value of a permutation of segments and one of systems, 200 samples, seed 1"
    assert [part.assumed for part in comparison.parts] == ["segments", "systems"]
    np.testing.assert_array_equal(comparison.p, np.maximum(*(part.p for part in comparison.parts)))
    np.testing.assert_array_equal(average_comparisons([comparison, comparison], [1.0, 1.0]).p, comparison.p)
    if name != "pearson":
        return
    for part, method in zip(comparison.parts, ("paired", "systems"), strict=True):
        np.testing.assert_array_equal(part.p, compare_metrics(name, method=method).p)
