"""Where a command writes."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from meteor_e.base.files import atomic_writer


@contextlib.contextmanager
def destination(path: str | None) -> Iterator[TextIO]:
    """Open standard output, or a file that is written whole or not at all.

    Standard output is UTF-8 whatever the locale says, so that the same input gives the same bytes.
    """
    if path is not None and path != "-":
        with atomic_writer(path) as stream:
            yield stream
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    yield sys.stdout
    sys.stdout.flush()
