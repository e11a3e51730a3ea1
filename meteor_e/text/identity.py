"""What makes two words one word: the word itself, or the 32-bit hash by which the Java program tells words apart.

``le`` and ``n'`` have one ``String.hashCode``, as have ``je`` and ``l'``, so the Java program takes them for one word.
In French that shows: 17 of 600 news segments get another score. The library compares words, ``compat`` hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

Identity = Callable[[str], Hashable]


def java_hash(text: str) -> int:
    """Return Java's ``String.hashCode`` of a text, as an unsigned 32-bit number.

    It is defined in the public documentation of ``java.lang.String``.
    """
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
"""Functions from a word to its identity, by the names that the native core knows them by."""
