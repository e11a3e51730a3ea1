"""Evaluates an objective at all points of a grid, like the Trainer in the Java program METEOR 1.5."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import Floats
from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

Axes: TypeAlias = Sequence[Sequence[float]]
"""The values of each coordinate of a point."""

LONGEST_AXIS = 10_000
"""Largest number of values of one coordinate."""

LARGEST_GRID = 20_000_000
"""Largest number of points of a grid."""


def make_axis(first: float, last: float, step: float) -> tuple[float, ...]:
    """Return the values from ``first`` to ``last``, both included, at intervals of ``step``.

    Raises:
        ConfigError: if the range is empty, the step is not positive, or there are too many values.
    """
    if not 0 < step < math.inf:
        raise ConfigError(f"a step of the grid is {step}; it must be more than 0")
    if not -math.inf < first <= last < math.inf:
        raise ConfigError(f"a range of the grid goes from {first} to {last}")
    if (last - first) / step > LONGEST_AXIS:
        raise ConfigError(f"a step of the grid is {step}: from {first} to {last} are more than {LONGEST_AXIS:,} values")
    count = math.floor((last - first) / step + 1e-9) + 1
    return tuple(round(first + index * step, 10) for index in range(count))


def java_axes(first: Point, last: Point, steps: Point) -> list[tuple[float, ...]]:
    """Return the values of each grid coordinate. The arguments correspond to those of the Java program Trainer.

    Args:
        first: smallest value of each coordinate.
        last: largest value of each coordinate.
        steps: distance between successive values of each coordinate.
    """
    return [make_axis(start, end, step) for start, end, step in zip(first, last, steps, strict=True)]


def grid_size(axes: Axes) -> int:
    """Return the number of points of a grid."""
    return math.prod(len(values) for values in axes)


def points(axes: Axes) -> Iterator[Point]:
    """Iterate over the points of a grid. The last coordinate changes fastest."""
    return itertools.product(*axes)


@dataclass(frozen=True)
class SearchResult:
    """The best point that a grid or a search found.

    Attributes:
        best: the best point. If several points of a grid are equally good, this is the first one of :func:`points`.
        value: value of the objective at the best point.
        evaluations: number of points that were evaluated.
        stopped: whether the search reached its limit of trials.
        values: values of the objective at all points of a grid in the order of :func:`points`, or None for a search.
    """

    best: Point
    value: float
    evaluations: int
    stopped: bool = False
    values: Floats | None = None


def evaluate_grid(data: TuningSet, objective: Objective, axes: Axes, *, progress: Progress = silent) -> SearchResult:
    """Evaluate an objective at all points of a grid.

    Args:
        data: the cells and judgments.
        objective: the objective to maximize.
        axes: values of α, β, γ, δ, and of the weight of each matcher.
        progress: receives the number of evaluated points and the number of all points.

    Raises:
        ConfigError: if the grid has too many points.
    """
    n_points = grid_size(axes)
    if n_points > LARGEST_GRID:
        raise ConfigError(
            f"the grid has {n_points:.1e} points, more than {LARGEST_GRID:.0e}; take larger steps (--step)"
        )
    values = _evaluate_points(data, objective, axes, progress)
    best_index = int(values.argmax())
    best_value = float(values[best_index])
    return SearchResult(_point_at(axes, best_index), best_value, evaluations=n_points, values=values)


def _evaluate_points(data: TuningSet, objective: Objective, axes: Axes, progress: Progress) -> Floats:
    """Evaluate an objective at every point of a parameter grid, in the order of :func:`points`."""
    scorer = PointScorer(data)
    prepared_objective = objective.prepare(data)
    # The outer loop changes δ and the weights, because the scorer caches precision and recall until these change.
    inner_axes = axes[:3]  # α, β and γ
    outer_axes = axes[3:]
    values = np.empty((grid_size(inner_axes), grid_size(outer_axes)))  # (inner points, outer points)
    for outer_index, outer_point in enumerate(points(outer_axes)):
        for inner_index, inner_point in enumerate(points(inner_axes)):
            values[inner_index, outer_index] = prepared_objective.evaluate(scorer, inner_point + outer_point)
        progress("grid", outer_index * len(values), values.size)
    return values.reshape(-1)


def _point_at(axes: Axes, index: int) -> Point:
    """Return the grid point that :func:`points` yields at the given index."""
    coordinate_indices = np.unravel_index(index, [len(axis) for axis in axes])
    return tuple(axis[int(coordinate)] for axis, coordinate in zip(axes, coordinate_indices, strict=True))
