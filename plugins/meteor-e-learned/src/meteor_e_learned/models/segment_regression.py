"""A regression from features to human scores of segments: an absolute score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Examples, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_learned.models.base import pearson
from meteor_e_learned.models.linear import LinearEstimator


@dataclass(frozen=True)
class _Sums:
    """Sufficient statistics of rows for ridge regression: their number, sums, products."""

    count: int
    rows: Floats
    scores: float
    products: Floats
    crossed: Floats

    @staticmethod
    def of(design: Floats, scores: Floats) -> _Sums:
        return _Sums(len(scores), design.sum(axis=0), float(scores.sum()), design.T @ design, design.T @ scores)

    def without(self, other: _Sums) -> _Sums:
        return _Sums(
            self.count - other.count,
            self.rows - other.rows,
            self.scores - other.scores,
            self.products - other.products,
            self.crossed - other.crossed,
        )

    def ridge(self, alpha: float) -> tuple[Floats, float]:
        """Return weights and intercept; the intercept is not penalized."""
        mean = self.rows / self.count
        products = self.products - self.count * np.outer(mean, mean) + alpha * np.eye(len(mean))
        weights = np.asarray(np.linalg.solve(products, self.crossed - mean * self.scores), np.float64)
        return weights, float(self.scores / self.count - mean @ weights)


class SegmentRegression(LinearEstimator):
    """The human score of a hypothesis, by ridge regression on its features and, if folds say so, their squares.

    Features are cut off at extreme quantiles and standardized; strength and degree are chosen by the correlation on
    folds that share no group.
    """

    name: ClassVar[str] = "segment-regression"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    task: ClassVar[str] = "scores"
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "intercept")

    class Options(ComponentOptions):
        """Values to choose from by folds, and clipping."""

        alphas: Annotated[
            tuple[Annotated[float, Meta(gt=0)], ...],
            Meta(min_length=1, description="Strengths of the L2 penalty to choose from."),
        ] = (10.0, 100.0, 1000.0, 10000.0)
        degrees: Annotated[
            tuple[Literal[1, 2], ...],
            Meta(min_length=1, description="Degrees to choose from. 1: the features; 2: their squares, too."),
        ] = (1, 2)
        folds: Annotated[int, Meta(ge=2, description="Number of folds that choose.")] = 5
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training's features beyond which values are clipped."),
        ] = 0.001
        clip_scores: Annotated[
            float,
            Meta(
                ge=0,
                lt=0.5,
                description="Quantile of human scores beyond which they are clipped, so that a few judgments far from "
                "all others do not weigh most; folds compare with the scores as they are.",
            ),
        ] = 0.05
        seed: Annotated[int, Meta(description="Seed of the folds.")] = 1

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> SegmentRegression:
        """Learn.

        Args:
            X: features, ``(hypotheses, features)``.
            y: human scores.
            groups: of hypotheses that must not be torn apart by folds, such as those of one language pair; if there
                is one only, or none are given, folds are drawn among the hypotheses.
            sample_weight: not used.

        Raises:
            ConfigError: for a strength that is not above 0, a degree other than 1 and 2, a single fold, or a quantile
                that is none.
        """
        from sklearn.model_selection import GroupKFold

        X, y = np.asarray(X, float), np.asarray(y, float)  # noqa: N806
        self._fit_bounds(X, self.options.clip)
        self._fit_scale(self._clipped(X).std(axis=0))
        groups = np.arange(len(y)) if groups is None or len(np.unique(groups)) < 2 else groups
        folds = min(self.options.folds, len(np.unique(groups)))
        parts = (
            list(GroupKFold(folds, shuffle=True, random_state=self.options.seed).split(X, y, groups))
            if folds > 1
            else []
        )
        target = y.clip(*np.quantile(y, [self.options.clip_scores, 1 - self.options.clip_scores]))
        found: dict[tuple[int, float], list[float]] = {
            (degree, float(alpha)): [] for degree in self.options.degrees for alpha in self.options.alphas
        }
        sums: dict[int, _Sums] = {}
        for degree in self.options.degrees:
            self.degree_ = degree
            design = self._design(X)
            # What a fold adds to the sums of all is taken off again, so that every fold is gone through but once.
            whole = _Sums.of(design, target)
            for test in (test for _, test in parts):
                rest = whole.without(_Sums.of(design[test], target[test]))
                for alpha in self.options.alphas:
                    weights, intercept = rest.ridge(alpha)
                    value = pearson(design[test] @ weights + intercept, y[test])
                    found[degree, float(alpha)].append(value)
            sums[degree] = whole
        means = {choice: float(np.mean(values)) if values else float("nan") for choice, values in found.items()}
        self.folds_ = {f"degree {degree}, alpha {alpha:g}": value for (degree, alpha), value in means.items()}
        # Scores that do not vary have no correlation, so that nothing can be chosen by it.
        self.degree_, self.alpha_ = max(means, key=lambda choice: -np.inf if np.isnan(means[choice]) else means[choice])
        self.weights_, self.intercept_ = sums[self.degree_].ridge(self.alpha_)
        return self

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn the human scores of segments."""
        super().learn(examples, held, run)
        return {f"folds, {name}": value for name, value in self.folds_.items()}

    def _design(self, X: Floats) -> Floats:  # noqa: N803
        scaled = self._standardized(X)
        result: Floats = scaled if self.degree_ == 1 else np.hstack([scaled, scaled**2 - 1])
        return result

    def score_segments(self, features: Floats) -> Floats:
        """Return scores, ``(hypotheses,)``."""
        return self._weighted(self._design(np.asarray(features, float))) + self.intercept_

    def predict(self, X: Floats) -> Floats:  # noqa: N803
        """Return scores, as scikit-learn calls them."""
        return self.score_segments(X)

    def score(self, X: Floats, y: Floats) -> float:  # noqa: N803
        """Return Pearson's correlation with scores; NaN where one side does not vary."""
        return pearson(self.predict(X), np.asarray(y, float))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        self.intercept_ = float(arrays["intercept"][0])
        if self.low_.ndim != 1 or self.weights_.shape not in ((len(self.low_),), (2 * len(self.low_),)):
            raise ValueError("arrays differ in shape")
        self.degree_ = 1 if self.weights_.shape == self.low_.shape else 2
