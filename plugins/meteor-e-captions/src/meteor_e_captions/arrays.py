"""Arithmetic on arrays that the caption metrics share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


def divide(numerator: Floats, denominator: Floats, default: float | Floats = 0.0) -> Floats:
    """Divide element by element, and return ``default`` where the denominator is not positive."""
    is_positive = denominator > 0
    quotient: Floats = np.where(is_positive, numerator / np.where(is_positive, denominator, 1), default)
    return quotient
