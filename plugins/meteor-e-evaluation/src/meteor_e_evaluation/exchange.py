"""Measures of two metrics whose scores are exchanged at random, for many samples at once.

A permutation test asks a measure twice for every sample and every pair of metrics. Most measures need not be computed
anew: they are functions of sums, and what an exchange does to a sum is linear in what is exchanged, or, where scores
of two systems are compared, quadratic. Both are products of matrices.

Arrays of scores are ``(metrics, systems, segments)``. Masks say what is exchanged in each sample: ``(samples,
segments)``, ``(samples, systems)`` or, for single scores, ``(samples, systems, segments)``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.measures import Agreement
from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.groups import pairs_of_systems
from meteor_e_evaluation.judgements import Assessments, Rankings

_native: ModuleType | None = None
if os.environ.get("METEOR_E_PURE", "0") in ("", "0"):
    with contextlib.suppress(ImportError):
        from meteor_e_evaluation import _native

Masks: TypeAlias = NDArray[np.bool_]
Kept: TypeAlias = Literal["", "s", "n"]
Pairs: TypeAlias = Sequence[tuple[int, int]]
Permuted: TypeAlias = Iterator[tuple[tuple[int, int], int, Floats]]
"""Pairs of metrics, the first of some samples, and the differences in these samples."""
Exchange: TypeAlias = Callable[[Pairs], Permuted]
Finish: TypeAlias = Callable[[Floats], Floats]
"""From sums, ``(samples, sums, groups)``, to the measure, ``(samples,)``."""

MOST = 1 << 22
"""Scores that the extension does not rank together."""

BLOCK = 1 << 23
"""Numbers that the arrays of a block of samples may hold."""


def _blocks(masks: Masks, size: int) -> Iterator[tuple[int, Masks]]:
    step = max(1, BLOCK // max(1, size))
    for start in range(0, len(masks), step):
        yield start, masks[start : start + step]


def one_by_one(values: Floats, masks: Masks, exchanged: str, agreement: Agreement, *, means: bool = False) -> Exchange:
    """Exchange scores, and ask the measure anew each time; with ``means`` it takes means over segments."""
    shaped = masks
    if values.ndim > masks.ndim:
        shaped = masks[:, None] if exchanged == "segments" else masks[:, :, None]

    def ask(scores: Floats) -> float:
        return agreement(scores.mean(axis=1) if means else scores)

    def exchange(pairs: Pairs) -> Permuted:
        for first, second in pairs:
            for number, mask in enumerate(shaped):
                one = np.where(mask, values[second], values[first])
                other = np.where(mask, values[first], values[second])
                yield (first, second), number, np.array([ask(one) - ask(other)])

    return exchange


def linear(parts: Sequence[Floats], masks: Masks, exchanged: str, kept: Kept, finish: Finish) -> Exchange:
    """Exchange what is summed.

    Args:
        parts: what is summed, for each metric ``(sums, systems, segments)``, or 1 instead of either.
        masks, exchanged: what is exchanged.
        kept: ``s`` to sum over segments alone, ``n`` over systems alone, nothing to sum over both.
        finish: the measure as a function of the sums.
    """
    if exchanged == "segments" and not kept:
        parts = [part.sum(axis=1, keepdims=True) for part in parts]
    if exchanged == "systems" and not kept:
        parts = [part.sum(axis=2, keepdims=True) for part in parts]
    over: Any = {"": (1, 2), "s": 2, "n": 1}[kept]
    own = [part.sum(axis=over).reshape(len(part), -1) for part in parts]

    def moved(part: Floats, mask: Floats) -> Floats:
        if exchanged != "scores":
            product: Floats = np.tensordot(mask, part, (1, 2 if exchanged == "segments" else 1))
            return product
        if not kept:
            return (mask.reshape(len(mask), -1) @ part.reshape(len(part), -1).T)[:, :, None]
        found: Floats = np.einsum(f"bsn,csn->bc{kept}", mask, part)
        return found

    def exchange(pairs: Pairs) -> Permuted:
        for start, block in _blocks(masks, max(own[0].size * len(parts), masks[0].size)):
            mask = block.astype(float)
            changes = [moved(part, mask) for part in parts]
            for first, second in pairs:
                change = changes[second] - changes[first]
                yield (first, second), start, finish(own[first] + change) - finish(own[second] - change)

    return exchange


def mean_of_groups(values: Sequence[Floats], masks: Masks, exchanged: str) -> Exchange:
    """Exchange groups whole, and take the mean of those in which the measure is defined (not NaN).

    Args:
        values: for each metric ``(groups,)``; groups are the segments or systems that are exchanged.
        masks, exchanged: what is exchanged.
    """
    shape = (2, 1, -1) if exchanged == "segments" else (2, -1, 1)
    parts = [np.stack([np.nan_to_num(row), ~np.isnan(row)]).reshape(shape) for row in values]

    def finish(sums: Floats) -> Floats:
        return _quotient(sums[:, 0, 0], np.rint(sums[:, 1, 0]))

    return linear(parts, masks, exchanged, "", finish)


def _quotient(above: Floats, below: Floats) -> Floats:
    found = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def _mean_defined(values: Floats) -> Floats:
    """Return the mean of what is not NaN, ``(samples, groups)`` → ``(samples,)``."""
    known = ~np.isnan(values)
    return _quotient(np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1))


def pearson(values: Floats, given: Assessments, masks: Masks, exchanged: str, kept: Kept) -> Exchange:
    """Exchange the sums of Pearson's r, which is averaged over the groups in which it is defined.

    Args:
        values: the metrics' scores.
        given: people's.
        masks, exchanged: what is exchanged.
        kept: what is a group: ``n`` a segment, ``s`` a system, nothing all scores.
    """
    shape = values.shape[1:]
    cells = given.systems * shape[1] + given.segments
    group = {"": np.zeros(len(given), int), "s": given.systems, "n": given.segments}[kept]
    groups = {"": 1, "s": shape[0], "n": shape[1]}[kept]
    size = np.bincount(group, minlength=groups).astype(float)
    centered = given.scores - (np.bincount(group, given.scores, groups) / np.maximum(size, 1))[group]
    norm = np.bincount(group, centered**2, groups)
    rows, human = (np.bincount(cells, each, values[0].size).reshape(shape) for each in (None, centered))
    filled = np.where(rows > 0, values, 0.0)
    parts = [np.stack([rows * x, rows * x * x, x * human]) for x in filled]
    varies = norm > 1e-12 * np.bincount(group, given.scores**2, groups)

    def finish(sums: Floats) -> Floats:
        total, squares, products = sums.transpose(1, 0, 2)
        spread = squares - total**2 / np.maximum(size, 1)
        spread *= varies & (spread > 1e-12 * squares)
        return _mean_defined(np.clip(_quotient(products, np.sqrt(spread * norm)), -1.0, 1.0))

    return linear(parts, masks, exchanged, kept, finish)


def rank_correlation(
    values: Floats, groups: Sequence[Assessments], masks: Masks, exchanged: str, coefficient: str
) -> Exchange | None:
    """Exchange scores that are ranked together, and take the mean of the groups in which the measure is defined.

    The extension ``_native`` counts pairs, or sums ranks, of many samples side by side while it walks once over the
    joint order of both metrics' scores. All counts are whole numbers, so no digit depends on it.

    Args:
        values: the metrics' scores.
        groups: people's scores that are ranked together.
        masks, exchanged: what is exchanged.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.

    Returns:
        ``None`` where the extension is not built, or for more scores than it counts.
    """
    native = _native
    if native is None or any(len(given) >= MOST for given in groups):
        return None
    length = values.shape[2]
    # (units, samples): with both sides of an exchange beside each other, one metric's is the other's the other way.
    rows = np.ascontiguousarray(masks.reshape(len(masks), -1).T)
    moved = np.concatenate([rows, ~rows], axis=1).view(np.uint8)

    def prepared(given: Assessments) -> Callable[[int, int], Floats]:
        cells = given.systems * length + given.segments
        unit = {"segments": given.segments, "systems": given.systems, "scores": cells}[exchanged].astype(np.int32)
        steps, levels, sizes = np.unique(given.scores, return_inverse=True, return_counts=True)
        levels, count = levels.reshape(-1).astype(np.int32), len(cells)
        pairs, human_ties = count * (count - 1) // 2, int((sizes * (sizes - 1) // 2).sum())
        # People's ranks less their mean, doubled.
        weights = ((2 * np.cumsum(sizes) - sizes)[levels] - count).astype(np.int32)

        def of_counts(counts: Floats) -> Floats:
            agree, ties, both, different = counts.T
            if coefficient == "acc":
                return _quotient(agree + both, np.full(len(agree), float(pairs)))
            balance = 2 * agree - (pairs - ties - human_ties + both)
            if coefficient == "kendall-c":
                least = np.minimum(different, len(steps))
                size = np.where(least > 1, float(count) ** 2 * (least - 1) / np.maximum(least, 1), 0.0)
                return _quotient(2.0 * balance, size)
            return _quotient(balance, np.sqrt(pairs - ties) * np.sqrt(float(pairs - human_ties)))

        def of_ranks(sums: Floats) -> Floats:
            products, ties = sums.T
            most = float(count) ** 3 - count
            spread = (most - ties) * (most - float((sizes.astype(float) ** 3 - sizes).sum()))
            return np.clip(_quotient(3.0 * products, np.sqrt(spread)), -1.0, 1.0)

        def both_metrics(one: int, other: int) -> Floats:
            joint = values[[one, other]].reshape(2, -1)[:, cells].ravel()
            order = np.lexsort((np.tile(levels, 2), joint)).astype(np.int32)
            ordered = joint[order]
            fresh = np.r_[True, ordered[1:] != ordered[:-1]].view(np.uint8)
            if coefficient == "spearman":
                return of_ranks(native.spearman(order, fresh, unit, moved, weights))

            def counts(rows: NDArray[np.uint8]) -> Integers:
                found: Integers = native.kendall(order, fresh, unit, rows, levels, len(steps))
                return found

            # The number of different scores, for τ-c alone, is no sum over pairs.
            few = coefficient != "kendall-c" and len(moved) ** 2 < len(moved[0])
            return of_counts(_from_few(counts, moved) if few else counts(moved).astype(float))

        return both_metrics

    asked = [prepared(given) for given in groups if len(given)]

    def exchange(pairs: Pairs) -> Permuted:
        for pair in pairs:
            found = _mean_defined(np.stack([ask(*pair) for ask in asked], axis=1))
            one, other = np.split(found, 2)
            yield pair, 0, one - other

    return exchange


def _from_few(counts: Callable[[NDArray[np.uint8]], Integers], masks: NDArray[np.uint8]) -> Floats:
    """Return sums over pairs, which are quadratic in few units, ``(units, samples)``, from exchanges of one and two."""
    units = np.arange(len(masks))
    first, second = pairs_of_systems(len(masks))
    pairs = 1 + len(units) + np.arange(len(first))
    points = np.zeros((len(units), 1 + len(units) + len(first)), np.uint8)
    points[units, 1 + units] = points[first, pairs] = points[second, pairs] = 1
    found = counts(points).astype(float)
    steps = found[1 + units] - found[0]
    both = found[pairs] - found[0] - steps[first] - steps[second]
    moved = masks.astype(float)
    result: Floats = found[0] + moved.T @ steps + (moved[first] * moved[second]).T @ both
    return result


def pair_difference_pearson(values: Floats, human: Floats, masks: Masks, exchanged: str) -> Exchange:
    """Exchange the sums of Pearson's r of differences between systems on a segment."""
    known = ~np.isnan(human)
    count, y = known.sum(axis=0), np.where(known, human, 0.0)
    parts = [np.stack([x, x * x, x * y]) for x in np.where(known, values, 0.0)]
    of_people, squares_of_people = y.sum(axis=0), (count * (y * y).sum(axis=0) - y.sum(axis=0) ** 2).sum()
    if exchanged == "segments":
        # What is exchanged whole needs one sum per segment.
        sums = [part.sum(axis=1) for part in parts]
        parts = [np.stack([count * b - a * a, count * c - a * of_people])[:, None] for a, b, c in sums]

    def finish(sums: Floats) -> Floats:
        if exchanged == "segments":
            squares, products = sums[:, 0, 0], sums[:, 1, 0]
        else:
            total = sums[:, 0]
            squares = (count * sums[:, 1] - total**2).sum(axis=1)
            products = (count * sums[:, 2] - total * of_people).sum(axis=1)
        return _quotient(products, np.sqrt(np.maximum(squares, 0.0) * squares_of_people))

    return linear(parts, masks, exchanged, "" if exchanged == "segments" else "n", finish)


def system_means(values: Floats, masks: Masks, exchanged: str, agreement: Agreement) -> Exchange:
    """Exchange scores of segments, for measures of the systems' means."""

    def finish(sums: Floats) -> Floats:
        return np.array([agreement(row) for row in sums[:, 0]])

    return linear([row[None] / row.shape[-1] for row in values], masks, exchanged, "s", finish)


def soft_accuracy(values: Floats, human: Floats, masks: Masks, exchanged: str) -> Exchange:
    """Exchange the sums of SPA: for every two systems, Σd and Σd², which give p by the normal distribution."""
    from scipy import special

    first, second = pairs_of_systems(len(human))
    rated = (~np.isnan(human)).astype(float)
    filled = np.where(rated > 0, values, 0.0)

    def p_values(totals: Floats, squares: Floats, scale: Floats | float) -> Floats:
        varies = squares > 1e-12 * scale
        z = np.divide(totals, np.sqrt(np.where(varies, squares, 1.0)))
        result: Floats = np.where(varies, special.ndtr(-z), 1.0)
        return result

    def differences(scores: Floats) -> Floats:
        result: Floats = np.where(rated[first] * rated[second] > 0, scores[first] - scores[second], 0.0)
        return result

    of_people = differences(np.where(rated > 0, human, 0.0))
    people = p_values(of_people.sum(axis=1), (of_people**2).sum(axis=1), 0.0)
    if exchanged == "segments":
        whole = [differences(row) for row in filled]
        scale = np.maximum.reduce([(row**2).sum(axis=1) for row in whole])

        def finish(sums: Floats) -> Floats:
            totals, squares = np.split(sums[:, :, 0], 2, axis=1)
            value: Floats = 1 - np.abs(p_values(totals, squares, scale) - people).mean(axis=1)
            return value

        return linear([np.concatenate([row, row**2])[:, None] for row in whole], masks, exchanged, "", finish)

    def sums(one: Floats, other: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Σd, Σd² and their scale where a pair's first system has scores of one, the second of the other."""
        pick = (..., first, second)
        beside, apart = rated.T, (one @ np.swapaxes(other, -1, -2))[pick]
        left, right = (one @ beside)[pick], np.swapaxes(other @ beside, -1, -2)[pick]
        own, others = ((one * one) @ beside)[pick], np.swapaxes((other * other) @ beside, -1, -2)[pick]
        return left - right, own + others - 2 * apart, own + others

    def of_systems(pairs: Pairs) -> Permuted:
        kinds = 2 * masks[:, first] + masks[:, second], 3 - 2 * masks[:, first] - masks[:, second]
        for pair in pairs:
            sides = [filled[at] for at in pair]
            tables = p_values(
                *(np.stack(each) for each in zip(*(sums(a, b) for a in sides for b in sides), strict=True))
            )
            found = [1 - np.abs(tables[kind, np.arange(len(first))] - people).mean(axis=1) for kind in kinds]
            yield pair, 0, found[0] - found[1]

    def of_scores(pairs: Pairs) -> Permuted:
        for pair in pairs:
            for start, block in _blocks(masks, 8 * masks[0].size):
                one, other = filled[pair[0]], filled[pair[1]]
                sides = np.where(block, other, one), np.where(block, one, other)
                found = [1 - np.abs(p_values(*sums(side, side)) - people).mean(axis=1) for side in sides]
                yield pair, start, found[0] - found[1]

    return of_systems if exchanged == "systems" else of_scores


class Comparisons:
    """Comparisons of two systems on a segment, with people's order and the metrics' scores.

    Args:
        rankings: people's comparisons.
        values: the metrics' scores.
    """

    def __init__(self, rankings: Rankings, values: Floats) -> None:
        _, systems, segments = values.shape
        self.systems, self.length = systems, segments
        self.segments = rankings.segments
        self.first = np.minimum(rankings.better, rankings.worse)
        self.second = np.maximum(rankings.better, rankings.worse)
        self.order = np.where(rankings.ties, 0, np.where(rankings.better < rankings.worse, 1, -1)).astype(np.int8)
        self.pair = self.first * systems - self.first * (self.first + 1) // 2 + self.second - self.first - 1
        rows = np.arange(len(values))
        self._left = values[rows[:, None], self.first, self.segments]
        self._right = values[rows[:, None], self.second, self.segments]

    def differences(self, one: int, other: int) -> Floats:
        """Return how far the first system, by one metric, is above the second, by the other."""
        result: Floats = self._left[one] - self._right[other]
        return result


Table: TypeAlias = Callable[[int, int], list[Floats]]
"""What comparisons give where the first system has its score from one metric, the second from the other.

For an exchange of systems sums ``(pairs of systems, groups)``; for one of scores ``(segments, pairs of systems)``.
"""


def quadratic(table: Table, masks: Masks, one: int, other: int) -> Iterator[tuple[int, list[Floats], list[Floats]]]:
    """Exchange scores of which two at a time are compared, for two metrics.

    With m the mask, a comparison is T₀₀ + m₁ (T₁₀ − T₀₀) + m₂ (T₀₁ − T₀₀) + m₁ m₂ (T₀₀ − T₀₁ − T₁₀ + T₁₁); the last
    part is the same for both metrics.

    Args:
        table: sums of comparisons.
        masks: what is exchanged.
        one, other: the metrics.

    Yields:
        The first of some samples, and for each metric the sums, ``(samples, groups)``.
    """
    systems = masks.shape[1]
    first, second = pairs_of_systems(systems)
    whole = masks.ndim == 2
    tables = zip(table(one, one), table(one, other), table(other, one), table(other, other), strict=True)
    prepared: list[tuple[Floats, ...] | None] = []
    for aa, ab, ba, bb in tables:
        if not (aa.any() or ab.any() or ba.any() or bb.any()):
            prepared.append(None)
            continue
        both = aa - ab - ba + bb
        steps = (ba - aa, ab - aa), (ab - bb, ba - bb)
        if whole:
            known = [_at_systems(left, first, systems) + _at_systems(right, second, systems) for left, right in steps]
            prepared.append((aa.sum(axis=0), bb.sum(axis=0), *known, both))
        else:
            square = np.zeros((len(aa), systems, systems), aa.dtype)
            square[:, first, second] = both
            known = [
                (_at_systems(left.T, first, systems) + _at_systems(right.T, second, systems)).T for left, right in steps
            ]
            prepared.append((aa.sum(axis=1), bb.sum(axis=1), *known, square))
    groups = aa.shape[1] if whole else len(aa)
    for start, block in _blocks(masks, groups * (1 if whole else systems)):
        mask = block.astype(aa.dtype)
        sides: tuple[list[Floats], list[Floats]] = ([], [])
        features = mask[:, first] * mask[:, second] if whole else np.ascontiguousarray(mask.transpose(2, 0, 1))
        for entry in prepared:
            if entry is None:
                for side in sides:
                    side.append(np.zeros((len(mask), groups)))
                continue
            *constants, one_step, other_step, both = entry
            if whole:
                joint = features @ both
                moved = [mask @ step for step in (one_step, other_step)]
            else:
                joint = np.einsum("nbs,nbs->bn", features @ both, features)
                moved = [np.einsum("nbs,ns->bn", features, step) for step in (one_step, other_step)]
            for side, constant, step in zip(sides, constants, moved, strict=True):
                side.append(constant + step + joint)
        yield start, *sides


def _at_systems(rows: Floats, system: Integers, systems: int) -> Floats:
    """Sum rows by their system, ``(pairs, groups)`` → ``(systems, groups)``."""
    found = np.zeros((systems, rows.shape[1]), rows.dtype)
    np.add.at(found, system, rows)
    return found


class Summed:
    """Sums of what comparisons give, where each system has its score from one of two metrics.

    Args:
        comparisons: what is compared.
        masks: what is exchanged, ``(samples, systems)`` or ``(samples, systems, segments)``.
        columns: from differences of scores, ``(comparisons,)``, to what is summed.
        total: whether comparisons of all segments are summed.
        counted: whether sums count something; single precision holds them exactly.
    """

    def __init__(
        self,
        comparisons: Comparisons,
        masks: Masks,
        columns: Callable[[Floats], Sequence[Floats | Masks]],
        *,
        total: bool = False,
        counted: bool = True,
    ) -> None:
        self._comparisons, self._masks, self._columns = comparisons, masks, columns
        pairs, length = comparisons.systems * (comparisons.systems - 1) // 2, comparisons.length
        self._whole, self._total = masks.ndim == 2, total
        if self._whole:
            groups = 1 if total else length
            self._places = comparisons.pair * groups + (0 if total else comparisons.segments)
            self._shape = pairs, groups
        else:
            self._places, self._shape = comparisons.segments * pairs + comparisons.pair, (length, pairs)
        self._type = np.float32 if counted and not (total and self._whole) else float
        self._own: dict[int, list[Floats]] = {}

    def _table(self, one: int, other: int) -> list[Floats]:
        if one == other and one in self._own:
            return self._own[one]
        columns = self._columns(self._comparisons.differences(one, other))
        size = self._shape[0] * self._shape[1]
        sums = [np.bincount(self._places, each, size).reshape(self._shape).astype(self._type) for each in columns]
        if one == other:
            self._own[one] = sums
        return sums

    def __call__(self, one: int, other: int) -> Iterator[tuple[int, list[list[Floats]]]]:
        """Yield the first of some samples, and both metrics' sums, ``(samples, segments)`` or ``(samples, 1)``."""
        for start, *sides in quadratic(self._table, self._masks, one, other):
            if self._total and not self._whole:
                sides = [[sums.sum(axis=1, keepdims=True, dtype=float) for sums in side] for side in sides]
            yield start, [[np.asarray(sums, float) for sums in side] for side in sides]


def counted(
    comparisons: Comparisons, masks: Masks, finish: Callable[[kendall.PairCounts], Floats], *, total: bool = False
) -> Exchange:
    """Exchange the counts of pairs that τ and accuracy are made of.

    Args:
        comparisons: what is compared.
        masks: what is exchanged, ``(samples, systems)`` or ``(samples, systems, segments)``.
        finish: the measure as a function of the counts, ``(samples, segments)``, or ``(samples, 1)`` of the total.
        total: whether pairs of all segments are counted together.
    """
    order = comparisons.order
    tied = order == 0

    def columns(differences: Floats) -> list[Floats | Masks]:
        equal = differences == 0
        return [np.sign(differences) * order, equal, equal & tied]

    width = 1 if total else comparisons.length
    at = np.zeros(len(order), int) if total else comparisons.segments
    strict, human_ties = (np.bincount(at, each, width) for each in (~tied, tied))
    summed = Summed(comparisons, masks, columns, total=total)

    def value(sums: list[Floats]) -> Floats:
        agree, equal, both = sums
        metric_ties = equal - both
        untied = strict - metric_ties
        return finish(
            kendall.PairCounts((untied + agree) / 2, (untied - agree) / 2, metric_ties, human_ties - both, both)
        )

    def exchange(pairs: Pairs) -> Permuted:
        for pair in pairs:
            for start, sides in summed(*pair):
                one, other = map(value, sides)
                yield pair, start, one - other

    return exchange


def mean_tau_b(counts: kendall.PairCounts) -> Floats:
    """Return the mean of segments' τ-b, where it is defined."""
    agree, disagree, metric, human, _ = map(np.asarray, counts)
    size = np.sqrt((agree + disagree + metric) * (agree + disagree + human))
    return _mean_defined(_quotient(agree - disagree, size))


def mean_accuracy(counts: kendall.PairCounts) -> Floats:
    """Return the mean of segments' accuracy, for which ties of both sides are right."""
    every = np.stack([np.asarray(count) for count in counts])
    return _mean_defined(_quotient(every[0] + every[4], every.sum(axis=0)))


def spearman_by_segment(comparisons: Comparisons, masks: Masks) -> Exchange:
    """Exchange Spearman's ρ over systems, averaged over segments; every two rated systems must be compared.

    Ranks less their mean are sums of signs over the other systems, and ties lessen their sum of squares by
    (t³ − t) / 12 for t equal scores.
    """
    first, second, segments = comparisons.first, comparisons.second, comparisons.segments
    systems, length = comparisons.systems, comparisons.length
    cells = systems * length
    human = np.bincount(first * length + segments, comparisons.order / 2, cells) - np.bincount(
        second * length + segments, comparisons.order / 2, cells
    )
    norm = (human.reshape(systems, length) ** 2).sum(axis=0)
    weight = (human[first * length + segments] - human[second * length + segments]) / 2
    pairs = np.bincount(segments, minlength=length)
    size = (1 + np.sqrt(1 + 8 * pairs)) / 2
    most = (size**3 - size) / 12
    summed = Summed(comparisons, masks, lambda differences: [np.sign(differences) * weight], counted=False)

    def tie_terms(one: int, other: int, start: int, count: int) -> tuple[Floats, Floats] | None:
        """Return Σ (t³ − t) of both metrics, ``(samples, segments)``; ``None`` if no scores can tie."""
        equal = [comparisons.differences(a, b) == 0 for a in (one, other) for b in (one, other)]
        tied = np.unique(segments[np.logical_or.reduce(equal)])
        if not len(tied):
            return None
        place = np.full(length, -1)
        place[tied] = np.arange(len(tied))
        tables = np.zeros((2, 2, len(tied), systems, systems), np.float32)
        for number, rows in enumerate(equal):
            a, b = divmod(number, 2)
            at = place[segments[rows]]
            tables[a, b, at, first[rows], second[rows]] = 1
            tables[b, a, at, second[rows], first[rows]] = 1
        mask = masks[start : start + count].astype(np.float32)
        mask = mask[None] if mask.ndim == 2 else mask[:, :, tied].transpose(2, 0, 1)
        found = []
        for own in (mask, 1 - mask):
            sizes = [
                1 + tables[a, 0].sum(axis=2)[:, None] + own @ (tables[a, 1] - tables[a, 0]).transpose(0, 2, 1)
                for a in (0, 1)
            ]
            result = np.zeros((count, length))
            result[:, tied] = (np.where(own > 0, sizes[1], sizes[0]) ** 2 - 1).sum(axis=2).T
            found.append(result)
        return found[0], found[1]

    def exchange(upper: Pairs) -> Permuted:
        for pair in upper:
            for start, sides in summed(*pair):
                ties = tie_terms(*pair, start, len(sides[0][0]))
                spreads = [most, most] if ties is None else [most - each / 12 for each in ties]
                one, other = (
                    _mean_defined(np.clip(_quotient(sums[0], np.sqrt(spread * norm)), -1.0, 1.0))
                    for sums, spread in zip(sides, spreads, strict=True)
                )
                yield pair, start, one - other

    return exchange


BINS = 2048
"""Ranges of thresholds that a search for the best one looks at first, at most."""


class TiedAccuracy:
    """Exchanges scores of accuracy with tie calibration: each sample has its own best threshold, which is exact.

    Accuracies at the ends of ranges of thresholds are products of matrices. Between them accuracy cannot rise by more
    than the people's ties in a range; only ranges that can hold the best threshold are looked at closely.

    Args:
        comparisons: what is compared.
        masks: what is exchanged: segments or systems.
        exchanged: which of them.
    """

    def __init__(self, comparisons: Comparisons, masks: Masks, exchanged: str) -> None:
        self._comparisons, self._masks = comparisons, masks
        self._by_segment = exchanged == "segments"
        sizes = np.bincount(comparisons.segments, minlength=comparisons.length)
        self._value = 1.0 / sizes[comparisons.segments]
        self._total = float(self._value.sum())
        self._bins = min(BINS, 8 + len(comparisons.segments) // 64)
        self._unit = comparisons.segments if self._by_segment else comparisons.pair
        systems = comparisons.systems
        self._units = comparisons.length if self._by_segment else systems * (systems - 1) // 2
        self._own: dict[int, tuple[NDArray[Any], ...]] = {}
        self._scale, self._ranges = 1.0, np.zeros(1, int)

    def _entries(self, one: int, other: int) -> tuple[NDArray[Any], ...]:
        """Return unit, size, range and gain of comparisons that a threshold changes, and what is right without one."""
        if one == other and one in self._own:
            return self._own[one]
        differences = self._comparisons.differences(one, other)
        tied = self._comparisons.order == 0
        right = self._comparisons.order * differences > 0
        gain = np.where(tied, self._value, np.where(right, -self._value, 0.0))
        rows = tied | right
        start = np.bincount(self._unit[right], self._value[right], self._units)
        size = np.abs(differences)[rows]
        # Any ranges do that larger sizes do not leave downwards: a fine grid is quicker than a search.
        place = self._ranges[np.minimum(size * self._scale, len(self._ranges) - 1).astype(np.int32)]
        found: tuple[NDArray[Any], ...] = self._unit[rows], size, place, gain[rows], start
        if one == other:
            self._own[one] = found
        return found

    def _table(self, one: int, other: int) -> Floats:
        """Return ``(units, 1 + 2 × ranges)``: what is right without a threshold, gains, and gains above 0."""
        unit, _, at, gain, start = self._entries(one, other)
        place = unit * (self._bins + 1) + at
        shape = self._units, self._bins + 1
        gains = [np.bincount(place, each, shape[0] * shape[1]).reshape(shape) for each in (gain, np.maximum(gain, 0))]
        return np.concatenate([start[:, None], *gains], axis=1)

    def __call__(self, pairs: Pairs) -> Permuted:
        """Yield the differences of each pair of metrics."""
        metrics = sorted({each for pair in pairs for each in pair})
        few = slice(None, None, 1 + len(self._unit) // 20000)
        sample = np.concatenate([np.abs(self._comparisons.differences(each, each)[few]) for each in metrics])
        self._scale = (1 << 16) / max(float(sample.max(initial=0)), 1e-300)
        edges = np.quantile(sample, np.linspace(0, 1, self._bins + 1)[1:]) if len(sample) else np.zeros(self._bins)
        self._ranges = np.searchsorted(edges, np.arange((1 << 16) + 1) / self._scale)
        for start, masks in _blocks(self._masks, self._bins * (10 if self._by_segment else 2)):
            yield from self._block(pairs, metrics, start, masks)

    def _block(self, pairs: Pairs, metrics: Sequence[int], start: int, masks: Masks) -> Permuted:
        if self._by_segment:
            mask = masks.astype(float)
            own, moved = {}, {}
            for each in metrics:
                table = self._table(each, each)
                own[each], moved[each] = table.sum(axis=0), mask @ table
            picked = [np.concatenate([~masks, masks], axis=1), np.concatenate([masks, ~masks], axis=1)]
        else:
            first, second = pairs_of_systems(self._comparisons.systems)
            picked = []
            for side in (masks, ~masks):
                a, b = side[:, first], side[:, second]
                picked.append(np.concatenate([~a & ~b, ~a & b, a & ~b, a & b], axis=1))
            whole = {each: [self._table(each, each)] for each in metrics}
        for one, other in pairs:
            if self._by_segment:
                change = moved[other] - moved[one]
                curves = [own[one] + change, own[other] - change]
                kinds = [(one, one), (other, other)]
            else:
                ((_, *sides),) = quadratic(lambda a, b: whole[a] if a == b else [self._table(a, b)], masks, one, other)
                curves = [side[0] for side in sides]
                kinds = [(a, b) for a in (one, other) for b in (one, other)]
            bests = self._best(curves, picked, kinds)
            yield (one, other), start, (bests[0] - bests[1]) / self._total

    def _best(
        self, curves: Sequence[Floats], picked: Sequence[Masks], kinds: Sequence[tuple[int, int]]
    ) -> list[Floats]:
        found = []
        for curve in curves:
            start, gains, above = curve[:, :1], curve[:, 1 : self._bins + 2], curve[:, self._bins + 2 :]
            ends = start + np.cumsum(gains, axis=1)
            before = ends - gains
            best = np.maximum(start[:, 0], ends.max(axis=1))
            found.append((best, before, before + above > best[:, None] + 1e-12 * self._total))
        hot = np.logical_or.reduce([near.any(axis=0) for _, _, near in found])
        if not hot.any():
            return [best for best, _, _ in found]
        # Comparisons in those ranges, by size.
        parts: list[tuple[NDArray[Any], ...]] = []
        for number, kind in enumerate(kinds):
            own_unit, own_size, own_at, own_gain, _ = self._entries(*kind)
            rows = hot[own_at]
            parts.append((own_unit[rows] + number * self._units, own_size[rows], own_at[rows], own_gain[rows]))
        unit, size, at, gain = map(np.concatenate, zip(*parts, strict=True))
        by_size = np.argsort(size)
        unit, size, at, gain = unit[by_size], size[by_size], at[by_size], gain[by_size]
        last = np.r_[size[1:] != size[:-1], True]
        for chosen in np.flatnonzero(hot):
            left, right = np.searchsorted(at, [chosen, chosen + 1])
            distinct = np.flatnonzero(last[left:right])
            for (best, before, near), mask in zip(found, picked, strict=True):
                rows = np.flatnonzero(near[:, chosen])
                if len(rows):
                    active = mask[rows][:, unit[left:right]] * gain[left:right]
                    highest = before[rows, chosen] + np.cumsum(active, axis=1)[:, distinct].max(axis=1)
                    best[rows] = np.maximum(best[rows], highest)
        return [best for best, _, _ in found]
