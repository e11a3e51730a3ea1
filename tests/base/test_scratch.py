"""Scratch files: what a process that was killed leaves behind goes with the next one that works there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from meteor_e.base import files
from meteor_e.base.files import scratch_beside, whole_file
from meteor_e.base.folders import scratch_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signal 0 asks for a process on POSIX only")

WORK = """
import sys
from pathlib import Path
from meteor_e.base.files import whole_file
from meteor_e.base.folders import scratch_folder
with scratch_folder(Path("."), "v.vectors") as folder, whole_file(Path("out")) as scratch:
    (folder / "rows").write_text("half")
    scratch.write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def unswept(monkeypatch):
    monkeypatch.setattr(files, "_swept", set())


@pytest.fixture
def worker(tmp_path):
    """A process that has scratch files in ``tmp_path``."""
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


def test_what_the_dead_left_is_removed(tmp_path, worker):
    left = names(tmp_path)
    assert len(left) == 2
    scratch_beside(tmp_path / "mine")
    assert names(tmp_path) == left, "it is alive"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert names(tmp_path) == left
    files._swept.clear()
    (tmp_path / ".others.tmp").write_text("not ours")
    with scratch_folder(tmp_path, "mine"):
        pass
    assert names(tmp_path) == [".others.tmp"]


def test_another_machine_is_left_alone_and_an_earlier_start_of_this_one_is_not(tmp_path):
    host, boot = files._machine()
    other, earlier = (f"{int(value, 16) ^ 1:08x}" for value in (host, boot))
    for start in (other + boot, host + earlier):
        (tmp_path / f".out.{start}-{os.getpid()}-00000000.tmp").write_text("half")
    scratch_beside(tmp_path / "out")
    assert names(tmp_path) == [f".out.{other}{boot}-{os.getpid()}-00000000.tmp"]


@pytest.mark.parametrize("name", ["x" * 240, "名" * 80])
def test_long_names(tmp_path, name):
    with whole_file(tmp_path / name) as scratch:
        scratch.write_text("whole")
    assert names(tmp_path) == [name]
