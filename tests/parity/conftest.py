from __future__ import annotations

import pytest
from parity_cases import OwnResources


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> OwnResources:
    """Our own resources, as files for the Java program and as indexes."""
    return OwnResources(tmp_path_factory.mktemp("own"))
