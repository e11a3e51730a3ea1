"""Fixtures for the comparison with the Java program."""

from __future__ import annotations

import pytest
from parity_cases import SmallResources

from meteor_e.engine.native import native_module


@pytest.fixture(scope="session")
def resources(tmp_path_factory: pytest.TempPathFactory) -> SmallResources:
    """Write the small resources of the tests, as files for the Java program and as indexes."""
    return SmallResources(tmp_path_factory.mktemp("own"))


@pytest.fixture(params=["python", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    """Return the name of an engine, and skip the test if the engine is not available."""
    if request.param == "native" and native_module() is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    return request.param
