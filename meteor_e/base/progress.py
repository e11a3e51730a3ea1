"""Report the progress of long computations to a callback, which can show a progress bar on a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tqdm import tqdm

_DELAY = 0.5
"""Seconds before a bar appears, so that short work does not flicker."""


class Progress(Protocol):
    """A callback that receives the current stage of a computation and the amount of completed work.

    ``done`` is the amount of completed work, and ``total`` is the amount of all work in the current stage. If the
    amount of all work is unknown, ``total`` is ``None``. Each new ``stage`` restarts the count. Any unit is allowed,
    such as segments or bytes. To specify the unit, pass a :class:`Stage` as the stage.
    """

    def __call__(self, stage: str, done: float, total: float | None) -> object: ...  # noqa: D102


class Stage(str):
    """The name of a stage of a computation. The attribute ``unit`` is the unit of the stage's progress."""

    __slots__ = ("unit",)
    unit: str

    def __new__(cls, name: str, unit: str) -> Stage:
        """Create a stage. The unit is a plural noun, such as ``"segments"``, or ``"B"`` for bytes."""
        stage = super().__new__(cls, name)
        stage.unit = unit
        return stage


def silent(stage: str, done: float, total: float | None) -> None:
    """Ignore the progress. This is the default callback."""


def rename_stages(progress: Progress, name: str) -> Progress:
    """Return a callback that reports the progress of all stages under a single name."""

    def report(stage: str, done: float, total: float | None) -> None:
        progress(Stage(name, stage.unit) if isinstance(stage, Stage) else name, done, total)

    return report


@contextlib.contextmanager
def terminal_progress(hidden: bool = False, delay: float = _DELAY) -> Iterator[Progress]:
    """Show a progress bar for the current stage on stderr while the ``with`` block runs.

    Nothing is shown, and tqdm is not imported, if stderr is not a terminal.

    Args:
        hidden: whether to show nothing even on a terminal.
        delay: seconds from the start of the block until the first bar appears.
    """
    if hidden or not sys.stderr.isatty():
        yield silent
        return
    bars = _StageBars(time.monotonic() + delay)
    try:
        yield bars.show
    finally:
        bars.close()


class _StageBars:
    """Shows a tqdm progress bar for the current stage of a computation.

    Args:
        start: the time, on the monotonic clock, before which no bar appears.
    """

    def __init__(self, start: float) -> None:
        self._start = start
        self._stage: str | None = None
        self._bar: tqdm | None = None

    def show(self, stage: str, done: float, total: float | None) -> None:
        """Update the progress bar. A new stage replaces the progress bar of the previous stage."""
        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._create_bar(stage, total)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the current progress bar from the terminal."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _create_bar(self, stage: str, total: float | None) -> tqdm:
        """Return the progress bar of a new stage."""
        from tqdm import tqdm

        unit = stage.unit if isinstance(stage, Stage) else ""
        if unit not in ("", "B"):
            unit = f" {unit}"  # tqdm writes the unit directly after the number, as in "12 segments" or "12kB".
        return tqdm(
            desc=stage,
            total=total,
            unit=unit,
            unit_scale=True,
            leave=False,
            dynamic_ncols=True,
            delay=max(0, self._start - time.monotonic()),
            file=sys.stderr,
        )
