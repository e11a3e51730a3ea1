"""Agreement of an estimator's decisions and scores with people's."""

from __future__ import annotations

from typing import Any

import numpy as np

from meteor_e.api import Estimator, Examples
from meteor_e.base.array_cache import Floats

SYNTHETIC = "made"
"""First word of the titles of synthetic comparisons; the recipe's key."""


def strict_tau(differences: Floats) -> float:
    """Return Kendall's τ of pairs, of which each has the better hypothesis first; ties are wrong (WMT12).

    Args:
        differences: score of the better less score of the worse, ``(pairs,)``.
    """
    if not len(differences):
        return float("nan")
    return float(2 * np.mean(differences > 0) - 1)


def pair_taus(estimator: Estimator, examples: Examples) -> dict[str, float]:
    """Return the strict τ of an estimator's decisions on each test set; NaN where there are no comparisons."""
    if not len(examples.better):
        return dict.fromkeys(examples.title, float("nan"))
    found = estimator.decisions(examples)
    return {title: strict_tau(found[examples.part == place]) for place, title in enumerate(examples.title)}


def agreement(estimator: Estimator, examples: Examples, held: Examples | None) -> dict[str, Any]:
    """Return the figures of every trained estimator: τ of comparisons, Pearson's correlation with scores.

    Args:
        estimator: trained.
        examples: that it learned from.
        held: that it is validated with; ``None`` for none.
    """
    figures: dict[str, Any] = {}
    if estimator.task == "pairs":
        taus = [tau for tau in pair_taus(estimator, examples).values() if not np.isnan(tau)]
        figures |= {"training tau": float(np.mean(taus))} if taus else {}
        if held is not None:
            taus_held = pair_taus(estimator, held)
            figures |= {f"validation tau {title}": tau for title, tau in taus_held.items() if not np.isnan(tau)}
    if held is not None and not (estimator.compares_only or estimator.needs_texts):
        figures |= pearsons(estimator, held)
    return figures


def pearsons(estimator: Estimator, held: Examples) -> dict[str, float]:
    """Return the correlation of an estimator's scores with human ones on each test set that has such."""
    figures: dict[str, float] = {}
    if np.isnan(held.scores).all():
        return figures
    scores = estimator.score_segments(held.features)
    for place, title in enumerate(held.title):
        rows = (held.hypothesis_part == place) & ~np.isnan(held.scores)
        if rows.any():
            figures[f"validation pearson {title}"] = pearson(scores[rows], held.scores[rows])
    return figures


def pearson(one: Floats, other: Floats) -> float:
    """Return Pearson's correlation; NaN where one side does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
