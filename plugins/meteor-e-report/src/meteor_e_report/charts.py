"""The page's charts as SVG geometry: numbers only, which the template puts into elements.

SVG of our own rather than a chart library: histograms, bars and intervals are some paths each, they are there with the
first paint and without a script, and they need neither ``eval`` nor inline styles, which the page's security policy
forbids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from meteor_e_report.lengths import BINS, Cell
from meteor_e_report.scored import Report

__all__ = ["HISTOGRAM", "Scale", "histogram_paths", "interval_scale", "stacked"]


class Size(NamedTuple):
    """Of a drawing, in its own units."""

    width: float
    height: float


HISTOGRAM = Size(200, 88)


class Scale(NamedTuple):
    """A linear scale.

    Attributes:
        low, high: the values at its ends.
        width: from end to end.
        ticks: round values between them.
    """

    low: float
    high: float
    width: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return where a value lies."""
        return round((value - self.low) / (self.high - self.low) * self.width, 2)


def _round_step(span: float) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into two to five parts."""
    power = 10.0 ** math.floor(math.log10(span / 2))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= span / 2)


def interval_scale(values: Sequence[float], width: float) -> Scale:
    """Return a scale that has room for values in [0, 1] and a margin, but is never finer than a few thousandths."""
    low, high = min(values), max(values)
    margin = max(0.15 * (high - low), 0.004)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    step = _round_step(high - low)
    first = math.ceil(low / step - 1e-9)
    ticks = []
    while first * step <= high + 1e-9:
        ticks.append(round(first * step, 6))
        first += 1
    return Scale(low, high, width, tuple(ticks))


def histogram_paths(cell: Cell) -> list[str]:
    """Return an outline a system, from the left to the right of :data:`HISTOGRAM`; all share the scale of heights."""
    top = max(float(distribution.shares.max()) for distribution in cell.distributions) or 1.0
    width, height = HISTOGRAM
    step = width / BINS
    paths = []
    for distribution in cell.distributions:
        levels = [round(height - float(share) / top * (height - 6), 1) for share in distribution.shares]
        path, last = f"M0 {height:g}", height
        for at, level in enumerate(levels):
            if level != last:
                path += f"V{level:g}"
            path += f"H{(at + 1) * step:g}"
            last = level
        paths.append(path + f"V{height:g}")
    return paths


class Part(NamedTuple):
    """One matcher's piece of a stacked bar.

    Attributes:
        matcher: its index.
        start, width: of the piece.
    """

    matcher: int
    start: float
    width: float


def stacked(report: Report, width: float) -> list[list[Part]]:
    """Return a stacked bar a system: what each matcher contributed to its score; the best score fills the width."""
    best = max(system.corpus.score for system in report.systems) or 1.0
    bars = []
    for system in report.systems:
        start, parts = 0.0, []
        for at, share in enumerate(system.corpus.contributions()):
            size = share.score / best * width
            parts.append(Part(at, round(start, 2), round(size, 2)))
            start += size
        bars.append(parts)
    return bars
