"""USAAR's metrics of the WMT15 metrics task: COSINE, ZWICKEL and COMET (Vela and Tan, 2015).

COMET is USAAR's metric, not the neural metric of the same name (Rei et al., 2020). Features are addressed by their
names, so that their order in a recipe does not matter.
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
"""METEOR's score counts as 0 or 1 if it is at most this far from it."""


class CosineOptions(ComponentOptions):
    """The feature that holds the cosine, and how segments' scores become a system's score."""

    cosine: Annotated[str, Meta(description="Name of the feature with the cosine of the document vectors.")] = (
        "document-cosine.cosine"
    )
    mean: Annotated[Mean, Meta(description="Mean of the segments' scores.")] = "arithmetic"
    floor: Annotated[
        float, Meta(gt=0, description="Lower scores count as this one in means that need positive numbers.")
    ] = 0.01
    seed: Annotated[int, Meta(description="Not used: nothing is drawn.")] = 1


class CometOptions(CosineOptions):
    """The options of COSINE, and the feature that holds METEOR's score."""

    meteor: Annotated[str, Meta(description="Name of the feature with METEOR's score.")] = "meteor.score"


class Cosine(Estimator):
    """COSINE: the cosine of the document vectors of hypothesis and reference. Nothing is learned.

    Attributes:
        columns_: positions of the features that the metric reads, in the order of :meth:`feature_names`.
    """

    name: ClassVar[str] = "usaar-cosine"
    task: ClassVar[str] = "scores"
    Options: ClassVar[type[Any] | str | None] = CosineOptions

    columns_: NDArray[np.int64]

    def feature_names(self) -> tuple[str, ...]:
        """Return the names of the features that the metric reads."""
        return (self.options.cosine,)

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> Mapping[str, Any]:
        """Find the features by name, and learn from the examples that have a score.

        Raises:
            ConfigError: if a feature is missing, or if there are features that the metric does not read.
            InputError: if there is nothing to learn from.
        """
        scored = ~np.isnan(examples.scores)
        if self.learns_scores and not scored.any():
            raise InputError(f"{self.name} learns METEOR's scores: the recipe needs 'target'")
        self.fit(examples.features[scored], examples.scores[scored], columns=run.columns)
        return {}

    learns_scores: ClassVar[bool] = False

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats | None = None,
        *,
        columns: Sequence[str] | None = None,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Cosine:
        """Learn from a matrix.

        Args:
            X: features, ``(hypotheses, features)``.
            y: METEOR's scores, ``(hypotheses,)``; not used by COSINE.
            columns: names of the columns of ``X``; by default those of :meth:`feature_names`.
            groups, sample_weight: not used.

        Raises:
            ConfigError: if a column is missing, or if there are columns that the metric does not read.
            InputError: if ``X`` does not have a column for each name, or if scores are missing.
        """
        self.columns_ = self._find_columns(self.feature_names() if columns is None else columns)
        self._learn(self._read(X), y)
        return self

    def _find_columns(self, columns: Sequence[str]) -> NDArray[np.int64]:
        names = self.feature_names()
        for name in names:
            if name not in columns:
                raise ConfigError(
                    f"{self.name}: there is no feature {name!r}{near_miss(name, columns)}; the features are "
                    f"{', '.join(columns)}"
                )
        if unused := [name for name in columns if name not in names]:
            raise ConfigError(f"{self.name} reads {', '.join(names)}; leave out {', '.join(unused)}")
        return np.array([list(columns).index(name) for name in names], np.int64)

    def _read(self, features: Floats) -> Floats:
        """Return the features that the metric reads, in the order of :meth:`feature_names`."""
        rows = np.asarray(features, float)
        if rows.ndim != 2 or rows.shape[1] != len(self.columns_):
            raise InputError(
                f"features are of shape {rows.shape}; {self.name} needs (hypotheses, {len(self.columns_)}): "
                f"{', '.join(self.feature_names())}"
            )
        return rows[:, self.columns_]

    def _learn(self, rows: Floats, y: Floats | None) -> None:
        """Learn nothing."""

    def score_segments(self, features: Floats) -> Floats:
        """Return the cosines, ``(hypotheses,)``."""
        return self._read(features)[:, 0]

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the chosen mean of a system's segments, ``(samples,)``."""
        return system_mean(self.options.mean, segments, weights, floor=self.options.floor)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the positions of the features."""
        return {"columns": self.columns_}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what was learned."""
        columns = arrays["columns"].astype(np.int64)
        if sorted(columns.tolist()) != list(range(len(self.feature_names()))):
            raise ValueError("the positions of the features do not fit the estimator")
        self.columns_ = columns


class Zwickel(Cosine):
    """ZWICKEL: Bayesian ridge regression from COSINE to METEOR's score (Vela and Tan, 2015, section 3.3)."""

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
        """Return the predicted METEOR scores, ``(hypotheses,)``."""
        return self._predict(self._read(features))

    def _predict(self, rows: Floats) -> Floats:
        return rows[:, 0] * self.weight_ + self.intercept_

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return slope, intercept, and the positions of the features."""
        learned = {"weight": np.array([self.weight_]), "intercept": np.array([self.intercept_])}
        return {**super().arrays(), **learned}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what was learned."""
        super().restore(arrays)
        self.weight_, self.intercept_ = (float(arrays[name].reshape(1)[0]) for name in ("weight", "intercept"))


class Comet(Zwickel):
    """COMET: METEOR's score where it is 0 or 1, else ZWICKEL (Vela and Tan, 2015, section 3.4)."""

    name: ClassVar[str] = "usaar-comet"
    Options: ClassVar[type[Any] | str | None] = CometOptions

    def feature_names(self) -> tuple[str, ...]:
        """Return the names of the cosine and of METEOR's score."""
        return (self.options.cosine, self.options.meteor)

    def score_segments(self, features: Floats) -> Floats:
        """Return METEOR's score where it is 0 or 1, else its prediction, ``(hypotheses,)``."""
        rows = self._read(features)
        meteor = rows[:, 1]
        extreme = (meteor <= EXTREME) | (meteor >= 1 - EXTREME)
        scores: Floats = np.where(extreme, meteor, self._predict(rows))
        return scores
