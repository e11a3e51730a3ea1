from __future__ import annotations

import numpy as np
import pytest

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.scoring.formula import compute
from meteor_e.scoring.statistics import Statistics, StatisticsSum
from meteor_e.significance import resampling
from meteor_e.significance.resampling import draw_weight_blocks, draw_weights, random_signs
from meteor_e.significance.systems import compare_pairs, compare_systems, meteor_scorer, meteor_statistics


def mean(sums):
    return sums[:, 0] / sums[:, 1]


def system(values):
    return np.stack([values, np.ones(len(values))], axis=1)


RANDOM = np.random.default_rng(11)
BASE = RANDOM.normal(size=200)
CLOSE = BASE + RANDOM.normal(size=200) * 0.5
BETTER = BASE + RANDOM.normal(size=200) * 0.5 + 0.2


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_finds_what_differs_and_not_what_is_equal(method):
    systems = {"base": system(BASE), "same": system(BASE), "close": system(CLOSE), "better": system(BETTER)}
    base, same, close, better = compare_systems(systems, mean, method=method)
    assert base.p is None
    assert base.difference is None
    assert same.p == 1.0
    assert same.difference == 0
    assert close.p > 0.05
    assert better.p < 0.01
    assert better.difference == pytest.approx(BETTER.mean() - BASE.mean())
    assert better.interval.low < better.score < better.interval.high
    assert better.difference_interval.low > 0


def test_interval_is_that_of_the_mean():
    (result,) = compare_systems({"base": system(BASE)}, mean, interval_samples=5000)
    error = BASE.std() / np.sqrt(200)
    assert result.interval.low == pytest.approx(BASE.mean() - 1.96 * error, abs=0.02)
    assert result.interval.high == pytest.approx(BASE.mean() + 1.96 * error, abs=0.02)


def test_seed_determines_the_result():
    systems = {"base": system(BASE), "close": system(CLOSE)}
    assert compare_systems(systems, mean, seed=3) == compare_systems(systems, mean, seed=3)
    assert compare_systems(systems, mean, seed=3) != compare_systems(systems, mean, seed=4)


@pytest.mark.parametrize(
    ("systems", "method", "error", "message"),
    [
        ({"a": np.ones((2, 2)), "b": np.ones((3, 2))}, "randomization", InputError, "b has 3 segments, but a has 2"),
        ({}, "randomization", InputError, "no systems"),
        ({"a": np.ones((0, 2))}, "randomization", InputError, "a has no segments"),
        ({"a": np.ones((2, 2))}, "t", ConfigError, "unknown significance test 't'"),
    ],
)
def test_incomparable_systems_are_refused(systems, method, error, message):
    with pytest.raises(error, match=message):
        compare_systems(systems, mean, method=method)


def test_meteor_on_sums_is_meteor_of_the_corpus():
    parameters = Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6))
    segments = [
        Statistics.from_vector(row)
        for row in ([5, 6, 2, 3, 2, 2, 1, 1, 0, 0, 1, 1, 2, 4, 4], [3, 3, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1, 3, 3])
    ]
    total = StatisticsSum(2)
    for segment in segments:
        total.add(segment)
    (result,) = compare_systems({"a": meteor_statistics(segments)}, meteor_scorer(parameters), samples=10)
    assert result.score == pytest.approx(compute(total.total, parameters).score, rel=1e-12)


@pytest.mark.parametrize(("method", "test_type"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_p_values_agree_with_sacrebleus(method, test_type, monkeypatch):
    sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="needs the extra 'metrics'")
    from sacrebleu.significance import PairedTest

    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    random = np.random.default_rng(1)
    words = list("abcdefghijklmnop")
    references = [" ".join(random.choice(words, 12)) for _ in range(150)]

    def translate(error):
        return [" ".join(w if random.random() > error else random.choice(words) for w in r.split()) for r in references]

    named = [("base", translate(0.35)), ("near", translate(0.33)), ("far", translate(0.25))]
    metric = sacrebleu.BLEU(force=True)
    _, theirs = PairedTest(named, {"BLEU": metric}, [references], test_type=test_type, n_samples=1000)()
    statistics = {name: np.array(metric._extract_corpus_statistics(text, [references]), float) for name, text in named}

    def bleu(sums):
        return np.array([metric._compute_score_from_stats(row.tolist()).score for row in sums])

    ours = compare_systems(statistics, bleu, method=method, samples=1000)
    for mine, other in zip(ours, theirs["BLEU"], strict=True):
        assert mine.score == pytest.approx(other.score)
        if other.p_value is not None:
            assert mine.p == pytest.approx(other.p_value, abs=0.05)
    assert ours[2].p < 0.01


@pytest.mark.parametrize("scale", [1, 0.1, 1 << 20], ids=["float32", "fractions", "large"])
def test_randomization_equals_its_definition(scale):
    random = np.random.default_rng(5)
    rows = [np.stack([random.integers(10, size=60) * scale, np.ones(60)], axis=1) for _ in range(3)]
    tests = compare_pairs(dict(zip("abc", rows, strict=True)), mean, samples=300, seed=7)
    signs = np.concatenate(list(random_signs(60, 300, 7)))
    for first, second in [(0, 1), (0, 2), (1, 2)]:
        observed = abs(mean(rows[second].sum(axis=0)[None])[0] - mean(rows[first].sum(axis=0)[None])[0])
        exchanged = np.where(signs[..., None], rows[second], rows[first]).sum(axis=1)
        remaining = np.where(signs[..., None], rows[first], rows[second]).sum(axis=1)
        extreme = int((np.abs(mean(exchanged) - mean(remaining)) >= observed - 1e-12).sum())
        assert tests[first][second - first].p == (extreme + 1) / 301


def test_weight_blocks_are_the_same_samples(monkeypatch):
    weights = draw_weights(50, 100, seed=3)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 17 * 50)
    blocks = list(draw_weight_blocks(50, 100, seed=3))
    assert [len(block) for block in blocks] == [17, 17, 17, 17, 17, 15]
    assert np.array_equal(np.concatenate(blocks), weights)
    assert (weights.sum(axis=1) == 50).all()
