"""Count what is left behind by installs and writers that are killed, interrupted, or have no room.

    python benchmarks/robustness/kills.py [--kills 40] [--seed 1]

Every task runs as a process of its own. It is killed (SIGKILL) or interrupted (SIGINT, SIGTERM) at a random moment of
its time; or it may write only so many bytes; or its disk, a tmpfs, is full at a random byte; or nobody reads what it
prints; or the folder of the packs cannot be written to; or eight of it run at once. Afterwards, what it makes must be
whole or not there, and the next run must make it, byte for byte. A killed process cannot clear up: it may leave hidden
scratch files beside its output, which are counted on their own, and which the next run must remove. The exit code is 1
if anything is wrong.
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

PATIENCE = 60
INTERRUPTS = {signal.SIGINT, signal.SIGTERM}


class Task(NamedTuple):
    """Something that writes: the command, and the file or folder that it makes."""

    arguments: tuple[str, ...]
    made: str


TASKS = {
    "install": Task(("pack", "install", "en", "--from", "meteor-1.5.jar"), "packs/en"),
    "index of a table": Task(("compat", "hyp", "ref", "-l", "other", "-m", "exact paraphrase", "-a", "table"), "cache"),
    "score -o": Task(("score", "hyp", "ref", "-l", "other", "--threads", "1", "-o", "out.jsonl"), "out.jsonl"),
    "train": Task(("train", "judged/recipe.yaml", "-o", "m.safetensors", "-q"), "m.safetensors"),
    "report": Task(("report", "hyp", "ref", "-l", "other", "--samples", "50", "-o", "out.html"), "out.html"),
}


def prepare(folder: Path) -> None:
    """Write the inputs: texts, and a METEOR of our own that takes a second or so to install."""
    from meteor_e.packs.build import build_pack

    rng = random.Random(5)
    words = [f"w{number}" for number in range(3000)]
    line = lambda: " ".join(rng.choices(words, k=12))  # noqa: E731
    for name in ("hyp", "ref"):
        (folder / name).write_text("".join(f"{line()}\n" for _ in range(1500)))
    table = "".join(f"0.5\n{line()}\n{' '.join(rng.choices(words, k=3))}\n" for _ in range(15_000)).encode()
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
    arguments: tuple[str, ...], folder: Path, messages: Path | None = None, before: Callable[[], None] = lambda: None
) -> int:
    """Start the command line in a process of its own."""
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # before its `try`, an interrupt would end our own work in it
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        return child
    code = 130  # a second interrupt, while the first is handled, must not reach our own work either
    try:
        code = run(arguments, folder, messages, before)
    finally:
        os._exit(code)


def run(arguments: tuple[str, ...], folder: Path, messages: Path | None, before: Callable[[], None]) -> int:
    """Run the command line in this process, and return the exit code."""
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
        before()
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
    except KeyboardInterrupt:  # before the command line was reached
        return 130
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return 99
    return 0


def wait(child: int) -> int | None:
    """Return the exit code; ``None`` after a minute, when the process is killed."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def content(folder: Path, made: str) -> dict[str, bytes]:
    """Return what a task made, by path; locks, scratch files and notes of checks left out."""
    path = folder / made
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return {
        str(file.relative_to(folder)): rounded(file.read_bytes())
        if file.suffix == ".safetensors"
        else file.read_bytes()
        for file in files
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    }


def rounded(model: bytes) -> bytes:
    """Return a model's numbers without their last digits, which depend on how many segments were computed at once."""
    import numpy as np
    from safetensors import SafetensorError, numpy

    try:
        arrays = numpy.load(model)
    except SafetensorError:
        return model
    return repr([(name, array.astype(np.float64).round(9).tolist()) for name, array in sorted(arrays.items())]).encode()


def said(folder: Path) -> str:
    """Return what the last run said on standard error."""
    file = folder / ".stderr"
    return file.read_text(errors="replace") if file.exists() else ""


def scratch(folder: Path) -> list[str]:
    """Return the hidden files and folders that are neither locks nor notes."""
    return [
        path.name
        for path in folder.rglob(".*")
        if path.name not in (".stdout", ".stderr", ".checked.json") and not path.name.endswith(".lock")
    ]


class Trial:
    """Runs a task in all ways and counts what is wrong."""

    def __init__(self, name: str, inputs: Path, place: Path) -> None:
        self.name = name
        self.task = TASKS[name]
        self.inputs = inputs
        self.place = place
        self.wrong = Counter[str]()
        self.scratch = 0
        begun = time.monotonic()
        self.expected = self.fresh_run()
        self.seconds = time.monotonic() - begun

    def fresh(self) -> Path:
        """Return a new folder with the inputs."""
        folder = self.place / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        return folder

    def fresh_run(self) -> dict[str, bytes]:
        """Return what an undisturbed run makes."""
        folder = self.fresh()
        code = wait(start(self.task.arguments, folder))
        if code != 0:
            raise SystemExit(f"{self.name} does not work: {(folder / '.stderr').read_text()}")
        return content(folder, self.task.made)

    def problem(self, what: str, folder: Path) -> None:
        """Count something that is wrong, and tell."""
        self.wrong[what] += 1
        print(f"{self.name}: {what}: {said(folder)[-300:]}", file=sys.stderr)

    def check(self, folder: Path, code: int | None, fails: bool, killed: bool = False) -> None:
        """Look at what a run left, and run again."""
        if code is None:
            self.problem("hang", folder)
        elif "Traceback" in said(folder) or code == 99 or (code < 0 and code != -signal.SIGTERM and not killed):
            self.problem("traceback", folder)
        elif fails and code == 0 and content(folder, self.task.made) != self.expected:
            self.problem("exit 0", folder)
        found = content(folder, self.task.made)
        if any(self.expected.get(name) != data for name, data in found.items()):
            self.problem("half written", folder)
        if self.task.made == "packs/en" and found and found != self.expected:
            self.problem("half written", folder)
        if killed:
            self.scratch += bool(scratch(folder))
        elif scratch(folder):
            self.problem(f"scratch left: {scratch(folder)}", folder)
        if wait(start(self.task.arguments, folder)) != 0 or content(folder, self.task.made) != self.expected:
            self.problem("the next run", folder)
        elif scratch(folder):
            self.problem(f"the next run leaves {scratch(folder)}", folder)

    def interrupted(self, how: signal.Signals, rng: random.Random) -> None:
        """End a run at a random moment."""
        folder = self.fresh()
        child = start(self.task.arguments, folder)
        time.sleep(rng.uniform(0.02, 1.1 * self.seconds))
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, how)
        self.check(folder, wait(child), False, killed=how == signal.SIGKILL)

    def full(self, limit: int) -> None:
        """Let no file grow beyond a limit, as on a disk that is full."""
        folder = self.fresh()
        self.check(
            folder,
            wait(
                start(
                    self.task.arguments,
                    folder,
                    before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
                )
            ),
            True,
        )

    def no_room(self, rng: random.Random) -> None:
        """Run on a disk that is full at a random byte of the output; then make room."""
        folder = self.place / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
        try:
            shutil.copytree(self.inputs, folder, dirs_exist_ok=True)
            used = shutil.disk_usage(folder).used
            room = used + rng.randrange(4096, 8192 + sum(map(len, self.expected.values())))
            subprocess.run(["mount", "-o", f"remount,size={room}", folder], check=True)
            # Messages go where there is room.
            (self.place / "messages").mkdir(exist_ok=True)
            code = wait(start(self.task.arguments, folder, self.place / "messages"))
            subprocess.run(["mount", "-o", "remount,size=1g", folder], check=True)
            self.check(folder, code, True)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)

    def unread(self) -> None:
        """Close the pipe that the output goes to."""
        folder = self.fresh()
        reader, writer = os.pipe()
        os.close(reader)
        child = start(self.task.arguments, folder, before=lambda: os.dup2(writer, 1) and None)
        os.close(writer)
        self.check(folder, wait(child), False)

    def at_once(self, count: int) -> None:
        """Run as many at once; all must succeed."""
        folder = self.fresh()
        children = [start(self.task.arguments, folder) for _ in range(count)]
        codes = [wait(child) for child in children]
        if any(codes):
            self.problem(f"exit codes {codes}", folder)
        self.check(folder, 0, False)

    def read_only(self) -> None:
        """Run where nothing can be written; being root, make the folder a mount that is read-only."""
        folder = self.fresh()

        def close() -> None:
            library = ctypes.CDLL(None, use_errno=True)
            place = os.fsencode(folder)
            if (
                library.unshare(_NEW_MOUNTS)
                or library.mount(None, b"/", None, _PRIVATE, None)
                or library.mount(place, place, None, _BIND, None)
                or library.mount(None, place, None, _BIND | _REMOUNT | _READ_ONLY, None)
            ):
                raise OSError(ctypes.get_errno(), "cannot make a folder read-only")
            os.chdir(folder)

        code = wait(start(self.task.arguments, folder, before=close))
        if code is None or code <= 0 or "Traceback" in said(folder) or len(said(folder).splitlines()) != 1:
            self.problem("read-only", folder)


_NEW_MOUNTS, _PRIVATE, _BIND, _REMOUNT, _READ_ONLY = 0x20000, 0x44000, 0x1000, 0x20, 1
"""Flags of Linux's ``unshare`` and ``mount``."""


def main() -> None:
    """Count, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=40, help="of each task: half of them SIGKILL")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--task", action="append", choices=list(TASKS), help="only this one; may be repeated")
    chosen = options.parse_args()
    os.environ["METEOR_E_OFFLINE"] = "1"
    import meteor_e_evaluation.cli.report  # noqa: F401
    import meteor_e_learned.training  # noqa: F401

    import meteor_e.cli.compat
    import meteor_e.cli.pack
    import meteor_e.cli.score
    import meteor_e.packs.build_indexes  # noqa: F401

    rng = random.Random(chosen.seed)
    total = Counter[str]()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        place.chmod(0o755)
        (place / "inputs").mkdir()
        prepare(place / "inputs")
        for name in chosen.task or TASKS:
            trial = Trial(name, place / "inputs", place)
            for number in range(chosen.kills):
                how = (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)[number % 4]
                trial.interrupted(how, rng)
            limits = [1000, 4000, 10_000, 30_000, 70_000, 100_000, 200_000, 300_000]
            for limit in limits:
                trial.full(limit)
            trial.unread()
            trial.at_once(8)
            if hasattr(os, "geteuid") and os.geteuid() == 0:
                trial.read_only()
                for _ in range(chosen.kills):
                    trial.no_room(rng)
            print(
                f"{name:18} {chosen.kills} kills, {len(limits)} limits, {chosen.kills} full disks, a closed pipe, 8 at "
                f"once, read-only: wrong {dict(trial.wrong) or 0}; scratch files after SIGKILL {trial.scratch}",
                flush=True,
            )
            total.update(trial.wrong)
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
