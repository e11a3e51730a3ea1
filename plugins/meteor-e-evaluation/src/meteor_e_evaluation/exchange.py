"""Measures of two metrics whose scores are exchanged at random, for all samples at once.

A permutation test asks a measure twice for every sample and every pair of metrics. What is asked most is a function of
sums, and what an exchange does to a sum is a product of the masks with a matrix. Other measures are asked anew for
each sample (:func:`.comparison.one_by_one`).

Arrays of scores are ``(metrics, systems, segments)``. Masks say what is exchanged in each sample: ``(samples,
segments)``, ``(samples, systems)`` or, for single scores, ``(samples, systems, segments)``; ``exchanged`` names which:
``segments``, ``systems`` or ``scores``. Every function here returns :data:`Differences`.

Two statistics are approximations on large test sets, the same ones for every sample, so that the test holds its level:
:func:`tied_accuracy` looks for the best of some hundred thresholds, and :func:`rank_correlation` counts pairs of far
ranks only where two denominators differ. On small sets both are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.segment_coefficients import system_pairs

Masks: TypeAlias = NDArray[np.bool_]
Differences: TypeAlias = Callable[[int, int], Floats]
"""From two metrics to the difference of the measure in each sample, ``(samples,)``."""

BLOCK = 1 << 24
"""Numbers that an array of a block of samples may hold."""


def linear(
    parts: Callable[[int, int], Sequence[Floats]], masks: Masks, finish: Callable[[Floats], Floats]
) -> Differences:
    """Exchange what is summed.

    Args:
        parts: what is summed for two metrics, ``(sums, units)`` for each; units are what is exchanged.
        masks: what is exchanged.
        finish: from sums, ``(sums, samples)``, to the measure.
    """
    units = masks.reshape(len(masks), -1)

    def differences(first: int, second: int) -> Floats:
        one, other = parts(first, second)
        blocks = np.array_split(units, 1 + units.size // BLOCK)
        change = np.concatenate([block.astype(float) @ (other - one).T for block in blocks]).T
        return finish(one.sum(axis=1)[:, None] + change) - finish(other.sum(axis=1)[:, None] - change)

    return differences


def mean_of_groups(values: Sequence[Floats], masks: Masks) -> Differences:
    """Exchange groups whole, ``(groups,)`` for each metric, and take the mean of those that are not NaN."""
    parts = [np.stack([np.nan_to_num(row), ~np.isnan(row)]) for row in values]
    return linear(
        lambda first, second: (parts[first], parts[second]), masks, lambda sums: _quotient(sums[0], np.rint(sums[1]))
    )


def _quotient(above: Floats, below: Floats) -> Floats:
    found = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def pearson(values: Floats, given: Assessments, masks: Masks, exchanged: str) -> Differences:
    """Exchange the sums of Pearson's r over all scores that people gave."""
    shape = values.shape[1:]
    cells = given.systems * shape[1] + given.segments
    centered = given.scores - given.scores.mean()
    norm = float(centered @ centered)
    rows, human = (np.bincount(cells, each, values[0].size).reshape(shape) for each in (None, centered))
    axis: int | tuple[int, ...] = 1 if exchanged == "segments" else 2 if exchanged == "systems" else ()
    parts = [
        np.stack([rows * x, rows * x * x, x * human]).sum(axis=axis).reshape(3, -1)
        for x in np.where(rows > 0, values, 0.0)
    ]

    def finish(sums: Floats) -> Floats:
        total, squares, products = sums
        spread = squares - total**2 / len(cells)
        spread *= (norm > 1e-12 * float(given.scores @ given.scores)) & (spread > 1e-12 * squares)
        return np.clip(_quotient(products, np.sqrt(spread * norm)), -1.0, 1.0)

    return linear(lambda first, second: (parts[first], parts[second]), masks, finish)


def of_tables(tables: Callable[[int, int], Floats], masks: Masks, finish: Callable[[Floats], Floats]) -> Differences:
    """Exchange systems, two of which are compared at a time.

    Args:
        tables: for two metrics ``(sums, 4, pairs of systems)``: both systems have their scores from the first metric,
            the second of them from the other one, the first of them, both.
        masks: what is exchanged, ``(samples, systems)``.
        finish: from sums, ``(sums, samples)``, to the measure.
    """
    one, other = system_pairs(masks.shape[1])
    chosen = ((2 * masks[:, one] + masks[:, other])[:, None] == np.arange(4)[:, None]).astype(float)

    def differences(first: int, second: int) -> Floats:
        table = tables(first, second)
        sides = (np.tensordot(table, side, ((1, 2), (1, 2))) for side in (chosen, chosen[:, ::-1]))
        return finish(next(sides)) - finish(next(sides))

    return differences


def soft_accuracy(values: Floats, human: Floats, masks: Masks) -> Differences:
    """Exchange systems for SPA: for every two, Σd and Σd² give p by the normal distribution."""
    from scipy import special

    first, second = system_pairs(len(human))
    both = ~np.isnan(human)[first] & ~np.isnan(human)[second]

    def p_values(one: Floats, other: Floats) -> Floats:
        left, right = np.where(both, one[first], 0.0), np.where(both, other[second], 0.0)
        apart, scale = left - right, (left**2 + right**2).sum(axis=1)
        squares = (apart**2).sum(axis=1)
        varies = squares > 1e-12 * scale
        z = apart.sum(axis=1) / np.sqrt(np.where(varies, squares, 1.0))
        return np.where(varies, np.asarray(special.ndtr(-z)), 1.0)

    people = p_values(human, human)

    def tables(one: int, other: int) -> Floats:
        pairs = itertools.product((values[one], values[other]), repeat=2)
        return np.abs(np.stack([p_values(*pair) for pair in pairs]) - people)[None]

    return of_tables(tables, masks, lambda sums: 1 - sums[0] / len(people))


def _of_pairs(
    rankings: Rankings,
    values: Floats,
    masks: Masks,
    exchanged: str,
    count: Callable[[Floats, NDArray[np.int8], Integers, int], Floats],
    finish: Callable[[Floats], Floats],
) -> Differences:
    """Exchange segments or systems, for what is summed over comparisons of two systems on a segment.

    Args:
        rankings, values, masks, exchanged: people's comparisons, the metrics' scores, and what is exchanged.
        count: from differences of scores, ``(kinds, comparisons)``, people's order (1, -1; 0 for ties), the unit of
            each comparison and the number of units to ``(sums, kinds, units)``.
        finish: from sums, ``(sums, samples)``, to the measure.
    """
    systems, length = values.shape[1:]
    first, second = np.minimum(rankings.better, rankings.worse), np.maximum(rankings.better, rankings.worse)
    order = np.where(rankings.ties, 0, np.where(rankings.better < rankings.worse, 1, -1)).astype(np.int8)
    left, right = values[:, first, rankings.segments], values[:, second, rankings.segments]

    unit, units = rankings.segments, length
    if exchanged == "systems":
        unit, units = first * systems - first * (first + 1) // 2 + second - first - 1, systems * (systems - 1) // 2

    def tables(one: int, other: int) -> Floats:
        own = (one, one), (other, other)
        pairs = itertools.product((one, other), repeat=2) if exchanged == "systems" else own
        return count(np.stack([left[a] - right[b] for a, b in pairs]), order, unit, units)

    if exchanged == "systems":
        return of_tables(tables, masks, finish)
    return linear(lambda one, other: list(tables(one, other).swapaxes(0, 1)), masks, finish)


def counted(
    rankings: Rankings,
    values: Floats,
    masks: Masks,
    exchanged: str,
    finish: Callable[[kendall.PairCounts], Floats | float],
) -> Differences:
    """Exchange segments or systems, for functions of the counts of pairs, such as τ."""
    human_tied = int(rankings.ties.sum())

    def count(apart: Floats, order: NDArray[np.int8], unit: Integers, units: int) -> Floats:
        equal = apart == 0
        columns = np.sign(apart) * order, equal, equal & (order == 0)
        return np.array([[np.bincount(unit, row, units) for row in column] for column in columns]).astype(float)

    def value(sums: Floats) -> Floats:
        agree, equal, both = np.rint(sums)
        metric_ties, human_ties = equal - both, human_tied - both
        untied = len(rankings) - human_tied - metric_ties
        counts = kendall.PairCounts((untied + agree) / 2, (untied - agree) / 2, metric_ties, human_ties, both)
        return np.asarray(finish(counts), float)

    return _of_pairs(rankings, values, masks, exchanged, count, value)


THRESHOLDS = 256
"""Thresholds for ties that are tried where there are more than :data:`EXACT` differences of scores."""
EXACT = 1 << 14


def tied_accuracy(rankings: Rankings, values: Floats, masks: Masks, exchanged: str) -> Differences:
    """Exchange segments or systems for accuracy with tie calibration: each sample has its own best threshold."""
    value = 1.0 / np.bincount(rankings.segments)[rankings.segments]

    def count(apart: Floats, order: NDArray[np.int8], unit: Integers, units: int) -> Floats:
        size, tied, right = np.abs(apart), np.broadcast_to(order == 0, apart.shape), order * apart > 0
        some = size.ravel() if size.size <= EXACT else np.sort(size.ravel()[::7])
        if size.size > EXACT:
            some = some[np.linspace(0, len(some) - 1, THRESHOLDS).astype(int)]
        thresholds = np.unique(np.append(some, 0.0))
        # A threshold no smaller than a difference makes people's ties right, and a right order wrong.
        place, cell = np.searchsorted(thresholds, size), np.arange(len(apart))[:, None] * units + unit
        gain = np.where(tied, value, np.where(right, -value, 0.0))
        width = len(thresholds) + 1
        gains = np.bincount((cell * width + place).ravel(), gain.ravel(), len(apart) * units * width)
        start = np.bincount(cell.ravel(), np.where(right, value, 0.0).ravel(), len(apart) * units)
        return np.concatenate([start[None], gains.reshape(-1, width)[:, :-1].T]).reshape(-1, len(apart), units)

    return _of_pairs(
        rankings, values, masks, exchanged, count, lambda sums: np.cumsum(sums, axis=0)[1:].max(axis=0) / value.sum()
    )


TABLE = 1 << 18
"""Places of a table of scores and people's levels at most; a larger one is made coarser, :data:`COARSE` on a side."""
COARSE = 64


def rank_correlation(
    values: Floats, groups: Sequence[Assessments], masks: Masks, exchanged: str, coefficient: str
) -> Differences:
    """Exchange scores that are ranked together, and take the mean of the groups in which the measure is defined.

    The coefficient is a sum over pairs of scores, divided by a size that depends on ties. By how much one side's sum is
    above the other's is linear in the masks, and exact. The two sums together matter only as far as the sizes differ;
    they are counted in a table, which is coarse for many scores, and right for the sample without exchanges.

    Args:
        values: the metrics' scores.
        groups: people's scores that are ranked together.
        masks, exchanged: what is exchanged.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    moved = np.ascontiguousarray(masks.reshape(len(masks), -1).T, float)

    def differences(first: int, second: int) -> Floats:
        orders = []
        for given in groups:
            cells = given.systems * values.shape[2] + given.segments
            unit = {"segments": given.segments, "systems": given.systems, "scores": cells}[exchanged]
            scores = values[[first, second]].reshape(2, -1)[:, cells].ravel()
            if len(given):
                orders.append(_JointOrder(given.scores, scores, unit, coefficient))
        step = max(1, BLOCK // max(order.largest for order in orders))
        blocks = [moved[:, start : start + step] for start in range(0, len(masks), step)]
        found = np.concatenate([np.stack([order.values(block) for order in orders]) for block in blocks], axis=2)
        one, other = _quotient(np.nansum(found, axis=0), (~np.isnan(found)).sum(axis=0))
        return np.asarray(one - other)

    return differences


class _JointOrder:
    """Two metrics' scores in their joint order; a sample has one of the two scores of each thing that people scored.

    Args:
        human: people's scores.
        scores: the first metric's scores of the same things, then the second's.
        unit: what is exchanged with each.
        coefficient: the coefficient.
    """

    def __init__(self, human: Floats, scores: Floats, unit: Integers, coefficient: str) -> None:
        levels = np.tile(np.unique(human, return_inverse=True)[1].reshape(-1), 2)
        # Of equal scores, the one that people put higher comes first, so that it is never above the other.
        order = np.lexsort((-levels, scores))
        self.coefficient, self.count = coefficient, len(human)
        self.levels, self.unit, self.first = levels[order], np.tile(unit, 2)[order], order < self.count
        self.ranks = np.cumsum(np.r_[False, np.diff(scores[order]) != 0])
        self.human_sizes = np.bincount(levels) / 2
        # People's ranks less their mean, doubled.
        self.weights = 2 * np.cumsum(self.human_sizes) - self.human_sizes - self.count
        self.shape = int(self.ranks[-1]) + 1, len(self.human_sizes)
        if self.shape[0] * self.shape[1] > TABLE:
            self.shape = min(self.shape[0], COARSE), min(self.shape[1], COARSE)
        self.largest = max(len(levels), self.shape[0] * self.shape[1])
        sign, sums = np.where(self.first, 1.0, -1.0), self.sums_of_pairs(slice(None))
        self.more, self.by_unit = (sign @ sums) / 2, np.bincount(self.unit, sign * sums)
        self.whole = sum(self.sums_of_pairs(side).sum() / 2 for side in (self.first, ~self.first))

    def sums_of_pairs(self, chosen: Masks | slice) -> Floats:
        """Return for each of the chosen places the sum of all pairs that it is in with others of them."""
        ranks, levels = self.ranks[chosen], self.levels[chosen]
        if self.coefficient != "spearman":
            return kendall.count_concordant(levels)
        weights = self.weights[levels]
        below, above = (np.searchsorted(ranks, ranks, side) for side in ("left", "right"))
        total = np.r_[0.0, np.cumsum(weights)]
        return np.asarray(weights * (below + above - len(weights)) - (total[below] + total[above] - total[-1]))

    def counts(self, keys: Integers, moved: Floats) -> Floats:
        """Return how many places with each key both sides have, ``(2, keys, samples)``; -1 is no key."""
        from scipy import sparse

        kept, size = keys >= 0, int(keys.max()) + 1
        keys, first = keys[kept], self.first[kept]
        change = sparse.csr_matrix((np.where(first, -1.0, 1.0), (keys, self.unit[kept])), (size, len(moved))) @ moved
        one = np.bincount(keys, first, size)[:, None] + change
        return np.stack([one, np.bincount(keys, minlength=size)[:, None] - one])

    def tied(self, ranks: Integers, moved: Floats) -> Floats:
        """Return how many places of each side have equal ranks, ``(2, groups, samples)``."""
        _, at, sizes = np.unique(ranks, return_inverse=True, return_counts=True)
        return self.counts(np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)[at.reshape(-1)], moved)

    def table_sums(self, moved: Floats) -> Floats:
        """Return the sums of both sides together over pairs of far ranks, ``(samples,)``."""
        (rows, columns), of_levels = self.shape, len(self.human_sizes)
        row = self.ranks * rows // (int(self.ranks[-1]) + 1)
        column = np.arange(of_levels) * columns // of_levels
        keys = row * columns + column[self.levels]
        table = self.counts(keys, moved)
        table = np.concatenate([table, np.zeros((2, rows * columns - table.shape[1], table.shape[2]))], axis=1)
        table = table.reshape(2, rows, columns, -1)
        below = np.cumsum(table, axis=1) - table
        if self.coefficient == "spearman":
            means = np.bincount(column, self.weights * self.human_sizes) / np.bincount(column, self.human_sizes)
            weight, weight_below = (np.einsum("l,krls->krs", means, each) for each in (table, below))
            pairs = weight * below.sum(axis=2) - weight_below * table.sum(axis=2)
            return np.asarray(pairs.sum(axis=(0, 1)))
        return np.asarray(np.einsum("krls,krls->s", table, np.cumsum(below, axis=2) - below))

    def values(self, moved: Floats) -> Floats:
        """Return the coefficient of both sides, ``(2, samples)``; NaN where it is not defined."""
        offset, size = self.offset_and_size(moved)
        coarse = self.table_sums(np.c_[np.zeros(len(moved)), moved])
        whole = self.whole + coarse[1:] - coarse[0]
        more = self.more - self.by_unit @ moved[: len(self.by_unit)]
        return _quotient(np.stack([whole + more, whole - more]) / 2 + offset, size)

    def offset_and_size(self, moved: Floats) -> Floats:
        """Return what is added to the sums of both sides, and what they are divided by, ``(2, 2, samples)``."""
        tied, human = self.tied(self.ranks, moved), self.human_sizes
        if self.coefficient == "spearman":
            most = float(self.count**3 - self.count)
            of_metric, of_people = most - (tied**3 - tied).sum(axis=1), most - (human**3 - human).sum()
            return np.stack([np.zeros_like(of_metric), np.sqrt(of_metric * of_people) / 3])
        alike = self.tied(self.ranks * len(human) + self.levels, moved)
        pairs, human_ties = self.count * (self.count - 1) / 2, (human * (human - 1) / 2).sum()
        ties, both = ((each * (each - 1) / 2).sum(axis=1) for each in (tied, alike))
        if self.coefficient == "acc":
            return np.stack([both, np.full_like(both, pairs)])
        offset = (ties + human_ties - both - pairs) / 2
        if self.coefficient == "kendall-c":
            least = np.minimum(self.count - (tied - (tied > 0)).sum(axis=1), len(human))
            return np.stack([offset, self.count**2 * (least - 1) / (4 * np.maximum(least, 1))])
        return np.stack([offset, np.sqrt(pairs - ties) * np.sqrt(pairs - human_ties) / 2])
