from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tiny_pack(_own_packs: Path) -> Path:
    """A small pack that does not need the data of third parties."""
    return _own_packs / "en"


@pytest.fixture(scope="module")
def huggingface_metric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The metric as the library evaluate of Hugging Face loads it, without a network."""
    with pytest.MonkeyPatch.context() as patch:
        # Read when the library is imported.
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("huggingface")))
        evaluate = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
        from meteor_e.integrations.huggingface import MODULE

        yield evaluate.load(MODULE)
