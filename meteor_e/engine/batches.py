"""Segments from two iterables, in batches, which are scored side by side and handed over in order.

What is read ahead stays bounded, however long the iterables are.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from meteor_e.base.errors import ConfigError, InputError, count_of
from meteor_e.base.texts import check_text, listed

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Result = TypeVar("Result")

BATCH_SEGMENTS = 2048
"""Segments read ahead, at most."""

BATCH_CHARACTERS = 4_000_000
"""Characters after which a batch ends whatever the number of its segments."""

ENCODED_CHARACTERS = BATCH_CHARACTERS // 16
"""The same in a chain that keeps vectors of all words of a batch: some 1,500 bytes per word at 768 dimensions."""

FIRST_BATCH = 64
"""Segments of the first batch, where somebody waits for the first scores."""

LARGE_FIRST_BATCH = BATCH_SEGMENTS // 2
"""The same where nobody waits; threads still share what is less than a whole batch."""

_MISSING = object()

_SEQUENCES = (list, tuple)


class SegmentBatch(NamedTuple):
    """Consecutive segments.

    Attributes:
        first: number of the first one, from 1.
        hypotheses: raw segments.
        references: raw references of each.
    """

    first: int
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]


def reference_list(hypothesis: object, references: Any) -> Sequence[str]:
    """Check a segment and its references; return them as a sequence.

    Raises:
        InputError: if one of them is not a text, or there is no reference.
    """
    texts = [references] if isinstance(references, str) else list(listed(references, "references", "text"))
    for text in (hypothesis, *texts):
        check_text(text)
    if not texts:
        raise InputError("a hypothesis needs at least one reference")
    return texts


def paired(hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]) -> Iterator[tuple[Any, Any]]:
    """Yield each hypothesis with its references; where one side ends, :func:`segment_batches` raises."""
    given = listed(references, "references", "segment")
    return itertools.zip_longest(listed(hypotheses, "hypotheses", "segment"), given, fillvalue=_MISSING)


def segment_batches(
    given: Iterable[tuple[Any, Any]], most_characters: int = BATCH_CHARACTERS, first_size: int = FIRST_BATCH
) -> Iterator[SegmentBatch]:
    """Yield batches, the first ones small; what comes before an error is yielded before the error is raised.

    Args:
        given: each hypothesis with its references, as :func:`paired` has them.
        most_characters: of a batch.
        first_size: segments of the first batch; the next ones have twice as many each, up to ``BATCH_SEGMENTS``.

    Raises:
        InputError: if one side ends before the other, or a segment is not a text.
    """
    first, limit = 1, first_size
    pairs = enumerate(given)
    ended = False
    while not ended:
        sides: list[str] = []
        others: list[Sequence[str]] = []
        characters = 0
        error: Exception | None = None
        ended = True
        try:
            for number, (hypothesis, texts) in pairs:
                text = texts[0] if type(texts) in _SEQUENCES and len(texts) == 1 else texts
                # Most are such; to call functions for each takes longer than all else.
                if type(hypothesis) is str and type(text) is str and hypothesis.isascii() and text.isascii():
                    checked: Sequence[str] = (text,)
                    characters += len(hypothesis) + len(text)
                else:
                    checked = _checked(number, hypothesis, texts)
                    characters += len(hypothesis) + sum(map(len, checked))
                sides.append(hypothesis)
                others.append(checked)
                if len(sides) == limit or characters >= most_characters:
                    ended = False
                    break
        except Exception as problem:
            error = problem
        if sides:
            yield SegmentBatch(first, sides, others)
        if error is not None:
            raise error
        first += len(sides)
        limit = min(2 * limit, BATCH_SEGMENTS)


def _checked(number: int, hypothesis: object, references: object) -> Sequence[str]:
    """Check segment ``number`` + 1; return its references."""
    for given, side, other in (hypothesis, "hypotheses", "references"), (references, "references", "hypotheses"):
        if given is _MISSING:
            raise InputError(f"the {side} end after {count_of(number, 'segment')}, but there are more {other}")
    try:
        return reference_list(hypothesis, references)
    except InputError as error:
        raise InputError(f"segment {number + 1}: {error}") from error


def default_threads(threads: int | None = None) -> int:
    """Return a number of threads: as given, else ``METEOR_E_THREADS``, else the processors there are.

    Raises:
        ConfigError: if it is not a number of at least 1.
    """
    source: str = "threads"
    value: int | str | None = threads
    if value is None:
        source, value = "METEOR_E_THREADS", os.environ.get("METEOR_E_THREADS")
    if value is None or value == "":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    text = str(value).strip()
    if not text.isdecimal() or not int(text):
        raise ConfigError(f"{source} is {value!r}; it must be a whole number of at least 1")
    return int(text)


def scored_in_order(
    batches: Iterator[SegmentBatch], score: Callable[[SegmentBatch, int, object], Result], threads: int
) -> Iterator[tuple[SegmentBatch, Result]]:
    """Yield each batch with what it is scored to, in order; an error comes where its batch would have come.

    Small batches, the first ones, are scored one after the other with all threads inside, so that a short
    corpus computes each word's features once. As soon as batches are full, each thread takes a batch of its
    own: reading them and adding up, which Python does, then no longer holds the threads up. At most one batch
    more than there are threads is read ahead.

    Args:
        batches: consecutive batches; iterated in the calling thread.
        score: scores one with some threads; it ends in KeyboardInterrupt soon after the list that it is given has an
            item.
        threads: how many threads work, at least 1.
    """
    pool: ThreadPoolExecutor | None = None
    pending: deque[tuple[SegmentBatch, Future[Result]]] = deque()
    stop: list[bool] = []
    failure: Exception | None = None
    try:
        while True:
            try:
                batch = next(batches, None)
            except Exception as error:
                failure, batch = error, None
            if batch is None:
                break
            if pool is None and (threads == 1 or len(batch.hypotheses) < BATCH_SEGMENTS):
                yield batch, score(batch, threads, stop)
                continue
            if pool is None:
                from meteor_e.base.thread_pool import ThreadPool

                pool = ThreadPool(threads, thread_name_prefix="meteor_e")
                try:
                    pool.submit(int).result()
                except RuntimeError:  # The system starts no thread at all.
                    pool, threads = None, 1
                    yield batch, score(batch, threads, stop)
                    continue
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
