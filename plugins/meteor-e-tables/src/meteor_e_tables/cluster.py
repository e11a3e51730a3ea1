"""Score batches of segments on a Dask cluster, and return the results in the order of the batches."""

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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from meteor_e import __version__
from meteor_e.api import ConfigError, MeteorError
from meteor_e.api.batches import default_threads
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from distributed import Client, Future

    from meteor_e.api.batches import Batch

T = TypeVar("T")

WAIT = 30.0
"""The number of seconds after which the program stops waiting for the scheduler, or for the first worker."""

MESSAGE_DELAY = 3.0
"""The number of seconds of waiting after which a message says what the program is waiting for."""

TASKS_PER_THREAD = 4
"""The number of submitted tasks per thread of the cluster. With fewer tasks, threads would wait for a slow task."""

_WORKER_CHECK_INTERVAL = 64
"""The number of batches after which the number of workers is determined again, because workers can be added."""

_LOCAL_CONFIG = {
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
}
"""The Dask configuration of a local cluster. Monitoring is less frequent because it slows down scoring."""

_LOCAL_CLUSTER_OPTIONS: dict[str, Any] = {
    "threads_per_worker": 1,
    "processes": True,
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
}
"""The arguments of ``distributed.LocalCluster``, except for the number of workers."""


class DaskRunner(ScoreRunner):
    """Score segments with any metric on a Dask cluster."""

    name = "dask"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Connect to a cluster or start a local one. All batches are scored on this cluster during the block."""
        assert run.cluster is not None
        with connect(run.cluster) as client:
            yield run._replace(execute=functools.partial(score_in_order, client))


@contextlib.contextmanager
def connect(address: str, *, wait: float = WAIT) -> Iterator[Client]:
    """Connect to a cluster, or start a local cluster and close it at the end of the block.

    Args:
        address: the address of a scheduler (``tcp://host:8786``, ``host:8786``), or the path of its scheduler file
            (``scheduler.json``). ``local`` starts one process per processor of this machine. ``local:4`` starts four
            processes.
        wait: the timeout in seconds for the scheduler, and for the first worker.

    Raises:
        ConfigError: if the address is not valid, the scheduler does not answer, or the cluster does not have workers.
        MeteorError: if the processes on this machine do not start.
    """
    distributed = require("distributed", "a cluster", extra="dask", distribution="meteor-e-tables")
    is_local = address == "local" or address.startswith("local:")
    if is_local:
        connection = _start_local_cluster(distributed, _parse_worker_count(address))
    else:
        connection = _connect_to_running_cluster(distributed, address, wait)
    with _silence_logs(), connection as client:
        yield client


def _parse_worker_count(address: str) -> int:
    """Return the number of processes in an address such as ``local:4``. The default is one process per processor."""
    _, _, count = address.partition(":")
    if not count:
        return default_threads()
    if not (count.isascii() and count.isdigit() and int(count)):
        raise ConfigError(f"{address!r} is not a cluster: local:N starts N processes, N being 1 or more")
    return int(count)


@contextlib.contextmanager
def _connect_to_running_cluster(distributed: Any, address: str, wait: float) -> Iterator[Client]:
    """Connect to a cluster that has at least one worker, and close the connection at the end of the block.

    Raises:
        ConfigError: if the address is not valid, the scheduler does not answer, or the cluster does not have workers.
    """
    client = _connect_to_scheduler(distributed, address, wait)
    try:
        _wait_for_workers(client, address, wait)
        yield client
    finally:
        # The scheduler may no longer exist, so the connection is closed without waiting for its answer.
        with contextlib.suppress(OSError, TimeoutError):
            client.close(timeout=2)


def _connect_to_scheduler(distributed: Any, address: str, wait: float) -> Client:
    """Return a client of a running cluster.

    Raises:
        ConfigError: if the address is not valid, or the scheduler does not answer.
    """
    if address.endswith(".json"):
        if not Path(address).is_file():
            raise ConfigError(f"there is no scheduler file {address}")
        connect_client = functools.partial(distributed.Client, scheduler_file=address, timeout=wait)
    else:
        connect_client = functools.partial(distributed.Client, address, timeout=wait)
    with _announce_wait(f"a scheduler at {address}", wait):
        try:
            return _connect_with_timeout(connect_client, wait)
        except (OSError, ValueError, TypeError) as error:
            # A timeout raises an OSError, and the other exceptions indicate a malformed address.
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
    """Create a client, and raise a TimeoutError if the scheduler accepts the connection but does not answer.

    Args:
        connect_client: a function that creates the client.
        wait: the timeout in seconds.
    """
    # Dask's own timeout applies only to the connection. Therefore, the client is created in a separate thread.
    future = _run_in_daemon_thread(connect_client)
    concurrent.futures.wait([future], timeout=wait + MESSAGE_DELAY)
    if not future.done():
        raise TimeoutError(f"silent for {wait:g} seconds")
    return future.result()


def _run_in_daemon_thread(function: Callable[[], T]) -> concurrent.futures.Future[T]:
    """Call a function in a thread, and return a future of its result. The thread does not keep the program running."""
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def resolve_future() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=resolve_future, daemon=True).start()
    return future


@contextlib.contextmanager
def _start_local_cluster(distributed: Any, workers: int) -> Iterator[Client]:
    """Start a cluster of processes on this machine, and close it at the end of the block.

    Args:
        distributed: the module ``distributed``.
        workers: the number of processes.
    """
    dask = require("dask", "a cluster", "dask", "meteor-e-tables")
    with dask.config.set(_LOCAL_CONFIG), contextlib.ExitStack() as stack:
        client = _open_local_client(distributed, workers, stack)
        stack.enter_context(_disable_gc_diagnosis())
        yield client


def _open_local_client(distributed: Any, workers: int, stack: contextlib.ExitStack) -> Client:
    """Start a cluster of processes on this machine, and return its client.

    Args:
        distributed: the module ``distributed``.
        workers: the number of processes.
        stack: the stack that closes the client and the cluster.

    Raises:
        MeteorError: if the processes do not start.
    """
    try:
        with _block_interrupts():
            cluster = stack.enter_context(distributed.LocalCluster(n_workers=workers, **_LOCAL_CLUSTER_OPTIONS))
        client: Client = stack.enter_context(distributed.Client(cluster))
        return client
    except Exception as error:
        raise MeteorError(f"the processes of the cluster did not start: {_format_error(error)}") from error


@contextlib.contextmanager
def _announce_wait(target: str, seconds: float) -> Iterator[None]:
    """Write a message to the terminal if the block takes more than a few seconds.

    Args:
        target: a description of the object for which the program waits.
        seconds: the timeout, which the message mentions.
    """
    line = f"meteor-e: waiting for {target}, at most {seconds:g} seconds\n"
    timer = threading.Timer(MESSAGE_DELAY, sys.stderr.write, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _block_interrupts() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block, and disable it in all threads and processes that the block starts.

    A terminal sends Ctrl-C to all processes. If workers received it, each of them would write a traceback. Therefore,
    only this process receives Ctrl-C, and it stops the workers.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # Starting the resource tracker enables Ctrl-C in the current thread, so it must start before Ctrl-C is blocked.
    resource_tracker.ensure_running()
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


@contextlib.contextmanager
def _disable_gc_diagnosis() -> Iterator[None]:
    """Disable Dask's garbage collector callbacks, because Python ignores a Ctrl-C that occurs in a callback."""
    callbacks = [callback for callback in gc.callbacks if getattr(callback, "__module__", None) == "distributed.gc"]
    for callback in callbacks:
        gc.callbacks.remove(callback)
    try:
        yield
    finally:
        gc.callbacks.extend(callbacks)


@contextlib.contextmanager
def _silence_logs() -> Iterator[None]:
    """Hide the log messages of Dask during the block. Errors that affect scoring are raised as exceptions."""
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
    """Return the message of an exception as one line, or the name of its class if the message is empty."""
    return " ".join(str(error).split()) or type(error).__name__


class Work(NamedTuple):
    """Store a scoring function in a form that can be sent to the workers of a cluster.

    Attributes:
        version: the version of this package.
        signatures: the signatures of the metrics.
        score: the pickled function that scores a batch; see :func:`meteor_e.api.batches.map_in_order`.
    """

    version: str
    signatures: tuple[str, ...]
    score: bytes

    @classmethod
    def from_function(cls, score: Any) -> Work:
        """Pickle a function that scores a batch.

        Raises:
            ConfigError: if a metric cannot be sent to other processes.
        """
        # Computing the signatures also loads the resources of the metrics, so the workers receive loaded metrics.
        signatures = tuple(metric.signature for metric in score.metrics)
        try:
            pickled = pickle.dumps(score)
        except Exception as error:
            raise ConfigError(f"a metric cannot be sent to other processes: {_format_error(error)}") from error
        return cls(__version__, signatures, pickled)

    def load_function(self) -> Any:
        """Unpickle the function.

        Raises:
            ConfigError: if this process has another version of the package, or if the metrics have other signatures.
        """
        if self.version != __version__:
            raise ConfigError(
                f"the worker has meteor_e {__version__}, this program has {self.version}; install the same version"
            )
        score = pickle.loads(self.score)
        signatures = tuple(metric.signature for metric in score.metrics)
        if signatures != self.signatures:
            raise ConfigError(
                f"the worker's signatures are {signatures}, not {self.signatures}; install the same packs"
            )
        return score


def score_in_order(
    client: Client, score: Any, batches: Iterator[Batch], threads: int | None = None
) -> Iterator[tuple[Batch, Any]]:
    """Score batches on a cluster, and yield each batch with its result in the order of the batches.

    The number of submitted tasks is limited, so that the memory usage does not depend on the number of batches. If a
    worker stops, its tasks run again on other workers. No segment is counted twice.

    Args:
        client: a client that is connected to the cluster.
        score: the function that scores a batch. It is sent to the workers as a pickle.
        batches: consecutive batches.
        threads: ignored, because each task uses one thread of a worker.

    Raises:
        MeteorError: if a segment cannot be scored, or if the cluster fails.
    """
    queue = _TaskQueue(client, Work.from_function(score))
    try:
        for batch in batches:
            queue.submit(batch)
            while queue.is_full():
                yield queue.pop_result()
        while queue.tasks:
            yield queue.pop_result()
    finally:
        queue.cancel()


class _Task(NamedTuple):
    """Store a batch that was submitted to the cluster, and the future of its result."""

    batch: Batch
    future: Future


class _TaskQueue:
    """A queue of the tasks whose results have not been returned yet, the oldest task first.

    Args:
        client: a client that is connected to the cluster.
        work: the function that scores a batch.
    """

    def __init__(self, client: Client, work: Work) -> None:
        self.tasks: deque[_Task] = deque()
        self._client = client
        self._work = work
        self._n_submitted = 0
        self._max_tasks = 0

    def submit(self, batch: Batch) -> None:
        """Send a batch to the cluster."""
        with _connection_errors():
            if self._n_submitted % _WORKER_CHECK_INTERVAL == 0:
                thread_count = sum(self._client.nthreads().values())
                self._max_tasks = TASKS_PER_THREAD * max(1, thread_count)
            future = self._client.submit(_score, self._work, batch, pure=False)
        self._n_submitted += 1
        self.tasks.append(_Task(batch, future))

    def is_full(self) -> bool:
        """Return whether the queue has reached its maximum number of tasks."""
        return len(self.tasks) >= self._max_tasks

    def pop_result(self) -> tuple[Batch, Any]:
        """Wait for the oldest task, remove it from the queue, and return its batch and its result.

        Raises:
            MeteorError: if a segment cannot be scored, or if the cluster fails.
        """
        # A task remains in the queue until its result is available, so that it can be canceled.
        batch, future = self.tasks[0]
        try:
            with _connection_errors():
                result = future.result()
        except MeteorError:
            raise
        except Exception as error:
            raise MeteorError(_describe_failure(error, batch)) from error
        self.tasks.popleft()
        return batch, result

    def cancel(self) -> None:
        """Cancel all tasks of the queue. Errors are ignored, because the connection may be lost."""
        if self.tasks:
            with contextlib.suppress(Exception):
                self._client.cancel([task.future for task in self.tasks])


@contextlib.contextmanager
def _connection_errors() -> Iterator[None]:
    """Convert errors in the connection to the cluster to a MeteorError."""
    from distributed.client import FutureCancelledError

    try:
        yield
    except (FutureCancelledError, OSError, TimeoutError) as error:
        raise MeteorError(f"the connection with the cluster was lost: {_format_error(error)}") from error


def _describe_failure(error: Exception, batch: Batch) -> str:
    """Return an error message for a batch that the workers failed to score."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            f"segments {batch.ids[0]} to {batch.ids[-1]}: the workers that scored them ended one after another; "
            "they may have had too little memory"
        )
    return f"a worker failed: {type(error).__name__}: {_format_error(error)}"


_score_lock = threading.Lock()
"""A lock that prevents tasks on a worker from running at the same time, because metrics may not be thread-safe."""


def _score(work: Work, batch: Batch) -> Any:
    """Score a batch on a worker of the cluster."""
    with _score_lock:
        batch.threads = 1
        return _load_score_function(work)(batch)


@functools.lru_cache(maxsize=4)
def _load_score_function(work: Work) -> Any:
    """Unpickle the function that scores a batch. The function is cached, so each worker unpickles it only once.

    Raises:
        ConfigError: if the function cannot be used on this worker. The message contains the address of the worker.
    """
    from distributed import get_worker

    try:
        return work.load_function()
    except Exception as error:
        raise ConfigError(f"worker {get_worker().address}: {_format_error(error)}") from error
