"""A search that finds a good point in a small fraction of a grid's evaluations."""

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
    """Search by turns along one coordinate and over two.

    From every start: try all values of one coordinate after the other, in random order, moving to the best; when
    no coordinate helps, try the neighbourhoods of all pairs of coordinates; until nothing helps. The objective is
    a step function, so that slopes are of no use. At the end the grid is refined twice around the best point.

    Args:
        data: the cells and judgments.
        objective: what to maximize.
        axes: the values of each coordinate.
        starts: points to start from, moved to the grid.
        seed: of the order of coordinates and of further starts.
        random_starts: number of further starts, drawn from the grid.
        refine: whether to leave the grid at the end.
        trials: stop after this many points, with the best so far.
        progress: told the number of points tried.
    """
    walk = _Walk(data, objective, progress, trials)
    with contextlib.suppress(_SpentError):
        _climb_all(walk, axes, starts, random.Random(seed), random_starts, refine)
        return SearchResult(*walk.best, walk.evaluations)
    return SearchResult(*walk.best, walk.evaluations, stopped=True)


def _climb_all(
    walk: _Walk, axes: Axes, starts: Sequence[Point], order: random.Random, random_starts: int, refine: bool
) -> None:
    """Climb from all starts, then around the best point; the walk remembers the best of all."""
    # What is measured first is in any case among the results: the result is never worse than the starts.
    for point in starts:
        walk.value(point)
    grid = [tuple(values) for values in axes]
    candidates = [_nearest(point, grid) for point in starts]
    candidates += [tuple(order.choice(values) for values in grid) for _ in range(random_starts)]
    best, value = walk.climb(candidates[0], grid, order)
    for start in candidates[1:]:
        point, reached = walk.climb(start, grid, order)
        if reached > value:
            best, value = point, reached
    # A start off the grid may be better than all of the grid.
    for point in starts:
        if walk.value(point) > value:
            best, value = point, walk.value(point)
    if refine:
        for parts in (2, 4):
            best, value = walk.climb(best, [_around(axis, best[at], parts) for at, axis in enumerate(grid)], order)
    walk.best = (best, value)


class _SpentError(Exception):
    """The trials or the time are used up."""


def _nearest(point: Point, grid: Sequence[tuple[float, ...]]) -> Point:
    return tuple(min(axis, key=lambda value: abs(value - wanted)) for axis, wanted in zip(grid, point, strict=True))


def _around(axis: tuple[float, ...], centre: float, parts: int) -> tuple[float, ...]:
    """Return a finer axis around a value, within the ends of the old one."""
    if len(axis) < 2:
        return axis if centre in axis else (centre,)
    step = (axis[1] - axis[0]) / parts
    values = {round(centre + number * step, 10) for number in range(-3, 4)} | {centre}
    return tuple(sorted(value for value in values if axis[0] <= value <= axis[-1] or value == centre))


class _Walk:
    def __init__(
        self,
        data: TuningSet,
        objective: Objective,
        progress: Progress,
        trials: int | None,
    ) -> None:
        self._trials = trials
        self.best: tuple[Point, float] = ((), -math.inf)
        self._scorer = PointScorer(data)
        self._objective = objective.prepare(data)
        self._known: dict[Point, float] = {}
        self._progress = progress

    @property
    def evaluations(self) -> int:
        return len(self._known)

    def _spend(self) -> None:
        """Count a point; the first is always measured."""
        if not self._known:
            return
        if self._trials is not None and len(self._known) >= self._trials:
            raise _SpentError

    def value(self, point: Point) -> float:
        value = self._known.get(point)
        if value is None:
            self._spend()
            value = self._known[point] = self._objective.at(self._scorer, point)
            if value > self.best[1]:
                self.best = (point, value)
            if len(self._known) % 50 == 0:
                self._progress("searching", len(self._known), self._trials)
        return value

    def climb(self, point: Point, grid: Sequence[tuple[float, ...]], order: random.Random) -> tuple[Point, float]:
        """Go up from a point until neither a line nor a small plane leads higher."""
        value = self.value(point)
        free = [at for at, axis in enumerate(grid) if len(axis) > 1]
        while True:
            before = value
            for at in order.sample(free, len(free)):
                point, value = self._best_of(
                    ((*point[:at], other, *point[at + 1 :]) for other in grid[at]), point, value
                )
            if value > before:
                continue
            for first, second in order.sample(pairs := list(itertools.combinations(free, 2)), len(pairs)):
                plane = itertools.product(_near(grid[first], point[first]), _near(grid[second], point[second]))
                moved = (_replace(point, {first: a, second: b}) for a, b in plane)
                point, value = self._best_of(moved, point, value)
                if value > before:
                    break
            if value <= before:
                return point, value

    def _best_of(self, points: Iterable[Point], point: Point, value: float) -> tuple[Point, float]:
        for candidate in points:
            reached = self.value(candidate)
            if reached > value:
                point, value = candidate, reached
        return point, value


def _replace(point: Point, changes: dict[int, float]) -> Point:
    return tuple(changes.get(at, value) for at, value in enumerate(point))


def _near(axis: tuple[float, ...], value: float, reach: int = 3) -> tuple[float, ...]:
    """Return the values of an axis next to one of its values."""
    at = min(range(len(axis)), key=lambda place: abs(axis[place] - value))
    return axis[max(0, at - reach) : at + reach + 1]
