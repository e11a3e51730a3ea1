"""Objectives, which tuning maximizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Measure
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.errors import near_miss
from meteor_e.significance.resampling import random_signs
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.measures import measure, measure_names
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.scorer import Point, PointScorer


@dataclass(frozen=True)
class Objective:
    """A function from scores of cells to a number; the more, the better.

    Attributes:
        name: as on the command line.
        prepare: gets it ready for a data set; raises :class:`InputError` if that has no judgments of the kind.
    """

    name: str
    prepare: Callable[[TuningSet], PreparedObjective]


class PreparedObjective(ABC):
    """An objective on a data set."""

    def at(self, scorer: PointScorer, point: Point) -> float:
        """Return the objective for a point of parameters."""
        return self.value(scorer.score(point))

    @abstractmethod
    def value(self, scores: Floats) -> float:
        """Return the objective for scores of all cells."""

    @abstractmethod
    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        """Return the objective on bootstrap samples, ``(samples, units)``."""

    def exchanged(
        self, first: Floats, second: Floats, data: TuningSet, samples: int, seed: int
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yield both sides with the scores of units exchanged at random, brought to one scale."""
        one, other = ((each - each.mean()) / (each.std() or 1.0) for each in (first, second))
        for block in random_signs(len(data.unit_groups), samples, seed):
            for mask in block:
                exchange = mask[data.units]
                yield np.where(exchange, other, one), np.where(exchange, one, other)


class _Ranked(PreparedObjective):
    """Kendall's τ (strict) on pairs that people ranked: the better one must score more by over ε.

    Args:
        epsilon: ε, as the Java Trainer's ``-e``.
        macro: average over language pairs; else all pairs count alike, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, epsilon: float, macro: bool) -> None:
        if not len(data.better):
            raise InputError("these judgments are not rankings; choose another objective, such as pearson")
        self._epsilon = epsilon
        # Cells that are compared often are fetched once; the pairs come sorted for the processor's cache.
        order = np.lexsort((data.worse, data.better))
        self._better, self._worse = data.better[order], data.worse[order]
        groups = data.groups[self._better]
        self._units = data.units[self._better]
        sizes = np.bincount(groups, minlength=len(data.names)).astype(float)
        self._present = sizes > 0
        macro = macro and int(self._present.sum()) > 1
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
        """Return which pairs are in the right order."""
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
    """Return Pearson's correlation with one weight per row; NaN where a side does not vary."""
    weights = weights / weights.sum()
    x, y = first - weights @ first, second - weights @ second
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(weights @ (x * y), np.sqrt((weights @ (x * x)) * (weights @ (y * y)))))


class _Correlated(PreparedObjective):
    """Correlation with human scores of segments.

    Args:
        kind: ``pearson``, ``weighted-pearson`` (each segment weighs as many as its reference has words, the Java
            Trainer's ``segcor``), or ``spearman``.
        macro: average over language pairs, else all segments count alike, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, kind: str, macro: bool) -> None:
        self._kind = kind
        scored = np.flatnonzero(~np.isnan(data.humans))
        if not len(scored):
            raise InputError("these judgments are not scores of segments; choose the objective rank")
        if macro:
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
        return -1.0 if np.isnan(mean) else mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        return np.array([self._value(scores, sample) for sample in weights])


class _Measured(PreparedObjective):
    """Any measure of an evaluation that takes scores of segments.

    Args:
        measure: the measure.
        macro: average over language pairs alike; else each counts as many as it has judged segments.
    """

    def __init__(self, data: TuningSet, *, measure: Measure[TestSet], macro: bool) -> None:
        self._measure, self._data = measure, data
        self._groups: list[tuple[TestSet, Integers, int, Agreement]] = []
        weights = []
        starts = np.cumsum([0, *(len(test) for test in data.tests)])
        for group, whole in enumerate(data.tests):
            cells = np.flatnonzero(data.groups == group)
            here = np.zeros((len(whole.systems), len(whole)), bool)
            here[:, np.unique(data.units[cells]) - starts[group]] = True
            test = whole.without(~here)
            agreement, judged = measure.agreement(test), int(test.judged().sum())
            if agreement is not None and judged:
                self._groups.append((test, cells, int(starts[group]), agreement))
                weights.append(1.0 if macro else float(judged))
        if not self._groups:
            raise InputError(f"these judgments do not allow the objective {measure.name}")
        self._shares = np.array(weights) / np.sum(weights)

    def _segments(self, test: TestSet, cells: Integers, start: int, scores: Floats) -> Floats:
        """Return a test set's scores, ``(systems, segments)``."""
        result = np.full((len(test.systems), len(test)), np.nan)
        result[self._data.rows[cells], self._data.units[cells] - start] = scores[cells]
        return result

    def value(self, scores: Floats) -> float:
        groups = self._groups
        values = [agreement(self._segments(test, cells, start, scores)) for test, cells, start, agreement in groups]
        mean = float(self._shares @ np.array(values))
        return -1.0 if np.isnan(mean) else mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        parts = []
        for test, cells, start, _ in self._groups:
            known = Scores("", "", self._segments(test, cells, start, scores), np.full(len(test.systems), np.nan))
            parts.append(self._measure.resampled(test, known, weights[:, start : start + len(test)]))
        return np.asarray(self._shares @ np.stack(parts))


OBJECTIVES = {
    "rank": "τ on rankings, the strict one of WMT12",
    "pearson": "Pearson's correlation with scores of segments",
    "weighted-pearson": "the same, segments weighted by the length of their reference (the Java Trainer's segcor)",
    "spearman": "Spearman's correlation with scores of segments",
}
"""The objectives and what they are."""


def make_objective(name: str, *, epsilon: float = 0.0, macro: bool = True) -> Objective:
    """Make an objective by its name: one of :data:`OBJECTIVES`, or any measure of an evaluation.

    Raises:
        ConfigError: if there is none.
    """
    if name == "rank":
        return Objective(name, partial(_Ranked, epsilon=epsilon, macro=macro))
    if name in OBJECTIVES:
        return Objective(name, partial(_Correlated, kind=name, macro=macro))
    if name.partition(":")[0] in measure_names():
        found = measure(name)
        if found.takes == "systems":
            raise ConfigError(f"{name} looks at a few scores of systems, too few to tune on; spa looks at all segments")
        return Objective(found.name, partial(_Measured, measure=found, macro=macro))
    known = [*OBJECTIVES, *measure_names()]
    raise ConfigError(f"unknown objective {name!r}{near_miss(name, known)}; there are {', '.join(known)}")
