"""Tests of reading and writing tables with ``meteor-e score``."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from meteor_e_tables.columns import PARTS, ColumnNames

from meteor_e import Meteor

HYPOTHESES = ["in the end the big ship left", "many people run", "the vessel\tleaves \u2028 \u05d0", "a <b>"] * 30
REFERENCES = ["at last the vessel leaves", "a lot of people hurry", "the vessel", "b"] * 30
SECOND_REFERENCES = ["the big ship", "people", "the vessel leaves", "a b"] * 30


@pytest.fixture
def single_reference_result(own_packs):
    """Score the segments with one reference each."""
    return Meteor("en").corpus(HYPOTHESES, REFERENCES, segments=True)


@pytest.fixture
def two_reference_result(own_packs):
    """Score the segments with two references each."""
    return Meteor("en").corpus(HYPOTHESES, list(zip(REFERENCES, SECOND_REFERENCES, strict=True)), segments=True)


def to_json_lines(rows):
    """Return rows in the format JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def rows():
    """Return the rows of the input table."""
    return [
        {
            "id": index,
            "hypothesis": hypothesis,
            "reference": reference,
            "other": second_reference,
            "both": [reference, second_reference],
        }
        for index, (hypothesis, reference, second_reference) in enumerate(
            zip(HYPOTHESES, REFERENCES, SECOND_REFERENCES, strict=True)
        )
    ]


@pytest.fixture(params=["jsonl", "jsonl.gz", "parquet", "folder"])
def table(request, cli, rows):
    """Write the input table in each of several formats, and return its path."""
    if request.param == "jsonl":
        return cli.file("data.jsonl", to_json_lines(rows))
    if request.param == "jsonl.gz":
        return cli.file("data.jsonl.gz", gzip.compress(to_json_lines(rows).encode()))
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(rows)
    import pyarrow.parquet as pq

    if request.param == "parquet":
        pq.write_table(table, cli.folder / "data.parquet", row_group_size=50)
        return "data.parquet"
    (cli.folder / "data").mkdir()
    for index in range(12):
        pq.write_table(table.slice(10 * index, 10), cli.folder / "data" / f"part.{index}.parquet")
    return "data"


def check_rows(rows, result, ids=True):
    """Check that rows contain the input columns, followed by the exact scores and statistics."""
    names = ColumnNames.from_matchers(result.matchers)
    assert len(rows) == len(result.segments)
    for index, (row, segment) in enumerate(zip(rows, result.segments, strict=True)):
        if ids:
            assert list(row) == [
                "id",
                "hypothesis",
                "reference",
                "other",
                "both",
                *names.scores,
                names.reference_index,
                *names.statistics,
            ]
            assert row["id"] == index
        assert row["hypothesis"] == HYPOTHESES[index]
        assert [row[name] for name in names.scores] == [getattr(segment, part) for part in PARTS]
        assert row[names.reference_index] == segment.reference_index
        assert [row[name] for name in names.statistics] == segment.statistics.to_vector()


def read_output_rows(cli):
    """Return the rows of the output table."""
    return [json.loads(line) for line in (cli.folder / "out.jsonl").read_bytes().splitlines()]


def test_score_command_reads_all_table_formats(cli, table, single_reference_result):
    assert cli("score", table, "-q").out == f"{single_reference_result.score!r}\n"


def test_score_command_reads_several_references(cli, table, two_reference_result):
    for columns in (("both",), ("reference", "other")):
        options = [part for column in columns for part in ("--reference-column", column)]
        assert cli("score", table, "-q", *options).out == f"{two_reference_result.score!r}\n"


def test_score_command_reads_several_systems(cli, table, single_reference_result):
    options = ["--hypothesis-column", "hypothesis", "--hypothesis-column", "other"]
    document = json.loads(cli("score", table, *options, "--format=json", "--segments").out)
    assert [system["system"] for system in document["systems"]] == ["hypothesis", "other"]
    assert document["systems"][0]["scores"]["METEOR"]["score"] == single_reference_result.score
    assert [segment["scores"]["METEOR"]["score"] for segment in document["systems"][0]["segments"]] == [
        segment.score for segment in single_reference_result.segments
    ]


def test_score_command_reads_nested_fields_and_standard_input(cli, rows, single_reference_result):
    text = to_json_lines({"mt": {"en": row["hypothesis"]}, "translation": {"x.y": row["reference"]}} for row in rows)
    cli.file("nested.jsonl", text.replace("x.y", "en"))
    options = ["--hypothesis-column", "mt.en", "--reference-column", "translation.en", "-q"]
    assert cli("score", "nested.jsonl", *options).out == f"{single_reference_result.score!r}\n"
    assert cli("score", "-", *options, text=text.replace("x.y", "en")).out == f"{single_reference_result.score!r}\n"


@pytest.mark.parametrize("output", ["out.jsonl", "out.jsonl.gz"])
def test_score_command_writes_json_lines(cli, table, single_reference_result, output):
    assert cli("score", table, "-q", "-o", output).out == f"{single_reference_result.score!r}\n"
    data = (cli.folder / output).read_bytes()
    text = gzip.decompress(data) if output.endswith("gz") else data
    check_rows([json.loads(line) for line in text.splitlines()], single_reference_result)


def test_score_command_writes_parquet(cli, table, single_reference_result):
    pq = pytest.importorskip("pyarrow.parquet")
    assert cli("score", table, "-q", "-o", "out.parquet").out == f"{single_reference_result.score!r}\n"
    with pq.ParquetFile(cli.folder / "out.parquet") as file:
        metadata = file.metadata.metadata
        check_rows(file.read().to_pylist(), single_reference_result)
    assert metadata[b"meteor_e.chains.signature"].decode() == single_reference_result.signature


def test_score_command_writes_a_table_of_text_files(cli, single_reference_result):
    cli.file("hyp", "\n".join(HYPOTHESES))
    cli.file("ref", "\n".join(REFERENCES))
    assert f"{single_reference_result.score:.4f}" in cli("score", "hyp", "ref", "-o", "out.jsonl").out
    rows = read_output_rows(cli)
    assert list(rows[0])[:3] == ["segment", "hypothesis", "references"]
    assert rows[1]["references"] == [REFERENCES[1]]
    check_rows(rows, single_reference_result, ids=False)
    cli("score", "hyp", "ref", "-r", "ref", "-o", "out.jsonl")
    assert [row["system"] for row in read_output_rows(cli)] == ["hyp"] * 120 + ["ref"] * 120


def test_output_table_has_columns_for_each_system(cli, table, single_reference_result):
    options = ["--hypothesis-column", "hypothesis", "--hypothesis-column", "other", "--prefix", "m."]
    cli("score", table, "-q", "-o", "out.jsonl", *options)
    rows = read_output_rows(cli)
    assert [row["hypothesis_m.score"] for row in rows] == [
        segment.score for segment in single_reference_result.segments
    ]
    assert "other_m.score" in rows[0]


def test_output_table_has_a_column_for_each_metric(cli, table):
    arguments = ("--reference-column", "both", "-M", "meteor", "-M", "chrf", "-M", "any")
    cli("score", table, *arguments, "-o", "out.jsonl")
    output_rows = read_output_rows(cli)
    segments = json.loads(cli("score", table, *arguments, "-f", "json", "--segments").out)["systems"][0]["segments"]
    labels = ["METEOR", "chrF", "any"]
    assert [list(row)[-3:] for row in output_rows] == [labels] * len(segments)
    expected_scores = [[segment["scores"][label]["score"] for label in labels] for segment in segments]
    assert [[row[label] for label in labels] for row in output_rows] == expected_scores


def test_output_table_names_columns_by_system_and_metric(cli, table):
    arguments = ("--hypothesis-column", "hypothesis", "--hypothesis-column", "other", "-M", "chrf", "-M", "meteor")
    cli("score", table, *arguments, "-o", "out.jsonl", "--prefix", "new_")
    assert list(read_output_rows(cli)[0])[-4:] == [
        "hypothesis_new_chrF",
        "hypothesis_new_METEOR",
        "other_new_chrF",
        "other_new_METEOR",
    ]


def test_output_table_copies_json_values_unchanged(cli):
    line = '{"n":1.50, "big":123456789012345678901234567890, "x":[ null ], "hypothesis":"a","reference":"\\u00e9"}'
    cli.file("data.jsonl", f"\ufeff{line}\r\n\r\n{line}")
    cli("score", "data.jsonl", "-o", "out.jsonl")
    (first, second) = (cli.folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert first == second
    assert first.startswith('{"n":1.50,"big":123456789012345678901234567890,"x":[ null ],')


BAD_LINES = [
    ('{"hypothesis": null, "reference": "b"}', r"data.jsonl, line 2, column 'hypothesis': .*null"),
    ('{"hypothesis": 3, "reference": "b"}', r"line 2, column 'hypothesis': expected a text, not int"),
    ('{"hypothesis": "a", "reference": []}', r"line 2, column 'reference': an empty list"),
    ('{"hypothesis": "a", "reference": ["b", null]}', r"line 2, column 'reference', item 2: .*null"),
    ('{"hypothesis": "a"}', r"line 2: no field 'reference'"),
    ('{"hypothesis": "a", "reference": "b"', r"line 2: "),
    ("[1]", r"line 2: expected a JSON object"),
    ('{"hypothesis": "\\ud800", "reference": "b"}', r"line 2.*"),
    ('{"hypothesis": ' + "[" * 100_000, r"line 2: "),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_score_command_reports_invalid_json_lines(cli, line, message):
    cli.file("data.jsonl", '{"hypothesis": "a", "reference": "b"}\n' + line + "\n")
    cli.file("out.jsonl", "before")
    assert re.search(message, cli.failing(1, "score", "data.jsonl", "-o", "out.jsonl"))
    assert (cli.folder / "out.jsonl").read_text() == "before"
    assert sorted(path.name for path in cli.folder.iterdir()) == ["data.jsonl", "out.jsonl"]


def test_score_command_reports_invalid_parquet_files(cli):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"hypothesis": ["a", "b", None], "reference": ["a", "b", "c"], "n": [1, 2, 3]})
    pq.write_table(table, cli.folder / "data.parquet")
    assert "data.parquet, row 3, column 'hypothesis'" in cli.failing(1, "score", "data.parquet", "-o", "x.parquet")
    assert not (cli.folder / "x.parquet").exists()
    for options, message in (
        (["--hypothesis-column", "n"], "row 1, column 'n': expected a text, not int"),
        (["--reference-column", "refrence"], "did you mean 'reference'"),
    ):
        assert message in cli.failing(1, "score", "data.parquet", *options)
    data = (cli.folder / "data.parquet").read_bytes()
    cli.file("short.parquet", data[:-40])
    assert "cannot read short.parquet" in cli.failing(1, "score", "short.parquet")


def test_score_command_reports_damaged_parquet_page(cli, rows):
    pytest.importorskip("pyarrow")
    cli.file("data.jsonl", to_json_lines(rows))
    cli("score", "data.jsonl", "-o", "out.parquet", "--prefix", "first_")
    data = bytearray((cli.folder / "out.parquet").read_bytes())
    data[300:310] = bytes(255 - byte for byte in data[300:310])
    cli.file("bad.parquet", bytes(data))
    assert "cannot read bad.parquet" in cli.failing(1, "score", "bad.parquet", "-o", "again.parquet")


def test_parquet_output_rejects_rows_of_another_schema(cli):
    pytest.importorskip("pyarrow")
    row = {"hypothesis": "a", "reference": "b", "x": 1}
    cli.file("data.jsonl", to_json_lines([row] * 5000 + [{**row, "x": "text"}]))
    assert "write .jsonl instead" in cli.failing(1, "score", "data.jsonl", "-o", "out.parquet")
    cli.file("data.jsonl", to_json_lines([row] * 5000 + [{**row, "y": 1}]))
    assert "'y' that the first rows lack" in cli.failing(1, "score", "data.jsonl", "-o", "out.parquet")


def test_score_command_rejects_existing_column(cli, rows):
    cli.file("data.jsonl", to_json_lines({**row, "meteor_score": 1} for row in rows))
    assert "--prefix" in cli.failing(1, "score", "data.jsonl", "-o", "out.jsonl")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data.jsonl", "hyp"], "one file only"),
        (["data.jsonl", "-r", "hyp"], "one file only"),
        (["hyp", "--reference-column", "x"], "not a table"),
        (["data.jsonl", "-o", "data.jsonl"], "-o data.jsonl is an input"),
        (["data.jsonl", "--hypothesis-column", "other", "--hypothesis-column", "other"], "given twice"),
    ],
)
def test_score_command_rejects_conflicting_arguments(cli, rows, arguments, message):
    cli.file("data.jsonl", to_json_lines(rows))
    cli.file("hyp", "a\n")
    assert message in cli.failing(2, "score", *arguments)


def test_score_command_reports_missing_library(cli, rows):
    cli.file("data.jsonl", to_json_lines(rows))
    stub_folder = cli.folder.parent / "blocked"
    stub_folder.mkdir()
    (stub_folder / "distributed.py").write_text("raise ModuleNotFoundError('no', name='distributed')")
    message = cli.failing(2, "score", "data.jsonl", "--dask", "local:1", env={"PYTHONPATH": str(stub_folder)})
    assert "meteor-e-tables[dask]" in message
