"""Scoring on a Dask cluster: each batch of segments is a task, and the results are returned in order."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import gc
import logging
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e import __version__
from meteor_e.api import ConfigError, MeteorError
from meteor_e.api.batches import default_threads
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from distributed import Client, Future

    from meteor_e.api.batches import Batch

WAIT = 30.0
"""Timeout in seconds for the scheduler, and for the first worker."""

MESSAGE_DELAY = 3.0
"""Seconds of waiting after which a message says what the program is waiting for."""

TASKS_PER_THREAD = 4
"""Number of submitted tasks per thread of the cluster: enough that a slow task does not leave other threads idle."""

_LOCAL_CONFIG = {
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
}
"""Dask configuration of a local cluster: less frequent monitoring, which competes with scoring for processors."""


class DaskRunner(ScoreRunner):
    """Scores on a Dask cluster, with any metric."""

    name = "dask"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Connect to the cluster, or start it, and score the batches there."""
        assert run.cluster is not None
        with connect(run.cluster) as client:
            yield run._replace(execute=functools.partial(score_in_order, client))


@contextlib.contextmanager
def connect(address: str, *, wait: float = WAIT) -> Iterator[Client]:
    """Connect to a cluster, or start a local cluster that is closed at the end of the block.

    Args:
        address: the address of a scheduler (``tcp://host:8786``, ``host:8786``), or the path of its scheduler file
            (``scheduler.json``). ``local`` starts one process per processor on this machine, ``local:4`` starts four.
        wait: the timeout in seconds for the scheduler, and for the first worker.

    Raises:
        ConfigError: if the address is not valid, the scheduler does not answer, or the cluster does not have workers.
        MeteorError: if the processes on this machine do not start.
    """
    distributed = require("distributed", "a cluster", "dask", "meteor-e-tables")
    kind, _, number = address.partition(":")
    with _silence_logs():
        if kind == "local":
            with _start_local_cluster(distributed, _parse_worker_count(address, number)) as client:
                yield client
            return
        client = _connect_to_scheduler(distributed, address, wait)
        try:
            _wait_for_workers(client, address, wait)
            yield client
        finally:
            _close(client)


def _parse_worker_count(address: str, number: str) -> int:
    """Return the number of processes of ``local:N``; by default, one per processor."""
    if not number:
        return default_threads()
    if not (number.isascii() and number.isdigit() and int(number)):
        raise ConfigError(f"{address!r} is not a cluster: local:N starts N processes, N being 1 or more")
    return int(number)


def _connect_to_scheduler(distributed: Any, address: str, wait: float) -> Client:
    """Return a client of a running cluster.

    Raises:
        ConfigError: if the address is not valid, or the scheduler does not answer.
    """
    scheduler = {"address": address}
    if address.endswith(".json"):
        if not Path(address).is_file():
            raise ConfigError(f"there is no scheduler file {address}")
        scheduler = {"scheduler_file": address}
    with _announce_wait(f"a scheduler at {address}", wait):
        try:
            return _connect_with_timeout(functools.partial(distributed.Client, **scheduler, timeout=wait), wait)
        except (OSError, ValueError, TypeError) as error:
            # Timeouts are OSErrors; the other exceptions mean that the format of the address is wrong.
            raise ConfigError(f"no scheduler answers at {address}: {_format_error(error)}") from error


def _wait_for_workers(client: Client, address: str, wait: float) -> None:
    """Wait for the first worker of a cluster.

    Raises:
        ConfigError: if no worker connects in time.
    """
    with _announce_wait(f"workers of the cluster at {address}", wait):
        try:
            client.wait_for_workers(1, timeout=wait)
        except (OSError, TimeoutError) as error:
            raise ConfigError(f"the cluster at {address} has no workers after {wait:g} seconds") from error


def _connect_with_timeout(connect_client: Callable[[], Client], wait: float) -> Client:
    """Return the client, or raise a TimeoutError if the scheduler accepts the connection but does not answer.

    Dask's timeout covers only the connection. The client is therefore created in a thread, whose result has a timeout.
    """
    future: concurrent.futures.Future[Client] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(connect_client())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result(wait + MESSAGE_DELAY)
    except concurrent.futures.TimeoutError as error:
        if future.done():
            raise
        raise TimeoutError(f"silent for {wait:g} seconds") from error


@contextlib.contextmanager
def _start_local_cluster(distributed: Any, workers: int) -> Iterator[Client]:
    """Start a cluster of processes on this machine, which is closed at the end of the block."""
    dask = require("dask", "a cluster", "dask", "meteor-e-tables")
    with dask.config.set(_LOCAL_CONFIG), contextlib.ExitStack() as stack:
        try:
            with _block_interrupts():
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        # Any free port, accessible only from this machine.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                    )
                )
            client = stack.enter_context(distributed.Client(cluster))
        except Exception as error:
            raise MeteorError(f"the processes of the cluster did not start: {_format_error(error)}") from error
        with _disable_gc_diagnosis():
            yield client


@contextlib.contextmanager
def _announce_wait(target: str, seconds: float) -> Iterator[None]:
    """Write a message to the terminal if the block takes long; ``target`` is what the program is waiting for."""
    line = f"meteor-e: waiting for {target}, at most {seconds:g} seconds\n"
    timer = threading.Timer(MESSAGE_DELAY, sys.stderr.write, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _close(client: Client) -> None:
    """Close a client. If the scheduler no longer exists, do not wait for it."""
    with contextlib.suppress(OSError, TimeoutError):
        client.close(timeout=2)


@contextlib.contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C during the block, and permanently in the threads and processes that the block starts.

    A terminal sends Ctrl-C to all processes. This process stops the others, which would otherwise write tracebacks. A
    Ctrl-C during the block takes effect at its end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # If the resource tracker started later, it would unblock Ctrl-C in the thread that starts it and its processes.
    resource_tracker.ensure_running()
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


@contextlib.contextmanager
def _disable_gc_diagnosis() -> Iterator[None]:
    """Remove Dask's callbacks from the garbage collector: exceptions in them, especially Ctrl-C, would be lost."""
    callbacks = [callback for callback in gc.callbacks if getattr(callback, "__module__", None) == "distributed.gc"]
    for callback in callbacks:
        gc.callbacks.remove(callback)
    try:
        yield
    finally:
        gc.callbacks.extend(callbacks)


@contextlib.contextmanager
def _silence_logs() -> Iterator[None]:
    """Hide Dask's log messages. Important errors are raised as exceptions."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _format_error(error: BaseException) -> str:
    """Return the message of an exception in one line."""
    return " ".join(str(error).split()) or type(error).__name__


class Work(NamedTuple):
    """The function that scores a batch, in the form that is sent to the workers.

    Attributes:
        version: the version of this package.
        signatures: the signatures of the metrics.
        score: the pickled function; see :func:`meteor_e.api.batches.map_in_order`.
    """

    version: str
    signatures: tuple[str, ...]
    score: bytes

    @classmethod
    def from_function(cls, score: Any) -> Work:
        """Pickle the function that scores a batch.

        Raises:
            ConfigError: if a metric cannot be sent to other processes.
        """
        # Computing the signature opens the chain, so that workers receive the opened chain.
        signatures = tuple(metric.signature for metric in score.metrics)
        try:
            pickled = pickle.dumps(score)
        except Exception as error:
            raise ConfigError(f"a metric cannot be sent to other processes: {_format_error(error)}") from error
        return cls(__version__, signatures, pickled)


def score_in_order(
    client: Client, score: Any, batches: Iterator[Batch], threads: int | None = None
) -> Iterator[tuple[Batch, Any]]:
    """Yield each batch with its result, in order, as :func:`meteor_e.api.batches.map_in_order` does.

    The number of submitted tasks is limited, so that memory does not grow with the input. If a worker is lost, its
    tasks run again on other workers. Each task has one result, so that no segment is counted twice.

    Args:
        client: a client that is connected to the cluster.
        score: the function that scores a batch; it is pickled.
        batches: consecutive batches.
        threads: ignored; a task uses one thread of a worker.

    Raises:
        MeteorError: if a segment cannot be scored, or if the cluster fails.
    """
    work: Work | None = None
    submitted: deque[tuple[Batch, Future]] = deque()
    limit = 0
    try:
        for index, batch in enumerate(batches):
            with _connection_errors():
                work = work or Work.from_function(score)
                if index % 64 == 0:  # The number of workers can change.
                    limit = TASKS_PER_THREAD * max(1, sum(client.nthreads().values()))
                submitted.append((batch, client.submit(_score, work, batch, pure=False)))
            while len(submitted) >= limit:
                yield _get_result(*submitted[0])
                submitted.popleft()
        while submitted:
            yield _get_result(*submitted[0])
            submitted.popleft()
    finally:
        if submitted:
            with contextlib.suppress(Exception):
                client.cancel([future for _, future in submitted])


@contextlib.contextmanager
def _connection_errors() -> Iterator[None]:
    """Convert errors of the connection to a MeteorError."""
    from distributed.client import FutureCancelledError

    try:
        yield
    except (FutureCancelledError, OSError, TimeoutError) as error:
        raise MeteorError(f"the connection with the cluster was lost: {_format_error(error)}") from error


def _get_result(batch: Batch, future: Future) -> tuple[Batch, Any]:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    with _connection_errors():
        try:
            return batch, future.result()
        except KilledWorker as error:
            raise MeteorError(
                f"segments {batch.ids[0]} to {batch.ids[-1]}: the workers that scored them ended one after another; "
                "they may have had too little memory"
            ) from error
        except (MeteorError, FutureCancelledError, OSError, TimeoutError):
            raise
        except Exception as error:
            raise MeteorError(f"a worker failed: {type(error).__name__}: {_format_error(error)}") from error


_score_lock = threading.Lock()
"""Held while a task runs on a worker, because metrics need not be thread-safe."""


def _score(work: Work, batch: Batch) -> Any:
    """Score a batch on a worker."""
    with _score_lock:
        batch.threads = 1
        return _load_score_function(work)(batch)


@functools.lru_cache(maxsize=4)
def _load_score_function(work: Work) -> Any:
    """Return the function that scores a batch; it is unpickled once per process.

    Raises:
        MeteorError: if this worker has a different version, or lacks a pack or a plugin. The message names the worker.
    """
    from distributed import get_worker

    try:
        if work.version != __version__:
            raise ConfigError(
                f"the worker has meteor_e {__version__}, this program has {work.version}; install the same version"
            )
        score = pickle.loads(work.score)
        signatures = tuple(metric.signature for metric in score.metrics)
        if signatures != work.signatures:
            raise ConfigError(
                f"the worker's signatures are {signatures}, not {work.signatures}; install the same packs"
            )
        return score
    except Exception as error:
        raise ConfigError(f"worker {get_worker().address}: {_format_error(error)}") from error
