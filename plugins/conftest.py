"""What the tests of all plugins share: where real data are, and what happens where there are none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest


def _missing(what: str) -> NoReturn:
    """Skip a test for want of data; where data is required, as in CI, let it fail."""
    if os.environ.get("METEOR_E_REQUIRE_DATA", "0") not in ("", "0"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The project's shared data: METEOR_E_SHARED, or ``shared`` beside the checkout."""
    folder = Path(os.environ.get("METEOR_E_SHARED") or Path(__file__).parents[1].parent / "shared")
    if not (folder / "golden").is_dir():
        _missing(f"no shared data in {folder}; set METEOR_E_SHARED to its folder")
    return folder


@pytest.fixture(scope="session")
def meteor_packs() -> None:
    """METEOR's packs of English, German and French in the store of packs."""
    from meteor_e.packs import PackStore

    absent = [name for name in ("en", "de", "fr") if PackStore().find(name) is None]
    if absent:
        _missing(f"the packs {', '.join(absent)} are not installed in {PackStore().root}")
