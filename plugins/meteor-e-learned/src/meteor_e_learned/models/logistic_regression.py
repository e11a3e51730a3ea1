"""Logistic regression, which estimates the probability that an answer is correct."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, InputError, Meta
from meteor_e.base.array_cache import Floats
from meteor_e.scoring.arrays import apply_scalar
from meteor_e_learned.models.linear import LinearEstimator

MAX_STEPS = 100
"""Maximum number of steps of Newton's method."""
MIN_STEP = 1e-10
"""Training stops if no weight changes by this amount in a step."""


class LogisticRegression(LinearEstimator):
    """Logistic regression with a ridge penalty, which estimates the probability of a positive judgment.

    Features are clipped at extreme quantiles and standardized. Newton's method finds the single minimum of the loss, so
    training is deterministic. The loss is the negative log-likelihood, so the probabilities are calibrated on data that
    resemble the training data.
    """

    name: ClassVar[str] = "logistic-regression"
    task: ClassVar[str] = "scores"
    points: ClassVar[float] = 100
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "intercept")

    intercept_: Floats

    class Options(ComponentOptions):
        """The penalty and the clipping."""

        penalty: Annotated[float, Meta(gt=0, description="Strength of the ridge penalty.")] = 1.0
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training features beyond which values are clipped."),
        ] = 0.001

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> LogisticRegression:
        """Fit the feature weights and the intercept.

        Args:
            X: the features, ``(hypotheses, features)``.
            y: the judgments, 0 or 1.
            groups, sample_weight: unused.

        Raises:
            InputError: if a judgment is neither 0 nor 1, or all judgments are equal.
        """
        X, y = np.asarray(X, float), np.asarray(y, float)  # noqa: N806
        if not np.isin(y, (0, 1)).all():
            raise InputError(f"{self.name} learns from judgments that are 0 or 1; there are other values")
        if not 0 < y.mean() < 1:
            raise InputError(f"{self.name} learns from correct and incorrect answers; all judgments are equal")
        standardized = self._fit_standardization(X, self.options.clip)
        # The last digits of the weights depend on the processor, so the weights are rounded.
        weights = self._minimize_loss(standardized, y).round(8)
        self.weights_, self.intercept_ = weights[:-1], weights[-1:]
        return self

    def _minimize_loss(self, X: Floats, y: Floats) -> Floats:  # noqa: N803
        """Minimize the loss by Newton's method.

        Args:
            X: the standardized features, ``(hypotheses, features)``.
            y: the judgments, 0 or 1.

        Returns:
            The weights of the features, followed by the intercept, ``(features + 1,)``.
        """
        design = np.hstack([X, np.ones((len(X), 1))])  # The last column belongs to the intercept.
        penalty = np.full(design.shape[1], self.options.penalty)
        penalty[-1] = 0  # The intercept is not penalized.
        weights = np.zeros(design.shape[1])
        for _ in range(MAX_STEPS):
            # Unlike matrix products, these sums are bit-identical for any number of threads.
            log_odds = np.ascontiguousarray(design * weights).sum(axis=1)
            probabilities = _logistic(log_odds)
            gradient = np.einsum("ij,i->j", design, probabilities - y) + penalty * weights
            variances = probabilities * (1 - probabilities)
            hessian = np.einsum("ij,ik->jk", design * variances[:, None], design) + np.diag(penalty)
            step = np.linalg.solve(hessian, gradient)
            weights -= step
            if np.abs(step).max() < MIN_STEP:
                break
        return weights

    def contributions(self, features: Floats) -> Floats:
        """Return an array of shape ``(hypotheses, features)`` with the contributions to the log-odds."""
        return self._standardize(features) * self.weights_

    def raw(self, features: Floats) -> Floats:
        """Return the log-odds that each answer is correct."""
        result: Floats = self._apply_weights(self._standardize(features)) + self.intercept_[0]
        return result

    def score_segments(self, features: Floats) -> Floats:
        """Return the probability that each answer is correct."""
        return _logistic(self.raw(features))

    def slope(self, raw: float) -> float:
        """Return the derivative of the logistic function at the given log-odds."""
        probability = float(_logistic(np.array([raw]))[0])
        return probability * (1 - probability)

    def note(self, features: Floats) -> str:
        """Return an empty string, because the scores of a logistic regression need no note."""
        return ""

    def _list_shapes(self, n_features: int) -> dict[str, tuple[int]]:
        return {**super()._list_shapes(n_features), "intercept": (1,)}


def _logistic(values: Floats) -> Floats:
    """Convert log-odds to probabilities."""
    # math.exp gives the same result on all processors, but np.exp does not.
    exponentials = apply_scalar(math.exp, -np.abs(values))
    return np.where(values >= 0, 1, exponentials) / (1 + exponentials)
