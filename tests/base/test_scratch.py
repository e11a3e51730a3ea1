"""Temporary files of killed processes are removed by the next process that uses the folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from meteor_e.base import atomic
from meteor_e.base.atomic import atomic_file, temporary_path
from meteor_e.base.folders import temporary_folder, working_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")

WORK = """
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
def unswept(monkeypatch):
    monkeypatch.setattr(atomic, "_swept_folders", set())


@pytest.fixture
def worker(tmp_path):
    """A process with temporary files in ``tmp_path``."""
    with subprocess.Popen(
        [sys.executable, "-c", WORK], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def age(folder):
    """Set the modification time of all files to a time at which they count as abandoned."""
    for path in folder.iterdir():
        os.utime(path, (0, 0))


def test_leftovers_of_killed_processes_are_removed(tmp_path, worker):
    left = names(tmp_path)
    assert len(left) == 2
    temporary_path(tmp_path / "mine")
    assert names(tmp_path) == left, "it is alive"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert names(tmp_path) == left
    (tmp_path / ".others.tmp").write_text("not ours")
    elsewhere = tmp_path / ".v.00000000-1-0123456789ab.tmp"
    elsewhere.write_text("of another machine")
    for expected in ([".others.tmp", elsewhere.name], [".others.tmp"]):
        atomic._swept_folders.clear()
        with temporary_folder(tmp_path, "mine"):
            pass
        assert names(tmp_path) == expected
        age(tmp_path)


def test_lock_holder_removes_leftovers_of_its_target(tmp_path, worker):
    """The age of the files does not matter, because no other process can use the target."""
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    with working_folder(tmp_path / "v.vectors") as work:
        assert [name for name in names(tmp_path) if "v.vectors" in name] == [work.name]
        assert len(names(tmp_path)) == 1


@pytest.mark.parametrize("name", ["x" * 240, "名" * 80])
def test_long_names(tmp_path, name):
    with atomic_file(tmp_path / name) as scratch:
        scratch.write_text("whole")
    assert names(tmp_path) == [name]
