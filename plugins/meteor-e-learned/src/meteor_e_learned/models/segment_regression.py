"""Ridge regression, which predicts the human scores of segments from their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Examples, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e_learned.models.base import pearson
from meteor_e_learned.models.linear import LinearEstimator


@dataclass(frozen=True)
class _Sums:
    """Sufficient statistics of a ridge regression.

    Attributes:
        count: the number of rows.
        rows: the sum of the rows, ``(features,)``.
        scores: the sum of the human scores.
        products: the sum of the outer products of the rows, ``(features, features)``.
        cross_products: the sum of the products of rows and scores, ``(features,)``.
    """

    count: int
    rows: Floats
    scores: float
    products: Floats
    cross_products: Floats

    @staticmethod
    def compute(design: Floats, scores: Floats) -> _Sums:
        """Compute the statistics of a design matrix and the human scores."""
        return _Sums(len(scores), design.sum(axis=0), float(scores.sum()), design.T @ design, design.T @ scores)

    def subtract(self, part: _Sums) -> _Sums:
        """Remove the rows of ``part``, and return the statistics of the remaining rows."""
        return _Sums(
            count=self.count - part.count,
            rows=self.rows - part.rows,
            scores=self.scores - part.scores,
            products=self.products - part.products,
            cross_products=self.cross_products - part.cross_products,
        )

    def fit(self, alpha: float) -> tuple[Floats, float]:
        """Return the weights and the intercept of a ridge regression with the penalty strength ``alpha``.

        The intercept is not penalized.
        """
        mean = self.rows / self.count
        products = self.products - self.count * np.outer(mean, mean) + alpha * np.eye(len(mean))
        weights = np.asarray(np.linalg.solve(products, self.cross_products - mean * self.scores), np.float64)
        return weights, float(self.scores / self.count - mean @ weights)


class _Candidate(NamedTuple):
    """A pair of hyperparameters, the polynomial degree and the penalty strength, with its cross-validation result.

    Attributes:
        degree: the polynomial degree of the features.
        alpha: the strength of the penalty.
        correlation: the correlation with human scores in the cross-validation, or NaN if it is undefined.
        sums: the statistics of all training rows.
    """

    degree: int
    alpha: float
    correlation: float
    sums: _Sums


class SegmentRegression(LinearEstimator):
    """Predicts the human score of a hypothesis by ridge regression on its features, and possibly on their squares.

    Features are clipped at extreme quantiles and standardized. Cross-validation selects the penalty strength with the
    highest correlation with human scores, and decides whether squares are used. All hypotheses of a group are in the
    same fold.
    """

    name: ClassVar[str] = "segment-regression"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    task: ClassVar[str] = "scores"
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "intercept")

    class Options(ComponentOptions):
        """Hyperparameter values that cross-validation compares, and the quantiles at which values are clipped."""

        alphas: Annotated[
            tuple[Annotated[float, Meta(gt=0)], ...],
            Meta(min_length=1, description="Strengths of the L2 penalty to select from."),
        ] = (10.0, 100.0, 1000.0, 10000.0)
        degrees: Annotated[
            tuple[Literal[1, 2], ...],
            Meta(
                min_length=1,
                description="Degrees to select from. Degree 2 adds the squares of the features.",
            ),
        ] = (1, 2)
        folds: Annotated[int, Meta(ge=2, description="Number of folds of the cross-validation.")] = 5
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training features beyond which values are clipped."),
        ] = 0.001
        clip_scores: Annotated[
            float,
            Meta(
                ge=0,
                lt=0.5,
                description="Quantile of human scores beyond which they are clipped, to limit the effect of outliers. "
                "Cross-validation compares predictions with scores that are not clipped.",
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
        """Fit the weights.

        Args:
            X: the features, ``(hypotheses, features)``.
            y: the human scores.
            groups: the group of each hypothesis, such as its language pair. Without groups, or with a single group,
                the hypotheses are distributed to the folds at random.
            sample_weight: unused.
        """
        X, y = np.asarray(X, float), np.asarray(y, float)  # noqa: N806
        standardized = self._fit_standardization(X, self.options.clip)
        test_folds = self._split_folds(X, y, groups)
        candidates: list[_Candidate] = []
        for degree in self.options.degrees:
            candidates += self._evaluate_degree(degree, standardized, y, test_folds)
        self.folds_ = {f"degree {item.degree}, alpha {item.alpha:g}": item.correlation for item in candidates}
        best = max(candidates, key=_rank_candidate)
        self.degree_, self.alpha_ = best.degree, best.alpha
        self.weights_, self.intercept_ = best.sums.fit(best.alpha)
        return self

    def _split_folds(self, X: Floats, y: Floats, groups: NDArray[Any] | None) -> list[NDArray[np.intp]]:  # noqa: N803
        """Return the row indexes of each test fold. A single hypothesis cannot be split, so the list is empty."""
        from sklearn.model_selection import GroupKFold

        if groups is None or len(np.unique(groups)) < 2:
            groups = np.arange(len(y))
        n_folds = min(self.options.folds, len(np.unique(groups)))
        if n_folds < 2:
            return []
        splitter = GroupKFold(n_folds, shuffle=True, random_state=self.options.seed)
        return [test for _, test in splitter.split(X, y, groups)]

    def _evaluate_degree(
        self, degree: int, standardized: Floats, scores: Floats, test_folds: Sequence[NDArray[np.intp]]
    ) -> list[_Candidate]:
        """Cross-validate all penalty strengths for one polynomial degree of the features.

        Args:
            degree: the degree.
            standardized: the standardized features, ``(hypotheses, features)``.
            scores: the human scores.
            test_folds: the row indexes of each test fold.
        """
        design = _make_design(standardized, degree)
        # Clipped scores are only used for training. Predictions are compared with the original scores.
        clipped_scores = scores.clip(*np.quantile(scores, [self.options.clip_scores, 1 - self.options.clip_scores]))
        all_sums = _Sums.compute(design, clipped_scores)
        # Subtracting the sums of the test fold is faster than adding up the other folds.
        training_sums = [all_sums.subtract(_Sums.compute(design[rows], clipped_scores[rows])) for rows in test_folds]
        candidates = []
        for alpha in map(float, self.options.alphas):
            correlations = []
            for sums, test_rows in zip(training_sums, test_folds, strict=True):
                weights, intercept = sums.fit(alpha)
                predictions = design[test_rows] @ weights + intercept
                correlations.append(pearson(predictions, scores[test_rows]))
            mean_correlation = float(np.mean(correlations)) if correlations else float("nan")
            candidates.append(_Candidate(degree, alpha, mean_correlation, all_sums))
        return candidates

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from human scores of segments."""
        super().learn(examples, validation, run)
        return {f"folds, {name}": value for name, value in self.folds_.items()}

    def score_segments(self, features: Floats) -> Floats:
        """Return the predicted human score of each hypothesis."""
        design = _make_design(self._standardize(features), self.degree_)
        return self._apply_weights(design) + self.intercept_

    def predict(self, X: Floats) -> Floats:  # noqa: N803
        """Return the predicted scores. scikit-learn calls this method instead of :meth:`score_segments`."""
        return self.score_segments(X)

    def score(self, X: Floats, y: Floats) -> float:  # noqa: N803
        """Return Pearson's correlation of the predictions with human scores, or NaN if it is undefined."""
        return pearson(self.predict(X), np.asarray(y, float))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the learned arrays from a model file.

        Raises:
            ValueError: if an array has a wrong shape.
        """
        has_squares = arrays["weights"].size > arrays["low"].size
        self.degree_ = 2 if has_squares else 1
        super().restore(arrays)
        self.intercept_ = float(arrays["intercept"][0])

    def _list_shapes(self, n_features: int) -> dict[str, tuple[int]]:
        return {**super()._list_shapes(n_features), "weights": (self.degree_ * n_features,), "intercept": (1,)}


def _make_design(standardized: Floats, degree: int) -> Floats:
    """Return standardized features and, if the degree is 2, their squares."""
    return standardized if degree == 1 else np.hstack([standardized, standardized**2 - 1])


def _rank_candidate(candidate: _Candidate) -> float:
    """Return a sort key that ranks candidates by correlation. Undefined correlations have the lowest rank.

    Correlations are undefined if all human scores are equal.
    """
    return -np.inf if np.isnan(candidate.correlation) else candidate.correlation
