"""Agreement of two matrices of scores, by groups of cells: all at once, by segment, or by system.

A matrix is ``(systems, segments)``; NaN in people's marks a cell that nobody rated. Every function here prepares
people's side once and returns a function of the metric's, because a permutation test asks thousands of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.measures import Agreement
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.significance.resampling import SLACK
from meteor_e_evaluation.correlation import correlate

Grouping: TypeAlias = Literal["none", "item", "sys"]
"""Groups of cells that are compared with one another: all, those of a segment, those of a system."""


def grouped(kind: str, grouping: Grouping, human: Floats, weights: Floats | None = None) -> Agreement:
    """Return the agreement of a kind by groups, averaged over the groups in which it is defined.

    Args:
        kind: ``pearson``, ``spearman``, ``kendall`` (τ-b) or ``acc`` (pairwise accuracy in which ties count).
        grouping: the groups.
        human: people's scores, ``(systems, segments)``.
        weights: how often each segment counts, for segments as groups; by default once.

    Returns:
        A function of the metric's scores. A group with fewer than two ratings is left out, and so is one in which
        either side does not vary (except for ``acc``). NaN where no group is left.
    """
    values = group_values(kind, grouping, human)

    def agreement(metric: Floats) -> float:
        found = values(metric)
        defined = ~np.isnan(found)
        if weights is None or grouping != "item":
            return float(found[defined].mean()) if defined.any() else math.nan
        total = float(weights[defined].sum())
        return float(weights[defined] @ found[defined]) / total if total else math.nan

    return agreement


def group_values(kind: str, grouping: Grouping, human: Floats) -> Callable[[Floats], Floats]:
    """Return the agreement in each group as a function of the metric's scores; NaN where it is not defined."""
    if grouping == "item":
        return _by_segment(kind, human)
    rows = [np.flatnonzero(~np.isnan(row)) for row in ([human.ravel()] if grouping == "none" else human)]
    people = [row[known] for row, known in zip([human.ravel()] if grouping == "none" else human, rows, strict=True)]

    def values(metric: Floats) -> Floats:
        sides = [metric.ravel()] if grouping == "none" else metric
        return np.array([_agree(kind, side[known], own) for side, known, own in zip(sides, rows, people, strict=True)])

    return values


def _agree(kind: str, metric: Floats, human: Floats) -> float:
    if len(metric) < 2:
        return math.nan
    if kind == "acc":
        return accuracy_with_ties(metric, human)
    return correlate(metric, human, kind)


def _tied_pairs(*rows: Floats) -> int:
    """Return the number of pairs of places at which all rows have equal values."""
    order = np.lexsort(rows)
    new = np.logical_or.reduce([np.diff(row[order]) != 0 for row in rows])
    counts = np.diff(np.flatnonzero(np.r_[True, new, True])).astype(np.int64)
    result: int = (counts * (counts - 1) // 2).sum()
    return int(result)


def accuracy_with_ties(metric: Floats, human: Floats) -> float:
    """Return the share of pairs that both sides order alike or that both tie, in ``O(n log n)``."""
    count = len(metric)
    pairs = count * (count - 1) // 2
    if not pairs:
        return math.nan
    of_metric, of_human, of_both = _tied_pairs(metric), _tied_pairs(human), _tied_pairs(metric, human)
    untied = pairs - of_metric - of_human + of_both
    if of_metric == pairs or of_human == pairs:
        return of_both / pairs
    from scipy import stats

    tau = float(stats.kendalltau(metric, human).statistic)
    difference = round(tau * math.sqrt(float(pairs - of_metric) * float(pairs - of_human)))
    return ((untied + difference) // 2 + of_both) / pairs


def pairs_of_systems(count: int) -> tuple[Integers, Integers]:
    """Return all pairs of systems, each once."""
    first, second = np.triu_indices(count, 1)
    return first, second


def _by_segment(kind: str, human: Floats) -> Callable[[Floats], Floats]:
    known = ~np.isnan(human)
    counts = known.sum(axis=0)
    first, second = pairs_of_systems(len(human))
    both = known[first] & known[second]
    pairs = both.sum(axis=0)
    with np.errstate(invalid="ignore"):
        signs = np.where(both, np.sign(human[first] - human[second]), 0.0)
    human_ties = (both & (signs == 0)).sum(axis=0)

    def ratio(values: Floats, size: Floats, defined: NDArray[np.bool_]) -> Floats:
        result = np.full(len(size), np.nan)
        np.divide(values, size, out=result, where=defined)
        return result

    def ranks(scores: Floats) -> Floats:
        """Rank the known cells of each segment, equal ones by their mean."""
        with np.errstate(invalid="ignore"):
            below = (scores[:, None] > scores[None]) & known[None]
            equal = (scores[:, None] == scores[None]) & known[None]
        result: Floats = below.sum(axis=1) + (equal.sum(axis=1) + 1) / 2
        return result

    def centered(scores: Floats) -> Floats:
        filled = np.where(known, scores, 0.0)
        means = filled.sum(axis=0) / np.maximum(counts, 1)
        result: Floats = np.where(known, scores - means, 0.0)
        return result

    of_people = centered(ranks(human) if kind == "spearman" else human)
    human_varies = (counts > 1) & (human_ties < pairs)

    def values(metric: Floats) -> Floats:
        # A cell without a rating has no part in anything, whatever the metric says of it.
        differences = metric[first] - metric[second]
        if kind in ("kendall", "acc"):
            own = np.where(both, np.sign(differences), 0.0)
            agree = (own * signs).sum(axis=0)
            metric_ties = (both & (own == 0)).sum(axis=0)
            if kind == "acc":
                tied = (both & (own == 0) & (signs == 0)).sum(axis=0)
                right = ((own * signs) > 0).sum(axis=0) + tied
                return ratio(right, pairs, pairs > 0)
            size = np.sqrt((pairs - metric_ties) * (pairs - human_ties).astype(float))
            return ratio(agree, size, size > 0)
        varies = human_varies & (both & (differences != 0)).any(axis=0)
        of_metric = centered(ranks(metric) if kind == "spearman" else metric)
        size = np.sqrt((of_metric**2).sum(axis=0) * (of_people**2).sum(axis=0))
        return ratio((of_metric * of_people).sum(axis=0), size, varies & (size > 0))

    return values


PERMUTATIONS = 1000


def _differences(scores: Floats, human: Floats) -> Floats:
    """Return differences of every two systems, ``(segments, pairs)``; 0 where people did not rate both."""
    first, second = pairs_of_systems(len(scores))
    rated = ~np.isnan(human)
    both = rated[first] & rated[second]
    with np.errstate(invalid="ignore"):
        return np.where(both, scores[first] - scores[second], 0.0).T


def soft_accuracy(human: Floats, metric: Floats, *, seed: int, permutations: int = PERMUTATIONS) -> float:
    """Compute SPA.

    p is the share of permutations whose sum of differences reaches the observed one; a permutation turns the signs
    of segments' differences at random.

    Args:
        human: people's scores, ``(systems, segments)``; NaN where there is none. A pair of systems is compared on the
            segments for which both were rated.
        metric: the metric's scores, without NaN in rated cells.
        seed: of the permutations, which both sides share.
        permutations: number of permutations.

    Returns:
        A number in [0, 1]; NaN for fewer than two systems.
    """
    if len(human) < 2:
        return math.nan
    sides = [_differences(human, human), _differences(metric, human)]
    observed = [side.sum(axis=0) for side in sides]
    random = np.random.default_rng(seed)
    reached = [np.zeros(len(total)) for total in observed]
    for start in range(0, permutations, 200):
        count = min(200, permutations - start)
        signs = random.integers(2, size=(count, human.shape[1])) * 2.0 - 1.0
        for at, side in enumerate(sides):
            slack = SLACK * np.abs(side).sum(axis=0)
            reached[at] += (signs @ side >= observed[at] - slack).sum(axis=0)
    return float(1 - np.abs(reached[0] - reached[1]).mean() / permutations)


def normal_agreement(human: Floats, weights: Floats | None = None) -> Agreement:
    """Return SPA as a function of the metric's scores, with p from the normal distribution.

    The sum of differences whose signs are random has mean 0 and the sum of their squares as variance. With a hundred
    segments and more, p differs from the permutations' by less than their own error; that makes SPA quick enough for
    bootstrap samples and permutation tests of metrics.

    Args:
        human: people's scores, ``(systems, segments)``.
        weights: how often each segment counts; by default once.
    """
    from scipy import special

    factor = np.ones(human.shape[1]) if weights is None else weights

    def p_values(scores: Floats) -> Floats:
        differences = _differences(scores, human)
        total, squares = factor @ differences, factor @ (differences * differences)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = total / np.sqrt(squares)
        result: Floats = np.where(squares > 0, special.ndtr(-z), 1.0)
        return result

    of_people = p_values(human)

    def agreement(metric: Floats) -> float:
        if not len(of_people):
            return math.nan
        return float(1 - np.abs(p_values(metric) - of_people).mean())

    return agreement
