"""Defines the objectives that tuning maximizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

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

UNDEFINED = -1.0
"""Value that replaces an undefined correlation. It is the lowest correlation, so that a search avoids such points."""


@dataclass(frozen=True)
class Objective:
    """A function of scores that tuning maximizes.

    Attributes:
        name: name of the objective on the command line.
        prepare: prepares the objective for a data set, or raises InputError if the data set has no suitable judgments.
    """

    name: str
    prepare: Callable[[TuningSet], PreparedObjective]


class PreparedObjective(ABC):
    """An objective, prepared for a data set."""

    def evaluate(self, scorer: PointScorer, point: Point) -> float:
        """Return the value of the objective at a point of parameters and weights."""
        return self.value(scorer.score(point))

    @abstractmethod
    def value(self, scores: Floats) -> float:
        """Return the value of the objective for the scores of all cells, an array ``(cells,)``."""

    @abstractmethod
    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        """Return the values of the objective on bootstrap samples, an array ``(samples,)``.

        Args:
            scores: scores of all cells, an array ``(cells,)``.
            weights: number of times that each sample contains each unit, an array ``(samples, units)``.
        """

    def permute(
        self, first: Floats, second: Floats, data: TuningSet, samples: int, seed: int
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yield pairs of score arrays for a permutation test, in which the scores of random units are exchanged.

        The scores are standardized first, so that exchanged scores are comparable.

        Args:
            first: scores of all cells at one point.
            second: scores of all cells at another point.
            data: the data set.
            samples: number of permutations.
            seed: seed of the permutations.
        """
        first_scores = _standardize(first)
        second_scores = _standardize(second)
        for block in random_signs(len(data.unit_groups), samples, seed):
            for unit_mask in block:
                is_exchanged = unit_mask[data.units]
                yield (
                    np.where(is_exchanged, second_scores, first_scores),
                    np.where(is_exchanged, first_scores, second_scores),
                )


def _standardize(scores: Floats) -> Floats:
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


class _RankObjective(PreparedObjective):
    """Kendall's τ over ranked pairs, in which a correct pair must differ by more than ε.

    Args:
        data: the data set.
        epsilon: the difference ε that a correct pair must exceed, like the option ``-e`` of the Java Trainer.
        macro: whether to average over groups. Otherwise, all pairs have the same weight, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, epsilon: float, macro: bool) -> None:
        n_pairs = len(data.better)
        if not n_pairs:
            raise InputError("these judgments are not rankings; choose another objective, such as pearson")
        self._epsilon = epsilon
        pair_groups = data.groups[data.better]
        pairs_per_group = np.bincount(pair_groups, minlength=len(data.names)).astype(float)
        has_pairs = pairs_per_group > 0
        self._averages_groups = macro and int(has_pairs.sum()) > 1
        if self._averages_groups:
            self._n_groups = len(data.names)
            self._has_pairs = has_pairs
        else:
            pair_groups = np.zeros(n_pairs, np.int64)
            pairs_per_group = np.array([float(n_pairs)])
            self._n_groups = 1
            self._has_pairs = np.array([True])
        # The pairs are sorted by group, so that the correct pairs of a group can be counted in a slice.
        order = np.lexsort((data.worse, data.better, pair_groups))
        self._better = data.better[order]
        self._worse = data.worse[order]
        self._groups = pair_groups[order]
        self._units = data.units[self._better]
        self._group_ends = np.cumsum(np.bincount(self._groups, minlength=self._n_groups)).tolist()
        self._pairs_per_group = pairs_per_group[self._has_pairs]
        self._better_scores = np.empty(n_pairs)
        self._worse_scores = np.empty(n_pairs)

    def is_ordered_right(self, scores: Floats) -> NDArray[np.bool_]:
        """Return a mask of the pairs, which is true if the better output scores higher by more than ε."""
        np.take(scores, self._better, out=self._better_scores, mode="clip")
        np.take(scores, self._worse, out=self._worse_scores, mode="clip")
        if not self._epsilon:
            return np.asarray(self._better_scores > self._worse_scores)
        np.subtract(self._better_scores, self._worse_scores, out=self._better_scores)
        return np.asarray(self._better_scores > self._epsilon)

    def value(self, scores: Floats) -> float:
        is_right = self.is_ordered_right(scores)
        if not self._averages_groups:
            return 2 * int(np.count_nonzero(is_right)) / len(is_right) - 1
        limits = zip([0, *self._group_ends], self._group_ends, strict=False)
        n_right = np.array([int(np.count_nonzero(is_right[start:end])) for start, end in limits])
        return float((2 * n_right[self._has_pairs] / self._pairs_per_group - 1).mean())

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        is_right = self.is_ordered_right(scores)
        shape = (self._n_groups, weights.shape[1])
        n_right = np.zeros(shape)
        n_pairs = np.zeros(shape)
        np.add.at(n_right, (self._groups, self._units), is_right)
        np.add.at(n_pairs, (self._groups, self._units), 1.0)
        right_shares = (weights @ n_right[self._has_pairs].T) / (weights @ n_pairs[self._has_pairs].T)
        return np.asarray((2 * right_shares - 1).mean(axis=1))


def compute_weighted_pearson(first: Floats, second: Floats, weights: Floats) -> float:
    """Return Pearson's correlation coefficient of weighted observations, or NaN if all values of a variable are equal.

    Args:
        first: values of the first variable.
        second: values of the second variable.
        weights: weight of each observation.
    """
    weights = weights / weights.sum()
    x = first - weights @ first
    y = second - weights @ second
    covariance = weights @ (x * y)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(covariance, np.sqrt((weights @ (x * x)) * (weights @ (y * y)))))


class _CorrelationObjective(PreparedObjective):
    """Correlation of scores with human scores of segments.

    Args:
        data: the data set.
        coefficient: ``pearson``, ``spearman``, or ``weighted-pearson``. The latter weights segments by the lengths of
            their references, like ``segcor`` of the Java Trainer.
        macro: whether to average over groups. Otherwise, all segments have the same weight, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, coefficient: str, macro: bool) -> None:
        self._coefficient = coefficient
        self._data = data
        scored_cells = np.flatnonzero(~np.isnan(data.human_scores))
        if not len(scored_cells):
            raise InputError("these judgments are not scores of segments; choose the objective rank")
        self._cells_by_group = [scored_cells]
        if macro:
            groups = data.groups[scored_cells]
            self._cells_by_group = [scored_cells[groups == group] for group in np.unique(groups)]

    def value(self, scores: Floats) -> float:
        return self._mean([self._correlate(scores, cells) for cells in self._cells_by_group])

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        values = []
        for unit_weights in weights:
            repetitions = unit_weights.astype(int)[self._data.units]
            samples = [np.repeat(cells, repetitions[cells]) for cells in self._cells_by_group]
            values.append(self._mean([self._correlate(scores, cells) for cells in samples]))
        return np.array(values)

    def _correlate(self, scores: Floats, cells: Integers) -> float:
        metric = scores[cells]
        human = self._data.human_scores[cells]
        if self._coefficient == "weighted-pearson":
            return compute_weighted_pearson(metric, human, self._data.lengths[cells])
        if self._coefficient == "pearson":
            # The function of SciPy also computes a p-value, which would slow down a search.
            return compute_weighted_pearson(metric, human, np.ones(len(cells)))
        return correlate(metric, human, self._coefficient)

    @staticmethod
    def _mean(values: list[float]) -> float:
        mean = float(np.mean(values))
        return UNDEFINED if np.isnan(mean) else mean


class _JudgedGroup(NamedTuple):
    """A group of cells whose judgments are suitable for a measure.

    Attributes:
        test: test set of the group.
        cells: indices of the cells of the group.
        first_unit: index of the first unit of the group.
        agreement: the measure as a function of segment scores.
    """

    test: TestSet
    cells: Integers
    first_unit: int
    agreement: Agreement


def _make_judged_group(data: TuningSet, index: int, first_unit: int, measure: Measure[TestSet]) -> _JudgedGroup | None:
    """Return a group of cells, or None if its judgments are not suitable for the measure.

    Args:
        data: the data set.
        index: index of the group.
        first_unit: index of the first unit of the group.
        measure: the measure.
    """
    full_test = data.tests[index]
    cells = np.flatnonzero(data.groups == index)
    is_included = np.zeros((len(full_test.systems), len(full_test)), bool)
    is_included[:, np.unique(data.units[cells]) - first_unit] = True
    test = full_test.without(~is_included)
    agreement = measure.agreement(test)
    if agreement is None or not test.judgment_mask().any():
        return None
    return _JudgedGroup(test, cells, first_unit, agreement)


class _MeasureObjective(PreparedObjective):
    """A measure of ``meteor-e evaluate`` that takes scores of segments.

    Args:
        data: the data set.
        measure: the measure.
        macro: whether all groups have the same weight. Otherwise, they are weighted by the number of judged outputs.
    """

    def __init__(self, data: TuningSet, *, measure: Measure[TestSet], macro: bool) -> None:
        self._measure = measure
        self._data = data
        self._groups: list[_JudgedGroup] = []
        first_unit = 0
        for index, test in enumerate(data.tests):
            group = _make_judged_group(data, index, first_unit, measure)
            if group is not None:
                self._groups.append(group)
            first_unit += len(test)
        if not self._groups:
            raise InputError(f"these judgments do not allow the objective {measure.name}")
        group_weights = [1.0 if macro else float(group.test.judgment_mask().sum()) for group in self._groups]
        self._shares = np.array(group_weights) / np.sum(group_weights)

    def _segment_scores(self, group: _JudgedGroup, scores: Floats) -> Floats:
        """Return the scores of the test set of a group, an array ``(systems, segments)``."""
        segment_scores = np.full((len(group.test.systems), len(group.test)), np.nan)
        segments = self._data.units[group.cells] - group.first_unit
        segment_scores[self._data.systems[group.cells], segments] = scores[group.cells]
        return segment_scores

    def value(self, scores: Floats) -> float:
        values = [group.agreement(self._segment_scores(group, scores)) for group in self._groups]
        mean = float(self._shares @ np.array(values))
        return UNDEFINED if np.isnan(mean) else mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        values = []
        for group in self._groups:
            no_system_scores = np.full(len(group.test.systems), np.nan)
            group_scores = Scores("", "", self._segment_scores(group, scores), no_system_scores)
            group_weights = weights[:, group.first_unit : group.first_unit + len(group.test)]
            values.append(self._measure.resampled(group.test, group_scores, group_weights))
        return np.asarray(self._shares @ np.stack(values))


OBJECTIVES = {
    "rank": "strict Kendall's τ over ranked pairs, as in WMT12",
    "pearson": "Pearson's correlation with scores of segments",
    "weighted-pearson": "the same, segments weighted by the length of their reference (the Java Trainer's segcor)",
    "spearman": "Spearman's correlation with scores of segments",
}
"""Names and descriptions of the objectives that are specific to tuning."""


def make_objective(name: str, *, epsilon: float = 0.0, macro: bool = True) -> Objective:
    """Return the objective with a name.

    Args:
        name: a key of :data:`OBJECTIVES`, or the name of a measure of ``meteor-e evaluate``.
        epsilon: for the objective ``rank``, the difference of scores that a correct pair must exceed.
        macro: whether to average over language pairs. Otherwise, all judgments have the same weight.

    Raises:
        ConfigError: if the name is unknown, or if the measure takes scores of systems instead of segments.
    """
    if name == "rank":
        return Objective(name, partial(_RankObjective, epsilon=epsilon, macro=macro))
    if name in OBJECTIVES:
        return Objective(name, partial(_CorrelationObjective, coefficient=name, macro=macro))
    if name.partition(":")[0] in measure_names():
        objective_measure = measure(name)
        if objective_measure.takes == "systems":
            raise ConfigError(
                f"{name} takes the scores of a few systems, which are too few to tune on; spa takes all segments"
            )
        return Objective(objective_measure.name, partial(_MeasureObjective, measure=objective_measure, macro=macro))
    names = [*OBJECTIVES, *measure_names()]
    raise ConfigError(f"unknown objective {name!r}{near_miss(name, names)}; there are {', '.join(names)}")
