"""Computes coefficients of agreement between metric scores and human scores within each segment.

Scores are matrices ``(systems, segments)``, with NaN for outputs without human scores.

Each function returns one coefficient per segment, or NaN for segments in which the coefficient is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers


def system_pairs(n_systems: int) -> tuple[Integers, Integers]:
    """Return all pairs of systems, as an array of first systems and an array of second systems."""
    first, second = np.triu_indices(n_systems, 1)
    return first, second


def divide_or_nan(numerators: Floats | Integers | float, denominators: Floats | Integers | float) -> Floats:
    """Divide two arrays or numbers, with NaN as the result where the denominator is not positive."""
    quotients = np.full(np.broadcast(numerators, denominators).shape, np.nan)
    np.divide(numerators, denominators, out=quotients, where=denominators > 0)
    return quotients


def sum_by_cell(cell_index: tuple[Integers, ...], values: NDArray[Any], shape: tuple[int, ...]) -> Floats:
    """Return an array in which each cell contains the sum of the values that are assigned to the cell.

    The result equals that of ``numpy.add.at`` on an array of zeros, which is slower.

    Args:
        cell_index: for each axis of the result, the index of each value. The arrays are broadcast to a common shape.
        values: the values.
        shape: shape of the result.
    """
    flat_index = np.ravel_multi_index(cell_index, shape).ravel()
    sums = np.bincount(flat_index, values.ravel(), math.prod(shape))
    return np.asarray(sums.reshape(shape), float)


@dataclass(frozen=True)
class RatedPairs:
    """All pairs of systems, with the human preference between the two systems on each segment.

    Attributes:
        first, second: indices of the two systems of each pair, ``(pairs,)``.
        is_rated: whether both systems of a pair have a human score, ``(pairs, segments)``.
        human_signs: sign of the difference of the human scores, ``(pairs, segments)``. It is 0 for ties and for unrated
            pairs.
    """

    first: Integers
    second: Integers
    is_rated: NDArray[np.bool_]
    human_signs: Floats

    @classmethod
    def from_human_scores(cls, human_scores: Floats) -> RatedPairs:
        """Compare the human scores of all pairs of systems on each segment."""
        first, second = system_pairs(len(human_scores))
        rated = ~np.isnan(human_scores)
        is_rated = rated[first] & rated[second]
        human_signs = np.where(is_rated, np.sign(human_scores[first] - human_scores[second]), 0.0)
        return cls(first, second, is_rated, human_signs)

    def metric_signs(self, metric_scores: Floats) -> Floats:
        """Return the sign of the score difference between the systems of each pair on each segment.

        Returns:
            An array ``(pairs, segments)`` with 0 for ties and for unrated pairs.
        """
        differences = metric_scores[self.first] - metric_scores[self.second]
        return np.where(self.is_rated, np.sign(differences), 0.0)

    def count(self) -> Integers:
        """Count the pairs of rated systems on each segment."""
        return np.asarray(self.is_rated.sum(axis=0))

    def count_ties(self, signs: Floats) -> Integers:
        """Count the tied pairs of rated systems on each segment."""
        return np.asarray((self.is_rated & (signs == 0)).sum(axis=0))


def kendall_tau_b(pairs: RatedPairs, metric_scores: Floats) -> Floats:
    """Return Kendall's τ-b of each segment."""
    metric_signs = pairs.metric_signs(metric_scores)
    concordant_minus_discordant = (metric_signs * pairs.human_signs).sum(axis=0)
    untied_by_metric = pairs.count() - pairs.count_ties(metric_signs)
    untied_by_humans = pairs.count() - pairs.count_ties(pairs.human_signs)
    normalizer = np.sqrt(untied_by_metric * untied_by_humans.astype(float))
    return divide_or_nan(concordant_minus_discordant, normalizer)


def pairwise_accuracy(pairs: RatedPairs, metric_scores: Floats) -> Floats:
    """Return, for each segment, the proportion of pairs of systems on which metric and annotators agree."""
    metric_signs = pairs.metric_signs(metric_scores)
    agreements = (pairs.is_rated & (metric_signs == pairs.human_signs)).sum(axis=0)
    return divide_or_nan(agreements, pairs.count())


def pearson(human_scores: Floats, metric_scores: Floats) -> Floats:
    """Return Pearson's correlation over rated systems, for each segment."""
    rated = ~np.isnan(human_scores)
    human_deviations = _center_rated(human_scores, rated)
    metric_deviations = _center_rated(metric_scores, rated)
    covariance = (human_deviations * metric_deviations).sum(axis=0)
    normalizer = np.sqrt((human_deviations**2).sum(axis=0) * (metric_deviations**2).sum(axis=0))
    is_defined = _varies(human_scores, rated) & _varies(metric_scores, rated)
    return divide_or_nan(covariance, np.where(is_defined, normalizer, 0.0))


def rank_within_segments(scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """Rank the rated systems of each segment, starting from 1.

    Systems with equal scores share their mean rank. The rank of an unrated system is NaN.
    """
    with np.errstate(invalid="ignore"):
        n_lower = ((scores[:, None] > scores[None]) & rated[None]).sum(axis=1)
        n_equal = ((scores[:, None] == scores[None]) & rated[None]).sum(axis=1)
    return np.where(rated, n_lower + (n_equal + 1) / 2, np.nan)


def make_segment_coefficient_function(name: str, human_scores: Floats) -> Callable[[Floats], Floats]:
    """Return a function that takes metric scores and computes a coefficient for each segment.

    The human scores are prepared only once, because a permutation test calls the function thousands of times.

    Args:
        name: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``acc`` (pairwise accuracy with ties).
        human_scores: human scores, ``(systems, segments)``.
    """
    if name in ("kendall", "acc"):
        pairs = RatedPairs.from_human_scores(human_scores)
        compute_coefficients = kendall_tau_b if name == "kendall" else pairwise_accuracy
        return lambda metric_scores: compute_coefficients(pairs, metric_scores)
    if name == "pearson":
        return lambda metric_scores: pearson(human_scores, metric_scores)
    if name == "spearman":
        rated = ~np.isnan(human_scores)
        human_ranks = rank_within_segments(human_scores, rated)
        return lambda metric_scores: pearson(human_ranks, rank_within_segments(metric_scores, rated))
    raise ValueError(f"unknown coefficient {name!r}")


def _center_rated(scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """Subtract the mean score of rated systems from the scores of each segment.

    The result is 0 for systems without a rating.
    """
    means = np.where(rated, scores, 0.0).sum(axis=0) / np.maximum(rated.sum(axis=0), 1)
    return np.where(rated, scores - means, 0.0)


def _varies(scores: Floats, rated: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the segments on which the rated systems do not all have the same score."""
    highest = np.where(rated, scores, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(rated, scores, np.inf).min(axis=0, initial=np.inf)
    return np.asarray(highest > lowest)
