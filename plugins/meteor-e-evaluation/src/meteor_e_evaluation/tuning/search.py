"""Coordinate search, which finds a good point in a small fraction of a grid's evaluations."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Iterable, Sequence

from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.grid import Axes, SearchResult
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

Grid = Sequence[tuple[float, ...]]

REFINEMENTS = (2, 4)
"""Factors by which the grid around the best point is refined at the end of a search."""

PROGRESS_INTERVAL = 50
NEIGHBORS = 3


def search(
    data: TuningSet,
    objective: Objective,
    axes: Axes,
    starts: Sequence[Point],
    *,
    seed: int,
    random_starts: int = 6,
    refine: bool = True,
    trials: int | None = None,
    progress: Progress = silent,
) -> SearchResult:
    """Search along one coordinate, then over two, until nothing improves the objective.

    From every start, the search tries all values of one coordinate after another, in random order, and moves to the
    best. If no coordinate improves the objective, it tries the neighborhoods of all pairs of coordinates. The objective
    is a step function, so gradients are useless. At the end, the grid around the best point is refined twice.

    Args:
        data: the cells and judgments.
        objective: the objective to maximize.
        axes: values of each coordinate.
        starts: points to start from, which are moved to the grid.
        seed: of the order of coordinates and of the random starts.
        random_starts: number of additional starts, drawn from the grid.
        refine: whether to refine the grid at the end.
        trials: largest number of points to evaluate; the search then stops with the best point so far.
        progress: receives the number of evaluated points.
    """
    evaluator = _PointEvaluator(data, objective, progress, trials)
    with contextlib.suppress(_OutOfTrialsError):
        _climb_from_all(evaluator, axes, starts, random.Random(seed), random_starts, refine)
        return SearchResult(*evaluator.best, evaluator.evaluations)
    return SearchResult(*evaluator.best, evaluator.evaluations, stopped=True)


class _OutOfTrialsError(Exception):
    """The search has evaluated as many points as it may."""


class _PointEvaluator:
    """Evaluates points, and remembers their values.

    Attributes:
        best: the best point and its value.
    """

    def __init__(self, data: TuningSet, objective: Objective, progress: Progress, trials: int | None) -> None:
        self.best: tuple[Point, float] = ((), -math.inf)
        self._scorer = PointScorer(data)
        self._objective = objective.prepare(data)
        self._values: dict[Point, float] = {}
        self._progress = progress
        self._trials = trials

    @property
    def evaluations(self) -> int:
        """Number of points that were evaluated."""
        return len(self._values)

    def evaluate(self, point: Point) -> float:
        """Return the objective of a point. The first point is evaluated in any case."""
        if point in self._values:
            return self._values[point]
        if self._values and self._trials is not None and self.evaluations >= self._trials:
            raise _OutOfTrialsError
        value = self._values[point] = self._objective.evaluate(self._scorer, point)
        if value > self.best[1]:
            self.best = (point, value)
        if self.evaluations % PROGRESS_INTERVAL == 0:
            self._progress("searching", self.evaluations, self._trials)
        return value

    def find_best(self, points: Iterable[Point], point: Point, value: float) -> tuple[Point, float]:
        """Return the first of the best points and its value; the given point if none is better."""
        for candidate in points:
            candidate_value = self.evaluate(candidate)
            if candidate_value > value:
                point, value = candidate, candidate_value
        return point, value


def _climb_from_all(
    evaluator: _PointEvaluator,
    axes: Axes,
    starts: Sequence[Point],
    rng: random.Random,
    n_random_starts: int,
    refine: bool,
) -> None:
    """Climb from all starts, then refine the grid around the best point."""
    # Evaluating the starts first guarantees that the result is not worse than they are.
    for point in starts:
        evaluator.evaluate(point)
    grid = [tuple(values) for values in axes]
    grid_starts = [_move_to_grid(point, grid) for point in starts]
    grid_starts += [tuple(rng.choice(values) for values in grid) for _ in range(n_random_starts)]
    best, value = _climb(evaluator, grid_starts[0], grid, rng)
    for start in grid_starts[1:]:
        point, point_value = _climb(evaluator, start, grid, rng)
        if point_value > value:
            best, value = point, point_value
    # A start that is not on the grid may be better than all points of the grid.
    best, value = evaluator.find_best(starts, best, value)
    if refine:
        for factor in REFINEMENTS:
            fine_grid = [_refine_axis(axis, best[index], factor) for index, axis in enumerate(grid)]
            best, value = _climb(evaluator, best, fine_grid, rng)
    evaluator.best = (best, value)


def _climb(evaluator: _PointEvaluator, point: Point, grid: Grid, rng: random.Random) -> tuple[Point, float]:
    """Move from a point until no change of one coordinate, and no small change of two, improves the objective."""
    value = evaluator.evaluate(point)
    free = [index for index, axis in enumerate(grid) if len(axis) > 1]
    while True:
        previous_value = value
        for index in rng.sample(free, len(free)):
            line = [_replace_coordinates(point, {index: coordinate}) for coordinate in grid[index]]
            point, value = evaluator.find_best(line, point, value)
        if value > previous_value:
            continue
        pairs = list(itertools.combinations(free, 2))
        for first, second in rng.sample(pairs, len(pairs)):
            coordinates = itertools.product(
                _neighbors(grid[first], point[first]), _neighbors(grid[second], point[second])
            )
            plane = [_replace_coordinates(point, {first: a, second: b}) for a, b in coordinates]
            point, value = evaluator.find_best(plane, point, value)
            if value > previous_value:
                break
        if value <= previous_value:
            return point, value


def _move_to_grid(point: Point, grid: Grid) -> Point:
    """Return the nearest point of a grid."""
    return tuple(
        min(axis, key=lambda value: abs(value - coordinate)) for axis, coordinate in zip(grid, point, strict=True)
    )


def _refine_axis(axis: tuple[float, ...], center: float, factor: int) -> tuple[float, ...]:
    """Return a finer axis around a value, within the limits of the coarse axis."""
    if len(axis) < 2:
        return axis if center in axis else (center,)
    step = (axis[1] - axis[0]) / factor
    values = {round(center + number * step, 10) for number in range(-NEIGHBORS, NEIGHBORS + 1)} | {center}
    return tuple(sorted(value for value in values if axis[0] <= value <= axis[-1] or value == center))


def _replace_coordinates(point: Point, replacements: dict[int, float]) -> Point:
    return tuple(replacements.get(index, coordinate) for index, coordinate in enumerate(point))


def _neighbors(axis: tuple[float, ...], value: float) -> tuple[float, ...]:
    """Return the values of an axis around the one that is nearest to a value."""
    nearest = min(range(len(axis)), key=lambda index: abs(axis[index] - value))
    return axis[max(0, nearest - NEIGHBORS) : nearest + NEIGHBORS + 1]
