"""Models that are ready by name, and what keeps a model from giving other numbers than it learned from."""

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
from meteor_e_learned.recipe import load_recipe
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
NONE = FeatureStore(enabled=False)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A model of toy size, trained as the documentation says."""
    recipe = EXAMPLES / "judged/recipe.yaml"
    file = tmp_path_factory.mktemp("model") / "toy.safetensors"
    train(load_recipe(recipe), file, folder=recipe.parent, store=NONE)
    return file


def lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def make_examples(comparisons=True, assessments=True, seed=1):
    """Return examples of two years whose quality is the first feature, with noise in the judgements."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(800, 4))
    quality = features[:, 0] + 0.3 * draw.normal(size=800)
    part = np.repeat([0, 1], 400)
    pairs = draw.integers(400, size=(600, 2))
    swap = quality[pairs[:, 0]] < quality[pairs[:, 1]]
    better, worse = np.where(swap[:, None], pairs[:, ::-1], pairs).T
    scores = np.where(part == 1, 3 * quality + 7, np.nan) if assessments else np.full(800, np.nan)
    count = 600 if comparisons else 0
    none = np.empty((800, 0))
    return Examples(
        ("Year1 xx-en", "Year2 xx-en"), features, none, none, better[:count], worse[:count],
        np.zeros(count, np.int64), np.arange(count), np.ones(count), scores, part,
    )  # fmt: skip


COLUMNS = ("a.score", "b.score", "c.score", "d.score")


@pytest.mark.parametrize(("comparisons", "assessments"), [(True, False), (False, True), (True, True)])
def test_it_learns_from_either_kind(comparisons, assessments):
    estimator = GuardedLinear.make(prior_feature=(), penalty=0.001)
    figures = estimator.learn(make_examples(comparisons, assessments), None, TrainingRun(columns=COLUMNS))
    weights = estimator.weights_ / abs(estimator.weights_).max()
    assert weights[0] == 1
    assert abs(weights[1:]).max() < 0.15
    assert ("training tau Year1 xx-en" in figures) == comparisons


def test_it_is_drawn_to_what_is_known_to_be_sound():
    free = GuardedLinear.make(prior_feature=(), penalty=1e6)
    drawn = GuardedLinear.make(prior_feature=("b.score",), penalty=1e6, prior_weight=0.5)
    for estimator in (free, drawn):
        estimator.learn(make_examples(), None, TrainingRun(columns=COLUMNS))
    assert abs(free.weights_).max() < 1e-3
    assert drawn.weights_ == pytest.approx([0, 0.5, 0, 0], abs=1e-3)


def test_some_features_are_held_tighter():
    examples = make_examples()
    weights = {}
    for strength in (0.001, 1.0, 1e6):
        estimator = GuardedLinear.make(prior_feature=(), penalty=0.001, penalties={"a.": strength})
        estimator.learn(examples, None, TrainingRun(columns=COLUMNS))
        weights[strength] = estimator.weights_
    plain = GuardedLinear.make(prior_feature=(), penalty=0.001)
    plain.learn(examples, None, TrainingRun(columns=COLUMNS))
    assert weights[0.001] == pytest.approx(plain.weights_)
    assert weights[0.001][0] > weights[1.0][0] > 1e-3 > abs(weights[1e6][0])


def test_every_year_counts_alike():
    """Twice the same comparisons are no more than once."""
    once = make_examples(True, False)
    twice = dataclasses.replace(
        once, **{name: np.tile(getattr(once, name), 2) for name in ("better", "worse", "part", "group", "weight")}
    )
    weights = []
    for examples in (once, twice):
        estimator = GuardedLinear.make(prior_feature=())
        estimator.learn(examples, None, TrainingRun(columns=COLUMNS))
        weights.append(estimator.weights_)
    assert weights[0] == pytest.approx(weights[1], abs=1e-4)


def test_a_score_is_the_share_of_outputs_that_are_beaten():
    draw = np.random.default_rng(1)
    raw_scores = draw.normal(size=20_000)
    scale = Scale.fit(raw_scores, np.zeros(20_000, np.int64))
    assert scale.of(np.quantile(raw_scores, [0.05, 0.5, 0.9])) == pytest.approx([5, 50, 90], abs=0.1)
    wide = scale.of(np.linspace(-12, 12, 2001))
    assert (np.diff(wide) > 0).all()
    assert wide.min() > 0
    assert wide.max() < 100
    with pytest.raises(ValueError, match="do not increase"):
        Scale(np.zeros(len(SHARES)))


def test_parts_count_alike_on_the_scale():
    scores = np.concatenate([np.zeros(9000), np.ones(1000)])
    part = np.repeat([0, 1], [9000, 1000])
    assert Scale.fit(scores, part).of(np.array([0.5])) == pytest.approx([50], abs=1)


def test_reasons_add_up_to_the_difference(toy):
    model = load_model(toy)
    close, hasty, references = (
        lines("system-a.en.txt"),
        lines("judged/outputs/de-en.hasty.txt"),
        lines("reference.en.txt"),
    )
    reference_lists = [[reference] for reference in references]
    explanation = explain(model, close, hasty, reference_lists)
    assert explanation.first > explanation.second
    assert sum(reason.points for reason in explanation.reasons) == pytest.approx(explanation.first - explanation.second)
    assert "is" in explanation.text(("close", "hasty"))
    back = explain(model, hasty, close, reference_lists)
    assert [reason.points for reason in back.reasons] == pytest.approx(
        [-reason.points for reason in explanation.reasons]
    )
    same = explain(model, close, close, reference_lists)
    assert "the same score" in same.text()
    with pytest.raises(InputError, match="12 and 11 segments"):
        explain(model, close, hasty[:-1], reference_lists)


def test_a_feature_that_gives_other_numbers_is_noticed(toy, monkeypatch):
    """As with another version of a library: simulated by counts that are a little different."""
    compute = TextFeature.compute
    model = load_model(toy)
    monkeypatch.setattr(check_texts, "version", lambda name: {"wordfreq": "9.9"}.get(name, "1.0"))
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) * (1 + 1e-9))
    assert model.features.dimension == 38, "differences below the tolerance do not matter"
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) * 1.01)
    with pytest.raises(ConfigError, match=r"feature 'text\..*' gives .*wordfreq is 9.9"):
        load_model(toy).features  # noqa: B018


def test_a_new_definition_of_a_feature_is_noticed(toy, monkeypatch):
    monkeypatch.setattr(TextFeature, "version", 2)
    with pytest.raises(ConfigError, match=r"text=text:38:1: there, text=text:38:2: here"):
        load_model(toy).features  # noqa: B018


def test_a_column_that_is_new_in_a_feature_changes_no_model(toy, monkeypatch):
    """Models take the columns that they were trained on, by their names."""
    batch = FeatureBatch(["a b", "the old bridge"], [["a c"], ["an old bridge"]])
    expected_scores = score_segments(load_model(toy), batch, NONE)
    names, compute = TextFeature.columns, TextFeature.compute
    monkeypatch.setattr(TextFeature, "columns", ("brand_new", *names))
    monkeypatch.setattr(TextFeature, "dimension", 39)
    rows = lambda self, batch: np.hstack([np.full((len(batch), 1), 7.0), compute(self, batch)])  # noqa: E731
    monkeypatch.setattr(TextFeature, "compute", rows)
    model = load_model(toy)
    assert score_segments(model, batch, NONE).tolist() == expected_scores.tolist()
    monkeypatch.setattr(TextFeature, "columns", ("brand_new", *names[1:], "renamed"))
    with pytest.raises(ConfigError, match=r"trained on other features .*text\.references there"):
        load_model(toy).features  # noqa: B018


def test_scoring_needs_neither_pytorch_nor_scikit_learn(toy):
    code = f"""
import sys
sys.modules["meteor_e_evaluation"] = None  # as if it were not installed
from meteor_e.api import FeatureBatch
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.scoring import score_segments
model = load_model({str(toy)!r})
score_segments(model, FeatureBatch(["a b"], [["a c"]]), FeatureStore(enabled=False))
heavy = {{"torch", "sklearn", "scipy", "matplotlib", "textblob", "pandas"}} & sys.modules.keys()
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_other_languages_are_refused(toy):
    model = load_model(toy)
    check_language(model, "en")
    with pytest.raises(ConfigError, match=r"scores language 'en', not 'fr'; use -M any"):
        check_language(model, "fr")


def test_ready_models_are_small_and_say_what_they_reach():
    models = ready_models()
    assert {"en-light", "en-light-context"} <= models.keys()
    for name, card in models.items():
        model = load_model(name)
        assert model.recipe.name == name == card.name
        assert model.recipe.language == card.language
        assert model_size(name) < 100_000
        assert model.card["versions"].keys() == {"meteor_e", "meteor-e-learned", "numpy"}, "else bytes vary"
        assert re.search(rf"(ready_models\.py |ready/){name}(\.yaml)?\.$", card.trained), (
            "the command that trains it again"
        )
        metric = load_metric(name)
        assert (metric.label, metric.language) == (name, card.language)
        with pytest.raises(ConfigError, match="has no options"):
            load_metric(f"{name}:x=1")
        assert card.figures
        assert card.avoid


@pytest.mark.usefixtures("packs")
def test_a_ready_model_gives_better_translations_higher_scores():
    model = load_model("en-light")
    references = [[line] for line in lines("reference.en.txt")]
    scores = [
        score_segments(model, FeatureBatch(lines(name), references), NONE).mean()
        for name in ("system-a.en.txt", "judged/outputs/de-en.hasty.txt", "judged/outputs/de-en.broken.txt")
    ]
    assert 100 > scores[0] > scores[1] > scores[2] > 0


def test_a_model_reads_entities_if_its_recipe_says_so_and_its_signature_tells(toy):
    plain = load_model(toy)
    unescaping = dataclasses.replace(plain, recipe=msgspec.structs.replace(plain.recipe, unescape=True), _features=None)
    batch = FeatureBatch(["it isn &apos;t here", "it isn 't here"], [["it isn 't here"]] * 2)
    escaped, read = score_segments(plain, batch, NONE), score_segments(unescaping, batch, NONE)
    assert escaped[0] != escaped[1] == read[0] == read[1]
    assert signature_of(unescaping) == f"{signature_of(plain)}|unescape"
    assert load_model("en-light").recipe.unescape


def run(*arguments):
    return CliRunner().invoke(cli.model, [*map(str, arguments)])


def test_commands(toy):
    assert "en-light" in run("list").output
    assert "had not seen the test year" in run("show", "en-light").output
    with pytest.raises(ConfigError, match=r"no model 'en-lihgt' \(did you mean 'en-light'\?\)"):
        load_model("en-lihgt")


def test_roots_of_indexes(tmp_path):
    folder = tmp_path / "elsewhere"
    shutil.copytree(EXAMPLES / "judged", folder)
    arguments = [str(EXAMPLES / "judged/recipe.yaml"), "-o", str(tmp_path / "m.safetensors"), "--no-cache", "-q"]
    result = CliRunner().invoke(cli.train, [*arguments, "--root", f"ranked={folder}"])
    assert result.exit_code == 0, result.output
    for wrong, message in (("ranked", "not of the form NAME=DIR"), ("rankd=x", "did you mean 'ranked'")):
        with pytest.raises(ConfigError, match=message):
            CliRunner().invoke(cli.train, [*arguments, "--root", wrong], catch_exceptions=False)


def test_a_feature_that_no_plugin_brings(toy):
    model = load_model(toy)
    model.recipe = msgspec.structs.replace(model.recipe, features=["no-such-feature"])
    with pytest.raises(
        MeteorError, match=r"model 'toy' needs the feature 'no-such-feature', which no installed plugin brings"
    ):
        model.features  # noqa: B018


def test_score_explains(toy):
    files = [str(EXAMPLES / name) for name in ("system-a.en.txt", "judged/outputs/de-en.hasty.txt", "reference.en.txt")]
    result = CliRunner().invoke(score, [*files, "-M", f"model:{toy}", "--explain"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "points above de-en.hasty.txt" in result.output
    assert "  The values in parentheses are means over the segments, not corpus scores.\n" in result.output
    with pytest.raises(ConfigError, match="none of these metrics"):
        CliRunner().invoke(score, [*files, "-M", "chrf", "--explain"], catch_exceptions=False)


def test_explanations_take_what_scores_take(toy):
    metric = load_metric(f"model:{toy}")
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


def test_a_library_that_is_missing(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name == "sklearn" or name.startswith("sklearn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    folder = EXAMPLES / "judged"
    recipe = msgspec.structs.replace(
        load_recipe(folder / "recipe.yaml"), estimator="pairwise-logistic", options={}, features=["text"]
    )
    message = r"^training 'pairwise-logistic' needs sklearn.*, which is not installed; .*pip install '.*\[train\]'$"
    with pytest.raises(ConfigError, match=message):
        train(recipe, tmp_path / "model.safetensors", folder=folder, store=NONE)
    assert not (tmp_path / "model.safetensors").exists()


def test_files_of_other_programs(tmp_path):
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


def test_long_texts_are_scored_in_blocks(toy, monkeypatch):
    """Memory does not grow with the number of segments; scores and progress do not show the blocks."""
    hypotheses = [f"the {word} sat on the mat" for word in ("cat", "dog", "hen", "ox", "cow")]
    batch = FeatureBatch(hypotheses, [["a cat sat on the mat"]] * 5)
    model, store = load_model(toy), FeatureStore(enabled=False)
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


def test_files_that_are_no_models_are_refused_in_one_line(toy, tmp_path):
    valid_content = toy.read_bytes()
    length = int.from_bytes(valid_content[:8], "little")
    foreign = tmp_path / "foreign.safetensors"
    save_file({"weights": np.zeros(3)}, foreign)
    damaged = {
        "empty": b"",
        "text": b"weights: 1, 2, 3\n",
        "cut": valid_content[: len(valid_content) // 2],
        "huge header": (1 << 60).to_bytes(8, "little") + valid_content[8:],
        "broken header": valid_content[:20] + b"\0\xff" + valid_content[22:],
        "zip": b"PK\x03\x04" + valid_content,
        "foreign": foreign.read_bytes(),
        "no numbers": valid_content[: 8 + length],
    }
    for position in range(8 + length, len(valid_content), 97):
        damaged[f"flipped bit {position}"] = (
            valid_content[:position] + bytes([valid_content[position] ^ 1]) + valid_content[position + 1 :]
        )
    for name, content in damaged.items():
        file = tmp_path / f"{name}.safetensors"
        file.write_bytes(content)
        with pytest.raises(InputError, match=re.escape(str(file))) as refused:
            load_model(file)
        assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="there is no model file"):
        load_model(tmp_path / "none")


def test_hostile_models_are_refused(toy, tmp_path):
    """Well-formed files with arrays or a header that no training writes."""
    with safe_open(toy, framework="numpy") as content:
        header = {**json.loads(content.metadata()["meteor_e"]), KEY: PLACEHOLDER}
        arrays = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118 - it is no mapping
    count = len(arrays["weights"])
    nested = "[" * 100_000 + "]" * 100_000

    def replace_in_recipe(**recipe):
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
    fewer = {key: array[:5] if array.shape == (count,) else array for key, array in arrays.items()}
    file.write_bytes(insert_checksum(save(fewer, {"meteor_e": json.dumps(header)})))
    with pytest.raises(InputError, match=f"there are {count} features, and the model has weights of 5"):
        score_segments(load_model(file), FeatureBatch(["a cat"], [["the cat"]]), FeatureStore(enabled=False))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_devices_and_folders_are_no_models(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", tmp_path):
        with pytest.raises(InputError, match=f"cannot read {path}"):
            load_model(path)


def test_a_model_of_another_language_is_refused_in_one_line(tmp_path):
    text = tmp_path / "text"
    text.write_text("eine Katze\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "meteor_e", "score", str(text), str(text), "-l", "de", "-M", "en-light"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "use -M any" in done.stderr


def test_a_model_whose_encoder_is_missing_says_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_ENCODERS", str(tmp_path))
    with pytest.raises(MeteorError, match="meteor-e encoder install minilm"):
        load_model("en-light-context").features  # noqa: B018


def test_numbers_of_an_encoder_may_differ_a_little(toy, monkeypatch):
    """Processors add up in another order; a feature says how much that makes."""
    compute = TextFeature.compute
    monkeypatch.setattr(TextFeature, "compute", lambda self, batch: compute(self, batch) + 5e-4)
    with pytest.raises(ConfigError, match="text"):
        load_model(toy).features  # noqa: B018
    monkeypatch.setattr(TextFeature, "tolerance", 1e-3, raising=False)
    assert load_model(toy).features.dimension
