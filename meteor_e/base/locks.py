"""File locks that prevent several processes from changing the same folder at the same time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import os_errors_as
from meteor_e.base.progress import Progress, silent


@contextlib.contextmanager
def lock_folder(folder: Path, name: str, progress: Progress = silent) -> Iterator[None]:
    """Acquire a lock in a folder, and release it after the ``with`` block. Create the folder if it does not exist.

    Args:
        folder: the folder.
        name: the name of the lock.
        progress: a callback that is called once if another process holds the lock.

    Raises:
        ResourceError: if the folder or the lock file cannot be written.
    """
    import filelock

    file = folder / f".{name}.lock"
    lock = filelock.FileLock(file)
    with os_errors_as(ResourceError, f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        file.touch()  # If the file cannot be created, for example on a full disk, filelock would wait forever.
        try:
            lock.acquire(timeout=0.2)
        except filelock.Timeout:
            progress(f"waiting for another process that works on {name}", 0, None)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()
