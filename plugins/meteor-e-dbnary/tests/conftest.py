from __future__ import annotations

import os
from pathlib import Path

import pytest


def _missing(what: str) -> None:
    """Skip a test for want of data; where data is required, as in CI, let it fail."""
    if os.environ.get("METEOR_E_REQUIRE_DATA", "0") not in ("", "0"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Keep the indexes of small files out of the user's cache."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path, monkeypatch) -> Path:
    """An empty store of packs."""
    root = tmp_path / "packs"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    return root


@pytest.fixture(scope="session")
def shared() -> Path:
    """The project's shared data: METEOR_E_SHARED, or ``shared`` beside the checkout."""
    folder = Path(os.environ.get("METEOR_E_SHARED") or Path(__file__).parents[3].parent / "shared")
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
