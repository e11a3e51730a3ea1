"""Plain text: one segment per line, and rows of CSV in lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, os_errors_as, spell_size

_BLOCK = 1 << 16
"""Maximum number of bytes per read."""


def read_segments(path: PathLike, *, encoding: str = "utf-8") -> Iterator[str]:
    r"""Iterate over the segments of a plain text file, one per line, without line ends.

    Only ``\n`` and ``\r\n`` end a line. Other separators, such as U+2028 and form feeds, are part of a segment. The
    last line may lack its line end. A byte order mark is dropped. UTF-16 text without a byte order mark raises an error
    unless its encoding is specified. The file is read incrementally during the iteration.

    Args:
        path: the path of the file, which may be compressed with gzip, bzip2 or xz; ``-`` is standard input.
        encoding: the encoding of the file, by any name that Python knows.

    Raises:
        InputError: if the file cannot be read, or is not in this encoding. The message names the file and the line.
        ConfigError: for an unknown encoding.
    """
    _check_encoding(encoding)
    name = input_name(path)
    line_number = 0
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        try:
            for lines, is_damaged in _read_lines(stream, name, encoding):
                for line in lines:
                    if is_damaged:
                        # Decode strictly, which raises an error that describes the damage.
                        line.encode(encoding, "surrogateescape").decode(encoding)
                    if line_number == 0:
                        line = line.removeprefix("\ufeff")
                    line_number += 1
                    yield line.removesuffix("\r")
        except UnicodeError as error:
            raise InputError(_describe_damage(error, f"{name}, line {line_number + 1}", encoding)) from error


def _check_encoding(encoding: str) -> None:
    """Raise ConfigError for an unknown encoding.

    Python also accepts encoding names with non-ASCII digits, such as "utf-٨". They are unknown here.
    """
    try:
        "\n".encode(encoding if encoding.isascii() else "")
        codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error


def _read_lines(stream: BinaryIO, name: str, encoding: str) -> Iterator[tuple[list[str], bool]]:
    """Yield lists of lines without line feeds, each with whether a decoding error has occurred so far.

    Bytes that cannot be decoded become surrogates, from which the caller can find the damaged line.
    """
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    is_single_byte = "\n".encode(encoding) == b"\n"
    line_count = 0
    is_damaged = False
    unfinished_line: list[str] = []
    unfinished_length = 0
    # read1() returns the available bytes without waiting for a full block. Programs that exchange single lines through
    # a pipe depend on that. The empty block at the end flushes the decoder.
    for block in chain(iter(partial(stream.read1, _BLOCK), b""), [b""]):  # type: ignore[attr-defined]
        if is_single_byte and line_count == 0 and b"\0" in block:
            _refuse_utf16(block, f"{name}, line 1", encoding)
        text = decoder.decode(block, not block)
        is_damaged = is_damaged or (not text.isascii() and _has_surrogates(text))
        line_end, *lines = text.split("\n")
        unfinished_line.append(line_end)
        unfinished_length += len(line_end)
        if unfinished_length > MAX_LINE:
            raise InputError(
                f"{name}, line {line_count + 1}: longer than {spell_size(MAX_LINE)}; "
                "this is not text with one segment per line"
            )
        if lines:
            complete_lines = ["".join(unfinished_line), *lines[:-1]]
            unfinished_line = [lines[-1]]
            unfinished_length = len(lines[-1])
            line_count += len(complete_lines)
            yield complete_lines, is_damaged
    last_line = "".join(unfinished_line)
    if last_line:
        # The caller removes one carriage return, but a carriage return at the end of the file belongs to the segment.
        yield [f"{last_line}\r"], is_damaged


def _describe_damage(error: UnicodeError, location: str, encoding: str) -> str:
    """Return the error message for text that cannot be decoded."""
    # Some codecs raise a plain UnicodeError, such as UTF-16 if the byte order mark is missing.
    reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
    codec_name = codecs.lookup(encoding).name.upper()
    return f"{location}: not valid {codec_name} ({reason}); convert the file, or name its encoding"


def _has_surrogates(text: str) -> bool:
    """Return whether a text contains surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_utf16(head: bytes, location: str, encoding: str) -> None:
    """Raise InputError if a file begins like UTF-16 without a byte order mark, with a NUL next to each line feed."""
    line_feed_count = head.count(b"\n")
    # The block may end between the last line feed and its NUL.
    expected_count = line_feed_count - (line_feed_count > 1)
    if max(head.count(b"\n\0"), head.count(b"\0\n")) < expected_count:
        return
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not head.strip(b"\0"):
        return
    # UTF-16 is recognized by printable text in one of the two byte orders.
    texts = [head.decode(encoding_name, "ignore").replace("\0", "") for encoding_name in ("utf-16-le", "utf-16-be")]
    if not any("".join(text.split()).isprintable() for text in texts):
        raise InputError(f"{location}: NUL characters; this is not text")
    raise InputError(
        f"{location}: a NUL character at each line end, so this is UTF-16 and not "
        f"{codecs.lookup(encoding).name.upper()}; use --encoding utf-16-le (or utf-16-be), or convert the file"
    )


def csv_rows(lines: Iterable[str], name: str, **dialect: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield rows of CSV, each with the number of its last line. A quoted cell may span several lines.

    Args:
        lines: the lines, without line ends.
        name: the name of the file in messages.
        dialect: further arguments of ``csv.reader``.

    Raises:
        InputError: if the lines are not valid CSV. The message names the file and the line.
    """
    import csv

    # By default, the parser refuses cells of more than 131,072 characters. The limit is global to the process.
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
