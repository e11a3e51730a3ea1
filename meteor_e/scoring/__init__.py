"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import chunk_numbers
    from meteor_e.scoring.formula import PARTS, FormulaScores
    from meteor_e.scoring.statistics import StatisticsSum, as_summed, column_names, columns, width

__all__ = ["PARTS", "FormulaScores", "StatisticsSum", "as_summed", "chunk_numbers", "column_names", "columns", "width"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "alignment": ["chunk_numbers"],
        "formula": ["FormulaScores", "PARTS"],
        "statistics": ["StatisticsSum", "as_summed", "column_names", "columns", "width"],
    },
)
