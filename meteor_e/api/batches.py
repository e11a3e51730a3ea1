"""Batches of segments, and functions that read batches and process them in parallel."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from meteor_e.api.segments import Segment, SegmentId
from meteor_e.base.errors import ConfigError, InputError, count_of
from meteor_e.base.texts import check_list, check_text, check_texts

if TYPE_CHECKING:
    from concurrent.futures import Future

    from meteor_e.base.thread_pool import ThreadPool

Result = TypeVar("Result")

BATCH_SEGMENTS = 2048
"""Maximum number of segments of a batch."""

BATCH_CHARACTERS = 4_000_000
"""Number of characters after which a batch ends, even if it has few segments."""

ENCODED_CHARACTERS = BATCH_CHARACTERS // 16
"""Number of characters after which a batch ends if the chain stores a vector for each word.

At 768 dimensions, a vector takes about 1,500 bytes.
"""

FIRST_BATCH = 64
"""Number of segments of the first batch if a user waits for the first scores."""

LARGE_FIRST_BATCH = BATCH_SEGMENTS // 2
"""Number of segments of the first batch if nobody waits for the first scores. Threads share a batch of this size."""

_MISSING = object()

_SEQUENCES = (list, tuple)


@dataclass(eq=False)
class Batch:
    """A group of consecutive segments of one translation system that a metric scores together.

    Hypotheses, references, sources and ids are stored in separate sequences with one item per segment.

    Attributes:
        hypotheses: raw hypotheses.
        references: raw references of each hypothesis, at least one.
        sources: raw source segments; ``None`` if they are unknown.
        ids: id of each segment: its line number, the id of a COCO image, or the key of a table's row. By default, the
            segments are numbered from ``position + 1``.
        position: number of segments of the system that precede the batch.
        system: name of the system; empty if it is unknown.
        threads: number of threads that a metric may use for this batch; ``None`` for the metric's own number.
        stop: a list, or ``None``. When another thread appends an item to the list, scoring ends with
            KeyboardInterrupt.
        alignments: whether METEOR's alignments will be needed.
        cache: data that metrics share when they score the same batch, such as alignments. It is never pickled.
    """

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None
    ids: Sequence[SegmentId] = ()
    position: int = 0
    system: str = ""
    threads: int | None = None
    stop: object = None
    alignments: bool = False
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        line_numbers = range(self.position + 1, self.position + 1 + len(self.hypotheses))
        # Line numbers are stored as a range, which needs less memory than a list.
        if not self.ids or self.ids == list(line_numbers):
            self.ids = line_numbers

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "stop": None, "cache": {}}


def reference_list(hypothesis: object, references: Any) -> Sequence[str]:
    """Check a hypothesis and its references, and return the references as a list.

    Args:
        hypothesis: the hypothesis.
        references: one reference, or a list of references.

    Raises:
        InputError: if one of them is not a text, or if there is no reference.
    """
    check_text(hypothesis)
    texts = [references] if isinstance(references, str) else list(check_list(references, "references", "text"))
    if not texts:
        raise InputError("a hypothesis needs at least one reference")
    check_texts(texts)
    return texts


def pair_texts(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
) -> Iterator[tuple[int, Any, Any, None]]:
    """Combine hypotheses and references into segments with ids from 1. The texts are not checked.

    Raises:
        InputError: if there are fewer hypotheses than references, or vice versa.
    """
    pairs = itertools.zip_longest(
        check_list(hypotheses, "hypotheses", "segment"),
        check_list(references, "references", "segment"),
        fillvalue=_MISSING,
    )
    for index, (hypothesis, segment_references) in enumerate(pairs):
        if hypothesis is _MISSING:
            raise InputError(f"the hypotheses end after {count_of(index, 'segment')}, but there are more references")
        if segment_references is _MISSING:
            raise InputError(f"the references end after {count_of(index, 'segment')}, but there are more hypotheses")
        yield index + 1, hypothesis, segment_references, None


def read_batches(
    segments: Iterable[Segment] | Iterable[tuple[int, Any, Any, None]],
    *,
    system: str = "",
    max_characters: int = BATCH_CHARACTERS,
    first_size: int = FIRST_BATCH,
    alignments: bool = False,
) -> Iterator[Batch]:
    """Check segments, and divide them into batches. The first batches are small, so that results appear early.

    If a segment is invalid or cannot be read, all preceding segments are yielded before the error is raised.

    Args:
        segments: the segments, or the result of :func:`pair_texts`.
        system: name of the system.
        max_characters: number of characters after which a batch ends.
        first_size: number of segments of the first batch. It doubles with each batch up to ``BATCH_SEGMENTS``.
        alignments: whether METEOR's alignments will be needed.

    Raises:
        InputError: if there are more hypotheses than references or the reverse, or if a segment is not a text.
    """
    numbered_segments = enumerate(segments)
    max_segments = first_size
    position = 0
    while True:
        columns = _fill_columns(numbered_segments, max_segments, max_characters)
        if columns.hypotheses:
            yield columns.make_batch(position, system, alignments)
        if columns.error is not None:
            raise columns.error
        if not columns.hypotheses:
            return
        position += len(columns.hypotheses)
        max_segments = min(2 * max_segments, BATCH_SEGMENTS)


@dataclass
class _Columns:
    """The segments of a batch under construction.

    Attributes:
        ids, hypotheses, references, sources: one item per segment.
        error: the error that occurred when the next segment was read; ``None`` if there was no error.
    """

    ids: list[SegmentId] = field(default_factory=list)
    hypotheses: list[str] = field(default_factory=list)
    references: list[Sequence[str]] = field(default_factory=list)
    sources: list[str | None] = field(default_factory=list)
    error: Exception | None = None

    def make_batch(self, position: int, system: str, alignments: bool) -> Batch:
        """Return the segments as a batch. Its sources are ``None`` unless every segment has a source."""
        sources: Any = None if None in self.sources else self.sources
        return Batch(self.hypotheses, self.references, sources, self.ids, position, system, alignments=alignments)


def _fill_columns(numbered_segments: Iterator[tuple[int, Any]], max_segments: int, max_characters: int) -> _Columns:
    """Read and check the segments of the next batch. If an error occurs, the segments before the error are returned.

    Args:
        numbered_segments: the remaining segments, with their indexes.
        max_segments: number of segments of a full batch.
        max_characters: number of characters of a full batch.
    """
    columns = _Columns()
    character_count = 0
    try:
        for index, (segment_id, hypothesis, references, source) in itertools.islice(numbered_segments, max_segments):
            reference = references[0] if type(references) in _SEQUENCES and len(references) == 1 else references
            # Most segments consist of two ASCII texts. They are checked inline, because function calls are slow.
            if type(hypothesis) is str and type(reference) is str and hypothesis.isascii() and reference.isascii():
                checked_references: Sequence[str] = (reference,)
                reference_characters = len(reference)
            else:
                checked_references = _list_references(index, hypothesis, references)
                reference_characters = sum(map(len, checked_references))
            columns.ids.append(segment_id)
            columns.hypotheses.append(hypothesis)
            columns.references.append(checked_references)
            columns.sources.append(source)
            character_count += len(hypothesis) + reference_characters
            if character_count >= max_characters:
                break
    except Exception as error:
        columns.error = error
    return columns


def _list_references(index: int, hypothesis: object, references: object) -> Sequence[str]:
    """Check a segment, and return its references as a list.

    Args:
        index: index of the segment, for error messages.
        hypothesis: the hypothesis.
        references: one or several references.

    Raises:
        InputError: if an item is not a text.
    """
    try:
        return reference_list(hypothesis, references)
    except InputError as error:
        raise InputError(f"segment {index + 1}: {error}") from error


def default_threads(threads: int | None = None) -> int:
    """Return the number of threads to use.

    Args:
        threads: the requested number. By default, the environment variable ``METEOR_E_THREADS`` determines the number.
            If the variable is not set, each available processor gets a thread.

    Raises:
        ConfigError: if the argument or the variable is not a whole number of at least 1.
    """
    if threads is not None:
        return _parse_thread_count("threads", threads)
    setting = os.environ.get("METEOR_E_THREADS", "")
    if setting:
        return _parse_thread_count("METEOR_E_THREADS", setting)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _parse_thread_count(name: str, setting: int | str) -> int:
    """Check the setting for the number of threads, and convert it to an integer.

    Args:
        name: name of the argument or variable, for the error message.
        setting: the number.

    Raises:
        ConfigError: if the setting is not a whole number of at least 1.
    """
    digits = str(setting).strip()
    if not digits.isdecimal() or int(digits) == 0:
        raise ConfigError(f"{name} is {setting!r}; it must be a whole number of at least 1")
    return int(digits)


Executor: TypeAlias = Callable[
    [Callable[[Batch], Result], Iterator[Batch], "int | None"], Iterator[tuple[Batch, Result]]
]
"""A function like :func:`map_in_order`, which maps a function over batches and yields the results in order."""


def map_in_order(
    function: Callable[[Batch], Result], batches: Iterator[Batch], threads: int | None = None
) -> Iterator[tuple[Batch, Result]]:
    """Apply a function to batches in several threads, and yield each batch with its result in the original order.

    The first batches are small. All threads process a small batch together, so that the features of each word of a
    short corpus are computed only once. When the batches have reached their full size, each thread processes a
    different batch. The threads then do not have to wait while Python reads batches and adds up results.

    Args:
        function: function of one batch. It uses ``batch.threads`` threads, and ends with KeyboardInterrupt soon after
            an item has been appended to ``batch.stop``.
        batches: consecutive batches. They are read in the calling thread.
        threads: number of threads; ``None`` to map one batch at a time, with threads inside the function.

    Raises:
        Exception: any error of the function or of the iterator. It is raised after the results of all preceding batches
            have been yielded.
    """
    thread_count = threads or 1
    for batch in batches:
        if thread_count > 1 and len(batch) >= BATCH_SEGMENTS:
            yield from _map_full_batches(function, itertools.chain([batch], batches), thread_count)
            return
        batch.threads = threads
        yield batch, function(batch)


def _map_full_batches(
    function: Callable[[Batch], Result], batches: Iterator[Batch], threads: int
) -> Iterator[tuple[Batch, Result]]:
    """Apply a function to batches in several threads. Each thread processes one batch at a time."""
    pool = _start_pool(threads)
    if pool is None:
        # If the operating system cannot start threads, the calling thread processes all batches.
        return map_in_order(function, batches, threads=1)
    return _map_in_pool(function, batches, pool, threads)


def _map_in_pool(
    function: Callable[[Batch], Result], batches: Iterator[Batch], pool: ThreadPool, threads: int
) -> Iterator[tuple[Batch, Result]]:
    """Apply a function to batches in a thread pool, and yield each batch with its result in the original order.

    Each thread processes one batch at a time. To limit memory use, reading pauses if more batches are pending than
    there are threads.

    Args:
        function: function of one batch.
        batches: consecutive batches, which are read in the calling thread.
        pool: pool of threads, which is shut down at the end.
        threads: number of threads of the pool.
    """
    stop: list[bool] = []  # The function stops early if this list is not empty.
    pending: deque[tuple[Batch, Future[Result]]] = deque()
    try:
        for submission in _submit_batches(function, batches, pool, stop):
            pending.append(submission)
            if len(pending) > threads:
                yield _wait_for_first(pending)
        while pending:
            yield _wait_for_first(pending)
    finally:
        # If the caller stops early, batches in progress are interrupted and waiting batches are not started.
        stop.append(True)
        pool.shutdown(cancel_futures=True)


def _submit_batches(
    function: Callable[[Batch], Result], batches: Iterator[Batch], pool: ThreadPool, stop: list[bool]
) -> Iterator[tuple[Batch, Future[Result]]]:
    """Submit batches to a pool, and yield each batch with the future of its result.

    If a batch cannot be read, this function yields an empty batch and a future that holds the error. The caller
    therefore receives the results of all preceding batches before the error.
    """
    from concurrent.futures import Future

    try:
        for batch in batches:
            batch.threads = 1
            batch.stop = stop
            yield batch, pool.submit(function, batch)
    except Exception as error:
        failure: Future[Result] = Future()
        failure.set_exception(error)
        yield Batch([], []), failure


def _start_pool(threads: int) -> ThreadPool | None:
    """Return a thread pool of the given size, or ``None`` if the operating system cannot start a thread."""
    from meteor_e.base.thread_pool import ThreadPool

    pool = ThreadPool(threads, thread_name_prefix="meteor_e")
    try:
        pool.submit(int).result()
    except RuntimeError:
        return None
    return pool


def _wait_for_first(pending: deque[tuple[Batch, Future[Result]]]) -> tuple[Batch, Result]:
    """Wait until the first pending batch has been processed, and return the batch with its result."""
    batch, future = pending.popleft()
    return batch, future.result()
