"""Tuning for any measure of an evaluation, through the commands."""

from __future__ import annotations

import json

import pytest
import yaml
from meteor_e_evaluation.measures import MEASURES
from tiny_task import OUTPUTS, REFERENCE, run

from meteor_e.base.errors import ConfigError, InputError

OF_SEGMENTS = [name for name in MEASURES if name != "darr" and MEASURES[name].takes != "systems"] + [
    "darr:threshold=0.5"
]
SECOND = [text.replace("the ", "that ") for text in REFERENCE]


def lay_out(folder, name, references=(REFERENCE,), scale=1.0, words=""):
    folder.mkdir()
    for number, reference in enumerate(references):
        (folder / f"ref.{number}").write_text("".join(f"{text}{words}\n" for text in reference), encoding="utf-8")
    rows = ["SYS SID Z"]
    for place, (system, lines) in enumerate(OUTPUTS.items()):
        (folder / f"out.{system}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        rows += [f"{system} {at} {scale * (3 - place) + at % 4 * 0.3 + place * at % 3}" for at in range(1, 11)]
    # A second rating of one segment: the mean counts.
    rows.append("alpha 1 9.5")
    (folder / "da.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    index = folder / "index.yaml"
    index.write_text(
        f"name: {name}\npairs: [cs-en]\nreferences: 'ref.*'\noutputs: 'out.{{system}}'\n"
        "judgments: [{file: da.csv, format: da-segments}]\n",
        encoding="utf-8",
    )
    return index


@pytest.fixture
def index(tmp_path, packs, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    (tmp_path / "chain.yaml").write_text(
        "language: en\nnormalization: lower\nmatchers: [exact, stem]\n", encoding="utf-8"
    )
    return lay_out(tmp_path / "one", "One", (REFERENCE, SECOND))


@pytest.mark.parametrize("name", OF_SEGMENTS)
def test_tuned_chain_has_the_reported_score(index, tmp_path, name):
    chain, tuned = tmp_path / "chain.yaml", tmp_path / "tuned.yaml"
    arguments = ["-c", chain, "-O", name, "--trials", 30, "--json", "-o", tuned]
    report = json.loads(run("tune", index, *arguments).stdout)
    assert report["points tried"] == 30
    assert report["method"].endswith("stopped at 30 trials")
    assert report["tuned"]["value"] >= report["default"]["value"]
    for file, value in ((tuned, report["tuned"]["value"]), (chain, report["default"]["value"])):
        found = json.loads(run("evaluate", index, "-M", f"it={file}", "-s", name, "-f", "json").stdout)
        # Soft accuracy is tuned with p from the normal distribution, which is rough for ten segments.
        near = 0.05 if name == "spa" else 1e-9
        assert found["tables"][0]["metrics"]["it"]["cs-en"]["value"] == pytest.approx(value, abs=near)


@pytest.mark.parametrize("name", ["acc-eq", "pearson-item"])
def test_measure_objectives_with_folds_and_held_out_data(index, tmp_path, name):
    other = lay_out(tmp_path / "two", "Two", scale=2.0, words=" today")
    tuned = tmp_path / "tuned.yaml"
    arguments = ["-c", tmp_path / "chain.yaml", "-O", name, "--trials", 10, "--samples", 50]
    text = run("tune", index, *arguments, "--held-out", other, "--folds", 2, "-o", tuned).stdout
    assert "one-sided permutation test of the gain" in text
    content = tuned.read_text(encoding="utf-8")
    assert "# fold 2: default " in content
    assert "# held out: Two cs-en" in content
    assert yaml.safe_load(content)["matchers"]


def test_folds_choose_options_independently(index, tmp_path):
    option = "stem.stemmer=german,english"
    arguments = ["-c", tmp_path / "chain.yaml", "--option", option, "-O", "pearson", "--trials", 5, "--json"]
    report = json.loads(run("tune", index, *arguments, "--folds", 3).stdout)
    folds = report["cross-validation"]
    assert len(folds["options"]) == 3
    assert all(entry["stem.stemmer"] in ("german", "english") for entry in folds["options"])
    # The default is that of the chain that was given, whatever option came out best.
    plain = ["tune", index, "-c", tmp_path / "chain.yaml", "-O", "pearson", "--trials", 5, "--json"]
    assert report["default"] == json.loads(run(*plain).stdout)["default"]
    assert folds["default"] == json.loads(run(*plain, "--folds", 3).stdout)["cross-validation"]["default"]


def test_tune_limits_and_root(index, tmp_path):
    arguments = ["tune", index, "-c", tmp_path / "chain.yaml", "-O"]
    moved = tmp_path / "index.yaml"
    moved.write_bytes(index.read_bytes())
    shown = run(
        "tune", moved, "--root", index.parent, "-c", tmp_path / "chain.yaml", "-O", "pearson", "--trials", 2
    ).stdout
    assert "tuned on  One cs-en" in shown
    for more, error, message in (
        (["pearson", "--grid", "--trials", 3], ConfigError, "--trials goes with the search"),
        (["system-accuracy"], ConfigError, "too few to tune on"),
        (["rank"], InputError, "do not allow the objective tau-b|not rankings"),
    ):
        with pytest.raises(error, match=message):
            run(*arguments, *more)
