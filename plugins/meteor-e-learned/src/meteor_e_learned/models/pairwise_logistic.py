"""Pairwise ranker that uses logistic regression on feature differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Examples, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.linear import LinearEstimator, disable_constants

Strength = Annotated[float, Meta(gt=0)]


class PairwiseLogistic(LinearEstimator):
    """A ranker that compares two hypotheses by a weighted sum of feature differences.

    Without an intercept, swapping the two hypotheses reverses the decision. The score of a single hypothesis is the
    weighted sum of its features. Features are clipped at extreme quantiles, and divided by the standard deviation of
    their differences.
    """

    name: ClassVar[str] = "pairwise-logistic"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    class Options(ComponentOptions):
        """The regularization strength, and the settings of the cross-validation that selects the strength."""

        C: Annotated[
            Strength | Annotated[list[Strength], Meta(min_length=1)],
            Meta(description="Inverse strength of the L2 penalty, or a list from which cross-validation selects."),
        ] = 0.01
        folds: Annotated[int, Meta(ge=2, description="Number of folds of the cross-validation.")] = 5
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training features beyond which values are clipped."),
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
        """Fit the weights.

        Args:
            X: the features of the first hypotheses, then those of the second hypotheses, ``(pairs, 2 * features)``.
            y: 1 if the first hypothesis is better, 0 if the second is.
            groups: the segment of each pair. Pairs of the same segment are in the same fold.
            sample_weight: the weights of the pairs.
        """
        labels = np.asarray(y)
        differences = self._fit_differences(np.asarray(X, float))
        pair_weights = np.ones(len(labels)) if sample_weight is None else sample_weight
        self.C_ = self._select_inverse_strength(differences, labels, groups, pair_weights)
        self.weights_ = _fit_weights(self.C_, differences, labels, pair_weights)
        return self

    def _fit_differences(self, X: Floats) -> Floats:  # noqa: N803
        """Learn how features are clipped and scaled, and return the scaled feature differences, ``(pairs, features)``.

        Args:
            X: the features of the first hypotheses, then those of the second hypotheses, ``(pairs, 2 * features)``.
        """
        hypotheses = np.vstack(np.hsplit(X, 2))
        self.low_, self.high_ = np.quantile(hypotheses, [self.options.clip, 1 - self.options.clip], axis=0)
        clipped = hypotheses.clip(self.low_, self.high_)
        self.mean_ = clipped.mean(axis=0)
        first, second = np.vsplit(clipped, 2)
        differences = first - second
        self.scale_ = disable_constants(np.sqrt((differences**2).mean(axis=0)))
        scaled_differences: Floats = differences / self.scale_
        return scaled_differences

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from comparisons."""
        super().learn(examples, validation, run)
        return {"C": self.C_}

    def _select_inverse_strength(
        self, differences: Floats, labels: NDArray[Any], groups: NDArray[Any] | None, pair_weights: Floats
    ) -> float:
        """Return the option ``C``. If it is a list, select its best item by cross-validation.

        Args:
            differences: the scaled differences of features, ``(pairs, features)``.
            labels: 1 if the first hypothesis of a pair is better, and 0 if the second hypothesis is better.
            groups: the group of each pair. Pairs of the same group are in the same fold.
            pair_weights: the weight of each pair.
        """
        if not isinstance(self.options.C, list | tuple):
            return float(self.options.C)
        from sklearn.model_selection import GroupKFold

        pair_groups = np.arange(len(labels)) if groups is None else groups
        splitter = GroupKFold(self.options.folds, shuffle=True, random_state=self.options.seed)
        folds = list(splitter.split(differences, labels, pair_groups))
        correct_weights = {
            inverse_strength: _cross_validate(inverse_strength, differences, labels, pair_weights, folds)
            for inverse_strength in sorted(map(float, self.options.C))
        }
        # If several values of C are equally good, max returns the smallest, because a small C regularizes most.
        return max(correct_weights, key=correct_weights.__getitem__)

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return a number for each pair, which is positive if the first hypothesis is better."""
        X = np.asarray(X, float)  # noqa: N806
        n_features = len(self.low_)
        if X.shape[1] != 2 * n_features:
            raise ConfigError(f"{X.shape[1]} numbers per pair; the model has {n_features} features per hypothesis")
        differences = self._clip(X[:, :n_features]) - self._clip(X[:, n_features:])
        return (differences / self.scale_) @ self.weights_

    def predict(self, X: Floats) -> NDArray[np.int64]:  # noqa: N803
        """Return 1 for each pair whose first hypothesis is better, and 0 for the other pairs."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def predict_proba(self, X: Floats) -> Floats:  # noqa: N803
        """Return the probabilities of both labels for each pair. Label 1 means that the first hypothesis is better."""
        first = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.stack([1 - first, first], axis=1)

    def score(self, X: Floats, y: NDArray[Any]) -> float:  # noqa: N803
        """Return Kendall's τ between the model's decisions and the true labels. Tied decisions count as wrong."""
        return strict_tau(self.decision_function(X) * np.where(np.asarray(y) == 1, 1, -1))

    def score_segments(self, features: Floats) -> Floats:
        """Return the score of each hypothesis. A hypothesis with average features has the score 0."""
        return self._apply_weights(self._standardize(features))


def _cross_validate(
    inverse_strength: float,
    differences: Floats,
    labels: NDArray[Any],
    pair_weights: Floats,
    folds: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
) -> float:
    """Return the total weight of the pairs whose order is predicted correctly in a cross-validation.

    Args:
        inverse_strength: the inverse strength of the L2 penalty.
        differences: the scaled differences of features, ``(pairs, features)``.
        labels: 1 if the first hypothesis of a pair is better, and 0 if the second hypothesis is better.
        pair_weights: the weight of each pair.
        folds: the indexes of the training pairs and of the test pairs in each fold.
    """
    # The features of the better hypothesis minus the features of the worse hypothesis, (pairs, features).
    advantages = np.where(labels[:, None] == 1, differences, -differences)
    correct_weight = 0.0
    for rows, test_rows in folds:
        weights = _fit_weights(inverse_strength, differences[rows], labels[rows], pair_weights[rows])
        is_correct = advantages[test_rows] @ weights > 0
        correct_weight += float(is_correct @ pair_weights[test_rows])
    return correct_weight


def _fit_weights(inverse_strength: float, differences: Floats, labels: NDArray[Any], pair_weights: Floats) -> Floats:
    """Fit a logistic regression without an intercept, and return the weights of the features."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=inverse_strength, fit_intercept=False, max_iter=2000)
    # Each pair is used in both orders, so that both labels are equally frequent.
    model.fit(np.vstack([differences, -differences]), np.r_[labels, 1 - labels], np.r_[pair_weights, pair_weights])
    weights: Floats = model.coef_[0].astype(float)
    return weights
