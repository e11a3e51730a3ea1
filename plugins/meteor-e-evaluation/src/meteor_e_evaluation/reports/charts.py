"""The page's charts as SVG geometry: numbers only, which the template puts into elements.

SVG of our own rather than a chart library: lines, bars and intervals are a few paths each, they are there with the
first paint and without a script, and they need neither ``eval`` nor inline styles, which the page's security policy
forbids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from meteor_e_evaluation.reports.lengths import POINTS, Distribution
from meteor_e_evaluation.reports.scored import Report


class Size(NamedTuple):
    """Of a drawing, in its own units."""

    width: float
    height: float


PANEL = Size(240, 120)
"""The inside of a panel with distributions."""


class LinearScale(NamedTuple):
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


def scale_of(low: float, high: float, width: float) -> LinearScale:
    """Return a scale with round ticks."""
    step = _round_step(high - low)
    places = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return LinearScale(low, high, width, tuple(float(f"{place * step:.6g}") for place in places))


def interval_scale(values: Sequence[float], width: float, least: float) -> LinearScale:
    """Return a scale that has room for values and a margin of ``least`` or more."""
    margin = max(0.12 * (max(values) - min(values)), least)
    return scale_of(min(values) - margin, max(values) + margin, width)


def line_path(distribution: Distribution) -> str:
    """Return a distribution's steps, from the lower left of :data:`PANEL` to the upper right."""
    width, height = PANEL
    path, last = "", -1.0
    for at, level in enumerate(distribution.levels.tolist()):
        y = round(height * (1 - level), 1)
        if y != last or at == POINTS:
            x = round(at * width / POINTS, 1)
            path += f"H{x:g}V{y:g}" if path else f"M{x:g} {y:g}"
            last = y
    return path


class Balance(NamedTuple):
    """Of how many segments one system's score is better.

    Attributes:
        better, same, worse: numbers of segments.
    """

    better: int
    same: int
    worse: int

    def parts(self, width: float) -> tuple[float, float, float]:
        """Return the widths of a bar's parts."""
        whole = self.better + self.same + self.worse
        return tuple(round(part / whole * width, 2) for part in self)  # type: ignore[return-value]


def balance(report: Report, metric: int, first: int, second: int) -> Balance:
    """Count the segments of which the second system's score is better than the first one's, the same, or worse."""
    gains = report.metrics[metric].gains(first, second)
    better, worse = int((gains > 1e-12).sum()), int((gains < -1e-12).sum())
    return Balance(better, len(gains) - better - worse, worse)


class Piece(NamedTuple):
    """One matcher's piece of a stacked bar, with its start and its width."""

    matcher: int
    start: float
    width: float


def stacked(report: Report, width: float) -> list[list[Piece]]:
    """Return a stacked bar per system: what each matcher contributed to its METEOR; the best score fills the width."""
    best = max(system.corpus.score for system in report.systems) or 1.0
    bars = []
    for system in report.systems:
        sizes = [share.score / best * width for share in system.corpus.contributions()]
        places = zip(accumulate([0.0, *sizes]), sizes, strict=False)
        bars.append([Piece(at, round(start, 2), round(size, 2)) for at, (start, size) in enumerate(places)])
    return bars
