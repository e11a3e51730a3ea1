"""The log of a training."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from meteor_e.api import InputError


class TrainingLog:
    """A JSONL file, one object per line, and whoever else wants to be told.

    Args:
        path: the file; ``None`` for none. It is begun anew with the first event, so that a training that fails before
            leaves an older log as it was.
        keep: number of its lines that are kept.
        listener: told the same.

    Raises:
        InputError: if the file cannot be written, or what is to be kept is no log.
    """

    def __init__(
        self, path: Path | None, *, keep: int = 0, listener: Callable[[Mapping[str, Any]], object] | None = None
    ) -> None:
        self._path = path
        self._listener = listener
        self._begun = False
        self.lines: list[dict[str, Any]] = []
        if path is None:
            return
        try:
            self._new = not path.exists()
            # Whether it can be written is better known before hours of work.
            with path.open("a+", encoding="utf-8") as stream:
                stream.seek(0)
                kept = [line for line in stream if line.strip()][:keep] if keep else []
            self.lines = [json.loads(line) for line in kept]
        except (OSError, ValueError) as error:
            raise InputError(f"cannot use the log {path}: {getattr(error, 'strerror', None) or error}") from error

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Write a line."""
        self.lines.append(dict(event))
        if self._path is not None:
            lines = self.lines[-1:] if self._begun else self.lines
            with self._path.open("a" if self._begun else "w", encoding="utf-8") as stream:
                stream.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            self._begun = True
        if self._listener is not None:
            self._listener(event)

    def withdraw(self) -> None:
        """Remove the file if it was not there before and nothing was written."""
        if self._path is not None and self._new and not self._begun:
            self._path.unlink(missing_ok=True)
