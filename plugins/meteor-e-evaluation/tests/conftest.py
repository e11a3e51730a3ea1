"""Fixtures of the evaluation tests: a tiny shared task, and random tuning sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from meteor_e_evaluation.tuning.data import TuningSet
from random_tuning_set import make_tuning_set
from tiny_task import HEADER, INDEX, OUTPUTS, REFERENCE, ranking_row


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """Write the tiny task to a folder; return the folder. The index of the task is ``index.yaml``."""
    folder = tmp_path / "task"
    (folder / "outputs").mkdir(parents=True)
    (folder / "ref.en").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
    for system, segments in OUTPUTS.items():
        (folder / "outputs" / f"tiny.cs-en.{system}").write_text("\n".join(segments) + "\n", encoding="utf-8")
    rows = [HEADER]
    for segment in range(1, 11):
        # In segment 6, the outputs of alpha and gamma are identical, and so are their ranks.
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
    """Return a random tuning set."""
    return make_tuning_set()


@pytest.fixture
def unseen_data() -> TuningSet:
    """Return another random tuning set, whose translations are not in ``data``."""
    return make_tuning_set(seed=2, name="unseen")
