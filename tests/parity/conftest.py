from __future__ import annotations

import pytest
from parity_cases import OwnResources

from meteor_e.engine.native import native_module


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> OwnResources:
    """Small resources, as files for the Java program and as indexes."""
    return OwnResources(tmp_path_factory.mktemp("own"))


@pytest.fixture(params=["python", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    """The engine."""
    if request.param == "native" and native_module() is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    return request.param
