"""Exchanges by products of matrices are what asking the measure for each sample gives."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.comparison import draw_masks, make_one_by_one_comparer
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.measures import MEASURES, measure
from test_measures import make_set

PAIRS = [(0, 1), (0, 2), (1, 2)]
QUICK = {
    "paired": set(MEASURES) - {"pearson-sys", "spa"},
    "systems": {name for name in MEASURES if name.endswith("-sys") or name.startswith("tau-")}
    | {"system-kendall", "system-accuracy", "system-accuracy-pooled"}
    | {"accuracy", "darr", "acc-eq", "pearson", "spearman", "kendall-c", "kendall", "acc", "spa"},
    "perm-both": {"pearson", "spearman", "kendall-c", "kendall", "acc", "spearman-sys", "kendall-sys", "acc-sys"},
}
"""Measures that are computed for all samples at once; others are asked for each sample."""


def made(kind):
    """Scores of people and of three metrics: with ties on both sides, without, with missing ratings."""
    random = np.random.default_rng(len(kind))
    human = random.normal(size=(7, 50)) + np.arange(7)[:, None] * 0.3
    values = human + random.normal(size=(3, *human.shape)) * np.array([1, 1.5, 3])[:, None, None]
    if kind != "smooth":
        human, values = np.round(human), np.round(values * 2) / 2
    if kind == "ties and gaps":
        # The same text by two systems; a segment that says nothing; cells, a segment and a system without ratings.
        values[:, 2, :20] = values[:, 4, :20]
        values[:, :, 7] = 1.0
        human[random.random(human.shape) < 0.2] = np.nan
        human[:, 3] = human[1] = np.nan
        human[1:, 4] = np.nan
    return make_set(human), values


@pytest.mark.parametrize("kind", ["smooth", "ties", "ties and gaps"])
@pytest.mark.parametrize("method", ["paired", "systems", "perm-both"])
@pytest.mark.parametrize("name", list(MEASURES))
def test_exchange_equals_evaluation_one_by_one(name, method, kind, monkeypatch):
    monkeypatch.setattr("meteor_e_evaluation.exchange.BLOCK", 1 << 20)
    chosen = measure("darr:threshold=1" if name == "darr" else name)
    of_systems = chosen.takes == "systems"
    # Means in steps are equal but for rounding, which makes ranks of systems a matter of chance.
    test, values = made("smooth" if of_systems else kind)
    masks = draw_masks(values.shape[1:], method, (), 10, [1])
    unit = {"paired": "segments", "perm-both": "scores"}.get(method, method)
    if of_systems and method == "systems":
        values = values.mean(axis=2)
    quick = chosen.exchange(test, values, masks, unit)
    assert (quick is not None) == (name in QUICK[method] and (method == "systems" or not of_systems))
    if quick is None:
        return
    slow = make_one_by_one_comparer(values, masks, unit, chosen.agreement(test))
    for pair in PAIRS:
        expected = slow(*pair)
        assert not np.isnan(expected).all()
        np.testing.assert_allclose(quick(*pair), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-c"])
def test_exchange_counts_each_of_several_ratings(name):
    test, values = made("ties")
    random = np.random.default_rng(0)
    systems, segments = random.integers(7, size=300), random.integers(50, size=300)
    vars(test)["assessments"] = Assessments(segments, systems, random.normal(size=300))
    masks = draw_masks(values.shape[1:], "paired", (), 20, [1])
    chosen = measure(name)
    for pair in PAIRS:
        expected = make_one_by_one_comparer(values, masks, "segments", chosen.agreement(test))(*pair)
        np.testing.assert_allclose(
            chosen.exchange(test, values, masks, "segments")(*pair), expected, rtol=0, atol=1e-12
        )
