"""This module reads plain text, which contains one segment per line, and rows of CSV."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, os_errors_as, spell_size

_BLOCK = 1 << 16
"""At most this number of bytes is read at once."""


def read_segments(path: PathLike, *, encoding: str = "utf-8") -> Iterator[str]:
    r"""Read a plain text file with one segment per line, and yield the segments without line ends.

    Only ``\n`` and ``\r\n`` end a line. Other separators, such as U+2028 and form feeds, are part of a segment. The
    last line may lack its line end. A byte order mark is removed. The file is read incrementally.

    Args:
        path: the path of the file, which may be compressed with gzip, bzip2 or xz; ``-`` is standard input.
        encoding: the encoding of the file, by any name that Python supports.

    Raises:
        InputError: if the file cannot be read or is not in this encoding. The message contains the line number.
        ConfigError: if the encoding is unknown.
    """
    _check_encoding(encoding)
    name = input_name(path)
    line_number = 0
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        try:
            for lines, is_damaged in _read_lines(stream, name, encoding):
                for line in lines:
                    if is_damaged:
                        # Strict decoding raises an error if this line contains invalid bytes.
                        line.encode(encoding, "surrogateescape").decode(encoding)
                    if line_number == 0:
                        line = line.removeprefix("\ufeff")
                    line_number += 1
                    yield line.removesuffix("\r")
        except UnicodeError as error:
            raise InputError(_describe_damage(error, f"{name}, line {line_number + 1}", encoding)) from error


def _check_encoding(encoding: str) -> None:
    """Raise ConfigError if an encoding is unknown.

    Names with non-ASCII digits, such as "utf-٨", are rejected, although Python accepts them.
    """
    try:
        "\n".encode(encoding if encoding.isascii() else "")
        codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error


def _read_lines(stream: BinaryIO, name: str, encoding: str) -> Iterator[tuple[list[str], bool]]:
    """Decode a stream, and yield lists of lines, each with a flag that is true after the first decoding error.

    Invalid bytes are represented by surrogates, so that the caller can find the damaged line.
    """
    line_count = 0
    is_damaged = False
    unfinished_line: list[str] = []
    unfinished_length = 0
    for block in _decode_blocks(stream, name, encoding):
        if not is_damaged and not block.isascii():
            is_damaged = _has_surrogates(block)
        pieces = block.split("\n")
        unfinished_line.append(pieces[0])
        unfinished_length += len(pieces[0])
        if unfinished_length > MAX_LINE:
            raise InputError(
                f"{name}, line {line_count + 1}: longer than {spell_size(MAX_LINE)}; "
                "this is not text with one segment per line"
            )
        if len(pieces) > 1:
            # The first piece completes the unfinished line, and the last piece begins a new line.
            complete_lines = ["".join(unfinished_line), *pieces[1:-1]]
            unfinished_line = [pieces[-1]]
            unfinished_length = len(pieces[-1])
            line_count += len(complete_lines)
            yield complete_lines, is_damaged
    last_line = "".join(unfinished_line)
    if last_line:
        # The caller strips one carriage return, so the added one protects a carriage return in the last line.
        yield [f"{last_line}\r"], is_damaged


def _decode_blocks(stream: BinaryIO, name: str, encoding: str) -> Iterator[str]:
    """Decode a stream, and yield blocks of text. Invalid bytes are represented by surrogates."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    # Only the first line is searched for NUL characters, and only if the encoding is not UTF-16 or UTF-32.
    can_be_utf16 = "\n".encode(encoding) == b"\n"
    # read1() does not wait for a full block, so that programs can exchange single lines through a pipe.
    while encoded_block := stream.read1(_BLOCK):  # type: ignore[attr-defined]
        if can_be_utf16 and b"\0" in encoded_block:
            _refuse_utf16(encoded_block, f"{name}, line 1", encoding)
        block = decoder.decode(encoded_block)
        can_be_utf16 = can_be_utf16 and "\n" not in block
        yield block
    yield decoder.decode(b"", final=True)


def _describe_damage(error: UnicodeError, location: str, encoding: str) -> str:
    """Return the error message for a line that cannot be decoded."""
    # Not all codecs raise a UnicodeDecodeError: UTF-16 without a byte order mark raises a plain UnicodeError.
    reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
    codec_name = codecs.lookup(encoding).name.upper()
    return f"{location}: not valid {codec_name} ({reason}); convert the file, or name its encoding"


def _has_surrogates(text: str) -> bool:
    """Return whether a text contains surrogates, which represent invalid bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_utf16(head: bytes, location: str, encoding: str) -> None:
    """Raise InputError if the first block of a file looks like UTF-16 without a byte order mark.

    In UTF-16, a NUL byte precedes or follows each line feed.
    """
    line_feed_count = head.count(b"\n")
    # The last of several line feeds may lack its NUL byte, because the block may end between the two bytes.
    required_count = line_feed_count - 1 if line_feed_count > 1 else line_feed_count
    nul_count = max(head.count(b"\n\0"), head.count(b"\0\n"))
    if nul_count < required_count:
        return
    has_byte_order_mark = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    has_only_nul_bytes = not head.strip(b"\0")
    if has_byte_order_mark or has_only_nul_bytes:
        return
    # The block is UTF-16 if it contains printable text in one of the two byte orders.
    is_utf16 = False
    for byte_order in ("utf-16-le", "utf-16-be"):
        text = head.decode(byte_order, "ignore").replace("\0", "")
        if "".join(text.split()).isprintable():
            is_utf16 = True
    if not is_utf16:
        raise InputError(f"{location}: NUL characters; this is not text")
    raise InputError(
        f"{location}: a NUL character at each line end, so this is UTF-16 and not "
        f"{codecs.lookup(encoding).name.upper()}; use --encoding utf-16-le (or utf-16-be), or convert the file"
    )


def csv_rows(lines: Iterable[str], name: str, **dialect: Any) -> Iterator[tuple[int, list[str]]]:
    """Parse CSV, and yield each row with the number of its last line. A quoted cell may span several lines.

    Args:
        lines: the lines of the file, without line ends.
        name: the name of the file for error messages.
        dialect: further arguments of ``csv.reader``.

    Raises:
        InputError: if the lines are not valid CSV. The message contains the line number.
    """
    import csv

    # By default, the parser rejects cells of more than 131,072 characters. The limit is global to the process.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    reader = csv.reader((f"{line}\n" for line in lines), **dialect)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        location = f"{name}, line {reader.line_num}"
        if str(error).startswith("new-line character"):
            raise InputError(
                f"{location}: a carriage return that is not a line end; save the file with LF or CRLF as line ends, "
                "or put the cell in double quotes"
            ) from error
        raise InputError(f"{location}: not CSV ({error})") from error
