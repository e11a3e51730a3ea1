"""Opening input and writing output: compressed files and ``-`` in, whole files out."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import os
import platform
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

from meteor_e.base.errors import InputError, MeteorError, ResourceError

PathLike = str | os.PathLike[str]

Stream = TypeVar("Stream", TextIO, BinaryIO)

_MAGIC = {
    "gzip": (b"\x1f\x8b",),
    # The three letters alone could be text; the number behind them begins every block, or ends a file without one.
    "bzip2": tuple(
        b"BZh%d%b" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
    ),
    "xz": (b"\xfd7zXZ\0",),
    "Zstandard": (b"\x28\xb5\x2f\xfd",),
}
_LONGEST_MAGIC = 10
_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}


def input_name(path: PathLike) -> str:
    """Return what to call a file in messages: its path, or ``standard input`` for ``-``."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


def compression(head: bytes) -> str | None:
    """Return what a file's first ten bytes say it is compressed by, ``None`` if it is not.

    That is ``gzip``, ``bzip2``, ``xz``, or ``Zstandard``, which :func:`open_binary` refuses.
    """
    return next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into an :class:`InputError` that names it.

    To be put around reading and nothing else: a broken pipe of the output is an ``OSError`` too.
    """
    try:
        yield
    except OSError as error:
        # A damaged gzip header is an OSError without a number.
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error
    except EOFError as error:
        raise InputError(f"cannot read {name}: its compressed data breaks off") from error
    except Exception as error:
        # By name: their modules need not be imported to know that it is none of theirs. (bzip2 raises OSError.)
        if (type(error).__module__, type(error).__name__) in (("zlib", "error"), ("_lzma", "LZMAError")):
            raise InputError(f"cannot read {name}: damaged compressed data ({error})") from error
        raise


@contextlib.contextmanager
def os_errors_as(kind: type[MeteorError], what: str) -> Iterator[None]:
    """Turn an OSError of the block into an error of ours.

    Args:
        kind: the error that is raised.
        what: how its message begins, such as ``cannot write notes.txt``; what went wrong follows.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}") from error


MAX_LINE = 64 << 20
"""Bytes of the longest line of text that is read; a file that never ends has longer ones."""

_SPECIAL = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_regular(path: PathLike) -> BinaryIO:
    """Open a regular file to read its bytes as they are.

    For files that another file names, and for those that are mapped or read whole: a pipe may never have anything to
    say, and a device may never end.

    Raises:
        OSError: if it cannot be opened; for a pipe, a socket, a device or a folder, too, with that as its ``strerror``.
    """
    try:
        # Looked at before and after: opening a device can do something by itself.
        _check_kind(Path(path).stat().st_mode, path)
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # a null character, half a surrogate pair
        raise OSError(errno.EINVAL, f"its name cannot be one ({error})", ascii(os.fspath(path))) from error
    try:
        _check_kind(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


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


def refuse_special(path: PathLike) -> None:
    """Refuse a path that a settings file names if it is a pipe, a socket or a device; what is not there passes.

    Raises:
        InputError: if it is one, or cannot be a path at all.
    """
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return
    except ValueError as error:
        raise InputError(f"cannot read {os.fspath(path)!a}: its name cannot be one ({error})") from error
    kind = _special(mode, path)
    if kind is not None:
        raise InputError(f"cannot read {os.fspath(path)}: not a regular file but {kind}")


def _special(mode: int, path: PathLike) -> str | None:
    """Return what is at a path that is neither a file nor a folder; the kernel's own files may wait for ever, too."""
    kernel = stat.S_ISREG(mode) and os.path.realpath(path).startswith(("/proc/", "/sys/"))
    return "one of the kernel's" if kernel else _SPECIAL.get(stat.S_IFMT(mode))


def spell_size(size: int) -> str:
    """Return a round number of bytes as people write it."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size >> power} {unit}"
    return f"{size} bytes"


def _check_kind(mode: int, path: PathLike) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    kind = _special(mode, path)
    if kind or not stat.S_ISREG(mode):
        kind = kind or "something else"
        raise OSError(errno.EINVAL, f"not a regular file but {kind}", os.fspath(path))


@contextlib.contextmanager
def open_binary(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file to read its bytes; ``-`` is standard input.

    They are unpacked if they are gzip, bzip2 or xz, which the first of them tell. What can go wrong later, in
    reading, is for :func:`reading` to report.

    Raises:
        InputError: if it cannot be opened, or is compressed by something else.
    """
    with contextlib.ExitStack() as stack:
        with reading(input_name(path)):
            if os.fspath(path) == "-":
                binary = cast(io.RawIOBase, sys.stdin.buffer)
                # Tests and embedding programs put plain BytesIO objects there.
                stream = cast(io.BufferedReader, binary) if hasattr(binary, "peek") else io.BufferedReader(binary)
            else:
                try:
                    stream = stack.enter_context(Path(path).open("rb"))
                except ValueError as error:
                    raise InputError(f"cannot read {os.fspath(path)!r}: {error}") from error
                mode = os.fstat(stream.fileno()).st_mode
                kind = None if stat.S_ISFIFO(mode) or stream.isatty() else _special(mode, path)
                if kind is not None and os.fspath(path) != os.devnull:
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
    packed = compression(stream.peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC])
    if packed is None:
        return stream
    if packed not in _MODULES:
        what = "unpack it first (gzip, bzip2 and xz are read as they are)"
        raise InputError(f"cannot read {name}: it is {packed}; {what}")
    found = import_module(_MODULES[packed]).open(stream)
    return io.BufferedReader(found)


@contextlib.contextmanager
def atomic_writer(path: PathLike) -> Iterator[TextIO]:
    r"""Write a text file whole or not at all: UTF-8, ``\n`` at line ends.

    The text goes to a temporary file beside the target, which takes its place at the end of the block, unless
    the block raises. A target that is no regular file (a pipe, ``/dev/stdout``) is written to directly.

    Raises:
        InputError: if the file cannot be written.
    """

    def text(scratch: Path, mode: str) -> TextIO:
        return cast(TextIO, scratch.open(mode, encoding="utf-8", errors="replace", newline="\n"))

    with _atomic(path, text) as stream:
        yield stream


@contextlib.contextmanager
def atomic_binary_writer(path: PathLike) -> Iterator[BinaryIO]:
    """Write a binary file whole or not at all, as :func:`atomic_writer` does.

    Raises:
        InputError: if the file cannot be written.
    """
    with _atomic(path, lambda scratch, mode: cast(BinaryIO, scratch.open(mode + "b"))) as stream:
        yield stream


_SCRATCH = re.compile(r"\..*\.([0-9a-f]{8})([0-9a-f]{8})-([0-9]{1,9})-[0-9a-f]{8}\.tmp", re.DOTALL)
_swept: set[Path] = set()


def scratch_beside(target: Path) -> Path:
    """Return a new hidden name beside a target, for a file or folder that is being written.

    The name tells the machine and the process. What processes that are dead left under such names in the folder is
    removed, the first time that this process works there.
    """
    if target.parent not in _swept:
        sweep(target.parent)
    host, boot = _machine()
    return target.with_name(f".{target.name[:40]}.{host}{boot}-{os.getpid()}-{os.urandom(4).hex()}.tmp")


def sweep(folder: Path) -> None:
    """Remove what processes that are dead left in a folder under the names of :func:`scratch_beside`."""
    _swept.add(folder)
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _is_left(path.name):
                remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as that is possible."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _is_left(name: str) -> bool:
    """Return whether a name is that of a scratch file of a process of this machine that is dead."""
    found = _SCRATCH.fullmatch(name)
    if found is None or os.name != "posix" or found[1] != _machine()[0]:
        return False
    if found[2] != _machine()[1]:
        return True
    try:
        os.kill(int(found[3]), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is another user's
        pass
    return False


@functools.cache
def _machine() -> tuple[str, str]:
    """Return short hashes of the machine (or the container), and of when it was started, as far as they are known."""
    space, boot = "", ""
    with contextlib.suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    return f"{zlib.crc32(f'{platform.node()} {space}'.encode()):08x}", f"{zlib.crc32(boot.encode()):08x}"


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
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise


def put_text(path: Path, text: str) -> None:
    """Write a small file whole; OSError as it comes."""
    with whole_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def _atomic(path: PathLike, opener: Callable[[Path, str], Stream]) -> Iterator[Stream]:
    name = os.fspath(path)
    with contextlib.ExitStack() as stack:
        with _writing(name):
            target = Path(os.path.realpath(path))
            direct = target.exists() and not target.is_file()
            scratch = target if direct else stack.enter_context(whole_file(target))
            stream = opener(scratch, "w" if direct else "x")
        stack.callback(_close_quietly, stream)  # before the scratch file goes
        try:
            yield stream
        except OSError as error:
            # Other errors in the block may be another file's; a full disk is no different for any of them.
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise InputError(f"cannot write {name}: {error.strerror}") from error
            raise
        with _writing(name):
            stream.close()
            stack.close()


def _close_quietly(stream: TextIO | BinaryIO) -> None:
    with contextlib.suppress(OSError):
        stream.close()


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {name}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"cannot write {name!r}: {error}") from error
