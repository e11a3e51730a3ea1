from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.comparison import average, cluster_ranks, compare
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
def test_every_measure_has_a_test_that_tells_good_from_poor(name):
    comparison = run(name)
    better, worse = comparison.p[0, 1], comparison.p[1, 0]
    assert better < (0.3 if name.startswith("system") else 0.05)
    assert worse > 0.5
    assert np.isnan(np.diag(comparison.p)).all()


@pytest.mark.parametrize("method", ["perm-both", "paired", "systems"])
def test_a_metric_on_another_scale_does_not_differ_from_itself(method):
    name = "system-accuracy" if method == "systems" else "acc-eq"
    comparison = run(name, GOOD, SAME, method=method)
    assert comparison.p[0, 1] == comparison.p[1, 0] == 1.0


@pytest.mark.parametrize("name", ["acc-eq", "system-accuracy", "spa"])
@pytest.mark.parametrize("method", ["perm-both", "paired"])
def test_permutations_of_segments_tell_good_from_poor(name, method):
    assert run(name, method=method).p[0, 1] < 0.06
    assert run(name, method=method).p[1, 0] > 0.9


def test_a_metric_that_correlates_negatively_beats_none():
    against = scored(-GOOD.segments, "against")
    weak = scored(HUMAN + RANDOM.normal(size=HUMAN.shape) * 6, "weak")
    comparison = run("pearson", against, weak)
    assert comparison.p[0, 1] > 0.99
    assert comparison.p[1, 0] < 0.01


def test_means_over_pairs_are_tested_from_the_permutations_of_each():
    parts = [run("acc-eq"), run("acc-eq")]
    mean = average(parts, [1.0, 1.0])
    assert mean.observed == parts[0].observed
    assert mean.p[0, 1] <= parts[0].p[0, 1]
    assert average([run("pearson")], [1.0]) is None


def test_what_does_not_fit_is_said():
    with pytest.raises(ConfigError, match="Williams' test goes with correlations"):
        run("acc-eq", method="williams")
    with pytest.raises(ConfigError, match="'systems' goes with measures of systems"):
        run("acc-eq", method="systems")
    with pytest.raises(ConfigError, match="unknown test 'permboth' \\(did you mean 'perm-both'"):
        run("acc-eq", method="permboth")


def test_a_rank_ends_where_a_metric_is_worse_than_any_of_it():
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    p = np.full((4, 4), 0.5)
    p[0, 2] = 0.01
    p[2, 3] = 0.04
    comparison = run("acc-eq")
    comparison = type(comparison)("", ("a", "b", "c", "d"), p)
    assert cluster_ranks(values, comparison) == {"a": 1, "b": 1, "c": 2, "d": 3}
    assert cluster_ranks({**values, "b": float("nan")}, comparison) == {"a": 1, "c": 2, "d": 3}
