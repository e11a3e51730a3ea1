"""Tunes a METEOR chain to agree with human judgments, and evaluates the tuned chain on held-out data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from meteor_e.api import ConfigError
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.progress import Progress
from meteor_e_evaluation.test_set import TestSet
from meteor_e_evaluation.tuning.data import TuningSet, collect
from meteor_e_evaluation.tuning.grid import Axes, SearchResult, evaluate_grid
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer, make_point
from meteor_e_evaluation.tuning.search import EvaluatedPoint, search
from meteor_e_evaluation.tuning.validation import (
    CrossValidation,
    HeldOut,
    compare_on_held_out,
    cross_validate,
    leave_out_overlap,
)

if TYPE_CHECKING:
    from meteor_e import Meteor


@dataclass(frozen=True)
class Variant:
    """A METEOR chain with one combination of matcher options. Tuning compares several variants.

    Attributes:
        meteor: the chain.
        options: values of the options by name, such as ``vector.threshold``.
    """

    meteor: Meteor
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Settings for the parameter search, and for the evaluation of the best parameters.

    Attributes:
        axes: function that returns the values of each coordinate, given the default point of a chain.
        grid: whether to evaluate all points instead of searching.
        random_starts: number of random starts of the search.
        trials: largest number of points per search, or None for no limit.
        folds: number of folds of the cross-validation, or 0 for no cross-validation.
        samples: number of bootstrap samples and permutations on held-out data.
        seed: seed of the search, the folds and the samples.
    """

    axes: Callable[[Point], Axes]
    grid: bool = False
    random_starts: int = 6
    trials: int | None = None
    folds: int = 0
    samples: int = 1000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.grid and self.trials is not None:
            raise ConfigError("--trials goes with the search, not with --grid, which tries all points")


@dataclass(frozen=True)
class Tuning:
    """The result of tuning a chain.

    Attributes:
        variant: the chain with the best options.
        data: the training data, with the statistics of the best variant.
        default: default point of the original chain, and the value of the objective at this point.
        best: the best point, and the value of the objective at this point.
        n_evaluations: number of points that were evaluated, summed over all variants.
        stopped: whether a search reached its limit of trials.
        variants: options of each variant.
        validation: result of the cross-validation, or None if none was requested.
        held_out: result on held-out data, or None if there are none.
        held_out_names: names of the held-out test sets.
        n_left_out: number of held-out segments that were left out because they are also training segments.
    """

    variant: Variant
    data: TuningSet
    default: EvaluatedPoint
    best: EvaluatedPoint
    n_evaluations: int
    stopped: bool
    variants: tuple[Mapping[str, Any], ...]
    validation: CrossValidation | None
    held_out: HeldOut | None
    held_out_names: tuple[str, ...]
    n_left_out: int


class _VariantSearch:
    """Searches for the best variant of a chain, and for the best parameters of this variant.

    Attributes:
        n_evaluations: number of points that were evaluated.
        stopped: whether a search reached its limit of trials.
    """

    def __init__(
        self, objective: Objective, variants: Sequence[Variant], settings: Settings, progress: Progress
    ) -> None:
        self._objective = objective
        self._settings = settings
        self._progress = progress
        self._default_points = [make_point(variant.meteor.chain.parameters) for variant in variants]
        self.n_evaluations = 0
        self.stopped = False

    def find_best_variant(self, data_sets: Sequence[TuningSet]) -> tuple[int, SearchResult]:
        """Search for the best parameters of each variant of the chain.

        If several variants are equally good, the first one is chosen.

        Args:
            data_sets: the training data with the statistics of each variant.

        Returns:
            The index of the best variant, and the result of its search.
        """
        results = []
        for data, default_point in zip(data_sets, self._default_points, strict=True):
            result = self._search(data, default_point)
            self.n_evaluations += result.evaluations
            self.stopped |= result.stopped
            results.append(result)
        values = [result.value for result in results]
        best_index = values.index(max(values))
        return best_index, results[best_index]

    def find_best_point(self, data_sets: Sequence[TuningSet]) -> tuple[int, Point]:
        """Return the index of the best variant, and the best parameters of this variant."""
        variant, result = self.find_best_variant(data_sets)
        return variant, result.best

    def _search(self, data: TuningSet, default: Point) -> SearchResult:
        """Search for the best parameters of one variant, starting from its default parameters."""
        settings = self._settings
        axes = settings.axes(default)
        if settings.grid:
            return evaluate_grid(data, self._objective, axes, progress=self._progress)
        return search(
            data,
            self._objective,
            axes,
            [default],
            seed=settings.seed,
            random_starts=settings.random_starts,
            trials=settings.trials,
            progress=self._progress,
        )


def tune(
    base: Meteor,
    variants: Sequence[Variant],
    tests: Sequence[TestSet],
    held_out_tests: Sequence[TestSet],
    objective: Objective,
    settings: Settings,
    cache: ArrayCache,
    progress: Progress,
) -> Tuning:
    """Tune the parameters and weights of a chain, and evaluate the result.

    Args:
        base: the original chain. The result is compared with its default point.
        variants: the chain with each combination of the options to try, or only the original chain.
        tests: the training data.
        held_out_tests: the held-out data, which may be empty.
        objective: the objective to maximize.
        settings: settings of the search.
        cache: stores statistics between runs.
        progress: receives the progress.

    Returns:
        The best variant and point, with the results of the evaluation that the settings ask for.

    Raises:
        ConfigError: if held-out segments are also training segments, or if the settings contradict each other.
        InputError: if the judgments are not suitable for the objective.
    """

    def collect_held_out(meteor: Meteor) -> tuple[TuningSet, int]:
        return leave_out_overlap(base_data, collect(meteor, held_out_tests, cache, progress=progress))

    base_data = collect(base, tests, cache, progress=progress)
    # The held-out data are loaded before the search, because errors in the data should be reported early.
    base_held_out, n_left_out = collect_held_out(base) if held_out_tests else (None, 0)
    data_sets = []
    for variant in variants:
        is_base = variant.meteor is base
        data_sets.append(base_data if is_base else collect(variant.meteor, tests, cache, progress=progress))
    default_point = make_point(base.chain.parameters)
    default_value = objective.prepare(base_data).evaluate(PointScorer(base_data), default_point)
    variant_search = _VariantSearch(objective, variants, settings, progress)
    best_index, result = variant_search.find_best_variant(data_sets)
    # This count does not include the points that cross-validation evaluates.
    n_evaluations = variant_search.n_evaluations
    validation = None
    if settings.folds:
        validation = cross_validate(
            variants=data_sets,
            base=base_data,
            objective=objective,
            default=default_point,
            tune=variant_search.find_best_point,
            folds=settings.folds,
            seed=settings.seed,
        )
    best_variant = variants[best_index]
    held_out = None
    if base_held_out is not None:
        best_held_out = base_held_out if best_variant.meteor is base else collect_held_out(best_variant.meteor)[0]
        held_out = compare_on_held_out(
            default_data=base_held_out,
            tuned_data=best_held_out,
            objective=objective,
            default_point=default_point,
            tuned_point=result.best,
            samples=settings.samples,
            seed=settings.seed,
        )
    return Tuning(
        variant=best_variant,
        data=data_sets[best_index],
        default=EvaluatedPoint(default_point, default_value),
        best=EvaluatedPoint(result.best, result.value),
        n_evaluations=n_evaluations,
        stopped=variant_search.stopped,
        variants=tuple(variant.options for variant in variants),
        validation=validation,
        held_out=held_out,
        held_out_names=() if base_held_out is None else base_held_out.names,
        n_left_out=n_left_out,
    )
