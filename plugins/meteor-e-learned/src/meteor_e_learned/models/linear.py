"""Base of linear estimators: bounds, scale and weight of each feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Estimator, InputError
from meteor_e.base.array_cache import Floats


class LinearEstimator(Estimator):
    """Base of the linear estimators.

    Features are cut off at extreme quantiles of the training's, so that a segment unlike any other is no outlier,
    and scaled. A model file holds what was learned, by the names in ``learned``; each is an attribute with ``_``.
    """

    learned: ClassVar[tuple[str, ...]] = ("low", "high", "mean", "scale", "weights")

    low_: Floats
    high_: Floats
    mean_: Floats
    scale_: Floats
    weights_: Floats

    def _fit_bounds(self, X: Floats, clip: float) -> None:  # noqa: N803
        """Find between which quantiles features are taken as they are (all, if ``clip`` is 0), and their means."""
        self.low_, self.high_ = np.quantile(X, [clip, 1 - clip], axis=0)
        self.mean_ = self._clipped(X).mean(axis=0)

    def _fit_scale(self, deviation: Floats) -> None:
        """Take the size of each feature; one that never differs, or only by rounding, is left out."""
        self.scale_ = np.where(deviation > 1e-9, deviation, np.inf)

    def _clipped(self, X: Floats) -> Floats:  # noqa: N803
        X = np.asarray(X, float)  # noqa: N806
        if X.shape[-1] != len(self.low_):
            raise InputError(f"there are {X.shape[-1]} features, and the model has weights of {len(self.low_)}")
        result: Floats = X.clip(self.low_, self.high_)
        return result

    def _standardized(self, X: Floats) -> Floats:  # noqa: N803
        result: Floats = (self._clipped(X) - self.mean_) / self.scale_
        return result

    def _weighted(self, X: Floats) -> Floats:  # noqa: N803
        """Return the weighted sum of each row. A row's last digit does not depend on the rows beside it.

        A product of matrices would be added up in another order, depending on their shape and on the processor.
        """
        result: Floats = np.ascontiguousarray(X * self.weights_).sum(axis=1)
        return result

    def importance(self) -> Floats:
        """Return the weight of each feature, for features scaled to size 1."""
        result: Floats = self.weights_[: len(self.mean_)]
        return result

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return bounds, scale and weights."""
        return {name: np.atleast_1d(getattr(self, f"{name}_")) for name in self.learned}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        for name in self.learned:
            if arrays[name].dtype.kind != "f":
                raise ValueError(f"{name} has {arrays[name].dtype}, and not floating-point numbers")
            # The scale of a feature that never differed is infinite.
            if not (np.isfinite(arrays[name]).all() or (name == "scale" and (arrays[name] > 0).all())):
                raise ValueError(f"{name} has values that are not finite numbers")
            setattr(self, f"{name}_", arrays[name].astype(float))
        if not (self.scale_ > 0).all():
            raise ValueError("scale has values that are not above 0")
        if len({array.shape for array in (self.low_, self.high_, self.mean_, self.scale_)}) > 1:
            raise ValueError("arrays differ in shape")
