"""Tests of the cache of indexes that are built from the files of users."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from sample_resources import EXCEPTIONS, PARAPHRASES, SYNSETS, make_table

from meteor_e.base.errors import ResourceError
from meteor_e.packs import cache
from meteor_e.packs.cache import load_paraphrase_index, load_synonym_index


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the cache, and return its path."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a paraphrase table, and return its path."""
    path = tmp_path / "paraphrase.gz"
    path.write_bytes(gzip.compress(make_table(PARAPHRASES)))
    return path


def test_cache_builds_one_index_for_equal_tables(
    tmp_path: Path, cache_folder: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[Path] = []
    build_paraphrase_index = cache.build_paraphrase_index

    def record_build(source: Path, *arguments: object) -> int:
        builds.append(source)
        return build_paraphrase_index(source, *arguments)

    monkeypatch.setattr(cache, "build_paraphrase_index", record_build)
    first_index = load_paraphrase_index(table)
    assert len(first_index) == len(PARAPHRASES)
    copy = tmp_path / "copy.gz"
    shutil.copy(table, copy)
    assert load_paraphrase_index(copy).path == first_index.path
    assert builds == [table]
    table.write_bytes(gzip.compress(make_table(PARAPHRASES[:2])))
    assert len(load_paraphrase_index(table)) == 2
    assert builds == [table, table]
    assert first_index.path.parent == cache_folder


def test_cache_rebuilds_a_damaged_index(table: Path) -> None:
    path = load_paraphrase_index(table).path
    path.unlink()
    path.write_bytes(b"rubbish")
    assert len(load_paraphrase_index(table)) == len(PARAPHRASES)


def test_cache_does_not_store_malformed_tables(cache_folder: Path, table: Path) -> None:
    table.write_bytes(b"0.5\na\n")
    with pytest.raises(ResourceError, match="line 2"):
        load_paraphrase_index(table)
    assert [path.name for path in cache_folder.iterdir() if not path.name.endswith(".lock")] == []
    with pytest.raises(ResourceError, match="nowhere: No such file"):
        load_paraphrase_index(table.parent / "nowhere")


def test_cache_removes_the_least_recently_used_indexes(
    cache_folder: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_index(number: int) -> Path:
        """Index a table with one entry, which depends on the number, and return the path of the index."""
        table.write_bytes(make_table([("a", f"b{number}")]))
        return load_paraphrase_index(table).path

    paths = [load_index(number) for number in range(3)]
    for age, path in enumerate(reversed(paths)):
        os.utime(path, (1000 - age, 1000 - age))
    load_index(0)  # makes the oldest index the most recently used one
    monkeypatch.setattr(cache, "MAX_CACHE", 3 * paths[0].stat().st_size)
    newest = load_index(3)
    assert sorted(cache_folder.glob("*.idx")) == sorted([paths[0], paths[2], newest])
    monkeypatch.setattr(cache, "MAX_CACHE", 1)
    newest = load_index(4)
    assert list(cache_folder.glob("*.idx")) == [newest]


def test_synonym_folder_is_indexed(tmp_path: Path, cache_folder: Path) -> None:
    synonyms = tmp_path / "synonyms"
    synonyms.mkdir()
    with pytest.raises(ResourceError, match=r"no english\.synsets in the synonym folder"):
        load_synonym_index(synonyms)
    (synonyms / "english.synsets").write_text(SYNSETS, encoding="utf-8")
    assert load_synonym_index(synonyms).bases("went") == ()
    (synonyms / "english.exceptions").write_text(EXCEPTIONS, encoding="utf-8")
    assert load_synonym_index(synonyms, "english").bases("went") == ("go", "wend")
    (synonyms / "german.synsets.gz").write_bytes(gzip.compress(b"gro\xc3\x9f\n1\n"))
    assert load_synonym_index(synonyms, "german").synsets("groß") == (1,)
    assert len(list(cache_folder.glob("*.idx"))) == 3


@pytest.mark.parametrize(
    "create",
    [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("nowhere")],
    ids=["folder", "named pipe", "broken link"],
)
def test_synonym_folder_with_unreadable_exceptions_is_an_error(tmp_path: Path, cache_folder: Path, create) -> None:
    (tmp_path / "english.synsets").write_text(SYNSETS, encoding="utf-8")
    create(tmp_path / "english.exceptions")
    with pytest.raises(ResourceError, match=r"cannot read .*english\.exceptions"):
        load_synonym_index(tmp_path)
