"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.arrays import quotient
    from meteor_e.scoring.formula import PARTS, FormulaScores, Shares, shares
    from meteor_e.scoring.statistics import StatisticsSum, as_summed, column_names, columns, width

__all__ = [
    "PARTS",
    "FormulaScores",
    "Shares",
    "StatisticsSum",
    "as_summed",
    "chunk_numbers",
    "column_names",
    "columns",
    "quotient",
    "shares",
    "width",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "alignment": ["chunk_numbers"],
        "arrays": ["quotient"],
        "formula": ["PARTS", "FormulaScores", "Shares", "shares"],
        "statistics": ["StatisticsSum", "as_summed", "column_names", "columns", "width"],
    },
)
