"""Defines the objectives that tuning maximizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
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
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.measures import measure, measure_names
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

UNDEFINED = -1.0
"""Value that replaces an undefined correlation. It is the lowest correlation, so that a search avoids such points."""


@dataclass(frozen=True)
class Objective:
    """A quality measure for METEOR scores. Tuning maximizes its value.

    Attributes:
        name: name of the objective on the command line.
        prepare: prepares the objective for a data set, or raises InputError if the data set has no suitable judgments.
    """

    name: str
    prepare: Callable[[TuningSet], PreparedObjective]


class PreparedObjective(ABC):
    """An objective, prepared for a data set."""

    def evaluate(self, scorer: PointScorer, point: Point) -> float:
        """Score all outputs at a point, and return the value of the objective."""
        return self.value(scorer.score(point))

    @abstractmethod
    def value(self, scores: Floats) -> float:
        """Return the value of the objective for the METEOR scores of all outputs."""

    @abstractmethod
    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        """Return the value of the objective on each bootstrap sample.

        Args:
            scores: scores of all cells, an array ``(cells,)``.
            weights: number of times that each sample contains each unit, an array ``(samples, units)``.

        Returns:
            An array ``(samples,)``.
        """


class _RankObjective(PreparedObjective):
    """Kendall's τ over ranked pairs of outputs.

    A pair counts as correct if the better output scores higher by more than ε.

    A cell is the output of one system for one segment, a unit is a segment, and a group is a test set.

    Args:
        data: the data set.
        epsilon: the difference ε that a correct pair must exceed, like the option ``-e`` of the Java Trainer.
        macro: whether to average over groups. Otherwise, all pairs have the same weight, as for the Java Trainer.
    """

    def __init__(self, data: TuningSet, *, epsilon: float, macro: bool) -> None:
        n_pairs = len(data.better)
        if n_pairs == 0:
            raise InputError("these judgments are not rankings; choose another objective, such as pearson")
        self._epsilon = epsilon
        pair_groups = data.groups[data.better] if macro else np.zeros(n_pairs, np.int64)
        # The pairs are sorted by group, so that the pairs of each group form a contiguous slice.
        order = np.lexsort((data.worse, data.better, pair_groups))
        self._better_cells = data.better[order]
        self._worse_cells = data.worse[order]
        # The better and the worse output of a pair are outputs for the same segment.
        self._unit_of_pair = data.units[self._better_cells]
        _, self._group_of_pair, group_sizes = np.unique(pair_groups[order], return_inverse=True, return_counts=True)
        self._group_slices = _make_slices(group_sizes)
        # All evaluations share these arrays, because a search computes the objective thousands of times.
        self._better_scores = np.empty(n_pairs)
        self._worse_scores = np.empty(n_pairs)

    def _find_right_pairs(self, scores: Floats) -> NDArray[np.bool_]:
        """Return a mask of the pairs in which the output that humans prefer scores higher by more than ε."""
        np.take(scores, self._better_cells, out=self._better_scores, mode="clip")
        np.take(scores, self._worse_cells, out=self._worse_scores, mode="clip")
        if not self._epsilon:
            return np.asarray(self._better_scores > self._worse_scores)
        np.subtract(self._better_scores, self._worse_scores, out=self._better_scores)
        return np.asarray(self._better_scores > self._epsilon)

    def value(self, scores: Floats) -> float:
        is_right = self._find_right_pairs(scores)
        taus = []
        for group_slice in self._group_slices:
            is_right_in_group = is_right[group_slice]
            n_right = int(np.count_nonzero(is_right_in_group))
            taus.append(2 * n_right / len(is_right_in_group) - 1)
        # A search calls this method thousands of times, so NumPy's mean is avoided if possible.
        return taus[0] if len(taus) == 1 else float(np.mean(taus))

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        is_right = self._find_right_pairs(scores)
        # Both arrays of counts have one row per group of pairs and one column per segment.
        shape = (len(self._group_slices), weights.shape[1])
        n_right = np.zeros(shape)
        n_pairs = np.zeros(shape)
        np.add.at(n_right, (self._group_of_pair, self._unit_of_pair), is_right)
        np.add.at(n_pairs, (self._group_of_pair, self._unit_of_pair), 1.0)
        taus = 2 * (weights @ n_right.T) / (weights @ n_pairs.T) - 1  # (samples, groups)
        return np.asarray(taus.mean(axis=1))


def _make_slices(sizes: Integers) -> list[slice]:
    """Return the slice of each group in an array of concatenated groups.

    Args:
        sizes: number of items of each group.
    """
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for size, end in zip(sizes.tolist(), ends, strict=True)]


def compute_weighted_pearson(first: Floats, second: Floats, weights: Floats) -> float:
    """Return the weighted Pearson correlation of two variables, or NaN if either variable is constant.

    Args:
        first: values of the first variable.
        second: values of the second variable.
        weights: weight of each observation.
    """
    shares = weights / weights.sum()
    first_deviations = first - shares @ first
    second_deviations = second - shares @ second
    covariance = shares @ (first_deviations * second_deviations)
    first_variance = shares @ (first_deviations * first_deviations)
    second_variance = shares @ (second_deviations * second_deviations)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(covariance, np.sqrt(first_variance * second_variance)))


class _CorrelationObjective(PreparedObjective):
    """Correlation of metric scores with human scores of segments.

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
            sampled_cells = [np.repeat(cells, repetitions[cells]) for cells in self._cells_by_group]
            values.append(self._mean([self._correlate(scores, cells) for cells in sampled_cells]))
        return np.array(values)

    def _correlate(self, scores: Floats, cells: Integers) -> float:
        """Return the correlation of metric scores with human scores over a selection of outputs."""
        metric_scores = scores[cells]
        human_scores = self._data.human_scores[cells]
        if self._coefficient == "weighted-pearson":
            return compute_weighted_pearson(metric_scores, human_scores, weights=self._data.reference_lengths[cells])
        if self._coefficient == "pearson":
            # SciPy's function would slow down a search, because it also computes a p-value.
            return compute_weighted_pearson(metric_scores, human_scores, weights=np.ones(len(cells)))
        return correlate(metric_scores, human_scores, self._coefficient)

    @staticmethod
    def _mean(values: list[float]) -> float:
        """Average correlations over groups.

        If the correlation of any group is undefined, the result is the lowest possible value.
        """
        mean = float(np.mean(values))
        return UNDEFINED if np.isnan(mean) else mean


class _JudgedGroup(NamedTuple):
    """The judged outputs of one test set, and a function that measures how well scores agree with the judgments.

    Attributes:
        test: test set of the group.
        cells: indices of the cells of the group, ``(cells,)``.
        systems: index of each cell's system, ``(cells,)``.
        segments: index of each cell's segment in the test set, ``(cells,)``.
        units: the units of the group.
        agreement: the measure as a function of segment scores.
    """

    test: TestSet
    cells: Integers
    systems: Integers
    segments: Integers
    units: slice
    agreement: Agreement

    def arrange(self, scores: Floats) -> Floats:
        """Return the METEOR scores of the group as a matrix ``(systems, segments)``, with NaN for unjudged outputs.

        Args:
            scores: the scores of all cells in the data set.
        """
        segment_scores = np.full((len(self.test.systems), len(self.test)), np.nan)
        segment_scores[self.systems, self.segments] = scores[self.cells]
        return segment_scores


def _make_judged_group(data: TuningSet, group: int, measure: Measure[TestSet]) -> _JudgedGroup | None:
    """Select the judged segments of one test set, or return None if the measure cannot use their judgments.

    Args:
        data: the data set, which may contain only some segments of each test set.
        group: index of the test set.
        measure: the measure of agreement with the judgments.
    """
    # The segments of a test set have consecutive unit numbers, and segment 0 has the smallest unit number.
    first_unit = int(np.searchsorted(data.unit_groups, group))
    cells = np.flatnonzero(data.groups == group)
    segments = data.units[cells] - first_unit
    test = _select_judgments(data.tests[group], segments)
    agreement = measure.agreement(test)
    if agreement is None or not test.judgment_mask().any():
        return None
    return _JudgedGroup(
        test=test,
        cells=cells,
        systems=data.systems[cells],
        segments=segments,
        units=slice(first_unit, first_unit + len(test)),
        agreement=agreement,
    )


def _select_judgments(test: TestSet, segments: Integers) -> TestSet:
    """Return a test set with the judgments of some segments only."""
    is_excluded = np.ones((len(test.systems), len(test)), bool)
    is_excluded[:, segments] = False
    return test.without(is_excluded)


class _MeasureObjective(PreparedObjective):
    """An objective that maximizes a segment-level measure of ``meteor-e evaluate``.

    Args:
        data: the data set.
        measure: the measure.
        macro: whether all groups have the same weight. Otherwise, they are weighted by the number of judged outputs.
    """

    def __init__(self, data: TuningSet, *, measure: Measure[TestSet], macro: bool) -> None:
        self._measure = measure
        groups = [_make_judged_group(data, index, measure) for index in range(len(data.tests))]
        self._groups = [group for group in groups if group is not None]
        if not self._groups:
            raise InputError(f"these judgments do not allow the objective {measure.name}")
        n_judged = np.array([float(group.test.judgment_mask().sum()) for group in self._groups])
        group_weights = np.ones(len(self._groups)) if macro else n_judged
        self._shares = group_weights / group_weights.sum()

    def value(self, scores: Floats) -> float:
        values = [group.agreement(group.arrange(scores)) for group in self._groups]
        mean = float(self._shares @ np.array(values))
        return UNDEFINED if np.isnan(mean) else mean

    def resampled(self, scores: Floats, weights: Floats) -> Floats:
        values = []
        for group in self._groups:
            no_system_scores = np.full(len(group.test.systems), np.nan)
            group_scores = Scores("", "", group.arrange(scores), no_system_scores)
            values.append(self._measure.resampled(group.test, group_scores, weights[:, group.units]))
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
    segment_measure = _make_segment_measure(name)
    return Objective(segment_measure.name, partial(_MeasureObjective, measure=segment_measure, macro=macro))


def _make_segment_measure(name: str) -> Measure[TestSet]:
    """Return the measure of ``meteor-e evaluate`` with the given name. The measure must accept segment scores."""
    measure_name, _, _ = name.partition(":")
    if measure_name not in measure_names():
        names = [*OBJECTIVES, *measure_names()]
        raise ConfigError(f"unknown objective {name!r}{near_miss(name, names)}; there are {', '.join(names)}")
    named_measure = measure(name)
    if named_measure.takes == "systems":
        raise ConfigError(
            f"{name} takes the scores of a few systems, which are too few to tune on; spa takes all segments"
        )
    return named_measure
