"""What the estimators share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

__all__ = ["Floats", "LearnedEstimator", "Report", "strict_tau"]

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


class LearnedEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: what can be put into a model file and taken out of it.

    Class attributes:
        kind: what recipes and model files call it.
        task: ``pairs`` if it learns from comparisons, ``scores`` if it learns from scores of segments.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features, with vectors of words; it has
            ``score_texts`` then.
    """

    kind: ClassVar[str] = ""
    task: ClassVar[str] = "pairs"
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name; all that :meth:`restore` needs."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what another estimator with the same parameters learned.

        Raises:
            KeyError, ValueError: if arrays are missing or do not fit.
        """
