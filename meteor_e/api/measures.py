"""Measures: how well a metric's scores agree with people's judgements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from meteor_e.api.metrics import Scores, SystemOutputs
from meteor_e.base.arraytypes import Floats

__all__ = ["Measure"]

Test = TypeVar("Test", bound=SystemOutputs)


class Measure(ABC, Generic[Test]):
    """Base of all measures: from a judged test set and a metric's scores to one number and its bootstrap samples.

    The test set is a :class:`meteor_e.evaluation.TestSet`. The registry makes a measure without arguments.

    Class attributes:
        name: what ``meteor-e evaluate -s`` calls it; lower case, unique among all installed plugins.
        title: what tables call it.
        level: ``segment`` or ``system``.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    level: ClassVar[str] = "segment"
    requires: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def value(self, test: Test, scores: Scores) -> float:
        """Return the measure; NaN where the test set has no judgements for it.

        Args:
            test: the test set.
            scores: the metric's scores; the higher, the better.
        """

    @abstractmethod
    def resampled(self, test: Test, scores: Scores, weights: Floats) -> Floats:
        """Return the measure on resampled test sets, ``(samples,)``.

        Args:
            test: the test set.
            scores: the metric's scores.
            weights: how often each segment is in each sample, ``(samples, segments)``.
        """
