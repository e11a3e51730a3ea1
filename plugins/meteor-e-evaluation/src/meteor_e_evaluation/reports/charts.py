"""The page's charts as SVG geometry: numbers, which the template puts into elements.

The charts are plain SVG instead of the output of a chart library. Lines, bars and intervals need a few paths each, are
visible with the first paint and without a script, and do not need ``eval`` or inline styles, which the page's security
policy forbids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from meteor_e_evaluation.reports.lengths import POINTS, Distribution
from meteor_e_evaluation.reports.scored import Report

EQUALITY_TOLERANCE = 1e-12
"""Largest difference of segment scores that counts as equality."""


class Size(NamedTuple):
    """Size of a drawing, in its own units."""

    width: float
    height: float


PANEL = Size(240, 120)
"""The inside of a panel with distributions."""


class LinearScale(NamedTuple):
    """A linear scale.

    Attributes:
        low, high: values at its ends.
        width: distance between its ends.
        ticks: round values between its ends.
    """

    low: float
    high: float
    width: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        return round((value - self.low) / (self.high - self.low) * self.width, 2)


def _round_step(span: float) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into two to five parts."""
    power = 10.0 ** math.floor(math.log10(span / 2))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= span / 2)


def scale_of(low: float, high: float, width: float) -> LinearScale:
    """Return a scale with round ticks."""
    step = _round_step(high - low)
    multiples = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return LinearScale(low, high, width, tuple(float(f"{multiple * step:.6g}") for multiple in multiples))


def interval_scale(values: Sequence[float], width: float, least: float) -> LinearScale:
    """Return a scale for values with a margin of at least ``least``."""
    margin = max(0.12 * (max(values) - min(values)), least)
    return scale_of(min(values) - margin, max(values) + margin, width)


def line_path(distribution: Distribution) -> str:
    """Return the steps of a cumulative distribution, from the lower left of :data:`PANEL` to the upper right."""
    width, height = PANEL
    path, previous_y = "", -1.0
    for index, level in enumerate(distribution.levels.tolist()):
        y = round(height * (1 - level), 1)
        if y != previous_y or index == POINTS:
            x = round(index * width / POINTS, 1)
            path += f"H{x:g}V{y:g}" if path else f"M{x:g} {y:g}"
            previous_y = y
    return path


class Balance(NamedTuple):
    """On how many segments a system is better than another.

    Attributes:
        better, same, worse: numbers of segments.
    """

    better: int
    same: int
    worse: int

    def parts(self, width: float) -> tuple[float, float, float]:
        """Return the widths of the parts of a bar."""
        n_segments = self.better + self.same + self.worse
        return tuple(round(count / n_segments * width, 2) for count in self)  # type: ignore[return-value]


def balance(report: Report, metric: int, first: int, second: int) -> Balance:
    """Count the segments on which the second system scores better than the first one, equally, or worse."""
    gains = report.metrics[metric].gains(first, second)
    better, worse = int((gains > EQUALITY_TOLERANCE).sum()), int((gains < -EQUALITY_TOLERANCE).sum())
    return Balance(better, len(gains) - better - worse, worse)


class Piece(NamedTuple):
    """The part of a stacked bar that belongs to a matcher."""

    matcher: int
    start: float
    width: float


def stack_contributions(report: Report, width: float) -> list[list[Piece]]:
    """Return a stacked bar per system: the contribution of each matcher to METEOR. The best score fills the width."""
    best_score = max(system.corpus.score for system in report.systems) or 1.0
    bars = []
    for system in report.systems:
        widths = [share.score / best_score * width for share in system.corpus.contributions()]
        starts = accumulate([0.0, *widths])
        pieces = enumerate(zip(starts, widths, strict=False))
        bars.append([Piece(matcher, round(start, 2), round(size, 2)) for matcher, (start, size) in pieces])
    return bars
