"""Tests of the option ``--format-in`` of ``meteor-e score`` and of input formats that plugins add."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys

import pytest
from click.testing import CliRunner

from meteor_e.cli.score import score


@pytest.mark.parametrize(
    "arguments", [["data.jsonl"], ["-"], ["hyp", "ref", "-o", "out.parquet"], ["hyp", "ref", "--dask", "local:1"]]
)
def test_format_error_names_the_missing_plugin(cli, arguments):
    cli.file("data.jsonl", json.dumps({"hypothesis": "a", "reference": "a"}))
    cli.file("hyp", "a\n")
    cli.file("ref", "a\n")
    # Standard input is read as a table only if a column is named.
    if arguments == ["-"]:
        arguments = ["-", "--reference-column", "x"]
    message = cli.failing(3, "score", *arguments, env={"METEOR_E_PLUGINS": "none"})
    assert "pip install ./plugins/meteor-e-tables" in message


def test_parquet_is_recognized_by_its_content(cli):
    cli.file("data", b"PAR1 and so on")
    assert "meteor-e-tables" in cli.failing(3, "score", "data", env={"METEOR_E_PLUGINS": "none"})


def test_format_in_overrides_the_detected_format(cli):
    cli.file("data.txt", "hypothesis,reference\na b,a b\n")
    assert cli("score", "data.txt", "--format-in", "csv", "-l", "other", "-q").out == "1.0\n"
    text = "hypothesis\treference\na b\ta b\n"
    assert cli("score", "-", "--format-in", "tsv", "-l", "other", "-q", text=text).out == "1.0\n"
    # Without the option, the suffix .jsonl would select the format JSON Lines.
    cli.file("hyp.jsonl", '{"image_id": 1}\n')
    cli.file("ref.jsonl", '{"image_id": 1}\n')
    assert cli("score", "hyp.jsonl", "ref.jsonl", "--format-in", "plain", "-l", "other", "-q").out == "1.0\n"
    cli.file("empty.json", "[]")
    assert "has no captions" in cli.failing(1, "score", "empty.json", "empty.json", "--format-in", "coco")
    assert "no segments in <tstset>" in cli.failing(1, "score", "hyp.jsonl", "ref.jsonl", "--format-in", "sgml")


def test_encoding_option_applies_to_csv(cli):
    cli.file("data.csv", "hypothesis,reference\né a,é a\n".encode("latin-1"))
    assert cli("score", "data.csv", "--encoding", "latin-1", "-l", "other", "-q").out == "1.0\n"
    assert "data.csv, line 2: not valid UTF-8" in cli.failing(1, "score", "data.csv")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["hyp", "hyp", "--format-in", "cvs"], 2, "did you mean 'csv'"),
        (["hyp", "hyp", "--format-in", "plain", "--reference-column", "x"], 2, "has no columns"),
        (["hyp", "hyp", "--format-in", "csv"], 2, "one file only"),
        (["two.csv"], 1, "has no column 'hypothesis'; it has 'a', 'b'"),
    ],
)
def test_score_rejects_unsuitable_inputs(cli, arguments, code, message):
    cli.file("hyp", "a\n")
    cli.file("two.csv", "a,b\n1,2\n")
    error = cli.failing(code, "score", *arguments, text="a,b,reference\n1,2,3\n")
    assert message in error
    assert ("did you mean" in error) == ("cvs" in arguments)


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ("tree,river,tree\n", ["--hypothesis-column", "a", "--hypothesis-column", "b", "--reference-column", "c"]),
        (
            "tree,tree,x\ntree,river,y\n",
            ["--hypothesis-column", "a", "--reference-column", "b", "--system-column", "c"],
        ),
    ],
)
def test_score_reads_several_systems_from_standard_input(cli, rows, options):
    output = cli("score", "-", "--format-in", "csv", *options, "-l", "other", "-q", text="a,b,c\n" + rows).out
    assert output == "1.0\n0.0\n"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_score_reads_compressed_standard_input(tmp_path, compress):
    reference = tmp_path / "reference"
    reference.write_text("a tree\n")
    command = [sys.executable, "-m", "meteor_e", "score", "-", str(reference), "-l", "other", "-q"]
    assert subprocess.run(command, input=compress(b"a tree\n"), capture_output=True, check=True).stdout == b"1.0\n"


@pytest.mark.parametrize("options", [[], ["--format-in", "plain"]])
def test_score_reads_standard_input_that_a_program_replaced(tmp_path, options):
    """The runner's standard input is a BytesIO object. Detecting the format must not consume its content."""
    reference = tmp_path / "reference"
    reference.write_text("a tree\n")
    result = CliRunner().invoke(score, ["-", str(reference), "-l", "other", "-q", *options], input="a tree\n")
    assert result.output == "1.0\n"


def test_score_names_standard_input_in_errors_of_a_system_column(cli):
    arguments = ["-", "--format-in", "csv", "--hypothesis-column", "a", "--reference-column", "b"]
    error = cli.failing(1, "score", *arguments, "--system-column", "c", text="a,b,c\n1,2\n")
    assert "standard input, line 2: 2 columns" in error


PLUGIN = '''
from meteor_e import Segment, TableFormat, TextTable, hookimpl


class Pairs(TextTable):
    def __init__(self, path, texts):
        self.name, self.size, self.texts = path, None, texts

    def segments(self, system):
        with open(self.name) as stream:
            for number, line in enumerate(stream, 1):
                hypothesis, reference = line.split("|")
                yield Segment(number, hypothesis, (reference.strip(),))


class PairsFormat(TableFormat):
    """Two columns and a bar."""

    name = "bars"

    @classmethod
    def recognizes(cls, path):
        return path.endswith(".bars")

    def open(self, path, texts, *, encoding="utf-8"):
        return Pairs(path, texts)


@hookimpl
def meteor_e_table_formats():
    return [PairsFormat]
'''


def test_plugin_adds_an_input_format(cli, plugin_site):
    plugin_site.add("acme-bars", PLUGIN)
    environment = {"PYTHONPATH": str(plugin_site.folder)}
    cli.file("x.bars", "a b|a b\n")
    assert cli("score", "x.bars", "-l", "other", "-q", env=environment).out == "1.0\n"
    cli.file("x.txt", "a b|a b\n")
    result = cli("score", "x.txt", "--format-in", "bars", "-l", "other", "-q", env=environment)
    assert result.out == "1.0\n"
    assert "bars" in cli.failing(2, "score", "x.txt", "--format-in", "bar", env=environment)


def test_no_header_option_numbers_the_columns(cli):
    cli.file("data.tsv", "a b\ta b\tx1\nc\td\tx2\n")
    cli.file("named.tsv", "hypothesis\treference\tkey\na b\ta b\tx1\nc\td\tx2\n")
    options = ["-l", "other", "--segments", "--name", "mt", "-f", "csv"]
    expected = cli("score", "named.tsv", *options).out
    assert cli("score", "data.tsv", "--no-header", *options).out == expected
    columns = ["--hypothesis-column", "2", "--reference-column", "1"]
    assert cli("score", "data.tsv", "--no-header", *columns, *options).out == expected
    message = cli.failing(1, "score", "data.tsv")
    assert "has no column 'hypothesis'" in message
    assert "--no-header numbers the columns" in message


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_json_array_and_json_lines_are_tables(cli, suffix):
    pytest.importorskip("meteor_e_tables", reason="the plugin meteor-e-tables is not installed")
    rows = [
        {"key": "x1", "hypothesis": "a b", "reference": ["a b", "b"]},
        {"key": "x2", "hypothesis": "c", "reference": ["d"]},
    ]
    text = json.dumps(rows) if suffix == "json" else "".join(json.dumps(row) + "\n" for row in rows)
    cli.file(f"data.{suffix}", text)
    out = cli("align", f"data.{suffix}", "--id-column", "key", "-l", "other", "--format", "jsonl").out
    assert [json.loads(line)["segment"] for line in out.splitlines()] == ["x1", "x2"]
    assert "no column 'mt'" in cli.failing(1, "score", f"data.{suffix}", "--hypothesis-column", "mt")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[1]", "not a JSON array of objects"), ('[{"hypothesis": "a",', "is not JSON"), ("[]", "is empty")],
)
def test_json_reader_rejects_anything_but_a_table(cli, text, problem):
    pytest.importorskip("meteor_e_tables", reason="the plugin meteor-e-tables is not installed")
    cli.file("data.json", text)
    assert problem in cli.failing(1, "score", "data.json", "--format-in", "json")
