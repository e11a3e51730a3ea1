"""Measures, which are statistics of the agreement between a metric's scores and judgments."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.component import Component
from meteor_e.api.metrics import Scores, SystemOutputs
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import ConfigError

Agreement: TypeAlias = Callable[[Floats], float]
"""Function that returns a measure for a metric's scores, ``(systems, segments)`` or ``(systems,)``."""

Test = TypeVar("Test", bound=SystemOutputs)


class Measure(Component, Generic[Test]):
    """Base of all measures. A measure is computed from a judged test set and a metric's scores.

    The test set is a :class:`meteor_e_evaluation.TestSet`.

    Class attributes:
        name: name in ``meteor-e evaluate -s``; lower case, unique among all installed plugins.
        title: name in tables.
        level: ``segment`` or ``system``, the level at which scores are compared.
        definition: a sentence that defines the measure.
        source: the paper or shared task that introduced the measure.
        mtme: name in mt-metrics-eval; empty if it does not contain the measure.
        ties: a description of the treatment of ties.
        missing: a description of the treatment of missing judgments.
        takes: the scores that the measure uses, ``segments`` or ``systems``.
        pooled: whether the mean over language pairs is weighted by :meth:`weight`.
    """

    kind: ClassVar[str] = "measure"
    title: ClassVar[str] = ""
    level: ClassVar[str] = "segment"
    definition: ClassVar[str] = ""
    source: ClassVar[str] = ""
    mtme: ClassVar[str] = ""
    ties: ClassVar[str] = ""
    missing: ClassVar[str] = ""
    takes: ClassVar[Literal["segments", "systems"]] = "segments"
    pooled: ClassVar[bool] = False

    @abstractmethod
    def agreement(self, test: Test) -> Agreement | None:
        """Return the measure as a function of a metric's scores; ``None`` if the test set lacks the judgments.

        The argument of the function is an array ``(systems, segments)``, or ``(systems,)`` if the measure uses scores
        of systems.
        """

    def value(self, test: Test, scores: Scores) -> float:
        """Return the measure; NaN if the test set lacks the judgments or the metric lacks the scores."""
        available = scores.segments if self.takes == "segments" else scores.systems
        if np.isnan(available).all():
            return math.nan
        agreement = self.agreement(test)
        return math.nan if agreement is None else agreement(available)

    def explain_undefined(self, test: Test, scores: Scores) -> str:
        """Return why :meth:`value` is NaN, as a clause for the notes below a table."""
        available = scores.segments if self.takes == "segments" else scores.systems
        if np.isnan(available).all():
            return f"the metric has no scores of {self.takes}"
        if self.agreement(test) is None:
            return self.explain_missing_judgments(test)
        if np.isnan(available).any():
            return f"the metric lacks scores of some {self.takes}"
        return "the metric's scores or the human scores are all equal"

    def explain_missing_judgments(self, test: Test) -> str:
        """Return why :meth:`agreement` is ``None``, as a clause for the notes below a table."""
        return "the test set does not have the judgments that this measure needs"

    @abstractmethod
    def resampled(self, test: Test, scores: Scores, weights: Floats) -> Floats:
        """Return the measure on resampled test sets, ``(samples,)``.

        Args:
            test: the test set.
            scores: the metric's scores.
            weights: number of times that each sample contains each segment, ``(samples, segments)``.
        """

    def weight(self, test: Test) -> float:
        """Return the weight of a test set in a pooled mean."""
        return 1.0

    def default_test(self) -> str:
        """Return the name of the default significance test for comparisons of metrics by this measure.

        The scores of a segment are not independent, and neither are those of a system. Therefore ``paired+systems``
        makes two tests and reports the higher p-value: one exchanges all scores of a segment between two metrics, the
        other all scores of a system.
        """
        return "paired+systems" if self.takes == "segments" else "systems"

    def exchange(
        self, test: Test, values: Floats, masks: NDArray[np.bool_], unit: str
    ) -> Callable[[int, int], Floats] | None:
        """Return a fast implementation of permutation tests, in which two metrics exchange scores at random.

        Args:
            test: the test set.
            values: scores of the metrics, ``(metrics, systems, segments)``.
            masks: whether scores are exchanged in a sample, ``(samples, segments)``, ``(samples, systems)`` or, for
                single scores, ``(samples, systems, segments)``.
            unit: the unit that is exchanged: ``segments``, ``systems`` or ``scores``.

        Returns:
            A function of the indexes of two metrics that returns the difference of their measures in each sample.
            ``None`` if there is no fast implementation; then the measure is computed for each sample.
        """
        return None

    def correlated(self, test: Test, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return the samples of Williams' test: the metrics' scores ``(metrics, rows)`` and human scores ``(rows,)``.

        Raises:
            ConfigError: if the measure is not a correlation.
        """
        raise ConfigError(f"Williams' test compares correlations over segments or systems; {self.name} is not one")
