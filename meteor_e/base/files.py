"""Open and read files. The functions decompress files, reject special files, and limit the size of files."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from meteor_e.base.errors import InputError, MeteorError, ResourceError

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

PathLike = str | os.PathLike[str]

MAX_LINE = 64 << 20
"""The maximum length of a line of text, in bytes. The limit stops the reading of a file that never ends."""

_COMPRESSION_PATTERNS = {
    "gzip": rb"\x1f\x8b",
    # Plain text can also begin with BZh, so the pattern includes the six bytes that follow bzip2's header.
    "bz2": rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)",
    "lzma": rb"\xfd7zXZ\0",
}
"""For each module that decompresses a format, a pattern of the first bytes of the format."""

_ZSTANDARD_SIGNATURE = b"\x28\xb5\x2f\xfd"
"""The first bytes of a file that is compressed with Zstandard. This format is not supported."""

_KERNEL_FOLDERS = ("/proc/", "/sys/")
"""The folders of the kernel's virtual files. Reading such a file may never end."""

_SPECIAL_FILES = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class SpooledPath(str):
    """The path of a temporary file with the content of a pipe or of standard input.

    The file is deleted together with this object.

    Attributes:
        folder: the temporary folder that contains the file.
        source: the path of the pipe, or ``-`` for standard input.
    """

    folder: TemporaryDirectory[str]
    source: str


def input_name(path: PathLike) -> str:
    """Return the name of an input file for messages: its path, or ``standard input`` for ``-``."""
    name = path.source if isinstance(path, SpooledPath) else os.fspath(path)
    return "standard input" if name == "-" else name


@contextlib.contextmanager
def os_errors_as(error_class: type[MeteorError], message: str) -> Iterator[None]:
    """Convert errors of file operations in the ``with`` block into a MeteorError.

    The block should contain only the file operation. Other operations could raise OSError, too, such as printing to a
    closed pipe.

    Args:
        error_class: the class of the new error.
        message: the beginning of the error message, such as ``cannot write notes.txt``. The reason is appended.
    """
    try:
        yield
    except _file_errors() as error:
        reason = getattr(error, "strerror", None) or error
        raise error_class(f"{message}: {reason}") from error


def _file_errors() -> tuple[type[Exception], ...]:
    """Return the exception classes that reading, writing or decompressing a file may raise."""
    # The module lzma is imported only if it is needed. LZMAError cannot occur before the import.
    lzma_error = getattr(sys.modules.get("lzma"), "LZMAError", OSError)
    return OSError, EOFError, zlib.error, NotImplementedError, lzma_error


def _special_kind(path: PathLike) -> str | None:
    """Return the kind of a special file, such as ``a pipe``, or ``None`` for a regular file or a folder.

    Raises:
        OSError: if the file does not exist, or the path is invalid.
    """
    try:
        mode = Path(path).stat().st_mode
    except ValueError as error:  # The path contains a null character or a lone surrogate.
        raise OSError(errno.EINVAL, f"its name is not a valid path ({error})", ascii(os.fspath(path))) from error
    if stat.S_ISREG(mode) and os.path.realpath(path).startswith(_KERNEL_FOLDERS):
        return "a virtual file of the kernel"
    return _SPECIAL_FILES.get(stat.S_IFMT(mode))


def open_regular(path: PathLike) -> BinaryIO:
    """Open a regular file to read its bytes without decompression.

    Special files are rejected, because a pipe may block forever and a device may never end. Use this function for files
    that are named in other files, and for files that are memory-mapped or read completely.

    Raises:
        OSError: if the file cannot be opened, or is a pipe, a socket, a device or a folder. ``strerror`` is the
            reason.
    """
    kind = _special_kind(path)
    if kind is not None:
        raise OSError(errno.EINVAL, f"not a regular file but {kind}", os.fspath(path))
    return Path(path).open("rb")


def check_regular_file(path: PathLike) -> None:
    """Check that a path in a settings file is not a pipe, a socket or a device. The file need not exist.

    Raises:
        InputError: if the file is a special file, or the path is invalid.
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
        limit: the maximum size of the file, in bytes.

    Raises:
        OSError: if the file is too large, or :func:`open_regular` cannot open it.
    """
    with open_regular(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        reason = f"it is larger than {spell_size(limit)}, so it cannot be the right file"
        raise OSError(errno.EFBIG, reason, str(path))
    return content


def decode_utf8(content: bytes, name: str, preceding_lines: int = 0, kind: type[MeteorError] = ResourceError) -> str:
    """Decode UTF-8, and remove a byte order mark.

    Args:
        content: the bytes.
        name: the name of their source, for errors.
        preceding_lines: the number of lines before these bytes in the source.
        kind: the exception class.

    Raises:
        MeteorError: of the class ``kind``, if the bytes are not valid UTF-8. The message names the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = preceding_lines + content.count(b"\n", 0, error.start) + 1
        raise kind(f"{name}, line {line}: not valid UTF-8") from None


def spell_size(size: int) -> str:
    """Format a size in bytes with a binary unit, such as ``64 MiB``. Sizes are rounded down."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size >> power} {unit}"
    return f"{size} bytes"


@contextlib.contextmanager
def open_binary(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``, and decompress it if it is a gzip, bzip2 or xz file.

    Errors that occur while the stream is read are not converted. Use :func:`os_errors_as` to convert them.

    Raises:
        InputError: if the file cannot be opened, may never end, such as ``/dev/zero``, or has an unsupported
            compression.
    """
    name = input_name(path)
    if os.fspath(path) == "-":
        with os_errors_as(InputError, f"cannot read {name}"):
            content = _decompress_standard_input(sys.stdin.buffer)
        yield content  # Standard input stays open after the with block.
        return
    with os_errors_as(InputError, f"cannot read {name}"):
        stream = _open_finite(path)
    with stream:
        with os_errors_as(InputError, f"cannot read {name}"):
            content = decompress(stream, name)
        yield content


def _open_finite(path: PathLike) -> io.BufferedReader:
    """Open a file or a pipe. Raise OSError if reading the file may never end, as for ``/dev/zero``."""
    file_kind = _special_kind(path)
    stream = Path(path).open("rb")  # noqa: SIM115  # The caller closes the stream.
    is_endless_device = file_kind == "a device" and not stream.isatty() and os.fspath(path) != os.devnull
    if is_endless_device or file_kind == "a virtual file of the kernel":
        stream.close()
        raise OSError(errno.EINVAL, f"not a regular file but {file_kind}")
    return stream


@functools.lru_cache(maxsize=1)
def _decompress_standard_input(stream: BinaryIO) -> io.BufferedReader[Any]:
    """Return a stream of the decompressed content of standard input. The stream has the method ``peek``.

    The result is cached, so that every caller gets the same stream. A second stream would miss the bytes that the first
    stream has buffered, for example while the input format was detected.
    """
    # Tests and embedding programs may replace standard input with a BytesIO object, which does not have peek().
    peekable = stream if hasattr(stream, "peek") else io.BufferedReader(cast(io.RawIOBase, stream))
    return decompress(cast("io.BufferedReader[Any]", peekable), "standard input")


def decompress(stream: io.BufferedReader[Any], name: str) -> io.BufferedReader[Any]:
    """Return a stream that decompresses a gzip, bzip2 or xz file, or the stream itself if it is not compressed.

    Raises:
        InputError: if the stream has an unsupported compression.
    """
    first_bytes = stream.peek(10)
    if first_bytes.startswith(_ZSTANDARD_SIGNATURE):
        advice = "decompress it first (only gzip, bzip2 and xz can be read)"
        raise InputError(f"cannot read {name}: it is compressed with Zstandard; {advice}")
    for module_name, pattern in _COMPRESSION_PATTERNS.items():
        if re.match(pattern, first_bytes):
            return io.BufferedReader(import_module(module_name).open(stream))
    return stream


def sha256_of(path: Path) -> str:
    """Return the hexadecimal SHA-256 digest of a file.

    Raises:
        OSError: if :func:`open_regular` cannot open the file, or reading fails.
    """
    import hashlib

    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def name_with_digest(path: PathLike) -> str:
    """Return the name of a file, as written in the signature of a metric.

    If the file exists, append ``@`` and the first 12 digits of the SHA-256 digest of the file's content.
    """
    file = Path(path)
    return f"{file.name}@{sha256_of(file)[:12]}" if file.is_file() else file.name
