"""All points of a grid, as the Java Trainer tries them."""

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
"""Values of a coordinate at most."""

LARGEST_GRID = 20_000_000
"""Points at most."""


def axis(first: float, last: float, step: float) -> tuple[float, ...]:
    """Return the values from ``first`` to ``last``, both included, ``step`` apart."""
    if not 0 < step < math.inf:
        raise ConfigError(f"a step of the grid is {step}; it must be more than 0")
    if not -math.inf < first <= last < math.inf:
        raise ConfigError(f"a range of the grid goes from {first} to {last}")
    if (last - first) / step > LONGEST_AXIS:
        raise ConfigError(f"a step of the grid is {step}: from {first} to {last} are more than {LONGEST_AXIS:,} values")
    count = math.floor((last - first) / step + 1e-9) + 1
    return tuple(round(first + number * step, 10) for number in range(count))


def java_axes(first: Point, last: Point, steps: Point) -> list[tuple[float, ...]]:
    """Return the axes of a grid given as to the Java Trainer: first point, last point, steps."""
    return [axis(*ends) for ends in zip(first, last, steps, strict=True)]


def grid_size(axes: Axes) -> int:
    """Return the number of points."""
    return math.prod(len(values) for values in axes)


def points(axes: Axes) -> Iterator[Point]:
    """Iterate over the points, the last coordinate changing fastest."""
    return itertools.product(*axes)


@dataclass(frozen=True)
class SearchResult:
    """The result of a grid or a search.

    Attributes:
        best: the best point; of equals in a grid the first in the order of :func:`points`.
        value: its objective.
        evaluations: number of points that were tried.
        stopped: whether trials or time were used up before the end.
        values: the objective of each point of a grid in the order of :func:`points`; ``None`` for a search.
    """

    best: Point
    value: float
    evaluations: int
    stopped: bool = False
    values: Floats | None = None


def evaluate_grid(data: TuningSet, objective: Objective, axes: Axes, *, progress: Progress = silent) -> SearchResult:
    """Try all points.

    Args:
        data: the cells and judgments.
        objective: what to maximize.
        axes: α, β, γ, δ, and the weight of each matcher.
        progress: told the number of points done and of all.
    """
    size = grid_size(axes)
    if size > LARGEST_GRID:
        raise ConfigError(f"the grid has {size:.1e} points, more than {LARGEST_GRID:.0e}; take larger steps (--step)")
    values = np.empty([len(axis) for axis in axes])
    scorer, prepared = PointScorer(data), objective.prepare(data)
    # Weights and δ change most slowly, as what depends on them costs most.
    for done, place in enumerate(np.ndindex(values.shape[3:])):
        rest = [axis[at] for axis, at in zip(axes[3:], place, strict=True)]
        for at, point in zip(np.ndindex(values.shape[:3]), itertools.product(*axes[:3]), strict=True):
            values[(*at, *place)] = prepared.at(scorer, (*point, *rest))
        progress("grid", done * math.prod(values.shape[:3]), size)
    best = np.unravel_index(int(values.argmax()), values.shape)
    point = tuple(axis[int(at)] for axis, at in zip(axes, best, strict=True))
    return SearchResult(point, float(values.max()), size, values=values.reshape(-1))
