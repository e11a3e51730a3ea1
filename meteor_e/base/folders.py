"""Whole or not at all: folders and files that appear under their name when they are finished.

Work is done beside the target, under a lock that dies with its process, and renamed at the end. What a killed
process leaves behind is swept up by the next one that takes the lock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import open_regular, os_errors_as, remove_tree, scratch_beside, sweep
from meteor_e.base.progress import Progress, silent

_PIECE = 1 << 20


@contextlib.contextmanager
def locked(folder: Path, name: str, progress: Progress = silent) -> Iterator[None]:
    """Hold the lock ``name`` of a folder, which is made if need be; wait for another process that has it."""
    import filelock

    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f".{name}.lock"
        if not file.exists():
            file.touch()  # filelock tries for ever where a file cannot be made, as on a full disk
        lock = filelock.FileLock(file)
        try:
            lock.acquire(timeout=0.2)
        except filelock.Timeout:
            progress(f"waiting for another process that works on {name}", 0, None)
            lock.acquire()
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot write to {folder}: {reason}") from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Give a folder beside the target to work in, gone afterwards; the caller holds the target's lock."""
    old = _old(target)
    with contextlib.suppress(OSError):
        if old.exists() and not target.exists():
            old.rename(target)
    remove_tree(old)
    sweep(target.parent)
    with scratch_folder(target.parent, target.name) as work:
        yield work


@contextlib.contextmanager
def scratch_folder(folder: Path, name: str) -> Iterator[Path]:
    """Give a folder to work in, within a folder that is made if need be; it is gone afterwards.

    Raises:
        ResourceError: if it cannot be made.
    """
    scratch = scratch_beside(folder / name)
    try:
        with os_errors_as(ResourceError, f"cannot write to {folder}"):
            scratch.mkdir(mode=0o700, parents=True)
        yield scratch
    finally:
        try:
            remove_tree(scratch)
        except KeyboardInterrupt:  # once more, for the sake of who does not wait
            remove_tree(scratch)
            raise


def folder_names(folder: Path) -> list[str]:
    """Return the names of the folders in a folder, sorted, hidden ones left out; none where it is not there.

    Raises:
        ResourceError: if it cannot be read.
    """
    try:
        with os_errors_as(ResourceError, f"cannot read {folder}"):
            return sorted(path.name for path in folder.iterdir() if path.name[0] != "." and path.is_dir())
    except ResourceError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return []
        raise


def put_folder(finished: Path, target: Path) -> None:
    """Let a finished folder take the target's place; the caller holds the target's lock.

    Between the two renames there is no target. A process killed there loses nothing: the next one that takes
    the lock puts the old folder back.
    """
    old = _old(target)
    with os_errors_as(ResourceError, f"cannot write {target}"):
        for file in finished.iterdir():
            _sync(file)
        _sync(finished)
        if target.exists():
            target.rename(old)
        try:
            finished.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        _sync(target.parent)
    remove_tree(old)


def remove_folder(target: Path) -> None:
    """Remove a folder, whole, as seen from outside; the caller holds the target's lock."""
    with os_errors_as(ResourceError, f"cannot remove {target}"), workplace(target) as work:
        target.rename(work / "removed")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal; OSError as it comes."""
    import hashlib

    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _old(target: Path) -> Path:
    return target.with_name(f".old-{target.name}")


def _sync(path: Path) -> None:
    """Bring a file or folder to the disk before its name is relied on; not every system can do folders."""
    with contextlib.suppress(PermissionError, IsADirectoryError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def cache_folder(name: str = "") -> Path:
    """Return a folder of what can be made again: ``name`` in ``METEOR_E_CACHE``, else in the user's cache folder."""
    named = os.environ.get("METEOR_E_CACHE")
    if named:
        return Path(named).absolute() / name
    import platformdirs

    return Path(platformdirs.user_cache_dir("meteor_e", appauthor=False)) / name


def data_folder(name: str) -> Path:
    """Return a folder of what the user installs.

    The environment variable ``METEOR_E_NAME`` names it; else it is ``name`` in the user's data folder for meteor_e.
    """
    named = os.environ.get(f"METEOR_E_{name.upper()}")
    if named:
        return Path(named).absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("meteor_e", appauthor=False)) / name
