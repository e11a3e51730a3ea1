"""How long work reports how far it is."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Protocol


class Progress(Protocol):
    """Called now and then with what is going on and how much of it is done.

    ``done`` counts up to ``total`` in any unit; a ``total`` of None means that the end is not known.
    A new ``stage`` begins a new count.
    """

    def __call__(self, stage: str, done: float, total: float | None) -> None: ...  # noqa: D102


def silent(stage: str, done: float, total: float | None) -> None:
    """Report nothing."""


@contextlib.contextmanager
def terminal_progress() -> Iterator[Progress]:
    """Show a bar a stage on stderr while the block runs, if stderr is a terminal; otherwise show nothing."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Task,
        TaskID,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import (
        Progress as Bars,
    )
    from rich.text import Text

    class Share(TaskProgressColumn):
        """The share that is done; where the end is not known, how much."""

        def render(self, task: Task) -> Text:
            if task.total is not None:
                return super().render(task)
            return Text(f"{task.completed:,.0f}" if task.completed else "", style="progress.percentage")

    columns = (TextColumn("{task.description}"), BarColumn(), Share(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: float, total: float | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show
