"""Fixtures that start a local cluster of Dask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from command_line import *  # noqa: F403


@pytest.fixture(scope="session")
def cluster(_own_packs) -> Iterator:
    """Start a local cluster of two processes for all tests of the session."""
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster) -> Iterator:
    """Return a client of the local cluster."""
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2)
        yield client
