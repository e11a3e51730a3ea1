"""Fixtures that keep the tests away from the user's cache and packs."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _use_temporary_cache(tmp_path, monkeypatch):
    """Use a temporary folder as cache."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path, monkeypatch) -> Path:
    """Return the folder of an empty pack store."""
    root = tmp_path / "packs"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    return root
