"""Scoring on a Dask cluster: batches of segments are tasks; results come back in order, each once."""

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
"""Seconds to wait for a scheduler, and for the first worker."""

PATIENCE = 3.0
"""Seconds after which a line says what is waited for."""

IN_FLIGHT = 4
"""Tasks that a thread of the cluster has before it: enough that a slow one delays nobody."""

_HOUSEKEEPING = {
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
}
"""How often Dask looks after a cluster on this machine, where that takes processors from the scoring."""


class DaskRunner(ScoreRunner):
    """Scores on a Dask cluster, with any metric."""

    name = "dask"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Connect to the cluster, or start it, and let it score the batches."""
        assert run.cluster is not None
        with connect(run.cluster) as client:
            yield run._replace(in_order=functools.partial(score_in_order, client))


@contextlib.contextmanager
def connect(address: str, *, wait: float = WAIT) -> Iterator[Client]:
    """Connect to a cluster, or start one on this machine that ends with the block.

    Args:
        address: of a scheduler (``tcp://host:8786``, ``host:8786``), or the path of its scheduler file
            (``scheduler.json``); ``local`` starts one process per processor on this machine, ``local:4`` four.
        wait: seconds to wait for the scheduler, and for the first worker.

    Raises:
        ConfigError: if the address is wrong, nobody answers, or there are no workers.
        MeteorError: if the processes on this machine do not start.
    """
    distributed = require("distributed", "a cluster", "dask", "meteor-e-tables")
    kind, _, number = address.partition(":")
    if kind == "local" and number and not (number.isascii() and number.isdigit() and int(number)):
        raise ConfigError(f"{address!r} is not a cluster: local:N starts N processes, N being 1 or more")
    if address.endswith(".json") and not Path(address).is_file():
        raise ConfigError(f"there is no scheduler file {address}")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        if kind == "local":
            stack.enter_context(require("dask", "a cluster", "dask", "meteor-e-tables").config.set(_HOUSEKEEPING))
            client = stack.enter_context(_local(distributed, int(number) if number else default_threads()))
            stack.enter_context(_collected_silently())
            yield client
            return
        place = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        with _waiting(f"a scheduler at {address}", wait):
            try:
                client = _answered(functools.partial(distributed.Client, **place, timeout=wait), wait)
            except (OSError, ValueError, TypeError) as error:
                # Time-outs are OSErrors; an address of a wrong form is one of the others.
                raise ConfigError(f"no scheduler answers at {address}: {_one_line(error)}") from error
        stack.callback(_close, client)
        with _waiting(f"workers of the cluster at {address}", wait):
            try:
                client.wait_for_workers(1, timeout=wait)
            except (OSError, TimeoutError) as error:
                raise ConfigError(f"the cluster at {address} has no workers after {wait:g} seconds") from error
        yield client


def _answered(connecting: Callable[[], Client], wait: float) -> Client:
    """Return the client; TimeoutError if the scheduler takes the connection, but never answers.

    Dask's own time limit ends with the connection, so a thread of its own waits for the rest.
    """
    future: concurrent.futures.Future[Client] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(connecting())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result(wait + PATIENCE)
    except concurrent.futures.TimeoutError as error:
        if future.done():
            raise
        raise TimeoutError(f"silent for {wait:g} seconds") from error


@contextlib.contextmanager
def _local(distributed: Any, workers: int) -> Iterator[Client]:
    """Start processes on this machine."""
    with contextlib.ExitStack() as stack:
        try:
            with _interrupts_held():
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        # Any free port, for this machine only.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                    )
                )
            client = stack.enter_context(distributed.Client(cluster))
        except Exception as error:
            raise MeteorError(f"the processes of the cluster did not start: {_one_line(error)}") from error
        yield client


@contextlib.contextmanager
def _waiting(what: str, seconds: float) -> Iterator[None]:
    """Say on the terminal what is waited for, if it takes long."""
    line = f"meteor-e: waiting for {what}, at most {seconds:g} seconds\n"
    timer = threading.Timer(PATIENCE, sys.stderr.write, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _close(client: Client) -> None:
    """Close a client; of a scheduler that is gone there is nothing to wait for."""
    with contextlib.suppress(OSError, TimeoutError):
        client.close(timeout=2)


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
def _collected_silently() -> Iterator[None]:
    """Take Dask's diagnosis out of the garbage collector, which loses exceptions there: Ctrl-C, above all."""
    callbacks = [callback for callback in gc.callbacks if getattr(callback, "__module__", None) == "distributed.gc"]
    for callback in callbacks:
        gc.callbacks.remove(callback)
    try:
        yield
    finally:
        gc.callbacks.extend(callbacks)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log off the terminal: what matters is raised."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class Work(NamedTuple):
    """What scores a batch, as it is sent to the workers.

    Attributes:
        version: of this package.
        signatures: of the metrics.
        score: the pickled function; see :func:`meteor_e.api.batches.map_in_order`.
    """

    version: str
    signatures: tuple[str, ...]
    score: bytes

    @classmethod
    def of(cls, score: Any) -> Work:
        """Pickle what scores a batch.

        Raises:
            ConfigError: if a metric cannot be sent to other processes.
        """
        # A chain is opened for its signature, and is then sent as it is here.
        signatures = tuple(metric.signature for metric in score.metrics)
        try:
            pickled = pickle.dumps(score)
        except Exception as error:
            raise ConfigError(f"a metric cannot be sent to other processes: {_one_line(error)}") from error
        return cls(__version__, signatures, pickled)


def score_in_order(
    client: Client, score: Any, batches: Iterator[Batch], threads: int | None = None
) -> Iterator[tuple[Batch, Any]]:
    """Yield each batch with what it is scored to, in order; like :func:`meteor_e.api.batches.map_in_order`.

    What is under way is bounded, so that memory does not grow with the input. A worker that is lost loses nothing:
    its tasks are done again elsewhere; and a task has one result, so nothing is counted twice.

    Args:
        client: connected to the cluster.
        score: scores a batch; pickled.
        batches: consecutive batches.
        threads: without effect; a task takes one thread of a worker.

    Raises:
        MeteorError: for the first segment that has no score, or if the cluster fails.
    """
    work: Work | None = None
    waiting: deque[tuple[Batch, Future]] = deque()
    limit = 0
    try:
        for number, batch in enumerate(batches):
            with _lost_connection():
                work = work or Work.of(score)
                if number % 64 == 0:  # Workers may come and go.
                    limit = IN_FLIGHT * max(1, sum(client.nthreads().values()))
                waiting.append((batch, client.submit(_score, work, batch, pure=False)))
            while len(waiting) >= limit:
                yield _result(*waiting[0])
                waiting.popleft()
        while waiting:
            yield _result(*waiting[0])
            waiting.popleft()
    finally:
        if waiting:
            with contextlib.suppress(Exception):
                client.cancel([future for _, future in waiting])


@contextlib.contextmanager
def _lost_connection() -> Iterator[None]:
    """Turn errors of the connection into one that says so."""
    from distributed.client import FutureCancelledError

    try:
        yield
    except (FutureCancelledError, OSError, TimeoutError) as error:
        raise MeteorError(f"the connection with the cluster was lost: {_one_line(error)}") from error


def _result(batch: Batch, future: Future) -> tuple[Batch, Any]:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    with _lost_connection():
        try:
            return batch, future.result()
        except KilledWorker as error:
            raise MeteorError(
                f"segments {batch.ids[0]} to {batch.ids[-1]}: the workers that had them ended one after the other; "
                "they may have had too little memory"
            ) from error
        except (MeteorError, FutureCancelledError, OSError, TimeoutError):
            raise
        except Exception as error:
            raise MeteorError(f"a worker failed: {type(error).__name__}: {_one_line(error)}") from error


_lock = threading.Lock()


def _score(work: Work, batch: Batch) -> Any:
    """Do a task, on a worker. Metrics need not be safe for threads."""
    with _lock:
        batch.threads = 1
        return _made(work)(batch)


@functools.lru_cache(maxsize=4)
def _made(work: Work) -> Any:
    """Return what scores a batch; it is made once a process.

    Raises:
        MeteorError: if this worker has another version, or lacks a pack or a plugin; it is named.
    """
    from distributed import get_worker

    try:
        if work.version != __version__:
            raise ConfigError(f"meteor_e {__version__} is there, and {work.version} here; install the same version")
        score = pickle.loads(work.score)
        found = tuple(metric.signature for metric in score.metrics)
        if found != work.signatures:
            raise ConfigError(f"it would score with {found}, not with {work.signatures}; install the same packs")
        return score
    except Exception as error:
        raise ConfigError(f"worker {get_worker().address}: {_one_line(error)}") from error
