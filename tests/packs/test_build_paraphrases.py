from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

import pytest
from own_resources import EXCEPTIONS, SYNSETS, TABLE, table_text

from meteor_e.base.errors import ResourceError
from meteor_e.packs import build_indexes
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.indexes import ParaphraseIndex


def pairs(path: Path) -> list[tuple[str, str]]:
    """Return the pairs of a phrase and a paraphrase of an index."""
    index = ParaphraseIndex(path)
    return [
        (" ".join(index.phrase(node)), " ".join(index.phrase(right)))
        for node in range(index.nodes)
        for right in index.paraphrases(node)
    ]


def build(tmp_path: Path, text: bytes) -> list[tuple[str, str]]:
    (tmp_path / "table").write_bytes(text)
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    return pairs(tmp_path / "idx")


def problem(tmp_path: Path, text: bytes) -> str:
    with pytest.raises(ResourceError) as caught:
        build(tmp_path, text)
    return str(caught.value).replace(str(tmp_path), "…")


def test_gzip_plain_and_stream_give_the_same_bytes(tmp_path: Path) -> None:
    text = table_text(TABLE)
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(text))
    build_paraphrase_index(tmp_path / "plain", tmp_path / "1")
    build_paraphrase_index(tmp_path / "packed.gz", tmp_path / "2")
    build_paraphrase_index(build_indexes.Stream(io.BytesIO(gzip.compress(text)), "stream", 5), tmp_path / "3")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 50])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_cut_anywhere_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, end: str
) -> None:
    text = table_text(TABLE)
    whole = build(tmp_path, text)
    monkeypatch.setattr(build_indexes, "_BLOCK", size)
    assert build(tmp_path, text.replace(b"\n", end.encode())) == whole
    assert sorted(whole) == sorted(TABLE)


def test_white_space_as_java_has_it(tmp_path: Path) -> None:
    text = "\ufeff0.5\n a\t b \n c\x0bd  e\u00a0f\n0.5 0.25\nx\ny".encode()
    assert sorted(build(tmp_path, text)) == [("a b", "c\x0bd e\u00a0f"), ("x", "y")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"0.5\na\n", "…/table, line 2: the file ends inside an entry"),
        (b"0.5\na\nb\n\n", "…/table, line 4: the file ends inside an entry"),
        (b"0.5\na\nb\nc\nd\ne\n", "…/table, line 4: expected a probability, found 'c'"),
        (b"0.5\na\nb\n\nd\ne\n", "…/table, line 4: expected a probability, found ''"),
        (b"0.5\na\n \n", "…/table, line 3: an empty phrase"),
        (b"0.5\na\nb\n0.5\n\nb\n", "…/table, line 5: an empty phrase"),
        (b"0.5\na\nb\n0.5\na\n" + b"b " * 256 + b"\n", "…/table, line 6: a phrase of more than 255 words"),
        (b"0.5\na\nb\n0.5\na\n\xff\n", "…/table, line 6: not valid UTF-8"),
        (gzip.compress(b"0.5\na\nb\n", mtime=0)[:-9], "…/table is damaged or cut short"),
        (b"\x1f\x8bnonsense and more", "…/table is damaged or cut short"),
    ],
)
@pytest.mark.parametrize("block", [3, 1 << 20])
def test_malformed_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, message: str, block: int
) -> None:
    monkeypatch.setattr(build_indexes, "_BLOCK", block)
    assert problem(tmp_path, text).startswith(message)


def test_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_indexes, "MAX_TEXT", 1 << 20)
    monkeypatch.setattr(build_indexes, "_BLOCK", 1 << 16)
    assert "refusing to index it" in problem(tmp_path, gzip.compress(b"0.5\na\nb\n" * 200_000))


def test_table_without_line_breaks_is_refused(tmp_path: Path) -> None:
    """The first block without an entry is an error, regardless of the size of the file."""
    assert "line 1: an entry of more than 8 MiB" in problem(tmp_path, gzip.compress(bytes(24 << 20)))


def test_missing_table_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"nowhere\.gz: No such file"):
        build_paraphrase_index(tmp_path / "nowhere.gz", tmp_path / "idx")


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(table_text(TABLE))
    calls: list[tuple[str, float, float | None]] = []
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx", lambda *call: calls.append(call))
    size = (tmp_path / "table").stat().st_size
    assert ("reading paraphrases", size, size) in calls
    assert calls[-1] == ("indexing paraphrases", 4, 4)


def test_frequent_words_and_starting_words_have_small_numbers(tmp_path: Path) -> None:
    build(tmp_path, table_text([("rare x", "often"), ("often x", "x often"), ("often", "q r z z z z")]))
    index = ParaphraseIndex(tmp_path / "idx")
    numbers = {word: index.word_id(word) for word in ("often", "x", "q", "rare", "z", "r")}
    assert numbers["often"] == 0
    assert {numbers[word] for word in ("often", "x", "q", "rare")} == {0, 1, 2, 3}
    assert (numbers["z"], numbers["r"]) == (4, 5)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def test_paraphrases(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(table_text(TABLE))
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    assert digest(tmp_path / "idx") == "e6b4f53205456fac"


def test_synonyms(tmp_path: Path) -> None:
    for name, text in (("synsets", SYNSETS), ("exceptions", EXCEPTIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_synonym_index(tmp_path / "synsets", tmp_path / "exceptions", tmp_path / "idx")
    assert digest(tmp_path / "idx") == "778ef0b730f26160"
