"""What the Java platform does to numbers, bytes and hash tables, where METEOR's output shows it.

The sources are the public API documentation of ``java.lang.Double``, ``java.lang.String.hashCode`` and
``java.util.Hashtable``, and what OpenJDK 17 does with input made for the purpose.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from meteor_e.base.errors import InputError
from meteor_e.base.files import MAX_LINE, spell_size
from meteor_e.text.identity import java_hash


def java_double(value: float) -> str:
    """Return the number as Java's ``Double.toString`` prints it.

    The digits are the fewest that name the number, as in Python and in Java 19 and later; older Java prints
    one digit more for a few numbers, nearly all of them above 1e15. The layout is Java's: ``0.001`` up to
    ``9999999.0`` in full, everything else as ``1.0E-5`` or ``1.2345678E7``.
    """
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(float(value))
    if "e" not in text and (text == "0.0" or text == "-0.0" or 1e-3 <= abs(value) < 1e7):
        return text
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).strip("0")
    if len(digits) == 1:
        # Java prints two digits at least, and picks the two that come closest: 4.9E-324, not 5.0E-324.
        mantissa, _, exponent = format(abs(value), ".1e").partition("e")
        return f"{sign}{mantissa}E{int(exponent)}"
    leading = len(whole + fraction) - len((whole + fraction).lstrip("0"))
    power = len(whole) - leading - 1 + int(exponent or 0)
    return f"{sign}{digits[0]}.{digits[1:]}E{power}"


_DOUBLE = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<name>NaN|Infinity)"
    r"|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?)"
)
_CONTROL = "".join(map(chr, range(0x21)))


def parse_java_double(text: str) -> float:
    """Read a number as Java's ``Double.parseDouble`` does.

    Raises:
        ValueError: if Java would not take it.
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
        value = float(match["decimal"] or {"NaN": "nan", "Infinity": "inf"}[match["name"]])
    return -value if match["sign"] == "-" else value


def parse_java_int(text: str) -> int:
    """Read a number as Java's ``Integer.parseInt`` does.

    Raises:
        ValueError: if Java would not take it, which includes everything beyond 32 bits.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,40}", text) or not -(2**31) <= int(text) < 2**31:
        raise ValueError(f"not a whole number of 32 bits: {text!r}")
    return int(text)


def _replace_malformed(error: UnicodeError) -> tuple[str, int]:
    """Replace malformed UTF-8 by U+FFFD with the JDK's idea of how many bytes one replacement stands for.

    It differs from Python's for encoded surrogates only, which Java replaces as one.
    """
    assert isinstance(error, UnicodeDecodeError)
    data, start = error.object, error.start
    following = data[start + 1 : start + 3]
    if data[start] == 0xED and following and 0xA0 <= following[0] <= 0xBF:
        return "\ufffd", start + (3 if len(following) == 2 and 0x80 <= following[1] <= 0xBF else 2)
    return "\ufffd", error.end


codecs.register_error("meteor_e.java", _replace_malformed)

_LINE_END = re.compile(rb"\r\n|\r|\n")


def java_trim(text: str) -> str:
    """Return a text as Java's ``String.trim`` does: without the characters up to the space at its ends."""
    return text.strip(_CONTROL)


class ByteSource(Protocol):
    """What lines are read from: a buffered binary stream."""

    def read1(self, size: int = -1, /) -> bytes:
        """Return what is there, at least one byte, or nothing at the end."""


def java_lines(stream: ByteSource) -> Iterator[str]:
    r"""Iterate over lines as Java's ``BufferedReader`` over UTF-8 does.

    ``\n``, ``\r`` and ``\r\n`` end a line, and nothing else does; malformed UTF-8 becomes U+FFFD; a byte order
    mark is a character like any other. A line is returned as soon as its end is read.

    Raises:
        InputError: for a line of more than 64 MiB.
    """
    pending: list[bytes] = []
    size, number, skip_line_feed = 0, 1, False
    while chunk := stream.read1(1 << 16):
        if skip_line_feed and chunk[0] == 0x0A:
            chunk = chunk[1:]
        skip_line_feed = chunk.endswith(b"\r")
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if end:
            lines = _decoded(b"".join((*pending, chunk[:end])))
            yield from lines
            pending.clear()
            size, number = 0, number + len(lines)
        rest = chunk[end:]
        if rest:
            pending.append(rest)
            size += len(rest)
            if size > MAX_LINE:
                raise InputError(
                    f"line {number}: longer than {spell_size(MAX_LINE)}; this is not text, one segment per line"
                )
    if pending:
        yield b"".join(pending).decode("utf-8", "meteor_e.java")


def _decoded(data: bytes) -> list[str]:
    """Return the lines of bytes that end with a line."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return [line.decode("utf-8", "meteor_e.java") for line in _LINE_END.split(data)[:-1]]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text[:-1].split("\n")


def hashtable_order(keys: Iterable[str]) -> list[str]:
    """Return distinct keys, put in in this order, in the order in which Java's ``Hashtable`` lists them."""
    buckets: list[list[str]] = [[] for _ in range(11)]

    def put(key: str) -> None:
        buckets[(java_hash(key) & 0x7FFFFFFF) % len(buckets)].insert(0, key)

    for count, key in enumerate(dict.fromkeys(keys)):
        if count >= int(len(buckets) * 0.75):
            old = [key for bucket in reversed(buckets) for key in bucket]
            buckets = [[] for _ in range(2 * len(buckets) + 1)]
            for moved in old:
                put(moved)
        put(key)
    return [key for bucket in reversed(buckets) for key in bucket]


def hash_map_order(keys: Iterable[str]) -> list[str]:
    """Return distinct keys, put in in this order, in the order in which Java's ``HashMap`` lists them."""
    distinct = list(dict.fromkeys(keys))
    size = 16
    while len(distinct) > size * 0.75:
        size *= 2
    return sorted(distinct, key=lambda key: (java_hash(key) ^ java_hash(key) >> 16) & (size - 1))
