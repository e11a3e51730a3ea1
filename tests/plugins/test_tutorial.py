"""The Python code of docs/plugins.md runs, and its components conform."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "docs" / "plugins.md"


def blocks() -> dict[str, str]:
    text = TUTORIAL.read_text(encoding="utf-8")
    found = re.findall(r"^```python (\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len({name for name, _ in found}) == len(found)
    return dict(found)


def test_files_of_the_tutorial(tmp_path):
    for name, content in blocks().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, "test_plugin.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
