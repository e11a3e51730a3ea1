"""What is learnt and what is luck: cross-validation, and a report on data held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from meteor_e.base.errors import ConfigError
from meteor_e.evaluation.resampling import Interval, draw_weights, interval
from meteor_e.tuning.data import TuningSet
from meteor_e.tuning.objectives import Objective
from meteor_e.tuning.scorer import Point, PointScorer

__all__ = ["CrossValidation", "HeldOut", "cross_validate", "hold_out", "refuse_overlap"]


@dataclass(frozen=True)
class CrossValidation:
    """Result of a cross-validation.

    Attributes:
        tuned: objective of each fold at the point that was tuned on the other folds.
        default: objective of each fold at the default point.
        points: the point tuned for each fold.
    """

    tuned: tuple[float, ...]
    default: tuple[float, ...]
    points: tuple[Point, ...]

    @property
    def gain(self) -> float:
        """Mean gain over the default."""
        return float(np.mean(self.tuned) - np.mean(self.default))


def cross_validate(
    data: TuningSet,
    objective: Objective,
    default: Point,
    tune: Callable[[TuningSet], Point],
    *,
    folds: int,
    seed: int,
) -> CrossValidation:
    """Tune on all folds but one, and measure on that one, in turn.

    Folds are made of segments, so that no reference is on both sides: equal segment numbers of the language pairs
    of a test set go together, for they are translations of one another.

    Args:
        data: the cells.
        objective: what to measure.
        default: the point to compare with.
        tune: finds a point for a data set.
        folds: number of folds, at least 2.
        seed: of the division.
    """
    judged = np.unique(data.units)
    first_unit = np.searchsorted(data.unit_groups, data.unit_groups)
    numbers = np.arange(len(data.unit_groups)) - first_unit
    distinct = np.unique(numbers[judged])
    if not 2 <= folds <= len(distinct):
        raise ConfigError(
            f"{folds} folds; there must be at least 2, and no more than judged segments ({len(distinct)})"
        )
    shuffled = np.random.default_rng(seed).permutation(distinct)
    fold_of = np.zeros(int(numbers.max()) + 1, int)
    fold_of[shuffled] = np.arange(len(shuffled)) % folds
    tuned, before, points = [], [], []
    for fold in range(folds):
        here = fold_of[numbers] == fold
        point = tune(data.select(~here))
        part = data.select(here)
        prepared, scorer = objective.prepare(part), PointScorer(part)
        tuned.append(prepared.value(scorer.score(point)))
        before.append(prepared.value(scorer.score(default)))
        points.append(point)
    return CrossValidation(tuple(tuned), tuple(before), tuple(points))


@dataclass(frozen=True)
class HeldOut:
    """What tuning brought on data that it did not see.

    Attributes:
        default, tuned: the objective at both points, and its bootstrap interval.
        gain: the difference, and the interval of the difference on the same samples.
        p: share of samples in which the tuned point is not better (one-sided).
    """

    default: tuple[float, Interval]
    tuned: tuple[float, Interval]
    gain: tuple[float, Interval]
    p: float


def hold_out(
    data: TuningSet, objective: Objective, default: Point, tuned: Point, *, samples: int, seed: int
) -> HeldOut:
    """Measure two points on data held out, with intervals over segments.

    Args:
        data: the cells held out.
        objective: what to measure.
        default, tuned: the two points.
        samples: bootstrap samples.
        seed: of the samples.
    """
    prepared, scorer = objective.prepare(data), PointScorer(data)
    weights = draw_weights(len(data.unit_groups), samples, seed)
    values, resampled = [], []
    for point in (default, tuned):
        scores = scorer.score(point).copy()
        values.append(prepared.value(scores))
        resampled.append(prepared.resampled(scores, weights))
    gains = resampled[1] - resampled[0]
    return HeldOut(
        (values[0], interval(resampled[0])),
        (values[1], interval(resampled[1])),
        (values[1] - values[0], interval(gains)),
        float((np.count_nonzero(gains <= 0) + 1) / (samples + 1)),
    )


def refuse_overlap(training: TuningSet, held_out: TuningSet) -> None:
    """Make sure that nobody tunes on the test set.

    Raises:
        ConfigError: if a test set and language pair is in both.
    """
    both = sorted(set(training.names) & set(held_out.names))
    if both:
        raise ConfigError(f"{both[0]} is both tuned on and held out; a held-out set must not be tuned on")
