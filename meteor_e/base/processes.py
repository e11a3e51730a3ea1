"""Work that is shared out among processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Items a process that are handed out before their results are taken."""


def worked_on(
    work: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item], jobs: int
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each item with its result, as they come: in any order where there are several processes.

    Args:
        work: a function of a module, called with what is shared and an item.
        shared: sent to each process once.
        items: taken as they are needed, a few ahead; each is sent to the process that works on it.
        jobs: how many processes; 1 works in this one.
    """
    if jobs <= 1:
        for number, item in enumerate(items):
            yield number, work(shared, item)
        return
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

    # A process that is forked from one with threads can hang; these are started afresh.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (work, shared)) as pool:
        waiting: dict[Future[Any], int] = {}
        try:
            for number, item in enumerate(items):
                waiting[pool.submit(_work_there, item)] = number
                if len(waiting) >= _AHEAD * jobs:
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        yield waiting.pop(future), future.result()
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        finally:
            for future in waiting:
                future.cancel()


_begun: tuple[Callable[[Any, Any], Any], Any] | None = None


def _begin(work: Callable[[Any, Any], Any], shared: Any) -> None:
    global _begun
    _begun = work, shared


def _work_there(item: Any) -> Any:
    assert _begun is not None
    work, shared = _begun
    return work(shared, item)
