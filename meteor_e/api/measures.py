"""Measures of how well metric scores agree with human judgments, such as correlation coefficients."""

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
    """Base class of all measures. A measure is computed from a metric's scores and the judgments of a test set.

    Test sets are instances of :class:`meteor_e_evaluation.TestSet`.

    Class attributes
    ----------------
    name
        Name in ``meteor-e evaluate -s``; lower case, unique among all installed plugins.
    title : str
        Name in tables.
    level : str
        ``segment`` or ``system``, the level at which scores are compared.
    definition : str
        A sentence that defines the measure.
    source : str
        The paper or shared task that introduced the measure.
    mtme : str
        Name in mt-metrics-eval; empty if it does not contain the measure.
    ties : str
        A description of the treatment of ties.
    missing : str
        A description of the treatment of missing judgments.
    takes : Literal[segments, systems]
        The scores that the measure uses, ``segments`` or ``systems``.
    pooled : bool
        Whether the mean over language pairs is weighted by :meth:`weight`.
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
        """Return a function that computes the measure from a metric's scores.

        The function takes an array of scores, ``(systems, segments)``, or ``(systems,)`` if the measure uses system
        scores. The result is ``None`` if the test set lacks the required judgments.
        """

    def value(self, test: Test, scores: Scores) -> float:
        """Return the measure, or NaN if required judgments or scores are missing."""
        available = scores.segments if self.takes == "segments" else scores.systems
        if np.isnan(available).all():
            return math.nan
        agreement = self.agreement(test)
        return math.nan if agreement is None else agreement(available)

    def explain_undefined(self, test: Test, scores: Scores) -> str:
        """Explain why :meth:`value` is NaN. The explanation is a clause that is displayed below a table."""
        available = scores.segments if self.takes == "segments" else scores.systems
        if np.isnan(available).all():
            return f"the metric has no scores of {self.takes}"
        if self.agreement(test) is None:
            return self.explain_missing_judgments(test)
        if np.isnan(available).any():
            return f"the metric lacks scores of some {self.takes}"
        return "the metric's scores or the human scores are all equal"

    def explain_missing_judgments(self, test: Test) -> str:
        """Explain why :meth:`agreement` is ``None``. The explanation is a clause that is displayed below a table."""
        return "the test set does not have the judgments that this measure needs"

    @abstractmethod
    def resampled(self, test: Test, scores: Scores, weights: Floats) -> Floats:
        """Compute the measure on each resampled test set, and return the results as an array ``(samples,)``.

        Args:
            test: the test set.
            scores: the metric's scores.
            weights: number of times that each sample contains each segment, ``(samples, segments)``.
        """

    def weight(self, test: Test) -> float:
        """Return the weight of a test set when the measure is averaged over several test sets."""
        return 1.0

    def default_test(self) -> str:
        """Return the name of the default significance test for comparing two metrics by this measure.

        The test ``paired+systems`` consists of two permutation tests and reports the higher p-value. The first test
        exchanges all scores of a segment between two metrics, because the scores of a segment are not independent. For
        the same reason, the second test exchanges all scores of a system.
        """
        return "paired+systems" if self.takes == "segments" else "systems"

    def exchange(
        self, test: Test, values: Floats, masks: NDArray[np.bool_], unit: str
    ) -> Callable[[int, int], Floats] | None:
        """Return a fast implementation of permutation tests for this measure, or ``None`` if there is none.

        In a permutation test, two metrics exchange scores at random.

        Args:
            test: the test set.
            values: scores of the metrics, ``(metrics, systems, segments)``.
            masks: whether scores are exchanged in a sample, ``(samples, segments)``, ``(samples, systems)`` or, for
                single scores, ``(samples, systems, segments)``.
            unit: the unit that is exchanged: ``segments``, ``systems`` or ``scores``.

        Returns:
            A function of the indexes of two metrics, which returns the difference of their measures in each sample. If
            it is ``None``, the measure is computed separately for each sample.
        """
        return None

    def correlated(self, test: Test, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return the data for Williams' test, which compares two dependent correlations.

        Returns:
            The scores of the metrics, ``(metrics, rows)``, and the human scores, ``(rows,)``. The result is ``None``
            if the test set does not contain the judgments.

        Raises:
            ConfigError: if the measure is not a correlation.
        """
        raise ConfigError(f"Williams' test compares correlations over segments or systems; {self.name} is not one")
