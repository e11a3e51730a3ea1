"""What a text is, and a list of them: what is neither is refused before it is scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from meteor_e.base.errors import InputError

__all__ = ["UNLISTED", "check_items", "check_text", "listed"]

Item = TypeVar("Item")

UNLISTED = (str, bytes, bytearray, Mapping, set, frozenset)
"""What can be iterated over, but is not a list: letters, keys, and sets, whose order changes from run to run."""


def check_text(value: object, what: str = "a segment") -> None:
    """Make sure that a value is a text of whole characters.

    Raises:
        InputError: if it is not.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a text, not {type(value).__name__}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{what} holds half of a character (the surrogate U+{ord(value[error.start]):04X}), as text has that "
                "was read in a wrong encoding"
            ) from None


def listed(values: Iterable[Item], what: str, each: str) -> Iterable[Item]:
    """Return what is a list, or any other iterable with an order.

    Args:
        values: the list.
        what: its name, for messages.
        each: what it has an item for.

    Raises:
        InputError: for a single text, a mapping, a set, and what cannot be iterated over.
    """
    try:
        if isinstance(values, UNLISTED):
            raise TypeError
        iter(values)
    except TypeError:
        raise InputError(f"{what} are a list with one item per {each}, not {_kind(values)}") from None
    return values


def check_items(**sides: Iterable[str | Iterable[str]]) -> dict[str, list[str | list[str]]]:
    """Return sides as lists, each of texts and lists of texts, and as long as the others.

    For libraries that turn whatever they get into texts before a metric sees it.

    Args:
        sides: by name, such as ``predictions``.

    Raises:
        InputError: for anything else, with its side and number.
    """
    found: dict[str, list[str | list[str]]] = {}
    for what, values in sides.items():
        items: list[str | list[str]] = []
        for number, item in enumerate(listed(values, what, "segment"), 1):
            texts = [item] if isinstance(item, str) else list(listed(item, f"segment {number}: {what}", "text"))
            if not texts:
                raise InputError(f"segment {number}: there is no text in the {what}")
            for text in texts:
                check_text(text, f"segment {number}: a text of the {what}")
            items.append(item if isinstance(item, str) else texts)
        found[what] = items
    lengths = {what: len(items) for what, items in found.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(" but ".join(f"{count} {what}" for what, count in lengths.items()) + ": as many are needed")
    return found


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
