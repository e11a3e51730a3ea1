"""Plain text: one segment per line, and rows of CSV in lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import MAX_LINE, PathLike, input_name, open_binary, os_errors_as, spell_size

_BLOCK = 1 << 16
"""Maximum number of bytes per read."""


def read_segments(path: PathLike, *, encoding: str = "utf-8") -> Iterator[str]:
    r"""Iterate over the segments of a plain text file, one per line, without line ends.

    Only ``\n`` and ``\r\n`` end a line: U+2028, form feeds and the like are part of a segment. The line end of the last
    line is optional. A byte order mark is dropped. UTF-16 text without a byte order mark raises an error if another
    encoding is given. The file is read incrementally during the iteration.

    Args:
        path: the path of the file, which may be compressed with gzip, bzip2 or xz; ``-`` is standard input.
        encoding: the encoding of the file, by any name that Python knows.

    Raises:
        InputError: if the file cannot be read, or is not in this encoding. The message names the file and the line.
        ConfigError: for an unknown encoding.
    """
    name, number = input_name(path), 0
    try:
        # Python accepts names such as utf-٨, with non-ASCII digits; they are refused here. Bytes that cannot be decoded
        # become surrogates, by which the damaged line is found below.
        is_narrow = "\n".encode(encoding if encoding.isascii() else "") == b"\n"
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error
    parts: list[str] = []
    size, is_damaged = 0, False
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        try:
            # read1() returns the available bytes without waiting for a full block. Programs that exchange single lines
            # through a pipe depend on that.
            for block in chain(iter(partial(stream.read1, _BLOCK), b""), [b""]):  # type: ignore[attr-defined]
                if is_narrow and not number and b"\0" in block:
                    _refuse_utf16(block, f"{name}, line 1", encoding)
                text = decoder.decode(block, not block)
                is_damaged = is_damaged or (not text.isascii() and _is_damaged(text))
                line_end, *lines = text.split("\n")
                parts.append(line_end)
                size += len(line_end)
                if size > MAX_LINE:
                    raise InputError(
                        f"{name}, line {number + 1}: longer than {spell_size(MAX_LINE)}; "
                        "this is not text, one segment per line"
                    )
                if lines or not block:
                    *lines, unfinished_line = ["".join(parts), *lines]
                    if not block and unfinished_line:
                        lines.append(f"{unfinished_line}\r")  # removesuffix() below removes this carriage return only
                    parts, size = [unfinished_line], len(unfinished_line)
                for line in lines:
                    if is_damaged:
                        # Decode strictly, which raises an error that describes the damage.
                        line.encode(encoding, "surrogateescape").decode(encoding)
                    if number == 0:
                        line = line.removeprefix("\ufeff")
                    number += 1
                    yield line.removesuffix("\r")
        except UnicodeError as error:
            # Some codecs raise a plain UnicodeError, such as UTF-16 if the byte order mark is missing.
            reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
            raise InputError(
                f"{name}, line {number + 1}: not valid {codecs.lookup(encoding).name.upper()} ({reason}); "
                "convert the file, or name its encoding"
            ) from error


def _is_damaged(text: str) -> bool:
    """Return whether a text contains surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_utf16(head: bytes, location: str, encoding: str) -> None:
    """Raise InputError if a file begins like UTF-16 without a byte order mark: with a NUL beside each line feed."""
    line_feed_count = head.count(b"\n")
    # The block may end between the last line feed and its NUL.
    expected_count = line_feed_count - (line_feed_count > 1)
    if max(head.count(b"\n\0"), head.count(b"\0\n")) < expected_count:
        return
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not head.strip(b"\0"):
        return
    # Text in one of the two byte orders does not contain control characters other than NUL.
    texts = [head.decode(encoding_name, "ignore").replace("\0", "") for encoding_name in ("utf-16-le", "utf-16-be")]
    if not any("".join(text.split()).isprintable() for text in texts):
        raise InputError(f"{location}: NUL characters; this is not text")
    raise InputError(
        f"{location}: a NUL character at each line end, so this is UTF-16 and not "
        f"{codecs.lookup(encoding).name.upper()}; say so with --encoding utf-16-le (or utf-16-be), or convert it"
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
                f"{location}: a carriage return that ends no line; save the file with LF or CRLF as line ends, "
                "or put the cell in double quotes"
            ) from error
        raise InputError(f"{location}: not CSV ({error})") from error
