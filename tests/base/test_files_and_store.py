"""Whole files, and where things are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.files import cache_folder, data_folder, whole_file
from meteor_e.packs.store import PackStore


def test_a_file_is_there_whole_or_as_it_was(tmp_path):
    target = tmp_path / "file"
    with whole_file(target) as scratch:
        scratch.write_text("one")
        assert not target.exists()
    target.chmod(0o640)

    def interrupt() -> None:
        with whole_file(target) as scratch:
            scratch.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert target.read_text() == "one"
    with whole_file(target) as scratch:
        scratch.write_text("two")
    assert target.read_text() == "two"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_written_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "file"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_folders_that_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    assert cache_folder() == tmp_path / "cache"
    assert cache_folder("indexes") == tmp_path / "cache" / "indexes"
    assert data_folder("packs") == tmp_path / "packs" == PackStore().root
    assert ArrayCache().folder == tmp_path / "cache" / "evaluation"


def test_the_users_own_folders(tmp_path, monkeypatch):
    for name in ("METEOR_E_CACHE", "METEOR_E_PACKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, **_: str(tmp_path / "caches" / name))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / "data" / name))
    assert ArrayCache().folder == tmp_path / "caches" / "meteor_e" / "evaluation"
    assert PackStore().root == Path(tmp_path / "data" / "meteor_e" / "packs")
