from __future__ import annotations

from pathlib import Path

import pytest
from artificial_bitext import write_bitext


@pytest.fixture
def bitext(tmp_path: Path) -> tuple[Path, Path]:
    """Write the artificial bitext, and return the English-like and the French-like file."""
    return write_bitext(tmp_path)


@pytest.fixture
def store_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder as the default store."""
    root = tmp_path / "store"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    return root
