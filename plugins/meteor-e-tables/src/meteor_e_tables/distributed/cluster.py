"""A cluster to score on: found or started, and made ready."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import warnings
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e import __version__
from meteor_e.api import ConfigError, MeteorError, ResourceError
from meteor_e.base.errors import MeteorWarning
from meteor_e_tables.distributed.archives import install_archive, pack_archive
from meteor_e_tables.libraries import require
from meteor_e_tables.portable import PackNeeded, PortableMetric

if TYPE_CHECKING:
    from distributed import Client, Worker

    from meteor_e import Meteor

WAIT = 30.0
"""Seconds to wait for a scheduler, and for the first worker."""

_HOUSEKEEPING = {
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
}
"""What Dask looks after in a cluster on this machine, where all of it takes the processors from the scoring."""


@contextlib.contextmanager
def connect(address: str, *, wait: float = WAIT) -> Iterator[Client]:
    """Connect to a cluster, or start one on this machine that ends with the block.

    Args:
        address: of a scheduler (``tcp://host:8786``, ``host:8786``), or the path of its scheduler file
            (``scheduler.json``); ``local`` starts one process per processor on this machine, ``local:4`` four.
        wait: seconds to wait for the scheduler, and for the first worker.

    Raises:
        ConfigError: if the address is wrong, nobody answers, or there are no workers.
    """
    distributed = require("distributed", "a cluster", "dask")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        kind, _, number = address.partition(":")
        if kind == "local":
            if number and not (number.isascii() and number.isdigit() and int(number)):
                raise ConfigError(f"{address!r} is no cluster: local:N starts N processes, N being 1 or more")
            stack.enter_context(_dask_settings())
            with _interrupts_held():
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=int(number) if number else _processors(),
                        threads_per_worker=1,
                        processes=True,
                        # Any free port, for this machine only.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                    )
                )
            client = stack.enter_context(distributed.Client(cluster))
            stack.enter_context(_collected_silently())
            yield client
            return
        try:
            if address.endswith(".json"):
                if not Path(address).is_file():
                    raise ConfigError(f"there is no scheduler file {address}")
                client = distributed.Client(scheduler_file=address, timeout=wait)
            else:
                client = distributed.Client(address, timeout=wait)
        except (OSError, ValueError, TypeError) as error:
            # Time-outs are OSErrors; an address of a wrong form is one of the others.
            raise ConfigError(f"no scheduler answers at {address}: {_one_line(error)}") from error
        stack.enter_context(client)
        try:
            client.wait_for_workers(1, timeout=wait)
        except TimeoutError as error:
            raise ConfigError(f"the cluster at {address} has no workers after {wait:g} seconds") from error
        yield client


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back during the block, and for good from the threads and processes that it starts.

    A terminal sends Ctrl-C to all processes. It is for this one to end the others; by themselves, they would write
    tracebacks. What is held back here comes at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # Started later, it would let Ctrl-C through to the thread that starts it, and to that thread's processes.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _dask_settings() -> Iterator[None]:
    """Let Dask look after a cluster of this machine less often, where its user has not said how often."""
    import dask
    from distributed.config import defaults

    ours = {key: value for key, value in _HOUSEKEEPING.items() if dask.config.get(key) == _default(defaults, key)}
    with dask.config.set(ours):
        yield


def _default(settings: Any, key: str) -> Any:
    for part in key.split("."):
        settings = settings[part]
    return settings


@contextlib.contextmanager
def _collected_silently() -> Iterator[None]:
    """Take Dask's diagnosis out of the garbage collector, which loses exceptions there: Ctrl-C, above all."""
    callbacks = [callback for callback in gc.callbacks if getattr(callback, "__module__", None) == "distributed.gc"]
    for callback in callbacks:
        gc.callbacks.remove(callback)
    try:
        yield
    finally:
        gc.callbacks.extend(callbacks)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log off the terminal: what matters is raised."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def prepare(client: Client, meteor: Meteor, *, ship_packs: bool = True) -> PortableMetric:
    """Make the workers of a cluster ready to score: check what they have, and send them what they lack.

    Workers that join later are checked when they are given work; packs that were shipped reach them, too.

    Args:
        client: connected to the cluster.
        meteor: the metric.
        ship_packs: send resource packs to machines that lack them. They go to the cache folder there, are
            checked by their hashes, and are there for the next time.

    Returns:
        The metric, for :func:`score_dataframe` and the like.

    Raises:
        ConfigError: if a worker has no meteor_e or another version, or lacks a plugin.
        ResourceError: if a worker lacks a pack and ``ship_packs`` is false, or it cannot be written there.
    """
    metric = PortableMetric.of(meteor)
    _check_versions(_on_all(client, _version_probe()))
    packs = tuple(dict.fromkeys(pack for _, pack in metric.packs))
    lacking = {worker: names for worker, names in _on_all(client, _lacking, packs).items() if names}
    if lacking:
        worker, missing = next(iter(lacking.items()))
        if not ship_packs:
            raise ResourceError(
                f"worker {worker} lacks the resource pack {missing[0].name!r} (digest {missing[0].digest}); "
                f"install it there with `meteor-e pack install {missing[0].name}`, or have it shipped"
            )
        _ship(client, [pack for pack in packs if any(pack in names for names in lacking.values())])
    engines = _on_all(client, _engine, metric)
    slow = [worker for worker, engine in engines.items() if engine != meteor.engine and engine == "python"]
    if slow:
        warnings.warn(
            f"worker {slow[0]}{f' and {len(slow) - 1} more' if slow[1:] else ''}: no native core there, "
            "so that it is some ten times slower; install meteor_e where a C++ compiler is",
            MeteorWarning,
            stacklevel=2,
        )
    return metric


def _version_probe() -> Callable[[], str]:
    # Nested, because cloudpickle sends such a function itself and not only its name: where there is no meteor_e,
    # it must be able to say so.
    def version() -> str:
        import importlib

        try:
            return str(importlib.import_module("meteor_e").__version__)
        except ImportError:
            return ""

    version.__module__ = "__main__"
    return version


def _check_versions(versions: dict[str, str]) -> None:
    for worker, version in versions.items():
        if version != __version__:
            has = f"meteor_e {version}" if version else "no meteor_e"
            raise ConfigError(
                f"worker {worker} has {has}, and this process has {__version__}; install the same version on all of "
                f"them: pip install meteor_e=={__version__}"
            )


def _lacking(packs: tuple[PackNeeded, ...]) -> list[PackNeeded]:
    return [pack for pack in packs if pack.find() is None]


def _engine(metric: PortableMetric) -> str:
    return metric.meteor().engine


def _on_all(client: Client, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Run a function on each worker; an error says which worker's it is."""
    results: dict[str, Any] = client.run(function, *arguments, on_error="return")
    for worker, result in results.items():
        if isinstance(result, MeteorError):
            raise type(result)(f"worker {worker}: {result}") from result
        if isinstance(result, BaseException):
            raise ConfigError(f"worker {worker}: {type(result).__name__}: {_one_line(result)}") from result
    return results


def see_files(client: Client, paths: Collection[str]) -> bool:
    """Return whether all workers see files, under the same path and of the same size as here."""
    here = _sizes(paths)
    results: dict[str, Any] = client.run(_sizes, list(paths), on_error="return")
    return all(sizes == here for sizes in results.values())


def _sizes(paths: Collection[str]) -> dict[str, int]:
    sizes = {}
    for path in paths:
        with contextlib.suppress(OSError):
            sizes[path] = Path(path).stat().st_size
    return sizes


def _ship(client: Client, packs: list[PackNeeded]) -> None:
    from distributed import WorkerPlugin

    class ShippedPack(WorkerPlugin):  # type: ignore[misc]
        """Unpacks a pack on each worker, also on those that join later."""

        idempotent = True

        def __init__(self, pack: PackNeeded, archive: bytes) -> None:
            self.name = f"meteor_e-pack-{pack.name}-{pack.digest}"
            self.pack = pack
            self.archive = archive

        def setup(self, worker: Worker) -> None:
            install_archive(self.pack, self.archive)

    for needed in packs:
        pack = needed.find()
        if pack is None:
            raise ResourceError(f"the resource pack {needed.name!r} was removed from {needed.origin}; start again")
        client.register_plugin(ShippedPack(needed, pack_archive(pack)))
