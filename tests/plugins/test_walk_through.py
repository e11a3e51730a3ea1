"""The walk through to a plugin, as a stranger follows it: in a fresh environment, from an empty folder to a score."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "tutorials" / "plugin.md"


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    # Nothing of the environment that runs the tests: no path, no virtual environment.
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**kept, **environment},
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture
def wheel(tmp_path_factory):
    """Our wheel, built from what git has, in a copy of it."""
    pytest.importorskip("build", reason="the package 'build' is not installed (pip install build)")
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    files = subprocess.run(
        ["git", "-C", REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, files)):
        if (REPOSITORY / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((REPOSITORY / name).read_bytes())
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, source)
    (built,) = folder.glob("meteor_e-*.whl")
    return built


def blocks() -> list[tuple[str, str, str]]:
    """Return language, file name and content of the page's code blocks."""
    return re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def timeless(line: str) -> str:
    return re.sub(r"in [\d.]+s$", "in a moment", line)


@pytest.mark.skipif(os.name == "nt", reason="the page's commands are those of a POSIX shell")
def test_from_an_empty_folder(wheel, tmp_path):
    """Every file of the page written, every command run in order, every output compared."""
    folder, activate = tmp_path, "true"
    for language, name, content in blocks():
        if name:
            (folder / name).write_text(content, encoding="utf-8")
            continue
        assert language == "console"
        lines = content.splitlines()
        commands = [line[2:].replace("~/meteor_e", str(wheel)) for line in lines if line.startswith("$ ")]
        expected = [line for line in lines if not line.startswith("$ ")]
        output = run("sh", "-ec", "\n".join([activate, *commands]), cwd=folder).splitlines()
        assert [timeless(line) for line in output] == [timeless(line) for line in expected]
        if commands[0] == "mkdir consonants && cd consonants":
            # The commands that follow are typed in the same shell; each block here has one of its own.
            folder, activate = folder / "consonants", ". .venv/bin/activate"
    assert folder.name == "consonants"
