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
"""Bytes that are read at once, at most."""


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
    name, number = input_name(path), 0
    try:
        # To Python, utf-٨ is utf. What cannot be decoded becomes halves of characters, which are found in their line.
        is_narrow = "\n".encode(encoding if encoding.isascii() else "") == b"\n"
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError) as error:
        raise ConfigError(f"unknown encoding {encoding[:40]!r}; utf-8 is the usual one") from error
    parts: list[str] = []
    size, is_damaged = 0, False
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        try:
            # What is there is taken as it is there, so that a program that answers line by line gets its answers.
            for block in chain(iter(partial(stream.read1, _BLOCK), b""), [b""]):  # type: ignore[attr-defined]
                if is_narrow and not number and b"\0" in block:
                    _refuse_wide(block, f"{name}, line 1", encoding)
                text = decoder.decode(block, not block)
                is_damaged = is_damaged or (not text.isascii() and _is_damaged(text))
                begun, *lines = text.split("\n")
                parts.append(begun)
                size += len(begun)
                if size > MAX_LINE:
                    what = f"longer than {spell_size(MAX_LINE)}; this is not text, one segment per line"
                    raise InputError(f"{name}, line {number + 1}: {what}")
                if lines or not block:
                    *lines, rest = ["".join(parts), *lines]
                    if not block and rest:
                        lines.append(f"{rest}\r")  # the end that it lacks
                    parts, size = [rest], len(rest)
                for line in lines:
                    if is_damaged:
                        # This raises what is wrong.
                        line.encode(encoding, "surrogateescape").decode(encoding)
                    if number == 0:
                        line = line.removeprefix("\ufeff")
                    number += 1
                    yield line.removesuffix("\r")
        except UnicodeError as error:
            # Some codecs raise nothing more precise, as that of UTF-16 where there is no byte order mark.
            reason = f"byte {error.start + 1}: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error)
            raise InputError(
                f"{name}, line {number + 1}: not valid {codecs.lookup(encoding).name.upper()} ({reason}); "
                "convert the file, or name its encoding"
            ) from error


def _is_damaged(text: str) -> bool:
    """Return whether there are halves of characters in a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_wide(head: bytes, where: str, encoding: str) -> None:
    """Refuse the beginning of a text that is UTF-16 without a mark: a line end has a NUL before or after it."""
    ends = head.count(b"\n")
    # What follows the last one may not have been read.
    few = max(head.count(b"\n\0"), head.count(b"\0\n")) < ends - (ends > 1)
    if few or head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not head.strip(b"\0"):
        return
    # In either order, text has no control characters but NUL.
    texts = [head.decode(order, "ignore").replace("\0", "") for order in ("utf-16-le", "utf-16-be")]
    if not any("".join(text.split()).isprintable() for text in texts):
        raise InputError(f"{where}: NUL characters; this is not text")
    raise InputError(
        f"{where}: a NUL character at each line end, so this is UTF-16 and not {codecs.lookup(encoding).name.upper()}; "
        "say so with --encoding utf-16-le (or utf-16-be), or convert it"
    )


def csv_rows(lines: Iterable[str], name: str, **dialect: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the numbers of their last lines; a quoted cell may go over several.

    Args:
        lines: without their ends.
        name: what to call them in messages.
        dialect: as ``csv.reader`` takes it.

    Raises:
        InputError: for what is not CSV, naming file and line.
    """
    import csv

    # The parser refuses cells of more than 131,072 characters, which texts may have; it has one limit per process.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    reader = csv.reader((f"{line}\n" for line in lines), **dialect)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        where = f"{name}, line {reader.line_num}"
        if str(error).startswith("new-line character"):
            raise InputError(
                f"{where}: a carriage return that ends no line; save the file with LF or CRLF as line ends, "
                "or put the cell in double quotes"
            ) from error
        raise InputError(f"{where}: not CSV ({error})") from error
