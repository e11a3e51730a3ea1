from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from meteor_e_evaluation.comparison import INDEPENDENT_UNITS, average, cluster_ranks, compare
from meteor_e_evaluation.measures import MEASURES, measure
from test_measures import make_set, scored

from meteor_e.base.errors import ConfigError

RANDOM = np.random.default_rng(9)
HUMAN = RANDOM.normal(size=(8, 60)) + np.arange(8)[:, None] * 0.3
GOOD = scored(HUMAN + RANDOM.normal(size=HUMAN.shape) * 0.5, "good")
POOR = scored(HUMAN + RANDOM.normal(size=HUMAN.shape) * 4, "poor")
SAME = scored(GOOD.segments * 2 + 1, "same")


def run(name, *scores, **options):
    return compare(measure(name), make_set(HUMAN), scores or (GOOD, POOR), samples=200, seed=1, **options)


@pytest.mark.parametrize("name", [name for name in MEASURES if name not in ("darr", "system-accuracy-pooled")])
def test_compare_separates_good_from_poor_by_every_measure(name):
    comparison = run(name)
    better, worse = comparison.p[0, 1], comparison.p[1, 0]
    assert better < (0.3 if name.startswith("system") else 0.05)
    assert worse > 0.5
    assert np.isnan(np.diag(comparison.p)).all()


@pytest.mark.parametrize("method", ["perm-both", "paired", "systems"])
def test_compare_ignores_the_scale_of_scores(method):
    name = "system-accuracy" if method == "systems" else "acc-eq"
    comparison = run(name, GOOD, SAME, method=method)
    assert comparison.p[0, 1] == comparison.p[1, 0] == 1.0


def test_compare_prefers_weak_to_negative_correlation():
    against = scored(-GOOD.segments, "against")
    weak = scored(HUMAN + RANDOM.normal(size=HUMAN.shape) * 6, "weak")
    comparison = run("pearson", against, weak)
    assert comparison.p[0, 1] > 0.99
    assert comparison.p[1, 0] < 0.03


def test_average_combines_permutations_of_pairs():
    parts = [run("acc-eq"), run("acc-eq")]
    mean = average(parts, [1.0, 1.0])
    assert mean.observed == parts[0].observed
    assert mean.p[0, 1] <= parts[0].p[0, 1]
    assert average([run("pearson", method="williams")], [1.0]) is None


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("williams", "Williams' test compares correlations"),
        ("permboth", "unknown test 'permboth' .did you mean 'perm-both'"),
        ("documents", "the index names no documents"),
    ],
)
def test_compare_errors(method, message):
    with pytest.raises(ConfigError, match=message):
        run("acc-eq", method=method)


def test_cluster_ranks_end_at_a_significant_difference():
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    p = np.full((4, 4), 0.5)
    p[0, 2] = 0.01
    p[2, 3] = 0.04
    comparison = run("acc-eq")
    comparison = type(comparison)("", "", ("a", "b", "c", "d"), p)
    assert cluster_ranks(values, comparison) == {"a": 1, "b": 1, "c": 2, "d": 3}
    assert cluster_ranks({**values, "b": float("nan")}, comparison) == {"a": 1, "c": 2, "d": 3}


@pytest.mark.parametrize("name", ["pearson", "acc-eq", "tau-b", "system-accuracy", "spa"])
@pytest.mark.parametrize("method", ["paired", "documents", "systems"])
def test_compare_exchanges_units_together(name, method):
    test = dataclasses.replace(make_set(HUMAN), documents=tuple(f"d{at // 3}" for at in range(HUMAN.shape[1])))
    comparison = compare(measure(name), test, (GOOD, POOR), samples=200, seed=1, method=method)
    assert comparison.assumed == INDEPENDENT_UNITS[method]
    assert comparison.p[0, 1] < comparison.p[1, 0]


def test_documents_of_one_segment_equal_segments():
    test = dataclasses.replace(make_set(HUMAN), documents=tuple(f"d{at:03}" for at in range(HUMAN.shape[1])))
    for name in ("acc-eq", "tau-b"):
        by = [
            compare(measure(name), test, (GOOD, POOR), samples=99, seed=1, method=m).p for m in ("paired", "documents")
        ]
        np.testing.assert_array_equal(*by)


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "darr"])
def test_compare_default_tests_suit_equal_items(name):
    """Scores of a segment share its difficulty, those of a system its metric's favor."""
    found = run(name)
    own = measure(name)
    if own.level == "system":
        assert found.assumed == "systems"
        return
    assert found.assumed == INDEPENDENT_UNITS[own.default_test()] == "segments or systems"
    assert found.test == "higher p-value of a permutation of segments and one of systems, 200 samples, seed 1"
    assert [part.assumed for part in found.parts] == ["segments", "systems"]
    np.testing.assert_array_equal(found.p, np.maximum(*(part.p for part in found.parts)))
    np.testing.assert_array_equal(average([found, found], [1.0, 1.0]).p, found.p)
    if name != "pearson":
        return
    for part, method in zip(found.parts, ("paired", "systems"), strict=True):
        np.testing.assert_array_equal(part.p, run(name, method=method).p)
