"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.formula import PARTS, FormulaScores
    from meteor_e.scoring.statistics import StatisticsSum, columns

__all__ = ["PARTS", "FormulaScores", "StatisticsSum", "chunk_numbers", "columns"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "alignment": ["chunk_numbers"],
        "formula": ["PARTS", "FormulaScores"],
        "statistics": ["StatisticsSum", "columns"],
    },
)
