"""Where a training in epochs stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class TrainingState:
    """Where training stands between two epochs; what a resumed one starts from.

    Attributes:
        phase: position in the sequence of costs.
        epoch: epochs done in this phase.
        theta, squares: parameters, and AdaGrad's sums of squared gradients, ``(seeds, parameters)``.
        best_theta, best_tau, best_epoch: of the best epoch so far, a seed each.
        order: the last state of the random number generators, one a seed.
    """

    phase: int
    epoch: int
    theta: Floats
    squares: Floats
    best_theta: Floats
    best_tau: Floats
    best_epoch: NDArray[np.int64]
    order: list[dict[str, Any]]
