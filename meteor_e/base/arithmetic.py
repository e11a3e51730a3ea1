"""Arithmetic whose results do not depend on the version of Python."""

from __future__ import annotations

from collections.abc import Iterable


def add_in_order(values: Iterable[float]) -> float:
    """Add floating-point numbers one after the other.

    Since Python 3.12, the built-in function ``sum`` compensates rounding errors. Its last digits therefore depend on
    the version of Python.
    """
    total = 0.0
    for value in values:
        total += value
    return total
