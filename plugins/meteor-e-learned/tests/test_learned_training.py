"""Tests of the commands ``train`` and ``model`` on a small test set, from the recipe to the scores of the model."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_learned import cli
from meteor_e_learned.data import sample_judgments
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.recipe import load_recipe
from meteor_e_learned.training import train
from small_test_set import write_model_file

from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError, MeteorError

LINEAR = """
name: small-linear
estimator: pairwise-logistic
description: For a test
train: [{index: DATA/ranked.yaml}]
validation: [{index: DATA/ranked.yaml, sample: 50}]
features: [{use: text, columns: [chrf, "unknown*", edit_similarity]}]
options: {C: [0.01, 0.1]}
"""
REGRESSION = """
name: small-regression
estimator: segment-regression
train: [{index: DATA/assessed.yaml}]
features: [text]
"""


def score_system(model, folder, system="good"):
    """Return the score that a model gives to a system of the test set."""
    hypotheses, references = ((folder / name).read_text("utf-8").splitlines() for name in (f"out.{system}", "ref.en"))
    return load_metric(f"model:{model}").corpus(hypotheses, references).score


def test_train_command_writes_a_linear_model(run, recipe, test_set, tmp_path):
    model = tmp_path / "model.safetensors"
    output = run(cli.train, recipe(LINEAR), "-o", model)
    assert "validation tau Small xx-en" in output
    log = [json.loads(line) for line in (tmp_path / "model.safetensors.jsonl").read_text().splitlines()]
    assert [line["event"] for line in log] == ["data", "done"]
    assert log[0]["comparisons"] == 180
    assert log[1]["figures"]["training tau"] > 0.6

    means = [score_system(model, test_set, system) for system in ("good", "fair", "poor")]
    assert means == sorted(means, reverse=True)

    assert "text.unknown_added" in run(cli.model, "show", model)
    data = json.loads(run(cli.model, "show", model, "--json"))
    assert data["recipe"]["name"] == "small-linear"
    assert len(data["weights"]) == 5

    assert load_metric(f"model:{model}").label == "small-linear"


def test_train_command_writes_the_same_bytes_twice(run, recipe, tmp_path, monkeypatch):
    """The model file does not depend on the duration of the training, which is in the log only."""
    models = [tmp_path / name for name in ("one.safetensors", "two.safetensors")]
    for model in models:
        clock = itertools.count(step=len(str(model)) + 100.0 * models.index(model))
        monkeypatch.setattr("meteor_e_learned.training.time", SimpleNamespace(perf_counter=clock.__next__))
        run(cli.train, recipe(LINEAR), "-o", model, "--no-cache")
    assert models[0].read_bytes() == models[1].read_bytes()


def test_train_command_writes_a_regression_model(run, recipe, test_set, tmp_path):
    model = tmp_path / "model.safetensors"
    run(cli.train, recipe(REGRESSION), "-o", model)
    good, poor = (score_system(model, test_set, system) for system in ("good", "poor"))
    assert good > poor
    assert good == pytest.approx(0.9, abs=0.1)


def test_training_that_cannot_start_leaves_logs_unchanged(recipe, tmp_path):
    invalid_recipe = load_recipe(recipe(LINEAR.replace("{index: DATA/ranked.yaml}]", "{index: none.yaml}]", 1)))
    store, log = FeatureStore(tmp_path / "features"), tmp_path / "model.jsonl"
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        train(invalid_recipe, tmp_path / "model", folder=tmp_path, store=store)
    assert not log.exists()
    log.write_text('{"event": "done"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        train(invalid_recipe, tmp_path / "model", folder=tmp_path, store=store)
    assert log.read_text(encoding="utf-8") == '{"event": "done"}\n'
    with pytest.raises(InputError, match="cannot use the log"):
        train(invalid_recipe, tmp_path / "nowhere" / "model", folder=tmp_path, store=store)
    with pytest.raises(InputError, match="it is a folder"):
        train(invalid_recipe, tmp_path, folder=tmp_path, store=store)


def test_paths_in_a_recipe_are_relative_to_the_recipe(run, recipe, test_set, tmp_path, monkeypatch):
    """Paths of a chain and of its settings are relative to the recipe, even if the model is written elsewhere."""
    (tmp_path / "chain.yaml").write_text("language: other\nmatchers: [exact, stem]\n", encoding="utf-8")
    (tmp_path / "lemmas.tsv").write_text("houses\tNNS\thouse\n", encoding="utf-8")
    chain = (
        "{use: meteor, as: mine, chain: ./chain.yaml, settings: {stem: {weight: 0.5, stemmer: english}, "
        "lemmatizer: {use: lookup, file: lemmas.tsv}}}"
    )
    path = recipe(LINEAR.replace("[{use: text", f"[{chain}, {{use: text"))
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "model"
    run(cli.train, path, "-o", model)
    monkeypatch.chdir(test_set)
    assert load_model(model).recipe.features[0]["chain"] == "../chain.yaml"
    assert score_system(model, test_set) > 0
    card = run(cli.model, "show", model)
    assert "stem=0.5(english)" in card
    (tmp_path / "lemmas.tsv").write_text("houses\tNNS\thome\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="trained on other features"):
        score_system(model, test_set)


def test_load_model_rejects_invalid_headers(run, recipe, tmp_path):
    """Invalid headers raise errors, and control characters in a header are replaced."""
    from safetensors.numpy import load_file

    model, changed_model = tmp_path / "model", tmp_path / "changed"
    run(cli.train, recipe(REGRESSION), "-o", model)
    with model.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header = json.loads(json.loads(stream.read(size))["__metadata__"]["meteor_e"])
    arrays = load_file(model)
    assert load_model(model).estimator.options.alphas == (10.0, 100.0, 1000.0, 10000.0)
    for parameters in ({"alphas": "many"}, {"nothing": 1}, ["alphas"]):
        write_model_file(changed_model, arrays, {**header, "parameters": parameters})
        with pytest.raises(MeteorError, match="changed"):
            load_model(changed_model)
    card = {**header["card"], "versions": {"some\x1b[2J": "1"}}
    write_model_file(changed_model, arrays, {**header, "card": card})
    assert "some\ufffd[2J 1" in run(cli.model, "show", changed_model)
    write_model_file(changed_model, arrays, {**header, "card": {}})
    with pytest.raises(MeteorError, match="reading the model card failed"):
        run(cli.model, "show", changed_model)
    size = len(arrays["low"])
    other_arrays = {**arrays, "weights": np.resize(arrays["weights"], 3 * size)}
    write_model_file(changed_model, other_arrays, header)
    with pytest.raises(InputError, match="differ in shape"):
        load_model(changed_model)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pairwise-logistic", "pairwise-logistik", "did you mean 'pairwise-logistic'"),
        ("options: {C: [0.01, 0.1]}", "options: {c: 1}", "c: unknown option"),
        ("options: {C: [0.01, 0.1]}", "options: {C: much}", "C: must be a number, above 0 or .*, not 'much'"),
        ("options: {C: [0.01, 0.1]}", "options: {folds: 2.5}", "folds: must be a whole number, at least 2, not 2.5"),
        ("options: {C: [0.01, 0.1]}", "options: {C: -1}", "C: must be .*, not -1"),
        ("options: {C: [0.01, 0.1]}", "options: {seed: 2}", "seed is a key of the recipe"),
        ("use: text", "use: txet", "txet"),
        ("edit_similarity", "edit_similar", "no column 'edit_similar'"),
        ("description: For a test", "descripton: x\nnames: y", "unknown key"),
        ("DATA/ranked.yaml}", "DATA/none.yaml}", "none.yaml"),
        ("DATA/ranked.yaml}]\nval", "DATA/ranked.yaml, pairs: []}]\nval", "'pairs' is empty"),
        ("DATA/ranked.yaml}]\nval", "DATA/ranked.yaml, skip: 180}]\nval", "no judgments are left"),
        ("DATA/ranked.yaml}]\nval", "DATA/ranked.yaml, skip: -1}]\nval", "skip is -1"),
        ("sample: 50", "sample: 0", "sample is 0"),
        ("features: [", "vectors: [tag-vectors]\nfeatures: [", "no use for 'vectors'"),
    ],
)
def test_train_command_rejects_invalid_recipes(run, recipe, tmp_path, old, new, message):
    assert old in LINEAR
    with pytest.raises(MeteorError, match=message):
        run(cli.train, recipe(LINEAR.replace(old, new)), "-o", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_sample_judgments_skips_exactly_the_first_sample(test_set, run, recipe, tmp_path):
    tests = [load_test_set(load_index(test_set / "ranked.yaml"), "xx-en")]

    def draw_judgments(**options):
        sampled_tests = sample_judgments(tests, options.pop("count", None), 7, **options)
        (ranked,) = (test.rankings.strict() for test in sampled_tests)
        return list(zip(ranked.segments.tolist(), ranked.better.tolist(), ranked.worse.tolist(), strict=True))

    all_judgments, first_part = draw_judgments(), draw_judgments(count=50)
    second_part, sample = draw_judgments(skip=50), draw_judgments(skip=50, count=30)
    assert (len(all_judgments), len(first_part), len(second_part), len(sample)) == (180, 50, 130, 30)
    assert sorted(first_part + second_part) == sorted(all_judgments)
    assert len({*first_part} & {*second_part}) == 0
    assert {*sample} < {*second_part}
    disjoint_recipe = LINEAR.replace("ranked.yaml}]", "ranked.yaml, skip: 50}]", 1)
    assert "trained on, too" not in run(cli.train, recipe(disjoint_recipe), "-o", tmp_path / "model")
    assert "validation comparisons trained on, too\t50" in run(cli.train, recipe(LINEAR), "-o", tmp_path / "model")


def test_diverging_training_leaves_no_model(run, recipe, tmp_path, monkeypatch):
    from meteor_e_learned.models.pairwise_logistic import PairwiseLogistic

    original_arrays = PairwiseLogistic.arrays
    monkeypatch.setattr(
        PairwiseLogistic, "arrays", lambda self: {**original_arrays(self), "weights": np.full(23, np.nan)}
    )
    with pytest.raises(ConfigError, match="infinite numbers"):
        run(cli.train, recipe(LINEAR), "-o", tmp_path / "model")
    assert not (tmp_path / "model").exists()
