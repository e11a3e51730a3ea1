"""Fixtures for the tests of integrations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tiny_pack(_own_packs: Path) -> Path:
    """Return the path of a small English pack, which the tests build without third-party data."""
    return _own_packs / "en"


@pytest.fixture(scope="module")
def huggingface_metric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Load the metric with the Hugging Face library evaluate, without network access."""
    with pytest.MonkeyPatch.context() as patch:
        # The library reads these variables when it is imported.
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("huggingface")))
        evaluate = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
        from meteor_e.integrations.huggingface import MODULE

        yield evaluate.load(MODULE)
