from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import *  # noqa: F403


@pytest.fixture(scope="session")
def worker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the workers have their cache; they have no packs of their own."""
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="session")
def cluster(worker_folder: Path) -> Iterator:
    """A cluster of two processes, which has no packs."""
    pytest.importorskip("dask.dataframe", reason="the extra dask is not installed")
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    folders = {"METEOR_E_CACHE": str(worker_folder / "cache"), "METEOR_E_PACKS": str(worker_folder / "packs")}
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
        env=folders,
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster) -> Iterator:
    """A client of the cluster."""
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2)
        yield client
