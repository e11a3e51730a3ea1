"""What says which model gave a score, and how sure a system's score is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.array_cache import digest
from meteor_e_learned.modelfile import LearnedModel


@dataclass(frozen=True)
class SystemScore:
    """A system's score and its 95 % bootstrap interval over segments."""

    score: float
    low: float
    high: float


def signature_of(model: LearnedModel) -> str:
    """Return what must be the same for a model's scores to be the same."""
    arrays = model.estimator.arrays()
    learned = digest(f"{key}:{value.tobytes().hex()}" for key, value in sorted(arrays.items()))[:16]
    options = digest(f"{key}={value!r}" for key, value in sorted(model.estimator.get_params().items()))[:8]
    found = f"model:{model.recipe.name}|{model.recipe.estimator}|options:{options}|learned:{learned}"
    return f"{found}|unescape" if model.recipe.unescape else found


def system_interval(
    model: LearnedModel, segments: NDArray[np.float64], *, samples: int = 1000, seed: int = 1
) -> SystemScore:
    """Return a system's score with a 95 % bootstrap interval over its segments.

    Args:
        model: says what a system's score is of its segments'.
        segments: their scores, ``(segments,)``.
        samples: of the bootstrap.
        seed: of the samples.

    Raises:
        InputError: if there are no segments, or no samples.
    """
    if not len(segments) or samples < 1:
        raise InputError("an interval needs segments, and samples of them")
    mean = model.estimator.system_score
    draw = np.random.default_rng(seed)
    drawn = np.array([mean(segments[draw.integers(len(segments), size=len(segments))])[0] for _ in range(samples)])
    low, high = np.quantile(drawn, [0.025, 0.975])
    return SystemScore(float(mean(segments)[0]), float(low), float(high))
