"""Write files atomically, so that a file appears with its complete content or not at all.

The content is written to a hidden temporary file in the same folder. At the end, the temporary file is renamed. Its
name identifies the machine and the process, so that :func:`remove_stale_files` can remove temporary files of killed
processes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike

_MACHINE = f"{zlib.crc32(os.uname().nodename.encode() if hasattr(os, 'uname') else b''):08x}"
"""The identifier of this machine in the names of temporary files."""
_TARGET_LENGTH = 40
"""The name of a temporary file contains at most this number of characters of the target's name."""
_TEMPORARY_NAME = re.compile(r"\.(.*)\.([0-9a-f]{8})-([0-9]+)-[0-9a-f]{12}\.tmp", re.DOTALL)
MAX_AGE = 3 * 24 * 3600
"""The age in seconds after which any temporary file is removed."""
_swept_folders: set[Path] = set()


def temporary_path(target: Path) -> Path:
    """Return a new hidden path for a temporary file or folder next to a target.

    The first call for a folder removes temporary files that killed processes left in the folder.
    """
    if target.parent not in _swept_folders:
        _swept_folders.add(target.parent)
        remove_stale_files(target.parent)
    return target.with_name(f".{target.name[:_TARGET_LENGTH]}.{_MACHINE}-{os.getpid()}-{os.urandom(6).hex()}.tmp")


def _has_ended(machine: str, process_id: str) -> bool:
    """Return whether a process is known to have ended. For processes on other machines, return ``False``."""
    if os.name != "posix" or machine != _MACHINE:
        return False
    try:
        os.kill(int(process_id), 0)  # The signal 0 only tests whether the process exists.
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def remove_stale_files(folder: Path, target: str = "") -> None:
    """Remove temporary files that killed processes left in a folder.

    A temporary file is removed if its process has ended on this machine, or if it is older than :data:`MAX_AGE`.

    Args:
        folder: the folder.
        target: the name of a target whose lock the caller holds. All its temporary files are removed.
    """
    oldest_time = time.time() - MAX_AGE
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            name_match = _TEMPORARY_NAME.fullmatch(path.name)
            if name_match is None:
                continue
            shortened_target, machine, process_id = name_match.groups()
            belongs_to_target = shortened_target == target[:_TARGET_LENGTH]
            is_too_old = path.lstat().st_mtime < oldest_time
            if belongs_to_target or is_too_old or _has_ended(machine, process_id):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder and ignore errors."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_file(target: Path) -> Iterator[Path]:
    """Yield a temporary path to which the caller writes. After the ``with`` block, the file is renamed to the target.

    If the block raises an exception, the temporary file is removed, and an existing target is left unchanged.

    Raises:
        OSError: if the file cannot be written.
    """
    temporary_file = temporary_path(target)  # mkstemp would create a file that other users cannot read.
    try:
        yield temporary_file
        if target.exists():
            temporary_file.chmod(target.stat().st_mode)
        temporary_file.replace(target)
    finally:
        remove(temporary_file)


@contextlib.contextmanager
def atomic_output(path: PathLike) -> Iterator[Path]:
    """Yield a temporary path for an output file, in the same way as :func:`atomic_file`.

    Symbolic links are followed. A target that is not a regular file, such as a pipe or ``/dev/stdout``, is written
    directly.

    Raises:
        InputError: if the file cannot be written.
    """
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:
        raise InputError(f"cannot write {os.fspath(path)!r}: {error}") from error
    is_special_file = target.exists() and not target.is_file()
    with _output_errors(path, target):
        if is_special_file:
            yield target
        else:
            with atomic_file(target) as temporary_file:
                yield temporary_file


@contextlib.contextmanager
def _output_errors(path: PathLike, target: Path) -> Iterator[None]:
    """Convert an OSError in the ``with`` block to InputError if it concerns an output file.

    Args:
        path: the path of the output file, for the error message.
        target: the same path without symbolic links.
    """
    try:
        yield
    except OSError as error:
        if not _concerns_output(error, target):
            raise
        raise InputError(f"cannot write {os.fspath(path)}: {error.strerror}") from error


def _concerns_output(error: OSError, target: Path) -> bool:
    """Return whether an error was caused by a full disk, by the output file, or by its temporary file."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return True
    file = Path(str(error.filename))
    is_temporary_file = file.parent == target.parent and _TEMPORARY_NAME.fullmatch(file.name) is not None
    return file == target or is_temporary_file


@contextlib.contextmanager
def atomic_writer(path: PathLike) -> Iterator[TextIO]:
    r"""Open a text file to write it atomically, in UTF-8 and with ``\n`` as the line end.

    Raises:
        InputError: if the file cannot be written.
    """
    with (
        atomic_output(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as stream,
    ):
        yield stream
