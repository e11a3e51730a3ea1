"""Vectors of length 1, in single precision as METEOR-E computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row divided by its length; zeros stay zeros.

    The squares are added up in double precision in the order of the dimensions, whatever the number of rows, so
    that a word's vector does not depend on the words that it is asked for with.
    """
    squares = np.zeros(len(rows))
    for column in rows.T.astype(np.float64):
        squares += column * column
    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32)
