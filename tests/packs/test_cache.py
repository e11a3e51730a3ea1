from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from own_resources import EXCEPTIONS, SYNSETS, TABLE, table_text

from meteor_e.base.errors import ResourceError
from meteor_e.packs import cache
from meteor_e.packs.cache import load_paraphrase_index, load_synonym_index


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "paraphrase.gz"
    path.write_bytes(gzip.compress(table_text(TABLE)))
    return path


def test_built_once_for_a_content(tmp_path: Path, folder: Path, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds: list[Path] = []
    original = cache.build_paraphrase_index

    def counting(source: Path, *rest: object) -> int:
        builds.append(source)
        return original(source, *rest)

    monkeypatch.setattr(cache, "build_paraphrase_index", counting)
    first = load_paraphrase_index(table)
    assert len(first) == len(TABLE)
    copy = tmp_path / "copy.gz"
    shutil.copy(table, copy)
    assert load_paraphrase_index(copy).path == first.path
    assert builds == [table]
    table.write_bytes(gzip.compress(table_text(TABLE[:2])))
    assert len(load_paraphrase_index(table)) == 2
    assert builds == [table, table]
    assert first.path.parent == folder


def test_damaged_index_is_built_again(table: Path) -> None:
    path = load_paraphrase_index(table).path
    path.unlink()
    path.write_bytes(b"rubbish")
    assert len(load_paraphrase_index(table)) == len(TABLE)


def test_malformed_table_is_not_cached(folder: Path, table: Path) -> None:
    table.write_bytes(b"0.5\na\n")
    with pytest.raises(ResourceError, match="line 2"):
        load_paraphrase_index(table)
    assert [path.name for path in folder.iterdir() if not path.name.endswith(".lock")] == []
    with pytest.raises(ResourceError, match="nowhere: No such file"):
        load_paraphrase_index(table.parent / "nowhere")


def test_least_recently_used_files_are_removed(folder: Path, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def index(number: int) -> Path:
        table.write_bytes(table_text([("a", f"b{number}")]))
        return load_paraphrase_index(table).path

    paths = [index(number) for number in range(3)]
    for age, path in enumerate(reversed(paths)):
        os.utime(path, (1000 - age, 1000 - age))
    index(0)  # used again
    monkeypatch.setattr(cache, "MAX_CACHE", 3 * paths[0].stat().st_size)
    newest = index(3)
    assert sorted(folder.glob("*.idx")) == sorted([paths[0], paths[2], newest])
    monkeypatch.setattr(cache, "MAX_CACHE", 1)
    newest = index(4)
    assert list(folder.glob("*.idx")) == [newest]


def test_folder_of_synonyms_is_indexed(tmp_path: Path, folder: Path) -> None:
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
    assert len(list(folder.glob("*.idx"))) == 3


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_exceptions_that_cannot_be_read_are_not_absent(tmp_path: Path, folder: Path, make) -> None:
    (tmp_path / "english.synsets").write_text(SYNSETS, encoding="utf-8")
    make(tmp_path / "english.exceptions")
    with pytest.raises(ResourceError, match=r"cannot read .*english\.exceptions"):
        load_synonym_index(tmp_path)
