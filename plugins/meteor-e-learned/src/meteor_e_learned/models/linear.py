"""Base class of linear estimators, which clip, standardize and weight the features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Estimator, InputError
from meteor_e.base.array_cache import Floats

MAX_CONSTANT_DEVIATION = 1e-9
"""Standard deviation up to which a feature counts as constant."""


class LinearEstimator(Estimator):
    """Base class of the linear estimators.

    Features are clipped at extreme quantiles of the training data, so that an unusual segment does not have an extreme
    score. Then, the features are standardized. The attribute ``learned`` lists the names of the arrays in a model file.
    The array ``mean``, for example, is the attribute ``mean_``.
    """

    learned: ClassVar[tuple[str, ...]] = ("low", "high", "mean", "scale", "weights")

    low_: Floats
    high_: Floats
    mean_: Floats
    scale_: Floats
    weights_: Floats

    def _fit_standardization(self, X: Floats, clip: float) -> Floats:  # noqa: N803
        """Learn how features are clipped and standardized, and return the standardized features.

        Args:
            X: the features, ``(hypotheses, features)``.
            clip: the quantile of the lower bound. If it is 0, no training value is clipped.
        """
        self.low_, self.high_ = np.quantile(X, [clip, 1 - clip], axis=0)
        clipped = X.clip(self.low_, self.high_)
        self.mean_ = clipped.mean(axis=0)
        self.scale_ = disable_constants(clipped.std(axis=0))
        return (clipped - self.mean_) / self.scale_

    def _clip(self, X: Floats) -> Floats:  # noqa: N803
        """Return the features with values clipped to the learned bounds.

        Raises:
            InputError: if the number of features is not that of the model.
        """
        X = np.asarray(X, float)  # noqa: N806
        if X.shape[-1] != len(self.low_):
            raise InputError(f"there are {X.shape[-1]} features, and the model has weights of {len(self.low_)}")
        return X.clip(self.low_, self.high_)

    def _standardize(self, X: Floats) -> Floats:  # noqa: N803
        """Return the features after clipping and standardization."""
        return (self._clip(X) - self.mean_) / self.scale_

    def _apply_weights(self, X: Floats) -> Floats:  # noqa: N803
        """Return the weighted sum of each row.

        Unlike a matrix product, this method adds numbers in the same order for any number of rows and on any processor.
        """
        result: Floats = np.ascontiguousarray(X * self.weights_).sum(axis=1)
        return result

    def importance(self) -> Floats:
        """Return the weight of each standardized feature."""
        return self.weights_[: len(self.mean_)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the learned arrays by name."""
        return {name: np.atleast_1d(getattr(self, f"{name}_")) for name in self.learned}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the learned arrays from a model file.

        Raises:
            ValueError: if an array does not contain finite numbers, or has a wrong shape.
        """
        for name in self.learned:
            _check_array(name, arrays[name])
        if not (arrays["scale"] > 0).all():
            raise ValueError("scale has values that are not above 0")
        expected_shapes = self._list_shapes(arrays["low"].size)
        if any(arrays[name].shape != shape for name, shape in expected_shapes.items()):
            raise ValueError("arrays differ in shape")
        for name in self.learned:
            setattr(self, f"{name}_", arrays[name].astype(float))

    def _list_shapes(self, n_features: int) -> dict[str, tuple[int]]:
        """Return the expected shape of each learned array, by name. Subclasses add the shapes of their arrays."""
        return dict.fromkeys(LinearEstimator.learned, (n_features,))


def disable_constants(deviations: Floats) -> Floats:
    """Return the scale by which each feature is divided. The scale of a constant feature is infinite.

    Args:
        deviations: the standard deviation of each feature. Tiny deviations are rounding errors.
    """
    return np.where(deviations > MAX_CONSTANT_DEVIATION, deviations, np.inf)


def _check_array(name: str, array: NDArray[Any]) -> None:
    """Raise ValueError if a learned array does not contain finite floating-point numbers."""
    if array.dtype.kind != "f":
        raise ValueError(f"{name} has {array.dtype}, and not floating-point numbers")
    if np.isfinite(array).all():
        return
    # All values must be finite, except for the scales of constant features, which are infinite.
    if name != "scale" or not (array > 0).all():
        raise ValueError(f"{name} has values that are not finite numbers")
