"""Work that is shared out among processes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")


def worked_on(
    work: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Yield the result of each item, in their order.

    Args:
        work: a function of a module, called with what is shared and an item.
        shared: sent to each process once.
        items: each is sent to the process that works on it.
        jobs: how many processes; 1 works in this one.
    """
    if jobs <= 1:
        yield from (work(shared, item) for item in items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A process that is forked from one with threads can hang; these are started afresh.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (work, shared)) as pool:
        yield from pool.map(_work_there, items)


_task: Callable[[Any], Any] | None = None
"""What this process does with an item."""


def _begin(work: Callable[[Any, Any], Any], shared: Any) -> None:
    global _task
    _task = functools.partial(work, shared)


def _work_there(item: Any) -> Any:
    assert _task is not None
    return _task(item)
