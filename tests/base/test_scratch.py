"""The next process that uses a folder removes the temporary files of killed processes in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from meteor_e.base import atomic
from meteor_e.base.atomic import atomic_file, temporary_path
from meteor_e.base.folders import temporary_folder, working_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL needs POSIX")

WORKER_CODE = """
import sys
from pathlib import Path
from meteor_e.base.atomic import atomic_file
from meteor_e.base.folders import temporary_folder
with temporary_folder(Path("."), "v.vectors") as folder, atomic_file(Path("out")) as scratch:
    (folder / "rows").write_text("half")
    scratch.write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def forget_swept_folders(monkeypatch):
    """Make this process look for abandoned files in every folder again."""
    monkeypatch.setattr(atomic, "_swept_folders", set())


@pytest.fixture
def worker(tmp_path):
    """A running process with temporary files in ``tmp_path``."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKER_CODE], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def list_names(folder):
    """Return the names of all files in a folder, in sorted order."""
    return sorted(path.name for path in folder.iterdir())


def make_files_old(folder):
    """Set the modification time of all files to 1970, so that they count as abandoned."""
    for path in folder.iterdir():
        os.utime(path, (0, 0))


def test_temporary_files_of_killed_processes_are_removed(tmp_path, worker):
    temporary_names = list_names(tmp_path)
    assert len(temporary_names) == 2
    temporary_path(tmp_path / "mine")
    assert list_names(tmp_path) == temporary_names, "files of a running process were removed"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert list_names(tmp_path) == temporary_names
    (tmp_path / ".others.tmp").write_text("not ours")
    remote_file = tmp_path / ".v.00000000-1-0123456789ab.tmp"
    remote_file.write_text("of another machine")
    # A file of another machine is removed only after it has become old.
    for expected in ([".others.tmp", remote_file.name], [".others.tmp"]):
        atomic._swept_folders.clear()
        with temporary_folder(tmp_path, "mine"):
            pass
        assert list_names(tmp_path) == expected
        make_files_old(tmp_path)


def test_working_folder_removes_leftover_files_of_its_target(tmp_path, worker):
    """The age of the files does not matter, because no other process can use the target at the same time."""
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    with working_folder(tmp_path / "v.vectors") as folder:
        assert [name for name in list_names(tmp_path) if "v.vectors" in name] == [folder.name]
        assert len(list_names(tmp_path)) == 1


@pytest.mark.parametrize("name", ["x" * 240, "名" * 80])
def test_atomic_file_supports_long_names(tmp_path, name):
    with atomic_file(tmp_path / name) as scratch:
        scratch.write_text("whole")
    assert list_names(tmp_path) == [name]
