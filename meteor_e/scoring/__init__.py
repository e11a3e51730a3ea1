"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.arrays import quotient
    from meteor_e.scoring.formula import PARTS, FormulaScores, Shares, shares
    from meteor_e.scoring.statistics import StatisticsSum, columns

__all__ = ["PARTS", "FormulaScores", "Shares", "StatisticsSum", "chunk_numbers", "columns", "quotient", "shares"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "alignment": ["chunk_numbers"],
        "arrays": ["quotient"],
        "formula": ["PARTS", "FormulaScores", "Shares", "shares"],
        "statistics": ["StatisticsSum", "columns"],
    },
)
