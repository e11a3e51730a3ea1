"""Tests of the command ``align``."""

from __future__ import annotations

import json

import pytest
from meteor_e_evaluation.reports.offsets import word_offsets

from meteor_e import Meteor


def test_align_text_prints_a_table(cli):
    output = cli("align", "--text", "in the end x", "finally y x").out
    assert output.splitlines() == [
        "segment 1",
        "  hypothesis  in the end x",
        "  reference   finally y x",
        "  matcher     at   hypothesis  at  reference",
        "  paraphrase  1-3  in the end  1   finally",
        "  exact       4    x           3   x",
        "  2 matches in 2 chunks",
        "",
    ]


def test_align_writes_files_as_json_lines(cli, own_packs):
    cli.file("hyp", "a b\nfinally\n")
    cli.file("ref", "b a\nat last\n")
    rows = [json.loads(line) for line in cli("align", "hyp", "ref", "--format", "json").out.splitlines()]
    assert [row.pop("segment") for row in rows] == [1, 2]
    meteor = Meteor("en")
    offsets = [[row.pop("hypothesis_offsets"), row.pop("reference_offsets")] for row in rows]
    assert offsets == [[[[0, 1], [2, 3]]] * 2, [[[0, 7]], [[0, 2], [3, 7]]]]
    alignments = [meteor.align("a b", "b a"), meteor.align("finally", "at last")]
    assert rows == [json.loads(json.dumps(alignment.to_dict())) for alignment in alignments]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't  know.", ["I", "don", "'t", "know", "."]),
        ("It’s “fine” …", ["It", "’s", "“", "fine", "”", "…"]),
        ("a naïve café – 1,000.50", ["a", "naïve", "café", "–", "1,000.50"]),
        ("İstanbul ½ 😀 x", ["İstanbul", "½", "😀", "x"]),
        ("	日本  語 ", ["日", "本", "語"]),
        ("", []),
    ],
)
def test_word_offsets_locate_words_in_the_raw_text(cli, text, words):
    (line,) = cli("align", "--text", text, "x", "--format", "jsonl").out.splitlines()
    row = json.loads(line)
    assert [text[start:end] for start, end in row["hypothesis_offsets"]] == words
    assert len(row["hypothesis"]) == len(words)


def test_word_offsets_are_empty_for_missing_words():
    assert word_offsets("Ab, cd!  AB", ["ab", "cd", "!", "ab"]) == [(0, 2), (4, 6), (6, 7), (9, 11)]
    assert word_offsets("stack on", ["stack", "new", "on"]) == [(0, 5), (6, 6), (6, 8)]
    assert word_offsets("", ["a", "b"]) == [(0, 0), (0, 0)]
    assert word_offsets("a… b", ["a", "...", "b"]) == [(0, 1), (1, 2), (3, 4)]


def test_align_stdio_answers_line_by_line(cli):
    process = cli.start("align", "--stdio", "--format", "json", stdin=-1)
    for hypothesis in ("a b", "b"):
        process.stdin.write(f"{hypothesis} ||| b\n".encode())
        process.stdin.flush()
        assert len(json.loads(process.stdout.readline())["matches"]) == 1
    process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "align needs a hypothesis and a reference"),
        (["--text", "one"], "align needs a hypothesis and a reference"),
        (["--stdio", "one", "two"], "--stdio reads standard input"),
        (["--stdio", "--text"], "--stdio reads standard input"),
        (["a", "b", "--show", "--format", "jsonl"], "--show and --format"),
    ],
)
def test_align_rejects_conflicting_options(cli, arguments, message):
    assert message in cli.failing(2, "align", *arguments)


def test_align_isolates_right_to_left_text(cli):
    cli.file(
        "ar.yaml",
        "code: ar\nname: Arabic\nsegmenter: unicode\nmatchers: [exact]\ndefault_task: li\n",
    )
    output = cli("align", "--text", "ذهب الولد abc 12", "الولد abc ذهب", "-l", "./ar.yaml").out
    isolate = "\u2068{}\u2069".format
    assert output.splitlines() == [
        "segment 1",
        f"  hypothesis  {isolate('ذهب الولد abc 12')}",
        f"  reference   {isolate('الولد abc ذهب')}",
        "  matcher  at  hypothesis  at  reference",
        f"  exact    2   {isolate('الولد')}       1   {isolate('الولد')}",
        "  exact    3   abc         2   abc",
        f"  exact    1   {isolate('ذهب')}         3   {isolate('ذهب')}",
        "  3 matches in 2 chunks",
        "",
    ]


def test_align_show_puts_matched_words_in_columns(cli):
    output = cli("align", "--text", "in the end x q", "finally y x", "--show").out
    assert output.splitlines() == [
        "segment 1",
        "            ╭1────────   ╭2",
        "hypothesis  in the end   x  q",
        "            ◆            ●",
        "reference   finally    y x",
        "",
        "● exact  ◆ paraphrase  2 matches in 2 chunks",
        "",
    ]


def test_align_show_marks_crossing_matches_by_chunk(cli):
    lines = cli("align", "--text", "b c a", "a b c", "--show", "--set", "normalization=none").out.splitlines()
    assert lines[1:5] == [
        "                ╭2── ╭1─",
        "hypothesis      b  c a",
        "            ●1↓ ●  ● ●1↑",
        "reference   a   b  c",
    ]


def test_align_show_wraps_lines_to_the_terminal(cli):
    words = " ".join(f"word{n}" for n in range(40))
    output = cli("align", "--text", words, words, "--show", env={"COLUMNS": "60"}).out
    assert max(map(len, output.splitlines())) <= 60
    for number in range(40):
        assert output.count(f"word{number} ") + output.count(f"word{number}\n") == 2


@pytest.mark.parametrize("options", [[], ["--show"]], ids=["table", "show"])
def test_align_escapes_control_characters(cli, options):
    output = cli("align", "--text", "a\x1b[31mred", "a\x1b[31mred", "--set", "normalization=none", *options).out
    assert "\x1b" not in output
    assert "[31mred" in output


def test_align_writes_matrices_in_latex(cli):
    cli.file("hyp", "a b\nx\n")
    cli.file("ref", "b a\nx\n")
    assert cli("align", "hyp", "ref", "--format", "latex").out.count(r"\begin{tikzpicture}") == 2
    assert "segment 1: an alignment with an empty side" in cli.failing(
        1, "align", "--text", "", "x", "--format", "latex"
    )


def test_align_shows_the_best_of_several_references(cli):
    cli.file("hyp", "a b c\n")
    cli.file("first", "x y z\n")
    cli.file("second", "a b c\n")
    output = cli("align", "hyp", "-r", "first", "-r", "second").out
    assert "  reference   a b c" in output.splitlines()
    cli.file("both", "x y z\na b c\n")
    assert cli("align", "hyp", "both", "--references-per-segment", "2").out == output
    (row,) = map(json.loads, cli("align", "hyp", "-r", "first", "-r", "second", "--format", "jsonl").out.splitlines())
    assert row["reference"] == ["a", "b", "c"]
    requests = "a b c ||| x y z ||| a b c\n"
    assert cli("align", "--stdio", text=requests).out == output


def test_align_keeps_the_ids_of_the_input(cli):
    cli.file("results.json", json.dumps([{"image_id": 9, "caption": "a b"}, {"image_id": 4, "caption": "c"}]))
    annotations = [{"image_id": image, "caption": caption} for image, caption in ((4, "c"), (9, "x"), (9, "a b"))]
    cli.file("annotations.json", json.dumps({"annotations": annotations}))
    rows = list(map(json.loads, cli("align", "results.json", "annotations.json", "--format", "json").out.splitlines()))
    assert [(row["segment"], row["reference"]) for row in rows] == [(9, ["a", "b"]), (4, ["c"])]
    cli.file("data.csv", "key,mt,ref\nk1,a b,a b\n")
    columns = ["--hypothesis-column", "mt", "--reference-column", "ref", "--id-column", "key"]
    assert cli("align", "data.csv", *columns).out.startswith("segment k1\n")


def test_commands_use_the_same_tokens_for_captions(cli):
    """The tokenizer of COCO removes punctuation, unlike other tokenizers."""
    pytest.importorskip("meteor_e_captions", reason="the plugin meteor-e-captions is not installed")
    cli.file("results.json", json.dumps([{"image_id": 1, "caption": "A man, riding a horse."}]))
    annotations = [{"image_id": 1, "caption": "A man riding a horse"}]
    cli.file("annotations.json", json.dumps({"annotations": annotations}))
    files = ["results.json", "annotations.json"]
    assert cli("score", *files, "-q").out == "1.0\n"
    (row,) = map(json.loads, cli("align", *files, "--format", "json").out.splitlines())
    assert row["hypothesis"] == ["a", "man", "riding", "a", "horse"]
    cli("report", *files, "-o", "report.html")
    assert "segmenter:ptb" in (cli.folder / "report.html").read_text("utf-8")
    stress = ["stress", "results.json", "-r", "annotations.json", "--pairs", "1", "-q", "-f", "json"]
    assert "segmenter:ptb" in cli(*stress).out
