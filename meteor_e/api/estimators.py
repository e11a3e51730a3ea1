"""Estimators: what learns a metric from features and judgments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from meteor_e.api.component import Component, options_by_name
from meteor_e.base.array_cache import Floats

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Estimator"]


class Estimator(Component):
    """Base of all estimators, in scikit-learn's manner.

    Every option has a default. :meth:`get_params` and :meth:`set_params` are scikit-learn's, so that its ``clone``
    works. ``fit`` learns. What it learned goes into a model file as arrays.

    Class attributes:
        name: what recipes and model files call it; lower case, unique among all installed plugins.
        task: ``pairs`` if it learns from comparisons of two hypotheses, ``scores`` if from scores of segments.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features.
    """

    kind: ClassVar[str] = "estimator"
    task: ClassVar[str] = "pairs"
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, value in options.items():
            # scikit-learn's clone wants back the very objects that it gave.
            if type(value) is type(getattr(self.options, name)):
                setattr(self.options, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; ``deep`` is there for scikit-learn."""
        return options_by_name(self.options)

    def set_params(self, **params: Any) -> Self:
        """Replace options; return the estimator.

        Raises:
            ConfigError: for an option that is not there, or of another type.
        """
        self.options = self.check_options({**self.get_params(), **params})
        return self

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
