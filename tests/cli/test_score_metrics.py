from __future__ import annotations

import csv
import json
import re

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


def test_one_table_with_a_signature_for_each_metric(cli, own_packs):
    out = cli("score", "one", "two", "ref", "-M", "meteor", "-M", "bleu", "-M", "chrf", "-M", "ter").out.splitlines()
    assert out[0].split() == ["system", "METEOR", "BLEU", "chrF", "TER", "↓"]
    meteor = Meteor("en")
    for line, name, text in ((out[1], "one", FIRST), (out[2], "two", SECOND)):
        ours = meteor.corpus(text.splitlines(), REFERENCE.splitlines()).score
        theirs = [f"{expected(kind, text)[0]:.2f}" for kind in ("BLEU", "CHRF", "TER")]
        assert line.split() == [name, f"{ours:.4f}", *theirs]
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
        "--json",
        "--segments",
    )
    found = json.loads(cli(*arguments).out)
    meteor = Meteor("en", task="adq")
    assert found["metrics"]["METEOR"]["signature"] == meteor.signature
    (system,) = found["systems"]
    score = meteor.corpus(FIRST.splitlines(), REFERENCE.splitlines(), segments=True)
    assert system["scores"]["METEOR"]["score"] == pytest.approx(score.score, abs=1e-15)
    assert system["scores"]["METEOR"]["segments"] == pytest.approx([one.score for one in score.segments], abs=1e-15)
    assert system["scores"]["zh"]["score"] == expected("BLEU", FIRST, tokenize="zh")[0]
    assert "interval" not in system["scores"]["zh"]


def test_significance_of_every_metric(cli, own_packs):
    arguments = ("score", "one", "two", "ref", "-M", "meteor", "-M", "ter", "--samples", "200")
    found = json.loads(cli(*arguments, "--json", "--significance", "randomization").out)
    assert found["significance"] == {"test": "randomization", "samples": 200, "seed": 12345}
    first, second = (system["scores"]["TER"] for system in found["systems"])
    assert first["p"] is None
    assert 0 < second["p"] <= 1
    assert second["difference"] == second["score"] - first["score"]
    low, high = second["interval"]
    assert low <= second["score"] <= high
    alone = json.loads(
        cli("score", "one", "two", "ref", "--samples", "200", "--json", "--significance", "bootstrap").out
    )
    both = json.loads(cli(*arguments, "--json", "--significance", "bootstrap").out)
    assert [entry["p"] for entry in alone["significance"]["systems"]] == [
        system["scores"]["METEOR"]["p"] for system in both["systems"]
    ]
    text = cli(*arguments, "--significance", "randomization").out
    assert text.splitlines()[2].count(" p ") == 2
    assert "200 samples, seed 12345" in text


def test_csv_and_names(cli, own_packs):
    out = cli("score", "one", "two", "ref", "-f", "csv", "--segments", "--name", "a, b", "--name", "c").out
    rows = list(csv.reader(out.splitlines()))
    assert rows[0] == ["system", "segment", "METEOR"]
    assert [row[:2] for row in rows[1:]] == [[name, at] for name in ("a, b", "c") for at in ("1", "2", "3", "all")]
    score = Meteor("en").corpus(SECOND.splitlines(), REFERENCE.splitlines()).score
    assert float(rows[-1][2]) == pytest.approx(score, abs=1e-15)


def test_markdown_latex_and_wmt(cli, own_packs):
    base = ("score", "one", "two", "ref", "-M", "b_l=bleu", "--name", "A|x", "--name", "50%_b", "-f")
    assert "| A\\|x |" in cli(*base, "markdown").out
    latex = cli(*base, "latex").out
    assert r"50\%\_b & " in latex
    assert r"system & b\_l \\" in latex
    names = ("--wmt-names", "de-en", "newstest2017", "refA")
    wmt = [line.split("\t") for line in cli(*base, "wmt", "--segments", "-l", "en", *names).out.splitlines()]
    assert len(wmt) == 6
    assert wmt[0][:6] == ["b_l", "de-en", "newstest2017", "refA", "A|x", "1"]
    assert "give --wmt-names PAIR TESTSET REFERENCE" in cli.failing(2, *base, "wmt")
    assert "goes with --format wmt" in cli.failing(2, *base, "csv", *names)


def test_names_are_one_line_that_no_format_reads_as_its_own(cli, own_packs):
    base = ("score", "one", "two", "ref", "-M", "meteor", "--name", "a\n\tb\x1b[31m", "--name", "*_x_* `c` <b>|", "-f")
    first = "a b\ufffd[31m"
    assert first in cli(*base, "text").out
    assert [line.split("\t")[0] for line in cli(*base, "tsv").out.splitlines()[1:]] == [first, "*_x_* `c` <b>|"]
    assert json.loads(cli(*base, "json").out)["systems"][0]["system"] == first
    markdown = cli(*base, "markdown", "--significance", "bootstrap", "--samples", "100").out.splitlines()
    assert markdown[2].startswith(f"| {first} | 0")
    assert re.fullmatch(r"\| \\\*\\_x\\_\\\* \\`c\\` \\<b>\\\| \| 0\.\d+ \[.*\] p <?0\.\d+ \|", markdown[3])


def test_standard_output_of_quiet(cli, own_packs):
    line = cli("score", "one", "ref", "-q", "-M", "meteor", "-M", "bleu").out
    assert len(line.split("\t")) == 2
    assert float(line.split("\t")[1]) == expected("BLEU", FIRST)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-M", "blue"], "did you mean 'bleu'"),
        (["-M", "bleu", "-M", "bleu"], "two metrics are called 'BLEU'"),
        (["-M", "bleu", "--alignments"], "--alignments goes with METEOR alone"),
        (["-M", "bleu", "-o", "x.parquet"], "goes with METEOR alone"),
        (["-M", "bleu", "--segments"], "--segments with -M needs --format"),
        (["-f", "latex", "--segments"], "--segments does not go with --format latex"),
        (["-f", "csv", "--json"], "exclude each other"),
        (["--name", "x", "--name", "y"], "--name is given 2 times, and there are 1 systems"),
        (["--name", " \n"], "each system needs a name of its own"),
        (["two", "--name", "x\ty", "--name", "x y"], "each system needs a name of its own"),
    ],
)
def test_what_is_refused(cli, arguments, message):
    assert message in cli.failing(2, "score", "one", "ref", "-l", "other", *arguments)


def test_help_is_in_groups(cli):
    out = cli("score", "--help").out
    places = [out.index(f"\n{heading}:") for heading in ("Input", "Metric", "Resources", "Output", "Statistics")]
    assert places == sorted(places)
    assert "Other options:\n  -h, --help" in out


@pytest.mark.parametrize("options", [["--alignments"], ["--segments"], ["--alignments", "--json"]])
def test_meteor_named_alone_is_as_without_a_name(cli, own_packs, options):
    assert cli("score", "one", "ref", "-M", "meteor", *options).out == cli("score", "one", "ref", *options).out
