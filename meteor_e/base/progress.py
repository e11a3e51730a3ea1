"""How long work reports how far it is: one signature for all of it, and one line that shows it."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Protocol

_DELAY = 0.5
"""Seconds before the line appears: work that takes a moment needs none."""
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
    """Show a line on stderr while the block runs, for the stage that goes on; nothing if stderr is no terminal.

    Args:
        hidden: show nothing in any case.
        delay: seconds before it appears.
    """
    if hidden or not sys.stderr.isatty():
        yield silent
        return
    following = time.monotonic() + delay
    drawn = False

    def show(stage: str, done: float, total: float | None) -> None:
        nonlocal following, drawn
        now = time.monotonic()
        if now < following:
            return
        following, drawn = now + _REFRESH, True
        share = f"{done / total:.0%}" if total else f"{done:,.0f}" if done else ""
        line = f"{stage} {share}"[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
