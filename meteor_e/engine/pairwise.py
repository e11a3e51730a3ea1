"""Every hypothesis of a source against every reference of the source; each text is read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from meteor_e.base.errors import InputError
from meteor_e.base.texts import sides_of_sources
from meteor_e.engine.protocol import Engine

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

PAIRS = 20_000
"""Pairs of texts that are scored at once."""


def pairwise_batches(
    engine: Engine,
    hypotheses: Iterable[Sequence[str]],
    references: Iterable[Sequence[str]] | None = None,
    *,
    threads: int = 1,
) -> Iterator[Floats]:
    """Score every hypothesis against every reference for many sources; small sources share a batch.

    Args:
        engine: what scores.
        hypotheses: for each source its hypotheses.
        references: for each source its references; by default its hypotheses.
        threads: number of threads.

    Yields:
        For each source a matrix ``(hypotheses, references)``.

    Raises:
        InputError: for what is not a list of texts, if there are not as many lists of references as of hypotheses, if
            a matrix does not fit the memory, or if a pair fails (named).
    """
    waiting: list[tuple[list[str], list[str]]] = []
    pair_count = number = 0
    for number, sides in enumerate(sides_of_sources(hypotheses, references), 1):
        waiting.append(sides)
        pair_count += len(sides[0]) * len(sides[1])
        if pair_count >= PAIRS:
            yield from _score_sources(engine, waiting, number - len(waiting) + 1, threads)
            waiting, pair_count = [], 0
    yield from _score_sources(engine, waiting, number - len(waiting) + 1, threads)


def _score_sources(
    engine: Engine, sources: Sequence[tuple[list[str], list[str]]], first: int, threads: int
) -> Iterator[Floats]:
    """Yield the matrices of sources; the first source has the number ``first``."""
    import numpy as np

    text_ids: dict[str, int] = {}
    pair_sources = []
    for sides in sources:
        left, right = ([text_ids.setdefault(text, len(text_ids)) for text in dict.fromkeys(side)] for side in sides)
        pair_sources.append((left, right))
    try:
        scores, failures = engine.score_pairs(list(text_ids), pair_sources, threads=threads)
    except MemoryError as error:
        raise InputError("the matrix does not fit the memory; score some of the hypotheses at a time") from error
    start = 0
    for number, (sides, (left, right)) in enumerate(zip(sources, pair_sources, strict=True), first):
        indexes = ({text_id: index for index, text_id in enumerate(distinct)} for distinct in (left, right))
        rows, columns = (
            [index_of[text_ids[text]] for text in texts] for index_of, texts in zip(indexes, sides, strict=True)
        )
        size = len(left) * len(right)
        for failed in sorted(index for index in failures if start <= index < start + size):
            row, column = divmod(failed - start, len(right))
            where = f"hypothesis {rows.index(row) + 1}, reference {columns.index(column) + 1}"
            raise InputError(f"source {number}, {where}: {failures[failed]}") from failures[failed]
        matrix = np.frombuffer(scores, np.float64, size, 8 * start).reshape(len(left), len(right))
        yield matrix if matrix.shape == (len(rows), len(columns)) else matrix[np.ix_(rows, columns)]
        start += size
