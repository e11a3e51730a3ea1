"""Run all extensions of the plugin ``extensions.py``, which contains a class or a mapping of each kind."""

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
JUDGED_EXAMPLES = REPOSITORY / "examples" / "judged"
HYPOTHESES = ["the cats sat on the mat", "he gives her two books"]
REFERENCES = ["the cat sat on a mat", "he gave her two books"]
RECIPE = f"""
name: mean
estimator: feature-mean
train: [{{index: {JUDGED_EXAMPLES / "ranked.yaml"}}}]
features: [{{use: meteor, chain: {{language: en, matchers: [exact]}}}}, length-ratio]
"""


@pytest.fixture(autouse=True)
def _register_plugin(monkeypatch):
    """Register the plugin in a new registry."""
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    plugin_registry().register(extensions, "extensions")


@pytest.fixture
def _text_files(tmp_path, monkeypatch):
    """Write the hypotheses and references to files in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    Path("hypotheses").write_text("".join(f"{line}\n" for line in HYPOTHESES), encoding="utf-8")
    Path("references").write_text("".join(f"{line}\n" for line in REFERENCES), encoding="utf-8")


def run(*arguments: str) -> str:
    """Run meteor-e, and return its standard output."""
    result = CliRunner().invoke(cli, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, (arguments, result.output)
    return result.stdout


def test_plugin_passes_the_conformance_checks():
    check_plugin(extensions)
    for component in (extensions.FirstLetterMatcher, extensions.LengthRatio, extensions.LowerCaseLemmatizer):
        check_component(component)


def test_matcher_aligns_words_with_the_same_first_letter():
    alignment = Meteor("en", matchers=["exact", "first-letter"]).score("a bird", ["a bat"]).alignment
    assert ("bird", "bat", "first-letter") in alignment.pairs()


def test_lemmatizer_aligns_words_with_the_same_lemma():
    meteor = Meteor("en", matchers=["lemma"], lemmatizer="lower-case", normalization="none")
    assert meteor.score("A Bird", ["a bird"]).alignment.pairs() == [("A", "a", "lemma"), ("Bird", "bird", "lemma")]


def test_segmenter_splits_words_at_hyphens():
    meteor = Meteor("en", matchers=["exact"], segmenter="hyphens", normalization="lower")
    assert meteor.score("a-bird", ["a bird"]).recall == 1


def test_language_file_defines_a_language():
    assert Meteor("io").score("bona dio", ["bona nokto"]).precision == 0.5
    assert "Ido" in run("plugins", "io")


@pytest.mark.usefixtures("_text_files")
def test_metric_scores_in_python_and_on_the_command_line():
    result = load_metric("word-share").corpus(HYPOTHESES, REFERENCES, segments=True)
    assert result.segment_scores.tolist() == [0.8, 0.8]
    assert "word-share" in run("score", "hypotheses", "-r", "references", "-M", "word-share")


@pytest.mark.usefixtures("_text_files")
def test_output_format_is_used_by_the_score_command():
    assert "| hypotheses | " in run("score", "hypotheses", "-r", "references", "-m", "exact", "-f", "org")


@pytest.mark.usefixtures("_text_files")
def test_measure_is_a_column_of_the_evaluate_command():
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    table = run("evaluate", str(JUDGED_EXAMPLES / "assessed.yaml"), "-M", "word-share", "-s", "same-side", "-q")
    assert "same side" in table


@pytest.mark.usefixtures("_text_files")
def test_perturbation_is_used_by_the_stress_command():
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    table = run("stress", "hypotheses", "-r", "references", "-M", "word-share", "--only", "last-word-dropped", "-q")
    assert "last-word-dropped" in table


@pytest.mark.usefixtures("_text_files")
def test_feature_and_estimator_are_used_by_the_train_command():
    pytest.importorskip("meteor_e_learned", reason="needs the plugin meteor-e-learned")
    pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")
    Path("mean.yaml").write_text(RECIPE, encoding="utf-8")
    run("train", "mean.yaml", "-o", "mean.safetensors", "--no-cache", "-q")
    scores = load_metric("./mean.safetensors").corpus(HYPOTHESES, REFERENCES, segments=True).segment_scores
    assert np.isfinite(scores).all()


def test_plugin_implements_all_other_hooks():
    from meteor_e.api import hooks

    # The tests of other plugins cover these hooks.
    excluded_hooks = {
        "meteor_e_java_modules",
        "meteor_e_table_formats",
        "meteor_e_runners",
        "meteor_e_chains",
        "meteor_e_commands",
    }
    all_hooks = {name for name in vars(hooks) if name.startswith("meteor_e_")}
    implemented_hooks = {name for name in vars(extensions) if name.startswith("meteor_e_")}
    assert implemented_hooks == all_hooks - excluded_hooks


def test_contributing_guide_names_only_existing_files():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Where to change what")[2].partition("\n## ")[0]
    paths = set(re.findall(r"`((?:meteor_e|resources|tests|plugins)/[^`\s]*)`", table))
    assert len(paths) > 15
    assert [path for path in sorted(paths) if not (REPOSITORY / path).exists()] == []
