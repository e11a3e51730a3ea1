"""Cross-validation, and a report on data held out: gains on data that tuning did not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import Floats
from meteor_e.significance.resampling import SLACK, Interval, draw_weights, interval, permutation_p
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

OVERLAP = 0.01
"""Share of held-out segments that may have been tuned on; they are then left out. More is an error."""


@dataclass(frozen=True)
class CrossValidation:
    """Result of a cross-validation.

    Attributes:
        tuned: objective of each fold at the point that was tuned on the other folds.
        default: objective of each fold at the default point of the chain that was given.
        points: the point tuned for each fold.
        variants: which of the data (one for each setting of the matchers' options) was chosen for each fold.
    """

    tuned: tuple[float, ...]
    default: tuple[float, ...]
    points: tuple[Point, ...]
    variants: tuple[int, ...]

    @property
    def gain(self) -> float:
        """Mean gain over the default."""
        return float(np.mean(self.tuned) - np.mean(self.default))


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
    """Tune on all folds but one, and measure on that one, in turn.

    Folds are made of segments, so that no reference is on both sides: equal segment numbers of the language pairs
    of a test set go together, for they are translations of one another. The choice among variants is part of the
    tuning, so it is made anew without the fold that it is measured on.

    Args:
        variants: the cells by each setting of the matchers' options; one where no options are tried.
        base: the cells by the chain that was given, which the default point belongs to.
        objective: what to measure.
        default: the point to compare with.
        tune: finds a variant and a point for data sets, one for each variant.
        folds: number of folds, at least 2.
        seed: of the division.
    """
    judged = np.unique(base.units)
    first_unit = np.searchsorted(base.unit_groups, base.unit_groups)
    numbers = np.arange(len(base.unit_groups)) - first_unit
    distinct = np.unique(numbers[judged])
    if not 2 <= folds <= len(distinct):
        raise ConfigError(
            f"{folds} folds; there must be at least 2, and no more than judged segments ({len(distinct)})"
        )
    shuffled = np.random.default_rng(seed).permutation(distinct)
    fold_of = np.zeros(int(numbers.max()) + 1, int)
    fold_of[shuffled] = np.arange(len(shuffled)) % folds
    tuned, before, points, chosen = [], [], [], []
    for fold in range(folds):
        here = fold_of[numbers] == fold
        which, point = tune([data.select(~here) for data in variants])
        tuned.append(_at(variants[which].select(here), objective, point))
        before.append(_at(base.select(here), objective, default))
        points.append(point)
        chosen.append(which)
    return CrossValidation(tuple(tuned), tuple(before), tuple(points), tuple(chosen))


def _at(data: TuningSet, objective: Objective, point: Point) -> float:
    return objective.prepare(data).at(PointScorer(data), point)


@dataclass(frozen=True)
class HeldOut:
    """Gains on data that tuning did not see.

    Attributes:
        default, tuned: the objective at both points, and its bootstrap interval.
        gain: the difference, and the interval of the difference on the same samples.
        p: one-sided p-value of the gain by a permutation test: how often a gain as large comes about when scores at
            the two points are exchanged at random, a segment at a time.
    """

    default: tuple[float, Interval]
    tuned: tuple[float, Interval]
    gain: tuple[float, Interval]
    p: float


def hold_out(
    base: TuningSet,
    data: TuningSet,
    objective: Objective,
    default: Point,
    tuned: Point,
    *,
    samples: int,
    seed: int,
) -> HeldOut:
    """Measure two points on data held out, with intervals over segments.

    Args:
        base: the cells held out, by the chain that was given.
        data: the same cells by the chain that was chosen.
        objective: what to measure.
        default: a point of ``base``.
        tuned: a point of ``data``.
        samples: bootstrap samples, and permutations.
        seed: of the samples.
    """
    weights = draw_weights(len(base.unit_groups), samples, seed)
    values, resampled, seen = [], [], []
    for part, point in ((base, default), (data, tuned)):
        prepared = objective.prepare(part)
        scores = PointScorer(part).score(point).copy()
        values.append(prepared.value(scores))
        resampled.append(prepared.resampled(scores, weights))
        seen.append(scores)
    gains = resampled[1] - resampled[0]
    return HeldOut(
        (values[0], interval(resampled[0])),
        (values[1], interval(resampled[1])),
        (values[1] - values[0], interval(gains)),
        _gain_p(base, objective, seen[0], seen[1], samples, seed),
    )


def _gain_p(data: TuningSet, objective: Objective, default: Floats, tuned: Floats, samples: int, seed: int) -> float:
    """Return how often exchanged scores give a gain as large as the observed one."""
    prepared = objective.prepare(data)
    observed = prepared.value(tuned) - prepared.value(default)
    reached = sum(
        prepared.value(second) - prepared.value(first) >= observed - SLACK
        for first, second in prepared.exchanged(default, tuned, data, samples, seed)
    )
    return permutation_p(int(reached), samples)


def leave_out_overlap(training: TuningSet, held_out: TuningSet) -> tuple[TuningSet, int]:
    """Make sure that nobody tunes on the test set: compare the texts of the references.

    Returns:
        The held-out data without the few segments that were tuned on, and their number.

    Raises:
        ConfigError: if a test set and language pair is in both, or over 1 % of the segments held out are.
    """
    both = sorted(set(training.names) & set(held_out.names))
    if both:
        raise ConfigError(f"{both[0]} is both tuned on and held out; a held-out set must not be tuned on")
    if not training.texts or not held_out.texts:
        return held_out, 0
    seen = {_plain(training.texts[unit]) for unit in np.unique(training.units)}
    shared = np.zeros(len(held_out.unit_groups), bool)
    units = np.unique(held_out.units)
    for unit in units:
        shared[unit] = _plain(held_out.texts[unit]) in seen
    count = int(shared.sum())
    if count > OVERLAP * len(units):
        example = held_out.texts[int(np.flatnonzero(shared)[0])]
        raise ConfigError(
            f"{count} of {len(units)} held-out segments were tuned on: their references are the same, such as "
            f"{example[:60]!r}; a held-out set must not be tuned on"
        )
    return (held_out.select(~shared) if count else held_out), count


def _plain(text: str) -> str:
    """Return a text in the form in which equal segments are equal: without case and spacing."""
    return " ".join(text.casefold().split())
