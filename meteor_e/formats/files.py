"""Opening input and writing output: gzip and ``-`` in, whole files out."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar, cast

from meteor_e.errors import InputError

__all__ = ["PathLike", "atomic_binary_writer", "atomic_writer", "input_name", "open_binary", "reading"]

PathLike = str | os.PathLike[str]

Stream = TypeVar("Stream", TextIO, BinaryIO)

_GZIP_MAGIC = b"\x1f\x8b"


def input_name(path: PathLike) -> str:
    """Return what to call a file in messages: its path, or ``standard input`` for ``-``."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


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
        import zlib

        if isinstance(error, zlib.error):
            raise InputError(f"cannot read {name}: damaged gzip data ({error})") from error
        raise


@contextlib.contextmanager
def open_binary(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file to read its bytes, unpacked if it is gzip (which its first bytes tell); ``-`` is standard input.

    What can go wrong later, in reading, is for :func:`reading` to report.

    Raises:
        InputError: if it cannot be opened.
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
            head = stream.peek(2)[:2]
        if head == _GZIP_MAGIC:
            import gzip

            stream = stack.enter_context(io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=stream))))
        yield stream


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


@contextlib.contextmanager
def _atomic(path: PathLike, opener: Callable[[Path, str], Stream]) -> Iterator[Stream]:
    name = os.fspath(path)
    with _writing(name):
        target = Path(os.path.realpath(path))
        direct = target.exists() and not target.is_file()
        scratch = target if direct else target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
        stream = opener(scratch, "w" if direct else "x")
    try:
        try:
            yield stream
        except OSError as error:
            # Other errors in the block may be another file's; a full disk is no different for any of them.
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise InputError(f"cannot write {name}: {error.strerror}") from error
            raise
        with _writing(name):
            stream.close()
            if not direct:
                if target.exists():
                    scratch.chmod(target.stat().st_mode)
                scratch.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            stream.close()
        if not direct:
            scratch.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {name}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"cannot write {name!r}: {error}") from error
