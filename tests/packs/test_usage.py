from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from meteor_e.base.errors import ResourceError
from meteor_e.packs import Pack, build_pack
from meteor_e.packs.build import derive_pack
from meteor_e.packs.usage import coverage, filter_table, most_paraphrased, pack_entries, table_entries

# What the Java program's FilterParaphrase does with these was looked at.
TABLE = [
    ("0.5", "a b", "c"),
    ("0.4", "c", "a b"),
    ("0.3", "x", "y"),
    ("0.25", "b", "zz"),
    ("0.2", "zz", "b"),
    ("0.1", "b a", "nn"),
    ("0.1", "a l", "l k"),
    ("0.1", "a b z", "q r"),
]
TEXT = [["k", "a", "b", "l"], ["k"]]
KEPT = [TABLE[0], TABLE[1], TABLE[3], TABLE[4]]


def write_table(path: Path, entries=TABLE) -> Path:
    path.write_text("".join("\n".join(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def test_entries_stay_if_either_side_is_in_the_text(tmp_path):
    table = write_table(tmp_path / "table")
    with (tmp_path / "out.gz").open("wb") as out:
        assert filter_table(lambda: table_entries(table), TEXT, out) == (8, 4)
    assert list(table_entries(tmp_path / "out.gz")) == KEPT


@pytest.mark.java
def test_the_java_program_keeps_the_same(tmp_path, java):
    table = tmp_path / "table.gz"
    table.write_bytes(gzip.compress(write_table(tmp_path / "table").read_bytes()))
    (tmp_path / "text").write_text("".join(" ".join(line) + "\n" for line in TEXT))
    java.run([str(table), str(tmp_path / "out.gz"), str(tmp_path / "text")], main="FilterParaphrase")
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


def test_coverage(pack):
    seen = []
    texts = [["k", "a", "b", "l"], ["x", "k", "c"], ["a", "b"]]
    found = coverage(pack, texts, progress=lambda *state: seen.append(state))
    assert seen == [("reading the text", 3, 3)]
    assert found.words == 9
    assert found.function_words == 2
    # a b, x, c, a b; of "b" there is a shorter phrase inside. "l" begins a phrase that does not follow.
    assert found.paraphrased_words == 6
    assert found.frequent[:2] == [("a b", 2, ["c"]), ("b", 2, ["zz"])] or found.frequent[0][1] == 2
    assert ("x", 1, ["y"]) in found.frequent


def test_most_paraphrased(tmp_path, monkeypatch):
    monkeypatch.setattr("meteor_e.packs.paraphrases._TOGETHER", 7)
    chance = random.Random(4)
    phrases = [f"{first} {second}".strip() for first in "abcdef" for second in ("", "x", "y z")]
    entries = [(chance.choice(phrases), chance.choice(phrases[:9])) for _ in range(200)]
    (tmp_path / "words").write_text("the\n")
    (tmp_path / "table").write_text("".join(f"0.5\n{left}\n{right}\n" for left, right in entries))
    made = build_pack(tmp_path / "p", language="xx", function_words=tmp_path / "words", paraphrases=tmp_path / "table")
    expected = Counter(right for _, right in entries)
    found = most_paraphrased(made.paraphrases, 4)
    assert [count for _, count in found] == sorted(expected.values(), reverse=True)[:4]
    assert all(expected[phrase] == count for phrase, count in found)
    assert dict(most_paraphrased(made.paraphrases, 1000)) == expected
    assert most_paraphrased(made.paraphrases, 0) == []
    made.paraphrases.nodes = 3
    with pytest.raises(ResourceError, match="it has no phrase"):
        most_paraphrased(made.paraphrases, 1)


def test_a_pack_without_a_table(tmp_path):
    (tmp_path / "words").write_text("k\n")
    bare = build_pack(tmp_path / "bare", language="xx", function_words=tmp_path / "words")
    with pytest.raises(ResourceError, match="no paraphrases to filter"):
        list(pack_entries(bare))
    assert coverage(bare, [["k", "x"]])[:4] == (2, 1, 0, 0)
