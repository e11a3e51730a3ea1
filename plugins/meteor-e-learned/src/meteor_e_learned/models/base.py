"""Correlation of an estimator's decisions and scores with human judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from meteor_e.api import Estimator, Examples
from meteor_e.base.array_cache import Floats

SYNTHETIC = "synthetic"
"""First word in the titles of synthetic comparisons. It is also the key for such comparisons in a recipe."""


def strict_tau(differences: Floats) -> float:
    """Return Kendall's τ of pairwise decisions. As in the WMT12 shared task, ties count as wrong decisions.

    Args:
        differences: the score of the better hypothesis minus the score of the worse hypothesis, ``(pairs,)``.
    """
    if not len(differences):
        return float("nan")
    return float(2 * np.mean(differences > 0) - 1)


def measure_taus(estimator: Estimator, examples: Examples) -> dict[str, float]:
    """Return Kendall's τ with human judgments for each test set that contains comparisons.

    The result is empty if the estimator does not learn from comparisons.
    """
    if estimator.task != "pairs" or not len(examples.better):
        return {}
    decisions = estimator.decisions(examples)
    decisions_by_title = {title: decisions[examples.part == part] for part, title in enumerate(examples.title)}
    return {title: strict_tau(differences) for title, differences in decisions_by_title.items() if len(differences)}


def measure_agreement(estimator: Estimator, examples: Examples, validation: Examples | None) -> dict[str, Any]:
    """Return a trained estimator's correlations with human judgments, for the model card.

    Args:
        estimator: the trained estimator.
        examples: the training examples.
        validation: the validation examples, if there are any.
    """
    correlations: dict[str, Any] = {}
    training_taus = measure_taus(estimator, examples)
    if training_taus:
        correlations["training tau"] = float(np.mean(list(training_taus.values())))
    if validation is not None:
        correlations |= _measure_validation(estimator, validation)
    return correlations


def _measure_validation(estimator: Estimator, validation: Examples) -> dict[str, float]:
    """Return an estimator's correlations with human judgments on each set of validation examples."""
    taus = measure_taus(estimator, validation)
    correlations = {f"validation tau {title}": tau for title, tau in taus.items()}
    if not estimator.compares_only and not estimator.needs_texts:
        correlations |= score_correlations(estimator, validation)
    return correlations


def score_correlations(estimator: Estimator, validation: Examples) -> dict[str, float]:
    """Return Pearson's correlation with human scores for each test set that contains human scores."""
    if np.isnan(validation.scores).all():
        return {}
    correlations = {}
    scores = estimator.score_segments(validation.features)
    for part, title in enumerate(validation.title):
        is_scored = (validation.hypothesis_part == part) & ~np.isnan(validation.scores)
        if is_scored.any():
            correlations[f"validation pearson {title}"] = pearson(scores[is_scored], validation.scores[is_scored])
    return correlations


def pearson(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation of two arrays, or NaN if one of the arrays is constant."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
