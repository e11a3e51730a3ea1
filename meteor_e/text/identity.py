"""What makes two words one word: the word itself, or the 32-bit hash by which the Java program tells words apart.

``le`` and ``n'`` have one ``String.hashCode``, as have ``je`` and ``l'``, so the Java program takes them for one word.
In French that shows: 17 of 600 news segments get another score. The library compares words, ``compat`` hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from meteor_e.base.errors import ConfigError

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


def find_identity(name: str) -> Identity:
    """Return the function from a word to its identity.

    Args:
        name: ``word`` or ``java``. The native core knows both by these names.

    Raises:
        ConfigError: for another name.
    """
    known: dict[str, Identity] = {"word": str, "java": java_hash}
    if name not in known:
        raise ConfigError(f"unknown identity of words {name!r}; there are {' and '.join(known)}")
    return known[name]
