"""Implements a coordinate search, which finds good parameters with far fewer evaluations than a grid."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.grid import Axes, SearchResult
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

Grid = Sequence[tuple[float, ...]]

REFINEMENTS = (2, 4)
"""Factors by which the grid around the best point is successively refined at the end of a search."""

PROGRESS_INTERVAL = 50
"""Number of evaluated points after which the search reports its progress."""

NEIGHBORS = 3
"""Number of neighboring values, in each direction, that the search tries for a coordinate."""


def search(
    data: TuningSet,
    objective: Objective,
    axes: Axes,
    starts: Sequence[Point],
    *,
    seed: int,
    random_starts: int = 6,
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
        trials: largest number of points to evaluate. The search stops when it reaches this number.
        progress: receives the number of evaluated points.

    Returns:
        The best point with the value of the objective at this point.
    """
    evaluator = _PointEvaluator(data, objective, progress, trials)
    rng = random.Random(seed)
    grid = [tuple(axis) for axis in axes]
    try:
        best = _climb_from_all(evaluator, starts, grid, rng, random_starts)
        best = _climb_on_finer_grids(evaluator, best, grid, rng)
    except _OutOfTrialsError:
        best = evaluator.best
        return SearchResult(best.point, best.value, evaluator.n_evaluations, stopped=True)
    return SearchResult(best.point, best.value, evaluator.n_evaluations)


class _OutOfTrialsError(Exception):
    """Raised when the search reaches its limit of evaluated points."""


class EvaluatedPoint(NamedTuple):
    """A point in parameter space, and the value of the objective at this point."""

    point: Point
    value: float


class _PointEvaluator:
    """Evaluates an objective at points of the search space, and caches the values.

    Attributes:
        best: the best of all evaluated points.
    """

    def __init__(self, data: TuningSet, objective: Objective, progress: Progress, trials: int | None) -> None:
        self.best = EvaluatedPoint((), -math.inf)
        self._scorer = PointScorer(data)
        self._objective = objective.prepare(data)
        self._values: dict[Point, float] = {}
        self._progress = progress
        self._trials = trials

    @property
    def n_evaluations(self) -> int:
        """The number of distinct points that were evaluated."""
        return len(self._values)

    def evaluate(self, point: Point) -> EvaluatedPoint:
        """Evaluate the objective at a point.

        Raises:
            _OutOfTrialsError: if the largest allowed number of points has been evaluated.
        """
        if point in self._values:
            return EvaluatedPoint(point, self._values[point])
        # At least one point is allowed, because a search must have a result.
        if self._trials is not None and len(self._values) >= max(self._trials, 1):
            raise _OutOfTrialsError
        result = EvaluatedPoint(point, self._objective.evaluate(self._scorer, point))
        self._values[point] = result.value
        if result.value > self.best.value:
            self.best = result
        if len(self._values) % PROGRESS_INTERVAL == 0:
            self._progress("searching", len(self._values), self._trials)
        return result

    def find_best(self, candidates: Iterable[Point], current: EvaluatedPoint) -> EvaluatedPoint:
        """Return the best of several candidates, or the current point if no candidate is better."""
        best = current
        for candidate in candidates:
            evaluated_candidate = self.evaluate(candidate)
            if evaluated_candidate.value > best.value:
                best = evaluated_candidate
        return best


def _climb_from_all(
    evaluator: _PointEvaluator, starts: Sequence[Point], grid: Grid, rng: random.Random, n_random_starts: int
) -> EvaluatedPoint:
    """Climb from all starting points and from random grid points, and return the best point found.

    Args:
        evaluator: evaluates the objective.
        starts: points to start from, which need not be on the grid.
        grid: values of each coordinate.
        rng: source of the random starts, and of the order in which the search changes the coordinates.
        n_random_starts: number of random starts.
    """
    # The search evaluates the starting points first, so its result is at least as good as every starting point.
    for point in starts:
        evaluator.evaluate(point)
    grid_starts = [_move_to_grid(point, grid) for point in starts]
    for _ in range(n_random_starts):
        grid_starts.append(tuple(rng.choice(axis) for axis in grid))
    peaks = [_climb(evaluator, evaluator.evaluate(start), grid, rng) for start in grid_starts]
    best_peak = max(peaks, key=lambda peak: peak.value)
    # A starting point that is not on the grid may be better than all grid points.
    return evaluator.find_best(starts, best_peak)


def _climb_on_finer_grids(
    evaluator: _PointEvaluator, current: EvaluatedPoint, grid: Grid, rng: random.Random
) -> EvaluatedPoint:
    """Climb on finer and finer grids around a point, and return the best point found."""
    for factor in REFINEMENTS:
        fine_grid = [_refine_axis(axis, current.point[index], factor) for index, axis in enumerate(grid)]
        current = _climb(evaluator, current, fine_grid, rng)
    return current


def _climb(evaluator: _PointEvaluator, current: EvaluatedPoint, grid: Grid, rng: random.Random) -> EvaluatedPoint:
    """Change one or two coordinates of a point at a time, until no change improves the objective."""
    free_coordinates = _find_free_coordinates(grid)
    while True:
        previous = current
        for index in rng.sample(free_coordinates, len(free_coordinates)):
            candidates = [_replace_coordinates(current.point, {index: value}) for value in grid[index]]
            current = evaluator.find_best(candidates, current)
        if current.value > previous.value:
            continue
        current = _change_two_coordinates(evaluator, current, grid, rng)
        if current.value <= previous.value:
            return current


def _change_two_coordinates(
    evaluator: _PointEvaluator, current: EvaluatedPoint, grid: Grid, rng: random.Random
) -> EvaluatedPoint:
    """Change two coordinates at a time by small steps, until such a change improves the objective.

    If no such change improves the objective, the current point is returned.
    """
    coordinate_pairs = list(itertools.combinations(_find_free_coordinates(grid), 2))
    for first, second in rng.sample(coordinate_pairs, len(coordinate_pairs)):
        first_values = _find_neighbors(grid[first], current.point[first])
        second_values = _find_neighbors(grid[second], current.point[second])
        candidates = []
        for first_value, second_value in itertools.product(first_values, second_values):
            candidates.append(_replace_coordinates(current.point, {first: first_value, second: second_value}))
        best = evaluator.find_best(candidates, current)
        if best.value > current.value:
            return best
    return current


def _find_free_coordinates(grid: Grid) -> list[int]:
    return [index for index, axis in enumerate(grid) if len(axis) > 1]


def _move_to_grid(point: Point, grid: Grid) -> Point:
    """Return the grid point that is nearest to the given point."""
    return tuple(_find_nearest(axis, coordinate) for axis, coordinate in zip(grid, point, strict=True))


def _find_nearest(axis: tuple[float, ...], value: float) -> float:
    return min(axis, key=lambda axis_value: abs(axis_value - value))


def _find_neighbors(axis: tuple[float, ...], value: float) -> tuple[float, ...]:
    """Return the axis value nearest to the given value, and up to :data:`NEIGHBORS` axis values on each side."""
    nearest = axis.index(_find_nearest(axis, value))
    return axis[max(0, nearest - NEIGHBORS) : nearest + NEIGHBORS + 1]


def _refine_axis(axis: tuple[float, ...], center: float, factor: int) -> tuple[float, ...]:
    """Return closely spaced coordinate values around a center, within the limits of the given axis."""
    if len(axis) < 2:
        return axis if center in axis else (center,)
    step = (axis[1] - axis[0]) / factor
    values = {center}
    for offset in range(-NEIGHBORS, NEIGHBORS + 1):
        value = round(center + offset * step, 10)
        if axis[0] <= value <= axis[-1]:
            values.add(value)
    return tuple(sorted(values))


def _replace_coordinates(point: Point, replacements: dict[int, float]) -> Point:
    return tuple(replacements.get(index, coordinate) for index, coordinate in enumerate(point))
