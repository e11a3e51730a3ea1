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


def write(path, text):
    with atomic_writer(path) as stream:
        stream.write(text)


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "out.txt"
    with atomic_writer(path) as stream:
        stream.write("größer\n")
        assert not path.exists()
    assert path.read_bytes() == "größer\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no POSIX modes")
def test_the_mode_of_a_new_file_is_the_umasks(tmp_path):
    path = tmp_path / "out.txt"
    umask = os.umask(0o027)
    try:
        write(path, "new\n")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old\n")
    link.symlink_to(target)
    write(link, "new\n")
    assert link.is_symlink()
    assert target.read_text() == "new\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    reader.start()
    write(path, "through\n")
    reader.join(10)
    assert found == ["through\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/folder/out", r"cannot write .*no.folder.out: No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", r"null (byte|character)"),
    ],
)
def test_files_that_cannot_be_written(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        write(str(tmp_path / name), "text")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(tmp_path):
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write("/dev/full", "text")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write("/dev/full", "text" * 100_000)


class TestRegularFiles:
    def test_are_bounded(self, tmp_path):
        (tmp_path / "a").write_bytes(bytes(1025))
        with pytest.raises(OSError, match="larger than 1 KiB"):
            read_regular(tmp_path / "a", 1024)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
    def test_what_is_something_else(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "zero").symlink_to("/dev/zero")
        for name, what in (("pipe", "a pipe"), ("zero", "a device")):
            with pytest.raises(OSError, match=f"not a regular file but {what}"):
                open_regular(tmp_path / name)
            with pytest.raises(InputError, match=f"not a regular file but {what}"):
                check_regular_file(tmp_path / name)
        with pytest.raises(IsADirectoryError):
            open_regular(tmp_path)

    @pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
    def test_names_that_cannot_be(self, name):
        with pytest.raises(OSError, match="its name is not a valid path"):
            open_regular(name)
        with pytest.raises(InputError, match="its name is not a valid path"):
            check_regular_file(name)


def test_a_file_is_there_whole_or_as_it_was(tmp_path):
    target = tmp_path / "file"
    with atomic_file(target) as scratch:
        scratch.write_text("one")
        assert not target.exists()
    target.chmod(0o640)

    def interrupt() -> None:
        with atomic_file(target) as scratch:
            scratch.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert target.read_text() == "one"
    with atomic_file(target) as scratch:
        scratch.write_text("two")
    assert target.read_text() == "two"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_written_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_file(tmp_path / "file"):
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
