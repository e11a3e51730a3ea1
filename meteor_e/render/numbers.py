"""Numbers as people read them."""

from __future__ import annotations

import math


def shown_number(value: float | None, digits: int, sign: str = "") -> str:
    """Return a number with so many decimals; a dash for what is undefined, nothing for ``None``.

    Args:
        value: the number.
        digits: decimals.
        sign: ``+`` to write the sign of positive numbers, too.
    """
    if value is None:
        return ""
    return "–" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def shown_p(p: float | None, digits: int = 4) -> str:
    """Return a p-value; very small ones as ``<0.0001``."""
    least = 10**-digits
    return f"<{least:.{digits}f}" if p is not None and p < least else shown_number(p, digits)
