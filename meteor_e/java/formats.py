"""Reproduce Java's number formats, text decoding and hash table order, on which the output of METEOR 1.5 depends.

The sources are the public API documentation of ``java.lang.Double``, ``java.lang.String.hashCode`` and
``java.util.Hashtable``, and experiments with OpenJDK 17.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from meteor_e.base.errors import InputError, add_location
from meteor_e.base.files import MAX_LINE, input_name, open_binary, os_errors_as, spell_size
from meteor_e.text.identity import java_hash


def java_double(value: float) -> str:
    """Format a number like Java's ``Double.toString``.

    The result has the fewest digits that identify the number, as in Python and in Java 19 and later. Older versions of
    Java print one more digit for a few numbers, nearly all of them above 1e15. Numbers from ``0.001`` to ``9999999.0``
    are written in decimal notation, all others in scientific notation, such as ``1.0E-5`` or ``1.2345678E7``.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    return _format_scientific(float(value))


def _format_scientific(value: float) -> str:
    """Format a finite number other than 0 in Java's scientific notation, with at least two digits."""
    from decimal import Decimal  # This import is slow, and most numbers are in decimal notation.

    number = Decimal(repr(value)).normalize()
    if len(number.as_tuple().digits) == 1:
        # Java prints at least two digits, and chooses those closest to the value: 4.9E-324 instead of 5.0E-324.
        number = Decimal(f"{value:.1e}")
    return f"{number:E}".replace("E+", "E")


_DOUBLE = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<constant>NaN|Infinity)"
    r"|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?)"
)
_CONTROL = "".join(map(chr, range(0x21)))


def parse_java_double(text: str) -> float:
    """Parse a number in the same way as Java's ``Double.parseDouble``.

    Raises:
        ValueError: if Java would raise an exception.
    """
    match = _DOUBLE.fullmatch(text.strip(_CONTROL))
    if not match:
        raise ValueError(f"not a number: {text!r}")
    if match["hex"]:
        try:
            value = float.fromhex(match["hex"])
        except OverflowError:
            value = math.inf
    else:
        value = float(match["constant"] or match["decimal"])
    return -value if match["sign"] == "-" else value


def parse_java_int(text: str) -> int:
    """Parse a number in the same way as Java's ``Integer.parseInt``.

    Raises:
        ValueError: if Java would raise an exception, also for numbers of more than 32 bits.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,40}", text) or not -(2**31) <= int(text) < 2**31:
        raise ValueError(f"not a whole number of 32 bits: {text!r}")
    return int(text)


def _replace_malformed(error: UnicodeError) -> tuple[str, int]:
    """Replace malformed UTF-8 with as many U+FFFD characters as the JDK inserts.

    Python and the JDK differ only in encoded surrogates: the JDK replaces all bytes of a surrogate with one U+FFFD.
    """
    assert isinstance(error, UnicodeDecodeError)
    data = error.object[error.start : error.start + 3]
    is_surrogate = data[0] == 0xED and len(data) > 1 and 0xA0 <= data[1] <= 0xBF
    if not is_surrogate:
        return "\ufffd", error.end
    is_complete = len(data) == 3 and 0x80 <= data[2] <= 0xBF
    return "\ufffd", error.start + (3 if is_complete else 2)


codecs.register_error("meteor_e.java", _replace_malformed)

BLOCK_SIZE = 1 << 16
"""Maximum number of bytes that are read at once."""


def java_trim(text: str) -> str:
    """Remove characters up to U+0020 from both ends of a string, like Java's ``String.trim``."""
    return text.strip(_CONTROL)


class ByteSource(Protocol):
    """A buffered binary stream."""

    def read1(self, size: int = -1, /) -> bytes:
        """Return at least one byte, or empty bytes at the end of the stream."""


def java_lines(stream: ByteSource) -> Iterator[str]:
    r"""Iterate over the lines of UTF-8 text like Java's ``BufferedReader``.

    Only ``\n``, ``\r`` and ``\r\n`` end a line. Malformed UTF-8 becomes U+FFFD. A byte order mark is an ordinary
    character. Each line is yielded as soon as its end has been read.

    Raises:
        InputError: for a line of more than 64 MiB.
    """
    unfinished_line = bytearray()
    line_count = 0
    for block in _read_blocks(stream):  # The blocks contain only the line end "\n".
        block_start, line_end, block_end = block.rpartition(b"\n")
        if line_end:
            lines = _decode(unfinished_line + block_start).split("\n")
            yield from lines
            line_count += len(lines)
            unfinished_line.clear()
        unfinished_line += block_end
        if len(unfinished_line) > MAX_LINE:
            raise InputError(
                f"line {line_count + 1}: longer than {spell_size(MAX_LINE)}; this is not text with one segment per line"
            )
    if unfinished_line:
        yield _decode(unfinished_line)


def _read_blocks(stream: ByteSource) -> Iterator[bytes]:
    r"""Yield the blocks of a stream. The line ends ``\r`` and ``\r\n`` are replaced with ``\n``."""
    ends_with_return = False
    while block := stream.read1(BLOCK_SIZE):
        if ends_with_return:
            # If a block ends with "\r" and the next block begins with "\n", both characters form one line end.
            block = block.removeprefix(b"\n")
        ends_with_return = block.endswith(b"\r")
        yield block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _decode(data: bytes | bytearray) -> str:
    """Decode UTF-8. Malformed UTF-8 is replaced in the same way as by the JDK."""
    return data.decode("utf-8", "meteor_e.java")


def hashtable_order(keys: Iterable[str]) -> list[str]:
    """Return the order in which a Java ``Hashtable`` iterates over keys that were added in the given order."""
    buckets: list[list[str]] = [[] for _ in range(11)]
    for count, key in enumerate(dict.fromkeys(keys)):
        if count >= int(len(buckets) * 0.75):
            larger_buckets: list[list[str]] = [[] for _ in range(2 * len(buckets) + 1)]
            for old_key in _iterate_buckets(buckets):
                _put(old_key, larger_buckets)
            buckets = larger_buckets
        _put(key, buckets)
    return list(_iterate_buckets(buckets))


def _put(key: str, buckets: list[list[str]]) -> None:
    """Add a key to the buckets of a Java ``Hashtable``."""
    index = (java_hash(key) & 0x7FFFFFFF) % len(buckets)
    buckets[index].insert(0, key)


def _iterate_buckets(buckets: list[list[str]]) -> Iterator[str]:
    """Yield the keys of a Java ``Hashtable`` in its iteration order."""
    for bucket in reversed(buckets):
        yield from bucket


def hash_map_order(keys: Iterable[str]) -> list[str]:
    """Return the order in which a Java ``HashMap`` iterates over keys that were added in the given order."""
    distinct = list(dict.fromkeys(keys))
    size = 16
    while len(distinct) > size * 0.75:
        size *= 2
    return sorted(distinct, key=lambda key: (java_hash(key) ^ java_hash(key) >> 16) & (size - 1))


def read_java_lines(path: str) -> list[str]:
    """Read the lines of a file in the same way as METEOR 1.5."""
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"), add_location(name):
        return list(java_lines(cast(Any, stream)))
