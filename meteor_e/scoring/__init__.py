"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.arrays import Counts, fmean, fragmentation, precision_recall, score
    from meteor_e.scoring.formula import PARTS
    from meteor_e.scoring.statistics import StatisticsSum, as_summed, columns

__all__ = [
    "PARTS",
    "Counts",
    "StatisticsSum",
    "as_summed",
    "chunk_numbers",
    "columns",
    "fmean",
    "fragmentation",
    "precision_recall",
    "score",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "alignment": ["chunk_numbers"],
        "arrays": ["Counts", "fmean", "fragmentation", "precision_recall", "score"],
        "formula": ["PARTS"],
        "statistics": ["StatisticsSum", "as_summed", "columns"],
    },
)
