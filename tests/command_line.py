"""Run the command line in the way users run it."""

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
    """A runner of ``meteor-e``, in this process or in a subprocess."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "METEOR_E_OFFLINE": "1", "METEOR_E_CACHE": str(folder / "cache")}
        for name in ("COLUMNS", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL"):
            self.environment.pop(name, None)

    def start(self, *arguments: str, **options) -> subprocess.Popen[bytes]:
        """Start the command in a subprocess, and return the running process."""
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
        """Run the command. Check that it prints no traceback, and that an error message has one line.

        The command runs in this process, which is many times faster. With environment variables in ``env``, it runs
        in a subprocess.
        """
        if env is None:
            return self.run_in_process(*arguments, text=text)
        return self.run_in_subprocess(*arguments, text=text, env=env)

    def run_in_subprocess(self, *arguments: str, text: str | bytes = b"", env: dict[str, str] | None = None) -> Result:
        """Run the command in a subprocess."""
        process = self.start(*arguments, stdin=subprocess.PIPE, env=env or {})
        out, err = process.communicate(text.encode() if isinstance(text, str) else text)
        return self._check_result(Result(process.returncode, out.decode(), err.decode()))

    def run_in_process(self, *arguments: str, text: str | bytes = b"", env: dict[str, str] | None = None) -> Result:
        """Run the command in this process."""
        from meteor_e.cli import program

        data = text.encode() if isinstance(text, str) else text
        # The standard input of a process has `peek`, and so must this replacement.
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)), encoding="utf-8")
        stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        previous_directory = Path.cwd()
        os.chdir(self.folder)
        try:
            with (
                mock.patch.dict(os.environ, {**self.environment, **(env or {})}, clear=True),
                mock.patch.object(sys, "stdin", stdin),
                contextlib.redirect_stdout(stdout),
                contextlib.redirect_stderr(stderr),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("default")
                # Python ignores these categories by default. They can also come from an earlier test.
                for category in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, ImportWarning):
                    warnings.simplefilter("ignore", category)
                warnings.showwarning = program._print_warning
                code = program._run([*arguments])
        finally:
            os.chdir(previous_directory)
        stdout.flush()
        stderr.flush()
        return self._check_result(Result(code, stdout.buffer.getvalue().decode(), stderr.buffer.getvalue().decode()))

    def _check_result(self, result: Result) -> Result:
        """Check the form of the error messages, and return the result."""
        assert "Traceback" not in result.err
        if result.code:
            lines = result.err.splitlines()
            assert lines, "the command failed without an error message"
            assert lines[-1].startswith("meteor-e: ")
            assert all(line.startswith("meteor-e: warning: ") for line in lines[:-1]), result.err
        return result

    def failing(self, code: int, *arguments: str, **options) -> str:
        """Run a command that must fail with this exit code, and return its error message of one line."""
        return self._extract_error(code, self(*arguments, **options))

    def failing_in_process(self, code: int, *arguments: str, **options) -> str:
        """Do the same as :meth:`failing`, but always in this process, even with environment variables in ``env``."""
        return self._extract_error(code, self.run_in_process(*arguments, **options))

    def _extract_error(self, code: int, result: Result) -> str:
        """Check that a command failed with this exit code, and return its error message of one line."""
        assert result.code == code, result
        assert result.out == ""
        (line,) = result.err.splitlines()
        return line

    def file(self, name: str, content: str | bytes) -> str:
        """Write a file into the working directory of the commands, and return its name."""
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name


@pytest.fixture
def cli(tmp_path: Path, own_packs: Path) -> CommandLine:
    """A command line whose default pack store contains a small English pack."""
    folder = tmp_path / "work"
    folder.mkdir()
    return CommandLine(folder)
