"""Checks test sets and scores, and warns if the judgments seem to belong to other outputs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.metrics import Scores
from meteor_e_evaluation import kendall
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.judgments import Rankings
from meteor_e_evaluation.system_measures import find_compared_systems
from meteor_e_evaluation.test_set import TestSet

IDENTICAL_OUTPUTS_LIMIT = 0.2
"""Proportion of pairs of identical outputs with different ranks above which a warning is issued.

Annotators sometimes rank identical texts differently, but rarely.
"""

MIN_IDENTICAL_PAIRS = 5
MIN_PAIRS = 200
MIN_SYSTEMS = 5
NEAR_ZERO_CORRELATION = 0.05


def check_test_set(test: TestSet) -> list[str]:
    """Return messages about a test set, such as notes on left-out judgments and warnings about empty outputs."""
    return [*test.notes, *_check_identical_outputs(test), *_check_empty_outputs(test)]


def _check_identical_outputs(test: TestSet) -> list[str]:
    """Return a message if annotators ranked identical outputs differently.

    The returned message begins with "warning:" if ties were allowed, but many pairs of identical outputs have different
    ranks.
    """
    if test.rankings is None:
        return []
    is_tie = test.rankings.ties
    is_identical = _find_identical_outputs(test, test.rankings)  # One value per comparison.
    n_identical = int(is_identical.sum())
    n_ranked_differently = int((is_identical & ~is_tie).sum())
    if n_ranked_differently == 0:
        return []
    message = f"{n_ranked_differently} of {n_identical} pairs of identical outputs have different ranks"
    # If ties were not allowed, annotators had to give different ranks even to identical outputs.
    allows_ties = is_tie.any()
    has_enough_pairs = n_identical >= MIN_IDENTICAL_PAIRS
    differs_often = n_ranked_differently > IDENTICAL_OUTPUTS_LIMIT * n_identical
    if allows_ties and has_enough_pairs and differs_often:
        message = f"warning: {message}; are the judgments shifted against the outputs?"
    return [message]


def _find_identical_outputs(test: TestSet, rankings: Rankings) -> NDArray[np.bool_]:
    """Return a mask of the comparisons in which the two systems have the same output."""
    is_identical = []
    compared_outputs = zip(rankings.better.tolist(), rankings.worse.tolist(), rankings.segments.tolist(), strict=True)
    for better, worse, segment in compared_outputs:
        is_identical.append(test.outputs[better][segment] == test.outputs[worse][segment])
    return np.array(is_identical, bool)


def _check_empty_outputs(test: TestSet) -> list[str]:
    """Return a message for each system whose judged outputs include empty texts."""
    messages = []
    for system, segments, is_judged in zip(test.systems, test.outputs, test.judgment_mask(), strict=True):
        judged_segments = [segments[index] for index in np.flatnonzero(is_judged)]
        n_empty = sum(not segment.strip() for segment in judged_segments)
        if n_empty:
            messages.append(f"{system}: {n_empty} judged segments are empty")
    return messages


def check_scores(test: TestSet, scores: Scores) -> list[str]:
    """Return warnings about a metric that does not correlate with human judgments.

    A correlation near 0 suggests that judgments were assigned to the wrong segments. A negative correlation suggests
    that the metric counts errors.
    """
    agreement = _segment_agreement(test, scores)
    if math.isnan(agreement):
        # Without enough segment scores and judgments, only system scores can be compared with human scores.
        agreement = _system_agreement(test, scores)
    elif abs(agreement) <= NEAR_ZERO_CORRELATION:
        message = f"{scores.name} does not correlate with human judgments ({agreement:.3f})"
        return [f"warning: {message}; are the judgments shifted against the outputs of {test.pair}?"]
    if agreement < -NEAR_ZERO_CORRELATION:
        message = f"{scores.name} correlates negatively with human judgments ({agreement:.3f})"
        return [f"warning: {message}; if it counts errors, negate it, as in scores:-FILE"]
    return []


def _segment_agreement(test: TestSet, scores: Scores) -> float:
    """Return the correlation of segment scores with human judgments, or NaN if there are too few judgments."""
    if np.isnan(scores.segments).all():
        return math.nan
    if test.assessments is not None and len(test.assessments) >= MIN_PAIRS:
        ratings = test.assessments
        metric_scores = scores.segments[ratings.systems, ratings.segments]
        is_scored = ~np.isnan(metric_scores)
        return correlate(metric_scores[is_scored], ratings.scores[is_scored])
    if test.rankings is not None and len(test.rankings) >= MIN_PAIRS:
        pair_counts = kendall.count_pairs(test.rankings, scores.segments)
        return float(kendall.tau(pair_counts, "wmt13"))
    return math.nan


def _system_agreement(test: TestSet, scores: Scores) -> float:
    """Return the correlation of system scores with human scores, or NaN if there are too few systems."""
    indices, human_scores = find_compared_systems(test)
    metric_scores = scores.systems[indices]
    if len(indices) < MIN_SYSTEMS or np.isnan(metric_scores).any():
        return math.nan
    return correlate(metric_scores, human_scores)
