from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from meteor_e_vectors import write_vectors


def _missing(what: str) -> None:
    """Skip a test for want of data; where data is required, as in CI, let it fail."""
    if os.environ.get("METEOR_E_REQUIRE_DATA", "0") not in ("", "0"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    """Keep what is converted and installed out of the user's folders."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METEOR_E_VECTORS", str(tmp_path / "vectors"))


ANGLES = {
    "house": 0,
    "home": 30,
    "building": 53.13,
    "dog": 200,
    "hound": 210,
    "the": 100,
    "a": 110,
}
"""Directions of words in the plane, in degrees: 53.13 is nearly the cosine .6 of METEOR-E's threshold .8."""


@pytest.fixture
def plane(tmp_path) -> Path:
    """A vector file whose words lie in a plane."""
    path = tmp_path / "plane.vectors"
    angles = np.radians(list(ANGLES.values()))
    rows = np.stack([3 * np.cos(angles), 3 * np.sin(angles)], axis=1).astype(np.float32)
    counts = np.arange(len(ANGLES), 0, -1) * 10
    write_vectors(path, list(ANGLES), rows, counts=counts, metadata={"key": "word"})
    return path


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
