"""State of a training in epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats


@dataclass
class TrainingState:
    """State of a training between two epochs, from which a resumed one goes on.

    Attributes:
        phase: position in the sequence of costs.
        epoch: epochs done in this phase.
        theta, squares: parameters, and AdaGrad's sums of squared gradients, ``(seeds, parameters)``.
        best_theta, best_tau, best_epoch: of the best epoch so far, a seed each.
        order: the last state of the random number generators, one per seed.
    """

    phase: int
    epoch: int
    theta: Floats
    squares: Floats
    best_theta: Floats
    best_tau: Floats
    best_epoch: NDArray[np.int64]
    order: list[dict[str, Any]]
