"""Evaluates tuned parameters on held-out data and by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.significance.resampling import SLACK, Interval, draw_exchanges, draw_weights, interval, permutation_p
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

OVERLAP_LIMIT = 0.01
"""Largest proportion of held-out segments that may also be training segments.

These segments are left out. A larger proportion is an error.
"""


class FoldResult(NamedTuple):
    """Result of a cross-validation on one fold.

    Attributes:
        variant: index of the variant that was best on the other folds.
        point: point that was tuned on the other folds.
        tuned: value of the objective on the fold at the tuned point.
        default: value of the objective on the fold at the default point of the original chain.
    """

    variant: int
    point: Point
    tuned: float
    default: float


@dataclass(frozen=True)
class CrossValidation:
    """Result of a cross-validation, with one entry per fold."""

    folds: tuple[FoldResult, ...]

    @property
    def gain(self) -> float:
        """The mean gain over the default point."""
        return float(np.mean([fold.tuned for fold in self.folds]) - np.mean([fold.default for fold in self.folds]))


def cross_validate(
    variants: Sequence[TuningSet],
    base: TuningSet,
    objective: Objective,
    default: Point,
    tune: Callable[[Sequence[TuningSet]], tuple[int, Point]],
    *,
    folds: int,
    seed: int,
) -> CrossValidation:
    """Evaluate each fold with parameters that were tuned on all other folds.

    Tuning also chooses a variant of the chain, so different folds may use different variants.

    Args:
        variants: the training data with the statistics of each variant.
        base: the training data with the statistics of the original chain.
        objective: the objective to maximize.
        default: default point of the original chain, to compare with.
        tune: function that takes one data set per variant and returns the index of the best variant and its best point.
        folds: number of folds, at least 2.
        seed: seed of the assignment of segments to folds.

    Raises:
        ConfigError: if there are fewer than 2 folds, or more folds than judged segments.
    """
    fold_of_unit = _assign_folds(base, folds, seed)
    results = []
    for fold in range(folds):
        is_in_fold = fold_of_unit == fold
        variant, point = tune([data.select(~is_in_fold) for data in variants])
        tuned_value = _evaluate(variants[variant].select(is_in_fold), objective, point)
        default_value = _evaluate(base.select(is_in_fold), objective, default)
        results.append(FoldResult(variant, point, tuned_value, default_value))
    return CrossValidation(tuple(results))


def _assign_folds(data: TuningSet, folds: int, seed: int) -> Integers:
    """Assign the segments to cross-validation folds at random.

    All outputs for a segment are in the same fold, so no reference occurs in both training and test data.

    Segments with the same number in several language pairs are also in the same fold, because they may be translations
    of one another.

    Returns:
        The index of each unit's fold, an array ``(units,)``.

    Raises:
        ConfigError: if there are fewer than 2 folds, or more folds than judged segments.
    """
    segment_of_unit = data.number_segments()
    judged_segments = np.unique(segment_of_unit[data.units])
    if not 2 <= folds <= len(judged_segments):
        raise ConfigError(
            f"{folds} folds; there must be at least 2, and no more than judged segments ({len(judged_segments)})"
        )
    shuffled_segments = np.random.default_rng(seed).permutation(judged_segments)
    fold_of_segment = np.zeros(int(segment_of_unit.max()) + 1, np.int64)
    fold_of_segment[shuffled_segments] = np.arange(len(shuffled_segments)) % folds
    return np.asarray(fold_of_segment[segment_of_unit])


def _evaluate(data: TuningSet, objective: Objective, point: Point) -> float:
    """Score a data set with the given parameters, and return the value of the objective."""
    return objective.prepare(data).evaluate(PointScorer(data), point)


@dataclass(frozen=True)
class HeldOut:
    """Results on data that were not used for tuning.

    Attributes:
        default, tuned: value of the objective at the default and at the tuned point, with its bootstrap interval.
        gain: difference between the two values, with its bootstrap interval.
        p: one-sided p-value of the gain, from a permutation test that exchanges the scores of segments.
    """

    default: tuple[float, Interval]
    tuned: tuple[float, Interval]
    gain: tuple[float, Interval]
    p: float


def compare_on_held_out(
    default_data: TuningSet,
    tuned_data: TuningSet,
    objective: Objective,
    default_point: Point,
    tuned_point: Point,
    *,
    samples: int,
    seed: int,
) -> HeldOut:
    """Compare the tuned chain with the original chain on held-out data.

    Args:
        default_data: the held-out data with the statistics of the original chain.
        tuned_data: the held-out data with the statistics of the tuned chain.
        objective: the objective that was maximized.
        default_point: default point of the original chain.
        tuned_point: tuned point of the tuned chain.
        samples: number of bootstrap samples, and number of permutations.
        seed: seed of the samples and the permutations.
    """
    weights = draw_weights(len(default_data.unit_groups), samples, seed)
    default_result = _evaluate_samples(default_data, objective, default_point, weights)
    tuned_result = _evaluate_samples(tuned_data, objective, tuned_point, weights)
    gain = tuned_result.value - default_result.value
    return HeldOut(
        default=(default_result.value, interval(default_result.samples)),
        tuned=(tuned_result.value, interval(tuned_result.samples)),
        gain=(gain, interval(tuned_result.samples - default_result.samples)),
        p=_test_gain(default_data, objective, default_result.scores, tuned_result.scores, samples=samples, seed=seed),
    )


class _PointResult(NamedTuple):
    """The scores of a data set at one point.

    Attributes:
        scores: scores of all cells, ``(cells,)``.
        value: value of the objective.
        samples: value of the objective on each bootstrap sample, ``(samples,)``.
    """

    scores: Floats
    value: float
    samples: Floats


def _evaluate_samples(data: TuningSet, objective: Objective, point: Point, weights: Floats) -> _PointResult:
    """Score a data set with given parameters, and evaluate the objective on all segments and on bootstrap samples."""
    prepared_objective = objective.prepare(data)
    scores = PointScorer(data).score(point)
    return _PointResult(scores, prepared_objective.value(scores), prepared_objective.resampled(scores, weights))


def _test_gain(
    data: TuningSet, objective: Objective, default: Floats, tuned: Floats, *, samples: int, seed: int
) -> float:
    """Test whether tuning improves the objective, and return the one-sided p-value of a permutation test.

    The p-value is the proportion of permutations whose gain is at least as large as the observed gain.
    """
    prepared_objective = objective.prepare(data)
    observed_gain = prepared_objective.value(tuned) - prepared_objective.value(default)
    n_extreme = 0
    for permuted_default, permuted_tuned in _permute_scores(data, default, tuned, samples=samples, seed=seed):
        gain = prepared_objective.value(permuted_tuned) - prepared_objective.value(permuted_default)
        if gain >= observed_gain - SLACK:
            n_extreme += 1
    return permutation_p(n_extreme, samples)


def _permute_scores(
    data: TuningSet, default: Floats, tuned: Floats, *, samples: int, seed: int
) -> Iterator[tuple[Floats, Floats]]:
    """For each permutation, swap the default and the tuned scores of random segments, and yield the new scores.

    The default and the tuned scores are standardized before they are swapped, because their scales may differ.

    Args:
        data: the data set, which assigns each cell to a unit.
        default: scores of all cells at the default point.
        tuned: scores of all cells at the tuned point.
        samples: number of permutations.
        seed: seed of the permutations.
    """
    default_scores = _standardize(default)
    tuned_scores = _standardize(tuned)
    for block in draw_exchanges(len(data.unit_groups), samples, seed):
        for is_exchanged_unit in block:
            is_exchanged = is_exchanged_unit[data.units]
            permuted_default = np.where(is_exchanged, tuned_scores, default_scores)
            permuted_tuned = np.where(is_exchanged, default_scores, tuned_scores)
            yield permuted_default, permuted_tuned


def _standardize(scores: Floats) -> Floats:
    """Return scores with mean 0 and standard deviation 1, unless all scores are equal."""
    deviations = scores - scores.mean()
    standard_deviation = scores.std()
    return np.asarray(deviations / standard_deviation if standard_deviation > 0 else deviations)


def leave_out_overlap(training: TuningSet, held_out: TuningSet) -> tuple[TuningSet, int]:
    """Remove held-out segments that have the same reference as a training segment.

    Returns:
        The remaining held-out data, and the number of segments that were removed.

    Raises:
        ConfigError: if a test set belongs to both data sets, or if more than 1% of the held-out segments are also
            training segments.
    """
    common_names = sorted(set(training.names) & set(held_out.names))
    if common_names:
        raise ConfigError(f"{common_names[0]} is both tuned on and held out; a held-out set must not be tuned on")
    if not training.references or not held_out.references:
        return held_out, 0
    repeated_segments = _find_repeated_segments(training, held_out)
    n_segments = len(np.unique(held_out.units))
    if len(repeated_segments) > OVERLAP_LIMIT * n_segments:
        raise _overlap_error(held_out.references[repeated_segments[0]], len(repeated_segments), n_segments)
    is_new = np.ones(len(held_out.unit_groups), bool)
    is_new[repeated_segments] = False
    return held_out.select(is_new), len(repeated_segments)


def _overlap_error(example: str, n_repeated: int, n_segments: int) -> ConfigError:
    return ConfigError(
        f"{n_repeated} of {n_segments} held-out segments were tuned on: their references are the same, such "
        f"as {example[:60]!r}; a held-out set must not be tuned on"
    )


def _find_repeated_segments(training: TuningSet, held_out: TuningSet) -> list[int]:
    """Return the sorted indices of held-out segments that have the same reference as a training segment."""
    training_texts = {_normalize(training.references[unit]) for unit in np.unique(training.units)}
    held_out_units = np.unique(held_out.units).tolist()
    return [unit for unit in held_out_units if _normalize(held_out.references[unit]) in training_texts]


def _normalize(text: str) -> str:
    """Convert a string to lower case, and replace white space by single spaces."""
    return " ".join(text.casefold().split())
