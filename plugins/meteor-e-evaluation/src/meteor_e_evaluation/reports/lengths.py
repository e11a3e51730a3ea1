"""Distributions of scores over segments, overall and by segment length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.reports.scored import PARTS, Report

POINTS = 100
"""Steps from one end of a scale to the other at which distributions are known."""


class LengthClass(NamedTuple):
    """Segments of some length.

    Attributes:
        label: what to call it.
        low, high: words of the (first) reference, both included; ``None`` for no limit.
    """

    label: str
    low: int
    high: int | None


LENGTH_CLASSES = (
    LengthClass("All segments", 0, None),
    LengthClass("1–10 words", 1, 10),
    LengthClass("11–25 words", 11, 25),
    LengthClass("26–50 words", 26, 50),
    LengthClass("51+ words", 51, None),
)


class Distribution(NamedTuple):
    """The distribution of a number over the segments of a length class.

    Attributes:
        system: index of the system.
        levels: ``(POINTS + 1,)`` share of the segments whose number is at most that of each point of the scale.
        mean, quartiles: of the segments.
    """

    system: int
    levels: Floats
    mean: float
    quartiles: tuple[float, float, float]


class Cell(NamedTuple):
    """The distributions of one number in one length class.

    Attributes:
        lengths: the class.
        segments: how many there are in it, at least one.
        distributions: one per system.
    """

    lengths: LengthClass
    segments: int
    distributions: tuple[Distribution, ...]


class Distributions(NamedTuple):
    """The distributions of one number.

    Attributes:
        title: what the number is called.
        low, high: ends of its scale.
        metric: whether it is a metric's score, not a part of METEOR.
        cells: one per length class that has segments; one alone where there is one class only.
    """

    title: str
    low: float
    high: float
    metric: bool
    cells: tuple[Cell, ...]


def distributions(report: Report) -> list[Distributions]:
    """Return one row per metric, then one per part of METEOR.

    Segments with an empty reference count among all segments only.
    """
    lengths = report.lengths
    chosen = [(kind, (lengths >= kind.low) & (lengths <= (kind.high or np.inf))) for kind in LENGTH_CLASSES]
    filled = [(kind, wanted) for kind, wanted in chosen if wanted.any()]
    if len(filled) == 2 and filled[0][1].sum() == filled[1][1].sum():
        filled = filled[:1]
    return [
        Distributions(title, low, high, metric, tuple(_cells(values, filled, np.linspace(low, high, POINTS + 1))))
        for title, low, high, metric, values in _numbers(report)
    ]


def _numbers(report: Report) -> Iterator[tuple[str, float, float, bool, list[Floats]]]:
    """Yield title, ends of the scale, whether it is a metric's, and each system's numbers."""
    for at, result in enumerate(report.metrics):
        low, high = (0.0, 1.0) if at == report.meteor else ends_of(result.segments)
        yield result.label, low, high, True, list(result.segments)
    for part, title in PARTS.items():
        # A fragmentation penalty can exceed 1, with a γ above 1; it counts at the end.
        yield title, 0.0, 1.0, False, [np.clip(system.values(part), 0, 1) for system in report.systems]


def ends_of(segments: tuple[Floats, ...]) -> tuple[float, float]:
    """Return the ends of a scale for scores of any size: 0 and the next power of ten from 1 to 100 if scores fit.

    CIDEr's scores go up to 10, but rarely exceed 3, so that a scale up to 100 would squeeze them into a corner.
    """
    low, high = min(float(one.min()) for one in segments), max(float(one.max()) for one in segments)
    for end in (1.0, 10.0, 100.0):
        if low >= 0 and high <= end:
            return 0.0, end
    # Of errors and the like, few segments go very far: the scale ends where 99 of 100 do.
    whole = np.concatenate(segments)
    low, high = (0.0 if low >= 0 else float(np.quantile(whole, 0.01))), float(np.quantile(whole, 0.99))
    return (low, high) if high > low else (low, low + 1)


def _cells(
    values: list[Floats], classes: list[tuple[LengthClass, np.ndarray[tuple[int], np.dtype[np.bool_]]]], points: Floats
) -> Iterator[Cell]:
    for lengths, wanted in classes:
        yield Cell(
            lengths,
            int(wanted.sum()),
            tuple(_distribution(at, numbers[wanted], points) for at, numbers in enumerate(values)),
        )


def _distribution(system: int, values: Floats, points: Floats) -> Distribution:
    order = np.sort(values)
    # Rounding must not keep a 1 from being at most 1.
    levels = np.searchsorted(order, points + 1e-9 * (points[-1] - points[0]), side="right") / len(order)
    low, middle, high = (float(value) for value in np.quantile(order, (0.25, 0.5, 0.75)))
    return Distribution(system, levels, float(values.mean()), (low, middle, high))
