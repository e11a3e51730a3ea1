"""Published figures on the shared tasks' own data, which stay outside the repository."""

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
    monkeypatch.setenv("METEOR_E_SHARED", str(shared))
    return lambda name: load_index(BENCHMARKS / f"{name}.yaml")


def published(index, metric, name):
    figures = (index.published.get(metric) or index.measured[metric])[name]
    return [(pair, value) for pair, value in figures.items() if pair != "mean"]


def test_wmt12_tau_to_the_printed_digit(load, packs):
    index = load("wmt12")
    concordant = pairs = 0
    for pair, expected in published(index, "METEOR", "tau-strict"):
        test = load_test_set(index, pair)
        scores = score_test_set(Meteor(test.language), test, test.judgment_mask(), ArrayCache(), systems=False)
        assert round(measure("tau-strict").value(test, scores), 4) == expected
        concordant += count_pairs(test.rankings.strict(), scores.segments).concordant
        pairs += len(test.rankings.strict())
        assert not check_scores(test, scores)
    assert (concordant, pairs) == (27_656, 44_345)


def test_wmt11_through_the_segment_map(load, packs):
    index = load("wmt11")
    for pair, expected in published(index, "METEOR", "tau-strict"):
        test = load_test_set(index, pair)
        scores = score_test_set(Meteor(test.language), test, test.judgment_mask(), ArrayCache(), systems=False)
        assert round(measure("tau-strict").value(test, scores), 4) == expected
        assert not any(line.startswith("warning") for line in check_test_set(test))


@pytest.mark.parametrize("metric", ["METEOR", "BLEU", "chrF"])
def test_wmt17_pearson(load, packs, metric):
    index = load("wmt17")
    for pair, expected in published(index, metric, "pearson"):
        test = load_test_set(index, pair)
        scores = score_test_set(load_metric(metric.lower()), test, test.judgment_mask(), ArrayCache(), systems=False)
        assert measure("pearson").value(test, scores) == pytest.approx(expected, abs=0.00051)


@pytest.mark.parametrize(("name", "count"), [("wmt13", 4), ("wmt21", 6), ("wmt24", 9), ("composite-30k", 1)])
def test_other_sets_load(load, name, count):
    index = load(name)
    assert len([load_test_set(index, pair) for pair in index.pairs]) == count


def test_kendall_c_of_captions(load, packs):
    (test,) = (load_test_set(index, pair) for index in [load("composite-30k")] for pair in index.pairs)
    assert (len(test), len(test.references)) == (2262, 5)
    scores = score_test_set(load_metric("meteor"), test, test.judgment_mask(), ArrayCache(), systems=False)
    assert measure("kendall-c").value(test, scores) == pytest.approx(0.3505, abs=0.00005)
