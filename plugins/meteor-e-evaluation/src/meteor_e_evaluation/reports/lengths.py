"""Distributions of scores over segments: over all segments, and by the length of the segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.reports.scored import Report
from meteor_e_evaluation.reports.scored_system import PARTS

POINTS = 100
"""Number of steps of a scale at which a cumulative distribution is computed."""

TAIL = 0.01
"""Share of the segments that may lie beyond an end of a scale without natural limits."""


class LengthClass(NamedTuple):
    """Segments of similar length.

    Attributes:
        label: name of the class.
        low, high: smallest and largest number of words of the first reference; ``None`` for no limit.
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
    """The cumulative distribution of a value over the segments of a length class.

    Attributes:
        system: index of the system.
        levels: share of the segments whose value is at most each point of the scale, ``(POINTS + 1,)``.
        mean: mean of the values.
        quartiles: quartiles of the values.
    """

    system: int
    levels: Floats
    mean: float
    quartiles: tuple[float, float, float]


class Cell(NamedTuple):
    """The distributions of a value in a length class.

    Attributes:
        lengths: the length class.
        segments: number of its segments, at least one.
        distributions: one per system.
    """

    lengths: LengthClass
    segments: int
    distributions: tuple[Distribution, ...]


class Distributions(NamedTuple):
    """The distributions of a value.

    Attributes:
        title: name of the value.
        low, high: ends of its scale.
        metric: whether it is the score of a metric; otherwise it is a part of METEOR.
        cells: one per length class with segments; only one if all segments are in the same class.
    """

    title: str
    low: float
    high: float
    metric: bool
    cells: tuple[Cell, ...]


class _SegmentValues(NamedTuple):
    """A value of the segments: its title, the ends of its scale, and the values of each system."""

    title: str
    low: float
    high: float
    is_metric: bool
    values: list[Floats]


def distributions(report: Report) -> list[Distributions]:
    """Return the distributions of each metric, then of each part of METEOR.

    Segments with an empty reference are in the class of all segments only.
    """
    lengths = report.lengths
    masks = [(lengths >= entry.low) & (lengths <= (entry.high or np.inf)) for entry in LENGTH_CLASSES]
    classes = [(entry, mask) for entry, mask in zip(LENGTH_CLASSES, masks, strict=True) if mask.any()]
    if len(classes) == 2 and classes[0][1].sum() == classes[1][1].sum():
        classes = classes[:1]
    rows = []
    for title, low, high, is_metric, values in _segment_values(report):
        points = np.linspace(low, high, POINTS + 1)
        rows.append(Distributions(title, low, high, is_metric, tuple(_cells(values, classes, points))))
    return rows


def _segment_values(report: Report) -> Iterator[_SegmentValues]:
    """Yield the values of each metric, then of each part of METEOR."""
    for index, result in enumerate(report.metrics):
        low, high = (0.0, 1.0) if index == report.meteor else scale_ends(result.segments)
        yield _SegmentValues(result.label, low, high, True, list(result.segments))
    for part, title in PARTS.items():
        # The fragmentation penalty exceeds 1 if γ does.
        yield _SegmentValues(title, 0.0, 1.0, False, [np.clip(system.values(part), 0, 1) for system in report.systems])


def scale_ends(segments: Sequence[Floats]) -> tuple[float, float]:
    """Return the ends of a scale for scores: 0 and the next power of ten from 1 to 100, if the scores fit.

    CIDEr's scores go up to 10, but rarely exceed 3, so a scale up to 100 would squeeze them into a corner.
    The scale of other scores, such as error rates, ends where 99% of the segments do, because a few segments may be
    very far from the others.
    """
    low, high = min(float(scores.min()) for scores in segments), max(float(scores.max()) for scores in segments)
    for end in (1.0, 10.0, 100.0):
        if low >= 0 and high <= end:
            return 0.0, end
    all_scores = np.concatenate(segments)
    low = 0.0 if low >= 0 else float(np.quantile(all_scores, TAIL))
    high = float(np.quantile(all_scores, 1 - TAIL))
    return (low, high) if high > low else (low, low + 1)


def _cells(
    values: Sequence[Floats], classes: Sequence[tuple[LengthClass, NDArray[np.bool_]]], points: Floats
) -> Iterator[Cell]:
    for length_class, mask in classes:
        class_distributions = [_distribution(index, scores[mask], points) for index, scores in enumerate(values)]
        yield Cell(length_class, int(mask.sum()), tuple(class_distributions))


def _distribution(system: int, values: Floats, points: Floats) -> Distribution:
    sorted_values = np.sort(values)
    # A tolerance, so that a value that equals a point except for rounding is not above it.
    tolerance = 1e-9 * (points[-1] - points[0])
    levels = np.searchsorted(sorted_values, points + tolerance, side="right") / len(sorted_values)
    low, middle, high = (float(value) for value in np.quantile(sorted_values, (0.25, 0.5, 0.75)))
    return Distribution(system, levels, float(values.mean()), (low, middle, high))
