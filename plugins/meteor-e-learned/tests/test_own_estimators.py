"""Tests of the estimators of the manual, which use the public base class only."""

from __future__ import annotations

import re
import types
from pathlib import Path

import msgspec
import numpy as np
import pytest
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.prediction import pairwise_advantages
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.scoring import score_segments
from meteor_e_learned.training import train

from meteor_e.api import FeatureBatch, hookimpl
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

ROOT = Path(__file__).resolve().parents[3]
MANUAL = ROOT / "docs/plugins.md"
RECIPE = ROOT / "examples/judged/recipe.yaml"
NO_STORE = FeatureStore(enabled=False)

pytestmark = pytest.mark.skipif(not MANUAL.is_file(), reason="the manual is not beside the tests")


@pytest.fixture
def estimators(monkeypatch):
    """Execute the manual's example, and register its estimators as a plugin."""
    (code,) = re.findall(r"^```python estimators.py\n(.*?)^```$", MANUAL.read_text(encoding="utf-8"), re.DOTALL | re.M)
    namespace = {}
    exec(code, namespace)
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    module = types.ModuleType("of_the_manual")
    module.meteor_e_estimators = hookimpl(lambda: [namespace["MeanDifference"], namespace["LeastSquares"]])
    plugin_registry().register(module, "manual")
    return namespace


@pytest.mark.parametrize("name", ["mean-difference", "least-squares"])
def test_estimators_of_the_manual_train_save_load_and_score(name, estimators, tmp_path):
    recipe = msgspec.structs.replace(
        load_recipe(RECIPE), estimator=name, options={}, validation=load_recipe(RECIPE).train
    )
    file = tmp_path / "own.safetensors"
    trained = train(recipe, file, folder=RECIPE.parent, store=NO_STORE)
    figures = trained.card["figures"]
    value = figures["training tau"] if name == "mean-difference" else max(figures.values())
    assert value > 0.5, figures
    batch = FeatureBatch(["a cat sat on the mat", "cat a the"], [["a cat sat on a mat"]] * 2)
    loaded = load_model(file)
    scores = score_segments(loaded, batch, NO_STORE)
    assert scores[0] > scores[1]
    assert (score_segments(trained, batch, NO_STORE) == scores).all()
    advantages = pairwise_advantages(
        loaded, {"first": ["a cat sat on the mat"], "second": ["cat a the"]}, [["a cat sat on a mat"]], NO_STORE
    )
    assert advantages[0, 1, 0] == pytest.approx(scores[0] - scores[1])
    assert loaded.estimator.system_score(scores)[0] == pytest.approx(np.mean(scores))
