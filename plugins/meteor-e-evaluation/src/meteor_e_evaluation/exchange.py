"""Measures of two metrics whose scores are exchanged at random, for all samples at once.

A permutation test asks a measure twice for every sample and every pair of metrics. What is asked most is a function of
sums, and what an exchange does to a sum is a product of the masks with a matrix. Other measures are asked anew for
each sample (:func:`one_by_one`).

Arrays of scores are ``(metrics, systems, segments)``. Masks say what is exchanged in each sample: ``(samples,
segments)``, ``(samples, systems)`` or, for single scores, ``(samples, systems, segments)``; ``exchanged`` names which:
``segments``, ``systems`` or ``scores``. Every function here returns :data:`Differences`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.measures import Agreement
from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.groups import pairs_of_systems
from meteor_e_evaluation.judgements import Assessments, Rankings

Masks: TypeAlias = NDArray[np.bool_]
Differences: TypeAlias = Callable[[int, int], Floats]
"""From two metrics to the difference of the measure in each sample, ``(samples,)``."""

BLOCK = 1 << 25
"""Numbers that an array of a block of samples may hold."""


def one_by_one(
    values: Floats, masks: Masks, exchanged: str, agreement: Agreement, *, means: bool = False
) -> Differences:
    """Exchange scores, and ask the measure anew for each sample; with ``means`` it takes means over segments."""
    shaped = masks
    if values.ndim > masks.ndim:
        shaped = masks[:, None] if exchanged == "segments" else masks[:, :, None]

    def ask(mask: Masks, one: Floats, other: Floats) -> float:
        scores = np.where(mask, other, one)
        return agreement(scores.mean(axis=1) if means else scores)

    def differences(first: int, second: int) -> Floats:
        one, other = values[first], values[second]
        return np.array([ask(mask, one, other) - ask(mask, other, one) for mask in shaped])

    return differences


def linear(parts: Sequence[Floats], masks: Masks, finish: Callable[[Floats], Floats]) -> Differences:
    """Exchange what is summed.

    Args:
        parts: what is summed, for each metric ``(sums, units)``; units are what is exchanged.
        masks: what is exchanged.
        finish: from sums, ``(sums, samples)``, to the measure.
    """
    units = masks.reshape(len(masks), -1)

    def differences(first: int, second: int) -> Floats:
        step = (parts[second] - parts[first]).T
        change = np.concatenate(
            [block.astype(float) @ step for block in np.array_split(units, 1 + units.size // BLOCK)]
        ).T
        one, other = (parts[each].sum(axis=1)[:, None] for each in (first, second))
        return finish(one + change) - finish(other - change)

    return differences


def mean_of_groups(values: Sequence[Floats], masks: Masks) -> Differences:
    """Exchange groups whole, ``(groups,)`` for each metric, and take the mean of those that are not NaN."""
    parts = [np.stack([np.nan_to_num(row), ~np.isnan(row)]) for row in values]
    return linear(parts, masks, lambda sums: _quotient(sums[0], np.rint(sums[1])))


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

    return linear(parts, masks, finish)


class Comparisons:
    """Comparisons of two systems on a segment, with people's order and the metrics' scores.

    Args:
        rankings: people's comparisons.
        values: the metrics' scores.
    """

    def __init__(self, rankings: Rankings, values: Floats) -> None:
        metrics, systems, self.length = values.shape
        self.segments = rankings.segments
        first, second = np.minimum(rankings.better, rankings.worse), np.maximum(rankings.better, rankings.worse)
        self.order = np.where(rankings.ties, 0, np.where(rankings.better < rankings.worse, 1, -1)).astype(np.int8)
        self.pair, self.pairs = (
            first * systems - first * (first + 1) // 2 + second - first - 1,
            systems * (systems - 1) // 2,
        )
        rows = np.arange(metrics)[:, None]
        self.left, self.right = values[rows, first, self.segments], values[rows, second, self.segments]


def of_tables(table: Callable[[int, int], Floats], masks: Masks, finish: Callable[[Floats], Floats]) -> Differences:
    """Exchange systems, two of which are compared at a time.

    Args:
        table: ``(sums, pairs of systems)`` where the first system has its scores from one metric, and the second from
            the other.
        masks: what is exchanged, ``(samples, systems)``.
        finish: from sums, ``(sums, samples)``, to the measure.
    """
    chosen, table = _chosen_tables(masks).astype(float), functools.cache(table)

    def differences(first: int, second: int) -> Floats:
        tables = np.stack([table(*each) for each in itertools.product((first, second), repeat=2)], axis=1)
        one, other = (np.tensordot(tables, sides, ((1, 2), (1, 2))) for sides in (chosen, chosen[:, ::-1]))
        return finish(one) - finish(other)

    return differences


def _chosen_tables(masks: Masks) -> Masks:
    """Return which of four tables each pair of systems has its sums from, ``(samples, 4, pairs of systems)``."""
    first, second = pairs_of_systems(masks.shape[1])
    which = 2 * masks[:, first] + masks[:, second]
    found: Masks = which[:, None] == np.arange(4)[:, None]
    return found


def counted(
    comparisons: Comparisons, masks: Masks, exchanged: str, finish: Callable[[kendall.PairCounts], Floats | float]
) -> Differences:
    """Exchange segments or systems, for functions of the counts of pairs, such as τ."""
    by_segment = exchanged == "segments"
    order, tied = comparisons.order, comparisons.order == 0
    unit, units = (comparisons.segments, comparisons.length) if by_segment else (comparisons.pair, comparisons.pairs)

    def table(one: int, other: int) -> Floats:
        apart = comparisons.left[one] - comparisons.right[other]
        equal = apart == 0
        columns = np.sign(apart) * order, equal, equal & tied
        return np.stack([np.bincount(unit, each, units) for each in columns])

    def value(sums: Floats) -> Floats:
        agree, equal, both = np.rint(sums)
        metric_ties = equal - both
        untied, human_ties = (~tied).sum() - metric_ties, tied.sum() - both
        counts = kendall.PairCounts((untied + agree) / 2, (untied - agree) / 2, metric_ties, human_ties, both)
        return np.asarray(finish(counts), float)

    if by_segment:
        return linear([table(each, each) for each in range(len(comparisons.left))], masks, value)
    return of_tables(table, masks, value)


def soft_accuracy(values: Floats, human: Floats, masks: Masks) -> Differences:
    """Exchange systems for SPA: for every two, Σd and Σd² give p by the normal distribution."""
    from scipy import special

    first, second = pairs_of_systems(len(human))
    both = ~np.isnan(human)[first] & ~np.isnan(human)[second]

    def p_values(one: Floats, other: Floats) -> Floats:
        left, right = np.where(both, one[first], 0.0), np.where(both, other[second], 0.0)
        apart, scale = left - right, (left**2 + right**2).sum(axis=1)
        squares = (apart**2).sum(axis=1)
        varies = squares > 1e-12 * scale
        found: Floats = np.where(
            varies, special.ndtr(-apart.sum(axis=1) / np.sqrt(np.where(varies, squares, 1.0))), 1.0
        )
        return found

    people = p_values(human, human)

    def table(one: int, other: int) -> Floats:
        found: Floats = np.abs(p_values(values[one], values[other]) - people)[None]
        return found

    return of_tables(table, masks, lambda sums: 1 - sums[0] / len(people))


RANGES = 512
"""Ranges of thresholds that a search for the best one looks at first, at most."""


def tied_accuracy(comparisons: Comparisons, masks: Masks, exchanged: str) -> Differences:
    """Exchange scores of accuracy with tie calibration: each sample has its own best threshold, which is exact.

    Accuracies at the ends of ranges of thresholds are products of matrices. Within a range, accuracy cannot rise by
    more than the people's ties in it; only ranges that can hold the best threshold are looked at closely.
    """
    by_segment = exchanged == "segments"
    value = 1.0 / np.bincount(comparisons.segments, minlength=comparisons.length)[comparisons.segments]
    total, tied = float(value.sum()), comparisons.order == 0
    if by_segment:
        unit, picked = comparisons.segments, np.stack([~masks, masks], axis=1)
    else:
        unit, picked = comparisons.pair, _chosen_tables(masks)
    kinds, units = picked.shape[1:]

    def best(sums: Floats, side: Masks, ranges: Integers, entries: tuple[Any, NDArray[Any], Any, int]) -> Floats:
        """Return the best accuracy of each sample."""
        place, gain, last, width = entries
        start, gains, rises = sums[:, :1], sums[:, 1 : width + 1], sums[:, width + 1 :]
        ends = start + np.cumsum(gains, axis=1)
        before = ends - gains
        found: Floats = np.maximum(start[:, 0], ends.max(axis=1))
        near = before + rises > found[:, None] + 1e-12 * total
        for chosen in np.flatnonzero(near.any(axis=0)):
            at = slice(ranges[chosen], ranges[chosen + 1])
            rows = np.flatnonzero(near[:, chosen])
            inside = np.cumsum(side[rows][:, place[at]] * gain[at], axis=1)[:, last[at]]
            found[rows] = np.maximum(found[rows], before[rows, chosen] + inside.max(axis=1))
        return found

    def differences(first: int, second: int) -> Floats:
        sources = [(one, other) for one in (first, second) for other in (first, second)]
        if by_segment:
            sources = [(first, first), (second, second)]
        apart = np.stack([comparisons.left[one] - comparisons.right[other] for one, other in sources])
        right = comparisons.order * apart > 0
        # A threshold above the size of a difference makes people's ties right and a right order wrong.
        rows = np.flatnonzero(tied | right)
        size = np.abs(apart).ravel()[rows]
        rows, size = rows[by_size := np.argsort(size)], size[by_size]
        kind, at = np.divmod(rows, len(unit))
        place = kind * units + unit[at]
        gain = np.where(tied[at], value[at], -value[at])
        fresh = np.r_[True, size[1:] != size[:-1]][: len(size)]
        # Equal sizes are in one range.
        place_in_order = np.maximum.accumulate(np.where(fresh, np.arange(len(size)), 0))
        width = min(RANGES, 8 + len(size) // 64)
        which = place_in_order * width // max(1, len(size))
        counts = [
            np.bincount(place * width + which, each, kinds * units * width).reshape(-1, width)
            for each in (gain, np.maximum(gain, 0.0))
        ]
        of_right = (np.arange(kinds)[:, None] * units + unit)[right]
        starts = np.bincount(of_right, np.broadcast_to(value, right.shape)[right], kinds * units)
        table = np.concatenate([starts[:, None], *counts], axis=1)
        entries = place, gain, np.r_[fresh[1:], True][: len(size)], width
        ranges = np.searchsorted(which, np.arange(width + 1))
        sides = [side.reshape(len(masks), -1) for side in (picked, picked[:, ::-1])]
        if by_segment:
            # What one side gains by an exchange, the other loses.
            own, others = table.reshape(2, units, -1)
            change = masks.astype(float) @ (others - own)
            sums = [own.sum(axis=0) + change, others.sum(axis=0) - change]
        else:
            sums = [side.astype(float) @ table for side in sides]
        found = [best(each, side, ranges, entries) for each, side in zip(sums, sides, strict=True)]
        return (found[0] - found[1]) / total

    return differences


def rank_correlation(
    values: Floats, groups: Sequence[Assessments], masks: Masks, exchanged: str, coefficient: str
) -> Differences:
    """Exchange scores that are ranked together, and take the mean of the groups in which the measure is defined.

    The coefficient is a sum over pairs of scores, divided by a size that depends on ties. What one metric's sum gains
    by an exchange, compared with the other's, is linear in the masks. Sums themselves are counted only for the samples
    in which the two sizes differ.

    Args:
        values: the metrics' scores.
        groups: people's scores that are ranked together.
        masks, exchanged: what is exchanged.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    moved = np.ascontiguousarray(masks.reshape(len(masks), -1).T)

    def joint_order(given: Assessments, first: int, second: int) -> _JointOrder:
        cells = given.systems * values.shape[2] + given.segments
        unit = {"segments": given.segments, "systems": given.systems, "scores": cells}[exchanged]
        scores = values[[first, second]].reshape(2, -1)[:, cells].ravel()
        return (_Spearman if coefficient == "spearman" else _Kendall)(given.scores, scores, unit, coefficient)

    def differences(first: int, second: int) -> Floats:
        orders = [joint_order(given, first, second) for given in groups if len(given)]
        gains = [order.gain(len(moved)) for order in orders]
        step = max(1, BLOCK // max(len(order.levels) for order in orders))
        return np.concatenate(
            [_difference(orders, gains, moved[:, start : start + step]) for start in range(0, len(masks), step)]
        )

    return differences


def _difference(orders: Sequence[_JointOrder], gains: Sequence[tuple[float, Floats]], moved: Masks) -> Floats:
    offsets, sizes = np.stack([order.offset_and_size(moved) for order in orders], axis=1)
    more = np.stack([constant + by_unit @ moved for constant, by_unit in gains])
    sums = np.stack([more / 2, -more / 2], axis=1)
    known = sizes > 0
    needed = (sizes[:, 0] != sizes[:, 1]) | (known[:, 0] != known[:, 1]).any(axis=0)
    for at, order in enumerate(orders):
        samples = np.flatnonzero(needed[at])
        if len(samples):
            counted = order.sums(order.present(moved[:, samples]))
            sums[at][:, samples] = counted, counted - more[at, samples]
    found = np.where(known, _quotient(sums + offsets, sizes), 0.0).sum(axis=0)
    one, other = _quotient(found, known.sum(axis=0))
    return np.asarray(one - other)


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
        self.scores, self.levels, self.unit = scores[order], levels[order], np.tile(unit, 2)[order]
        self.first = order < self.count
        self.human_sizes = np.bincount(levels) / 2

    def present(self, moved: Masks) -> Masks:
        """Return which places each sample has, ``(places, samples)``; the other side has the other places."""
        return np.asarray(moved[self.unit] != self.first[:, None])

    def gain(self, units: int) -> tuple[float, Floats]:
        """Return by how much the sum of a sample is above that of the other side: a constant, and by exchanged unit."""
        shares = self.shares()
        by_unit = np.bincount(self.unit, np.where(self.first, -shares, shares), units)
        return float(shares[self.first].sum() - shares.sum() / 2), by_unit.astype(float)

    def tied(self, moved: Masks, *rows: NDArray[Any]) -> Floats:
        """Return how many scores of each side are at places with equal rows, ``(2, groups, samples)``."""
        fresh = _fresh(*rows)
        sizes = np.diff(np.flatnonzero(np.r_[fresh, True]))
        several = np.repeat(sizes > 1, sizes)
        own = sizes[sizes > 1]
        if not len(own):
            return np.zeros((2, 0, moved.shape[1]))
        present = moved[self.unit[several]] != self.first[several, None]
        one = np.add.reduceat(present, np.cumsum(own) - own, axis=0, dtype=float)
        return np.stack([one, own[:, None] - one])

    def shares(self) -> Floats:
        """Return the sum of all pairs that each place is in, ``(places,)``."""
        raise NotImplementedError

    def sums(self, present: Masks) -> Floats:
        """Return the sum of each sample."""
        raise NotImplementedError

    def offset_and_size(self, moved: Masks) -> Floats:
        """Return what is added to the sums of both sides, and what they are divided by, ``(2, 2, samples)``."""
        raise NotImplementedError


def _fresh(*rows: NDArray[Any]) -> Masks:
    return np.asarray(np.r_[True, np.logical_or.reduce([row[1:] != row[:-1] for row in rows])])


class _Spearman(_JointOrder):
    """Sums of differences of people's ranks, doubled, over the pairs that a metric orders."""

    def _weights(self) -> Floats:
        # People's ranks less their mean, doubled.
        return np.asarray((2 * np.cumsum(self.human_sizes) - self.human_sizes - self.count)[self.levels])

    def shares(self) -> Floats:
        weights = self._weights()
        below, above = (np.searchsorted(self.scores, self.scores, side) for side in ("left", "right"))
        total = np.r_[0.0, np.cumsum(weights)]
        places = len(weights)
        return np.asarray(weights * (below + above - places) - (total[below] + total[above] - total[-1]))

    def sums(self, present: Masks) -> Floats:
        starts = np.flatnonzero(_fresh(self.scores))
        found = []
        for samples in np.array_split(np.arange(present.shape[1]), -(-present.shape[1] // 64)):
            shown = present[:, samples]
            counts = np.add.reduceat(shown, starts, axis=0, dtype=np.int32)
            weights = np.add.reduceat(shown * self._weights()[:, None], starts, axis=0)
            found.append(np.einsum("pb,pb->b", weights, 2 * np.cumsum(counts, axis=0, dtype=np.int32) - counts))
        return np.concatenate(found)

    def offset_and_size(self, moved: Masks) -> Floats:
        most, human = float(self.count**3 - self.count), self.human_sizes**3 - self.human_sizes
        tied = self.tied(moved, self.scores)
        tied = tied**3 - tied
        size = np.sqrt((most - tied.sum(axis=1)) * (most - human.sum())) / 3
        return np.stack([np.zeros_like(size), size])


class _Kendall(_JointOrder):
    """Numbers of pairs that a metric and people order alike."""

    def shares(self) -> Floats:
        return concordant(self.levels)

    def sums(self, present: Masks) -> Floats:
        return ascents(self.levels, present.astype(np.float32))

    def offset_and_size(self, moved: Masks) -> Floats:
        tied, alike = self.tied(moved, self.scores), self.tied(moved, self.scores, self.levels)
        pairs = self.count * (self.count - 1) / 2
        human_ties = (self.human_sizes * (self.human_sizes - 1) / 2).sum()
        ties, both = ((each * (each - 1) / 2).sum(axis=1) for each in (tied, alike))
        if self.coefficient == "acc":
            return np.stack([both, np.full_like(both, pairs)])
        offset = (ties + human_ties - both - pairs) / 2
        if self.coefficient == "kendall-c":
            least = np.minimum(self.count - (tied - (tied > 0)).sum(axis=1), len(self.human_sizes))
            return np.stack([offset, self.count**2 * (least - 1) / (4 * np.maximum(least, 1))])
        return np.stack([offset, np.sqrt(pairs - ties) * np.sqrt(pairs - human_ties) / 2])


def concordant(levels: Integers) -> Floats:
    """Count the earlier places of lower and the later places of higher level, for each place, bit by bit of levels."""
    places, found, order = np.arange(len(levels)), np.zeros(len(levels)), np.arange(len(levels))
    for bit in range(int(levels.max()).bit_length() - 1, -1, -1):
        # Places are in order within those whose levels have the same higher bits.
        bits = levels[order] >> bit
        start, end = (np.searchsorted(bits >> 1, bits >> 1, side) for side in ("left", "right"))
        high = (bits & 1).astype(bool)
        highs = np.r_[0, np.cumsum(high)]
        lows = np.r_[places, len(levels)] - highs
        found[order] += np.where(high, lows[places] - lows[start], highs[end] - highs[places])
        order = order[np.argsort(bits, kind="stable")]
    return found


CHUNK = 64
"""Places that are compared with one another directly, and ranges of levels."""


def ascents(levels: Integers, present: Floats) -> Floats:
    """Count the pairs of present places of which the later has the higher level.

    Within a chunk of places, and within a range of levels, every two places are compared; between them, counts are.

    Args:
        levels: ``(places,)``.
        present: 1 for the places that each sample has, else 0, ``(places, samples)``.

    Returns:
        ``(samples,)``.
    """
    steps, ranks = np.unique(levels, return_inverse=True)
    width = -(-len(steps) // CHUNK)
    # A few places are compared all at once.
    if len(levels) <= 4 * CHUNK:
        width = 1
    ranges = ranks.reshape(-1) // width
    total, below = np.zeros(present.shape[1]), np.zeros((int(ranges.max()) + 1, present.shape[1]))
    step = len(levels) if len(levels) <= 4 * CHUNK else CHUNK
    for start in range(0, len(levels), step):
        own, rows = ranges[start : start + step], present[start : start + step]
        higher = np.tril(own[:, None] > own, -1).astype(np.float32)
        total += np.einsum("pb,pb->b", higher @ rows, rows)
        if step < len(levels):
            counts = (np.arange(len(below))[:, None] == own).astype(np.float32) @ rows
            total += np.einsum("lb,lb->b", below[:-1], counts[1:])
            below += np.cumsum(counts, axis=0)
    if width > 1:
        for each in range(len(below)):
            inside = ranges == each
            total += ascents(levels[inside], present[inside])
    return total
