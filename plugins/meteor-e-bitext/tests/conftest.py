from __future__ import annotations

import os
import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from made_up_bitext import write_bitext


@pytest.fixture
def bitext(tmp_path: Path) -> tuple[Path, Path]:
    return write_bitext(tmp_path)


@pytest.fixture
def store_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a fresh folder the default store."""
    root = tmp_path / "store"
    monkeypatch.setenv("METEOR_E_PACKS", str(root))
    return root


@pytest.fixture(scope="session")
def jar() -> Path:
    """The Java program: METEOR_E_JAR, or the jar of an installed pycocoevalcap."""
    if shutil.which("java") is None:
        pytest.skip("no java on the PATH")
    try:
        named = os.environ.get("METEOR_E_JAR") or str(
            distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")
        )
    except PackageNotFoundError:
        pytest.skip("no METEOR_E_JAR, and pycocoevalcap is not installed")
    if not Path(named).is_file():
        pytest.skip(f"there is no {named}")
    return Path(named)
