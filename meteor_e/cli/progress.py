"""Progress bars: on standard error, and only if that is a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meteor_e.api.metrics import Progress

_DELAY = 0.5
_REFRESH = 0.1


@contextlib.contextmanager
def progress_bar(label: str, total: int | None, *, hidden: bool = False) -> Iterator[Callable[[int], None]]:
    """Show how many of ``total`` things are done; the bar appears if the work takes longer than a moment.

    Args:
        label: what is being worked on.
        total: how many there are, ``None`` if that is unknown.
        hidden: show nothing.

    Yields:
        A function to call with the number done so far.
    """
    if hidden or not sys.stderr.isatty():
        yield lambda done: None
        return
    started = shown = time.monotonic()
    stack = contextlib.ExitStack()
    update: Callable[[int], None] | None = None

    def advance(done: int) -> None:
        nonlocal shown, update
        now = time.monotonic()
        if now - started < _DELAY or now - shown < _REFRESH:
            return
        shown = now
        if update is None:
            update = _rich_bar(stack, label, total)
        update(done)

    with stack:
        yield advance
        if update is not None and total is not None:
            update(total)


class ProgressBars(contextlib.ExitStack):
    """One progress bar after another, each opened when there is something to show."""

    def __init__(self, hidden: bool = False) -> None:
        super().__init__()
        self._hidden = hidden

    def __call__(self, label: str) -> Progress:
        """Close the last bar and return a function that opens one named ``label`` and moves it.

        It is told how many things are done, and how many there are: 0 if that is unknown.
        """
        self.close()
        advance: Callable[[int], None] | None = None

        def tell(done: int, total: int) -> None:
            nonlocal advance
            if advance is None:
                advance = self.enter_context(progress_bar(label, total or None, hidden=self._hidden))
            advance(done)

        return tell


def _rich_bar(stack: contextlib.ExitStack, label: str, total: int | None) -> Callable[[int], None]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = stack.enter_context(
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
    )
    task = bar.add_task(escape(label), total=total)
    return lambda done: bar.update(task, completed=done)
