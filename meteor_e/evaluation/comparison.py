"""Is one metric better than another? Williams' test for correlations, permutation of scores for pairwise measures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from meteor_e.api.metrics import Scores
from meteor_e.evaluation import kendall
from meteor_e.evaluation.correlation import williams_matrix
from meteor_e.evaluation.data import TestSet
from meteor_e.evaluation.extras import require
from meteor_e.evaluation.judgements import Floats
from meteor_e.evaluation.measures import (
    Measure,
    PairMeasure,
    SegmentCorrelation,
    SystemCorrelation,
    human_system_scores,
    pairs_of,
)
from meteor_e.evaluation.resampling import permutation_p, random_signs

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """One-sided tests of every metric against every other.

    Attributes:
        test: what was done.
        names: the metrics.
        p: ``(metrics, metrics)``: probability of such an advantage of the row over the column if there is none.
    """

    test: str
    names: tuple[str, ...]
    p: Floats


def compare(measure: Measure, test: TestSet, scores: list[Scores], *, samples: int, seed: int) -> Comparison | None:
    """Test metrics against one another.

    Correlations go through Williams' test (Spearman's on ranks); pairwise measures through a permutation test, in
    which the two metrics' scores are exchanged at random, a segment at a time. ``None`` where no test fits.

    Args:
        measure: what the metrics are compared by.
        test: the test set.
        scores: of the metrics.
        samples: of the permutation test.
        seed: of the permutation test.
    """
    names = tuple(entry.name for entry in scores)
    if len(scores) < 2:
        return None
    if isinstance(measure, PairMeasure):
        return _permute(measure, test, scores, names, samples, seed)
    rows = _rows(measure, test, scores)
    if rows is None:
        return None
    metrics, human = rows
    if measure.kind == "spearman":  # type: ignore[attr-defined]
        stats = require("scipy.stats", "this test")
        metrics, human = np.array([stats.rankdata(row) for row in metrics]), stats.rankdata(human)
    return Comparison("Williams' test", names, williams_matrix(metrics, human))


def _rows(measure: Measure, test: TestSet, scores: list[Scores]) -> tuple[Floats, Floats] | None:
    """Return the metrics' numbers and people's, row by row."""
    if isinstance(measure, SegmentCorrelation) and test.assessments is not None:
        given = test.assessments
        return np.array([entry.segments[given.systems, given.segments] for entry in scores]), given.scores
    if isinstance(measure, SystemCorrelation) and measure.kind in ("pearson", "spearman"):
        human = human_system_scores(test)
        known = [row for row, name in enumerate(test.systems) if name in human]
        metrics = np.array([entry.systems[known] for entry in scores])
        if len(known) >= 4 and not np.isnan(metrics).any():
            return metrics, np.array([human[test.systems[row]] for row in known])
    return None


def _permute(
    measure: PairMeasure, test: TestSet, scores: list[Scores], names: tuple[str, ...], samples: int, seed: int
) -> Comparison | None:
    rankings = pairs_of(test)
    if rankings is None or not len(rankings):
        return None
    judged, segment = np.unique(rankings.segments, return_inverse=True)
    counts = []
    for entry in scores:
        kinds = kendall.outcomes(kendall.pair_differences(rankings, entry.segments), rankings.ties)
        counts.append(np.bincount(segment * 5 + kinds, minlength=5 * len(judged)).reshape(-1, 5).astype(float))
    totals = [entry.sum(axis=0) for entry in counts]
    extreme = np.zeros((len(scores), len(scores)), int)

    def difference(first: Floats, second: Floats) -> Floats:
        values = [np.asarray(kendall.tau(kendall.PairCounts(*part.T), measure.variant)) for part in (first, second)]
        result: Floats = values[0] - values[1]
        return result

    upper = list(zip(*np.triu_indices(len(scores), 1), strict=True))
    observed = {pair: difference(totals[pair[0]], totals[pair[1]]) for pair in upper}
    for exchanged in random_signs(len(judged), samples, seed):
        mask = exchanged.astype(float)
        for first, second in upper:
            moved = mask @ (counts[second] - counts[first])
            sample = difference(totals[first] + moved, totals[second] - moved)
            # A hair of slack, so that samples equal to what was observed count in spite of rounding.
            extreme[first, second] += int((sample >= observed[first, second] - 1e-12).sum())
            extreme[second, first] += int((-sample >= -observed[first, second] - 1e-12).sum())
    p = np.full(extreme.shape, math.nan)
    for first, second in upper:
        p[first, second] = permutation_p(int(extreme[first, second]), samples)
        p[second, first] = permutation_p(int(extreme[second, first]), samples)
    return Comparison(f"permutation test ({samples} samples, seed {seed})", names, p)
