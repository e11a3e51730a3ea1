"""The parameters of METEOR's formula."""

from __future__ import annotations

import math
from dataclasses import dataclass

from meteor_e.base.errors import ConfigError


@dataclass(frozen=True)
class Parameters:
    """α, β, γ, δ and one weight per matcher, as in METEOR 1.5 (Denkowski and Lavie, 2014).

    Attributes:
        alpha: balance of precision and recall, in [0, 1]; the higher, the more recall counts.
        beta: exponent of the fragmentation, at least 0.
        gamma: largest share of the score that the fragmentation penalty takes, in [0, 1].
        delta: weight of content words, in [0, 1]; function words weigh ``1 - delta``.
        weights: one weight per matcher, in chain order, each at least 0.

    Raises:
        ConfigError: when a value is out of its range or not a number.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("alpha", "gamma", "delta"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ConfigError(f"parameter {name} is {value}; it must be between 0 and 1")
        if not (self.beta >= 0 and math.isfinite(self.beta)):
            raise ConfigError(f"parameter beta is {self.beta}; it must be 0 or more")
        for weight in self.weights:
            if not (weight >= 0 and math.isfinite(weight)):
                raise ConfigError(f"matcher weight is {weight}; it must be 0 or more")
