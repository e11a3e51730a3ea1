"""Tests of ready models and model files, including the checks that features have not changed since the training."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_learned import check_texts, cli, scoring
from meteor_e_learned.explain import explain
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.features.text import TextFeature
from meteor_e_learned.metric import signature_of
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.models.guarded_linear import GuardedLinear
from meteor_e_learned.prediction import check_language
from meteor_e_learned.ready import model_size, ready_models
from meteor_e_learned.recipe import load_recipe, make_features
from meteor_e_learned.scale import SHARES, Scale
from meteor_e_learned.scoring import score_segments
from meteor_e_learned.training import train
from safetensors import safe_open
from safetensors.numpy import save, save_file

from meteor_e import load_metric
from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError, MeteorError
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.checksum import KEY, PLACEHOLDER, insert_checksum
from meteor_e.cli.score import score

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NO_STORE = FeatureStore(enabled=False)


@pytest.fixture(scope="module")
def toy_model(tmp_path_factory):
    """Train a small model as the documentation describes, and return its path."""
    recipe = EXAMPLES / "judged/recipe.yaml"
    file = tmp_path_factory.mktemp("model") / "toy.safetensors"
    train(load_recipe(recipe), file, folder=recipe.parent, store=NO_STORE)
    return file


def read_lines(name):
    """Return the lines of an example file."""
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def make_examples(comparisons=True, assessments=True, seed=1):
    """Return examples of two years whose quality is the first feature, with noise in the judgments."""
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(800, 4))
    quality = features[:, 0] + 0.3 * generator.normal(size=800)
    part = np.repeat([0, 1], 400)
    pairs = generator.integers(400, size=(600, 2))
    swap = quality[pairs[:, 0]] < quality[pairs[:, 1]]
    better, worse = np.where(swap[:, None], pairs[:, ::-1], pairs).T
    scores = np.where(part == 1, 3 * quality + 7, np.nan) if assessments else np.full(800, np.nan)
    count = 600 if comparisons else 0
    no_vectors = np.empty((800, 0))
    return Examples(
        ("Year1 xx-en", "Year2 xx-en"), features, no_vectors, no_vectors, better[:count], worse[:count],
        np.zeros(count, np.int64), np.arange(count), np.ones(count), scores, part,
    )  # fmt: skip


COLUMNS = ("a.score", "b.score", "c.score", "d.score")


@pytest.mark.parametrize(("comparisons", "assessments"), [(True, False), (False, True), (True, True)])
def test_guarded_linear_learns_from_comparisons_and_ratings(comparisons, assessments):
    estimator = GuardedLinear.make(prior_feature=(), penalty=0.001)
    figures = estimator.learn(make_examples(comparisons, assessments), None, TrainingRun(columns=COLUMNS))
    weights = estimator.weights_ / abs(estimator.weights_).max()
    assert weights[0] == 1
    assert abs(weights[1:]).max() < 0.15
    assert ("training tau Year1 xx-en" in figures) == comparisons


def test_guarded_linear_shrinks_weights_toward_the_prior():
    estimator_without_prior = GuardedLinear.make(prior_feature=(), penalty=1e6)
    estimator_with_prior = GuardedLinear.make(prior_feature=("b.score",), penalty=1e6, prior_weight=0.5)
    for estimator in (estimator_without_prior, estimator_with_prior):
        estimator.learn(make_examples(), None, TrainingRun(columns=COLUMNS))
    assert abs(estimator_without_prior.weights_).max() < 1e-3
    assert estimator_with_prior.weights_ == pytest.approx([0, 0.5, 0, 0], abs=1e-3)


def test_guarded_linear_penalties_apply_to_feature_prefixes():
    examples = make_examples()
    weights = {}
    for strength in (0.001, 1.0, 1e6):
        estimator = GuardedLinear.make(prior_feature=(), penalty=0.001, penalties={"a.": strength})
        estimator.learn(examples, None, TrainingRun(columns=COLUMNS))
        weights[strength] = estimator.weights_
    plain_model = GuardedLinear.make(prior_feature=(), penalty=0.001)
    plain_model.learn(examples, None, TrainingRun(columns=COLUMNS))
    assert weights[0.001] == pytest.approx(plain_model.weights_)
    assert weights[0.001][0] > weights[1.0][0] > 1e-3 > abs(weights[1e6][0])


def test_guarded_linear_weights_test_sets_equally():
    """Comparisons that are given twice do not change the weights."""
    base_examples = make_examples(True, False)
    repeated_examples = dataclasses.replace(
        base_examples,
        **{name: np.tile(getattr(base_examples, name), 2) for name in ("better", "worse", "part", "group", "weight")},
    )
    weights = []
    for examples in (base_examples, repeated_examples):
        estimator = GuardedLinear.make(prior_feature=())
        estimator.learn(examples, None, TrainingRun(columns=COLUMNS))
        weights.append(estimator.weights_)
    assert weights[0] == pytest.approx(weights[1], abs=1e-4)


def test_scale_maps_raw_scores_to_percentiles():
    generator = np.random.default_rng(1)
    raw_scores = generator.normal(size=20_000)
    scale = Scale.fit(raw_scores, np.zeros(20_000, np.int64))
    assert scale.of(np.quantile(raw_scores, [0.05, 0.5, 0.9])) == pytest.approx([5, 50, 90], abs=0.1)
    extreme_values = scale.of(np.linspace(-12, 12, 2001))
    assert (np.diff(extreme_values) > 0).all()
    assert extreme_values.min() > 0
    assert extreme_values.max() < 100
    with pytest.raises(ValueError, match="do not increase"):
        Scale(np.zeros(len(SHARES)))


def test_scale_weights_parts_equally():
    scores = np.concatenate([np.zeros(9000), np.ones(1000)])
    part = np.repeat([0, 1], [9000, 1000])
    assert Scale.fit(scores, part).of(np.array([0.5])) == pytest.approx([50], abs=1)


def test_explain_reasons_add_up_to_the_difference(toy_model):
    model = load_model(toy_model)
    close_lines, hasty_lines, references = (
        read_lines("system-a.en.txt"),
        read_lines("judged/outputs/de-en.hasty.txt"),
        read_lines("reference.en.txt"),
    )
    reference_lists = [[reference] for reference in references]
    explanation = explain(model, close_lines, hasty_lines, reference_lists)
    assert explanation.first > explanation.second
    assert sum(reason.points for reason in explanation.reasons) == pytest.approx(explanation.first - explanation.second)
    assert "is" in explanation.text(("close", "hasty"))
    reverse_explanation = explain(model, hasty_lines, close_lines, reference_lists)
    assert [reason.points for reason in reverse_explanation.reasons] == pytest.approx(
        [-reason.points for reason in explanation.reasons]
    )
    self_explanation = explain(model, close_lines, close_lines, reference_lists)
    assert "the same score" in self_explanation.text()
    with pytest.raises(InputError, match="12 and 11 segments"):
        explain(model, close_lines, hasty_lines[:-1], reference_lists)


def test_load_model_detects_changed_feature_values(toy_model, monkeypatch):
    """A new version of a library can change the values of a feature, which the test simulates."""
    compute = TextFeature.compute
    model = load_model(toy_model)
    monkeypatch.setattr(check_texts, "version", lambda name: {"wordfreq": "9.9"}.get(name, "1.0"))
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) * (1 + 1e-9))
    assert model.features.dimension == 38, "differences below the tolerance do not matter"
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) * 1.01)
    with pytest.raises(ConfigError, match=r"feature 'text\..*' gives .*wordfreq is 9.9"):
        load_model(toy_model).features  # noqa: B018
    model = load_model(toy_model)
    model.check_texts.libraries["text"].clear()
    with pytest.raises(ConfigError, match=r"wordfreq is 9.9, the model was made with \?.*; train the model again$"):
        model.features  # noqa: B018


def test_load_model_detects_a_new_version_of_a_feature(toy_model, monkeypatch):
    monkeypatch.setattr(TextFeature, "version", 2)
    with pytest.raises(ConfigError, match=r"text=text:38:1: there, text=text:38:2: here"):
        load_model(toy_model).features  # noqa: B018


def test_load_model_ignores_new_columns_of_a_feature(toy_model, monkeypatch):
    """A model selects the columns that it was trained on by their names."""
    batch = FeatureBatch(["a b", "the old bridge"], [["a c"], ["an old bridge"]])
    expected_scores = score_segments(load_model(toy_model), batch, NO_STORE)
    names, compute = TextFeature.columns, TextFeature.compute
    monkeypatch.setattr(TextFeature, "columns", ("brand_new", *names))
    monkeypatch.setattr(TextFeature, "dimension", 39)
    rows = lambda self, batch: np.hstack([np.full((len(batch), 1), 7.0), compute(self, batch)])  # noqa: E731
    monkeypatch.setattr(TextFeature, "compute", rows)
    model = load_model(toy_model)
    assert score_segments(model, batch, NO_STORE).tolist() == expected_scores.tolist()
    monkeypatch.setattr(TextFeature, "columns", ("brand_new", *names[1:], "renamed"))
    with pytest.raises(ConfigError, match=r"trained on other features .*text\.references there"):
        load_model(toy_model).features  # noqa: B018


def test_scoring_needs_neither_pytorch_nor_scikit_learn(toy_model):
    code = f"""
import sys
sys.modules["meteor_e_evaluation"] = None  # This simulates a missing installation.
from meteor_e.api import FeatureBatch
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.scoring import score_segments
model = load_model({str(toy_model)!r})
score_segments(model, FeatureBatch(["a b"], [["a c"]]), FeatureStore(enabled=False))
heavy = {{"torch", "sklearn", "scipy", "matplotlib", "textblob", "pandas"}} & sys.modules.keys()
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_check_language_rejects_other_languages(toy_model):
    model = load_model(toy_model)
    check_language(model, "en")
    with pytest.raises(ConfigError, match=r"scores language 'en', not 'fr'; use -M any"):
        check_language(model, "fr")


def test_ready_models_are_small_and_documented():
    models = ready_models()
    assert {"en-light", "en-light-context"} <= models.keys()
    for name, card in models.items():
        model = load_model(name)
        assert model.recipe.name == name == card.name
        assert model.recipe.language == card.language
        assert model_size(name) < 100_000
        assert model.card["versions"].keys() == {"meteor_e", "meteor-e-learned", "numpy"}, (
            "other versions would change the bytes of the file"
        )
        assert re.search(rf"(ready_models\.py |ready/){name}(\.yaml)?\.$", card.training_note), (
            "the card must name the command that trains the model again"
        )
        metric = load_metric(name)
        assert (metric.label, metric.language) == (name, card.language)
        with pytest.raises(ConfigError, match="has no options"):
            load_metric(f"{name}:x=1")
        assert card.figures
        assert card.unsuitable_texts


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize("name", sorted(ready_models()))
def test_ready_model_signatures_match_the_current_features(name):
    """The features of en-light-context include the score of en-light, whose signature may change without its score.

    Features of sentence encoders are left out, because the tests do not install an encoder.
    """
    model = load_model(name)
    entries = [entry for entry in model.recipe.features if isinstance(entry, str) or entry["use"] != "encoder"]
    features = make_features(entries, model.recipe.language, model.folder, unescape=model.recipe.unescape)
    signatures = [line for line in features.definition if "=" in line]
    assert signatures
    trained_signatures = [re.sub(r":\d+:", ":", line, count=1) for line in model.signature]
    for signature in signatures:
        assert re.sub(r":\d+:", ":", signature, count=1) in trained_signatures


@pytest.mark.usefixtures("packs")
def test_ready_model_scores_better_translations_higher():
    model = load_model("en-light")
    references = [[line] for line in read_lines("reference.en.txt")]
    scores = [
        score_segments(model, FeatureBatch(read_lines(name), references), NO_STORE).mean()
        for name in ("system-a.en.txt", "judged/outputs/de-en.hasty.txt", "judged/outputs/de-en.broken.txt")
    ]
    assert 100 > scores[0] > scores[1] > scores[2] > 0


def test_unescape_option_decodes_entities_and_is_in_signature(toy_model):
    plain_model = load_model(toy_model)
    unescaping_model = dataclasses.replace(
        plain_model, recipe=msgspec.structs.replace(plain_model.recipe, unescape=True)
    )
    batch = FeatureBatch(["it isn &apos;t here", "it isn 't here"], [["it isn 't here"]] * 2)
    plain_scores, unescaped_scores = (
        score_segments(plain_model, batch, NO_STORE),
        score_segments(unescaping_model, batch, NO_STORE),
    )
    assert plain_scores[0] != plain_scores[1] == unescaped_scores[0] == unescaped_scores[1]
    assert signature_of(unescaping_model) == f"{signature_of(plain_model)}|unescape"
    assert load_model("en-light").recipe.unescape


def run(*arguments):
    """Run ``meteor-e model``, and return its result."""
    return CliRunner().invoke(cli.model, [*map(str, arguments)])


def test_model_command_lists_and_shows_ready_models(toy_model):
    assert "en-light" in run("list").output
    assert "had not seen the test year" in run("show", "en-light").output
    with pytest.raises(ConfigError, match=r"no model 'en-lihgt' \(did you mean 'en-light'\?\)"):
        load_model("en-lihgt")


def test_train_command_applies_the_root_option(tmp_path):
    folder = tmp_path / "elsewhere"
    shutil.copytree(EXAMPLES / "judged", folder)
    arguments = [str(EXAMPLES / "judged/recipe.yaml"), "-o", str(tmp_path / "m.safetensors"), "--no-cache", "-q"]
    result = CliRunner().invoke(cli.train, [*arguments, "--root", f"ranked={folder}"])
    assert result.exit_code == 0, result.output
    for root, message in (("ranked", "not of the form NAME=DIR"), ("rankd=x", "did you mean 'ranked'")):
        with pytest.raises(ConfigError, match=message):
            CliRunner().invoke(cli.train, [*arguments, "--root", root], catch_exceptions=False)


def test_load_model_reports_a_missing_feature(toy_model):
    model = load_model(toy_model)
    model.recipe = msgspec.structs.replace(model.recipe, features=["no-such-feature"])
    with pytest.raises(
        MeteorError, match=r"model 'toy' needs the feature 'no-such-feature', which no installed plugin brings"
    ):
        model.features  # noqa: B018


def test_score_command_explains_a_difference(toy_model):
    files = [str(EXAMPLES / name) for name in ("system-a.en.txt", "judged/outputs/de-en.hasty.txt", "reference.en.txt")]
    result = CliRunner().invoke(score, [*files, "-M", f"model:{toy_model}", "--explain"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "points above de-en.hasty.txt" in result.output
    assert "  The values in parentheses are means over the segments, not corpus scores.\n" in result.output
    with pytest.raises(ConfigError, match="none of these metrics"):
        CliRunner().invoke(score, [*files, "-M", "chrf", "--explain"], catch_exceptions=False)


def test_explain_accepts_the_input_of_scoring(toy_model):
    metric = load_metric(f"model:{toy_model}")
    explanation = metric.explain(iter(["a cat sat"]), ["a dog"], ["the cat sat"])
    assert explanation == metric.explain(["a cat sat"], ["a dog"], [["the cat sat"]])
    for arguments, message in (
        (([None], ["a"], ["a"]), "segment 1: a text of the first must be a text, not NoneType"),
        (([["a"]], ["a"], ["a"]), "segment 1: a text of the first must be a text, not list"),
        ((["a"], ["b"], ["a", "b"]), "1 first but 1 second but 2 references"),
        (("a", ["b"], ["a"]), "first must be a list"),
        ((["a"], ["b"], [[]]), "there is no text in the references"),
        (([], [], []), "nothing to explain"),
    ):
        with pytest.raises(InputError, match=message):
            metric.explain(*arguments)


def test_train_reports_a_missing_library(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name == "sklearn" or name.startswith("sklearn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    folder = EXAMPLES / "judged"
    recipe = msgspec.structs.replace(
        load_recipe(folder / "recipe.yaml"), estimator="pairwise-logistic", options={}, features=["text"]
    )
    message = r"^training 'pairwise-logistic' needs sklearn.*, which is not installed; .*pip install '.*\[train\]'$"
    with pytest.raises(ConfigError, match=message):
        train(recipe, tmp_path / "model.safetensors", folder=folder, store=NO_STORE)
    assert not (tmp_path / "model.safetensors").exists()


def test_load_model_rejects_files_of_other_programs(tmp_path):
    save_file({"a": np.zeros(3)}, tmp_path / "other.safetensors", {"meteor_e": "null"})
    with pytest.raises(InputError, match=r"not a model file of meteor-e, because it has no checksum"):
        load_model(tmp_path / "other.safetensors")
    for header, message in (
        (f'[{{"{KEY}": "{PLACEHOLDER}"}}]', "not an object"),
        (f'{{"{KEY}": "{PLACEHOLDER}"}}', "lacks 'format'"),
    ):
        content = insert_checksum(save({"a": np.zeros(3)}, {"meteor_e": header}))
        (tmp_path / "other.safetensors").write_bytes(content)
        with pytest.raises(InputError, match=f"not a model file of meteor-e: its header.*{message}"):
            load_model(tmp_path / "other.safetensors")


def test_score_segments_works_in_blocks(toy_model, monkeypatch):
    """Blocks limit the memory. They do not change the scores."""
    hypotheses = [f"the {word} sat on the mat" for word in ("cat", "dog", "hen", "ox", "cow")]
    batch = FeatureBatch(hypotheses, [["a cat sat on the mat"]] * 5)
    model, store = load_model(toy_model), FeatureStore(enabled=False)
    expected_scores = score_segments(model, batch, store)
    sizes = []
    extract = type(model.features).extract

    def extract_and_count(self, batch, *arguments, **options):
        sizes.append(len(batch))
        return extract(self, batch, *arguments, **options)

    monkeypatch.setattr(type(model.features), "extract", extract_and_count)
    monkeypatch.setattr(scoring, "MAX_SEGMENTS", 2)
    assert (score_segments(model, batch, store) == expected_scores).all()
    assert sizes == [2, 2, 1]
    assert len(score_segments(model, FeatureBatch([], []), store)) == 0


def test_load_model_rejects_damaged_files_in_one_line(toy_model, tmp_path):
    valid_content = toy_model.read_bytes()
    length = int.from_bytes(valid_content[:8], "little")
    foreign_file = tmp_path / "foreign.safetensors"
    save_file({"weights": np.zeros(3)}, foreign_file)
    invalid_contents = {
        "empty": b"",
        "text": b"weights: 1, 2, 3\n",
        "cut": valid_content[: len(valid_content) // 2],
        "huge header": (1 << 60).to_bytes(8, "little") + valid_content[8:],
        "broken header": valid_content[:20] + b"\0\xff" + valid_content[22:],
        "zip": b"PK\x03\x04" + valid_content,
        "foreign": foreign_file.read_bytes(),
        "no numbers": valid_content[: 8 + length],
    }
    for position in range(8 + length, len(valid_content), 97):
        invalid_contents[f"flipped bit {position}"] = (
            valid_content[:position] + bytes([valid_content[position] ^ 1]) + valid_content[position + 1 :]
        )
    for name, content in invalid_contents.items():
        file = tmp_path / f"{name}.safetensors"
        file.write_bytes(content)
        with pytest.raises(InputError, match=re.escape(str(file))) as error_info:
            load_model(file)
        assert "\n" not in str(error_info.value)
    with pytest.raises(InputError, match="there is no model file"):
        load_model(tmp_path / "none")


def test_load_model_rejects_hostile_files(toy_model, tmp_path):
    """Well-formed files are rejected if no training writes their arrays or header."""
    with safe_open(toy_model, framework="numpy") as content:
        header = {**json.loads(content.metadata()["meteor_e"]), KEY: PLACEHOLDER}
        arrays = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118 - it is not a mapping
    count = len(arrays["weights"])
    nested = "[" * 100_000 + "]" * 100_000

    def replace_in_recipe(**recipe):
        """Return the header with other values in its recipe."""
        return json.dumps({**header, "recipe": {**header["recipe"], **recipe}})

    cases = {
        "not finite numbers": ({**arrays, "weights": np.full(count, np.inf)}, json.dumps(header)),
        "low has values": ({**arrays, "low": np.full(count, -np.inf)}, json.dumps(header)),
        "levels has values": ({**arrays, "levels": np.append(arrays["levels"][:-1], np.inf)}, json.dumps(header)),
        "scale has values": ({**arrays, "scale": np.zeros(count)}, json.dumps(header)),
        "weights has int64": ({**arrays, "weights": np.arange(count)}, json.dumps(header)),
        "weights has bool": ({**arrays, "weights": np.ones(count, bool)}, json.dumps(header)),
        "recursion": (
            arrays,
            f'{{"{KEY}": "{PLACEHOLDER}", "format": {json.dumps(header["format"])}, "recipe": {nested}}}',
        ),
        "all of which can be printed": (arrays, replace_in_recipe(name="toy\n\x1b[31m")),
        "1 to 100 characters": (arrays, replace_in_recipe(name="x" * 101)),
    }
    for number, (message, (numbers, text)) in enumerate(cases.items()):
        file = tmp_path / f"{number}.safetensors"
        file.write_bytes(insert_checksum(save(numbers, {"meteor_e": text})))
        with pytest.raises(MeteorError, match=message) as error_info:
            load_model(file)
        assert str(file) in str(error_info.value)
        assert "\n" not in str(error_info.value)
    short_arrays = {key: array[:5] if array.shape == (count,) else array for key, array in arrays.items()}
    file.write_bytes(insert_checksum(save(short_arrays, {"meteor_e": json.dumps(header)})))
    with pytest.raises(InputError, match=f"there are {count} features, and the model has weights of 5"):
        score_segments(load_model(file), FeatureBatch(["a cat"], [["the cat"]]), FeatureStore(enabled=False))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_load_model_rejects_pipes_devices_and_folders(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", tmp_path):
        with pytest.raises(InputError, match=f"cannot read {path}"):
            load_model(path)


def test_score_command_rejects_models_of_another_language(tmp_path):
    text = tmp_path / "text"
    text.write_text("eine Katze\n", encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-m", "meteor_e", "score", str(text), str(text), "-l", "de", "-M", "en-light"],
        capture_output=True,
        text=True,
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert len(process.stderr.splitlines()) == 1
    assert "use -M any" in process.stderr


def test_load_model_error_suggests_encoder_install(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_ENCODERS", str(tmp_path))
    with pytest.raises(MeteorError, match="meteor-e encoder install minilm"):
        load_model("en-light-context").features  # noqa: B018


def test_load_model_tolerates_small_differences(toy_model, monkeypatch):
    """Processors add numbers in different orders, so a feature can define a tolerance for its values."""
    compute = TextFeature.compute
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) + 5e-4)
    with pytest.raises(ConfigError, match="text"):
        load_model(toy_model).features  # noqa: B018
    monkeypatch.setattr(TextFeature, "tolerance", 1e-3, raising=False)
    assert load_model(toy_model).features.dimension
