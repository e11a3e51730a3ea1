"""The plugin ``extensions.py`` contains an extension of each kind, as one class or one mapping, and all of them run."""

from __future__ import annotations

import re
from pathlib import Path

import extensions
import numpy as np
import pytest
from click.testing import CliRunner

from meteor_e import Meteor, load_metric
from meteor_e.cli.program import cli
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.testing import check_component, check_plugin

REPOSITORY = Path(__file__).parents[2]
JUDGED = REPOSITORY / "examples" / "judged"
HYPOTHESES = ["the cats sat on the mat", "he gives her two books"]
REFERENCES = ["the cat sat on a mat", "he gave her two books"]
RECIPE = f"""
name: mean
estimator: feature-mean
train: [{{index: {JUDGED / "ranked.yaml"}}}]
features: [{{use: meteor, chain: {{language: en, matchers: [exact]}}}}, length-ratio]
"""


@pytest.fixture(autouse=True)
def _plugin(monkeypatch):
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    plugin_registry().register(extensions, "extensions")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    Path("hypotheses").write_text("".join(f"{line}\n" for line in HYPOTHESES), encoding="utf-8")
    Path("references").write_text("".join(f"{line}\n" for line in REFERENCES), encoding="utf-8")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, (arguments, result.output)
    return result.stdout


def test_plugin_conforms():
    check_plugin(extensions)
    for component in (extensions.FirstLetterMatcher, extensions.LengthRatio, extensions.LowerCaseLemmatizer):
        check_component(component)


def test_matcher_of_the_guide_works():
    alignment = Meteor("en", matchers=["exact", "first-letter"]).score("a bird", ["a bat"]).alignment
    assert ("bird", "bat", "first-letter") in alignment.pairs()


def test_lemmatizer_of_the_guide_works():
    meteor = Meteor("en", matchers=["lemma"], lemmatizer="lower-case", normalization="none")
    assert meteor.score("A Bird", ["a bird"]).alignment.pairs() == [("A", "a", "lemma"), ("Bird", "bird", "lemma")]


def test_segmenter_of_the_guide_works():
    meteor = Meteor("en", matchers=["exact"], segmenter="hyphens", normalization="lower")
    assert meteor.score("a-bird", ["a bird"]).recall == 1


def test_language_of_the_guide_works():
    assert Meteor("io").score("bona dio", ["bona nokto"]).precision == 0.5
    assert "Ido" in run("plugins", "io")


def test_metric_of_the_guide_works(files):
    assert load_metric("word-share").corpus(HYPOTHESES, REFERENCES, segments=True).segment_scores.tolist() == [0.8, 0.8]
    assert "word-share" in run("score", "hypotheses", "-r", "references", "-M", "word-share")


def test_output_format_of_the_guide_works(files):
    assert "| hypotheses | " in run("score", "hypotheses", "-r", "references", "-m", "exact", "-f", "org")


def test_measure_of_the_guide_works(files):
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    table = run("evaluate", str(JUDGED / "assessed.yaml"), "-M", "word-share", "-s", "same-side", "-q")
    assert "same side" in table


def test_perturbation_of_the_guide_works(files):
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    table = run("stress", "hypotheses", "-r", "references", "-M", "word-share", "--only", "last-word-dropped", "-q")
    assert "last-word-dropped" in table


def test_feature_and_estimator_of_the_guide_work(files):
    pytest.importorskip("meteor_e_learned", reason="needs the plugin meteor-e-learned")
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    Path("mean.yaml").write_text(RECIPE, encoding="utf-8")
    run("train", "mean.yaml", "-o", "mean.safetensors", "--no-cache", "-q")
    scores = load_metric("./mean.safetensors").corpus(HYPOTHESES, REFERENCES, segments=True).segment_scores
    assert np.isfinite(scores).all()


def test_hooks_of_components_are_all_extended():
    # What has no test here: java modules, table formats and runners have tests of their own plugins.
    elsewhere = {"meteor_e_java_modules", "meteor_e_table_formats", "meteor_e_runners", "meteor_e_chains"}
    elsewhere.add("meteor_e_commands")
    from meteor_e.api import hooks

    names = {name for name in vars(hooks) if name.startswith("meteor_e_")}
    assert {name for name in vars(extensions) if name.startswith("meteor_e_")} == names - elsewhere


def test_files_that_the_guide_names_exist():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Where to change what")[2].partition("\n## ")[0]
    paths = set(re.findall(r"`((?:meteor_e|resources|tests|plugins)/[^`\s]*)`", table))
    assert len(paths) > 15
    assert [path for path in sorted(paths) if not (REPOSITORY / path).exists()] == []
