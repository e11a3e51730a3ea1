"""This module reads plain text, which contains one segment per line, and rows of CSV."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, os_errors_as, spell_size
from meteor_e.base.texts import are_valid_texts

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
    line_count = 0
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        for lines in _read_lines(stream, name, encoding):
            # The byte order mark is removed after this check, because error messages count its bytes.
            valid_lines = lines if are_valid_texts(lines) else _check_lines(lines, line_count + 1, name, encoding)
            yield from _remove_byte_order_mark(valid_lines) if line_count == 0 else valid_lines
            line_count += len(lines)


def _remove_byte_order_mark(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a file's first block, without a byte order mark at the beginning of the first line."""
    remaining_lines = iter(lines)
    yield next(remaining_lines).removeprefix("\ufeff")
    yield from remaining_lines


def _check_encoding(encoding: str) -> None:
    """Raise ConfigError if an encoding is unknown.

    Names with non-ASCII digits, such as "utf-٨", are rejected, although Python accepts them.
    """
    try:
        "\n".encode(encoding if encoding.isascii() else "")
        codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error


def _read_lines(stream: BinaryIO, name: str, encoding: str) -> Iterator[list[str]]:
    """Decode a stream, and yield lists of lines without line ends. Invalid bytes are represented by surrogates."""
    line_count = 0
    unfinished_line = ""
    for block in _decode_blocks(stream, name, encoding):
        pieces = block.split("\n")
        unfinished_line += pieces[0]
        # Each block is shorter than the limit, so only a line that spans several blocks can exceed the limit.
        if len(unfinished_line) > MAX_LINE:
            raise InputError(
                f"{name}, line {line_count + 1}: longer than {spell_size(MAX_LINE)}; "
                "this is not text with one segment per line"
            )
        if len(pieces) > 1:
            # The first piece completes the unfinished line, and the last piece begins a new line.
            lines = [unfinished_line, *pieces[1:-1]]
            unfinished_line = pieces[-1]
            line_count += len(lines)
            yield [line.removesuffix("\r") for line in lines]
    # A carriage return at the end of the file remains, because it does not precede a line feed.
    if unfinished_line:
        yield [unfinished_line]


def _check_lines(lines: Iterable[str], first_number: int, name: str, encoding: str) -> Iterator[str]:
    """Yield lines unchanged. Raise InputError for the first line that contains invalid bytes."""
    for number, line in enumerate(lines, first_number):
        try:
            line.encode(encoding, "surrogateescape").decode(encoding)
        except UnicodeError as error:
            raise InputError(_describe_damage(error, f"{name}, line {number}", encoding)) from error
        yield line


def _decode_blocks(stream: BinaryIO, name: str, encoding: str) -> Iterator[str]:
    """Decode a stream, and yield blocks of text. Invalid bytes are represented by surrogates."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    line_number = 1
    try:
        for encoded_block in _read_blocks(stream, name, encoding):
            block = decoder.decode(encoded_block)
            line_number += block.count("\n")
            yield block
        yield decoder.decode(b"", final=True)
    except UnicodeError as error:
        # Some decoders, such as the UTF-16 decoder, cannot represent every invalid byte as a surrogate.
        raise InputError(_describe_damage(error, f"{name}, line {line_number}", encoding)) from error


def _read_blocks(stream: BinaryIO, name: str, encoding: str) -> Iterator[bytes]:
    """Yield blocks of bytes. Raise InputError if the first line looks like UTF-16, but the given encoding differs."""
    is_possible_utf16 = "\n".encode(encoding) == b"\n"
    # Unlike read(), read1() does not wait for a full block, so two programs can exchange single lines through a pipe.
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]
        if is_possible_utf16 and b"\0" in block:
            _refuse_utf16(block, f"{name}, line 1", encoding)
        if b"\n" in block:
            is_possible_utf16 = False
        yield block


def _describe_damage(error: UnicodeError, location: str, encoding: str) -> str:
    """Return the error message for a line that cannot be decoded."""
    # Not all codecs raise a UnicodeDecodeError: UTF-16 without a byte order mark raises a plain UnicodeError.
    reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
    codec_name = codecs.lookup(encoding).name.upper()
    return f"{location}: not valid {codec_name} ({reason}); convert the file, or name its encoding"


def _refuse_utf16(head: bytes, location: str, encoding: str) -> None:
    """Raise InputError if the first block of a file looks like UTF-16 without a byte order mark."""
    has_byte_order_mark = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    has_only_nul_bytes = not head.strip(b"\0")
    if has_byte_order_mark or has_only_nul_bytes or not _has_nul_at_line_ends(head):
        return
    if not any(_is_printable(head, byte_order) for byte_order in ("utf-16-le", "utf-16-be")):
        raise InputError(f"{location}: NUL characters; this is not text")
    raise InputError(
        f"{location}: a NUL character at each line end, so this is UTF-16 and not "
        f"{codecs.lookup(encoding).name.upper()}; use --encoding utf-16-le (or utf-16-be), or convert the file"
    )


def _has_nul_at_line_ends(head: bytes) -> bool:
    """Return whether a NUL byte precedes or follows each line feed, as in UTF-16."""
    line_feed_count = head.count(b"\n")
    # A UTF-16 block may end between the two bytes of a line feed, so one NUL byte may be missing.
    required_count = line_feed_count - 1 if line_feed_count > 1 else line_feed_count
    return max(head.count(b"\n\0"), head.count(b"\0\n")) >= required_count


def _is_printable(head: bytes, encoding: str) -> bool:
    """Decode bytes, and return whether all characters are printable, white space or NUL characters."""
    text = head.decode(encoding, "ignore").replace("\0", "")
    return "".join(text.split()).isprintable()


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
        raise InputError(f"{name}, line {reader.line_num}: {_describe_csv_error(error)}") from error


def _describe_csv_error(error: Exception) -> str:
    """Return the error message for a row that cannot be parsed."""
    if str(error).startswith("new-line character"):
        return (
            "a carriage return that is not a line end; save the file with LF or CRLF as line ends, or put the cell in "
            "double quotes"
        )
    return f"not CSV ({error})"
