"""What is killed leaves nothing half-written, and the next run works; benchmarks/robustness/kills.py has more."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import wait_until

WORDS = [f"w{number}" for number in range(60)]
TABLE = ("compat", "hyp", "ref", "-l", "other", "-m", "exact paraphrase", "-a", "table")


def at_work_or_ended(process, folder, scratch):
    wait_until(lambda: list(folder.rglob(scratch)) or process.poll() is not None, process)


@pytest.fixture
def task(cli):
    """A paraphrase table whose index is built, and kept, when it is first used; and what its use prints."""
    draw = random.Random(1)
    phrases = (" ".join(draw.choices(WORDS, k=draw.randint(1, 4))) for _ in range(40_000))
    cli.file("table", "".join(f"{draw.random():.4f}\n{phrase}\n{phrase} x\n" for phrase in phrases))
    for name in ("hyp", "ref"):
        cli.file(name, "".join(" ".join(draw.choices(WORDS, k=12)) + "\n" for _ in range(50)))
    environment = {"METEOR_E_CACHE": str(cli.folder / "whole")}
    start = time.monotonic()
    expected = cli(*TABLE, env=environment).out
    return cli, expected, time.monotonic() - start


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_an_index_that_is_killed_while_it_is_built(task, number):
    cli, expected, seconds = task
    draw = random.Random(int(number))
    stopped = attempt = 0
    while attempt < 4 or not stopped:  # One at least was still at work.
        attempt += 1
        # A new folder each time, so that the index is built anew.
        environment = {"METEOR_E_CACHE": str(cli.folder / f"cache{attempt}")}
        process = cli.start(*TABLE, env=environment)
        at_work_or_ended(process, Path(environment["METEOR_E_CACHE"]), ".index.*.tmp")
        time.sleep(draw.uniform(0, 0.3) * seconds * (attempt % 4))
        process.send_signal(number)
        _, err = process.communicate()
        assert b"Traceback" not in err
        stopped += process.returncode != 0
        # Under their names lie whole files only: the next run takes them as they are, or builds them.
        again = cli(*TABLE, env=environment)
        assert (again.code, again.out) == (0, expected)


def test_an_output_that_is_killed_is_whole_or_not_there(cli):
    draw = random.Random(4)
    for name in ("hyp", "ref"):
        cli.file(name, "".join(" ".join(draw.choices(WORDS, k=25)) + "\n" for _ in range(6000)))
    arguments = (
        "score",
        "hyp",
        "ref",
        "-l",
        "other",
        "-m",
        "exact",
        "--threads",
        "1",
        "--segments",
        "--format=tsv",
        "-o",
    )
    start = time.monotonic()
    assert cli(*arguments, "whole.tsv").code == 0
    seconds = time.monotonic() - start
    whole = (cli.folder / "whole.tsv").read_bytes()
    stopped = attempt = 0
    while attempt < 5 or not stopped:
        attempt += 1
        output = cli.folder / f"{attempt}.tsv"
        process = cli.start(*arguments, output.name)
        at_work_or_ended(process, cli.folder, f".{output.name}.*")
        time.sleep(draw.uniform(0, 0.2) * seconds * (attempt % 5))
        process.kill()
        process.communicate()
        stopped += process.returncode != 0
        assert not output.exists() or output.read_bytes() == whole
    # What was left is removed by the next run.
    assert cli.apart(*arguments, "last.tsv").code == 0
    assert not list(cli.folder.glob(".*.tsv.*"))


def test_an_interrupt_within_exec_ends_with_its_code(tmp_path):
    """As in an import that makes a class from text. Python would end itself by SIGINT."""
    program = (
        "import runpy\nfrom unittest import mock\nfrom meteor_e.cli import program\n"
        "def interrupted(*_, **__):\n    exec('raise KeyboardInterrupt')\n"
        "with mock.patch.object(program.cli, 'main', interrupted):\n"
        "    runpy.run_module('meteor_e', run_name='__main__')\n"
    )
    (tmp_path / "interrupted.py").write_text(program)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "meteor-e: interrupted\n")
