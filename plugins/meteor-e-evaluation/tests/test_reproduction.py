"""Reproduces published results on the data of shared tasks, which are not part of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.kendall import count_pairs
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.sanity import check_scores, check_test_set

from meteor_e import Meteor, load_metric
from meteor_e.base.array_cache import ArrayCache
from meteor_e.metrics.translations import score_test_set

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def load(shared, monkeypatch):
    """Return a function that loads the index of a benchmark by name."""
    monkeypatch.setenv("METEOR_E_SHARED", str(shared))
    return lambda name: load_index(BENCHMARKS / f"{name}.yaml")


def get_expected_values(index, metric, measure_name):
    """Return the published values by language pair or, if there are none, the recorded values."""
    values = (index.published.get(metric) or index.measured[metric])[measure_name]
    return [(pair, value) for pair, value in values.items() if pair != "mean"]


def test_tau_on_wmt12_equals_the_published_digits(load, packs):
    index = load("wmt12")
    n_concordant = n_pairs = 0
    for pair, expected in get_expected_values(index, "METEOR", "tau-strict"):
        test_set = load_test_set(index, pair)
        scores = score_test_set(
            Meteor(test_set.language), test_set, test_set.judgment_mask(), ArrayCache(), systems=False
        )
        assert round(measure("tau-strict").value(test_set, scores), 4) == expected
        n_concordant += count_pairs(test_set.rankings.strict(), scores.segments).concordant
        n_pairs += len(test_set.rankings.strict())
        assert not check_scores(test_set, scores)
    assert (n_concordant, n_pairs) == (27_656, 44_345)


def test_tau_on_wmt11_equals_the_published_digits(load, packs):
    index = load("wmt11")
    for pair, expected in get_expected_values(index, "METEOR", "tau-strict"):
        test_set = load_test_set(index, pair)
        scores = score_test_set(
            Meteor(test_set.language), test_set, test_set.judgment_mask(), ArrayCache(), systems=False
        )
        assert round(measure("tau-strict").value(test_set, scores), 4) == expected
        assert not any(line.startswith("warning") for line in check_test_set(test_set))


@pytest.mark.parametrize("metric", ["METEOR", "BLEU", "chrF"])
def test_pearson_on_wmt17_equals_the_published_digits(load, packs, metric):
    index = load("wmt17")
    for pair, expected in get_expected_values(index, metric, "pearson"):
        test_set = load_test_set(index, pair)
        scores = score_test_set(
            load_metric(metric.lower()), test_set, test_set.judgment_mask(), ArrayCache(), systems=False
        )
        assert measure("pearson").value(test_set, scores) == pytest.approx(expected, abs=0.00051)


@pytest.mark.parametrize(("name", "count"), [("wmt13", 4), ("wmt21", 6), ("wmt24", 9), ("composite-30k", 1)])
def test_load_test_set_loads_all_pairs_of_benchmarks(load, name, count):
    index = load(name)
    assert len([load_test_set(index, pair) for pair in index.pairs]) == count


def test_kendall_c_on_composite_equals_recorded_value(load, packs):
    index = load("composite-30k")
    (test_set,) = (load_test_set(index, pair) for pair in index.pairs)
    assert (len(test_set), len(test_set.references)) == (2262, 5)
    scores = score_test_set(load_metric("meteor"), test_set, test_set.judgment_mask(), ArrayCache(), systems=False)
    assert measure("kendall-c").value(test_set, scores) == pytest.approx(0.3505, abs=0.00005)
