"""The counting of :func:`meteor_e_evaluation.exchange.rank_correlation`, in C++; its sources are in ``native``.

Arrays are contiguous and of the very type. Arrays that do not fit each other are a ValueError. A score is that of the
first metric for rating p, or count + p for the second's.

Args:
    order: scores in ascending order, ``(2 × ratings,)``.
    fresh: whether a score differs from the one before, likewise.
    units: row of the masks for each rating, ``(ratings,)``.
    masks: which rows are exchanged, ``(units, samples)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Flags = NDArray[np.uint8]

def kendall(
    order: Numbers, fresh: Flags, units: Numbers, masks: Flags, levels: Numbers, size: int
) -> NDArray[np.int64]:
    """Return counts of pairs with the first metric's scores where nothing is exchanged.

    Args:
        order, fresh, units, masks: as above; of equal scores, equal levels stand together.
        levels: people's scores as dense ranks, ``(ratings,)``.
        size: number of levels.

    Returns:
        ``(samples, 4)``: concordant pairs, pairs that the metric ties, pairs that both sides tie, and
        the number of different scores.
    """

def spearman(order: Numbers, fresh: Flags, units: Numbers, masks: Flags, weights: Numbers) -> NDArray[np.float64]:
    """Return sums of ranks with the first metric's scores where nothing is exchanged.

    Args:
        order, fresh, units, masks: as above.
        weights: what is summed over the ranks, which are doubled; 0 in sum, ``(ratings,)``.

    Returns:
        ``(samples, 2)``: the sum of weights times doubled ranks, and the sum of t³ − t over t equal scores.
    """
