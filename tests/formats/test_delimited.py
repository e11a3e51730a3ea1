"""Tests for CSV and TSV files with columns of hypotheses and references."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from meteor_e import InputError, TextColumns
from meteor_e.formats.delimited import DelimitedTable
from meteor_e.formats.inputs import detect_format

ROWS = [
    ("id", "mt", "other", "ref"),
    ("1", 'he said "no", twice', "no", "he said no"),
    ("2", "two\nlines", "x", "two lines"),
    ("3", "", "ein Haus", "a house"),
]


def write_table(path, rows=ROWS):
    """Write a TSV or CSV file, depending on the file name, and return its path."""
    if path.name.endswith(".tsv"):
        text = "".join("\t".join(cell.replace("\n", " ") for cell in row) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
    return path


def read_table(path, *hypotheses):
    """Return a tuple for each row: the hypothesis of each column, then the references."""
    is_tsv = detect_format(str(path), is_only_file=True) == "tsv"
    table = DelimitedTable(str(path), TextColumns(hypotheses or ("mt",), ("ref",)), is_tsv)
    systems = [list(table.segments(index)) for index in range(len(table.systems))]
    rows = []
    for segments in zip(*systems, strict=True):
        hypothesis_cells = [segment.hypothesis for segment in segments]
        rows.append((*hypothesis_cells, *segments[0].references))
    return rows


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_delimited_table_reads_columns_by_name(tmp_path, name):
    table_rows = read_table(write_table(tmp_path / name), "mt", "other")
    second_hypothesis = "two\nlines" if name == "x.csv" else "two lines"
    assert table_rows == [
        ('he said "no", twice', "no", "he said no"),
        (second_hypothesis, "x", "two lines"),
        ("", "ein Haus", "a house"),
    ]


def test_delimited_table_reads_gzip_files(tmp_path):
    plain = write_table(tmp_path / "x.csv")
    (tmp_path / "y.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert read_table(tmp_path / "y.csv.gz") == read_table(plain)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("mt,ref\n", "is empty"),
        ("mt,ref\na\n", "line 2: 1 columns; the header has 2"),
        ("mt,ref\na,b,c\n", "line 2: 3 columns; the header has 2"),
        ("mt,ref,mt\na,b,c\n", "two columns are called 'mt'"),
        ("mt,reference\na,b\n", "ref"),
        ('mt,ref\n"a,b\n', "unexpected end of data"),
        ('mt,ref\n"a"x,b\n', "line 2: "),
    ],
)
def test_delimited_table_rejects_malformed_files(tmp_path, content, message):
    (tmp_path / "x.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "x.csv")


def test_delimited_table_reads_200_000_columns(tmp_path):
    header = ",".join(["mt", "ref", *map(str, range(200_000))])
    (tmp_path / "x.csv").write_text(f"{header}\na,b{',' * 200_000}\n", encoding="utf-8")
    assert read_table(tmp_path / "x.csv")


def test_delimited_table_reads_long_cells_up_to_a_limit(tmp_path, monkeypatch):
    long_cell = 'word "quoted", ' * 20_000
    path = write_table(tmp_path / "x.csv", [("mt", "ref"), (long_cell, "a"), ("b", long_cell)])
    assert read_table(path) == [(long_cell, "a"), ("b", long_cell)]
    # An unclosed quote must not make the reader load the whole file as one cell.
    monkeypatch.setattr("meteor_e.formats.plain.MAX_LINE", 200_000)
    csv.field_size_limit(131_072)
    (tmp_path / "y.csv").write_text('mt,ref\n"' + "line\n" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"y\.csv, line \d+: not CSV \(field larger than field limit \(200000\)\)"):
        read_table(tmp_path / "y.csv")


def test_score_command_reads_hypothesis_columns(tmp_path):
    from click.testing import CliRunner

    from meteor_e.cli.score import score

    path = write_table(tmp_path / "x.csv")
    columns = ["--hypothesis-column", "mt", "--hypothesis-column", "other", "--reference-column", "ref"]
    result = CliRunner().invoke(score, [str(path), *columns, "-l", "other", "--format=json"], catch_exceptions=False)
    systems = json.loads(result.stdout)["systems"]
    assert [(entry["system"], entry["segment_count"]) for entry in systems] == [("mt", 3), ("other", 3)]


def test_delimited_table_explains_lone_carriage_returns(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"mt,ref\ra,b\r")
    with pytest.raises(
        InputError, match=r"x\.csv, line 1: a carriage return that is not a line end; save the file with LF"
    ):
        read_table(tmp_path / "x.csv")


def test_delimited_table_reads_standard_input_for_only_one_system():
    with pytest.raises(InputError, match="standard input can be read only once"):
        DelimitedTable("-", TextColumns(("mt", "other"), ("ref",)), False)
