from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest

from meteor_e import InputError, Meteor, load_metric
from meteor_e.mbr.decisions import choices

SOURCES = [
    ["the cat sat on the mat", "a cat sat on the mat", "dogs bark", "the cat is on the mat"],
    ["many people run", "a lot of people hurry", "a lot of people run", "x"],
]
MOSES = "".join(f"{at} ||| {text} ||| F0= 1 ||| -{at}\n" for at, each in enumerate(SOURCES) for text in each)
LINES = "".join(f"{text}\n" for each in SOURCES for text in each)
FAIRSEQ = "".join(
    f"S-{at}\tein Satz\nT-{at}\tone sentence\n"
    + "".join(f"H-{at}\t-0.{k}\t▁{text}\nD-{at}\t-0.{k}\t{text}\nP-{at}\t-0.1 -0.2\n" for k, text in enumerate(each))
    for at, each in enumerate(SOURCES)
)
TOKENS = "".join(f"H-{at}\t-1.5\t{text}\n" for at, each in enumerate(SOURCES) for text in each)
JSON = "".join(json.dumps(each if at else {"candidates": each}) + "\n" for at, each in enumerate(SOURCES))


def expected(score):
    chosen = []
    for each in SOURCES:
        means = [np.mean([score(one, other) for other in each]) for one in each]
        chosen.append((int(np.argmax(means)), float(max(means)), means))
    return chosen


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (MOSES, []),
        (FAIRSEQ, []),
        (TOKENS, []),
        (LINES, ["--candidates", "4"]),
        (JSON, []),
        (JSON, ["--format-in", "jsonl"]),
    ],
)
def test_every_form_of_candidates(cli, own_packs, content, options):
    cli.file("candidates", content)
    meteor = Meteor("en")
    right = expected(lambda one, other: meteor.score(one, other).score)
    assert cli("mbr", "candidates", *options).out.splitlines() == [
        each[at] for each, (at, _, _) in zip(SOURCES, right, strict=True)
    ]
    rows = [line.split("\t") for line in cli("mbr", "-", *options, "-f", "tsv", text=content).out.splitlines()]
    assert rows[0] == ["source", "candidate", "expected", "text"]
    for row, (at, score, _) in zip(rows[1:], right, strict=True):
        assert int(row[1]) == at + 1
        assert float(row[2]) == pytest.approx(score, abs=1e-15)


def test_another_metric_and_all_scores(cli):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    cli.file("candidates", MOSES)
    chrf, ter = load_metric("chrf"), load_metric("ter")
    right = expected(lambda one, other: chrf.score(one, other))
    found = [json.loads(line) for line in cli("mbr", "candidates", "-M", "chrf", "-f", "jsonl").out.splitlines()]
    for entry, each, (at, _, means) in zip(found, SOURCES, right, strict=True):
        assert entry["expected_scores"] == pytest.approx(means)
        assert (entry["candidate"], entry["text"]) == (at + 1, each[at])
        assert entry["signature"].startswith("chrF2|")
    # The lower, the better.
    least = expected(lambda one, other: -ter.score(one, other))
    assert cli("mbr", "candidates", "-M", "ter").out.splitlines() == [
        each[at] for each, (at, _, _) in zip(SOURCES, least, strict=True)
    ]


@pytest.mark.parametrize(
    ("content", "options", "code", "message"),
    [
        ("", [], 1, "is empty"),
        ("no marks\n", [], 2, "--candidates N"),
        (LINES, ["--candidates", "3"], 1, "8 lines, which is not a multiple of 3"),
        ("0 ||| a\n1 ||| b\n0 ||| c\n", [], 1, "line 3: source 0 comes back"),
        ("0 ||| a\nb\n", [], 1, "line 2: not of the form"),
        ("H-0\t-1\ta\n2020-01-01 | INFO | done\n", [], 1, "line 2: not of fairseq's form"),
        ("H-0\t-1\ta\nH-0\ttext\n", [], 1, "line 2: a score and a text are needed after H-0"),
        ("H-0\t-1\ta\nD-0\t-1\ta\nH-0\t-1\ta\n", [], 1, "2 lines H- and 1 lines D-"),
        ("H-0\t-1\ta\nH-1\t-1\tb\nH-0\t-1\tc\n", [], 1, "line 3: source 0 comes back"),
        ("S-0\ttext\n", [], 1, "there are no candidates"),
        ('["a"]\n[]\n', [], 1, "line 2: a list of texts is needed"),
        ('["a"]\n["a", 1]\n', [], 1, "line 2: a list of texts is needed"),
        ('["a"]\n["a"\n', [], 1, "line 2: not valid JSON"),
        ('{"a": 1}\n', [], 1, "under 'candidates'"),
        (MOSES, ["--candidates", "2", "--format-in", "moses"], 2, "goes with the form 'lines'"),
        (MOSES, ["-M", "chrff"], 2, "did you mean 'chrf'"),
    ],
)
def test_what_is_refused(cli, content, options, code, message):
    cli.file("candidates", content)
    assert message in cli.failing(code, "mbr", "candidates", "-l", "other", *options)


def test_the_old_spelling_of_an_option_says_the_new_one(cli):
    cli.file("candidates", MOSES)
    assert "--format-in" in cli.failing(2, "mbr", "candidates", "--input-format", "lines")


@pytest.mark.parametrize("name", ["meteor", "chrf"])
@pytest.mark.parametrize("size", [1, 5, 9])
def test_a_large_source_is_scored_in_parts(own_packs, monkeypatch, name, size):
    """Sources of both kinds in any order, with candidates that come twice."""
    if name == "chrf":
        pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    large = [*SOURCES[0], SOURCES[0][1], "", *SOURCES[1]]
    sources = [large, SOURCES[1][:2], SOURCES[1][:1], SOURCES[0], large]
    metric, told = load_metric(name), []
    whole = list(choices(metric, sources, "en"))
    monkeypatch.setattr(import_module("meteor_e.mbr.decisions"), "SCORES", size)
    parts = choices(metric, sources, "en", progress=lambda *work: told.append(work))
    for found, expected in zip(parts, whole, strict=True):
        assert found[:3] == expected[:3]
        assert found.scores.tolist() == expected.scores.tolist()
    assert told[-1] == ("source 5", 9, 9)
    assert {stage for stage, _, _ in told} >= {"source 1", "source 4", "source 5"}


def test_a_pair_of_a_large_source_that_cannot_be_scored(own_packs, monkeypatch):
    monkeypatch.setattr(import_module("meteor_e.mbr.decisions"), "SCORES", 2)
    bad = ["x", "y", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    with pytest.raises(InputError, match=r"source 2, distinct candidates from 3: .*because words repeat"):
        list(choices(load_metric("meteor"), [["x"], bad], "other"))


@pytest.mark.parametrize("bad", ["text", {"a": "b"}, ["a", None], ["a", ["b"]], []])
def test_what_are_no_candidates(bad):
    with pytest.raises(InputError, match="source 2"):
        list(choices(load_metric("meteor"), [["x"], bad], "other"))
