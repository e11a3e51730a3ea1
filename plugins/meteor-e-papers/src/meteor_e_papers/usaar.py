"""The metrics COSINE, ZWICKEL and COMET, with which USAAR took part in the WMT15 metrics task (Vela and Tan, 2015).

USAAR's COMET is unrelated to the neural metric of the same name (Rei et al., 2020). The estimators find their features
by name, so that the order of the features in a recipe does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Estimator, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e_papers.means import Mean, system_mean

EXTREME = 1e-9
"""Maximum distance from 0 or 1 at which METEOR's score is considered to be 0 or 1."""


class CosineOptions(ComponentOptions):
    """Options of the estimator ``usaar-cosine``."""

    cosine: Annotated[str, Meta(description="Name of the feature with the cosine of the document vectors.")] = (
        "document-cosine.cosine"
    )
    mean: Annotated[Mean, Meta(description="Mean of the segments' scores.")] = "arithmetic"
    floor: Annotated[float, Meta(gt=0, description="Smallest score in means of positive numbers.")] = 0.01
    seed: Annotated[int, Meta(description="Not used, because the estimator is deterministic.")] = 1


class CometOptions(CosineOptions):
    """Options of the estimator ``usaar-comet``, including the name of the feature with METEOR's score."""

    meteor: Annotated[str, Meta(description="Name of the feature with METEOR's score.")] = "meteor.score"


class Cosine(Estimator):
    """The metric COSINE: the cosine similarity between a hypothesis and a reference, based on document vectors.

    The metric does not have parameters to learn.

    Attributes:
        columns_: the column indexes of the features in the order of :meth:`feature_names`.
    """

    name: ClassVar[str] = "usaar-cosine"
    task: ClassVar[str] = "scores"
    Options: ClassVar[type[Any] | str | None] = CosineOptions

    learns_scores: ClassVar[bool] = False
    """Whether the metric has parameters that are learned from METEOR's scores."""
    columns_: NDArray[np.int64]

    def feature_names(self) -> tuple[str, ...]:
        """Return the name of the feature that contains the cosine."""
        return (self.options.cosine,)

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> Mapping[str, Any]:
        """Learn from the examples that have a score. This method is called by ``meteor-e train``.

        Args:
            examples: the training examples, whose scores are METEOR's scores.
            validation: not used.
            run: the names of the features.

        Returns:
            An empty mapping, because there are no figures for the card of the model.

        Raises:
            ConfigError: if a required feature is missing, or if there are additional features.
            InputError: if no example has a score.
        """
        has_score = ~np.isnan(examples.scores)
        if self.learns_scores and not has_score.any():
            raise InputError(f"{self.name} learns METEOR's scores: the recipe needs 'target'")
        self.fit(examples.features[has_score], examples.scores[has_score], columns=run.columns)
        return {}

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats | None = None,
        *,
        columns: Sequence[str] | None = None,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Cosine:
        """Learn from a matrix of features.

        Args:
            X: the features, ``(hypotheses, features)``.
            y: METEOR's scores, ``(hypotheses,)``; COSINE does not use them.
            columns: the names of the columns of ``X``; by default, those that :meth:`feature_names` returns.
            groups: not used; callers may pass it, because it is an argument of :meth:`Estimator.fit`.
            sample_weight: not used, like ``groups``.

        Raises:
            ConfigError: if a required column is missing, or if there are additional columns.
            InputError: if the number of columns is wrong, or if the scores are missing.
        """
        self.columns_ = self._find_columns(self.feature_names() if columns is None else columns)
        self._learn(self._select_features(X), y)
        return self

    def _find_columns(self, columns: Sequence[str]) -> NDArray[np.int64]:
        """Find the columns of the features that the metric requires, and return their indexes.

        Raises:
            ConfigError: if a required column is missing, or if there are additional columns.
        """
        required_names = self.feature_names()
        indexes = {name: index for index, name in enumerate(columns)}
        for name in required_names:
            if name not in indexes:
                raise ConfigError(
                    f"{self.name}: there is no feature {name!r}{near_miss(name, columns)}; the features are "
                    f"{', '.join(columns)}"
                )
        unused = [name for name in columns if name not in required_names]
        if unused:
            raise ConfigError(f"{self.name} reads {', '.join(required_names)}; leave out {', '.join(unused)}")
        return np.array([indexes[name] for name in required_names], np.int64)

    def _select_features(self, features: Floats) -> Floats:
        """Return the feature matrix with its columns in the order of :meth:`feature_names`.

        Raises:
            InputError: if the number of columns is wrong.
        """
        rows = np.asarray(features, float)
        if rows.ndim != 2 or rows.shape[1] != len(self.columns_):
            raise InputError(
                f"features are of shape {rows.shape}; {self.name} needs (hypotheses, {len(self.columns_)}): "
                f"{', '.join(self.feature_names())}"
            )
        return rows[:, self.columns_]

    def _learn(self, rows: Floats, y: Floats | None) -> None:
        """Learn the parameters of the metric. COSINE does not have any."""

    def score_segments(self, features: Floats) -> Floats:
        """Return the cosine between each hypothesis and its reference as an array ``(hypotheses,)``."""
        return self._select_features(features)[:, 0]

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the mean of a system's segment scores for each sample as an array ``(samples,)``."""
        return system_mean(self.options.mean, segments, weights, floor=self.options.floor)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the column indexes of the features."""
        return {"columns": self.columns_}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the column indexes of the features from the arrays of a model file."""
        columns = arrays["columns"].astype(np.int64)
        if sorted(columns.tolist()) != list(range(len(self.feature_names()))):
            raise ValueError("the positions of the features do not fit the estimator")
        self.columns_ = columns


class Zwickel(Cosine):
    """The metric ZWICKEL, which predicts METEOR's score from COSINE by Bayesian ridge regression.

    See Vela and Tan (2015), section 3.3.
    """

    name: ClassVar[str] = "usaar-zwickel"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    learns_scores: ClassVar[bool] = True

    def _learn(self, rows: Floats, y: Floats | None) -> None:
        from sklearn.linear_model import BayesianRidge

        if y is None:
            raise InputError("ZWICKEL and COMET learn METEOR's scores: y is missing")
        model = BayesianRidge().fit(rows[:, :1], np.asarray(y, float))
        self.weight_, self.intercept_ = float(model.coef_[0]), float(model.intercept_)

    def score_segments(self, features: Floats) -> Floats:
        """Return the predicted METEOR score of each hypothesis as an array ``(hypotheses,)``."""
        return self._predict(self._select_features(features))

    def _predict(self, rows: Floats) -> Floats:
        return rows[:, 0] * self.weight_ + self.intercept_

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the slope, the intercept, and the column indexes of the features."""
        parameters = {"weight": np.array([self.weight_]), "intercept": np.array([self.intercept_])}
        return {**super().arrays(), **parameters}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the slope, the intercept, and the column indexes of the features from a model file."""
        super().restore(arrays)
        self.weight_ = float(arrays["weight"].reshape(1)[0])
        self.intercept_ = float(arrays["intercept"].reshape(1)[0])


class Comet(Zwickel):
    """The metric COMET, which returns METEOR's score if that score is 0 or 1, and otherwise ZWICKEL's score.

    See Vela and Tan (2015), section 3.4.
    """

    name: ClassVar[str] = "usaar-comet"
    Options: ClassVar[type[Any] | str | None] = CometOptions

    def feature_names(self) -> tuple[str, ...]:
        """Return the names of the features that contain the cosine and METEOR's score."""
        return (self.options.cosine, self.options.meteor)

    def score_segments(self, features: Floats) -> Floats:
        """Return METEOR's score of each hypothesis if it is 0 or 1, and the predicted score otherwise."""
        rows = self._select_features(features)
        meteor = rows[:, 1]
        is_extreme = (meteor <= EXTREME) | (meteor >= 1 - EXTREME)
        return np.where(is_extreme, meteor, self._predict(rows))
