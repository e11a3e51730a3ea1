"""Training logs in the JSON Lines format, with one event per line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from meteor_e.api import InputError


class TrainingLog:
    """Writes the events of a training run to a JSON Lines file.

    An existing log is overwritten when the first event is written. If the training fails earlier, the old log is kept.

    Args:
        path: the path of the file, or None to write no file.
        keep: the number of lines of an existing file to keep, for a resumed training.
        listener: a function that is called with each event.

    Attributes:
        lines: all events of the log.

    Raises:
        InputError: if the file cannot be written, or if a line to keep is not valid JSON.
    """

    def __init__(
        self, path: Path | None, *, keep: int = 0, listener: Callable[[Mapping[str, Any]], object] | None = None
    ) -> None:
        self._path = path
        self._listener = listener
        self._has_written = False
        self._is_new_file = False
        self.lines: list[dict[str, Any]] = []
        if path is not None:
            with _log_errors(path):
                self._is_new_file = not path.exists()
                self.lines = _read_lines(path, keep)

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Write an event to the log file, and pass the event to the listener."""
        self.lines.append(dict(event))
        if self._path is not None:
            self._write(self._path)
        if self._listener is not None:
            self._listener(event)

    def _write(self, path: Path) -> None:
        """Append the latest event to the log file. The first call overwrites the file with all events so far."""
        events = self.lines[-1:] if self._has_written else self.lines
        with path.open("a" if self._has_written else "w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        self._has_written = True

    def withdraw(self) -> None:
        """Delete the log file if the constructor created the file and no event was written."""
        if self._path is not None and self._is_new_file and not self._has_written:
            self._path.unlink(missing_ok=True)


@contextlib.contextmanager
def _log_errors(path: Path) -> Iterator[None]:
    """Raise InputError if the log cannot be opened, or if a line is not valid JSON."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise InputError(f"cannot use the log {path}: {getattr(error, 'strerror', None) or error}") from error


def _read_lines(path: Path, count: int) -> list[dict[str, Any]]:
    """Return the first ``count`` events of a log, and create the file if it does not exist.

    The file is opened for writing, so that missing permissions are detected before hours of training.

    Args:
        path: the path of the log.
        count: the number of events to return.
    """
    with path.open("a+", encoding="utf-8") as stream:
        stream.seek(0)
        lines = [line for line in stream if line.strip()] if count else []
    return [json.loads(line) for line in lines[:count]]
