"""A whole tuning: variants of a chain, the search, cross-validation and data held out."""

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
from meteor_e_evaluation.tuning.scorer import Point, PointScorer, point_of
from meteor_e_evaluation.tuning.search import search
from meteor_e_evaluation.tuning.validation import CrossValidation, HeldOut, cross_validate, hold_out, leave_out_overlap

if TYPE_CHECKING:
    from meteor_e import Meteor


@dataclass(frozen=True)
class Variant:
    """The chain with one setting of its matchers' options.

    Attributes:
        meteor: the chain.
        options: what was set.
    """

    meteor: Meteor
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Settings of a tuning.

    Attributes:
        axes: from a chain's default point to the values to try.
        grid: whether to try all of them instead of searching.
        random_starts: of the search.
        trials: points for each search at most; ``None`` for no limit.
        folds: of cross-validation; 0 for none.
        samples: bootstrap samples and permutations on held-out data.
        seed: of search, folds and samples.
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
    """The result of tuning.

    Attributes:
        variant: the chain with the options that came out best.
        data: what was tuned on, as that chain sees it.
        default: default point of the chain that was given, and its objective.
        best: the best point, and its objective.
        tried: points that were tried, over all options.
        stopped: whether trials or time were used up.
        variants: the options that were tried, in order.
        validation: result of the cross-validation, if there was one.
        held_out: result on data held out, if there are any.
        held_out_names: names of these data.
        left_out: held-out segments that were left out because they were tuned on.
    """

    variant: Variant
    data: TuningSet
    default: tuple[Point, float]
    best: tuple[Point, float]
    tried: int
    stopped: bool
    variants: tuple[Mapping[str, Any], ...]
    validation: CrossValidation | None = None
    held_out: HeldOut | None = None
    held_out_names: tuple[str, ...] = ()
    left_out: int = 0


class _Finder:
    """Finds the best variant and point for data sets, one per variant."""

    def __init__(
        self, objective: Objective, variants: Sequence[Variant], settings: Settings, progress: Progress
    ) -> None:
        self._objective, self._settings, self._progress = objective, settings, progress
        self._defaults = [point_of(variant.meteor.chain.parameters) for variant in variants]
        self.tried = 0
        self.stopped = False

    def find(self, parts: Sequence[TuningSet]) -> tuple[int, SearchResult]:
        """Return the number of the best variant, of equals the first, and what was found for it."""
        found = [self._one(data, default) for data, default in zip(parts, self._defaults, strict=True)]
        self.tried += sum(each.evaluations for each in found)
        self.stopped |= any(each.stopped for each in found)
        return max(enumerate(found), key=lambda numbered: numbered[1].value)

    def _one(self, data: TuningSet, default: Point) -> SearchResult:
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
    unseen: Sequence[TestSet],
    objective: Objective,
    settings: Settings,
    cache: ArrayCache,
    progress: Progress,
) -> Tuning:
    """Tune a chain.

    Args:
        base: the chain that was given; what is found is compared with its default point.
        variants: the chain with each setting of the options to try; one, without options, where none are.
        tests: what to tune on.
        unseen: what to measure the result on; none for no report.
        objective: what to maximize.
        settings: how.
        cache: where statistics are kept.
        progress: told about the work.

    Raises:
        ConfigError: if held-out segments were tuned on, or the settings do not go together.
        InputError: if the judgments do not allow the objective.
    """

    def aligned(meteor: Meteor, sets: Sequence[TestSet]) -> TuningSet:
        return collect(meteor, sets, cache, progress=progress)

    given = aligned(base, tests)
    held = aligned(base, unseen) if unseen else None
    left_out = 0
    if held is not None:
        held, left_out = leave_out_overlap(given, held)
    data = [given if variant.meteor is base else aligned(variant.meteor, tests) for variant in variants]
    default = point_of(base.chain.parameters)
    finder = _Finder(objective, variants, settings, progress)
    which, found = finder.find(data)
    tried = finder.tried
    before = objective.prepare(given).at(PointScorer(given), default)
    validation = outside = None
    if settings.folds:

        def find(parts: Sequence[TuningSet]) -> tuple[int, Point]:
            number, best = finder.find(parts)
            return number, best.best

        validation = cross_validate(data, given, objective, default, find, folds=settings.folds, seed=settings.seed)
    chosen = variants[which]
    if held is not None:
        other = held if chosen.meteor is base else leave_out_overlap(given, aligned(chosen.meteor, unseen))[0]
        outside = hold_out(held, other, objective, default, found.best, samples=settings.samples, seed=settings.seed)
    return Tuning(
        variant=chosen,
        data=data[which],
        default=(default, before),
        best=(found.best, found.value),
        tried=tried,
        stopped=finder.stopped,
        variants=tuple(variant.options for variant in variants),
        validation=validation,
        held_out=outside,
        held_out_names=() if held is None else held.names,
        left_out=left_out,
    )
