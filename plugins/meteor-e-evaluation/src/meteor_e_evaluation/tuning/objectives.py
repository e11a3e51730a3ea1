"""What tuning maximizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e import Parameters
from meteor_e.api import ConfigError, InputError, Measure
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e.scoring.arrays import Counts, score_arrays
from meteor_e.significance.resampling import random_signs
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.measures import measure, measure_names
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.scorer import Point, PointScorer


@dataclass(frozen=True)
class Objective:
    """A function from scores of cells to a number; the more, the better.

    Attributes:
        name: as on the command line.
        prepare: gets it ready for a data set; raises :class:`InputError` if that has no judgments of the kind.
        whole: whether it looks at whole systems, so that all segments must be aligned.
    """

    name: str
    prepare: Callable[[TuningSet], PreparedObjective]
    whole: bool = False


class PreparedObjective(ABC):
    """An objective on a data set.

    What it looks at are scores of cells, unless :meth:`scores` says otherwise.
    """

    def scores(self, scorer: PointScorer, point: Point) -> Any:
        """Return what the objective looks at, for a point of parameters."""
        return scorer.score(point).copy()

    def at(self, scorer: PointScorer, point: Point) -> float:
        """Return the objective for a point of parameters."""
        return self.value(scorer.score(point))

    @abstractmethod
    def value(self, scores: Any) -> float:
        """Return the objective for scores of all cells."""

    @abstractmethod
    def resampled(self, scores: Any, weights: Floats) -> Floats:
        """Return the objective on bootstrap samples, ``(samples, units)``."""

    def exchanged(self, first: Any, second: Any, data: TuningSet, samples: int, seed: int) -> Iterator[tuple[Any, Any]]:
        """Yield both sides with the scores of units exchanged at random, brought to one scale."""
        one, other = _standard(first), _standard(second)
        for block in random_signs(len(data.unit_groups), samples, seed):
            for mask in block:
                exchange = mask[data.units]
                yield np.where(exchange, other, one), np.where(exchange, one, other)


def _standard(scores: Floats) -> Floats:
    spread = float(scores.std())
    result: Floats = (scores - scores.mean()) / (spread if spread > 0 else 1.0)
    return result


class _Ranked(PreparedObjective):
    """Kendall's τ (strict) on pairs that people ranked: the better one must score more by over ε.

    Args:
        epsilon: ε, as the Java Trainer's ``-e``.
        macro: average over language pairs; else all pairs count alike, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, epsilon: float, macro: bool) -> None:
        if not len(data.better):
            raise InputError("these judgments are no rankings; choose another objective, such as pearson")
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
        errors: whether human scores are errors, such as HTER; the correlation is then negated.
        macro: average over language pairs, else all segments count alike, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, kind: str, errors: bool, macro: bool) -> None:
        self._kind = kind
        self._sign = -1.0 if errors else 1.0
        scored = np.flatnonzero(~np.isnan(data.humans))
        if not len(scored):
            raise InputError("these judgments are no scores of segments; choose the objective rank")
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
        return -1.0 if np.isnan(mean) else self._sign * mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        return np.array([self._value(scores, sample) for sample in weights])


@dataclass(frozen=True)
class _Systems:
    """What an objective over systems looks at: their scores, and what these are made of."""

    values: Floats
    counts: Counts | None = None
    parameters: Parameters | None = None


@dataclass(frozen=True)
class _Group:
    """A test set of the data: its cells, and where its systems stand among all."""

    test: TestSet
    cells: NDArray[np.int64]
    first_system: int
    units: slice
    agreement: Callable[[Floats], float]
    weight: float

    def matrix(self, data: TuningSet, scores: Floats) -> Floats:
        result = np.full((len(self.test.systems), len(self.test)), np.nan)
        result[data.rows[self.cells], data.units[self.cells] - self.units.start] = scores[self.cells]
        return result


class _Measured(PreparedObjective):
    """Any measure of an evaluation.

    Args:
        measure: the measure.
        macro: average over language pairs alike; else each counts as many as it has judged segments.
    """

    def __init__(self, data: TuningSet, *, measure: Measure[TestSet], macro: bool) -> None:
        self._measure, self._data = measure, data
        self._of_systems = measure.takes == "systems"
        self._groups: list[_Group] = []
        starts = np.cumsum([0, *(len(test) for test in data.tests)])
        systems = np.cumsum([0, *(len(test.systems) for test in data.tests)])
        self._owner = systems[data.groups] + data.rows
        self._count = int(systems[-1])
        for group, whole in enumerate(data.tests):
            cells = np.flatnonzero(data.groups == group)
            if not len(cells):
                continue
            here = np.zeros((len(whole.systems), len(whole)), bool)
            here[:, np.unique(data.units[cells]) - starts[group]] = True
            test = whole.without(~here)
            agreement = measure.agreement(test)
            judged = int(test.judged().sum())
            if agreement is None or (not judged and not whole.system_scores):
                continue
            weight = measure.weight(test) if measure.pooled else 1.0 if macro else float(judged)
            units = slice(int(starts[group]), int(starts[group + 1]))
            self._groups.append(_Group(test, cells, int(systems[group]), units, agreement, weight))
        if not self._groups or not any(group.weight for group in self._groups):
            raise InputError(f"these judgments do not allow the objective {measure.name}")

    def _mean(self, values: Sequence[float]) -> float:
        weights = np.array([group.weight for group in self._groups])
        mean = float(weights @ np.array(values)) / float(weights.sum())
        return -1.0 if np.isnan(mean) else mean

    def at(self, scorer: PointScorer, point: Point) -> float:
        return self.value(self.scores(scorer, point) if self._of_systems else scorer.score(point))

    def scores(self, scorer: PointScorer, point: Point) -> Any:
        if not self._of_systems:
            return scorer.score(point).copy()
        counts = scorer.chosen(point)
        sums = np.stack([np.bincount(self._owner, column, self._count) for column in counts.T], axis=1)
        parameters = Parameters(point[0], point[1], point[2], point[3], tuple(point[4:]))
        return _Systems(score_arrays(sums, parameters), counts, parameters)

    def value(self, scores: Any) -> float:
        if isinstance(scores, _Systems):
            return self._mean(
                [
                    group.agreement(scores.values[group.first_system : group.first_system + len(group.test.systems)])
                    for group in self._groups
                ]
            )
        return self._mean([group.agreement(group.matrix(self._data, scores)) for group in self._groups])

    def resampled(self, scores: Any, weights: Floats) -> Floats:
        parts = []
        for group in self._groups:
            own = weights[:, group.units]
            parts.append(self._measure.resampled(group.test, self._scored(group, scores), own))
        shares = np.array([group.weight for group in self._groups])
        result: Floats = shares @ np.stack(parts) / shares.sum()
        return result

    def _scored(self, group: _Group, scores: Any) -> Scores:
        """Return a group's scores as an evaluation has them."""
        count = len(group.test.systems)
        if not isinstance(scores, _Systems):
            segments = group.matrix(self._data, scores)
            return Scores("", "", segments, np.full(count, np.nan))
        counts, parameters = scores.counts, scores.parameters
        assert counts is not None
        assert parameters is not None
        rows = self._data.rows[group.cells]
        units = self._data.units[group.cells] - group.units.start
        own = counts[group.cells]

        def resample(system: int, weights: Floats) -> Floats:
            mine = rows == system
            return score_arrays(weights[:, units[mine]] @ own[mine], parameters)

        known = np.zeros((count, len(group.test)))
        values = scores.values[group.first_system : group.first_system + count]
        return Scores("", "", known, values, resample)

    def exchanged(self, first: Any, second: Any, data: TuningSet, samples: int, seed: int) -> Iterator[tuple[Any, Any]]:
        if not isinstance(first, _Systems):
            yield from super().exchanged(first, second, data, samples, seed)
            return
        one, other = _standard(first.values), _standard(second.values)
        for block in random_signs(self._count, samples, seed):
            for mask in block:
                yield _Systems(np.where(mask, other, one)), _Systems(np.where(mask, one, other))


OBJECTIVES = {
    "rank": "τ on rankings, the strict one of WMT12",
    "pearson": "Pearson's correlation with scores of segments",
    "weighted-pearson": "the same, segments weighted by the length of their reference (the Java Trainer's segcor)",
    "spearman": "Spearman's correlation with scores of segments",
    "hter": "length-weighted correlation with HTER, negated",
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
        errors = name == "hter"
        kind = "weighted-pearson" if errors else name
        return Objective(name, partial(_Correlated, kind=kind, errors=errors, macro=macro))
    if name.partition(":")[0] in measure_names():
        found = measure(name)
        return Objective(found.name, partial(_Measured, measure=found, macro=macro), found.level == "system")
    known = [*OBJECTIVES, *measure_names()]
    raise ConfigError(f"unknown objective {name!r}{near_miss(name, known)}; there are {', '.join(known)}")
