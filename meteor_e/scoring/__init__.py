"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.arrays import Counts, fmean, fragmentation, precision_recall, quotient, score
    from meteor_e.scoring.formula import PARTS, FormulaScores, Shares, shares
    from meteor_e.scoring.statistics import StatisticsSum, as_summed, column_names, columns, width

__all__ = [
    "PARTS",
    "Counts",
    "FormulaScores",
    "Shares",
    "StatisticsSum",
    "as_summed",
    "chunk_numbers",
    "column_names",
    "columns",
    "fmean",
    "fragmentation",
    "precision_recall",
    "quotient",
    "score",
    "shares",
    "width",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "arrays": ["Counts", "fmean", "fragmentation", "precision_recall", "quotient", "score"],
        "alignment": ["chunk_numbers"],
        "formula": ["PARTS", "FormulaScores", "Shares", "shares"],
        "statistics": ["StatisticsSum", "as_summed", "column_names", "columns", "width"],
    },
)
