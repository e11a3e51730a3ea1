"""Logistic regression on differences of features: the linear pairwise ranker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Examples, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.linear import LinearEstimator

Strength = Annotated[float, Meta(gt=0)]


class PairwiseLogistic(LinearEstimator):
    """Decides between two hypotheses by a weighted sum of the differences of their features.

    Swapping the hypotheses turns the decision round, so there is no intercept, and the same weights give a score of
    a single hypothesis. Features are divided by the standard deviation of their differences, and clipped to what
    occurred in training, so that a segment unlike any other is no outlier.
    """

    name: ClassVar[str] = "pairwise-logistic"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    class Options(ComponentOptions):
        """Strength of the penalty, and how it is chosen."""

        C: Annotated[
            Strength | Annotated[list[Strength], Meta(min_length=1)],
            Meta(description="Inverse strength of the L2 penalty, or a list from which folds choose."),
        ] = 0.01
        folds: Annotated[int, Meta(ge=2, description="Number of folds of the training pairs that choose.")] = 5
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training's features beyond which values are clipped."),
        ] = 0.001
        seed: Annotated[int, Meta(description="Seed of the folds.")] = 1

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: NDArray[Any],
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> PairwiseLogistic:
        """Learn.

        Args:
            X: features of the first hypotheses, then of the second ones, ``(pairs, 2 · features)``.
            y: 1 where the first is better, 0 where the second is.
            groups: of pairs that must not be torn apart by folds: the segment.
            sample_weight: of the pairs.
        """
        X, labels = np.asarray(X, float), np.asarray(y)  # noqa: N806
        size = X.shape[1] // 2
        self._fit_bounds(np.vstack([X[:, :size], X[:, size:]]), self.options.clip)
        differences = self._differences(X)
        self._fit_scale(np.sqrt((differences**2).mean(axis=0)))
        scaled = differences / self.scale_
        self.C_ = self._choose(scaled, labels, groups, sample_weight)
        self.weights_ = _regression(self.C_, scaled, labels, sample_weight)
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from comparisons."""
        super().learn(examples, held, run)
        return {"C": self.C_}

    def _choose(
        self, scaled: Floats, labels: NDArray[Any], groups: NDArray[Any] | None, sample_weight: Floats | None
    ) -> float:
        if not isinstance(self.options.C, list | tuple):
            return float(self.options.C)
        from sklearn.model_selection import GroupKFold

        sign = np.where(labels == 1, 1.0, -1.0)[:, None]
        groups = np.arange(len(labels)) if groups is None else groups
        found: dict[float, float] = {}
        parts = list(
            GroupKFold(self.options.folds, shuffle=True, random_state=self.options.seed).split(scaled, labels, groups)
        )
        for strength in self.options.C:
            right = 0.0
            for train, test in parts:
                weight = None if sample_weight is None else sample_weight[train]
                won = (scaled[test] * sign[test]) @ _regression(strength, scaled[train], labels[train], weight) > 0
                right += float(won.sum() if sample_weight is None else won @ sample_weight[test])
            found[float(strength)] = right
        self.folds_ = found
        return max(found, key=lambda strength: (found[strength], -strength))

    def _differences(self, X: Floats) -> Floats:  # noqa: N803
        size = X.shape[1] // 2
        if size != len(self.low_) or X.shape[1] % 2:
            raise ConfigError(f"{X.shape[1]} numbers per pair; the model has {len(self.low_)} features per hypothesis")
        result: Floats = self._clipped(X[:, :size]) - self._clipped(X[:, size:])
        return result

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return how much better the first hypothesis is; below 0, the second is better."""
        result: Floats = (self._differences(np.asarray(X, float)) / self.scale_) @ self.weights_
        return result

    def predict(self, X: Floats) -> NDArray[np.int64]:  # noqa: N803
        """Return 1 where the first hypothesis is better, else 0."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def predict_proba(self, X: Floats) -> Floats:  # noqa: N803
        """Return the probabilities that the second, and that the first hypothesis is better."""
        first = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.stack([1 - first, first], axis=1)

    def score(self, X: Floats, y: NDArray[Any]) -> float:  # noqa: N803
        """Return the strict τ of the decisions."""
        return strict_tau(self.decision_function(X) * np.where(np.asarray(y) == 1, 1, -1))

    def score_segments(self, features: Floats) -> Floats:
        """Return a score of each hypothesis, ``(hypotheses,)``: 0 for one with the training's mean features."""
        return self._weighted(self._standardized(features))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        if self.weights_.shape != self.low_.shape:
            raise ValueError("arrays differ in shape")


def _regression(strength: float, scaled: Floats, labels: NDArray[Any], weight: Floats | None) -> Floats:
    """Return the weights of logistic regression without an intercept."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    # Both orders, so that the labels are balanced whatever they were.
    model.fit(
        np.vstack([scaled, -scaled]), np.r_[labels, 1 - labels], None if weight is None else np.r_[weight, weight]
    )
    found: Floats = model.coef_[0].astype(float)
    return found
