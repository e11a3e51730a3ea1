"""Tests of system scores of learned models: shares of won decisions, and means that an estimator defines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train

from meteor_e import load_metric
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.cli.score import score
from meteor_e.metrics.translations import score_test_set

PAIRWISE = """
name: small-network
estimator: pairwise-network
train: [{index: DATA/ranked.yaml}]
features: [bleu, chrf]
vectors: [{use: word-vectors, file: DATA/words.txt}]
options: {epochs: 3, skip_start: logistic}
"""


@pytest.fixture
def network(recipe, tmp_path):
    """Train a pairwise network, and return the path of the model."""
    path = tmp_path / "net.safetensors"
    train(load_recipe(recipe(PAIRWISE)), path, folder=tmp_path, store=FeatureStore(tmp_path / "features"))
    return path


def run_score(*arguments, code=0):
    """Run ``meteor-e score``, check its exit code, and return its output."""
    result = CliRunner().invoke(score, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_score_command_shows_shares_of_won_decisions(network, test_set):
    files = [test_set / f"out.{name}" for name in ("good", "fair", "poor")]
    document = json.loads(run_score(*files, test_set / "ref.en", "-M", network, "-f", "json", "--segments"))
    shares = [system["scores"]["small-network"]["score"] for system in document["systems"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.5)  # Each of the three systems takes part in two comparisons.
    win_rates = [system["scores"]["small-network"]["details"]["win_rates"] for system in document["systems"]]
    names = [system["system"] for system in document["systems"]]
    for row, shares_of_system in enumerate(win_rates):
        assert set(shares_of_system) == {*names} - {names[row]}
        assert shares[row] == pytest.approx(np.mean([*shares_of_system.values()]))
        for opponent, share in shares_of_system.items():
            assert share + win_rates[names.index(opponent)][names[row]] == pytest.approx(1)
    segments = [system["segments"] for system in document["systems"]]
    assert [len(system_segments) for system_segments in segments] == [60, 60, 60]
    decisions = [segment["scores"]["small-network"]["details"]["decisions"] for segment in segments[0]]
    assert {decision for by_system in decisions for decision in by_system.values()} <= {-1, 0, 1}
    won_share = np.mean([(by_system[names[1]] + 1) / 2 for by_system in decisions])
    assert won_share == pytest.approx(win_rates[0][names[1]])
    text = run_score(*files, test_set / "ref.en", "-M", network, "--segments")
    assert f"{shares[0]:.4f}" in text


def test_score_command_ignores_the_order_of_systems(network, test_set):
    files = [test_set / f"out.{name}" for name in ("good", "poor")]
    first, second = (
        [line.split()[-2] for line in run_score(*order, test_set / "ref.en", "-M", network).splitlines()[1:3]]
        for order in (files, files[::-1])
    )
    assert first == second[::-1]


def test_compare_returns_shares_and_decisions(network, test_set):
    outputs = {name: (test_set / f"out.{name}").read_text("utf-8").splitlines() for name in ("good", "poor")}
    references = (test_set / "ref.en").read_text("utf-8").splitlines()
    metric = load_metric(f"model:{network}")
    comparison = metric.compare(outputs, references)
    assert comparison.systems == ("good", "poor")
    assert comparison.shares[0] > 0.8
    assert comparison.shares_by_pair()["good"]["poor"] == pytest.approx(comparison.shares[0])
    assert (comparison.decisions[0, 1] == -comparison.decisions[1, 0]).all()
    equal_comparison = metric.compare({"a": references[:2], "b": references[:2]}, references[:2])
    assert equal_comparison.shares.tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match="decides between systems; give two or more"):
        metric.compare({"good": outputs["good"]}, references)
    with pytest.raises(InputError, match="poor has 1 segments, and there are 60 references"):
        metric.compare({"good": outputs["good"], "poor": ["a"]}, references)
    with pytest.raises(ConfigError, match="decide between two or more systems"):
        metric.corpus(["a"], ["a"])


def test_score_command_rejects_one_system_and_significance(network, test_set):
    arguments = [test_set / "out.good", test_set / "ref.en", "-M", network]
    with pytest.raises(InputError, match="give two or more"):
        run_score(*arguments)
    with pytest.raises(ConfigError, match="--significance cannot test metric"):
        run_score(test_set / "out.poor", *arguments, "--significance")


@pytest.mark.parametrize("mean", ["harmonic", "median"])
def test_system_score_is_equal_in_score_corpus_and_evaluate(mean, recipe, test_set, tmp_path):
    """If an estimator defines the mean of segments, ``score``, ``corpus`` and ``evaluate`` use it."""
    path = recipe(
        "name: own\nestimator: usaar-cosine\ntrain: [{index: DATA/ranked.yaml}]\n"
        f"features: [{{use: document-cosine, file: DATA/words.txt}}]\noptions: {{mean: {mean}}}\n"
    )
    model = tmp_path / "own.safetensors"
    train(load_recipe(path), model, folder=tmp_path, store=FeatureStore(enabled=False))
    document = json.loads(run_score(test_set / "out.fair", test_set / "ref.en", "-M", model, "-f", "json"))
    command_score = document["systems"][0]["scores"]["own"]["score"]
    metric = load_metric(f"model:{model}")
    hypotheses = (test_set / "out.fair").read_text("utf-8").splitlines()
    references = (test_set / "ref.en").read_text("utf-8").splitlines()
    corpus = metric.corpus(hypotheses, references, segments=True)
    test_data = load_test_set(load_index(test_set / "ranked.yaml"), "xx-en")
    evaluation = score_test_set(
        load_metric(f"model:{model}"),
        test_data,
        test_data.judgment_mask(),
        ArrayCache(tmp_path / "evaluation"),
        systems=True,
    )
    assert command_score == corpus.score == evaluation.systems[test_data.systems.index("fair")]
    arithmetic_mean = np.mean([segment.score for segment in corpus.segments])
    assert command_score != pytest.approx(arithmetic_mean, abs=1e-4)
    with pytest.raises(ConfigError, match="its score of a system is not the mean of the scores"):
        run_score(test_set / "out.good", test_set / "out.fair", test_set / "ref.en", "-M", model, "--significance")
