"""Does a test set look lined up? Warnings about judgments that seem to belong to other outputs."""

from __future__ import annotations

import math

import numpy as np

from meteor_e.api.metrics import Scores
from meteor_e_evaluation import kendall
from meteor_e_evaluation.correlation import correlate
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.measures import ranked_rows

IDENTICAL_SHARE = 0.2
"""Share of judged pairs of identical outputs that people may rank differently before we warn: they disagree on
identical texts at times, but rarely."""
LEAST_IDENTICAL = 5
NEAR_ZERO = 0.05
LEAST_PAIRS = 200
LEAST_SYSTEMS = 5


def check_test_set(test: TestSet) -> list[str]:
    """Return warnings about judgments and outputs of a test set; what was left out comes first."""
    return [*test.notes, *_identical_outputs(test), *_empty_outputs(test)]


def _identical_outputs(test: TestSet) -> list[str]:
    if test.rankings is None:
        return []
    rankings, outputs = test.rankings, test.outputs
    rows = zip(rankings.better.tolist(), rankings.worse.tolist(), rankings.segments.tolist(), strict=True)
    same = np.array([outputs[better][at] == outputs[worse][at] for better, worse, at in rows], bool)
    identical, differing = int(same.sum()), int((same & ~rankings.ties).sum())
    if not differing:
        return []
    message = f"{differing} of {identical} pairs of identical outputs have different ranks"
    suspicious = identical >= LEAST_IDENTICAL and differing > IDENTICAL_SHARE * identical
    if not rankings.ties.any() or not suspicious:
        return [message]
    return [f"warning: {message}; are the judgments shifted against the outputs?"]


def _empty_outputs(test: TestSet) -> list[str]:
    cells = test.judged()
    found = []
    for row, system in enumerate(test.systems):
        empty = sum(1 for at in np.flatnonzero(cells[row]) if not test.outputs[row][at].strip())
        if empty:
            found.append(f"{system}: {empty} judged segments are empty")
    return found


def check_scores(test: TestSet, scores: Scores) -> list[str]:
    """Return warnings about a metric that does not agree with people.

    For each pair with at least 200 judgments, the correlation (Pearson's, or τ over untied pairs) must exceed
    0.05 in amount; else judgments and outputs may be shifted. A negative correlation, also of systems' scores,
    suggests that the metric counts errors.
    """
    value = _agreement(test, scores)
    if not math.isnan(value) and abs(value) <= NEAR_ZERO:
        shifted = f"are the judgments shifted against the outputs of {test.pair}?"
        return [f"warning: {scores.name} and people do not correlate ({value:.3f}); {shifted}"]
    if math.isnan(value):
        value = _system_agreement(test, scores)
    if value < -NEAR_ZERO:
        negative = f"correlates negatively with people ({value:.3f})"
        return [f"warning: {scores.name} {negative}; if it counts errors, negate it, as in scores:-FILE"]
    return []


def _agreement(test: TestSet, scores: Scores) -> float:
    """Return how scores of segments agree with people's; NaN where too few were judged, or have scores."""
    if np.isnan(scores.segments).all():
        return math.nan
    if test.assessments is not None and len(test.assessments) >= LEAST_PAIRS:
        given = test.assessments
        metric = scores.segments[given.systems, given.segments]
        known = ~np.isnan(metric)
        return correlate(metric[known], given.scores[known])
    if test.rankings is not None and len(test.rankings) >= LEAST_PAIRS:
        return float(kendall.tau(kendall.count_pairs(test.rankings, scores.segments), "wmt13"))
    return math.nan


def _system_agreement(test: TestSet, scores: Scores) -> float:
    rows, human = ranked_rows(test)
    metric = scores.systems[rows]
    return math.nan if len(rows) < LEAST_SYSTEMS or np.isnan(metric).any() else correlate(metric, human)
