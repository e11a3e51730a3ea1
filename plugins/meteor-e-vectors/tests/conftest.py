"""Fixtures with temporary folders, a vector file and a small encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from meteor_e_vectors import write_vectors
from tiny_encoder import *  # noqa: F403


@pytest.fixture(autouse=True)
def _use_temporary_folders(tmp_path, monkeypatch):
    """Use temporary folders for converted vectors and installed encoders."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METEOR_E_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("METEOR_E_ENCODERS", str(tmp_path / "encoders"))


ANGLES = {
    "house": 0,
    "home": 30,
    "building": 53.13,
    "dog": 200,
    "hound": 210,
    "the": 100,
    "a": 110,
}
"""Angles of words in the plane, in degrees. The cosine of 53.13° is about .6, which is METEOR-E's threshold of .8."""


@pytest.fixture
def plane_vectors(tmp_path) -> Path:
    """Write a vector file with two dimensions, and return its path."""
    path = tmp_path / "plane.vectors"
    angles = np.radians(list(ANGLES.values()))
    rows = np.stack([3 * np.cos(angles), 3 * np.sin(angles)], axis=1).astype(np.float32)
    counts = np.arange(len(ANGLES), 0, -1) * 10
    write_vectors(path, list(ANGLES), rows, counts=counts, metadata={"key": "word"})
    return path
