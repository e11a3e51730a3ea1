"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.formula import PARTS, FormulaScores
    from meteor_e.scoring.statistics import columns

__all__ = [
    "PARTS",
    "FormulaScores",
    "columns",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "formula": ["PARTS", "FormulaScores"],
        "statistics": ["columns"],
    },
)
