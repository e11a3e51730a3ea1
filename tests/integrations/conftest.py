from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_pack(_own_packs: Path) -> Path:
    """A pack of our own data, so that no third party's is needed."""
    return _own_packs / "en"
