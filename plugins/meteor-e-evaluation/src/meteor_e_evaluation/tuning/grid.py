"""All points of a grid, as the Java Trainer tries them."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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

KEEP_LIMIT = 5_000_000
"""Largest grid whose values are all kept."""

LONGEST_AXIS = 10_000
"""Values of a coordinate at most."""

LARGEST_GRID = 10**11
"""Points at most; the Java Trainer's usual grid of eight coordinates has some 70 thousand millions."""


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
class Found:
    """The result of a grid or a search.

    Attributes:
        best: the best point; of equals in a grid the first in the order of :func:`points`.
        value: its objective.
        evaluations: number of points that were tried.
        stopped: whether trials or time were used up before the end.
        values: the objective of each point of a grid in the order of :func:`points`; ``None`` for very large grids.
    """

    best: Point
    value: float
    evaluations: int
    stopped: bool = False
    values: Floats | None = None


def evaluate_grid(
    data: TuningSet,
    objective: Objective,
    axes: Axes,
    *,
    threads: int = 1,
    progress: Progress = silent,
) -> Found:
    """Try all points.

    Args:
        data: the cells and judgments.
        objective: what to maximize.
        axes: α, β, γ, δ, and the weight of each matcher.
        threads: number of threads.
        progress: told the number of points done and of all.
    """
    shape = tuple(len(values) for values in axes)
    size = grid_size(axes)
    if size > LARGEST_GRID:
        raise ConfigError(f"the grid has {size:.1e} points, more than {LARGEST_GRID:.0e}; take larger steps (--step)")
    kept = np.empty(shape) if size <= KEEP_LIMIT else None
    alphas, betas, gammas, *others = axes
    outer = list(itertools.product(*(range(len(values)) for values in others)))

    local = threading.local()

    def work(place: tuple[int, ...]) -> Floats:
        if not vars(local):
            local.scorer, local.prepared = PointScorer(data), objective.prepare(data)
        rest = tuple(values[at] for values, at in zip(others, place, strict=True))
        block = np.empty(shape[:3])
        for at, point in zip(np.ndindex(block.shape), itertools.product(alphas, betas, gammas), strict=True):
            block[at] = local.prepared.at(local.scorer, (*point, *rest))
        return block

    best_value, best_at, done = -math.inf, (0,) * len(shape), 0
    # numpy lets go of the interpreter in the operations that cost time.
    pool = ThreadPoolExecutor(threads)
    try:
        blocks = map(work, outer) if threads <= 1 or len(outer) < 2 else pool.map(work, outer)
        for place, block in zip(outer, blocks, strict=True):
            done += block.size
            if kept is not None:
                where: tuple[slice | int, ...] = (slice(None), slice(None), slice(None), *place)
                kept[where] = block
            # The first of equals in the order of points: argmax takes the first in a block, blocks go by place.
            at = (*(int(i) for i in np.unravel_index(int(block.argmax()), block.shape)), *place)
            value = float(block.max())
            if value > best_value or (value == best_value and at < best_at):
                best_value, best_at = value, at
            progress("grid", done, size)
    finally:
        pool.shutdown(cancel_futures=True)
    best = tuple(values[at] for values, at in zip(axes, best_at, strict=True))
    return Found(best, best_value, size, values=None if kept is None else kept.reshape(-1))
