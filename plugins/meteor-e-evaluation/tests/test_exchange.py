"""Exchanges by products of matrices are what asking the measure for each sample gives."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation import exchange as exchanges
from meteor_e_evaluation.comparison import _masks
from meteor_e_evaluation.exchange import one_by_one
from meteor_e_evaluation.judgements import Assessments
from meteor_e_evaluation.measures import MEASURES, measure
from test_measures import make_set

PAIRS = [(0, 1), (0, 2), (1, 2)]
COUNTED = ["spearman", "kendall-c", "kendall", "acc", "spearman-sys", "kendall-sys", "acc-sys"]
"""Measures whose segments the extension counts; without it, each sample is asked."""


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
    whole = method == "systems" and name.endswith("-sys")
    counted = name in COUNTED and not whole
    assert (quick is None) == ((name, method) == ("acc-eq", "perm-both") or (counted and exchanges._native is None))
    if quick is None:
        return
    slow = one_by_one(values, masks, exchanged, chosen.agreement(test), means=of_systems)
    expected, found = differences(slow, 30), differences(quick, 30)
    for pair in PAIRS:
        assert not np.isnan(expected[pair]).all()
        np.testing.assert_allclose(found[pair], expected[pair], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["pearson", *(COUNTED[:2] if exchanges._native else ())])
def test_several_ratings_of_a_score_count_each(name):
    test, values = made("ties")
    random = np.random.default_rng(0)
    systems, segments = random.integers(7, size=300), random.integers(50, size=300)
    given = Assessments(segments, systems, random.normal(size=300))
    vars(test)["assessments"] = given
    masks = _masks(values.shape[1:], "paired", (), 20, [1])
    chosen = measure(name)
    expected = differences(one_by_one(values, masks, "segments", chosen.agreement(test)), 20)
    found = differences(chosen.exchange(test, values, masks, "segments"), 20)
    for pair in PAIRS:
        np.testing.assert_allclose(found[pair], expected[pair], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", COUNTED)
def test_without_the_extension_every_sample_is_asked(name, monkeypatch):
    monkeypatch.setattr(exchanges, "_native", None)
    test, values = made("ties")
    masks = _masks(values.shape[1:], "paired", (), 3, [1])
    assert measure(name).exchange(test, values, masks, "segments") is None


@pytest.mark.skipif(exchanges._native is None, reason="without the extension")
class TestExtension:
    """What the extension counts, beside what scipy and a loop say."""

    def given(self, random, ratings, units, samples):
        scores = random.integers(ratings, size=2 * ratings)
        order = np.argsort(scores).astype(np.int32)
        fresh = np.r_[True, np.diff(scores[order]) != 0].view(np.uint8)
        unit = random.integers(units, size=ratings).astype(np.int32)
        return scores, order, fresh, unit, random.integers(2, size=(units, samples), dtype=np.uint8)

    @pytest.mark.parametrize("ratings", [1, 2, 40, 70_000])
    def test_ranks(self, ratings):
        """With more than 2^16 scores counts take more space."""
        stats = pytest.importorskip("scipy.stats")
        random = np.random.default_rng(ratings)
        scores, order, fresh, unit, masks = self.given(random, ratings, 7, 67)
        levels = random.integers(5, size=ratings).astype(np.int32)
        order = np.lexsort((np.tile(levels, 2), scores)).astype(np.int32)
        counts = exchanges._native.kendall(order, fresh, unit, masks, levels, 5)
        half = random.integers(-ratings, ratings, size=ratings // 2)
        weights = np.r_[half, -half, np.zeros(ratings % 2)].astype(np.int32)
        sums = exchanges._native.spearman(order, fresh, unit, masks, weights)
        for sample in (0, 31, 66):
            moved = masks[unit, sample] > 0
            own = np.where(moved, scores[ratings:], scores[:ratings])
            ranks, sizes = stats.rankdata(own), np.unique(own, return_counts=True)[1].astype(float)
            assert sums[sample].tolist() == [2 * (weights @ ranks), (sizes**3 - sizes).sum()]
            both = np.unique(np.stack([own, levels]), axis=1, return_counts=True)[1]
            ties, alike = ((each * (each - 1) // 2).sum() for each in (sizes, both))
            of_levels = np.bincount(levels)
            human = (of_levels * (of_levels - 1) // 2).sum()
            pairs = ratings * (ratings - 1) // 2
            assert counts[sample, 1:].tolist() == [ties, alike, len(sizes)]
            if len(sizes) > 1 and human < pairs:
                tau = (2 * counts[sample, 0] - (pairs - ties - human + alike)) / np.sqrt(
                    (pairs - ties) * float(pairs - human)
                )
                assert tau == pytest.approx(stats.kendalltau(own, levels).statistic, abs=1e-12)

    def test_arrays_that_do_not_fit(self):
        _, order, fresh, unit, masks = self.given(np.random.default_rng(0), 10, 3, 4)
        levels = np.zeros(10, np.int32)
        good = [order, fresh, unit, masks, levels]
        exchanges._native.kendall(*good, 1)
        for place, wrong in enumerate([order[1:], fresh[1:], unit[1:], masks[:1], levels[1:]]):
            arrays = [*good[:place], wrong, *good[place + 1 :]]
            with pytest.raises(ValueError, match=r"fit|range"):
                exchanges._native.kendall(*arrays, 1)
            with pytest.raises(ValueError, match=r"fit|range"):
                exchanges._native.spearman(*arrays)
        for place in (0, 2, 4):
            for number in (-(1 << 24), 1 << 24):
                arrays = [each.copy() for each in good]
                arrays[place][3] = number
                with pytest.raises(ValueError, match=r"fit|range"):
                    exchanges._native.kendall(*arrays, 1)
                with pytest.raises(ValueError, match=r"fit|range"):
                    exchanges._native.spearman(*arrays)
        with pytest.raises(TypeError):
            exchanges._native.kendall(order.astype(np.int64), fresh, unit, masks, levels, 1)
