"""USAAR's metrics of the WMT15 metrics task: COSINE, ZWICKEL and COMET (Vela and Tan, 2015).

COMET is USAAR's, not the neural metric of the same name (Rei et al., 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Estimator, InputError, Meta
from meteor_e.base.array_cache import Floats
from meteor_e_papers.means import Mean, system_mean

EXTREME = 1e-9
"""METEOR's score counts as 0 or 1 if it is as near to it."""


class Cosine(Estimator):
    """COSINE: the cosine of document vectors, which is its only feature. Nothing is learned."""

    name: ClassVar[str] = "usaar-cosine"
    task: ClassVar[str] = "scores"

    class Options(ComponentOptions):
        """How segments' scores become a system's."""

        mean: Annotated[Mean, Meta(description="Mean of the segments' scores.")] = "arithmetic"
        floor: Annotated[float, Meta(gt=0, description="What scores below it count as, for means of logarithms.")] = (
            0.01
        )
        seed: Annotated[int, Meta(description="Nothing is drawn; every estimator has one.")] = 1

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats | None = None,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Cosine:
        """Check the features.

        Raises:
            InputError: if there is more than the cosine.
        """
        _columns(X, 1, "the cosine")
        return self

    def score_segments(self, features: Floats) -> Floats:
        """Return the cosines, ``(hypotheses,)``."""
        return _columns(features, 1, "the cosine")[:, 0]

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the chosen mean of a system's segments, ``(samples,)``."""
        return system_mean(self.options.mean, segments, weights, floor=self.options.floor)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return an empty array, since nothing is learned and model files hold an array at least."""
        return {"learned": np.zeros(0)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over nothing."""


class Zwickel(Cosine):
    """ZWICKEL: Bayesian ridge regression from the cosine to METEOR's score (Vela and Tan, 2015, section 3.3)."""

    name: ClassVar[str] = "usaar-zwickel"
    requires: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats | None = None,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Zwickel:
        """Learn.

        Args:
            X: cosines, ``(hypotheses, 1)``.
            y: METEOR's scores.
            groups, sample_weight: not used; nothing is chosen by folds.

        Raises:
            InputError: without scores, or if there is more than the cosine.
        """
        self._regress(_columns(X, 1, "the cosine"), y)
        return self

    def _regress(self, cosines: Floats, y: Floats | None) -> None:
        from sklearn.linear_model import BayesianRidge

        if y is None:
            raise InputError("ZWICKEL and COMET learn METEOR's scores: y is missing")
        model = BayesianRidge().fit(cosines, np.asarray(y, float))
        self.weight_, self.intercept_ = float(model.coef_[0]), float(model.intercept_)

    def score_segments(self, features: Floats) -> Floats:
        """Return what METEOR's score would be, ``(hypotheses,)``."""
        return self._regressed(_columns(features, 1, "the cosine"))

    def _regressed(self, cosines: Floats) -> Floats:
        return cosines[:, 0] * self.weight_ + self.intercept_

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return slope and intercept."""
        return {"weight": np.array([self.weight_]), "intercept": np.array([self.intercept_])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        self.weight_, self.intercept_ = (float(arrays[name].reshape(1)[0]) for name in ("weight", "intercept"))


class Comet(Zwickel):
    """COMET: METEOR's score where that is 0 or 1, else ZWICKEL (Vela and Tan, 2015, section 3.4)."""

    name: ClassVar[str] = "usaar-comet"

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: Floats | None = None,
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Comet:
        """Learn.

        Args:
            X: cosines and METEOR's scores, ``(hypotheses, 2)``.
            y: METEOR's scores.
            groups, sample_weight: not used; nothing is chosen by folds.

        Raises:
            InputError: without scores, or if there are other features.
        """
        self._regress(_columns(X, 2, "the cosine and METEOR's score")[:, :1], y)
        return self

    def score_segments(self, features: Floats) -> Floats:
        """Return scores, ``(hypotheses,)``."""
        rows = _columns(features, 2, "the cosine and METEOR's score")
        meteor = rows[:, 1]
        extreme = (meteor <= EXTREME) | (meteor >= 1 - EXTREME)
        result: Floats = np.where(extreme, meteor, self._regressed(rows))
        return result


def _columns(X: Floats, count: int, what: str) -> Floats:  # noqa: N803
    rows = np.asarray(X, float)
    if rows.ndim != 2 or rows.shape[1] != count:
        raise InputError(f"features are of shape {rows.shape}; {what} is expected: (hypotheses, {count})")
    return rows
