"""Each stable name has an example, which runs as a test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "names.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not beside the tests")


def programs(page):
    """Return the Python code of a page that is tested here, in tests/packaging or in tests/plugins."""
    blocks = re.findall(r"^```python[^\n]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return "\n\n".join(block for block in blocks if not block.startswith("# Not run by the tests"))


def test_examples_run(tmp_path):
    command = [sys.executable, "-W", "error", "-c", programs(PAGE)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
