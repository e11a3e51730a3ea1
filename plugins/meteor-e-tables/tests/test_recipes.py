"""The recipes of ``docs/cluster.md`` that need no cluster, run as they are written there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from meteor_e import Meteor

PAGE = Path(__file__).parents[3] / "docs" / "cluster.md"
HYPOTHESES = ["in the end the big ship left", "many people run", "a b c"] * 70
REFERENCES = ["at last the vessel leaves", "a lot of people hurry", "a b c"] * 70


def recipe(heading: str) -> str:
    """Return the first Python block below a heading."""
    text = PAGE.read_text(encoding="utf-8")
    below = text[text.index(f"\n## {heading}\n") :]
    match = re.search(r"^```python\n(.*?)^```$", below, re.MULTILINE | re.DOTALL)
    assert match
    return match[1]


@pytest.mark.parametrize("heading", ["Spark", "Ray"])
def test_recipe(heading, own_packs, tmp_path):
    library = {"Spark": "pyspark", "Ray": "ray"}[heading]
    # Not imported here: each starts a good deal of its own.
    from importlib.util import find_spec

    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    if library == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"id": list(range(210)), "hypothesis": HYPOTHESES, "reference": REFERENCES})
    pq.write_table(table, tmp_path / "data.parquet", row_group_size=50)
    expected = Meteor("en").corpus(HYPOTHESES, REFERENCES)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", recipe(heading)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == f"{expected.score!r} {expected.segment_count}"
