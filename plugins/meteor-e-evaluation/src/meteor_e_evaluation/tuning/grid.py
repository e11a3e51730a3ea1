"""All points of a grid, as the Java Trainer tries them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from meteor_e.api import ConfigError
from meteor_e.toolkit import Floats, Progress, silent
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.objectives import Objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer

__all__ = ["Axes", "GridResult", "evaluate_grid", "grid_size", "java_axes", "points"]

Axes: TypeAlias = Sequence[Sequence[float]]
"""The values of each coordinate of a point."""

KEEP_LIMIT = 5_000_000
"""Largest grid whose values are all kept."""


def axis(first: float, last: float, step: float) -> tuple[float, ...]:
    """Return the values from ``first`` to ``last``, both included, ``step`` apart."""
    if step <= 0:
        raise ConfigError(f"a step of the grid is {step}; it must be more than 0")
    if last < first:
        raise ConfigError(f"a range of the grid goes from {first} to {last}")
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
class GridResult:
    """The result of a grid.

    Attributes:
        best: the best point; of equals the first in the order of :func:`points`.
        value: its objective.
        evaluations: number of points.
        values: the objective of each point in the order of :func:`points`; ``None`` for very large grids.
    """

    best: Point
    value: float
    evaluations: int
    values: Floats | None


def evaluate_grid(
    data: TuningSet,
    objective: Objective,
    axes: Axes,
    *,
    threads: int = 1,
    progress: Progress = silent,
) -> GridResult:
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
    kept = np.empty(shape) if size <= KEEP_LIMIT else None
    alphas, betas, gammas, *others = axes
    outer = list(itertools.product(*(range(len(values)) for values in others)))

    def work(places: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], Floats]]:
        scorer, prepared = PointScorer(data), objective.prepare(data)
        for place in places:
            rest = tuple(values[at] for values, at in zip(others, place, strict=True))
            block = np.empty(shape[:3])
            for a, alpha in enumerate(alphas):
                for b, beta in enumerate(betas):
                    for c, gamma in enumerate(gammas):
                        block[a, b, c] = prepared.at(scorer, (alpha, beta, gamma, *rest))
            yield place, block

    best_value, best_at, done = -math.inf, (0,) * len(shape), 0
    for place, block in _in_threads(work, outer, threads):
        done += block.size
        if kept is not None:
            where: tuple[slice | int, ...] = (slice(None), slice(None), slice(None), *place)
            kept[where] = block
        # The first of equals in the order of points: argmax takes the first in a block, blocks are compared by place.
        at = (*(int(i) for i in np.unravel_index(int(block.argmax()), block.shape)), *place)
        value = float(block.max())
        if value > best_value or (value == best_value and at < best_at):
            best_value, best_at = value, at
        progress("grid", done, size)
    best = tuple(values[at] for values, at in zip(axes, best_at, strict=True))
    return GridResult(best, best_value, size, None if kept is None else kept.reshape(-1))


_Work = Callable[[Sequence[tuple[int, ...]]], Iterator[tuple[tuple[int, ...], Floats]]]


def _in_threads(
    work: _Work, outer: Sequence[tuple[int, ...]], threads: int
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    if threads <= 1 or len(outer) < 2:
        yield from work(outer)
        return
    import queue
    import threading

    # numpy lets go of the interpreter in the operations that cost time.
    results: queue.SimpleQueue[tuple[tuple[int, ...], Floats] | BaseException | None] = queue.SimpleQueue()
    stop = threading.Event()

    def run(part: Sequence[tuple[int, ...]]) -> None:
        try:
            for result in work(part):
                results.put(result)
                if stop.is_set():
                    return
            results.put(None)
        except BaseException as error:
            results.put(error)

    parts = [outer[start::threads] for start in range(threads)]
    workers = [threading.Thread(target=run, args=(part,), daemon=True) for part in parts if part]
    for worker in workers:
        worker.start()
    running = len(workers)
    try:
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stop.set()
        for worker in workers:
            worker.join()
