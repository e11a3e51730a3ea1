"""Create temporary folders, replace folders as a whole, and find the user's folders for caches and data."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from meteor_e.base.atomic import remove, sweep, temporary_path
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import os_errors_as


@contextlib.contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """Create a temporary folder in a parent folder, and remove it after the ``with`` block.

    Args:
        parent: the parent folder, which is created if it does not exist.
        name: a name that the hidden name of the temporary folder contains.

    Raises:
        ResourceError: if the folder cannot be created.
    """
    folder = temporary_path(parent / name)
    try:
        with os_errors_as(ResourceError, f"cannot write to {parent}"):
            folder.mkdir(mode=0o700, parents=True)
        yield folder
    finally:
        remove(folder)


@contextlib.contextmanager
def working_folder(target: Path) -> Iterator[Path]:
    """Create a temporary folder next to a target folder, in which the new content of the target is prepared.

    The caller must hold the lock of the target. If a process was killed while it replaced the target, the old target
    is restored.
    """
    _finish_replacement(target)
    sweep(target.parent, target.name)
    try:
        with temporary_folder(target.parent, target.name) as folder:
            yield folder
    finally:
        _finish_replacement(target)


def replace_folder(finished: Path, target: Path) -> None:
    """Move a finished folder to a target path. Call this function in the :func:`working_folder` of the target.

    The old folder is renamed first. If the process is killed between the two renames, the next :func:`working_folder`
    of the target restores the old folder.

    Raises:
        ResourceError: if a folder cannot be renamed.
    """
    with os_errors_as(ResourceError, f"cannot write {target}"):
        if target.exists():
            target.rename(_backup_path(target))
        finished.rename(target)


def _backup_path(target: Path) -> Path:
    """Return the path to which an old folder is moved while it is being replaced."""
    return target.with_name(f".old-{target.name}")


def _finish_replacement(target: Path) -> None:
    """Remove the backup of a folder if the target exists. Otherwise, restore the folder from the backup."""
    with contextlib.suppress(OSError):
        if target.exists():
            remove(_backup_path(target))
        else:
            _backup_path(target).rename(target)


def cache_folder(name: str = "") -> Path:
    """Return a folder for files that can be computed again.

    The folder is in ``METEOR_E_CACHE`` if this environment variable is set, and otherwise in the user's cache folder.
    """
    configured_folder = os.environ.get("METEOR_E_CACHE")
    if configured_folder:
        return Path(configured_folder).absolute() / name
    import platformdirs  # This import is slow.

    return Path(platformdirs.user_cache_dir("meteor_e", appauthor=False), name)


def data_folder(name: str) -> Path:
    """Return a folder for data that the user installs, such as ``packs``.

    If the environment variable for this folder, such as ``METEOR_E_PACKS``, is set, its value is the path. Otherwise,
    the folder is in the user's data folder.
    """
    configured_folder = os.environ.get(f"METEOR_E_{name.upper()}")
    if configured_folder:
        return Path(configured_folder).absolute()
    import platformdirs  # This import is slow.

    return Path(platformdirs.user_data_dir("meteor_e", appauthor=False), name)
