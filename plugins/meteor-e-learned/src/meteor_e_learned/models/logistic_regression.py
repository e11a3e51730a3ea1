"""The probability that an answer is correct, by logistic regression."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, InputError, Meta
from meteor_e.base.array_cache import Floats
from meteor_e.scoring.arrays import apply_scalar
from meteor_e_learned.models.linear import LinearEstimator

MOST_STEPS = 100
"""Steps of Newton's method after which training stops."""
SMALLEST_STEP = 1e-10
"""The largest change of a weight in the last step."""


class LogisticRegression(LinearEstimator):
    """The probability of the judgment 1, by logistic regression with a ridge penalty.

    Features are clipped at extreme quantiles and standardized. Newton's method finds the only minimum of the loss, so
    training twice gives the same weights. Because the loss is the likelihood, probabilities are calibrated on data
    like the training's.
    """

    name: ClassVar[str] = "logistic-regression"
    task: ClassVar[str] = "scores"
    points: ClassVar[float] = 100
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "intercept")

    intercept_: Floats

    class Options(ComponentOptions):
        """Penalty and clipping."""

        penalty: Annotated[float, Meta(gt=0, description="Strength of the ridge penalty, as a number of rows.")] = 1.0
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training's features beyond which values are clipped."),
        ] = 0.001

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> LogisticRegression:
        """Learn.

        Args:
            X: features, ``(hypotheses, features)``.
            y: judgments, 0 or 1.
            groups, sample_weight: unused.

        Raises:
            InputError: if a judgment is neither 0 nor 1, or all judgments are equal.
        """
        X, y = np.asarray(X, float), np.asarray(y, float)  # noqa: N806
        if not np.isin(y, (0, 1)).all():
            raise InputError(f"{self.name} learns from judgments that are 0 or 1; there are others")
        if not 0 < y.mean() < 1:
            raise InputError(f"{self.name} learns from correct and incorrect answers; all judgments are equal")
        self._fit_bounds(X, self.options.clip)
        self._fit_scale(self._clipped(X).std(axis=0))
        design = np.hstack([self._standardized(X), np.ones((len(X), 1))])
        penalty = np.full(design.shape[1], self.options.penalty)
        penalty[-1] = 0  # The intercept is not penalized.
        weights = np.zeros(design.shape[1])
        for _ in range(MOST_STEPS):
            probabilities = _logistic(np.ascontiguousarray(design * weights).sum(axis=1))
            # A product of matrices would be added up in another order with another number of threads.
            gradient = np.einsum("ij,i->j", design, probabilities - y) + penalty * weights
            curvature = probabilities * (1 - probabilities)
            hessian = np.einsum("ij,ik->jk", design * curvature[:, None], design) + np.diag(penalty)
            # A feature that does not vary has a weight of 0.
            step = np.linalg.solve(hessian, gradient)
            weights -= step
            if np.abs(step).max() < SMALLEST_STEP:
                break
        # The last digits of a solution depend on the processor.
        weights = weights.round(8)
        self.weights_, self.intercept_ = weights[:-1], weights[-1:]
        return self

    def contributions(self, features: Floats) -> Floats:
        """Return the log-odds that each feature adds, ``(hypotheses, features)``."""
        result: Floats = self._standardized(features) * self.weights_
        return result

    def raw(self, features: Floats) -> Floats:
        """Return the log-odds, ``(hypotheses,)``."""
        result: Floats = self._weighted(self._standardized(features)) + self.intercept_[0]
        return result

    def score_segments(self, features: Floats) -> Floats:
        """Return probabilities, ``(hypotheses,)``."""
        return _logistic(self.raw(features))

    def slope(self, raw: float) -> float:
        """Return how much the probability rises per unit of log-odds."""
        probability = float(_logistic(np.array([raw]))[0])
        return probability * (1 - probability)

    def note(self, features: Floats) -> str:
        """Return an empty text; all of the score is learned."""
        return ""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        if self.weights_.shape != self.low_.shape or self.intercept_.shape != (1,):
            raise ValueError("arrays differ in shape")


def _logistic(values: Floats) -> Floats:
    # NumPy's exponentials differ in the last bit from processor to processor.
    exponentials = apply_scalar(math.exp, -np.abs(values))
    result: Floats = np.where(values >= 0, 1, exponentials) / (1 + exponentials)
    return result
