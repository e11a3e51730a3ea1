"""The examples of the stable names in the documentation run without errors."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "names.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not next to the tests")


def read_python_examples(page):
    """Return the Python code of a page, without the blocks that are marked as not run by the tests."""
    blocks = re.findall(r"^```python[^\n]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return "\n\n".join(block for block in blocks if not block.startswith("# Not run by the tests"))


def test_names_page_examples_run(tmp_path):
    command = [sys.executable, "-W", "error", "-c", read_python_examples(PAGE)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
