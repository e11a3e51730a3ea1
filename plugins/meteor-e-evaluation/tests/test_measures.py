"""Tests of the measures against values of mt-metrics-eval, and against plain definitions on small arrays."""

from __future__ import annotations

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.correlation import williams
from meteor_e_evaluation.groups import pairwise_accuracy_with_ties
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.measures import measure, measure_names
from meteor_e_evaluation.system_measures import mad_outliers
from scipy import stats

from meteor_e.api.metrics import Scores
from meteor_e.base.errors import ConfigError
from meteor_e.plugins.registry import plugin_registry


def make_test_set(human, outliers=()):
    """Make a test set with the human scores of an array ``(systems, segments)``, where NaN is a missing rating."""
    systems, segments = np.nonzero(~np.isnan(human))
    blank = [""] * human.shape[1]
    return TestSet(
        name="made",
        pair="cs-en",
        language="en",
        systems=tuple(f"s{number}" for number in range(len(human))),
        outputs=tuple([blank] * len(human)),
        references=(blank,),
        assessments=Assessments(segments, systems, human[systems, segments]),
        outliers=outliers,
    )


def make_scores(metric, name="m"):
    """Make the scores of a metric from an array ``(systems, segments)``."""
    return Scores(name, name, metric, metric.mean(axis=1))


MTME_NAMES = {
    "pearson_none": "pearson",
    "spearman_none": "spearman",
    "kendall_b_none": "kendall",
    "acc23_none": "acc",
    **{
        f"{mtme_name}_{by}": f"{name}-{by}"
        for mtme_name, name in (
            ("pearson", "pearson"),
            ("spearman", "spearman"),
            ("kendall_b", "kendall"),
            ("acc23", "acc"),
        )
        for by in ("item", "sys")
    },
    "acc_eq_item": "acc-eq",
    "kendall_like_item_0.5": "darr:threshold=0.5",
    "kendall_like_item_25": "darr",
    "system_pearson": "system-pearson",
    "system_spearman": "system-spearman",
    "system_kendall_b": "system-kendall",
    "spa": "spa",
}
"""Names of the measures by the names of mt-metrics-eval."""


@pytest.mark.shared
def test_measures_equal_those_of_mt_metrics_eval(shared):
    golden = json.loads((shared / "golden" / "mtme" / "mtme.json").read_text(encoding="utf-8"))
    n_comparisons = 0
    for case in golden["cases"]:
        human, metric = np.array(case["human"], float), np.array(case["metric"], float)
        test_set, scores = make_test_set(human), make_scores(metric)
        for mtme_name, name in MTME_NAMES.items():
            if mtme_name in case["expected"]:
                value, expected = measure(name).value(test_set, scores), case["expected"][mtme_name]
                if mtme_name == "kendall_like_item_25" and not len(measure(name).rankings(test_set)):
                    # If no pair differs enough, mt-metrics-eval returns 0, but the measure is undefined here.
                    assert (expected, math.isnan(value)) == (0, True)
                    continue
                assert value == pytest.approx(expected, abs=0.01 if name == "spa" else 1e-9), (case["name"], mtme_name)
                n_comparisons += 1
        n_agreements, n_pairs = case["expected"]["system_agreement"]
        assert measure("system-accuracy").value(test_set, scores) == pytest.approx(n_agreements / n_pairs)
    assert n_comparisons > 150
    for case in golden["williams"]:
        result = williams(case["r12"], case["r13"], case["r23"], case["n"])
        assert result.p == pytest.approx(case["p_one_sided"], abs=1e-9)


RANDOM = np.random.default_rng(5)
HUMAN = np.round(RANDOM.normal(size=(5, 30)), 1)
METRIC = np.round(HUMAN + RANDOM.normal(size=(5, 30)), 1)
HUMAN[RANDOM.random((5, 30)) < 0.2] = np.nan


def make_groups(by):
    """Return the metric scores and human scores of each group: of all cells, of each system, or of each segment."""
    cells = ~np.isnan(HUMAN)
    if by == "none":
        return [(METRIC[cells], HUMAN[cells])]
    if by == "sys":
        return [(METRIC[row][cells[row]], HUMAN[row][cells[row]]) for row in range(5)]
    return [(METRIC[:, segment][cells[:, segment]], HUMAN[:, segment][cells[:, segment]]) for segment in range(30)]


def compute_accuracy(metric, human):
    """Return the pairwise accuracy by its definition."""
    pairs = list(itertools.combinations(range(len(human)), 2))
    n_correct = sum(np.sign(metric[a] - metric[b]) == np.sign(human[a] - human[b]) for a, b in pairs)
    return n_correct / len(pairs) if pairs else math.nan


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall", "acc"])
@pytest.mark.parametrize("by", ["none", "item", "sys"])
def test_grouped_measures_equal_their_definition(kind, by):
    functions = {
        "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
        "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
        "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
        "acc": compute_accuracy,
    }

    def is_defined(x, y):
        """Return whether the measure is defined for a group. Correlations are undefined for constant scores."""
        return len(x) > 1 and (kind == "acc" or (np.ptp(x) and np.ptp(y)))

    values = [functions[kind](x, y) for x, y in make_groups(by) if is_defined(x, y)]
    name = kind if by == "none" else f"{kind}-{by}"
    value = measure(name).value(make_test_set(HUMAN), make_scores(METRIC))
    assert value == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "human"),
    [([1, 1, 1], [1, 2, 2]), ([1, 2, 3], [1, 1, 1]), ([1, 1], [2, 2])],
    ids=["constant metric", "constant human", "constant both"],
)
def test_accuracy_with_ties_handles_constant_scores(metric, human):
    accuracy = pairwise_accuracy_with_ties(np.array(metric, float), np.array(human, float))
    assert accuracy == compute_accuracy(metric, human)


def test_soft_accuracy_is_one_for_the_human_scores():
    human = RANDOM.normal(size=(4, 50))
    assert measure("spa").value(make_test_set(human), make_scores(human)) == 1.0
    reverse_value = measure("spa").value(make_test_set(human), make_scores(-human))
    assert reverse_value < 0.9


def test_relative_rankings_include_the_threshold():
    human = np.array([[0.0, 50.0], [25.0, 60.0], [60.0, 60.0]])
    test_set = make_test_set(human)
    assert [len(measure(f"darr:threshold={t}").rankings(test_set)) for t in (0, 10, 25, 26)] == [5, 5, 3, 2]
    with pytest.raises(ConfigError, match=r"'darr': treshold: unknown option .did you mean 'threshold'"):
        measure("darr:treshold=1")
    with pytest.raises(ConfigError, match="threshold: must be a number, at least 0, not 'x'"):
        measure("darr:threshold=x")
    with pytest.raises(ConfigError, match="'pearson' has no option"):
        measure("pearson:threshold=1")


def test_system_accuracy_counts_human_ties():
    human = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
    metric = np.array([[1.0, 1.0], [3.0, 3.0], [4.0, 4.0]])
    assert measure("system-accuracy").value(make_test_set(human), make_scores(metric)) == pytest.approx(2 / 3)


def test_system_measures_exclude_outliers():
    human = np.array([[10.0, 10], [11, 11], [12, 12], [13, 13], [-90, -90]])
    metric = np.array([[4.0, 4], [3, 3], [2, 2], [1, 1], [-9, -9]])
    assert mad_outliers(make_test_set(human)) == ("s4",)
    scores = make_scores(metric)
    assert measure("system-pearson").value(make_test_set(human), scores) > 0.8
    set_with_outlier = make_test_set(human, outliers=("s4",))
    assert measure("system-pearson").value(set_with_outlier, scores) == pytest.approx(-1)
    assert measure("spa").value(set_with_outlier, scores) < 0.6


def test_comparisons_are_between_different_systems():
    ratings = Assessments(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([1.0, 3.0, 2.0]))
    rankings = ratings.comparisons
    assert (rankings.better.tolist(), rankings.worse.tolist()) == ([1, 0], [0, 1])
    mean = ratings.average_repeated()
    assert (mean.scores.tolist(), mean.systems.tolist()) == ([2.0, 2.0], [0, 1])
    assert len(mean.comparisons) == 1


def test_comparisons_are_empty_without_assessments():
    no_indices = np.array([], int)
    rankings = Assessments(no_indices, no_indices, no_indices.astype(float)).comparisons
    assert isinstance(rankings, Rankings)
    assert len(rankings) == 0


def test_measures_can_be_pickled():
    for name in measure_names():
        default_measure = plugin_registry().measures.get(name).make()
        unpickled = pickle.loads(pickle.dumps(default_measure))
        assert type(unpickled) is type(default_measure)
        assert unpickled.name == name
        assert unpickled.options == default_measure.options
    measure_with_option = pickle.loads(pickle.dumps(measure("darr:threshold=10")))
    assert measure_with_option.name == "darr:threshold=10"
    assert measure_with_option.title == "τ daRR (threshold=10)"
    assert measure_with_option.options.threshold == 10.0
    for invalid_name in ("darr:threshold=-1", "darr:threshold=.nan", "spa:seed=1.5", "spa:seed", "pearson:kind=x"):
        with pytest.raises(ConfigError, match=invalid_name.partition(":")[0]):
            measure(invalid_name)
