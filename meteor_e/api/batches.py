"""Batches of segments: read ahead within bounds, scored side by side and handed over in order."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from meteor_e.api.segments import Segment, SegmentId
from meteor_e.base.errors import ConfigError, InputError, count_of
from meteor_e.base.texts import check_list, check_text

if TYPE_CHECKING:
    from concurrent.futures import Future

    from meteor_e.base.thread_pool import ThreadPool

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


@dataclass(eq=False)
class Batch:
    """Consecutive segments of one system, in columns: what a metric scores at once.

    Attributes:
        hypotheses: raw hypotheses.
        references: for each hypothesis its raw references, at least one.
        sources: raw source segments; ``None`` if they are not known.
        ids: for each segment its id: the line number, the id of a COCO image or the key of a table's row. By default
            the segments are numbered from ``position + 1``.
        position: number of segments of the system before the first one.
        system: name of the system; empty if it is not known.
        threads: threads that a metric may use for this batch; ``None`` for as many as the metric has.
        stop: a list. When another thread appends an item, scoring ends with KeyboardInterrupt.
        alignments: whether METEOR's alignments will be needed.
        cache: what metrics that score the same batch share, such as alignments. It is never pickled.
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
        if not self.ids:
            self.ids = range(self.position + 1, self.position + 1 + len(self.hypotheses))

    def __len__(self) -> int:
        return len(self.hypotheses)

    def with_texts(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Batch:
        """Return the batch with other texts for the same segments, such as tokenized ones, and with an empty cache."""
        return replace(self, hypotheses=hypotheses, references=references, cache={})

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "stop": None, "cache": {}}


def reference_list(hypothesis: object, references: Any) -> Sequence[str]:
    """Check a segment and its references; return them as a sequence.

    Raises:
        InputError: if one of them is not a text, or there is no reference.
    """
    texts = [references] if isinstance(references, str) else list(check_list(references, "references", "text"))
    for text in (hypothesis, *texts):
        check_text(text)
    if not texts:
        raise InputError("a hypothesis needs at least one reference")
    return texts


def pair_texts(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
) -> Iterator[tuple[int, Any, Any, None]]:
    """Yield unchecked segments, numbered from 1; if one side ends early, :func:`read_batches` raises an error."""
    pairs = itertools.zip_longest(
        check_list(hypotheses, "hypotheses", "segment"),
        check_list(references, "references", "segment"),
        fillvalue=_MISSING,
    )
    for number, (hypothesis, texts) in enumerate(pairs, 1):
        yield number, hypothesis, texts, None


def read_batches(
    segments: Iterable[Segment] | Iterable[tuple[int, Any, Any, None]],
    *,
    system: str = "",
    max_characters: int = BATCH_CHARACTERS,
    first_size: int = FIRST_BATCH,
) -> Iterator[Batch]:
    """Yield batches of checked segments, the first ones small.

    What comes before an error is yielded before the error is raised.

    Args:
        segments: the segments, or what :func:`pair_texts` yields.
        system: name of the system.
        max_characters: characters after which a batch ends.
        first_size: segments of the first batch. The next ones have twice as many each, up to ``BATCH_SEGMENTS``.

    Raises:
        InputError: if one side ends before the other, or a segment is not a text.
    """
    position, limit = 0, first_size
    numbered = enumerate(segments)
    ended = False
    while not ended:
        ids: list[SegmentId] = []
        hypotheses: list[str] = []
        references: list[Sequence[str]] = []
        sources: list[str | None] = []
        characters = 0
        error: Exception | None = None
        ended = True
        try:
            for index, (segment_id, hypothesis, texts, source) in numbered:
                text = texts[0] if type(texts) in _SEQUENCES and len(texts) == 1 else texts
                # Most segments have two ASCII texts: calling functions for each would take longer than all else.
                if type(hypothesis) is str and type(text) is str and hypothesis.isascii() and text.isascii():
                    checked: Sequence[str] = (text,)
                    characters += len(hypothesis) + len(text)
                else:
                    checked = _check_segment(index, hypothesis, texts)
                    characters += len(hypothesis) + sum(map(len, checked))
                ids.append(segment_id)
                hypotheses.append(hypothesis)
                references.append(checked)
                sources.append(source)
                if len(hypotheses) == limit or characters >= max_characters:
                    ended = False
                    break
        except Exception as exception:
            error = exception
        if hypotheses:
            yield Batch(
                hypotheses,
                references,
                None if None in sources else sources,  # type: ignore[arg-type]
                ids,
                position,
                system,
            )
            position += len(hypotheses)
        if error is not None:
            raise error
        limit = min(2 * limit, BATCH_SEGMENTS)


def _check_segment(index: int, hypothesis: object, references: object) -> Sequence[str]:
    """Check a segment and return its references."""
    for text, side, other in (hypothesis, "hypotheses", "references"), (references, "references", "hypotheses"):
        if text is _MISSING:
            raise InputError(f"the {side} end after {count_of(index, 'segment')}, but there are more {other}")
    try:
        return reference_list(hypothesis, references)
    except InputError as error:
        raise InputError(f"segment {index + 1}: {error}") from error


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


Executor: TypeAlias = Callable[
    [Callable[[Batch], Result], Iterator[Batch], "int | None"], Iterator[tuple[Batch, Result]]
]
"""Maps a function over batches and yields each batch with its result, in order, as :func:`map_in_order` does."""


def map_in_order(
    function: Callable[[Batch], Result], batches: Iterator[Batch], threads: int | None = None
) -> Iterator[tuple[Batch, Result]]:
    """Map a function over batches with threads; yield each batch with its result, in order.

    An error is raised where the result of its batch would have been yielded. Small batches, the first ones, are mapped
    one after the other and get all threads, so that a short corpus computes the features of each word once. As soon as
    batches are full, each thread takes a batch of its own: reading batches and adding up results, which Python does,
    then no longer holds the threads up. At most one batch more than there are threads is read ahead.

    Args:
        function: maps one batch. It uses ``batch.threads`` threads, and ends with KeyboardInterrupt soon after
            ``batch.stop`` has an item.
        batches: consecutive batches; iterated in the calling thread.
        threads: number of threads; ``None`` to map one batch at a time, with threads inside the function.
    """
    pool: ThreadPool | None = None
    pending: deque[tuple[Batch, Future[Result]]] = deque()
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
            batch.stop = stop
            if pool is None and (threads in (None, 1) or len(batch) < BATCH_SEGMENTS):
                batch.threads = threads
                yield batch, function(batch)
                continue
            if pool is None:
                from meteor_e.base.thread_pool import ThreadPool

                assert threads is not None
                pool = ThreadPool(threads, thread_name_prefix="meteor_e")
                try:
                    pool.submit(int).result()
                except RuntimeError:  # The system starts no thread at all.
                    pool, threads = None, 1
                    batch.threads = threads
                    yield batch, function(batch)
                    continue
            batch.threads = 1
            pending.append((batch, pool.submit(function, batch)))
            if threads is not None and len(pending) > threads:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()
        if failure is not None:
            raise failure
    finally:
        if pool is not None:
            # After an error, Ctrl-C or a reader that has enough, running calls end soon and the others never begin.
            stop.append(True)
            pool.shutdown(cancel_futures=True)
