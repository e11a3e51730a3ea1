"""What a text is, and a list of them: what is neither is refused before it is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, TypeVar

from meteor_e.base.errors import InputError

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


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON: the ``object_pairs_hook`` that refuses a key that is there twice.

    Raises:
        ValueError: naming the key.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"an object has the key {next(key for key in found if keys.count(key) > 1)!r} twice")
    return found


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
        shown = "None" if values is None else f"a {type(values).__name__}"
        raise InputError(f"{what} are a list with one item per {each}, not {shown}") from None
    return values


def candidates(texts: Any, source: int) -> list[str]:
    """Return the texts that belong to a source, whose number is for messages.

    Raises:
        InputError: for what is not a list of texts.
    """
    found = list(listed(texts, f"source {source}: texts", "candidate"))
    for text in found:
        check_text(text, f"source {source}: a candidate")
    return found


def sides_of_sources(
    hypotheses: Iterable[Any], references: Iterable[Any] | None = None
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the two sides of each source: its hypotheses, and its references, which are by default its hypotheses.

    Raises:
        InputError: for what is not a list of texts, with the number of the source.
    """
    left = listed(hypotheses, "sources", "source")
    # Where one side has more sources, the other has no list of texts for them.
    sides = zip_longest(left, () if references is None else listed(references, "references", "source"))
    for number, (own, others) in enumerate(sides, 1):
        texts = candidates(own, number)
        yield texts, texts if references is None else candidates(others, number)


def check_items(**sides: Any) -> dict[str, list[Any]]:
    """Return sides as lists of texts, each as long as the others.

    Args:
        sides: by name, such as ``hypotheses``. An item of ``references`` may be a list of texts, too.

    Raises:
        InputError: for anything else, with its side and number.
    """
    found: dict[str, list[Any]] = {}
    for what, values in sides.items():
        found[what] = []
        for number, item in enumerate(listed(values, what, "segment"), 1):
            one = isinstance(item, str) or what != "references"
            texts = [item] if one else list(listed(item, f"segment {number}: {what}", "text"))
            if not texts:
                raise InputError(f"segment {number}: there is no text in the {what}")
            for text in texts:
                check_text(text, f"segment {number}: a text of the {what}")
            found[what].append(item if one else texts)
    lengths = {what: len(items) for what, items in found.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(" but ".join(f"{count} {what}" for what, count in lengths.items()) + ": as many are needed")
    return found
