from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from meteor_e import Meteor

FIRST = "in the end the big ship left\nmany people run\nthe cat sat\n"
SECOND = "at last a vessel left\nmany people hurry\nthe dog sat\n"
REFERENCE = "at last the vessel leaves\na lot of people hurry\nthe cat sat down\n"


@pytest.fixture(autouse=True)
def files(cli):
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    for name, text in (("one", FIRST), ("two", SECOND), ("ref", REFERENCE)):
        cli.file(name, text)


def expected(kind, text, **options):
    import sacrebleu.metrics

    metric = getattr(sacrebleu.metrics, kind)(**options)
    return metric.corpus_score(text.splitlines(), [REFERENCE.splitlines()]).score, str(metric.get_signature())


def test_table_has_a_signature_for_each_metric(cli, own_packs):
    out = cli("score", "one", "two", "ref", "-M", "meteor", "-M", "bleu", "-M", "chrf", "-M", "ter").out.splitlines()
    assert out[0].split() == ["system", "METEOR", "BLEU", "chrF", "TER", "↓", "segments"]
    meteor = Meteor("en")
    for line, name, text in ((out[1], "one", FIRST), (out[2], "two", SECOND)):
        ours = meteor.corpus(text.splitlines(), REFERENCE.splitlines()).score
        theirs = [f"{expected(kind, text)[0]:.2f}" for kind in ("BLEU", "CHRF", "TER")]
        assert line.split() == [name, f"{ours:.4f}", *theirs, "3"]
    assert out[4] == f"METEOR: {meteor.signature}"
    assert out[5] == f"BLEU: BLEU|{expected('BLEU', FIRST)[1]}"
    assert out[6].startswith("chrF: chrF2|nrefs:1|")


def test_options_of_meteor_and_labels(cli, own_packs):
    arguments = (
        "score",
        "one",
        "ref",
        "-M",
        "meteor",
        "-M",
        "zh=bleu:tokenize=zh",
        "-t",
        "adq",
        "--format=json",
        "--segments",
    )
    found = json.loads(cli(*arguments).out)
    meteor = Meteor("en", task="adq")
    assert found["metrics"]["METEOR"]["signature"] == meteor.signature
    (system,) = found["systems"]
    score = meteor.corpus(FIRST.splitlines(), REFERENCE.splitlines(), segments=True)
    assert system["scores"]["METEOR"]["score"] == score.score
    segments = [entry["scores"]["METEOR"]["score"] for entry in system["segments"]]
    assert segments == [one.score for one in score.segments]
    assert system["scores"]["zh"]["score"] == expected("BLEU", FIRST, tokenize="zh")[0]
    assert "significance" not in found


def test_significance_of_every_metric(cli, own_packs):
    arguments = ("score", "one", "two", "ref", "-M", "meteor", "-M", "ter", "--samples", "200")
    found = json.loads(cli(*arguments, "--format=json", "--significance", "randomization").out)
    tests = found["significance"].pop("tests")
    assert found["significance"] == {"test": "randomization", "samples": 200, "seed": 12345, "baseline": "one"}
    assert [test["system"] for test in tests["TER"]] == ["one", "two"]
    first, second = tests["TER"]
    scores = [system["scores"]["TER"]["score"] for system in found["systems"]]
    assert first["p"] is None
    assert 0 < second["p"] <= 1
    assert second["difference"] == scores[1] - scores[0]
    low, high = second["interval"]
    assert low <= scores[1] <= high
    alone = json.loads(
        cli("score", "one", "two", "ref", "--samples", "200", "--format=json", "--significance", "bootstrap").out
    )
    both = json.loads(cli(*arguments, "--format=json", "--significance", "bootstrap").out)
    for system, other in zip(alone["systems"], both["systems"], strict=True):
        assert system["scores"]["METEOR"] == other["scores"]["METEOR"]
    assert alone["significance"]["tests"]["METEOR"] == both["significance"]["tests"]["METEOR"]
    text = cli(*arguments, "--significance", "randomization").out
    assert re.search("^system  metric +score +95 % interval +difference +95 % interval +p$", text, re.MULTILINE)
    assert "200 samples, seed 12345" in text


def test_csv_and_names(cli, own_packs):
    out = cli("score", "one", "two", "ref", "-f", "csv", "--segments", "--name", "a, b", "--name", "=c|d!A1").out
    rows = list(csv.reader(out.splitlines()))
    assert rows[0][:4] == ["system", "segment", "METEOR", "METEOR precision"]
    assert [row[:2] for row in rows[1:]] == [
        [name, at] for name in ("a, b", "'=c|d!A1") for at in ("1", "2", "3", "all")
    ]
    score = Meteor("en").corpus(SECOND.splitlines(), REFERENCE.splitlines()).score
    assert float(rows[-1][2]) == score


def test_markdown_latex_and_wmt(cli, own_packs):
    base = ("score", "one", "two", "ref", "-M", "b_l=bleu", "--name", "A|x", "--name", "50%_b", "-f")
    assert "| A\\|x |" in cli(*base, "markdown").out
    latex = cli(*base, "latex").out
    assert r"50\%\_b & " in latex
    assert r"system & b\_l & segments \\" in latex
    names = ("--wmt-names", "de-en", "newstest2017", "refA")
    wmt = [line.split("\t") for line in cli(*base, "wmt", "--segments", "-l", "en", *names).out.splitlines()]
    assert len(wmt) == 6
    assert wmt[0][:6] == ["b_l", "de-en", "newstest2017", "refA", "A|x", "1"]
    assert "give --wmt-names PAIR TESTSET REFERENCE" in cli.failing(2, *base, "wmt")
    assert "names for --format wmt" in cli.failing(2, *base, "csv", *names)


def test_names_are_one_line_that_no_format_reads_as_its_own(cli, own_packs):
    base = ("score", "one", "two", "ref", "-M", "meteor", "--name", "a\n\tb\x1b[31m", "--name", "*_x_* `c` <b>|", "-f")
    first = "a b\ufffd[31m"
    assert first in cli(*base, "text").out
    assert [line.split("\t")[0] for line in cli(*base, "tsv").out.splitlines()[1:]] == [first, "*_x_* `c` <b>|"]
    assert json.loads(cli(*base, "json").out)["systems"][0]["system"] == first
    markdown = cli(*base, "markdown", "--significance", "bootstrap", "--samples", "100").out.splitlines()
    assert markdown[2].startswith(f"| {first} | 0")
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
def test_invalid_metrics_are_refused(cli, arguments, message):
    assert message in cli.failing(2, "score", "one", "ref", "-l", "other", *arguments)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        *((form, ["--segments"]) for form in ("text", "tsv", "csv", "wmt")),
        *((form, ["--significance", "--samples", "50"]) for form in ("text", "tsv", "markdown", "latex")),
        ("text", ["--alignments"]),
    ],
)
def test_meteor_named_is_as_without_a_name(cli, own_packs, form, options):
    arguments = ("score", "one", "two", "ref", *options, "-f", form)
    arguments += ("--wmt-names", "de-en", "set", "refA") if form == "wmt" else ()
    assert cli(*arguments, "-M", "meteor").out == cli(*arguments).out


def schema():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    path = Path(__file__).parents[2] / "docs/reference/score.schema.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "options",
    [[], ["--segments"], ["--alignments"], ["--significance", "--samples", "50"], ["--on-error", "skip"]],
)
def test_json_schema_fits_all_metrics(cli, own_packs, options):
    plain, named, several = (
        json.loads(cli("score", "one", "two", "ref", "--format=json", *options, *metrics).out)
        for metrics in ((), ("-M", "meteor"), ("-M", "meteor", "-M", "chrf"))
    )
    assert plain == named
    for document in (plain, several):
        schema().validate(document)
    assert several["metrics"].pop("chrF")["signature"].startswith("chrF2|")
    for system in several["systems"]:
        for entry in (system, *system.get("segments", ())):
            assert isinstance(entry["scores"].pop("chrF")["score"], float)
    if "significance" in several:
        assert len(several["significance"]["tests"].pop("chrF")) == 2
    assert several == plain


def test_segments_and_alignments_of_several_metrics(cli, own_packs):
    lines = cli("score", "one", "ref", "-M", "meteor", "-M", "chrf", "--alignments").out.splitlines()
    assert re.fullmatch(r"segment 1: METEOR 0\.\d{4}, chrF \d+\.\d\d", lines[0])
    assert lines[1].startswith("  hypothesis  in the end")


class NamedData:
    """A local test set in the form of sacreBLEU's test sets."""

    name, data, langpairs = "toy", ("https://example.org",), {"de-en": (), "en-zh-Hant": ()}

    def fieldnames(self, pair):
        return ["src", "ref:A", "docid", *(["one", "two"] if pair == "de-en" else [])]

    def get_files(self, pair):
        return [str(Path(name).absolute()) for name in ("source", "ref", "docs", *self.fieldnames(pair)[3:])]

    def get_reference_files(self, pair):
        return self.get_files(pair)[1:2]


def test_test_set_can_be_selected_by_name(cli, own_packs, monkeypatch):
    monkeypatch.setattr("sacrebleu.dataset.DATASETS", {"toy": NamedData()})
    named = ("score", "--test-set", "toy", "--pair", "de-en")
    assert cli(*named).out == cli("score", "one", "two", "ref", "-l", "en").out
    assert cli(*named, "two").out == cli("score", "two", "ref", "-l", "en").out
    wmt = cli(*named, "one", "-f", "wmt", "--segments").out.splitlines()[0].split("\t")
    assert wmt[:6] == ["METEOR", "de-en", "toy", "ref", "one", "1"]
    assert "did you mean 'toy'" in cli.failing(1, "score", "--test-set", "toi", "--pair", "de-en")
    assert "no language pair 'de-fr'" in cli.failing(1, *named[:-1], "de-fr")
    assert "no system outputs for en-zh-Hant" in cli.failing(2, *named[:-1], "en-zh-Hant")
    assert "leave out --reference" in cli.failing(2, *named, "-r", "ref")
    assert "go together" in cli.failing(2, *named[:3])


def test_system_alone_has_an_interval_and_no_p_value(cli, own_packs):
    arguments = ("-l", "other", "--significance", "bootstrap", "--samples", "50")
    alone = cli("score", "one", "ref", *arguments).out
    assert "\ninterval: paired bootstrap, 50 samples, seed 12345\n" in alone
    assert "p: two-sided" not in alone
    assert "p <" not in alone
    assert "p: two-sided, against one" in cli("score", "one", "two", "ref", *arguments).out


def test_systems_whose_names_differ_in_white_space_only(cli):
    for name in ("x y.txt", "x_y.txt", "x\ty.txt"):
        cli.file(name, "a b\n")
    options = ["-r", "x_y.txt", "-l", "other"]
    names = ("--wmt-names", "de-en", "newstest2017", "refA")
    message = cli.failing(2, "score", "x y.txt", "x_y.txt", *options, "-f", "wmt", *names)
    assert "systems 'x y.txt' and 'x_y.txt' would both be called 'x_y.txt'" in message
    for form in ("text", "tsv", "csv", "wmt"):
        extra = names if form == "wmt" else ()
        message = cli.failing(2, "score", "x y.txt", "x\ty.txt", *options, "-f", form, *extra)
        assert r"systems 'x y.txt' and 'x\ty.txt' would both be called 'x y.txt'" in message
    named = cli("score", "x y.txt", "x\ty.txt", *options, "-f", "tsv", "--name", "a", "--name", "b").out
    assert [line.split("\t")[0] for line in named.splitlines()] == ["system", "a", "b"]
