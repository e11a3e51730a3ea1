"""Tests of the builders of paraphrase and synonym indexes."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

import pytest
from sample_resources import EXCEPTIONS, PARAPHRASES, SYNSETS, make_table

from meteor_e.base.errors import ResourceError
from meteor_e.packs import entries, paraphrase_table
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.indexes import ParaphraseIndex


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Return all pairs of a phrase and a paraphrase that an index contains."""
    index = ParaphraseIndex(path)
    return [
        (" ".join(index.phrase(node)), " ".join(index.phrase(paraphrase)))
        for node in range(index.nodes)
        for paraphrase in index.paraphrases(node)
    ]


def build_and_read_pairs(tmp_path: Path, text: bytes) -> list[tuple[str, str]]:
    """Index a paraphrase table, and return the pairs in the index."""
    (tmp_path / "table").write_bytes(text)
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    return read_pairs(tmp_path / "idx")


def get_build_error(tmp_path: Path, text: bytes) -> str:
    """Index an invalid table, and return the error message, with ``…`` instead of the folder."""
    with pytest.raises(ResourceError) as error_info:
        build_and_read_pairs(tmp_path, text)
    return str(error_info.value).replace(str(tmp_path), "…")


def test_paraphrase_index_is_equal_for_gzip_plain_and_stream(tmp_path: Path) -> None:
    text = make_table(PARAPHRASES)
    plain_file, gzip_file = tmp_path / "plain", tmp_path / "packed.gz"
    plain_file.write_bytes(text)
    gzip_file.write_bytes(gzip.compress(text))
    stream = entries.Stream(io.BytesIO(gzip.compress(text)), "stream", 5)
    build_paraphrase_index(plain_file, tmp_path / "1")
    build_paraphrase_index(gzip_file, tmp_path / "2")
    build_paraphrase_index(stream, tmp_path / "3")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, 8, 13, 50])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_paraphrase_index_is_independent_of_the_block_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_size: int, line_end: str
) -> None:
    text = make_table(PARAPHRASES)
    pairs = build_and_read_pairs(tmp_path, text)
    monkeypatch.setattr(entries, "_READ_SIZE", block_size)
    assert build_and_read_pairs(tmp_path, text.replace(b"\n", line_end.encode())) == pairs
    assert sorted(pairs) == sorted(PARAPHRASES)


def test_paraphrase_index_splits_at_the_white_space_of_java(tmp_path: Path) -> None:
    text = "\ufeff0.5\n a\t b \n c\x0bd  e\u00a0f\n0.5 0.25\nx\ny".encode()
    assert sorted(build_and_read_pairs(tmp_path, text)) == [("a b", "c\x0bd e\u00a0f"), ("x", "y")]


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
@pytest.mark.parametrize("block_size", [3, 1 << 20])
def test_paraphrase_index_rejects_malformed_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, message: str, block_size: int
) -> None:
    monkeypatch.setattr(entries, "_READ_SIZE", block_size)
    assert get_build_error(tmp_path, text).startswith(message)


def test_paraphrase_index_rejects_a_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_format = paraphrase_table._FORMAT._replace(max_size=1 << 20)
    monkeypatch.setattr(paraphrase_table, "_FORMAT", small_format)
    monkeypatch.setattr(entries, "_READ_SIZE", 1 << 16)
    assert "refusing to index it" in get_build_error(tmp_path, gzip.compress(b"0.5\na\nb\n" * 200_000))


def test_paraphrase_index_rejects_a_table_without_line_breaks(tmp_path: Path) -> None:
    """The first block that does not contain a complete entry is an error, regardless of the size of the file."""
    assert "line 1: an entry of more than 8 MiB" in get_build_error(tmp_path, gzip.compress(bytes(24 << 20)))


def test_paraphrase_index_reports_a_missing_table(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"nowhere\.gz: No such file"):
        build_paraphrase_index(tmp_path / "nowhere.gz", tmp_path / "idx")


def test_paraphrase_index_reports_progress_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(make_table(PARAPHRASES))
    calls: list[tuple[str, float, float | None]] = []
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx", lambda *call: calls.append(call))
    size = (tmp_path / "table").stat().st_size
    assert ("reading paraphrases", size, size) in calls
    assert calls[-1] == ("indexing paraphrases", 4, 4)


def test_paraphrase_index_sorts_frequent_and_first_words_first(tmp_path: Path) -> None:
    """The most frequent word has id 0. The words that begin phrases precede all other words."""
    build_and_read_pairs(tmp_path, make_table([("rare x", "often"), ("often x", "x often"), ("often", "q r z z z z")]))
    index = ParaphraseIndex(tmp_path / "idx")
    word_ids = {word: index.word_id(word) for word in ("often", "x", "q", "rare", "z", "r")}
    assert word_ids["often"] == 0
    assert {word_ids[word] for word in ("often", "x", "q", "rare")} == {0, 1, 2, 3}
    assert (word_ids["z"], word_ids["r"]) == (4, 5)


def compute_digest(path: Path) -> str:
    """Return the first 16 digits of the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def test_paraphrase_index_has_the_recorded_bytes(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(make_table(PARAPHRASES))
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    assert compute_digest(tmp_path / "idx") == "e6b4f53205456fac"


def test_synonym_index_has_the_recorded_bytes(tmp_path: Path) -> None:
    for name, text in (("synsets", SYNSETS), ("exceptions", EXCEPTIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_synonym_index(tmp_path / "synsets", tmp_path / "exceptions", tmp_path / "idx")
    assert compute_digest(tmp_path / "idx") == "778ef0b730f26160"
