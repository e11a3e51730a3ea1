"""Tests that each estimator can be trained on features of other plugins."""

from __future__ import annotations

import types

import numpy as np
import pytest
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.prediction import pairwise_advantages
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train

from meteor_e.api import Feature, SegmentFeature, hookimpl
from meteor_e.plugins.registry import plugin_registry

WORD_VECTORS = "vectors: [{use: word-vectors, file: DATA/words.txt}]\n"


class SharedWordsFeature(Feature):
    """The number of words that hypothesis and reference share, and the number of other words of the hypothesis."""

    name = "shared-words"
    dimension = 2
    columns = ("shared", "other")

    def compute(self, batch):
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            words = hypothesis.split()
            shared = sum(word in references[0].split() for word in words)
            rows.append([shared, len(words) - shared])
        return rows


class WordLengthsFeature(SegmentFeature):
    """The mean length of the words of a segment, and their number."""

    name = "word-lengths"
    segment_dimension = 2

    def vectors(self, segments):
        return [[len(text) / max(1, len(text.split())), len(text.split())] for text in segments]


@pytest.fixture
def third_party_plugin(monkeypatch):
    """Register a plugin with two features."""
    from meteor_e.plugins.registry import PluginRegistry

    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    module = types.ModuleType("third_party")
    module.meteor_e_features = hookimpl(lambda: [SharedWordsFeature, WordLengthsFeature])
    plugin_registry().register(module, "third-party")


@pytest.mark.parametrize(
    ("estimator", "index", "extra_lines"),
    [
        ("pairwise-logistic", "ranked", "options: {C: 0.1}"),
        ("segment-regression", "assessed", ""),
        ("pairwise-network", "ranked", "vectors: [word-lengths]\noptions: {epochs: 20, skip_start: logistic}"),
        ("maxsd", "ranked", WORD_VECTORS + "options: {epochs: 3, hidden: 4, layer: 3, batching: segments}"),
    ],
)
def test_third_party_features_work_with_every_estimator(
    estimator, index, extra_lines, third_party_plugin, recipe, test_set, tmp_path
):
    path = recipe(
        f"name: small\nestimator: {estimator}\ntrain: [{{index: DATA/{index}.yaml}}]\n"
        f"features: [{{use: shared-words, as: words}}, bleu]\n{extra_lines}\n"
    )
    store = FeatureStore(enabled=False)
    trained_model = train(load_recipe(path), tmp_path / "small.safetensors", folder=path.parent, store=store)
    assert trained_model.features.columns == ("words.shared", "words.other", "bleu.score")
    loaded_model = load_model(tmp_path / "small.safetensors")
    outputs = {name: (test_set / f"out.{name}").read_text("utf-8").splitlines()[:1] for name in ("good", "poor")}
    references = [[(test_set / "ref.en").read_text("utf-8").splitlines()[0]]]
    advantages = pairwise_advantages(loaded_model, outputs, references, store)
    assert advantages[0, 1, 0] > 0
    assert np.array_equal(advantages, pairwise_advantages(trained_model, outputs, references, store), equal_nan=True)
