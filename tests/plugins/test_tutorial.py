"""Run the Python code of docs/plugins.md, and check that its components conform."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import types
from pathlib import Path

from meteor_e.api.formats import Grid
from meteor_e.testing import check_plugin

TUTORIAL = Path(__file__).parents[2] / "docs" / "plugins.md"


def read_files() -> dict[str, str]:
    """Return the code blocks of the tutorial that have a file name."""
    text = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python (\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len({name for name, _ in blocks}) == len(blocks)
    return dict(blocks)


def load_block(text_of_block: str) -> types.ModuleType:
    """Run the code block of the tutorial that contains a text, and return it as a module."""
    text = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    [code] = [block for block in blocks if text_of_block in block]
    module = types.ModuleType("tutorial")
    exec(code, module.__dict__)
    return module


def test_tutorial_contains_files_that_pass_their_test(tmp_path):
    for name, content in read_files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, "test_plugin.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
    assert "1 passed" in process.stdout


def test_tutorial_output_format_writes_tables_and_notes():
    tutorial = load_block("class OrgOutput")
    check_plugin(tutorial)

    class ResultWithOneTable:
        def grids(self, digits):
            return [Grid(["system", "METEOR"], [["one", "0.5"]], title="Scores", notes=["signature"])]

    stream = io.StringIO()
    tutorial.OrgOutput(None).write(ResultWithOneTable(), stream, types.SimpleNamespace(digits=4))
    assert stream.getvalue() == "Scores\n| system | METEOR |\n|---+---|\n| one | 0.5 |\n\nsignature\n"
