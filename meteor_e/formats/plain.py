"""Plain text: one segment per line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, reading, spell_size

__all__ = ["csv_rows", "decode_lines", "read_segments"]


class CsvReader(Protocol):
    """What ``csv.reader`` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]:
        """Iterate over the rows."""


class _LineTooLongError(Exception):
    """A line is longer than :data:`MAX_LINE`."""


def read_segments(path: PathLike, *, encoding: str = "utf-8") -> Iterator[str]:
    r"""Iterate over the segments of a plain text file, one a line, without their line ends.

    Only ``\n`` and ``\r\n`` end a line, so that U+2028, form feeds and the like stay in their segment, and the
    last line needs no end. A byte order mark is dropped. The file is read as it is iterated over.

    Args:
        path: the file, plain, gzip, bzip2 or xz; ``-`` is standard input.
        encoding: its encoding, by any name that Python knows.

    Raises:
        InputError: if it cannot be read, or is not in this encoding (naming file and line).
        ConfigError: for an unknown encoding.
    """
    with open_binary(path) as stream:
        yield from decode_lines(stream, input_name(path), encoding=encoding)


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


def decode_lines(stream: BinaryIO, name: str, *, encoding: str = "utf-8") -> Iterator[str]:
    """Iterate over the lines of a binary stream as :func:`read_segments` does.

    Args:
        stream: the stream.
        name: what to call it in errors.
        encoding: its encoding.

    Raises:
        InputError: if it is not in this encoding.
        ConfigError: for an unknown encoding.
    """
    try:
        codec = codecs.lookup(encoding)
        # Unlike the codec's own function, this refuses codecs of something else than text, such as rot13.
        one_byte = "\n\r".encode(codec.name) == b"\n\r"
    except (LookupError, TypeError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding!r}; utf-8 is the usual one") from error
    lines = _single_byte_lines(stream, codec) if one_byte else _wide_lines(stream, codec)
    number = 0
    try:
        with reading(name):
            for line in lines:
                number += 1
                if number == 1:
                    line = line.removeprefix("\ufeff")
                yield line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
    except _LineTooLongError:
        raise InputError(
            f"{name}, line {number + 1}: longer than {spell_size(MAX_LINE)}; this is not text, one segment per line"
        ) from None
    except UnicodeError as error:
        # Some codecs raise nothing more precise, as that of UTF-16 where there is no byte order mark.
        reason = str(error)
        if isinstance(error, UnicodeDecodeError):
            reason = f"byte {error.start + 1}: {error.reason}"
        raise InputError(
            f"{name}, line {number + 1}: not valid {codec.name.upper()} ({reason}); "
            "convert the file, or name its encoding"
        ) from error


def _single_byte_lines(stream: BinaryIO, codec: codecs.CodecInfo) -> Iterator[str]:
    while line := stream.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise _LineTooLongError
        yield codec.decode(line, "strict")[0]


def _wide_lines(stream: BinaryIO, codec: codecs.CodecInfo) -> Iterator[str]:
    # Line ends are more than a byte, so the text must be decoded before it is split.
    text = io.TextIOWrapper(stream, encoding=codec.name, newline="\n")
    try:
        while line := text.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise _LineTooLongError
            yield line
    finally:
        # The file may be closed already, where a reader stops in the middle of it.
        if not stream.closed:
            text.detach()
