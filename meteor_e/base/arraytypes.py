"""Names of the types of arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

Cells: TypeAlias = NDArray[np.bool_]
"""Which cells are wanted: ``(systems, segments)`` truth values."""
