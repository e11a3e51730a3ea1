"""Tests of the command ``meteor-e papers``, which trains the recipes of papers on the user's judgments."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from meteor_e_papers.cli import papers
from meteor_e_papers.paper_recipes import recipe_names

from meteor_e import load_metric
from meteor_e.base.errors import ConfigError


def run(*arguments):
    """Run ``meteor-e papers``, check that it succeeds, and return its output."""
    result = CliRunner().invoke(papers, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_command_prints_all_recipes():
    assert recipe_names() == ["guzman", "maxsd-1", "maxsd-2", "usaar-comet", "usaar-cosine", "usaar-zwickel"]
    output = run("list")
    assert all(f"{name}: " in output for name in recipe_names())


@pytest.mark.parametrize("name", ["maxsd-1", "maxsd-2", "usaar-cosine", "usaar-zwickel", "usaar-comet", "guzman"])
def test_train_command_trains_a_model_that_scores(name, test_set, tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    model = tmp_path / f"{name}.safetensors"
    kind = "document" if name.startswith("usaar") else "word"
    extra_options = [] if name.startswith("usaar") else ["--epochs", 2, "--validation", test_set / "ranked.yaml"]
    index, vector_file = test_set / "ranked.yaml", test_set / "words.txt"
    run("train", name, "--data", index, f"--{kind}-vectors", vector_file, "-o", model, "-q", *extra_options)
    metric = load_metric(f"model:{model}")
    if name != "guzman":
        good_score = metric.score("new houses were sold", "new houses were sold")
        assert good_score.score > metric.score("zzyx", "the old city").score


def test_train_command_reports_missing_arguments(test_set, tmp_path):
    index = test_set / "ranked.yaml"
    for arguments, message in (
        (("maxd-1",), r"no recipe 'maxd-1' \(did you mean 'maxsd-1'\?\); the recipes are guzman"),
        (("maxsd-1",), r"recipe 'maxsd-1' needs --word-vectors FILE"),
        (("usaar-comet",), r"recipe 'usaar-comet' needs --document-vectors FILE"),
    ):
        with pytest.raises(ConfigError, match=message):
            run("train", *arguments, "--data", index, "-o", tmp_path / "m")


def test_document_vectors_command_writes_a_file(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the prime minister of new york said no\n" * 30, encoding="utf-8")
    assert "words and phrases, 8 dimensions" in run(
        "document-vectors", text, "-o", tmp_path / "v.bin", "-d", 8, "--epochs", 1
    )
    run("document-vectors", text, "-o", tmp_path / "w.bin", "-d", 8, "--epochs", 1, "-l", "de")
    assert (tmp_path / "w.bin").stat().st_size > 0
