"""Run the command line as users do."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

__all__ = ["CommandLine", "Result", "cli", "wait_until"]


def wait_until(condition: Callable[[], object], process: subprocess.Popen) -> None:
    """Wait until a condition is true; fail if the process ends first."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


class Result(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs ``meteor-e`` in this process or in a separate process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "METEOR_E_OFFLINE": "1", "METEOR_E_CACHE": str(folder / "cache")}
        for name in ("COLUMNS", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL"):
            self.environment.pop(name, None)

    def start(self, *arguments: str, **options) -> subprocess.Popen[bytes]:
        environment = {**self.environment, **options.pop("env", {})}
        return subprocess.Popen(
            [sys.executable, "-m", "meteor_e", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def __call__(self, *arguments: str, text: str | bytes = b"", env: dict[str, str] | None = None) -> Result:
        """Run; whatever happens, there is no traceback, and an error is one line.

        In this process, which is many times as fast; with an environment of its own in a process of its own.
        """
        return self.here(*arguments, text=text) if env is None else self.apart(*arguments, text=text, env=env)

    def apart(self, *arguments: str, text: str | bytes = b"", env: dict[str, str] | None = None) -> Result:
        """Run the command in a separate process."""
        process = self.start(*arguments, stdin=subprocess.PIPE, env=env or {})
        out, err = process.communicate(text.encode() if isinstance(text, str) else text)
        return self._checked(Result(process.returncode, out.decode(), err.decode()))

    def here(self, *arguments: str, text: str | bytes = b"", env: dict[str, str] | None = None) -> Result:
        """Run the command in this process."""
        from meteor_e.cli import program

        data = text.encode() if isinstance(text, str) else text
        # Standard input can be peeked into, as a process's own.
        given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)), encoding="utf-8")
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            with (
                mock.patch.dict(os.environ, {**self.environment, **(env or {})}, clear=True),
                mock.patch.object(sys, "stdin", given),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("default")
                # As Python does by itself. These are of the process, and maybe of a test before.
                for kind in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, ImportWarning):
                    warnings.simplefilter("ignore", kind)
                warnings.showwarning = program._print_warning
                code = program._run([*arguments])
        finally:
            os.chdir(before)
        out.flush()
        err.flush()
        return self._checked(Result(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()))

    def _checked(self, result: Result) -> Result:
        assert "Traceback" not in result.err
        if result.code:
            lines = result.err.splitlines()
            assert lines, "an error without a word"
            assert lines[-1].startswith("meteor-e: ")
            assert all(line.startswith("meteor-e: warning: ") for line in lines[:-1]), result.err
        return result

    def failing(self, code: int, *arguments: str, **options) -> str:
        """Run a command that must fail with this exit code, and return its error message, which has one line."""
        return self._line(code, self(*arguments, **options))

    def failing_here(self, code: int, *arguments: str, **options) -> str:
        """Do the same as :meth:`failing` in this process."""
        return self._line(code, self.here(*arguments, **options))

    def _line(self, code: int, result: Result) -> str:
        assert result.code == code, result
        assert result.out == ""
        (line,) = result.err.splitlines()
        return line

    def file(self, name: str, content: str | bytes) -> str:
        """Write a file into the working directory of the commands."""
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name


@pytest.fixture
def cli(tmp_path: Path, own_packs: Path) -> CommandLine:
    """The command line, with a small English pack."""
    folder = tmp_path / "work"
    folder.mkdir()
    return CommandLine(folder)
