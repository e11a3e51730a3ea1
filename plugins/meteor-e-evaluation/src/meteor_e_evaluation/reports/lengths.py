"""Computes distributions of scores, over all segments and over segments of similar length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation.reports.scored import Report
from meteor_e_evaluation.reports.scored_system import PARTS

POINTS = 100
"""Number of steps of a scale. A cumulative distribution is computed at the end of each step."""

TAIL = 0.01
"""Proportion of segments that may lie beyond each end of a scale, if the metric's scores do not have a fixed range."""


class LengthClass(NamedTuple):
    """A class of segments whose references have similar lengths.

    Attributes:
        label: name of the class.
        low: smallest number of words of the first reference.
        high: largest number of words of the first reference, or None if the number is not limited.
    """

    label: str
    low: int
    high: int | None


ALL_SEGMENTS = LengthClass("All segments", 0, None)

LENGTH_CLASSES = (
    LengthClass("1–10 words", 1, 10),
    LengthClass("11–25 words", 11, 25),
    LengthClass("26–50 words", 26, 50),
    LengthClass("51+ words", 51, None),
)


class Distribution(NamedTuple):
    """The cumulative distribution of one system's segment values, such as scores, in one class of segment lengths.

    Attributes:
        system: index of the system.
        levels: for each point of the scale, the proportion of segments whose value is at most the point, an array
            ``(POINTS + 1,)``.
        mean: mean of the values.
        quartiles: quartiles of the values.
    """

    system: int
    levels: Floats
    mean: float
    quartiles: tuple[float, float, float]


class Cell(NamedTuple):
    """For each system, the distribution of a segment value, such as the score, in one class of segment lengths.

    Attributes:
        length_class: the length class.
        segments: number of segments of the class, at least one.
        distributions: one per system.
    """

    length_class: LengthClass
    segments: int
    distributions: tuple[Distribution, ...]


class Distributions(NamedTuple):
    """The distributions of a segment value, such as the score, for each class of segment lengths and each system.

    Attributes:
        title: name of the value.
        low, high: ends of the scale of the value.
        metric: whether the value is the score of a metric. Otherwise, the value is a component of METEOR.
        cells: the distributions in each length class that contains segments.
    """

    title: str
    low: float
    high: float
    metric: bool
    cells: tuple[Cell, ...]


class _ClassMembers(NamedTuple):
    """A range of reference lengths, with a mask of the segments whose reference lengths are within the range."""

    length_class: LengthClass
    is_member: NDArray[np.bool_]


def distributions(report: Report) -> list[Distributions]:
    """Return the distributions of each metric's segment scores, and of METEOR's components, such as precision.

    The distributions are computed over all segments, and over classes of segments with references of similar length.
    If all segments have similar lengths, they are computed only over all segments.
    """
    length_classes = _select_length_classes(report.lengths)
    all_distributions = []
    for index, result in enumerate(report.metrics):
        low, high = metric_scale_ends(report, index)
        cells = _make_cells(result.segments, length_classes, low, high)
        all_distributions.append(Distributions(result.label, low, high, metric=True, cells=cells))
    for part, title in PARTS.items():
        # The fragmentation penalty can exceed 1 if METEOR's parameter γ exceeds 1.
        values = [np.clip(system.values(part), 0, 1) for system in report.systems]
        cells = _make_cells(values, length_classes, 0.0, 1.0)
        all_distributions.append(Distributions(title, 0.0, 1.0, metric=False, cells=cells))
    return all_distributions


def _select_length_classes(lengths: Integers) -> list[_ClassMembers]:
    """Return the non-empty classes of segment lengths, starting with a class that contains all segments.

    If all segments have similar lengths, return only the class that does not limit the length.

    Args:
        lengths: number of words of the first reference of each segment.
    """
    all_segments = _find_members(ALL_SEGMENTS, lengths)
    length_classes = [_find_members(length_class, lengths) for length_class in LENGTH_CLASSES]
    if any(members.is_member.all() for members in length_classes):
        return [all_segments]
    return [all_segments, *(members for members in length_classes if members.is_member.any())]


def _find_members(length_class: LengthClass, lengths: Integers) -> _ClassMembers:
    """Find the segments whose lengths are within the limits of a length class."""
    highest_length = math.inf if length_class.high is None else length_class.high
    return _ClassMembers(length_class, (lengths >= length_class.low) & (lengths <= highest_length))


def metric_scale_ends(report: Report, metric: int) -> tuple[float, float]:
    """Return the lowest and the highest value of a chart axis for the segment scores of a metric.

    The scale of METEOR is always the same.
    """
    return (0, 1) if metric == report.meteor else scale_ends(report.metrics[metric].segments)


def scale_ends(segments: Sequence[Floats]) -> tuple[float, float]:
    """Return the lowest and the highest value of a chart axis for the scores of segments.

    If possible, the axis begins at 0 and ends at 1, 10 or 100.

    If some scores are outside these limits, percentiles are used, because a few outliers would make the other scores
    indistinguishable.

    Args:
        segments: scores of the segments of each system.
    """
    all_scores = np.concatenate(segments)
    has_negative_scores = all_scores.min() < 0
    round_ends = [end for end in (1.0, 10.0, 100.0) if all_scores.max() <= end]
    if round_ends and not has_negative_scores:
        return 0.0, round_ends[0]
    low = float(np.quantile(all_scores, TAIL)) if has_negative_scores else 0.0
    high = float(np.quantile(all_scores, 1 - TAIL))
    return low, low + 1 if high <= low else high


def _make_cells(
    values: Sequence[Floats], length_classes: Sequence[_ClassMembers], low: float, high: float
) -> tuple[Cell, ...]:
    """Return the distribution of the values of each system within each length class.

    Args:
        values: values of each system, one array ``(segments,)`` per system.
        length_classes: the length classes and their segments.
        low, high: ends of the scale of the values.
    """
    points = np.linspace(low, high, POINTS + 1)
    cells = []
    for length_class, is_member in length_classes:
        class_distributions = []
        for system, system_values in enumerate(values):
            class_distributions.append(_make_distribution(system, system_values[is_member], points))
        cells.append(Cell(length_class, int(is_member.sum()), tuple(class_distributions)))
    return tuple(cells)


def _make_distribution(system: int, values: Floats, points: Floats) -> Distribution:
    """Return the cumulative distribution of values, evaluated at the points of a scale."""
    # A value that should equal a point of the scale may be slightly larger because of rounding errors.
    tolerance = 1e-9 * (points[-1] - points[0])
    n_values_up_to_point = np.searchsorted(np.sort(values), points + tolerance, side="right")
    quartiles = np.quantile(values, (0.25, 0.5, 0.75))
    return Distribution(
        system=system,
        levels=n_values_up_to_point / len(values),
        mean=float(values.mean()),
        quartiles=(float(quartiles[0]), float(quartiles[1]), float(quartiles[2])),
    )
