"""Fields of the files of judgments that hold numbers, and what is said where they hold none."""

from __future__ import annotations

import math

from meteor_e.api import InputError


def finite_number(text: str, what: str, where: str) -> float:
    """Return the number that a field holds.

    Args:
        text: the field.
        what: the field's name, for messages.
        where: file and line, for messages.

    Raises:
        InputError: if it is not a number, or not a finite one.
    """
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a number") from None
    if not math.isfinite(value):
        raise InputError(f"{where}: {what} is {text!r}; a finite number was expected")
    return value


def whole_number(text: str, what: str, where: str) -> int:
    """Return the whole number that a field holds; the arguments are those of :func:`finite_number`.

    Raises:
        InputError: if it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{where}: {what} is {text!r}, not a whole number") from None
