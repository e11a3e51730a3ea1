"""Implements a coordinate search, which finds good parameters with far fewer evaluations than a grid."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Iterable, Sequence
from operator import itemgetter

from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.grid import Axes, SearchResult
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

Grid = Sequence[tuple[float, ...]]

REFINEMENTS = (2, 4)
"""Factors by which the grid around the best point is successively refined at the end of a search."""

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
    """Search for the point that maximizes an objective, by changing one or two coordinates at a time.

    The search begins at several starts. For each coordinate in random order, it tries all values and moves to the best
    one. If no coordinate improves the objective, it changes two coordinates at a time. At the end, it refines the grid
    around the best point. The objective is a step function, so the search cannot use gradients.

    Args:
        data: the cells and judgments.
        objective: the objective to maximize.
        axes: values of each coordinate.
        starts: points to start from. The search moves each of them to the nearest point of the grid.
        seed: seed of the order of the coordinates and of the random starts.
        random_starts: number of additional starts, which are random points of the grid.
        refine: whether to refine the grid at the end.
        trials: largest number of points to evaluate. The search stops when it reaches this number.
        progress: receives the number of evaluated points.
    """
    evaluator = _PointEvaluator(data, objective, progress, trials)
    with contextlib.suppress(_OutOfTrialsError):
        _climb_from_all(evaluator, axes, starts, random.Random(seed), random_starts, refine)
        return SearchResult(*evaluator.best, evaluator.evaluations)
    return SearchResult(*evaluator.best, evaluator.evaluations, stopped=True)


class _OutOfTrialsError(Exception):
    """Raised if the search has evaluated the largest allowed number of points."""


class _PointEvaluator:
    """Evaluates an objective at points of the search space, and caches the values.

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
        """The number of distinct points that were evaluated."""
        return len(self._values)

    def evaluate(self, point: Point) -> float:
        """Return the value of the objective at a point.

        Raises:
            _OutOfTrialsError: if the largest allowed number of points has been evaluated.
        """
        if point in self._values:
            return self._values[point]
        if self._values and self._trials is not None and self.evaluations >= self._trials:
            raise _OutOfTrialsError
        value = self._objective.evaluate(self._scorer, point)
        self._values[point] = value
        if value > self.best[1]:
            self.best = (point, value)
        if self.evaluations % PROGRESS_INTERVAL == 0:
            self._progress("searching", self.evaluations, self._trials)
        return value

    def find_best(self, points: Iterable[Point], point: Point, value: float) -> tuple[Point, float]:
        """Return the best of several points and its value, or the current point if none of them is better.

        Args:
            points: the points to evaluate.
            point: the current point.
            value: value of the objective at the current point.
        """
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
    """Climb from all starts, then refine the grid around the best point.

    The best point and its value are stored in the evaluator.
    """
    # Evaluating the starts first guarantees that the result is not worse than any start.
    for point in starts:
        evaluator.evaluate(point)
    grid = [tuple(axis) for axis in axes]
    grid_starts = [_move_to_grid(point, grid) for point in starts]
    for _ in range(n_random_starts):
        grid_starts.append(tuple(rng.choice(axis) for axis in grid))
    peaks = [_climb(evaluator, start, grid, rng) for start in grid_starts]
    best_point, best_value = max(peaks, key=itemgetter(1))
    # A start that is not on the grid may be better than all points of the grid.
    best_point, best_value = evaluator.find_best(starts, best_point, best_value)
    if refine:
        for factor in REFINEMENTS:
            fine_grid = [_refine_axis(axis, best_point[index], factor) for index, axis in enumerate(grid)]
            best_point, best_value = _climb(evaluator, best_point, fine_grid, rng)
    evaluator.best = (best_point, best_value)


def _climb(evaluator: _PointEvaluator, point: Point, grid: Grid, rng: random.Random) -> tuple[Point, float]:
    """Change one or two coordinates of a point at a time, until no change improves the objective.

    Returns:
        The best point and its value.
    """
    value = evaluator.evaluate(point)
    free = _find_free_coordinates(grid)
    while True:
        previous_value = value
        for index in rng.sample(free, len(free)):
            line = [_replace_coordinates(point, {index: coordinate}) for coordinate in grid[index]]
            point, value = evaluator.find_best(line, point, value)
        if value > previous_value:
            continue
        point, value = _change_two_coordinates(evaluator, point, value, grid, rng)
        if value <= previous_value:
            return point, value


def _change_two_coordinates(
    evaluator: _PointEvaluator, point: Point, value: float, grid: Grid, rng: random.Random
) -> tuple[Point, float]:
    """Try small changes of all pairs of coordinates, and return the first better point and its value.

    If no change improves the objective, the point itself is returned.
    """
    free = _find_free_coordinates(grid)
    pairs = list(itertools.combinations(free, 2))
    for first, second in rng.sample(pairs, len(pairs)):
        first_values = _neighbors(grid[first], point[first])
        second_values = _neighbors(grid[second], point[second])
        coordinates = itertools.product(first_values, second_values)
        plane = [_replace_coordinates(point, {first: a, second: b}) for a, b in coordinates]
        best, best_value = evaluator.find_best(plane, point, value)
        if best_value > value:
            return best, best_value
    return point, value


def _find_free_coordinates(grid: Grid) -> list[int]:
    return [index for index, axis in enumerate(grid) if len(axis) > 1]


def _move_to_grid(point: Point, grid: Grid) -> Point:
    """Return the grid point that is nearest to the given point."""
    return tuple(
        min(axis, key=lambda value: abs(value - coordinate)) for axis, coordinate in zip(grid, point, strict=True)
    )


def _refine_axis(axis: tuple[float, ...], center: float, factor: int) -> tuple[float, ...]:
    """Return a finer axis around the given center, within the limits of the coarse axis."""
    if len(axis) < 2:
        return axis if center in axis else (center,)
    step = (axis[1] - axis[0]) / factor
    values = {round(center + offset * step, 10) for offset in range(-NEIGHBORS, NEIGHBORS + 1)} | {center}
    return tuple(sorted(value for value in values if axis[0] <= value <= axis[-1] or value == center))


def _replace_coordinates(point: Point, replacements: dict[int, float]) -> Point:
    return tuple(replacements.get(index, coordinate) for index, coordinate in enumerate(point))


def _neighbors(axis: tuple[float, ...], value: float) -> tuple[float, ...]:
    """Return the axis values that are closest to the given value."""
    nearest = min(range(len(axis)), key=lambda index: abs(axis[index] - value))
    return axis[max(0, nearest - NEIGHBORS) : nearest + NEIGHBORS + 1]
