"""Tests of training estimators of papers from recipes, including training that is interrupted and resumed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from meteor_e_learned import cli
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.prediction import pairwise_advantages
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train
from meteor_e_papers.maxsd import MaxSD
from meteor_e_papers.pairwise_network import PairwiseNetwork

from meteor_e import load_metric
from meteor_e.api import ConfigError, Examples, InputError
from meteor_e.api.estimators import TrainingRun

NETWORK = """
name: small-network
estimator: pairwise-network
train: [{index: DATA/ranked.yaml}]
validation: [{index: DATA/ranked.yaml, sample: 50}]
features: [bleu]
vectors: [tag-vectors, {use: word-vectors, file: DATA/words.txt}]
options: {epochs: 4, hidden: 2}
"""


def test_training_gives_the_same_model_twice(recipe, tmp_path):
    store = FeatureStore(tmp_path / "features")
    arrays = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.safetensors"
        train(load_recipe(recipe(NETWORK)), path, folder=tmp_path, store=store)
        arrays.append(load_model(path).estimator.arrays())
    assert all((arrays[0][name] == arrays[1][name]).all() for name in arrays[0])


def test_train_command_writes_a_network_model(run, recipe, test_set, tmp_path):
    model = tmp_path / "model.safetensors"
    run(cli.train, recipe(NETWORK), "-o", model, "--seed", 7)
    log = [json.loads(line) for line in (tmp_path / "model.safetensors.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in log if "epoch" in line] == [1, 2, 3, 4]
    loaded_model = load_model(model)
    assert loaded_model.recipe.seed == 7
    assert loaded_model.estimator.options.vector_size == 25 + 4
    systems = ("poor", "good", "fair")
    outputs = {system: (test_set / f"out.{system}").read_text("utf-8").splitlines() for system in systems}
    references = [[text] for text in (test_set / "ref.en").read_text("utf-8").splitlines()]
    wins = (pairwise_advantages(loaded_model, outputs, references, FeatureStore(enabled=False)) > 0).sum(axis=(1, 2))
    assert wins[1] > wins[2] > wins[0]
    with pytest.raises(ConfigError, match="compares hypotheses"):
        load_metric(f"model:{model}").corpus(outputs["poor"], references)


@pytest.mark.parametrize("checkpoint_interval", [0.0, 1000.0])
def test_interrupted_training_resumes(recipe, tmp_path, monkeypatch, checkpoint_interval):
    """Resumed training equals uninterrupted training and logs each epoch once, whatever the checkpoint interval."""
    import meteor_e_learned.checkpoints as checkpoints

    monkeypatch.setattr(checkpoints, "CHECKPOINT_INTERVAL", checkpoint_interval)
    store = FeatureStore(tmp_path / "features")
    loaded_recipe = load_recipe(recipe(NETWORK))
    uninterrupted = train(loaded_recipe, tmp_path / "whole", folder=tmp_path, store=store)

    def interrupt(event):
        if event.get("epoch") == 3:
            raise KeyboardInterrupt

    def read_epochs(name):
        """Return the epochs in the log of a training, with their tau."""
        lines = map(json.loads, (tmp_path / f"{name}.jsonl").read_text().splitlines())
        return [(line["epoch"], line["tau"]) for line in lines if "epoch" in line]

    with pytest.raises(KeyboardInterrupt):
        train(loaded_recipe, tmp_path / "part", folder=tmp_path, store=store, listener=interrupt)
    assert not (tmp_path / "part").exists()
    assert (tmp_path / "part.checkpoint").exists()
    assert len(read_epochs("part")) == 3
    with pytest.raises(ConfigError, match="another recipe"):
        train(loaded_recipe, tmp_path / "part", folder=tmp_path, store=store, resume=True, seed=9)
    resumed = train(loaded_recipe, tmp_path / "part", folder=tmp_path, store=store, resume=True)
    assert (resumed.estimator.theta_ == uninterrupted.estimator.theta_).all()
    assert not (tmp_path / "part.checkpoint").exists()
    assert read_epochs("part") == read_epochs("whole")
    assert [epoch for epoch, _ in read_epochs("part")] == [1, 2, 3, 4]


def test_model_rejects_changed_word_vectors(run, recipe, test_set, tmp_path):
    model, words = tmp_path / "model", tmp_path / "words.txt"
    words.write_bytes((test_set / "words.txt").read_bytes())
    run(cli.train, recipe(NETWORK.replace("DATA/words.txt", "words.txt")), "-o", model)
    text = words.read_text(encoding="utf-8").splitlines()
    words.write_text("\n".join([text[0], *text[2:], "other 1 2 3 4"]) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="trained on other features"):
        pairwise_advantages(load_model(model), {"first": ["a"], "second": ["b"]}, [["c"]], FeatureStore(enabled=False))


def test_learn_rejects_validation_data_without_comparisons():
    no_indexes, rows = np.array([], np.int64), np.zeros((2, 1))
    training_examples = Examples(
        ("Small xx-en",), rows, rows, rows, np.array([0]), np.array([1]), *(np.array([0]),) * 2, np.ones(1),
        np.full(2, np.nan), np.zeros(2, np.int64),
    )  # fmt: skip
    validation_examples = replace(
        training_examples, better=no_indexes, worse=no_indexes, part=no_indexes, group=no_indexes, weight=no_indexes
    )
    for estimator in (PairwiseNetwork.make(features=1), MaxSD.make()):
        with pytest.raises(InputError, match="no comparisons to validate with"):
            estimator.learn(training_examples, validation_examples, TrainingRun(1))
