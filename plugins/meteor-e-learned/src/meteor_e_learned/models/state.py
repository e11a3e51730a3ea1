"""The state of a training run with several epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats


@dataclass
class TrainingState:
    """The state of a training run between two epochs. An interrupted run can be resumed from this state.

    Attributes:
        phase: the index of the current cost function.
        epoch: the number of finished epochs with this cost function.
        theta, squares: the parameters, and AdaGrad's sums of squared gradients, ``(seeds, parameters)``.
        best_theta, best_tau, best_epoch: the parameters, the τ and the number of the best epoch, one per seed.
        order: the last states of the random number generators, one per seed.
    """

    phase: int
    epoch: int
    theta: Floats
    squares: Floats
    best_theta: Floats
    best_tau: Floats
    best_epoch: NDArray[np.int64]
    order: list[dict[str, Any]]
