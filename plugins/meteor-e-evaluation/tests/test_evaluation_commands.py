"""Tests of the commands ``evaluate`` and ``tune``, and of score files in ``score``."""

from __future__ import annotations

import json

import pytest
from tiny_task import run

from meteor_e.base.errors import ConfigError, InputError

CHAIN = "language: en\nnormalization: lower\nmatchers: [exact, stem]\n"


@pytest.fixture
def index(task, packs, monkeypatch):
    """Add a chain to the tiny task; return the path of its index."""
    monkeypatch.setenv("METEOR_E_CACHE", str(task / "cache"))
    (task / "chain.yaml").write_text(CHAIN, encoding="utf-8")
    return task / "index.yaml"


def test_evaluate_writes_json(index):
    metric = f"mine={index.parent / 'chain.yaml'}"
    arguments = ["evaluate", index, "-M", metric, "-f", "json", "-s", "tau-strict", "-s", "tau-b", "--intervals", 50]
    result = run(*arguments)
    document = json.loads(result.stdout)
    assert [table["measure"] for table in document["tables"]] == ["tau-strict", "tau-b"]
    value = document["tables"][0]["metrics"]["mine"]["cs-en"]
    assert value["interval"][0] <= value["value"] <= value["interval"][1]
    assert document["counts"]["Tiny cs-en"]["untied pairs"] == 30
    assert run(*arguments).stdout == result.stdout


def test_evaluate_writes_a_table_with_significance(index):
    result = run("evaluate", index, "-M", "meteor", "-M", "bleu", "-M", "nist", "--significance", "--samples", 20)
    assert "Tiny, τ strict" in result.stdout
    assert "20 samples, seed 12345; assumes that segments or systems are independent" in result.stdout


def test_evaluate_checks_data(index):
    result = run("evaluate", index, "--check")
    assert "Tiny cs-en: 3 systems, 10 segments, 32 pairs, 30 untied pairs" in result.stdout
    assert "left out: 30 judgments of _ref" in result.stdout


def test_evaluate_reads_only_selected_pairs(index):
    other_index = index.with_name("other.yaml")
    other_index.write_text(
        "name: Other\npairs: [de-en]\noutputs: none\nreferences: none\njudgments: []\n", encoding="utf-8"
    )
    assert run("evaluate", index, other_index, "--pair", "cs-en", "--check").stdout.startswith("Tiny cs-en: 3 systems")


def test_evaluate_rejects_duplicate_metric_names(index):
    with pytest.raises(ConfigError, match="two metrics are called 'METEOR'"):
        run("evaluate", index, "-M", "meteor", "-M", "meteor")


def test_tune_tries_every_point_of_a_grid(index):
    ranges = ["--first", ".5 .2 .2 .5 1 .5", "--last", ".6 .2 .2 .5 1 .5", "--step", ".1"]
    report = run("tune", index, "-c", index.parent / "chain.yaml", "--grid", *ranges).stdout
    assert "2 points tried (grid)" in report


def test_tune_rejects_training_data_as_held_out_data(index):
    with pytest.raises(ConfigError, match="Tiny cs-en is both tuned on and held out"):
        run("tune", index, "-c", index.parent / "chain.yaml", "--held-out", index, "--starts", 0)


def test_tune_error_names_an_unknown_matcher(index):
    with pytest.raises(ConfigError, match="no matcher 'stm'"):
        run("tune", index, "-c", index.parent / "chain.yaml", "--option", "stm.x=1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--first", "1 2"], "--first has 2 numbers; 6 are needed"),
        (["--step", "x"], "is not a row of numbers"),
        (["--grid", "--step", "nan"], "a step of the grid is nan; it must be more than 0"),
        (["--grid", "--last", "inf"], "--last has 1 numbers"),
        (["--grid", "--step", "1e-9"], "from 0.0 to 1.0 are more than 10,000 values"),
        (["--grid", "--step", "1e-3"], "larger steps"),
        (["-O", "tau"], "unknown objective 'tau'"),
    ],
)
def test_tune_rejects_invalid_options(index, arguments, message):
    with pytest.raises(ConfigError, match=message):
        run("tune", index, "-c", index.parent / "chain.yaml", *arguments)


def test_score_reads_scores_of_a_file(tmp_path):
    for name in ("one", "ref"):
        (tmp_path / name).write_text("a text\n", encoding="utf-8")
    (tmp_path / "given").write_text("one\t0.25\n", encoding="utf-8")
    arguments = ["score", tmp_path / "one", tmp_path / "ref", "-q", "-M", f"scores:{tmp_path / 'given'}"]
    assert run(*arguments, "--name", "one").stdout == "0.25\n"
    with pytest.raises(InputError, match=r"one\.x"):
        run(*arguments, "--name", "one.x")


RECORDS = "name: Captions\npairs: [en-en]\nrecords: {file: rated.jsonl}\n"


@pytest.fixture
def records(task, packs, monkeypatch):
    """Write rated records of one system; return the path of their index."""
    monkeypatch.setenv("METEOR_E_CACHE", str(task / "cache"))
    rows = [("a dog", "the dog", 5), ("a cat", "the cat sat", 1.5), ("one bird", "one bird", 3)]
    lines = [
        json.dumps({"hypothesis": text, "references": [reference], "score": score}) for text, reference, score in rows
    ]
    (task / "rated.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (task / "records.yaml").write_text(RECORDS, encoding="utf-8")
    return task / "records.yaml"


def test_evaluate_selects_a_measure_that_suits_records(records):
    document = json.loads(run("evaluate", records, "-M", "meteor", "-f", "json").stdout)
    (table,) = document["tables"]
    assert table["measure"] == "pearson"
    assert -1 <= table["metrics"]["METEOR"]["en-en"]["value"] <= 1


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("tau-strict", "no segment has judgments of two systems; choose a measure over all segments, such as pearson"),
        ("acc-eq", "no segment has judgments of two systems"),
        ("pearson-item", "no segment has ratings of two systems; choose a measure over all segments"),
        ("system-pearson", "at least two systems need human scores; there is 1"),
        ("spa", "at least two systems need ratings of segments; there is 1"),
        ("darr", "no segment has ratings of two systems that differ by 25 or more"),
    ],
)
def test_evaluate_explains_undefined_measures(records, measure, reason):
    arguments = ["evaluate", records, "-M", "meteor", "-M", "bleu", "-s", measure]
    output = run(*arguments).stdout
    assert f"– (METEOR, BLEU; en-en): {reason}" in " ".join(output.split())
    values = json.loads(run(*arguments, "-f", "json").stdout)["tables"][0]["metrics"]
    assert all(value["en-en"]["value"] is None for value in values.values())
    assert all(value["en-en"]["reason"].startswith(reason) for value in values.values())


def test_evaluate_explains_measures_that_need_ratings(index):
    output = run("evaluate", index, "-M", "meteor", "-s", "pearson").stdout
    assert "– (METEOR; cs-en): the test set has rankings, but no ratings of segments" in " ".join(output.split())


def test_evaluate_selects_a_significance_test_by_name(index):
    arguments = ["evaluate", index, "-M", "meteor", "-M", "bleu", "--samples", 20, "--significance"]
    assert "permutation of systems, 20 samples" in run(*arguments, "systems").stdout
    assert "higher p-value of a permutation of segments and one of systems, 20 samples" in run(*arguments).stdout
