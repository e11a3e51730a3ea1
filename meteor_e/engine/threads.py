"""Chunks scored side by side, a thread each, and handed over in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from meteor_e.engine.streaming import CHUNK_SEGMENTS, Chunk

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["ScoreChunk", "scored_in_order"]

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class ScoreChunk(Protocol[Result_co]):
    """Scores a chunk with some threads; ends in KeyboardInterrupt soon after ``stop`` has become true."""

    def __call__(self, chunk: Chunk, threads: int, stop: object) -> Result_co: ...  # noqa: D102


def scored_in_order(chunks: Iterator[Chunk], score: ScoreChunk[Result], threads: int) -> Iterator[tuple[Chunk, Result]]:
    """Yield each chunk with what it is scored to, in order; an error comes where its chunk would have come.

    Small chunks, the first ones, are scored one after the other with all threads inside, so that a short
    corpus computes each word's features once. As soon as chunks are full, each thread takes a chunk of its
    own: reading them and adding up, which Python does, then no longer holds the threads up. At most one chunk
    more than there are threads is read ahead.

    Args:
        chunks: consecutive chunks; iterated in the calling thread.
        score: scores one.
        threads: how many threads work, at least 1.
    """
    pool: ThreadPoolExecutor | None = None
    pending: deque[tuple[Chunk, Future[Result]]] = deque()
    stop: list[bool] = []
    failure: Exception | None = None
    try:
        while True:
            try:
                chunk = next(chunks)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            if pool is None and (threads == 1 or len(chunk.hypotheses) < CHUNK_SEGMENTS):
                yield chunk, score(chunk, threads, stop)
                continue
            if pool is None:
                from concurrent.futures import ThreadPoolExecutor

                pool = ThreadPoolExecutor(threads, thread_name_prefix="meteor_e")
            pending.append((chunk, pool.submit(score, chunk, 1, stop)))
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
