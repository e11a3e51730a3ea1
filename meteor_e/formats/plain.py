"""Plain text: one segment per line."""

from __future__ import annotations

import codecs
import contextlib
import io
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, reading, spell_size

_BLOCK = 1 << 16
"""Bytes that are read at once, at most."""


class CsvReader(Protocol):
    """What ``csv.reader`` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]:
        """Iterate over the rows."""


class _NotThisTextError(Exception):
    """What is read is not text in this encoding, one segment per line."""


def read_segments(path: PathLike, *, encoding: str = "utf-8") -> Iterator[str]:
    r"""Iterate over the segments of a plain text file, one a line, without their line ends.

    Only ``\n`` and ``\r\n`` end a line, so that U+2028, form feeds and the like stay in their segment, and the
    last line needs no end. A byte order mark is dropped. UTF-16 without one is refused if it is to be read as something
    else. The file is read as it is iterated over.

    Args:
        path: the file, plain, gzip, bzip2 or xz; ``-`` is standard input.
        encoding: its encoding, by any name that Python knows.

    Raises:
        InputError: if it cannot be read, or is not in this encoding (naming file and line).
        ConfigError: for an unknown encoding.
    """
    with open_binary(path) as stream:
        for lines in line_lists(stream, input_name(path), encoding):
            yield from lines


def count_segments(path: PathLike, *, encoding: str = "utf-8") -> int:
    """Count the segments of a plain text file; raises what :func:`read_segments` does."""
    with open_binary(path) as stream:
        return sum(map(len, line_lists(stream, input_name(path), encoding)))


def csv_rows(reader: CsvReader, name: str) -> Iterator[list[str]]:
    """Iterate over the rows of a ``csv.reader``.

    Raises:
        InputError: for what is not CSV, naming file and line.
    """
    import csv

    # The parser refuses cells of more than 131,072 characters, which texts may have; it has one limit per process.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    try:
        yield from reader
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not CSV ({error})") from error


def line_lists(stream: BinaryIO, name: str, encoding: str = "utf-8") -> Iterator[list[str]]:
    """Yield the lines of a binary stream by the list: to decode and split many at once takes a fraction of the time.

    Args:
        stream: the stream.
        name: what to call it in errors.
        encoding: its encoding.

    Raises:
        InputError: if it is not in this encoding.
        ConfigError: for an unknown encoding.
    """
    try:
        # lookup() drops what is not ASCII: to it, utf-٨ is utf.
        codec = codecs.lookup(encoding if encoding.isascii() else "")
        # Unlike the codec's own function, this refuses codecs of something else than text, such as rot13.
        narrow = "\n\r".encode(codec.name) == b"\n\r"
    except (LookupError, TypeError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error
    number = 0
    try:
        with reading(name):
            for lines in _narrow_lines(stream, codec) if narrow else _wide_lines(stream, codec):
                if not number and lines:
                    lines[0] = lines[0].removeprefix("\ufeff")
                number += len(lines)
                yield lines
    except _NotThisTextError as error:
        raise InputError(f"{name}, line {number + 1}: {error}") from None
    except UnicodeError as error:
        # Some codecs raise nothing more precise, as that of UTF-16 where there is no byte order mark.
        reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            f"{name}, line {number + 1}: not valid {codec.name.upper()} ({reason}); "
            "convert the file, or name its encoding"
        ) from error


def _narrow_lines(stream: BinaryIO, codec: codecs.CodecInfo) -> Iterator[list[str]]:
    # What is there is taken as it is there, so that a program that answers line by line gets its answers.
    read = getattr(stream, "read1", stream.read)
    pending: list[bytes] = []
    size = 0
    first = True
    while block := read(_BLOCK):
        if first:
            _check_width(block, codec)
        first = False
        lines, end, rest = block.rpartition(b"\n")
        if end:
            data = b"".join((*pending, lines, end))
            pending, size = [], 0
            if len(data) > MAX_LINE and data.index(b"\n") >= MAX_LINE:
                raise _too_long()
            yield from _decoded(data, codec)
        pending.append(rest)
        size += len(rest)
        if size > MAX_LINE:
            raise _too_long()
    if size:
        yield [_without_end(codec.decode(b"".join(pending), "strict")[0])]


def _too_long() -> _NotThisTextError:
    return _NotThisTextError(f"longer than {spell_size(MAX_LINE)}; this is not text, one segment per line")


def _check_width(block: bytes, codec: codecs.CodecInfo) -> None:
    """Refuse the beginning of a text that is UTF-16 without a mark: a line end has a NUL before or after it."""
    if b"\0" not in block or block[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not block.strip(b"\0"):
        return
    ends = block.count(b"\n")
    # What follows the last one may not have been read.
    if max(block.count(b"\n\0"), block.count(b"\0\n")) < ends - (ends > 1):
        return
    # In either order, text has no control characters but NUL.
    texts = [block.decode(order, "ignore").replace("\0", "") for order in ("utf-16-le", "utf-16-be")]
    if not any("".join(text.split()).isprintable() for text in texts):
        raise _NotThisTextError("NUL characters; this is not text")
    raise _NotThisTextError(
        f"a NUL character at each line end, so this is UTF-16 and not {codec.name.upper()}; say so with "
        "--encoding utf-16-le (or utf-16-be), or convert it"
    )


def _decoded(data: bytes, codec: codecs.CodecInfo) -> Iterator[list[str]]:
    """Yield the lines of data that end with a line; those before one that is wrong are yielded, too."""
    if codec.name == "utf-8":
        with contextlib.suppress(UnicodeDecodeError):
            yield data.decode().replace("\r\n", "\n")[:-1].split("\n")
            return
    # Line by line, because codecs may have a state, and because one of the lines may be wrong.
    lines = []
    try:
        for line in data.split(b"\n")[:-1]:
            lines.append(_without_end(codec.decode(line + b"\n", "strict")[0]))
    finally:
        yield lines


def _wide_lines(stream: BinaryIO, codec: codecs.CodecInfo) -> Iterator[list[str]]:
    # Line ends are more than a byte, so the text must be decoded before it is split.
    text = io.TextIOWrapper(stream, encoding=codec.name, newline="\n")
    try:
        while line := text.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise _too_long()
            yield [_without_end(line)]
    finally:
        # The file may be closed already, where a reader stops in the middle of it.
        if not stream.closed:
            text.detach()


def _without_end(line: str) -> str:
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
