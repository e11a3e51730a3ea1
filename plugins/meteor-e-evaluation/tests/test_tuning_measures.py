"""Tests that the command ``tune`` can maximize every measure that is based on segment scores."""

from __future__ import annotations

import json

import pytest
import yaml
from meteor_e_evaluation.measures import MEASURES
from tiny_task import OUTPUTS, REFERENCE, run

from meteor_e.base.errors import ConfigError, InputError

# The default threshold of darr is too high for the ratings of these tests.
SEGMENT_MEASURES = [name for name in MEASURES if name != "darr" and MEASURES[name].takes != "systems"]
SEGMENT_MEASURES.append("darr:threshold=0.5")
SECOND_REFERENCE = [text.replace("the ", "that ") for text in REFERENCE]


def write_rated_task(folder, name, references=(REFERENCE,), scale=1.0, suffix=""):
    """Write a task with ratings; return the path of its index.

    Args:
        folder: a new folder for the task.
        name: name of the task.
        references: one or more references.
        scale: distance between the mean ratings of two systems.
        suffix: text that is appended to each reference.
    """
    folder.mkdir()
    for number, reference in enumerate(references):
        (folder / f"ref.{number}").write_text("".join(f"{text}{suffix}\n" for text in reference), encoding="utf-8")
    rows = ["SYS SID Z"]
    for index, (system, lines) in enumerate(OUTPUTS.items()):
        (folder / f"out.{system}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for segment in range(1, 11):
            rating = scale * (3 - index) + segment % 4 * 0.3 + index * segment % 3
            rows.append(f"{system} {segment} {rating}")
    # One output has a second rating, so that the mean of its ratings is used.
    rows.append("alpha 1 9.5")
    (folder / "da.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    index_file = folder / "index.yaml"
    index_file.write_text(
        f"name: {name}\npairs: [cs-en]\nreferences: 'ref.*'\noutputs: 'out.{{system}}'\n"
        "judgments: [{file: da.csv, format: da-segments}]\n",
        encoding="utf-8",
    )
    return index_file


@pytest.fixture
def index(tmp_path, packs, monkeypatch):
    """Write a chain and a task with two references; return the path of the index."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    (tmp_path / "chain.yaml").write_text(
        "language: en\nnormalization: lower\nmatchers: [exact, stem]\n", encoding="utf-8"
    )
    return write_rated_task(tmp_path / "one", "One", (REFERENCE, SECOND_REFERENCE))


@pytest.mark.parametrize("name", SEGMENT_MEASURES)
def test_tune_reports_the_value_of_the_tuned_chain(index, tmp_path, name):
    chain, tuned_chain = tmp_path / "chain.yaml", tmp_path / "tuned.yaml"
    arguments = ["-c", chain, "-O", name, "--trials", 30, "--json", "-o", tuned_chain]
    report = json.loads(run("tune", index, *arguments).stdout)
    assert report["points tried"] == 30
    assert report["method"].endswith("stopped at 30 trials")
    assert report["tuned"]["value"] >= report["default"]["value"]
    for file, value in ((tuned_chain, report["tuned"]["value"]), (chain, report["default"]["value"])):
        evaluation = json.loads(run("evaluate", index, "-M", f"it={file}", "-s", name, "-f", "json").stdout)
        # For tuning, soft pairwise accuracy uses a normal approximation of p-values, which is rough for ten segments.
        tolerance = 0.05 if name == "spa" else 1e-9
        assert evaluation["tables"][0]["metrics"]["it"]["cs-en"]["value"] == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize("name", ["acc-eq", "pearson-item"])
def test_tune_validates_measures_on_folds_and_held_out_data(index, tmp_path, name):
    held_out_index = write_rated_task(tmp_path / "two", "Two", scale=2.0, suffix=" today")
    tuned_chain = tmp_path / "tuned.yaml"
    arguments = ["-c", tmp_path / "chain.yaml", "-O", name, "--trials", 10, "--samples", 50]
    text = run("tune", index, *arguments, "--held-out", held_out_index, "--folds", 2, "-o", tuned_chain).stdout
    assert "one-sided permutation test of the gain" in text
    content = tuned_chain.read_text(encoding="utf-8")
    assert "# fold 2: default " in content
    assert "# held out: Two cs-en" in content
    assert yaml.safe_load(content)["matchers"]


def test_tune_selects_options_in_each_fold(index, tmp_path):
    option = "stem.stemmer=german,english"
    arguments = ["-c", tmp_path / "chain.yaml", "--option", option, "-O", "pearson", "--trials", 5, "--json"]
    report = json.loads(run("tune", index, *arguments, "--folds", 3).stdout)
    folds = report["cross-validation"]
    assert len(folds["options"]) == 3
    assert all(entry["stem.stemmer"] in ("german", "english") for entry in folds["options"])
    # The default value is that of the original chain, regardless of the selected option.
    fixed_arguments = ["tune", index, "-c", tmp_path / "chain.yaml", "-O", "pearson", "--trials", 5, "--json"]
    assert report["default"] == json.loads(run(*fixed_arguments).stdout)["default"]
    assert folds["default"] == json.loads(run(*fixed_arguments, "--folds", 3).stdout)["cross-validation"]["default"]


def test_tune_reads_root_and_rejects_invalid_objectives(index, tmp_path):
    arguments = ["tune", index, "-c", tmp_path / "chain.yaml", "-O"]
    index_copy = tmp_path / "index.yaml"
    index_copy.write_bytes(index.read_bytes())
    report = run(
        "tune", index_copy, "--root", index.parent, "-c", tmp_path / "chain.yaml", "-O", "pearson", "--trials", 2
    ).stdout
    assert "tuned on  One cs-en" in report
    for objective, error, message in (
        (["pearson", "--grid", "--trials", 3], ConfigError, "--trials goes with the search"),
        (["system-accuracy"], ConfigError, "too few to tune on"),
        (["rank"], InputError, "do not allow the objective tau-b|not rankings"),
    ):
        with pytest.raises(error, match=message):
            run(*arguments, *objective)
