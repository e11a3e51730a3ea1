"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.scoring.arrays import Counts, fmean, fragmentation, precision_recall, score
    from meteor_e.scoring.statistics import as_summed, columns

__all__ = [
    "Counts",
    "as_summed",
    "columns",
    "fmean",
    "fragmentation",
    "precision_recall",
    "score",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "arrays": ["Counts", "fmean", "fragmentation", "precision_recall", "score"],
        "statistics": ["as_summed", "columns"],
    },
)
