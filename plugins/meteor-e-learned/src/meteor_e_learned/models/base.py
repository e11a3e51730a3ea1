"""What the estimators share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from meteor_e.api import Estimator
from meteor_e_learned.means import system_mean

__all__ = ["Floats", "LearnedEstimator", "Report", "ScoreEstimator", "pearson", "strict_tau"]

Floats = NDArray[np.float64]

Report = Callable[[Mapping[str, Any]], object]
"""Told what happened in an epoch or a fold; what goes to the log."""


def strict_tau(differences: Floats) -> float:
    """Return Kendall's τ of pairs, of which each has the better hypothesis first; ties are wrong (WMT12).

    Args:
        differences: score of the better less score of the worse, ``(pairs,)``.
    """
    if not len(differences):
        return float("nan")
    return float(2 * np.mean(differences > 0) - 1)


class LearnedEstimator(BaseEstimator, Estimator):  # type: ignore[misc]
    """Base of the estimators: what can be put into a model file and taken out of it.

    Class attributes:
        name: what recipes and model files call it.
        task: ``pairs`` if it learns from comparisons, ``scores`` if it learns from scores of segments.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features, with vectors of words; it has
            ``score_texts`` then.
    """

    name: ClassVar[str] = ""
    task: ClassVar[str] = "pairs"
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the scores of a system on samples of its segments: their means, unless an estimator says otherwise.

        Args:
            segments: scores of its segments, ``(segments,)``.
            weights: how often each segment is in each sample, ``(samples, segments)``; by default one sample of all.

        Returns:
            ``(samples,)``.
        """
        return system_mean("arithmetic", segments, weights)

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name; all that :meth:`restore` needs."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what another estimator with the same parameters learned.

        Raises:
            KeyError, ValueError: if arrays are missing or do not fit.
        """


class ScoreEstimator(LearnedEstimator):
    """Base of what learns scores of single hypotheses.

    Attributes:
        folds_: what cross-validation found for each choice, by name; empty where nothing was to be chosen.
    """

    task: ClassVar[str] = "scores"
    folds_: dict[str, float]

    @abstractmethod
    def fit(self, X: Floats, y: Floats, *, groups: NDArray[Any] | None = None) -> LearnedEstimator:  # noqa: N803
        """Learn.

        Args:
            X: features, ``(hypotheses, features)``.
            y: scores, ``(hypotheses,)``.
            groups: of hypotheses that must not be torn apart by folds, such as those of one language pair.
        """

    @abstractmethod
    def predict(self, X: Floats) -> Floats:  # noqa: N803
        """Return scores, ``(hypotheses,)``."""

    def score_segments(self, features: Floats) -> Floats:
        """Return scores; the same as :meth:`predict`."""
        return self.predict(features)

    def score(self, X: Floats, y: Floats) -> float:  # noqa: N803
        """Return Pearson's correlation with scores; NaN where one side does not vary."""
        return pearson(self.predict(X), np.asarray(y, float))


def pearson(one: Floats, other: Floats) -> float:
    """Return Pearson's correlation; NaN where one side does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
