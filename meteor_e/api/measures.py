"""Measures: how well a metric's scores agree with people's judgments."""

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
"""From a metric's scores, ``(systems, segments)`` or ``(systems,)``, to a measure."""

Test = TypeVar("Test", bound=SystemOutputs)


class Measure(Component, Generic[Test]):
    """Base of all measures: from a judged test set and a metric's scores to one number and its bootstrap samples.

    The test set is a :class:`meteor_e_evaluation.TestSet`. It sets the attributes below in its class.

    Attributes:
        name: what ``meteor-e evaluate -s`` calls it; lower case, unique among all installed plugins.
        title: what tables call it.
        level: ``segment`` or ``system``: what is compared.
        definition: what it is, in a sentence.
        source: the paper or shared task that it comes from.
        mtme: what mt-metrics-eval calls it; empty where it does not have it.
        ties: how it treats ties.
        missing: how it treats cells that nobody rated.
        takes: which of a metric's scores it looks at.
        pooled: whether the mean over language pairs weighs each by :meth:`weight`.
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
        """Return the measure as a function of a metric's scores; ``None`` where there are no judgments for it.

        The function takes ``(systems, segments)``, or ``(systems,)`` where the measure takes scores of systems.
        """

    def value(self, test: Test, scores: Scores) -> float:
        """Return the measure; NaN where the test set has no judgments for it, or the metric no scores."""
        given = scores.segments if self.takes == "segments" else scores.systems
        agreement = None if np.isnan(given).all() else self.agreement(test)
        return math.nan if agreement is None else agreement(given)

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
            weights: how often each segment is drawn, ``(samples, segments)``.
        """

    def weight(self, test: Test) -> float:
        """Return what a test set counts in a pooled mean."""
        return 1.0

    def default_test(self) -> str:
        """Return how metrics are compared by this measure unless another test is asked for.

        Scores of one segment share its difficulty, and a metric may favor a system: ``paired+systems`` exchanges whole
        segments, then whole systems, and believes the test that doubts more.
        """
        return "paired+systems" if self.takes == "segments" else "systems"

    def exchange(
        self, test: Test, values: Floats, masks: NDArray[np.bool_], exchanged: str
    ) -> Callable[[int, int], Floats] | None:
        """Return a quick way to compute the measure where scores of two metrics are exchanged at random.

        Args:
            test: the test set.
            values: scores of the metrics, ``(metrics, systems, segments)``.
            masks: what is exchanged in each sample: ``(samples, segments)``, ``(samples, systems)`` or, for single
                scores, ``(samples, systems, segments)``.
            exchanged: ``segments``, ``systems`` or ``scores``.

        Returns:
            From two metrics' numbers to the measure's difference in each sample. ``None`` if the measure must be asked
            for each sample.
        """
        return None

    def correlated(self, test: Test, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return what Williams' test compares: the metrics' rows ``(metrics, rows)`` and people's ``(rows,)``.

        Raises:
            ConfigError: for measures that are not correlations.
        """
        raise ConfigError(f"Williams' test goes with correlations over segments or systems, not with {self.name}")
