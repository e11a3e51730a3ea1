from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Use a temporary cache."""
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path, monkeypatch) -> Path:
    """An empty store of packs."""
    root = tmp_path / "packs"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    return root
