"""Tests of ``meteor-e score`` with several metrics and systems: formats, significance, names, and test sets."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import ClassVar

import pytest

from meteor_e import Meteor

FIRST = "in the end the big ship left\nmany people run\nthe cat sat\n"
SECOND = "at last a vessel left\nmany people hurry\nthe dog sat\n"
REFERENCE = "at last the vessel leaves\na lot of people hurry\nthe cat sat down\n"


@pytest.fixture(autouse=True)
def files(cli):
    """Write the outputs of the systems ``one`` and ``two`` and their reference."""
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    for name, text in (("one", FIRST), ("two", SECOND), ("ref", REFERENCE)):
        cli.file(name, text)


def score_with_sacrebleu(class_name, text, **options):
    """Return the corpus score and the signature that a metric of sacreBLEU computes for a system output."""
    import sacrebleu.metrics

    metric = getattr(sacrebleu.metrics, class_name)(**options)
    return metric.corpus_score(text.splitlines(), [REFERENCE.splitlines()]).score, str(metric.get_signature())


def test_table_has_a_signature_for_each_metric(cli, own_packs):
    options = ("-M", "meteor", "-M", "bleu", "-M", "chrf", "-M", "ter")
    lines = cli("score", "one", "two", "ref", *options).out.splitlines()
    assert lines[0].split() == ["system", "METEOR", "BLEU", "chrF", "TER", "↓", "segments"]
    meteor = Meteor("en")
    for line, name, text in ((lines[1], "one", FIRST), (lines[2], "two", SECOND)):
        meteor_score = meteor.corpus(text.splitlines(), REFERENCE.splitlines()).score
        sacrebleu_scores = [score_with_sacrebleu(class_name, text)[0] for class_name in ("BLEU", "CHRF", "TER")]
        assert line.split() == [name, f"{meteor_score:.4f}", *(f"{score:.2f}" for score in sacrebleu_scores), "3"]
    assert lines[4] == f"METEOR: {meteor.signature}"
    _, bleu_signature = score_with_sacrebleu("BLEU", FIRST)
    assert lines[5] == f"BLEU: BLEU|{bleu_signature}"
    assert lines[6].startswith("chrF: chrF2|nrefs:1|")


def test_score_applies_metric_options_and_labels(cli, own_packs):
    metrics = ("-M", "meteor", "-M", "zh=bleu:tokenize=zh")
    document = json.loads(cli("score", "one", "ref", *metrics, "-t", "adq", "--format=json", "--segments").out)
    meteor = Meteor("en", task="adq")
    assert document["metrics"]["METEOR"]["signature"] == meteor.signature
    (system,) = document["systems"]
    score = meteor.corpus(FIRST.splitlines(), REFERENCE.splitlines(), segments=True)
    assert system["scores"]["METEOR"]["score"] == score.score
    segment_scores = [segment["scores"]["METEOR"]["score"] for segment in system["segments"]]
    assert segment_scores == [segment.score for segment in score.segments]
    assert system["scores"]["zh"]["score"] == score_with_sacrebleu("BLEU", FIRST, tokenize="zh")[0]
    assert "significance" not in document


def test_significance_option_tests_every_metric(cli, own_packs):
    arguments = ("score", "one", "two", "ref", "-M", "meteor", "-M", "ter", "--samples", "200")
    document = json.loads(cli(*arguments, "--format=json", "--significance", "randomization").out)
    tests = document["significance"].pop("tests")
    assert document["significance"] == {"test": "randomization", "samples": 200, "seed": 12345, "baseline": "one"}
    assert [test["system"] for test in tests["TER"]] == ["one", "two"]
    first, second = tests["TER"]
    scores = [system["scores"]["TER"]["score"] for system in document["systems"]]
    assert first["p"] is None
    assert 0 < second["p"] <= 1
    assert second["difference"] == scores[1] - scores[0]
    low, high = second["interval"]
    assert low <= scores[1] <= high
    # A second metric does not change the results of METEOR.
    bootstrap_options = ("--format=json", "--significance", "bootstrap")
    meteor_document = json.loads(cli("score", "one", "two", "ref", "--samples", "200", *bootstrap_options).out)
    document = json.loads(cli(*arguments, *bootstrap_options).out)
    for meteor_system, system in zip(meteor_document["systems"], document["systems"], strict=True):
        assert meteor_system["scores"]["METEOR"] == system["scores"]["METEOR"]
    assert meteor_document["significance"]["tests"]["METEOR"] == document["significance"]["tests"]["METEOR"]
    text = cli(*arguments, "--significance", "randomization").out
    assert re.search("^system  metric +score +95 % interval +difference +95 % interval +p$", text, re.MULTILINE)
    assert "200 samples, seed 12345" in text


def test_csv_contains_the_names_of_systems(cli, own_packs):
    out = cli("score", "one", "two", "ref", "-f", "csv", "--segments", "--name", "a, b", "--name", "=c|d!A1").out
    rows = list(csv.reader(out.splitlines()))
    assert rows[0][:4] == ["system", "segment", "METEOR", "METEOR precision"]
    # The apostrophe prevents spreadsheets from reading the name as a formula.
    names = ("a, b", "'=c|d!A1")
    assert [row[:2] for row in rows[1:]] == [[name, segment] for name in names for segment in ("1", "2", "3", "all")]
    score = Meteor("en").corpus(SECOND.splitlines(), REFERENCE.splitlines()).score
    assert float(rows[-1][2]) == score


def test_formats_escape_the_names_of_systems(cli, own_packs):
    arguments = ("score", "one", "two", "ref", "-M", "b_l=bleu", "--name", "A|x", "--name", "50%_b", "-f")
    assert "| A\\|x |" in cli(*arguments, "markdown").out
    latex = cli(*arguments, "latex").out
    assert r"50\%\_b & " in latex
    assert r"system & b\_l & segments \\" in latex
    wmt_names = ("--wmt-names", "de-en", "newstest2017", "refA")
    wmt_output = cli(*arguments, "wmt", "--segments", "-l", "en", *wmt_names).out
    rows = [line.split("\t") for line in wmt_output.splitlines()]
    assert len(rows) == 6
    assert rows[0][:6] == ["b_l", "de-en", "newstest2017", "refA", "A|x", "1"]
    assert "give --wmt-names PAIR TESTSET REFERENCE" in cli.failing(2, *arguments, "wmt")
    assert "names for --format wmt" in cli.failing(2, *arguments, "csv", *wmt_names)


def test_formats_escape_control_and_markup_characters_in_names(cli, own_packs):
    names = ("--name", "a\n\tb\x1b[31m", "--name", "*_x_* `c` <b>|")
    arguments = ("score", "one", "two", "ref", "-M", "meteor", *names, "-f")
    first_name = "a b\ufffd[31m"
    assert first_name in cli(*arguments, "text").out
    rows = [line.split("\t") for line in cli(*arguments, "tsv").out.splitlines()[1:]]
    assert [row[0] for row in rows] == [first_name, "*_x_* `c` <b>|"]
    assert json.loads(cli(*arguments, "json").out)["systems"][0]["system"] == first_name
    markdown = cli(*arguments, "markdown", "--significance", "bootstrap", "--samples", "100").out.splitlines()
    assert markdown[2].startswith(f"| {first_name} | 0")
    assert re.fullmatch(r"\| \\\*\\_x\\_\\\* \\`c\\` \\<b>\\\| (\| 0\.\d+ ){6}\| 3 \|", markdown[3])
    assert re.search(r"<b>\\\| \| 0\.\d+ \| \[0.*\] \| [+-]0\.\d+ \| \[.*\] \| <?0\.\d+ \|$", markdown[-4])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-M", "blue"], "did you mean 'bleu'"),
        (["-M", "METEOR"], "did you mean 'meteor'"),
        (["-M", "spice"], "metric 'spice' is not a metric of meteor_e: it compares scene graphs"),
        (["-M", "bleu", "-M", "bleu"], "two metrics are called 'BLEU'"),
        (["-f", "csv", "--alignments"], "alignments into text and json"),
        (["--explain", "-o", "x.parquet"], "-o TABLE does not go with --explain"),
        (["--on-error", "skip", "-o", "x.parquet"], "-o TABLE does not go with --on-error"),
        (["-q", "--segments"], "--quiet does not go with --segments"),
        (["-q", "--alignments"], "--quiet does not go with --alignments"),
        (["-q", "--significance"], "--quiet does not go with --significance"),
        (["-q", "-f", "tsv"], "--quiet does not go with --format"),
        (["-q", "--explain"], "--quiet does not go with --explain"),
        (["--on-error", "zero", "--dask", "local:1"], "--dask does not go with --on-error"),
        (["-f", "latex", "--segments"], "segments go into text"),
        (["-f", "tsv", "--explain"], "the explanation is text"),
        (["-M", "a\nb=bleu"], "has a line end"),
        (["--name", "x", "--name", "y"], "--name is given 2 times, but there are 1 systems"),
        (["--name", " \n"], "the names of systems must be different and not empty"),
        (["two", "--name", "x\ty", "--name", "x y"], "the names of systems must be different and not empty"),
    ],
)
def test_score_rejects_invalid_metrics_and_options(cli, arguments, message):
    assert message in cli.failing(2, "score", "one", "ref", "-l", "other", *arguments)


@pytest.mark.parametrize(
    ("output_format", "options"),
    [
        *((name, ["--segments"]) for name in ("text", "tsv", "csv", "wmt")),
        *((name, ["--significance", "--samples", "50"]) for name in ("text", "tsv", "markdown", "latex")),
        ("text", ["--alignments"]),
    ],
)
def test_metric_meteor_is_the_default(cli, own_packs, output_format, options):
    arguments = ("score", "one", "two", "ref", *options, "-f", output_format)
    if output_format == "wmt":
        arguments += ("--wmt-names", "de-en", "set", "refA")
    assert cli(*arguments, "-M", "meteor").out == cli(*arguments).out


def make_schema_validator():
    """Return a validator for the JSON schema of the documentation."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    path = Path(__file__).parents[2] / "docs/reference/score.schema.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "options",
    [[], ["--segments"], ["--alignments"], ["--significance", "--samples", "50"], ["--on-error", "skip"]],
)
def test_json_matches_its_schema_with_all_metrics(cli, own_packs, options):
    arguments = ("score", "one", "two", "ref", "--format=json", *options)
    default = json.loads(cli(*arguments).out)
    meteor_only = json.loads(cli(*arguments, "-M", "meteor").out)
    two_metrics = json.loads(cli(*arguments, "-M", "meteor", "-M", "chrf").out)
    assert default == meteor_only
    for document in (default, two_metrics):
        make_schema_validator().validate(document)
    # Without the values of chrF, the document with two metrics equals the default document.
    assert two_metrics["metrics"].pop("chrF")["signature"].startswith("chrF2|")
    for system in two_metrics["systems"]:
        for system_or_segment in (system, *system.get("segments", ())):
            assert isinstance(system_or_segment["scores"].pop("chrF")["score"], float)
    if "significance" in two_metrics:
        assert len(two_metrics["significance"]["tests"].pop("chrF")) == 2
    assert two_metrics == default


def test_alignments_option_prints_scores_of_several_metrics(cli, own_packs):
    lines = cli("score", "one", "ref", "-M", "meteor", "-M", "chrf", "--alignments").out.splitlines()
    assert re.fullmatch(r"segment 1: METEOR 0\.\d{4}, chrF \d+\.\d\d", lines[0])
    assert lines[1].startswith("  hypothesis  in the end")


class LocalDataset:
    """A local test set with the interface of sacreBLEU's test sets."""

    name = "toy"
    data = ("https://example.org",)
    langpairs: ClassVar = {"de-en": (), "en-zh-Hant": ()}

    def fieldnames(self, pair):
        systems = ["one", "two"] if pair == "de-en" else []
        return ["src", "ref:A", "docid", *systems]

    def get_files(self, pair):
        systems = self.fieldnames(pair)[3:]
        return [str(Path(name).absolute()) for name in ("source", "ref", "docs", *systems)]

    def get_reference_files(self, pair):
        return self.get_files(pair)[1:2]


def test_test_set_option_selects_a_test_set_by_name(cli, own_packs, monkeypatch):
    monkeypatch.setattr("sacrebleu.dataset.DATASETS", {"toy": LocalDataset()})
    arguments = ("score", "--test-set", "toy", "--pair", "de-en")
    assert cli(*arguments).out == cli("score", "one", "two", "ref", "-l", "en").out
    assert cli(*arguments, "two").out == cli("score", "two", "ref", "-l", "en").out
    first_row = cli(*arguments, "one", "-f", "wmt", "--segments").out.splitlines()[0].split("\t")
    assert first_row[:6] == ["METEOR", "de-en", "toy", "ref", "one", "1"]
    assert "did you mean 'toy'" in cli.failing(1, "score", "--test-set", "toi", "--pair", "de-en")
    assert "no language pair 'de-fr'" in cli.failing(1, *arguments[:-1], "de-fr")
    assert "no system outputs for en-zh-Hant" in cli.failing(2, *arguments[:-1], "en-zh-Hant")
    assert "leave out --reference" in cli.failing(2, *arguments, "-r", "ref")
    assert "go together" in cli.failing(2, *arguments[:3])


def test_significance_of_one_system_has_no_p_value(cli, own_packs):
    arguments = ("-l", "other", "--significance", "bootstrap", "--samples", "50")
    output = cli("score", "one", "ref", *arguments).out
    assert "\ninterval: bootstrap, 50 samples, seed 12345\n" in output
    assert "p: two-sided" not in output
    assert "p <" not in output
    assert "p: two-sided, against one" in cli("score", "one", "two", "ref", *arguments).out


def test_significance_of_one_system_names_the_samples_of_its_interval(cli, own_packs):
    # Intervals always come from the bootstrap, and --samples is the number of samples of the randomization test.
    output = cli("score", "one", "ref", "-l", "other", "--significance", "--samples", "50").out
    assert "\ninterval: bootstrap, 1000 samples, seed 12345\n" in output


def test_score_rejects_names_that_differ_only_in_white_space(cli):
    for name in ("x y.txt", "x_y.txt", "x\ty.txt"):
        cli.file(name, "a b\n")
    options = ["-r", "x_y.txt", "-l", "other"]
    wmt_names = ("--wmt-names", "de-en", "newstest2017", "refA")
    message = cli.failing(2, "score", "x y.txt", "x_y.txt", *options, "-f", "wmt", *wmt_names)
    assert "systems 'x y.txt' and 'x_y.txt' would both be called 'x_y.txt'" in message
    for output_format in ("text", "tsv", "csv", "wmt"):
        format_options = wmt_names if output_format == "wmt" else ()
        message = cli.failing(2, "score", "x y.txt", "x\ty.txt", *options, "-f", output_format, *format_options)
        assert r"systems 'x y.txt' and 'x\ty.txt' would both be called 'x y.txt'" in message
    output = cli("score", "x y.txt", "x\ty.txt", *options, "-f", "tsv", "--name", "a", "--name", "b").out
    assert [line.split("\t")[0] for line in output.splitlines()] == ["system", "a", "b"]
