"""Distributions of scores, overall and by segment length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meteor_e.base import Floats
from meteor_e_report.scored import STATISTICS, Report

__all__ = ["BINS", "LENGTH_CLASSES", "Distribution", "LengthClass", "distributions"]

BINS = 20
"""Bins of a histogram over [0, 1]."""


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
    """How a number is distributed over the segments of a length class.

    Attributes:
        system: index of the system.
        shares: share of the segments in each of :data:`BINS` equal bins of [0, 1]; they add up to 1.
        mean, quartiles: of the segments; NaN where there are none.
    """

    system: int
    shares: Floats
    mean: float
    quartiles: tuple[float, float, float]


class Cell(NamedTuple):
    """The distributions of one number in one length class.

    Attributes:
        statistic: a key of :data:`~meteor_e_report.scored.STATISTICS`.
        lengths: the class.
        segments: how many there are in it.
        distributions: one a system.
    """

    statistic: str
    lengths: LengthClass
    segments: int
    distributions: tuple[Distribution, ...]


def distributions(report: Report) -> list[list[Cell]]:
    """Return a row a statistic, a cell a length class; segments with an empty reference count in the first only."""
    chosen = [
        (report.lengths >= low) & (report.lengths <= (np.inf if high is None else high))
        for _, low, high in LENGTH_CLASSES
    ]
    rows = []
    for statistic in STATISTICS:
        values = [system.values(statistic) for system in report.systems]
        rows.append(
            [
                Cell(
                    statistic,
                    lengths,
                    int(wanted.sum()),
                    tuple(_distribution(at, numbers[wanted]) for at, numbers in enumerate(values)),
                )
                for lengths, wanted in zip(LENGTH_CLASSES, chosen, strict=True)
            ]
        )
    return rows


def _distribution(system: int, values: Floats) -> Distribution:
    if not len(values):
        return Distribution(system, np.zeros(BINS), np.nan, (np.nan, np.nan, np.nan))
    # A fragmentation penalty can exceed 1, with a γ above 1; it counts in the last bin.
    counts, _ = np.histogram(np.clip(values, 0, 1), BINS, (0, 1))
    low, middle, high = (float(value) for value in np.quantile(values, (0.25, 0.5, 0.75)))
    return Distribution(system, counts / len(values), float(values.mean()), (low, middle, high))
