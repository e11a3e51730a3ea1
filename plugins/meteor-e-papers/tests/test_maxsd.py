"""Tests of MaxSD: the cleaning of comparisons, both networks, and the training from a recipe."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from meteor_e_evaluation.cli.evaluate import evaluate
from meteor_e_learned import cli
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.models.texts import TextSamples
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train
from meteor_e_papers.comparisons import Comparisons, clean_comparisons
from meteor_e_papers.features.vectors import open_word_vectors
from meteor_e_papers.maxsd import MaxSD
from meteor_e_papers.maxsd_network import SimilarityNetwork
from meteor_e_papers.maxsd_training import compute_losses
from small_test_set import write_model_file

from meteor_e import load_metric
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.errors import ConfigError, InputError

RECIPE = """
name: small-maxsd
estimator: maxsd
train: [{index: DATA/ranked.yaml}]
validation: [{index: DATA/ranked.yaml, sample: 50}]
features: [bleu, chrf]
vectors: [{use: word-vectors, file: DATA/words.txt}]
options: {epochs: 4, hidden: 4, layer: 3, batch: 30, batching: segments, encoder: ENCODER}
"""


def make_samples(*hypotheses):
    """Return samples of hypotheses, all with the same reference."""
    return TextSamples(hypotheses, [["a b"]] * len(hypotheses), np.zeros((len(hypotheses), 1)))


def test_clean_comparisons_removes_contradictions():
    samples = make_samples("one", "two", "two", "far too long", "three")
    better, worse = np.array([0, 0, 2, 1, 3, 0, 4, 0]), np.array([1, 2, 0, 2, 0, 4, 0, 3])
    pairs = Comparisons(better, worse, np.arange(8))
    lengths = np.array([1, 1, 1, 3, 1])
    cleaned = clean_comparisons(samples, pairs.select_short(lengths, 2))
    # Only "one" over "two" remains, because two comparisons support it, and one comparison contradicts it.
    assert (cleaned.better.tolist(), cleaned.worse.tolist(), cleaned.group.tolist()) == ([0], [1], [0])
    # The comparisons of the long text contradict each other, so they do not remain either.
    assert len(clean_comparisons(samples, pairs)) == 1
    with pytest.raises(InputError, match="line up"):
        TextSamples(["a"], [], np.zeros((1, 1)))


@pytest.mark.parametrize("encoder", ["bi-lstm", "bic-lstm"])
def test_network_output_does_not_depend_on_padding(encoder):
    network = SimilarityNetwork(encoder, torch.randn(9, 4), 0, 3, 2)
    network.initialize(np.random.default_rng(1), 0.5)
    short_text, long_text = np.array([1, 2, 3]), np.arange(9)
    unpadded = network([short_text], [short_text[:2]]).detach()
    padded = network([short_text, long_text, short_text[:0]], [short_text[:2], long_text, long_text]).detach()
    assert float(unpadded[0]) == pytest.approx(float(padded[0]), abs=1e-6)
    assert torch.isfinite(padded).all()


def test_bic_lstm_starts_from_the_states_of_the_first_text():
    """The BiC-LSTM equals PyTorch's bidirectional LSTM if that starts from the final states of the first text."""
    table = torch.randn(9, 4)
    network = SimilarityNetwork("bic-lstm", table, 0, 3, 2)
    reference_lstm = torch.nn.LSTM(4, 3, batch_first=True, bidirectional=True)
    for name, _ in network.forwards.named_parameters():
        getattr(reference_lstm, name).data.copy_(getattr(network.forwards, name).data)
        getattr(reference_lstm, f"{name}_reverse").data.copy_(getattr(network.backwards, name).data)
    first, second = np.array([1, 2, 3]), np.array([4, 5])
    _, state = reference_lstm(table[first][None])
    expected = reference_lstm(table[second][None], state)[0].mean(dim=1)
    encoded = network.encode([first], [second])
    assert torch.allclose(encoded, expected, atol=1e-6)


def test_maxsd_learns_either_order_of_comparisons(test_set):
    generator = np.random.default_rng(0)
    features = generator.normal(size=(40, 1))
    samples = TextSamples(["old city"] * 40, [["new houses"]] * 40, features)
    order = np.argsort(features[:, 0])
    pairs = Comparisons(order[20:], order[:20])
    run = TrainingRun(vectors=open_word_vectors(str(test_set / "words.txt")))
    options = {"clean": False, "hidden": 2, "layer": 2, "epochs": 30}
    opposite_pairs = Comparisons(pairs.worse, pairs.better)
    for comparisons in (pairs, opposite_pairs):
        assert MaxSD.make(**options).fit(samples, comparisons, run=run).score(samples, comparisons) == 1
    # Equation 1 does not have a gradient if the worse hypothesis has the higher score.
    taus = []
    for comparisons in (pairs, opposite_pairs):
        model = MaxSD.make(**options, loss="similarity-distance").fit(samples, comparisons, run=run)
        taus.append(model.score(samples, comparisons))
    assert sorted(taus) == [-1, 1]
    for name, value in (("encoder", "x"), ("batching", "x"), ("dropout", 1.0), ("hidden", 0)):
        with pytest.raises(ConfigError, match=name):
            MaxSD.make(**{name: value}).fit(samples, pairs, run=run)


def test_losses_equal_equation_1_and_the_hinge():
    distance = torch.tensor([0.3, -0.2, 0.7], requires_grad=True)
    expected = {"similarity-distance": ([-0.3, 0, -0.7], [-1, 0, -1]), "hinge": ([0.2, 0.7, 0], [-1, -1, 0])}
    for loss, (values, slopes) in expected.items():
        losses = compute_losses(distance, loss, margin=0.5)
        assert losses.tolist() == pytest.approx(values)
        (gradient,) = torch.autograd.grad(losses.sum(), distance)
        assert gradient.tolist() == slopes


def test_load_model_rejects_other_network_sizes(test_set, tmp_path, recipe):
    """The sizes in a header are compared with the arrays before memory is allocated."""
    from safetensors.numpy import load_file

    path = tmp_path / "model"
    text = RECIPE.replace("ENCODER", "bi-lstm").replace("epochs: 4", "epochs: 1")
    train(load_recipe(recipe(text)), path, folder=tmp_path, store=FeatureStore(enabled=False))
    with path.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header = json.loads(json.loads(stream.read(size))["__metadata__"]["meteor_e"])
    arrays = load_file(path)
    for name, value in (("hidden", 10**9), ("layer", 10**9)):
        header["parameters"] = {**header["parameters"], name: value}
        write_model_file(tmp_path / "bad", arrays, header)
        with pytest.raises(InputError, match="shapes"):
            load_model(tmp_path / "bad")
    header["parameters"] = {**header["parameters"], "hidden": 4, "layer": 3}
    for name, message in (("forwards.weight_ih_l0", "shapes"), ("scale", "differ in shape")):
        key = name if name in arrays else f"network.{name}"
        write_model_file(tmp_path / "bad", {**arrays, key: arrays[key][:-1].copy()}, header)
        with pytest.raises(InputError, match=message):
            load_model(tmp_path / "bad")


@pytest.mark.parametrize("encoder", ["bi-lstm", "bic-lstm"])
def test_maxsd_trains_resumes_and_scores(recipe, test_set, tmp_path, encoder, monkeypatch):
    import meteor_e_learned.checkpoints as checkpoints

    monkeypatch.setattr(checkpoints, "CHECKPOINT_INTERVAL", 0.0)
    path = recipe(RECIPE.replace("ENCODER", encoder))
    loaded_recipe, store = load_recipe(path), FeatureStore(tmp_path / "features")
    uninterrupted = train(loaded_recipe, tmp_path / "whole", folder=tmp_path, store=store)
    assert uninterrupted.card["figures"]["validation tau Small xx-en"] > 0.4
    assert 150 < uninterrupted.card["figures"]["comparisons after cleaning"] <= 180

    def interrupt(event):
        if event.get("epoch") == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(loaded_recipe, tmp_path / "part", folder=tmp_path, store=store, listener=interrupt)
    resumed = train(loaded_recipe, tmp_path / "part", folder=tmp_path, store=store, resume=True)
    expected, arrays = uninterrupted.estimator.arrays(), load_model(tmp_path / "part").estimator.arrays()
    assert all((arrays[name] == expected[name]).all() for name in expected)
    assert resumed.estimator.best_epoch_ == uninterrupted.estimator.best_epoch_

    metric = load_metric(f"model:{tmp_path / 'whole'}")
    references = (test_set / "ref.en").read_text("utf-8").splitlines()

    def predict(system):
        """Return the score of a system."""
        return metric.corpus((test_set / f"out.{system}").read_text("utf-8").splitlines(), references).score

    means = [predict(system) for system in ("good", "fair", "poor")]
    assert means == sorted(means, reverse=True)
    assert 0 < means[-1] < means[0] < 1
    lines = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["epoch"] for line in lines if "epoch" in line] == [1, 2, 3, 4]
    assert "chrf" in CliRunner().invoke(cli.model, ["show", str(tmp_path / "whole")]).output
    result = CliRunner().invoke(
        evaluate,
        [
            *(str(test_set / "ranked.yaml"), "-M", f"model:{tmp_path / 'whole'}", "-M", "bleu", "-q", "-f", "json"),
            *("-s", "tau-strict"),
        ],
        env={"METEOR_E_CACHE": str(tmp_path / "cache")},
        catch_exceptions=False,
    )
    assert result.exit_code == 0
    assert "small-maxsd" in result.output


def test_maxsd_requires_word_vectors(recipe, tmp_path):
    text = RECIPE.replace("ENCODER", "bi-lstm").replace("vectors: [{use: word-vectors, file: DATA/words.txt}]", "")
    with pytest.raises(ConfigError, match="reads words"):
        train(load_recipe(recipe(text)), tmp_path / "m", folder=tmp_path, store=FeatureStore(enabled=False))
