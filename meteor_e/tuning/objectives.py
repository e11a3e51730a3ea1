"""What tuning maximises."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.arraytypes import Floats
from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.evaluation.correlation import correlate
from meteor_e.tuning.data import TuningSet

__all__ = ["OBJECTIVES", "CorrelationObjective", "Objective", "RankObjective", "make_objective", "weighted_pearson"]


class Objective(ABC):
    """A function from scores of cells to a number; the more, the better.

    Attributes:
        name: as on the command line.
    """

    name: str

    @abstractmethod
    def prepare(self, data: TuningSet) -> PreparedObjective:
        """Get ready for a data set.

        Raises:
            InputError: if the data set has no judgements of the kind.
        """


class PreparedObjective(ABC):
    """An objective on a data set."""

    @abstractmethod
    def value(self, scores: Floats) -> float:
        """Return the objective for scores of all cells."""

    @abstractmethod
    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        """Return the objective on bootstrap samples, ``(samples, units)``."""


class RankObjective(Objective):
    """Kendall's τ (strict) on pairs that people ranked: the better one must score more by over ε.

    Args:
        epsilon: ε, as the Java Trainer's ``-e``.
        macro: average over language pairs; else all pairs count alike, as for the Java Trainer.
    """

    name = "rank"

    def __init__(self, *, epsilon: float = 0.0, macro: bool = True) -> None:
        self.epsilon = epsilon
        self.macro = macro

    def prepare(self, data: TuningSet) -> PreparedObjective:
        """Get ready for a data set."""
        if not len(data.better):
            raise InputError("these judgements are no rankings; choose another objective, such as pearson")
        return _Ranked(self, data)


class _Ranked(PreparedObjective):
    def __init__(self, objective: RankObjective, data: TuningSet) -> None:
        self._epsilon = objective.epsilon
        # Cells that are compared often are fetched once; the pairs come sorted for the processor's cache.
        order = np.lexsort((data.worse, data.better))
        self._better, self._worse = data.better[order], data.worse[order]
        groups = data.groups[self._better]
        self._units = data.units[self._better]
        sizes = np.bincount(groups, minlength=len(data.names)).astype(float)
        self._present = sizes > 0
        macro = objective.macro and int(self._present.sum()) > 1
        self._groups = groups if macro else np.zeros(len(groups), np.int64)
        self._sizes = sizes[self._present] if macro else np.array([float(len(groups))])
        self._width = len(data.names) if macro else 1
        self._keep = self._present if macro else np.array([True])
        # Pairs sorted by group, so that counting right ones is a sum over stretches.
        by_group = np.argsort(self._groups, kind="stable")
        self._better, self._worse = self._better[by_group], self._worse[by_group]
        self._units, self._groups = self._units[by_group], self._groups[by_group]
        self._ends = np.cumsum(np.bincount(self._groups, minlength=self._width))
        self._first, self._second = np.empty(len(groups)), np.empty(len(groups))

    def right(self, scores: Floats) -> NDArray[np.bool_]:
        """Return which pairs come out right."""
        np.take(scores, self._better, out=self._first, mode="clip")
        np.take(scores, self._worse, out=self._second, mode="clip")
        if not self._epsilon:
            result: NDArray[np.bool_] = self._first > self._second
            return result
        np.subtract(self._first, self._second, out=self._first)
        return self._first > self._epsilon

    def value(self, scores: Floats) -> float:
        right = self.right(scores)
        if self._width == 1:
            return 2 * int(np.count_nonzero(right)) / len(right) - 1
        ends = self._ends.tolist()
        counts = [int(np.count_nonzero(right[start:end])) for start, end in zip([0, *ends], ends, strict=False)]
        return float((2 * np.array(counts)[self._keep] / self._sizes - 1).mean())

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        right = self.right(scores)
        shape = (self._width, weights.shape[1])
        hits, all_pairs = np.zeros(shape), np.zeros(shape)
        np.add.at(hits, (self._groups, self._units), right)
        np.add.at(all_pairs, (self._groups, self._units), 1.0)
        tau = 2 * (weights @ hits[self._keep].T) / (weights @ all_pairs[self._keep].T) - 1
        result: Floats = tau.mean(axis=1)
        return result


def weighted_pearson(first: Floats, second: Floats, weights: Floats) -> float:
    """Return Pearson's correlation with a weight a row; NaN where a side does not vary."""
    weights = weights / weights.sum()
    x, y = first - weights @ first, second - weights @ second
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(weights @ (x * y), np.sqrt((weights @ (x * x)) * (weights @ (y * y)))))


class CorrelationObjective(Objective):
    """Correlation with human scores of segments.

    Args:
        kind: ``pearson``, ``weighted-pearson`` (each segment weighs as many as its reference has words, the Java
            Trainer's ``segcor``), or ``spearman``.
        errors: whether human scores are errors, such as HTER; the correlation is then negated.
        macro: average over language pairs, else all segments count alike, as for the Java Trainer.
    """

    def __init__(self, kind: str, *, errors: bool = False, macro: bool = True) -> None:
        self.name = "hter" if errors else kind
        self.kind = kind
        self.errors = errors
        self.macro = macro

    def prepare(self, data: TuningSet) -> PreparedObjective:
        """Get ready for a data set."""
        if np.isnan(data.humans).all():
            raise InputError("these judgements are no scores of segments; choose the objective rank")
        return _Correlated(self, data)


class _Correlated(PreparedObjective):
    def __init__(self, objective: CorrelationObjective, data: TuningSet) -> None:
        self._kind = objective.kind
        self._sign = -1.0 if objective.errors else 1.0
        scored = np.flatnonzero(~np.isnan(data.humans))
        if objective.macro:
            groups = data.groups[scored]
            self._parts = [scored[groups == group] for group in np.unique(groups)]
        else:
            self._parts = [scored]
        self._data = data

    def value(self, scores: Floats) -> float:
        return self._value(scores, None)

    def _value(self, scores: Floats, units: Floats | None) -> float:
        values = []
        for cells in self._parts:
            if units is not None:
                cells = np.repeat(cells, units[self._data.units[cells]].astype(int))
            metric, human = scores[cells], self._data.humans[cells]
            # Pearson's not by scipy, which computes p too: a search asks for tens of thousands.
            if self._kind == "weighted-pearson":
                values.append(weighted_pearson(metric, human, self._data.lengths[cells]))
            elif self._kind == "pearson":
                values.append(weighted_pearson(metric, human, np.ones(len(cells))))
            else:
                values.append(correlate(metric, human, self._kind))
        mean = float(np.mean(values))
        return -1.0 if np.isnan(mean) else self._sign * mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        return np.array([self._value(scores, sample) for sample in weights])


OBJECTIVES = {
    "rank": "τ on rankings, the strict one of WMT12",
    "pearson": "Pearson's correlation with scores of segments",
    "weighted-pearson": "the same, segments weighted by the length of their reference (the Java Trainer's segcor)",
    "spearman": "Spearman's correlation with scores of segments",
    "hter": "length-weighted correlation with HTER, negated",
}
"""The objectives and what they are."""


def make_objective(name: str, *, epsilon: float = 0.0, macro: bool = True) -> Objective:
    """Make an objective by its name.

    Raises:
        ConfigError: if there is none.
    """
    if name == "rank":
        return RankObjective(epsilon=epsilon, macro=macro)
    if name == "hter":
        return CorrelationObjective("weighted-pearson", errors=True, macro=macro)
    if name in OBJECTIVES:
        return CorrelationObjective(name, macro=macro)
    raise ConfigError(f"unknown objective {name!r}{near_miss(name, OBJECTIVES)}; there are {', '.join(OBJECTIVES)}")
