"""Estimators: what learns a metric from features and judgements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray

from meteor_e.base.arraytypes import Floats

__all__ = ["Estimator"]


class Estimator(ABC):
    """Base of all estimators, in scikit-learn's manner.

    The options of a recipe are the keyword arguments of ``__init__``, with defaults; :meth:`get_params` and
    :meth:`set_params` are scikit-learn's. ``fit`` learns. What it learned goes into a model file as arrays.

    Class attributes:
        name: what recipes and model files call it; lower case, unique among all installed plugins.
        task: ``pairs`` if it learns from comparisons of two hypotheses, ``scores`` if from scores of segments.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
    """

    name: ClassVar[str] = ""
    task: ClassVar[str] = "pairs"
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False
    requires: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options."""

    @abstractmethod
    def set_params(self, **params: Any) -> Any:
        """Replace options; return the estimator."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name; all that :meth:`restore` needs."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what another estimator with the same options learned.

        Raises:
            KeyError, ValueError: if arrays are missing or do not fit.
        """

    @abstractmethod
    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the scores of a system on samples of its segments.

        Args:
            segments: scores of its segments, ``(segments,)``.
            weights: how often each segment is in each sample, ``(samples, segments)``; by default one sample of all.

        Returns:
            ``(samples,)``.
        """
