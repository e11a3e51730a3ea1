"""Exchanges by products of matrices are what asking the measure for each sample gives."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.comparison import _masks
from meteor_e_evaluation.exchange import one_by_one
from meteor_e_evaluation.judgements import Assessments
from meteor_e_evaluation.measures import MEASURES, measure
from test_measures import make_set

PAIRS = [(0, 1), (0, 2), (1, 2)]


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


def differences(exchange, samples):
    found = {pair: np.full(samples, np.nan) for pair in PAIRS}
    for pair, start, values in exchange(PAIRS):
        found[pair][start : start + len(values)] = values
    return found


@pytest.mark.parametrize("kind", ["smooth", "ties", "ties and gaps"])
@pytest.mark.parametrize("method", ["paired", "systems", "perm-both"])
@pytest.mark.parametrize("name", list(MEASURES))
def test_exchanges_are_what_the_measure_says(name, method, kind, monkeypatch):
    monkeypatch.setattr("meteor_e_evaluation.exchange.BLOCK", 10_000)
    chosen = measure("darr:threshold=1" if name == "darr" else name)
    # Means in steps are equal but for rounding, which makes ranks of systems a matter of chance.
    test, values = made("smooth" if chosen.takes == "systems" else kind)
    masks = _masks(values.shape[1:], method, (), 30, [1])
    exchanged = {"paired": "segments", "perm-both": "scores"}.get(method, method)
    of_systems = chosen.takes == "systems"
    if of_systems and method == "systems":
        assert chosen.exchange(test, values.mean(axis=2), masks, exchanged) is None
        return
    quick = chosen.exchange(test, values, masks, exchanged)
    pooled = name in ("spearman", "kendall-c", "kendall", "acc")
    assert (quick is None) == (pooled or (name, method) == ("acc-eq", "perm-both"))
    if quick is None:
        return
    slow = one_by_one(values, masks, exchanged, chosen.agreement(test), means=of_systems)
    expected, found = differences(slow, 30), differences(quick, 30)
    for pair in PAIRS:
        assert not np.isnan(expected[pair]).all()
        np.testing.assert_allclose(found[pair], expected[pair], rtol=0, atol=1e-12)


def test_several_ratings_of_a_score_count_each():
    test, values = made("ties")
    random = np.random.default_rng(0)
    systems, segments = random.integers(7, size=300), random.integers(50, size=300)
    given = Assessments(segments, systems, random.normal(size=300))
    vars(test)["assessments"] = given
    masks = _masks(values.shape[1:], "paired", (), 20, [1])
    chosen = measure("pearson")
    expected = differences(one_by_one(values, masks, "segments", chosen.agreement(test)), 20)
    found = differences(chosen.exchange(test, values, masks, "segments"), 20)
    for pair in PAIRS:
        np.testing.assert_allclose(found[pair], expected[pair], rtol=0, atol=1e-12)
