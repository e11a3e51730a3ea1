"""Batches of segments as tasks of a cluster: results come back in order, each once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from meteor_e.api import MeteorError
from meteor_e_tables.batches import Batch, Range
from meteor_e_tables.columns import ScoredColumns
from meteor_e_tables.libraries import require
from meteor_e_tables.portable import PortableMetric

if TYPE_CHECKING:
    from distributed import Client, Future

Work = Batch | Range

_IN_FLIGHT = 4
"""Tasks that a thread of the cluster has before it: enough that one that is slow holds up nobody."""


def score_in_order(
    client: Client, metric: PortableMetric, works: Iterable[Work], *, totals_only: bool = False
) -> Iterator[tuple[Work, list[ScoredColumns]]]:
    """Score batches, or ranges that the workers read themselves, on a cluster.

    What is under way is bounded, so that memory does not grow with the input. A worker that is lost loses nothing:
    its tasks are done again elsewhere; and a task has one result, so nothing is counted twice.

    Args:
        client: connected to the cluster.
        metric: as :func:`meteor_e_tables.distributed.prepare` returns it.
        works: batches and ranges.
        totals_only: leave the rows' columns where they are, and return the sums only.

    Yields:
        Each of them, in order, with what each of its systems came to.

    Raises:
        MeteorError: for the first row that has no score, or if a task takes one worker after the other down.
    """
    require("distributed", "a cluster", "dask")
    waiting: deque[tuple[Work, Future]] = deque()
    limit = 0
    try:
        for number, work in enumerate(works):
            if number % 64 == 0:
                # Workers may come and go.
                limit = _IN_FLIGHT * max(1, sum(client.nthreads().values()))
            sent = replace(work, rows=None) if isinstance(work, Batch) else work
            waiting.append((work, client.submit(_score, metric, sent, totals_only, pure=False)))
            while len(waiting) >= limit:
                yield _result(*waiting[0])
                waiting.popleft()
        while waiting:
            yield _result(*waiting[0])
            waiting.popleft()
    finally:
        if waiting:
            client.cancel([future for _, future in waiting])


def _score(metric: PortableMetric, work: Work, totals_only: bool) -> list[ScoredColumns]:
    """Do a task, on a worker."""
    scored = work.read().score(metric.meteor())
    if totals_only:
        return [
            ScoredColumns(columns.scores[:0], columns.reference_index[:0], columns.statistics[:0], columns.total)
            for columns in scored
        ]
    return scored


def _result(work: Work, future: Future) -> tuple[Work, list[ScoredColumns]]:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        return work, future.result()
    except KilledWorker as error:
        raise MeteorError(
            f"{_describe(work)}: the workers that had these rows ended one after the other, "
            f"{error.last_worker.address if error.last_worker else 'none is left'} last; "
            "they may have had too little memory"
        ) from error
    except (FutureCancelledError, OSError, TimeoutError) as error:
        raise MeteorError(f"the connection with the cluster was lost: {' '.join(str(error).split())}") from error


def _describe(work: Work) -> str:
    return f"{work.files[0]}, {work.size} rows from {work.first} on"
