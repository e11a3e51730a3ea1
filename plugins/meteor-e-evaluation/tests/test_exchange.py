"""Tests that vectorized permutation tests equal evaluations of the measure on each sample."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.comparison import OneByOneComparer, compare, draw_masks, expand_masks
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.measures import MEASURES, measure
from meteor_e_evaluation.rank_exchange import RankCorrelationComparer
from test_measures import make_scores, make_test_set

PAIRS = [(0, 1), (0, 2), (1, 2)]
VECTORIZED = {
    "paired": set(MEASURES) - {"pearson-sys", "spa"},
    "systems": {name for name in MEASURES if name.endswith("-sys") or name.startswith("tau-")}
    | {"system-kendall", "system-accuracy", "system-accuracy-pooled"}
    | {"accuracy", "darr", "acc-eq", "pearson", "spearman", "kendall-c", "kendall", "acc", "spa"},
    "perm-both": {"pearson", "spearman", "kendall-c", "kendall", "acc", "spearman-sys", "kendall-sys", "acc-sys"},
}
"""The measures with a vectorized permutation test, by method. Other measures are evaluated on each sample."""


def make_ratings(kind):
    """Make human scores and the scores of three metrics, with or without ties and missing ratings."""
    random = np.random.default_rng(len(kind))
    human = random.normal(size=(7, 50)) + np.arange(7)[:, None] * 0.3
    values = human + random.normal(size=(3, *human.shape)) * np.array([1, 1.5, 3])[:, None, None]
    if kind != "smooth":
        human, values = np.round(human), np.round(values * 2) / 2
    if kind == "ties and gaps":
        # Two systems have equal outputs in 20 segments, and one segment has the same score for all systems.
        # Single ratings are missing, all ratings of a segment, all of a system, and all but one of another segment.
        values[:, 2, :20] = values[:, 4, :20]
        values[:, :, 7] = 1.0
        human[random.random(human.shape) < 0.2] = np.nan
        human[:, 3] = human[1] = np.nan
        human[1:, 4] = np.nan
    return make_test_set(human), values


@pytest.mark.parametrize("kind", ["smooth", "ties", "ties and gaps"])
@pytest.mark.parametrize("method", ["paired", "systems", "perm-both"])
@pytest.mark.parametrize("name", list(MEASURES))
def test_exchange_equals_evaluation_of_each_sample(name, method, kind, monkeypatch):
    monkeypatch.setattr("meteor_e_evaluation.exchange.BLOCK", 1 << 20)
    selected_measure = measure("darr:threshold=1" if name == "darr" else name)
    uses_system_scores = selected_measure.takes == "systems"
    # Means of rounded scores may differ by rounding errors only, which makes the ranks of systems arbitrary.
    test_set, values = make_ratings("smooth" if uses_system_scores else kind)
    masks = draw_masks(values.shape[1:], method, (), 10, [1])
    unit = {"paired": "segments", "perm-both": "scores"}.get(method, method)
    if uses_system_scores and method == "systems":
        values = values.mean(axis=2)
    compare_vectorized = selected_measure.exchange(test_set, values, masks, unit)
    assert (compare_vectorized is not None) == (
        name in VECTORIZED[method] and (method == "systems" or not uses_system_scores)
    )
    if compare_vectorized is None:
        return
    score_masks = expand_masks(masks, unit, values)
    compare_one_by_one = OneByOneComparer(values, score_masks, selected_measure.agreement(test_set))
    for pair in PAIRS:
        expected = compare_one_by_one(*pair)
        assert not np.isnan(expected).all()
        np.testing.assert_allclose(compare_vectorized(*pair), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-c"])
def test_exchange_counts_every_rating_of_a_segment(name):
    test_set, values = make_ratings("ties")
    random = np.random.default_rng(0)
    systems, segments = random.integers(7, size=300), random.integers(50, size=300)
    vars(test_set)["assessments"] = Assessments(segments, systems, random.normal(size=300))
    masks = draw_masks(values.shape[1:], "paired", (), 20, [1])
    selected_measure = measure(name)
    for pair in PAIRS:
        compare_vectorized = selected_measure.exchange(test_set, values, masks, "segments")
        score_masks = expand_masks(masks, "segments", values)
        compare_one_by_one = OneByOneComparer(values, score_masks, selected_measure.agreement(test_set))
        np.testing.assert_allclose(compare_vectorized(*pair), compare_one_by_one(*pair), rtol=0, atol=1e-12)


def test_rank_correlations_without_ratings_are_undefined():
    values = make_ratings("smooth")[1]
    masks = draw_masks(values.shape[1:], "paired", (), 3, [1])
    no_ratings = make_test_set(np.full(values.shape[1:], np.nan)).assessments
    compare_metrics = RankCorrelationComparer(values, [no_ratings], masks, "segments", "kendall")
    np.testing.assert_array_equal(compare_metrics(0, 1), np.full(4, np.nan))


@pytest.mark.parametrize("name", list(MEASURES))
def test_metrics_are_not_compared_without_ratings(name):
    values = make_ratings("smooth")[1]
    test_set = make_test_set(np.full(values.shape[1:], np.nan))
    scores = [make_scores(metric_values) for metric_values in values]
    assert compare(measure(name), test_set, scores, samples=3, seed=1) is None
