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


def test_file_is_written_atomically(tmp_path):
    path = tmp_path / "out.txt"
    with atomic_writer(path) as stream:
        stream.write("größer\n")
        assert not path.exists()
    assert path.read_bytes() == "größer\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no POSIX modes")
def test_mode_of_a_new_file_follows_the_umask(tmp_path):
    path = tmp_path / "out.txt"
    umask = os.umask(0o027)
    try:
        write(path, "new\n")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_symbolic_link_is_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old\n")
    link.symlink_to(target)
    write(link, "new\n")
    assert link.is_symlink()
    assert target.read_text() == "new\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipe_is_written_directly(tmp_path):
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
def test_full_disk_is_reported(tmp_path):
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write("/dev/full", "text")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write("/dev/full", "text" * 100_000)


class TestRegularFiles:
    def test_regular_files_are_read_up_to_a_limit(self, tmp_path):
        (tmp_path / "a").write_bytes(bytes(1025))
        with pytest.raises(OSError, match="larger than 1 KiB"):
            read_regular(tmp_path / "a", 1024)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
    def test_special_files_are_refused(self, tmp_path):
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


def test_file_is_complete_or_unchanged(tmp_path):
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


def test_missing_output_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_file(tmp_path / "file"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_folders_can_be_set_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    assert cache_folder() == tmp_path / "cache"
    assert cache_folder("indexes") == tmp_path / "cache" / "indexes"
    assert data_folder("packs") == tmp_path / "packs" == PackStore().root
    assert ArrayCache().folder == tmp_path / "cache" / "evaluation"


def test_folders_of_the_user_are_the_default(tmp_path, monkeypatch):
    for name in ("METEOR_E_CACHE", "METEOR_E_PACKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, **_: str(tmp_path / "caches" / name))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / "data" / name))
    assert ArrayCache().folder == tmp_path / "caches" / "meteor_e" / "evaluation"
    assert PackStore().root == Path(tmp_path / "data" / "meteor_e" / "packs")
