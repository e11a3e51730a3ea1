"""Test the significance tests of differences between systems."""

from __future__ import annotations

import numpy as np
import pytest

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.scoring.formula import compute
from meteor_e.scoring.statistics import Statistics, StatisticsSum
from meteor_e.significance import resampling
from meteor_e.significance.resampling import draw_exchanges, draw_weight_blocks, draw_weights
from meteor_e.significance.systems import compare_pairs, compare_systems, meteor_scorer, meteor_statistics


def compute_means(sums):
    """Return the mean score of each row. The columns are the sum of the scores and the number of segments."""
    return sums[:, 0] / sums[:, 1]


def make_statistics(scores):
    """Return the statistics of a system. Each row has the score of a segment and the number 1."""
    return np.stack([scores, np.ones(len(scores))], axis=1)


RNG = np.random.default_rng(11)
BASE = RNG.normal(size=200)
CLOSE = BASE + RNG.normal(size=200) * 0.5
BETTER = BASE + RNG.normal(size=200) * 0.5 + 0.2


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_compare_systems_finds_only_true_differences(method):
    systems = {
        "base": make_statistics(BASE),
        "same": make_statistics(BASE),
        "close": make_statistics(CLOSE),
        "better": make_statistics(BETTER),
    }
    base, same, close, better = compare_systems(systems, compute_means, method=method)
    assert base.p is None
    assert base.difference is None
    assert same.p == 1.0
    assert same.difference == 0
    assert close.p > 0.05
    assert better.p < 0.01
    assert better.difference == pytest.approx(BETTER.mean() - BASE.mean())
    assert better.interval.low < better.score < better.interval.high
    assert better.difference_interval.low > 0


def test_confidence_interval_approximates_the_normal_interval():
    (result,) = compare_systems({"base": make_statistics(BASE)}, compute_means, interval_samples=5000)
    standard_error = BASE.std() / np.sqrt(200)
    assert result.interval.low == pytest.approx(BASE.mean() - 1.96 * standard_error, abs=0.02)
    assert result.interval.high == pytest.approx(BASE.mean() + 1.96 * standard_error, abs=0.02)


def test_compare_systems_depends_on_the_seed_only():
    systems = {"base": make_statistics(BASE), "close": make_statistics(CLOSE)}
    assert compare_systems(systems, compute_means, seed=3) == compare_systems(systems, compute_means, seed=3)
    assert compare_systems(systems, compute_means, seed=3) != compare_systems(systems, compute_means, seed=4)


@pytest.mark.parametrize(
    ("systems", "method", "error", "message"),
    [
        ({"a": np.ones((2, 2)), "b": np.ones((3, 2))}, "randomization", InputError, "b has 3 segments, but a has 2"),
        ({}, "randomization", InputError, "no systems"),
        ({"a": np.ones((0, 2))}, "randomization", InputError, "a has no segments"),
        ({"a": np.ones((2, 2))}, "t", ConfigError, "unknown significance test 't'"),
    ],
)
def test_compare_systems_rejects_invalid_systems_and_methods(systems, method, error, message):
    with pytest.raises(error, match=message):
        compare_systems(systems, compute_means, method=method)


def test_meteor_scorer_equals_the_corpus_score():
    parameters = Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6))
    segments = [
        Statistics.from_vector(row)
        for row in ([5, 6, 2, 3, 2, 2, 1, 1, 0, 0, 1, 1, 2, 4, 4], [3, 3, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1, 3, 3])
    ]
    total = StatisticsSum(2)
    for statistics in segments:
        total.add(statistics)
    (result,) = compare_systems({"a": meteor_statistics(segments)}, meteor_scorer(parameters), samples=10)
    assert result.score == pytest.approx(compute(total.total, parameters).score, rel=1e-12)


@pytest.mark.parametrize(("method", "test_type"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_p_values_agree_with_sacrebleu(method, test_type, monkeypatch):
    sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="needs the extra 'metrics'")
    from sacrebleu.significance import PairedTest

    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    rng = np.random.default_rng(1)
    vocabulary = list("abcdefghijklmnop")
    references = [" ".join(rng.choice(vocabulary, 12)) for _ in range(150)]

    def translate(error_rate):
        """Return the references with some random substitutions of words."""
        translations = []
        for reference in references:
            words = [word if rng.random() > error_rate else rng.choice(vocabulary) for word in reference.split()]
            translations.append(" ".join(words))
        return translations

    systems = [("base", translate(0.35)), ("near", translate(0.33)), ("far", translate(0.25))]
    metric = sacrebleu.BLEU(force=True)
    _, sacrebleu_results = PairedTest(systems, {"BLEU": metric}, [references], test_type=test_type, n_samples=1000)()
    statistics = {
        name: np.array(metric._extract_corpus_statistics(translations, [references]), float)
        for name, translations in systems
    }

    def compute_bleu(sums):
        return np.array([metric._compute_score_from_stats(row.tolist()).score for row in sums])

    results = compare_systems(statistics, compute_bleu, method=method, samples=1000)
    for result, sacrebleu_result in zip(results, sacrebleu_results["BLEU"], strict=True):
        assert result.score == pytest.approx(sacrebleu_result.score)
        if sacrebleu_result.p_value is not None:
            assert result.p == pytest.approx(sacrebleu_result.p_value, abs=0.05)
    assert results[2].p < 0.01


@pytest.mark.parametrize("scale", [1, 0.1, 1 << 20], ids=["float32", "fractions", "large"])
def test_randomization_equals_its_definition(scale):
    rng = np.random.default_rng(5)
    systems = [make_statistics(rng.integers(10, size=60) * scale) for _ in range(3)]
    tests = compare_pairs(dict(zip("abc", systems, strict=True)), compute_means, samples=300, seed=7)
    # A sample swaps the two systems in the segments whose sign is true.
    is_swapped = np.concatenate(list(draw_exchanges(60, 300, 7)))[..., None]
    for first, second in [(0, 1), (0, 2), (1, 2)]:
        first_score = compute_means(systems[first].sum(axis=0)[None])[0]
        second_score = compute_means(systems[second].sum(axis=0)[None])[0]
        observed_difference = abs(second_score - first_score)
        first_sums = np.where(is_swapped, systems[second], systems[first]).sum(axis=1)
        second_sums = np.where(is_swapped, systems[first], systems[second]).sum(axis=1)
        differences = np.abs(compute_means(first_sums) - compute_means(second_sums))
        extreme_count = int((differences >= observed_difference - 1e-12).sum())
        assert tests[first][second - first].p == (extreme_count + 1) / 301


def test_draw_weight_blocks_returns_the_samples_in_blocks(monkeypatch):
    weights = draw_weights(50, 100, seed=3)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 17 * 50)
    blocks = list(draw_weight_blocks(50, 100, seed=3))
    assert [len(block) for block in blocks] == [17, 17, 17, 17, 17, 15]
    assert np.array_equal(np.concatenate(blocks), weights)
    assert (weights.sum(axis=1) == 50).all()
