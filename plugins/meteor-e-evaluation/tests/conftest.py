from __future__ import annotations

from pathlib import Path

import pytest
from made_up import make_set
from meteor_e_evaluation.tuning.data import TuningSet
from tiny_task import HEADER, INDEX, OUTPUTS, REFERENCE, ranking_row


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """Folder of the task; the index is ``index.yaml`` in it."""
    folder = tmp_path / "task"
    (folder / "outputs").mkdir(parents=True)
    (folder / "ref.en").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
    for system, segments in OUTPUTS.items():
        (folder / "outputs" / f"tiny.cs-en.{system}").write_text("\n".join(segments) + "\n", encoding="utf-8")
    rows = [HEADER]
    for segment in range(1, 11):
        # In segment 6, alpha and gamma are identical, and so are their ranks.
        ranks = {"alpha": 1, "beta": 2, "gamma": 1 if segment == 6 else 3, "_ref": 1}
        rows.append(ranking_row(segment, ranks))
    rows.append(ranking_row(4, {"beta": 1, "alpha": 1}))
    rows.append(ranking_row(5, {"beta": 1, "alpha": 2}))
    rows.append(ranking_row(1, {"alpha": 1, "other": 2}, source="French"))
    (folder / "ranks.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "index.yaml").write_text(INDEX, encoding="utf-8")
    return folder


@pytest.fixture
def data() -> TuningSet:
    return make_set()


@pytest.fixture
def other() -> TuningSet:
    return make_set(seed=2, name="unseen")
