"""Computes the coordinates of the SVG charts in a report.

No chart library is used, because the charts are simple and work without a script.

The content security policy of the page forbids ``eval`` and inline styles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from meteor_e_evaluation.reports.lengths import POINTS, Distribution
from meteor_e_evaluation.reports.scored import Report

EQUALITY_TOLERANCE = 1e-12
"""Largest difference of two segment scores that are regarded as equal."""


class Size(NamedTuple):
    """Width and height of a drawing, in the units of its coordinates."""

    width: float
    height: float


PANEL = Size(240, 120)
"""Size of the drawing area of a panel that shows distributions."""


class LinearScale(NamedTuple):
    """A linear scale, which maps values to positions in a drawing.

    Attributes:
        low, high: values at the ends of the scale.
        width: distance between the ends of the scale.
        ticks: round values between the ends of the scale.
    """

    low: float
    high: float
    width: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        return round((value - self.low) / (self.high - self.low) * self.width, 2)


def _round_step(span: float) -> float:
    """Choose a round distance between ticks, such as 0.2, that divides a span into two to five parts."""
    power = 10.0 ** math.floor(math.log10(span / 2))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= span / 2)


def scale_of(low: float, high: float, width: float) -> LinearScale:
    """Return a linear scale with round ticks.

    Args:
        low, high: values at the ends of the scale.
        width: distance between the ends of the scale.
    """
    step = _round_step(high - low)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    ticks = tuple(float(f"{multiple * step:.6g}") for multiple in range(first, last + 1))
    return LinearScale(low, high, width, ticks)


def interval_scale(values: Sequence[float], width: float, min_margin: float) -> LinearScale:
    """Return a scale that contains all values, with a margin at both ends.

    Args:
        values: the values.
        width: distance between the ends of the scale.
        min_margin: smallest margin, in units of the values.
    """
    low, high = min(values), max(values)
    margin = max(0.12 * (high - low), min_margin)
    return scale_of(low - margin, high + margin, width)


def line_path(distribution: Distribution) -> str:
    """Return the SVG path of a cumulative distribution, which is drawn as a step function."""
    width, height = PANEL
    path = ""
    previous_y = -1.0
    for index, level in enumerate(distribution.levels.tolist()):
        y = round(height * (1 - level), 1)
        if y != previous_y or index == POINTS:
            x = round(index * width / POINTS, 1)
            path += f"H{x:g}V{y:g}" if path else f"M{x:g} {y:g}"
            previous_y = y
    return path


class Balance(NamedTuple):
    """Numbers of segments on which one system scores better than, equal to, or worse than another system.

    Attributes:
        better, same, worse: the numbers of segments.
    """

    better: int
    same: int
    worse: int

    def parts(self, width: float) -> tuple[float, float, float]:
        """Return the widths of the three parts of a bar, for the segments that score better, the same, or worse.

        Args:
            width: width of the whole bar.
        """
        n_segments = self.better + self.same + self.worse
        return tuple(round(count / n_segments * width, 2) for count in self)  # type: ignore[return-value]


def balance(report: Report, metric: int, first: int, second: int) -> Balance:
    """Count the segments on which the second system scores better than, equal to, or worse than the first system.

    Args:
        report: the report.
        metric: index of the metric.
        first, second: indices of the systems.
    """
    gains = report.metrics[metric].gains(first, second)
    better = int((gains > EQUALITY_TOLERANCE).sum())
    worse = int((gains < -EQUALITY_TOLERANCE).sum())
    return Balance(better, len(gains) - better - worse, worse)


class Piece(NamedTuple):
    """The part of a stacked bar that shows the contribution of one matcher.

    Attributes:
        matcher: index of the matcher.
        start: position of the left end of the part.
        width: width of the part.
    """

    matcher: int
    start: float
    width: float


def stack_contributions(report: Report, width: float) -> list[list[Piece]]:
    """Return one stacked bar per system. Its parts show how much each matcher contributes to the METEOR score.

    Args:
        report: the report.
        width: width of the bar of the system with the best score.
    """
    # The divisor must not be 0. If the best score is 0, all contributions are 0, and all bars are empty.
    best_score = max(system.corpus.score for system in report.systems) or 1.0
    bars = []
    for system in report.systems:
        bar = []
        start = 0.0
        for matcher, contribution in enumerate(system.corpus.contributions()):
            piece_width = contribution.score / best_score * width
            bar.append(Piece(matcher, round(start, 2), round(piece_width, 2)))
            start += piece_width
        bars.append(bar)
    return bars
