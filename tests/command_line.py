"""The command line, run as users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

__all__ = ["CommandLine", "Result", "cli"]


class Result(NamedTuple):
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs ``meteor-e`` in a process of its own, as users do."""

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
        """Run; whatever happens, there is no traceback, and an error is one line."""
        process = self.start(*arguments, stdin=subprocess.PIPE, env=env or {})
        out, err = process.communicate(text.encode() if isinstance(text, str) else text, timeout=120)
        result = Result(process.returncode, out.decode(), err.decode())
        assert "Traceback" not in result.err
        if result.code:
            lines = result.err.splitlines()
            assert lines, "an error without a word"
            assert lines[-1].startswith("meteor-e: ")
            assert all(line.startswith("meteor-e: warning: ") for line in lines[:-1]), result.err
        return result

    def failing(self, code: int, *arguments: str, **options) -> str:
        """Run what must fail with this code; return its one line."""
        result = self(*arguments, **options)
        assert result.code == code, result
        assert result.out == ""
        (line,) = result.err.splitlines()
        return line

    def file(self, name: str, content: str | bytes) -> str:
        """Write a file into the folder where the runs happen."""
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name


@pytest.fixture
def cli(tmp_path: Path, own_packs: Path) -> CommandLine:
    """The command line, with our own small English pack."""
    folder = tmp_path / "work"
    folder.mkdir()
    return CommandLine(folder)
