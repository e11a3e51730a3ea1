"""Create temporary folders, replace existing folders, and find the user's cache and data folders."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from meteor_e.base.atomic import remove, remove_stale_files, temporary_path
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
    """Create a temporary folder that can later replace a target folder. Both folders have the same parent folder.

    The caller must hold the lock of the target. If an earlier process was killed while replacing the target, the old
    target is restored first.
    """
    _finish_replacement(target)
    remove_stale_files(target.parent, target.name)
    try:
        with temporary_folder(target.parent, target.name) as folder:
            yield folder
    finally:
        _finish_replacement(target)


def replace_folder(finished: Path, target: Path) -> None:
    """Move a finished folder to a target path. Call this function inside ``with working_folder(target)``.

    The old folder at the target path is first renamed to a backup. If the process is killed before the finished folder
    is moved, the next :func:`working_folder` of the target restores the backup.

    Raises:
        ResourceError: if a folder cannot be renamed.
    """
    with os_errors_as(ResourceError, f"cannot write {target}"):
        if target.exists():
            target.rename(_backup_path(target))
        finished.rename(target)


def _backup_path(target: Path) -> Path:
    """Return the path of the backup of a folder that is being replaced."""
    return target.with_name(f".old-{target.name}")


def _finish_replacement(target: Path) -> None:
    """Remove the backup of a folder if the folder exists. Otherwise, restore the folder from the backup."""
    with contextlib.suppress(OSError):
        if target.exists():
            remove(_backup_path(target))
        else:
            _backup_path(target).rename(target)


def cache_folder(name: str = "") -> Path:
    """Return the path of a folder for cached files. Cached files can be deleted, because they can be recreated.

    By default, the folder is inside the user's cache folder. If the environment variable ``METEOR_E_CACHE`` is set, the
    folder is inside the folder that the variable specifies.
    """
    configured_folder = os.environ.get("METEOR_E_CACHE")
    if configured_folder:
        return Path(configured_folder).absolute() / name
    import platformdirs  # This import is slow.

    return Path(platformdirs.user_cache_dir("meteor_e", appauthor=False), name)


def data_folder(name: str) -> Path:
    """Return the path of a folder for data that the user installs, such as ``packs``.

    By default, the folder is in the user's data folder. An environment variable, such as ``METEOR_E_PACKS``, can set
    another path.
    """
    configured_folder = os.environ.get(f"METEOR_E_{name.upper()}")
    if configured_folder:
        return Path(configured_folder).absolute()
    import platformdirs  # This import is slow.

    return Path(platformdirs.user_data_dir("meteor_e", appauthor=False), name)
