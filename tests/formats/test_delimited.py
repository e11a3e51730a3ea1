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


def write(path, rows=ROWS):
    if path.name.endswith(".tsv"):
        text = "".join("\t".join(cell.replace("\n", " ") for cell in row) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
    return path


def read(path, *hypotheses):
    tabs = detect_format(str(path), is_only_file=True) == "tsv"
    table = DelimitedTable(str(path), TextColumns(hypotheses or ("mt",), ("ref",)), tabs)
    systems = [list(table.segments(index)) for index in range(len(table.systems))]
    return [(*(segment.hypothesis for segment in row), *row[0].references) for row in zip(*systems, strict=True)]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_columns(tmp_path, name):
    found = read(write(tmp_path / name), "mt", "other")
    line = "two\nlines" if name == "x.csv" else "two lines"
    assert found == [
        ('he said "no", twice', "no", "he said no"),
        (line, "x", "two lines"),
        ("", "ein Haus", "a house"),
    ]


def test_packed(tmp_path):
    plain = write(tmp_path / "x.csv")
    (tmp_path / "y.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert read(tmp_path / "y.csv.gz") == read(plain)


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
def test_malformed_tables_are_refused(tmp_path, content, message):
    (tmp_path / "x.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x.csv")


def test_header_of_many_columns_is_read(tmp_path):
    header = ",".join(["mt", "ref", *map(str, range(200_000))])
    (tmp_path / "x.csv").write_text(f"{header}\na,b{',' * 200_000}\n", encoding="utf-8")
    assert read(tmp_path / "x.csv")


def test_cells_of_any_length(tmp_path, monkeypatch):
    long = 'word "quoted", ' * 20_000
    assert read(write(tmp_path / "x.csv", [("mt", "ref"), (long, "a"), ("b", long)])) == [(long, "a"), ("b", long)]
    # What never ends its quotes is not read without end.
    monkeypatch.setattr("meteor_e.formats.plain.MAX_LINE", 200_000)
    csv.field_size_limit(131_072)
    (tmp_path / "y.csv").write_text('mt,ref\n"' + "line\n" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"y\.csv, line \d+: not CSV \(field larger than field limit \(200000\)\)"):
        read(tmp_path / "y.csv")


def test_score_takes_columns(tmp_path):
    from click.testing import CliRunner

    from meteor_e.cli.score import score

    path = write(tmp_path / "x.csv")
    columns = ["--hypothesis-column", "mt", "--hypothesis-column", "other", "--reference-column", "ref"]
    run = CliRunner().invoke(score, [str(path), *columns, "-l", "other", "--format=json"], catch_exceptions=False)
    assert [(entry["system"], entry["segment_count"]) for entry in json.loads(run.stdout)["systems"]] == [
        ("mt", 3),
        ("other", 3),
    ]


def test_lone_carriage_return_is_explained(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"mt,ref\ra,b\r")
    with pytest.raises(
        InputError, match=r"x\.csv, line 1: a carriage return that is not a line end; save the file with LF"
    ):
        read(tmp_path / "x.csv")
