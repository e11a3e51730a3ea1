"""Test which files remain if a command that writes files is killed or interrupted, or if the disk is full.

    python benchmarks/robustness/kills.py [--kills 40] [--seed 1]

Each task runs in a process of its own. The script kills it (SIGKILL) or interrupts it (SIGINT, SIGTERM) at a random
time, limits the size of its files, fills its disk (a tmpfs) at a random byte, closes the pipe of its output, makes its
folder read-only, or runs eight tasks at once. Afterwards, the output must be either complete or missing, and the next
run must create it with exactly the same bytes. A killed process cannot clean up. It may leave hidden scratch files
next to its output, which are counted separately, and which the next run must remove. The exit code is 1 if a test
fails.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gzip
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TIMEOUT = 60
INTERRUPTS = {signal.SIGINT, signal.SIGTERM}


class Task(NamedTuple):
    """A command that writes files.

    Attributes:
        arguments: arguments of ``meteor-e``.
        output: path of the file or folder that the command writes.
    """

    arguments: tuple[str, ...]
    output: str


TASKS = {
    "install": Task(("pack", "install", "en", "--from", "meteor-1.5.jar"), "packs/en"),
    "index of a table": Task(("compat", "hyp", "ref", "-l", "other", "-m", "exact paraphrase", "-a", "table"), "cache"),
    "score -o": Task(("score", "hyp", "ref", "-l", "other", "--threads", "1", "-o", "out.jsonl"), "out.jsonl"),
    "train": Task(("train", "judged/recipe.yaml", "-o", "m.safetensors", "-q"), "m.safetensors"),
    "report": Task(("report", "hyp", "ref", "-l", "other", "--samples", "50", "-o", "out.html"), "out.html"),
}


def prepare(folder: Path) -> None:
    """Write the input files: texts, and an artificial METEOR jar whose installation takes about a second."""
    from meteor_e.packs.build import build_pack

    rng = random.Random(5)
    words = [f"w{number}" for number in range(3000)]

    def draw_words(count: int) -> str:
        return " ".join(rng.choices(words, k=count))

    for name in ("hyp", "ref"):
        (folder / name).write_text("".join(f"{draw_words(12)}\n" for _ in range(1500)))
    table = "".join(f"0.5\n{draw_words(12)}\n{draw_words(3)}\n" for _ in range(15_000)).encode()
    (folder / "table").write_bytes(table)
    (folder / "data").mkdir()
    (folder / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(table, 1))
    (folder / "words").write_text("the\n")
    shutil.copytree(Path(__file__).parents[2] / "examples" / "judged", folder / "judged")
    build_pack(folder / "own" / "en", language="en", function_words=folder / "words", prefixes=folder / "words")
    with zipfile.ZipFile(folder / "meteor-1.5.jar", "w") as jar:
        jar.writestr("function/english.words", "the\na\n")
        jar.writestr("nonbreaking/english.prefixes", "Mr\n")
        jar.writestr("synonym/english.synsets", "".join(f"{word}\n{number}\n" for number, word in enumerate(words)))
        jar.writestr("synonym/english.exceptions", "")
        jar.writestr("synonym/COPYING.WORDNET", "ours\n")


def start(
    arguments: tuple[str, ...], folder: Path, messages: Path | None = None, set_up: Callable[[], None] = lambda: None
) -> int:
    """Start a command in a child process, and return its process id.

    Args:
        arguments: arguments of ``meteor-e``.
        folder: working directory.
        messages: folder for the files of standard output and standard error; by default the working directory.
        set_up: function that the child process calls before it runs the command.
    """
    # Interrupts are blocked until the child process is inside "try", because otherwise it could continue this script.
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        return child
    code = 130  # A second interrupt during the handling of the first one must end the child, too.
    try:
        code = run(arguments, folder, messages, set_up)
    finally:
        os._exit(code)


def run(arguments: tuple[str, ...], folder: Path, messages: Path | None, set_up: Callable[[], None]) -> int:
    """Run a command in this process, and return its exit code. :func:`start` has the same arguments."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        os.chdir(folder)
        os.setpgid(0, 0)
        os.environ.update(
            METEOR_E_PACKS=str(folder / ("packs" if arguments[0] == "pack" else "own")),
            METEOR_E_CACHE=str(folder / "cache"),
        )
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open((messages or folder) / f".{name}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
        set_up()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from meteor_e.cli.program import main

        main(list(arguments))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, AttributeError):
            pass
        return code
    except KeyboardInterrupt:  # The command has not started yet.
        return 130
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return 99
    return 0


def wait(child: int) -> int | None:
    """Return the exit code of a process. After a minute, kill the process and return ``None``."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        ended_child, status = os.waitpid(child, os.WNOHANG)
        if ended_child:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def read_output(folder: Path, output: str) -> dict[str, bytes]:
    """Return the paths and contents of the files that a task wrote. Hidden files are left out."""
    path = folder / output
    contents = {}
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        relative_path = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in relative_path.parts):
            data = file.read_bytes()
            contents[str(relative_path)] = round_model(data) if file.suffix == ".safetensors" else data
    return contents


def round_model(model: bytes) -> bytes:
    """Return a model's numbers without their last digits, which depend on the sizes of batches."""
    import numpy as np
    from safetensors import SafetensorError, numpy

    try:
        arrays = numpy.load(model)
    except SafetensorError:
        return model
    return repr([(name, array.astype(np.float64).round(9).tolist()) for name, array in sorted(arrays.items())]).encode()


def read_stderr(folder: Path) -> str:
    """Return the standard error of the last run."""
    file = folder / ".stderr"
    return file.read_text(errors="replace") if file.exists() else ""


def find_scratch(folder: Path) -> list[str]:
    """Return the names of hidden files and folders. Locks, records of checks and logs are left out."""
    permanent_names = (".stdout", ".stderr", ".checked.json")
    names = [path.name for path in folder.rglob(".*")]
    return [name for name in names if name not in permanent_names and not name.endswith(".lock")]


class Trial:
    """Runs a command under adverse conditions, such as signals and a full disk, and counts the failures.

    Args:
        name: name of the task.
        inputs: folder of the input files.
        temporary: folder for the runs.
    """

    def __init__(self, name: str, inputs: Path, temporary: Path) -> None:
        self.name = name
        self.task = TASKS[name]
        self.inputs = inputs
        self.temporary = temporary
        self.failures = Counter[str]()
        self.scratch_count = 0
        start_time = time.monotonic()
        self.expected = self.run_undisturbed()
        self.seconds = time.monotonic() - start_time

    def make_folder(self) -> Path:
        """Return a new folder that contains the input files."""
        folder = self.temporary / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        return folder

    def run_undisturbed(self) -> dict[str, bytes]:
        """Run the task without interruptions, and return the files that it writes."""
        folder = self.make_folder()
        code = wait(start(self.task.arguments, folder))
        if code != 0:
            raise SystemExit(f"{self.name} does not work: {(folder / '.stderr').read_text()}")
        return read_output(folder, self.task.output)

    def report(self, failure: str, folder: Path) -> None:
        """Count a failure, and print it."""
        self.failures[failure] += 1
        print(f"{self.name}: {failure}: {read_stderr(folder)[-300:]}", file=sys.stderr)

    def check(self, folder: Path, code: int | None, must_fail: bool, is_killed: bool = False) -> None:
        """Check the files that an interrupted run has left, and run the task again.

        Args:
            folder: folder of the run.
            code: exit code of the run, or ``None`` if it did not end.
            must_fail: whether a run with incomplete output must have an exit code other than 0.
            is_killed: whether the process was killed.
        """
        self.check_exit(folder, code, must_fail, is_killed)
        output = read_output(folder, self.task.output)
        if any(self.expected.get(name) != data for name, data in output.items()):
            self.report("half written", folder)
        if self.task.output == "packs/en" and output and output != self.expected:
            self.report("half written", folder)
        if is_killed:
            self.scratch_count += bool(find_scratch(folder))
        elif find_scratch(folder):
            self.report(f"scratch left: {find_scratch(folder)}", folder)
        code = wait(start(self.task.arguments, folder))
        if code != 0 or read_output(folder, self.task.output) != self.expected:
            self.report("the next run", folder)
        elif find_scratch(folder):
            self.report(f"the next run leaves {find_scratch(folder)}", folder)

    def check_exit(self, folder: Path, code: int | None, must_fail: bool, is_killed: bool) -> None:
        """Check the exit code and the standard error of a run."""
        if code is None:
            self.report("hang", folder)
            return
        has_died = code < 0 and code != -signal.SIGTERM and not is_killed
        if "Traceback" in read_stderr(folder) or code == 99 or has_died:
            self.report("traceback", folder)
        elif must_fail and code == 0 and read_output(folder, self.task.output) != self.expected:
            self.report("exit 0", folder)

    def interrupt(self, signal_number: signal.Signals, rng: random.Random) -> None:
        """Send a signal to a run at a random time."""
        folder = self.make_folder()
        child = start(self.task.arguments, folder)
        time.sleep(rng.uniform(0.02, 1.1 * self.seconds))
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal_number)
        self.check(folder, wait(child), False, is_killed=signal_number == signal.SIGKILL)

    def limit_file_size(self, limit: int) -> None:
        """Run the task with a limit for the size of files."""

        def set_limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        folder = self.make_folder()
        code = wait(start(self.task.arguments, folder, set_up=set_limit))
        self.check(folder, code, True)

    def fill_disk(self, rng: random.Random) -> None:
        """Run the task on a disk that becomes full at a random byte. Then enlarge the disk, and run it again."""
        folder = self.temporary / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
        try:
            shutil.copytree(self.inputs, folder, dirs_exist_ok=True)
            used = shutil.disk_usage(folder).used
            size = used + rng.randrange(4096, 8192 + sum(map(len, self.expected.values())))
            subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)
            # The files for standard output and standard error are on another disk.
            (self.temporary / "messages").mkdir(exist_ok=True)
            code = wait(start(self.task.arguments, folder, self.temporary / "messages"))
            subprocess.run(["mount", "-o", "remount,size=1g", folder], check=True)
            self.check(folder, code, True)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)

    def close_pipe(self) -> None:
        """Run the task with a pipe as standard output whose other end is closed."""
        folder = self.make_folder()
        reader, writer = os.pipe()
        os.close(reader)

        def use_pipe() -> None:
            os.dup2(writer, 1)

        child = start(self.task.arguments, folder, set_up=use_pipe)
        os.close(writer)
        self.check(folder, wait(child), False)

    def run_concurrently(self, count: int) -> None:
        """Run the task in several processes at once. Every process must succeed."""
        folder = self.make_folder()
        children = [start(self.task.arguments, folder) for _ in range(count)]
        codes = [wait(child) for child in children]
        if any(codes):
            self.report(f"exit codes {codes}", folder)
        self.check(folder, 0, False)

    def use_read_only_folder(self) -> None:
        """Run the task in a read-only folder. The folder becomes a read-only mount, because root can write anywhere."""
        folder = self.make_folder()

        def mount_read_only() -> None:
            library = ctypes.CDLL(None, use_errno=True)
            path = os.fsencode(folder)
            if (
                library.unshare(_NEW_MOUNTS)
                or library.mount(None, b"/", None, _PRIVATE, None)
                or library.mount(path, path, None, _BIND, None)
                or library.mount(None, path, None, _BIND | _REMOUNT | _READ_ONLY, None)
            ):
                raise OSError(ctypes.get_errno(), "cannot make a folder read-only")
            os.chdir(folder)

        code = wait(start(self.task.arguments, folder, set_up=mount_read_only))
        message = read_stderr(folder)
        if code is None or code <= 0 or "Traceback" in message or len(message.splitlines()) != 1:
            self.report("read-only", folder)


_NEW_MOUNTS, _PRIVATE, _BIND, _REMOUNT, _READ_ONLY = 0x20000, 0x44000, 0x1000, 0x20, 1
"""Flags of Linux's ``unshare`` and ``mount``."""


def main() -> None:
    """Run all tasks, and print a line per task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40, help="signals per task, half of them SIGKILL")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--task", action="append", choices=list(TASKS), help="only this task; may be repeated")
    options = parser.parse_args()
    os.environ["METEOR_E_OFFLINE"] = "1"
    import meteor_e_evaluation.cli.report  # noqa: F401
    import meteor_e_learned.training  # noqa: F401

    import meteor_e.cli.compat
    import meteor_e.cli.pack
    import meteor_e.cli.score
    import meteor_e.packs.build_indexes  # noqa: F401

    rng = random.Random(options.seed)
    failures = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        temporary.chmod(0o755)
        (temporary / "inputs").mkdir()
        prepare(temporary / "inputs")
        for task_name in options.task or TASKS:
            trial = Trial(task_name, temporary / "inputs", temporary)
            for number in range(options.kills):
                signals = (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
                trial.interrupt(signals[number % 4], rng)
            limits = [1000, 4000, 10_000, 30_000, 70_000, 100_000, 200_000, 300_000]
            for limit in limits:
                trial.limit_file_size(limit)
            trial.close_pipe()
            trial.run_concurrently(8)
            if hasattr(os, "geteuid") and os.geteuid() == 0:
                trial.use_read_only_folder()
                for _ in range(options.kills):
                    trial.fill_disk(rng)
            print(
                f"{task_name:18} {options.kills} kills, {len(limits)} limits, {options.kills} full disks, a closed "
                f"pipe, 8 at once, read-only: wrong {dict(trial.failures) or 0}; scratch files after SIGKILL "
                f"{trial.scratch_count}",
                flush=True,
            )
            failures.update(trial.failures)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
