"""Compares the rank correlations of two metrics in permutation tests.

In each sample, a permutation test exchanges some scores of the two metrics at random.

A rank correlation is a sum over pairs of outputs, divided by a normalizer that depends on ties. The sums ``a`` and
``b`` of the two metrics follow from their difference ``a - b`` and their total ``a + b``:

- The difference is a linear function of the masks, so that it is always exact. The reason is that it does not change if
  pairs with one score of each metric are added to both sums. Each metric then compares its scores with all scores of
  both metrics, whose ranks are the same in all samples.
- The total matters only if the normalizers of the metrics differ. It is counted in a table of metric ranks and human
  scores. If there are many scores, the table is coarse, and the total is an approximation. The approximation does not
  affect the level of a test, because it is the same for all samples.

The module :mod:`.exchange` describes the shapes of scores and masks.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import exchange, kendall
from meteor_e_evaluation.exchange import Differences, Masks
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.segment_coefficients import divide_or_nan

MAX_TABLE_CELLS = 1 << 18
"""Largest number of cells of a table that has one row per metric rank and one column per human score."""

COARSE_TABLE_SIDE = 64
"""Largest number of rows and of columns of a coarse table, in which several ranks share a row."""


def make_rank_correlation_comparer(
    scores: Floats, groups: Sequence[Assessments], masks: Masks, unit: str, coefficient: str
) -> Differences:
    """Return a function that computes the difference between the mean rank correlations of two metrics.

    Args:
        scores: scores of each metric.
        groups: human scores of each group. The outputs of a group are ranked together.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    ranking_class = RANKINGS[coefficient]
    unit_masks = np.ascontiguousarray(masks.reshape(len(masks), -1).T, float)  # (units, samples)
    n_units, n_samples = unit_masks.shape
    n_segments = scores.shape[2]
    rated_groups = [_RatedGroup(ratings, _find_units(ratings, unit, n_segments)) for ratings in groups if len(ratings)]

    def compute_differences(first: int, second: int) -> Floats:
        if not rated_groups:
            return np.full(n_samples, np.nan)
        rankings = [ranking_class(group.rank(scores[first], scores[second]), n_units) for group in rated_groups]
        first_means, second_means = _average_coefficients(rankings, unit_masks)
        return np.asarray(first_means - second_means)

    return compute_differences


class _RatedGroup(NamedTuple):
    """Outputs that are ranked together.

    Attributes:
        ratings: human scores of the outputs.
        units: index of the exchanged unit of each output.
    """

    ratings: Assessments
    units: Integers

    def rank(self, first_scores: Floats, second_scores: Floats) -> RankedScores:
        """Rank the scores of two metrics for the outputs of the group, given arrays ``(systems, segments)``."""
        rated_outputs = (self.ratings.systems, self.ratings.segments)
        return rank_jointly(self.ratings.scores, first_scores[rated_outputs], second_scores[rated_outputs], self.units)


def _find_units(ratings: Assessments, unit: str, n_segments: int) -> Integers:
    """Return the index of the exchanged unit of each rating.

    Args:
        ratings: human scores of outputs.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
        n_segments: number of segments of the test set.
    """
    output_index = ratings.systems * n_segments + ratings.segments
    units = {"segments": ratings.segments, "systems": ratings.systems, "scores": output_index}
    return units[unit]


def _average_coefficients(rankings: Sequence[JointRanking], unit_masks: Floats) -> Floats:
    """Return the mean of the coefficients over groups, for both metrics in each sample.

    The samples are processed in blocks, because all samples together may need too much memory.

    Args:
        rankings: one joint ranking per group of ratings.
        unit_masks: masks of the exchanged units, ``(units, samples)``.

    Returns:
        An array ``(2, samples)``. The mean does not include groups in which the coefficient is undefined.
    """
    largest_array = max(ranking.largest_array for ranking in rankings)
    block_size = max(1, exchange.BLOCK // largest_array)
    n_samples = unit_masks.shape[1]
    means = []
    for start in range(0, n_samples, block_size):
        block_masks = unit_masks[:, start : start + block_size]
        coefficients = np.stack([ranking.coefficients(block_masks) for ranking in rankings])  # (groups, 2, block_size)
        n_defined = (~np.isnan(coefficients)).sum(axis=0)
        means.append(divide_or_nan(np.nansum(coefficients, axis=0), n_defined))
    return np.concatenate(means, axis=1)


@dataclass(frozen=True)
class RankedScores:
    """The scores of two metrics for the same outputs in one list, which is sorted by score.

    Every output has two scores in the list. Each array has one element per score, except for ``level_sizes``.

    Attributes:
        is_first: whether the score belongs to the first metric without an exchange.
        units: index of the exchanged unit of the output.
        ranks: rank of the score, starting from 0. Equal scores have the same rank.
        levels: rank of the output's rating among the distinct ratings.
        level_sizes: number of outputs with each rating, ``(levels,)``.
    """

    is_first: NDArray[np.bool_]
    units: Integers
    ranks: Integers
    levels: Integers
    level_sizes: Floats

    @property
    def n_outputs(self) -> int:
        """Number of outputs, which is half the number of scores."""
        return len(self.ranks) // 2

    def select(self, rows: NDArray[np.bool_]) -> RankedScores:
        """Return some of the scores, selected by a mask."""
        return dataclasses.replace(
            self,
            is_first=self.is_first[rows],
            units=self.units[rows],
            ranks=self.ranks[rows],
            levels=self.levels[rows],
        )


def rank_jointly(
    human_scores: Floats, first_scores: Floats, second_scores: Floats, output_units: Integers
) -> RankedScores:
    """Rank the scores of two metrics together in one list.

    Args:
        human_scores: rating of each output.
        first_scores, second_scores: scores of each output by the two metrics.
        output_units: index of the exchanged unit of each output.
    """
    _, output_levels, level_sizes = np.unique(human_scores, return_inverse=True, return_counts=True)
    # The first half of each array belongs to the first metric, the second half to the second metric.
    scores = np.concatenate([first_scores, second_scores])
    levels = np.tile(output_levels, 2)
    units = np.tile(output_units, 2)
    # The scores are sorted in ascending order.
    # Equal scores are sorted by decreasing rating, because ties must not count as concordant pairs.
    order = np.lexsort((-levels, scores))
    is_higher_than_previous = np.diff(scores[order]) != 0
    ranks = np.cumsum(np.r_[False, is_higher_than_previous])
    is_first = order < len(human_scores)
    return RankedScores(is_first, units[order], ranks, levels[order], level_sizes.astype(float))


class KeyCounter:
    """Counts how often each key occurs among the scores of each metric in each sample.

    For example, an output may have the key 3 with the first metric, and the key 5 with the second metric. If the
    metrics exchange the scores of this output, the first metric loses the key 3 and gains the key 5. The second metric
    loses the key 5 and gains the key 3.

    Args:
        scores: the scores of both metrics.
        keys: key of each score, from 0 to ``n_keys - 1``.
        n_keys: number of keys.
        n_units: number of exchanged units.
    """

    def __init__(self, scores: RankedScores, keys: Integers, n_keys: int, n_units: int) -> None:
        from scipy import sparse

        changes = np.where(scores.is_first, -1.0, 1.0)
        # The changes of the counts of the first metric if the metrics exchange a unit, (keys, units).
        self._changes_by_unit = sparse.csr_matrix((changes, (keys, scores.units)), (n_keys, n_units))
        self._first_counts = np.bincount(keys, scores.is_first, n_keys)[:, None]
        self._total_counts = np.bincount(keys, minlength=n_keys)[:, None]

    def count(self, masks: Floats) -> Floats:
        """Count the keys of both metrics.

        Args:
            masks: masks of the exchanged units, ``(units, samples)``.

        Returns:
            An array ``(2, keys, samples)``.
        """
        first_counts = self._first_counts + self._changes_by_unit @ masks
        return np.stack([first_counts, self._total_counts - first_counts])


def make_tie_counter(scores: RankedScores, values: Integers, n_units: int) -> KeyCounter:
    """Return a counter of the values that occur repeatedly among the scores of both metrics.

    Args:
        scores: the scores of both metrics.
        values: value of each score, such as its rank.
        n_units: number of exchanged units.
    """
    _, value_index, n_occurrences = np.unique(values, return_inverse=True, return_counts=True)
    is_repeated = n_occurrences[value_index] > 1
    repeated_values, keys = np.unique(values[is_repeated], return_inverse=True)
    return KeyCounter(scores.select(is_repeated), keys, len(repeated_values), n_units)


class RankTable:
    """A table that counts the scores of each metric by rank and rating.

    The rows are ranks of scores, and the columns are ratings. In a coarse table, several ranks share a row, and several
    ratings share a column.

    Args:
        scores: the scores of both metrics.
        n_units: number of exchanged units.

    Attributes:
        shape: number of rows and number of columns.
        column_of_level: column of each rating, in ascending order.
    """

    def __init__(self, scores: RankedScores, n_units: int) -> None:
        n_levels = len(scores.level_sizes)
        n_ranks = int(scores.ranks[-1]) + 1
        n_rows, n_columns = _choose_table_shape(n_ranks, n_levels)
        self.shape = (n_rows, n_columns)
        self.column_of_level = np.arange(n_levels) * n_columns // n_levels
        row_of_score = scores.ranks * n_rows // n_ranks
        cell_of_score = row_of_score * n_columns + self.column_of_level[scores.levels]
        self._counter = KeyCounter(scores, cell_of_score, n_rows * n_columns, n_units)

    def count(self, masks: Floats) -> Floats:
        """Return the numbers of scores in each cell, ``(2, rows, columns, samples)``.

        Args:
            masks: masks of the exchanged units, ``(units, samples)``.
        """
        return self._counter.count(masks).reshape(2, *self.shape, -1)


class JointRanking(ABC):
    """Computes a rank correlation of two metrics after they exchange scores.

    The correlation of a metric is ``(sum + offset) / normalizer``, in which the sum adds a term for each pair of scores
    of the metric. The method :meth:`sum_pairs` returns, for each score, the sum over all pairs that contain it. Each
    pair is thus counted twice.

    Args:
        scores: the scores of both metrics.
        n_units: number of exchanged units.

    Attributes:
        scores: the scores of both metrics.
        n_units: number of exchanged units.
        table: the table that counts the scores of each metric.
    """

    def __init__(self, scores: RankedScores, n_units: int) -> None:
        self.scores = scores
        self.n_units = n_units
        self.table = RankTable(scores, n_units)
        # Without an exchange, each metric is computed from pairs of its own scores. The total adds up both metrics.
        first_sums = self.sum_pairs(scores.select(scores.is_first))
        second_sums = self.sum_pairs(scores.select(~scores.is_first))
        self._total = (first_sums.sum() + second_sums.sum()) / 2
        # In the difference of the sums, the pairs of scores of different metrics cancel each other out. The difference
        # therefore equals half the sum of ±pair_sums, in which the sign is + for the scores of the first metric.
        # An exchange reverses the signs of a unit's scores, which decreases the difference by their signed sum.
        pair_sums = self.sum_pairs(scores)
        signed_sums = np.where(scores.is_first, pair_sums, -pair_sums)
        self._difference = signed_sums.sum() / 2
        self._decrease_by_unit = np.bincount(scores.units, signed_sums, n_units)

    @cached_property
    def rank_counter(self) -> KeyCounter:
        """Counter of the ranks that occur repeatedly."""
        return make_tie_counter(self.scores, self.scores.ranks, self.n_units)

    @property
    def largest_array(self) -> int:
        """The size of the largest array that a single sample needs."""
        return max(len(self.scores.ranks), math.prod(self.table.shape))

    @abstractmethod
    def sum_pairs(self, scores: RankedScores) -> Floats:
        """Return one sum for each score, over all pairs of the score and another score."""

    @abstractmethod
    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Sum the terms of both metrics over pairs of scores in different cells of a table.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.

        Returns:
            An array ``(samples,)``.
        """

    @abstractmethod
    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset and the normalizer of each metric's coefficient, as two arrays ``(2, samples)``."""

    def coefficients(self, masks: Floats) -> Floats:
        """Return the coefficient of both metrics in each sample, or NaN where the coefficient is undefined.

        Args:
            masks: masks of the exchanged units, ``(units, samples)``.

        Returns:
            An array ``(2, samples)``.
        """
        differences = self._difference - self._decrease_by_unit @ masks  # a - b, with the sums a and b of the metrics
        totals = self._estimate_totals(masks)  # a + b
        first_sums = (totals + differences) / 2
        second_sums = (totals - differences) / 2
        offsets, normalizers = self.offset_and_normalizer(masks)
        return divide_or_nan(np.stack([first_sums, second_sums]) + offsets, normalizers)

    def _estimate_totals(self, masks: Floats) -> Floats:
        """Return the total of the sums of both metrics in each sample.

        The total without an exchange is exact. The table only estimates how an exchange changes the total.
        """
        without_exchange = np.zeros((len(masks), 1))
        table = self.table.count(np.hstack([without_exchange, masks]))  # (2, rows, columns, 1 + samples)
        lower_rows = np.cumsum(table, axis=1) - table
        table_totals = self.sum_table_pairs(table, lower_rows)
        return np.asarray(self._total + table_totals[1:] - table_totals[0])


class SpearmanRanking(JointRanking):
    """A joint ranking for Spearman's ρ.

    Each output contributes the weight of its human rating, multiplied by the difference between the number of lower
    scores and the number of higher scores.
    """

    @property
    def level_weights(self) -> Floats:
        """A weight for each distinct human rating.

        The weight is twice the difference between the mean rank of the rating and the mean of all ranks.
        """
        level_sizes = self.scores.level_sizes
        return np.asarray(2 * np.cumsum(level_sizes) - level_sizes - self.scores.n_outputs)

    def sum_pairs(self, scores: RankedScores) -> Floats:
        """Compare the weight of each score with the weights of all other scores.

        For a score with the weight ``w``, the result is the sum of ``w - v`` over the weights ``v`` of all lower
        scores, minus the sum of ``w - v`` over the weights ``v`` of all higher scores. A sum of ``w - v`` over ``n``
        scores equals ``w * n`` minus the total weight of the scores.
        """
        weights = self.level_weights[scores.levels]
        # The ranks are sorted, so the lower scores come first, and the higher scores come last.
        n_lower = np.searchsorted(scores.ranks, scores.ranks, "left")
        n_not_higher = np.searchsorted(scores.ranks, scores.ranks, "right")
        n_higher = len(weights) - n_not_higher
        weight_before = np.r_[0.0, np.cumsum(weights)]  # The total weight of the scores before each position.
        weight_of_lower = weight_before[n_lower]
        weight_of_higher = weight_before[-1] - weight_before[n_not_higher]
        return np.asarray((weights * n_lower - weight_of_lower) - (weights * n_higher - weight_of_higher))

    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Sum the weight differences between each score and all lower scores."""
        level_sizes = self.scores.level_sizes
        column_of_level = self.table.column_of_level
        weight_sums = np.bincount(column_of_level, self.level_weights * level_sizes)
        column_weights = weight_sums / np.bincount(column_of_level, level_sizes)
        # The indices are k for the metric, r for the row, l for the column, and s for the sample.
        row_weights = np.einsum("l,krls->krs", column_weights, table)
        lower_weights = np.einsum("l,krls->krs", column_weights, lower_rows)
        pair_sums = row_weights * lower_rows.sum(axis=2) - lower_weights * table.sum(axis=2)
        return np.asarray(pair_sums.sum(axis=(0, 1)))

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset 0 and the normalizer of Spearman's ρ.

        The normalizer is the product of the standard deviations of metric ranks and human ranks.
        """
        metric_ties = self.rank_counter.count(masks)  # (2, ranks, samples)
        human_ties = self.scores.level_sizes
        n_outputs = self.scores.n_outputs
        sum_without_ties = float(n_outputs**3 - n_outputs)
        metric_sums = sum_without_ties - (metric_ties**3 - metric_ties).sum(axis=1)
        human_sum = sum_without_ties - (human_ties**3 - human_ties).sum()
        return np.zeros_like(metric_sums), np.sqrt(metric_sums * human_sum) / 3


class ConcordanceRanking(JointRanking):
    """Base class of joint rankings for coefficients that count concordant pairs.

    Args:
        scores: the scores of both metrics.
        n_units: number of exchanged units.

    Attributes:
        n_pairs: number of pairs of outputs.
        n_human_ties: number of pairs that the annotators tied.
    """

    def __init__(self, scores: RankedScores, n_units: int) -> None:
        super().__init__(scores, n_units)
        self.n_pairs = scores.n_outputs * (scores.n_outputs - 1) / 2
        self.n_human_ties = _count_tied_pairs(scores.level_sizes, axis=0)
        cells = scores.ranks * len(scores.level_sizes) + scores.levels
        self._cell_counter = make_tie_counter(scores, cells, n_units)

    def count_common_ties(self, masks: Floats) -> Floats:
        """Count the pairs that both metric and annotators tie, for both metrics in each sample, ``(2, samples)``."""
        return _count_tied_pairs(self._cell_counter.count(masks), axis=1)

    def sum_pairs(self, scores: RankedScores) -> Floats:
        """Return the number of concordant pairs that contain each score."""
        return kendall.count_concordant(scores.levels)

    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Count the concordant pairs of scores in different rows and columns of the table."""
        lower_rows_and_columns = np.cumsum(lower_rows, axis=2) - lower_rows
        # The indices are k for the metric, r for the row, l for the column, and s for the sample.
        return np.asarray(np.einsum("krls,krls->s", table, lower_rows_and_columns))


class AccuracyRanking(ConcordanceRanking):
    """A joint ranking for pairwise accuracy with ties.

    The accuracy is the number of concordant pairs and of common ties, divided by the number of all pairs.
    """

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the number of common ties and the number of all pairs."""
        n_common_ties = self.count_common_ties(masks)
        return n_common_ties, np.full_like(n_common_ties, self.n_pairs)


class TauBRanking(ConcordanceRanking):
    """A joint ranking for Kendall's τ-b.

    With ``C`` concordant and ``D`` discordant pairs, the sum plus the offset is ``(C - D) / 2``. All pairs that are
    neither concordant nor tied are discordant, so ``D = n_pairs - C - n_ties``.
    """

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset ``(n_ties - n_pairs) / 2``, and the halved normalizer of the coefficient."""
        tie_sizes = self.rank_counter.count(masks)  # (2, ranks, samples)
        n_metric_ties = _count_tied_pairs(tie_sizes, axis=1)
        n_common_ties = self.count_common_ties(masks)
        n_ties = n_metric_ties + self.n_human_ties - n_common_ties
        return (n_ties - self.n_pairs) / 2, self.normalize(tie_sizes, n_metric_ties) / 2

    def normalize(self, tie_sizes: Floats, n_metric_ties: Floats) -> Floats:
        """Return the geometric mean of the pairs that are not tied by the metric and not tied by the annotators.

        Args:
            tie_sizes: number of scores with each repeated rank, ``(2, ranks, samples)``.
            n_metric_ties: number of pairs that each metric ties, ``(2, samples)``.
        """
        return np.asarray(np.sqrt(self.n_pairs - n_metric_ties) * np.sqrt(self.n_pairs - self.n_human_ties))


class TauCRanking(TauBRanking):
    """A joint ranking for Stuart's τ-c."""

    def normalize(self, tie_sizes: Floats, n_metric_ties: Floats) -> Floats:
        """Return the normalizer of Stuart's τ-c.

        The normalizer uses the number of distinct metric scores or of distinct ratings, whichever is smaller.
        """
        n_outputs = self.scores.n_outputs
        n_repetitions = (tie_sizes - (tie_sizes > 0)).sum(axis=1)
        n_levels = np.minimum(n_outputs - n_repetitions, len(self.scores.level_sizes))
        return np.asarray(n_outputs**2 * (n_levels - 1) / (2 * np.maximum(n_levels, 1)))


RANKINGS: dict[str, type[JointRanking]] = {
    "spearman": SpearmanRanking,
    "kendall": TauBRanking,
    "kendall-c": TauCRanking,
    "acc": AccuracyRanking,
}
"""The class of the joint rankings for each coefficient."""


def _choose_table_shape(n_ranks: int, n_levels: int) -> tuple[int, int]:
    """Choose the number of rows and columns of a table of ranks and human ratings.

    The table is coarser if one cell for each rank and rating would need too much memory.
    """
    if n_ranks * n_levels <= MAX_TABLE_CELLS:
        return n_ranks, n_levels
    return min(n_ranks, COARSE_TABLE_SIDE), min(n_levels, COARSE_TABLE_SIDE)


def _count_tied_pairs(tie_sizes: Floats, axis: int) -> Floats:
    """Count the tied pairs in groups of equal scores.

    The sizes of the groups are given along an axis of the array.
    """
    return np.asarray((tie_sizes * (tie_sizes - 1) / 2).sum(axis=axis))
