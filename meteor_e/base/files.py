"""Files and folders: input opened with care, compressed or not; output and folders whole or not at all.

Work is done beside the target, under a hidden name, and renamed at the end. What a killed process leaves behind is
found by its name, its process and its age (:func:`sweep`).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from meteor_e.base.errors import InputError, MeteorError, ResourceError
from meteor_e.base.progress import Progress, silent

PathLike = str | os.PathLike[str]

MAX_LINE = 64 << 20
"""Bytes of the longest line of text that is read; a file that never ends has longer ones."""

_PACKED = (
    ("gzip", "gzip", rb"\x1f\x8b"),
    # The three letters alone could be text; the number behind them begins every block, or ends a file without one.
    ("bzip2", "bz2", rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"),
    ("xz", "lzma", rb"\xfd7zXZ\0"),
    ("Zstandard", "", rb"\x28\xb5\x2f\xfd"),
)
"""Kinds of compression, the modules that unpack them, and what the files begin with."""

_KERNEL = ("/proc/", "/sys/")
"""Where the kernel shows itself as files. Reading them can take for ever."""

_SPECIAL = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def input_name(path: PathLike) -> str:
    """Return what to call a file in messages: its path, or ``standard input`` for ``-``."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


@contextlib.contextmanager
def os_errors_as(kind: type[MeteorError], what: str) -> Iterator[None]:
    """Turn what goes wrong with a file in the block into an error of ours.

    That is OSError, damage to what is compressed, and what a file system or a compression cannot do.

    To be put around reading or writing and nothing else: a broken pipe of the output is an OSError, too.

    Args:
        kind: the error that is raised.
        what: how its message begins, such as ``cannot write notes.txt``; what went wrong follows.
    """
    try:
        yield
    except Exception as error:
        # LZMAError by its name: lzma need not be imported to know that an error is none of its.
        if (
            not isinstance(error, OSError | EOFError | zlib.error | NotImplementedError)
            and type(error).__name__ != "LZMAError"
        ):
            raise
        raise kind(f"{what}: {getattr(error, 'strerror', None) or error}") from error


def _special(path: PathLike) -> str | None:
    """Return what a path is if it is no regular file (or a folder); raise OSError, too, if the path cannot be one."""
    try:
        mode = Path(path).stat().st_mode
    except ValueError as error:  # a null character, half a surrogate pair
        raise OSError(errno.EINVAL, f"its name cannot be one ({error})", ascii(os.fspath(path))) from error
    if stat.S_ISREG(mode) and os.path.realpath(path).startswith(_KERNEL):
        return "one of the kernel's"
    return _SPECIAL.get(stat.S_IFMT(mode))


def open_regular(path: PathLike) -> BinaryIO:
    """Open a regular file to read its bytes as they are.

    For files that another file names, and for those that are mapped or read whole: a pipe may never have anything to
    say, and a device may never end.

    Raises:
        OSError: if it cannot be opened; for a pipe, a socket, a device or a folder, too, with that as its ``strerror``.
    """
    kind = _special(path)
    if kind is not None:
        raise OSError(errno.EINVAL, f"not a regular file but {kind}", os.fspath(path))
    return Path(path).open("rb")


def refuse_special(path: PathLike) -> None:
    """Refuse a path that a settings file names if it is a pipe, a socket or a device; what is not there passes.

    Raises:
        InputError: if it is one, or cannot be a path at all.
    """
    try:
        open_regular(path).close()
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise InputError(f"cannot read {ascii(os.fspath(path))[1:-1]}: {error.strerror}") from error


def read_regular(path: PathLike, limit: int) -> bytes:
    """Return the content of a regular file.

    Args:
        path: the file.
        limit: its bytes, at most.

    Raises:
        OSError: as :func:`open_regular` does, and for a larger file.
    """
    with open_regular(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {spell_size(limit)}, so it cannot be the right file", str(path))
    return content


def decode_utf8(content: bytes, name: str, before: int = 0, kind: type[MeteorError] = ResourceError) -> str:
    """Return the text that is in some bytes, without a byte order mark.

    Args:
        content: the bytes.
        name: where they come from.
        before: lines before them.
        kind: the error that is raised, with the line, if they are not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = before + content.count(b"\n", 0, error.start) + 1
        raise kind(f"{name}, line {line}: not valid UTF-8") from None


def spell_size(size: int) -> str:
    """Return a round number of bytes as people write it."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size >> power} {unit}"
    return f"{size} bytes"


@contextlib.contextmanager
def open_binary(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file to read its bytes; ``-`` is standard input.

    They are unpacked if they are gzip, bzip2 or xz, which the first of them tell. What can go wrong later, in
    reading, is for :func:`os_errors_as` to report.

    Raises:
        InputError: if it cannot be opened, or is compressed by something else.
    """
    with contextlib.ExitStack() as stack:
        with os_errors_as(InputError, f"cannot read {input_name(path)}"):
            if os.fspath(path) == "-":
                binary = cast(io.RawIOBase, sys.stdin.buffer)
                # Tests and embedding programs put plain BytesIO objects there.
                stream = cast(io.BufferedReader, binary) if hasattr(binary, "peek") else io.BufferedReader(binary)
            else:
                kind = _special(path)
                stream = stack.enter_context(Path(path).open("rb"))
                endless = kind == "a device" and not stream.isatty() and os.fspath(path) != os.devnull
                if endless or kind == "one of the kernel's":
                    raise InputError(f"cannot read {os.fspath(path)}: not a file but {kind}")
            text = unpacked(stream, input_name(path))
            if text is not stream:  # standard input itself stays open
                stack.enter_context(text)
        yield text


def unpacked(stream: io.BufferedReader[Any], name: str) -> io.BufferedReader[Any]:
    """Return a stream unpacked if it is gzip, bzip2 or xz, which its first bytes tell; else as it is.

    Raises:
        InputError: if it is compressed by something else.
    """
    head = stream.peek(10)
    for kind, module, magic in _PACKED:
        if re.match(magic, head):
            if not module:
                what = "unpack it first (gzip, bzip2 and xz are read as they are)"
                raise InputError(f"cannot read {name}: it is {kind}; {what}")
            return io.BufferedReader(import_module(module).open(stream))
    return stream


_MACHINE = f"{zlib.crc32(os.uname().nodename.encode() if hasattr(os, 'uname') else b''):08x}"
"""What hidden names call this machine."""
_SCRATCH = re.compile(r"\..*\.([0-9a-f]{8})-([0-9]+)-[0-9a-f]{12}\.tmp", re.DOTALL)
LEFT_AFTER = 3 * 24 * 3600
"""Seconds after which what is being written counts as left behind by a process that was killed."""
_swept: set[Path] = set()


def scratch_beside(target: Path) -> Path:
    """Return a new hidden name beside a target, for a file or folder that is being written.

    What has such a name in the folder and is left behind is removed, the first time that this process works there.
    """
    if target.parent not in _swept:
        _swept.add(target.parent)
        sweep(target.parent)
    return target.with_name(f".{target.name[:40]}.{_MACHINE}-{os.getpid()}-{os.urandom(6).hex()}.tmp")


def _is_left(machine: str, process: str) -> bool:
    """Return whether a process of this machine has ended."""
    if os.name != "posix" or machine != _MACHINE:
        return False
    try:
        os.kill(int(process), 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, ProcessLookupError)
    return False


def sweep(folder: Path, target: str = "") -> None:
    """Remove what processes that were killed left in a folder.

    That is what a process of this machine wrote that has ended, what is old, and all that was to be a target.
    """
    old = time.time() - LEFT_AFTER
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            ours = _SCRATCH.fullmatch(path.name)
            mine = target and path.name.startswith(f".{target[:40]}.")
            if ours and (mine or _is_left(*ours.groups()) or path.lstat().st_mtime < old):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder as far as that is possible."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Let a file appear whole or not at all: give a name beside it to write to, which then takes its place.

    If the block raises, nothing is left, and what was there stays. OSError comes as it is.
    """
    scratch = scratch_beside(target)  # not mkstemp, which hides the file from other users
    try:
        yield scratch
        if target.exists():
            scratch.chmod(target.stat().st_mode)
        scratch.replace(target)
    finally:
        remove(scratch)


@contextlib.contextmanager
def whole_output(path: PathLike) -> Iterator[Path]:
    """Let what a user asks for appear whole or not at all: give a name to write to, as :func:`whole_file` does.

    Links are followed. A target that is no regular file (a pipe, ``/dev/stdout``) is written to directly.

    Raises:
        InputError: if it cannot be written.
    """
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:
        raise InputError(f"cannot write {os.fspath(path)!r}: {error}") from error
    places = [str(target)]
    direct = target.exists() and not target.is_file()
    try:
        with contextlib.nullcontext(target) if direct else whole_file(target) as scratch:
            places.append(str(scratch))
            yield scratch
    except OSError as error:
        # Others may be another file's; a full disk is no different for any of them.
        if error.filename in places or error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise InputError(f"cannot write {os.fspath(path)}: {error.strerror}") from error
        raise


@contextlib.contextmanager
def atomic_writer(path: PathLike) -> Iterator[TextIO]:
    r"""Write a text file whole or not at all: UTF-8, ``\n`` at line ends; errors as for :func:`whole_output`."""
    with whole_output(path) as scratch, scratch.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        yield stream


@contextlib.contextmanager
def locked(folder: Path, name: str, progress: Progress = silent) -> Iterator[None]:
    """Hold the lock ``name`` of a folder, which is made if need be; wait for another process that has it."""
    import filelock

    file = folder / f".{name}.lock"
    lock = filelock.FileLock(file)
    with os_errors_as(ResourceError, f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        file.touch()  # filelock tries for ever where a file cannot be made, as on a full disk
        try:
            lock.acquire(timeout=0.2)
        except filelock.Timeout:
            progress(f"waiting for another process that works on {name}", 0, None)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


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
        remove(scratch)


@contextlib.contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Give a folder beside the target to work in, gone afterwards; the caller holds the target's lock."""
    _settle(target)
    sweep(target.parent, target.name)
    try:
        with scratch_folder(target.parent, target.name) as work:
            yield work
    finally:
        _settle(target)


def put_folder(finished: Path, target: Path) -> None:
    """Let a finished folder take the target's place, in the target's :func:`workplace`.

    Between the two renames there is no target. A process killed there loses nothing: the next :func:`workplace`
    puts the old folder back.
    """
    with os_errors_as(ResourceError, f"cannot write {target}"):
        if target.exists():
            target.rename(_old(target))
        finished.rename(target)


def _old(target: Path) -> Path:
    """Return where the folder is that the target replaces."""
    return target.with_name(f".old-{target.name}")


def _settle(target: Path) -> None:
    """Remove the old folder; put it back where no new one took its place."""
    with contextlib.suppress(OSError):
        if target.exists():
            remove(_old(target))
        else:
            _old(target).rename(target)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal; OSError as it comes."""
    import hashlib

    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def named_digest(path: PathLike) -> str:
    """Return the name of a file, with the beginning of its SHA-256 where it is there: for signatures."""
    file = Path(path)
    return f"{file.name}@{sha256_of(file)[:12]}" if file.is_file() else file.name


def cache_folder(name: str = "") -> Path:
    """Return a folder of what can be made again: ``name`` in ``METEOR_E_CACHE``, else in the user's cache folder."""
    named = os.environ.get("METEOR_E_CACHE")
    return (Path(named).absolute() if named else _users_folder("cache")) / name


def data_folder(name: str) -> Path:
    """Return a folder of what the user installs.

    The environment variable ``METEOR_E_NAME`` names it; else it is ``name`` in the user's data folder for meteor_e.
    """
    named = os.environ.get(f"METEOR_E_{name.upper()}")
    return Path(named).absolute() if named else _users_folder("data") / name


def _users_folder(kind: str) -> Path:
    import platformdirs  # takes time to import

    folder = {"cache": platformdirs.user_cache_dir, "data": platformdirs.user_data_dir}[kind]
    return Path(folder("meteor_e", appauthor=False))
