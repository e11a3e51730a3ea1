"""``meteor-e pack filter``."""

from __future__ import annotations

import gzip
import subprocess

import click.testing
import pytest
from made_up_table import TABLE, write_table
from meteor_e_bitext.pack_filter import derive_pack, filter_table, pack_entries, table_entries

from meteor_e import ResourceError
from meteor_e.cli.program import cli
from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack

# What the Java program's FilterParaphrase does with these was looked at.
TEXT = [["k", "a", "b", "l"], ["k"]]
KEPT = [TABLE[0], TABLE[1], TABLE[3], TABLE[4]]


def test_entries_stay_if_either_side_is_in_the_text(tmp_path):
    table = write_table(tmp_path / "table")
    with (tmp_path / "out.gz").open("wb") as out:
        assert filter_table(lambda: table_entries(table), TEXT, out) == (8, 4)
    assert list(table_entries(tmp_path / "out.gz")) == KEPT


@pytest.mark.java
def test_the_java_program_keeps_the_same(tmp_path, jar):
    table = tmp_path / "table.gz"
    table.write_bytes(gzip.compress(write_table(tmp_path / "table").read_bytes()))
    (tmp_path / "text").write_text("".join(" ".join(line) + "\n" for line in TEXT))
    names = [str(table), str(tmp_path / "out.gz"), str(tmp_path / "text")]
    subprocess.run(["java", "-cp", str(jar), "FilterParaphrase", *names], check=True, capture_output=True)
    assert list(table_entries(tmp_path / "out.gz")) == KEPT


@pytest.mark.parametrize(
    ("text", "message"),
    [("0.5\na\n", "the table ends inside an entry"), ("0.5\na\nb\nx\na\nb\n", "line 4: expected a probability")],
)
def test_malformed_tables(tmp_path, text, message):
    (tmp_path / "table").write_text(text)
    with pytest.raises(ResourceError, match=message):
        list(table_entries(tmp_path / "table"))


@pytest.fixture
def pack(tmp_path) -> Pack:
    (tmp_path / "words").write_text("k\nthe\n")
    table = write_table(tmp_path / "table")
    return build_pack(tmp_path / "pack", language="xx", function_words=tmp_path / "words", paraphrases=table)


def test_a_filtered_pack(tmp_path, pack):
    assert {entry[1:] for entry in pack_entries(pack)} == {entry[1:] for entry in TABLE}
    with (tmp_path / "out.gz").open("wb") as out:
        filter_table(lambda: pack_entries(pack), TEXT, out)
    derived = derive_pack(pack, tmp_path / "small", tmp_path / "out.gz", "filtered")
    assert {entry[1:] for entry in pack_entries(derived)} == {entry[1:] for entry in KEPT}
    assert derived.function_words == pack.function_words
    assert derived.version == "1 filtered"
    assert derived.digest != pack.digest
    assert derived.verify() == []
    assert derived.manifest.sources == pack.manifest.sources


def test_a_pack_without_a_table(tmp_path):
    (tmp_path / "words").write_text("k\n")
    bare = build_pack(tmp_path / "bare", language="xx", function_words=tmp_path / "words")
    with pytest.raises(ResourceError, match="no paraphrases to filter"):
        list(pack_entries(bare))


def test_a_pack_that_cannot_be_written_leaves_nothing(tmp_path, pack):
    (tmp_path / "bad").write_text("no table\n")
    with pytest.raises(ResourceError, match="the file ends inside an entry"):
        derive_pack(pack, tmp_path / "small", tmp_path / "bad", "filtered")
    assert not (tmp_path / "small").exists()
    assert not [path for path in tmp_path.iterdir() if "building" in path.name]


def test_the_command(tmp_path, pack):
    (tmp_path / "text").write_text("k a b l\nk\n")
    result = click.testing.CliRunner().invoke(
        cli, ["pack", "filter", str(pack.path), "-l", "other", "-R", str(tmp_path / "text"), "-o", str(tmp_path / "s")]
    )
    assert result.output == f"kept 4 of 8 paraphrases in {tmp_path / 's'}\n"
    assert {entry[1:] for entry in pack_entries(Pack(tmp_path / "s"))} == {entry[1:] for entry in KEPT}
