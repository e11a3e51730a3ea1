"""Compare words by their characters, or by their Java hash codes like the original METEOR.

The original METEOR in Java compares words by ``String.hashCode``. Different words with the same hash code, such as
``le`` and ``n'``, therefore match. In French, this changes the scores of 17 of 600 news segments. Only the command
``compat`` compares words in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

Identity = Callable[[str], Hashable]


def java_hash(text: str) -> int:
    """Compute Java's ``String.hashCode`` of a string, and return the hash code as an unsigned 32-bit number."""
    value = 0
    if text.isascii():
        for unit in text.encode("ascii"):
            value = (31 * value + unit) & 0xFFFFFFFF
        return value
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    return value


IDENTITIES: dict[str, Identity] = {"word": str, "java": java_hash}
"""Functions from a word to its identity, by their names in the native core."""
