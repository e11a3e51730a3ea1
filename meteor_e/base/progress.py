"""How long work reports how far it is: one signature for all of it, and one bar that shows it."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_DELAY = 0.5
"""Seconds before a bar appears: work that takes a moment needs none."""
_REFRESH = 0.1


class Progress(Protocol):
    """Called now and then with what is going on and how much of it is done.

    ``done`` counts up to ``total`` in any unit; a ``total`` of None means that the end is not known.
    A new ``stage`` begins a new count.
    """

    def __call__(self, stage: str, done: float, total: float | None) -> object: ...  # noqa: D102


def silent(stage: str, done: float, total: float | None) -> None:
    """Report nothing."""


def staged(progress: Progress, stage: str) -> Progress:
    """Return what reports under the name of a stage, whatever the work itself calls what it does."""
    return lambda _, done, total: progress(stage, done, total)


@contextlib.contextmanager
def terminal_progress(hidden: bool = False, delay: float = _DELAY) -> Iterator[Progress]:
    """Show a bar on stderr while the block runs, for the stage that goes on; nothing if stderr is no terminal.

    Args:
        hidden: show nothing in any case.
        delay: seconds before it appears.
    """
    if hidden or not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar(delay)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A bar that is drawn when there is something to show; libraries are imported then."""

    def __init__(self, delay: float) -> None:
        self._next = time.monotonic() + delay
        self._stage = ""
        self._drawn: RichProgress | None = None

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        now = time.monotonic()
        if now < self._next and (self._drawn is None or stage == self._stage):
            return
        self._next = now + _REFRESH
        if self._drawn is None:
            self._drawn = _rich_progress()
            self._drawn.start()
        if stage != self._stage:
            for task in self._drawn.task_ids:
                self._drawn.remove_task(task)
            self._drawn.add_task(stage, total=total)
            self._stage = stage
        self._drawn.update(self._drawn.task_ids[0], completed=done, total=total)

    def close(self) -> None:
        """Remove the bar."""
        if self._drawn is not None:
            self._drawn.stop()


def _rich_progress() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, Task, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Share(TaskProgressColumn):
        """The share that is done; where the end is not known, how much."""

        def render(self, task: Task) -> Text:
            if task.total is not None:
                return super().render(task)
            return Text(f"{task.completed:,.0f}" if task.completed else "", style="progress.percentage")

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Share(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
