"""What the tests of all plugins share: the fixtures of the core's tests, and what happens where data are missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from fixtures import *  # noqa: F403
from fixtures import report_missing_data


@pytest.fixture(scope="session")
def meteor_packs() -> None:
    """METEOR's packs of English, German and French in the store of packs."""
    from meteor_e.packs.store import PackStore

    absent = [name for name in ("en", "de", "fr") if PackStore().find(name) is None]
    if absent:
        report_missing_data(f"the packs {', '.join(absent)} are not installed in {PackStore().root}")
