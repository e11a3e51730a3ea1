"""Batches scored side by side, a thread each, and handed over in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from meteor_e.base.errors import ConfigError
from meteor_e.engine.streaming import BATCH_SEGMENTS, SegmentBatch

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


def default_threads(threads: int | None = None) -> int:
    """Return a number of threads: as given, else ``METEOR_E_THREADS``, else the processors there are.

    Raises:
        ConfigError: if it is not a number of at least 1.
    """
    source = "threads"
    value: int | str | None = threads
    if value is None:
        source, value = "METEOR_E_THREADS", os.environ.get("METEOR_E_THREADS") or None
    if value is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1 or isinstance(value, float):
        raise ConfigError(f"{source} is {value!r}; it must be a whole number of at least 1")
    return number


class ScoreBatch(Protocol[Result_co]):
    """Scores a batch with some threads; ends in KeyboardInterrupt soon after ``stop`` has become true."""

    def __call__(self, batch: SegmentBatch, threads: int, stop: object) -> Result_co: ...  # noqa: D102


def scored_in_order(
    batches: Iterator[SegmentBatch], score: ScoreBatch[Result], threads: int
) -> Iterator[tuple[SegmentBatch, Result]]:
    """Yield each batch with what it is scored to, in order; an error comes where its batch would have come.

    Small batches, the first ones, are scored one after the other with all threads inside, so that a short
    corpus computes each word's features once. As soon as batches are full, each thread takes a batch of its
    own: reading them and adding up, which Python does, then no longer holds the threads up. At most one batch
    more than there are threads is read ahead.

    Args:
        batches: consecutive batches; iterated in the calling thread.
        score: scores one.
        threads: how many threads work, at least 1.
    """
    pool: ThreadPoolExecutor | None = None
    pending: deque[tuple[SegmentBatch, Future[Result]]] = deque()
    stop: list[bool] = []
    failure: Exception | None = None
    try:
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            if pool is None and (threads == 1 or len(batch.hypotheses) < BATCH_SEGMENTS):
                yield batch, score(batch, threads, stop)
                continue
            if pool is None:
                from concurrent.futures import ThreadPoolExecutor

                pool = ThreadPoolExecutor(threads, thread_name_prefix="meteor_e")
            pending.append((batch, pool.submit(score, batch, 1, stop)))
            if len(pending) > threads:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()
        if failure is not None:
            raise failure
    finally:
        if pool is not None:
            # An error, Ctrl-C or a reader that has enough: what is begun ends soon, the rest is not begun.
            stop.append(True)
            pool.shutdown(cancel_futures=True)
