"""The clients that the documentation shows work."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from fixtures import REPOSITORY

PAGE = (REPOSITORY / "docs" / "server.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "file", "command"),
    [
        ("sh", "ask.sh", ("sh",)),
        ("js", "ask.mjs", ("node",)),
        ("java", "Ask.java", ("java",)),
        ("go", "ask.go", ("go", "run")),
    ],
)
def test_a_client(client, tmp_path, language, file, command):
    needed = {"sh": "curl", "java": "javac"}.get(language, command[0])
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    (program,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / file).write_text(program.replace("127.0.0.1:8765", f"127.0.0.1:{client.port}"), encoding="utf-8")
    done = subprocess.run((*command, file), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{client.score(('the cat sat', ['a cat sat'])).json['score']}"[:10] in done.stdout


def test_the_table_of_limits(cli):
    """Every option of the limits has its row."""
    options = re.findall(r"^  (--[a-z-]+)", cli("serve", "--help").out.rpartition("Limits:")[2], re.MULTILINE)
    assert re.findall(r"^\| `(--[a-z-]+)` \|", PAGE, re.MULTILINE) == options
