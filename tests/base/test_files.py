"""Atomic output files, checks of input files, and the folders for caches and data."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.atomic import atomic_file, atomic_writer
from meteor_e.base.errors import InputError
from meteor_e.base.files import check_regular_file, open_regular, read_regular
from meteor_e.base.folders import cache_folder, data_folder
from meteor_e.packs.store import PackStore


def write_atomically(path, text):
    """Write a text to a file with ``atomic_writer``."""
    with atomic_writer(path) as stream:
        stream.write(text)


def test_atomic_writer_creates_the_file_at_the_end(tmp_path):
    path = tmp_path / "out.txt"
    with atomic_writer(path) as stream:
        stream.write("größer\n")
        assert not path.exists()
    assert path.read_bytes() == "größer\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no POSIX modes")
def test_atomic_writer_applies_the_umask_to_a_new_file(tmp_path):
    path = tmp_path / "out.txt"
    previous_umask = os.umask(0o027)
    try:
        write_atomically(path, "new\n")
    finally:
        os.umask(previous_umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_atomic_writer_follows_a_symbolic_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old\n")
    link.symlink_to(target)
    write_atomically(link, "new\n")
    assert link.is_symlink()
    assert target.read_text() == "new\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_atomic_writer_writes_directly_to_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    contents = []
    reader = threading.Thread(target=lambda: contents.append(path.read_text()))
    reader.start()
    write_atomically(path, "through\n")
    reader.join(10)
    assert contents == ["through\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/folder/out", r"cannot write .*no.folder.out: No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", r"null (byte|character)"),
    ],
)
def test_atomic_writer_reports_invalid_paths(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        write_atomically(str(tmp_path / name), "text")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_atomic_writer_reports_a_full_disk(tmp_path):
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write_atomically("/dev/full", "text")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write_atomically("/dev/full", "text" * 100_000)


class TestRegularFiles:
    def test_read_regular_limits_the_file_size(self, tmp_path):
        (tmp_path / "a").write_bytes(bytes(1025))
        with pytest.raises(OSError, match="larger than 1 KiB"):
            read_regular(tmp_path / "a", 1024)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
    def test_open_regular_rejects_pipes_and_devices(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "zero").symlink_to("/dev/zero")
        for name, file_type in (("pipe", "a pipe"), ("zero", "a device")):
            with pytest.raises(OSError, match=f"not a regular file but {file_type}"):
                open_regular(tmp_path / name)
            with pytest.raises(InputError, match=f"not a regular file but {file_type}"):
                check_regular_file(tmp_path / name)
        with pytest.raises(IsADirectoryError):
            open_regular(tmp_path)

    @pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
    def test_open_regular_rejects_invalid_names(self, name):
        with pytest.raises(OSError, match="its name is not a valid path"):
            open_regular(name)
        with pytest.raises(InputError, match="its name is not a valid path"):
            check_regular_file(name)


def test_atomic_file_is_complete_or_unchanged(tmp_path):
    target = tmp_path / "file"
    with atomic_file(target) as scratch:
        scratch.write_text("one")
        assert not target.exists()
    target.chmod(0o640)

    def write_and_interrupt() -> None:
        with atomic_file(target) as scratch:
            scratch.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt()
    assert target.read_text() == "one"
    with atomic_file(target) as scratch:
        scratch.write_text("two")
    assert target.read_text() == "two"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_atomic_file_fails_if_no_file_was_written(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_file(tmp_path / "file"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_folders_follow_the_environment_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    assert cache_folder() == tmp_path / "cache"
    assert cache_folder("indexes") == tmp_path / "cache" / "indexes"
    assert data_folder("packs") == tmp_path / "packs" == PackStore().root
    assert ArrayCache().folder == tmp_path / "cache" / "evaluation"


def test_folders_default_to_the_folders_of_the_user(tmp_path, monkeypatch):
    for name in ("METEOR_E_CACHE", "METEOR_E_PACKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, **_: str(tmp_path / "caches" / name))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / "data" / name))
    assert ArrayCache().folder == tmp_path / "caches" / "meteor_e" / "evaluation"
    assert PackStore().root == Path(tmp_path / "data" / "meteor_e" / "packs")
