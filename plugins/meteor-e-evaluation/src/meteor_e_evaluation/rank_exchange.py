"""Compares the rank correlations of two metrics in permutation tests.

In each sample, a permutation test swaps some scores between the two metrics at random.

A rank correlation compares all pairs of outputs, and adds up a number for each pair. The sum is divided by a normalizer
that depends on ties. Let ``a`` and ``b`` be the sums of the two metrics. The module first computes ``a - b`` and
``a + b``, and then derives ``a`` and ``b`` from these two numbers:

- The difference ``a - b`` is a linear function of the masks, so that it is always exact. The reason is that it does not
  change if pairs with one score of each metric are added to both sums. Each metric then compares its scores with all
  scores of both metrics, whose ranks are the same in all samples.
- The total ``a + b`` matters only if the normalizers of the metrics differ. It is counted in a table of metric ranks
  and human scores. If there are many scores, the table is coarse, and the total is an approximation. The approximation
  does not affect the level of a test, because it is the same for all samples.

The module :mod:`.exchange` describes the shapes of scores and masks.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import exchange, kendall
from meteor_e_evaluation.exchange import Masks
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.segment_coefficients import divide_or_nan

MAX_TABLE_CELLS = 1 << 18
"""Largest number of cells of a table that has one row per metric rank and one column per human score."""

COARSE_TABLE_SIDE = 64
"""Largest number of rows and of columns of a coarse table, which combines several ranks in a row."""


class RankCorrelationComparer:
    """Compares two metrics by the mean of their rank correlations over groups of outputs.

    Instances are callables of the type :data:`.exchange.Differences`. A call returns the difference between two metrics
    in each sample of a permutation test.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        groups: human scores of each group. The outputs of a group are ranked together.
        masks: masks of the swapped units.
        unit: the units whose scores are swapped: ``segments``, ``systems`` or ``scores``.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """

    def __init__(
        self, scores: Floats, groups: Sequence[Assessments], masks: Masks, unit: str, coefficient: str
    ) -> None:
        self._scores = scores
        self._coefficient_class = COEFFICIENTS[coefficient]
        self._unit_masks = np.ascontiguousarray(masks.reshape(len(masks), -1).T, float)  # (units, samples)
        n_segments = scores.shape[2]
        rated_groups = [ratings for ratings in groups if len(ratings)]
        self._groups = [(ratings, _find_units(ratings, unit, n_segments)) for ratings in rated_groups]

    def __call__(self, first: int, second: int) -> Floats:
        """Return the difference between the mean correlations of two metrics in each sample of a permutation test.

        Args:
            first, second: indices of the two metrics.
        """
        n_units, n_samples = self._unit_masks.shape
        if not self._groups:
            return np.full(n_samples, np.nan)
        group_coefficients = []
        for ratings, units in self._groups:
            rated_outputs = (ratings.systems, ratings.segments)
            first_scores = self._scores[first][rated_outputs]
            second_scores = self._scores[second][rated_outputs]
            ranked_scores = rank_jointly(ratings.scores, first_scores, second_scores, units)
            group_coefficients.append(self._coefficient_class(ranked_scores, n_units))
        first_means, second_means = _average_coefficients(group_coefficients, self._unit_masks)
        return np.asarray(first_means - second_means)


def _find_units(ratings: Assessments, unit: str, n_segments: int) -> Integers:
    """Return the unit of each rating: the index of the segment, system or output that a permutation test swaps.

    Args:
        ratings: human scores of outputs.
        unit: the units whose scores are swapped: ``segments``, ``systems`` or ``scores``.
        n_segments: number of segments of the test set.
    """
    output_index = ratings.systems * n_segments + ratings.segments
    units = {"segments": ratings.segments, "systems": ratings.systems, "scores": output_index}
    return units[unit]


def _average_coefficients(group_coefficients: Sequence[RankCoefficient], unit_masks: Floats) -> Floats:
    """Average the rank correlations of two metrics over groups of outputs, in each sample of a permutation test.

    The samples are processed in blocks, because all samples together may need too much memory.

    Args:
        group_coefficients: the coefficient of each group.
        unit_masks: masks of the swapped units, ``(units, samples)``.

    Returns:
        An array ``(2, samples)``. The mean does not include groups in which the coefficient is undefined.
    """
    largest_array = max(coefficient.largest_array for coefficient in group_coefficients)
    block_size = max(1, exchange.BLOCK // largest_array)
    n_samples = unit_masks.shape[1]
    means = []
    for start in range(0, n_samples, block_size):
        block_masks = unit_masks[:, start : start + block_size]
        # The array of coefficients has the shape (groups, 2, block_size).
        values = np.stack([coefficient.compute(block_masks) for coefficient in group_coefficients])
        n_defined = (~np.isnan(values)).sum(axis=0)
        means.append(divide_or_nan(np.nansum(values, axis=0), n_defined))
    return np.concatenate(means, axis=1)


@dataclass(frozen=True)
class RankedScores:
    """The scores of two metrics for the same outputs in one list, which is sorted by score.

    The list contains two scores of each system output, one by each metric. Each output also has a human rating. The
    level of an output is the rank of its rating among the distinct ratings, so outputs with equal ratings have equal
    levels. The array ``level_sizes`` has one element per level. All other arrays have one element per score.

    Attributes:
        is_first: whether the score comes from the first metric, before any swap.
        units: index of the unit that contains the output and is swapped as a whole.
        ranks: rank of the score, starting from 0. Equal scores have the same rank.
        levels: rank of the output's rating among the distinct ratings, starting from 0.
        level_sizes: number of outputs with each rating, ``(levels,)``.
    """

    is_first: NDArray[np.bool_]
    units: Integers
    ranks: Integers
    levels: Integers
    level_sizes: Floats

    @property
    def n_outputs(self) -> int:
        """Number of outputs. Each output has two scores, one by each metric."""
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
        output_units: index of the unit of each output, see :class:`RankedScores`.
    """
    n_outputs = len(human_scores)
    _, output_levels, level_sizes = np.unique(human_scores, return_inverse=True, return_counts=True)
    scores = np.concatenate([first_scores, second_scores])
    output_index = np.tile(np.arange(n_outputs), 2)  # The output of each score.
    # Among equal scores, higher ratings come first. Otherwise, ties would count as concordant pairs.
    order = np.lexsort((-output_levels[output_index], scores))
    sorted_outputs = output_index[order]
    is_higher_than_previous = np.diff(scores[order]) != 0
    return RankedScores(
        is_first=order < n_outputs,
        units=output_units[sorted_outputs],
        ranks=np.cumsum(np.r_[False, is_higher_than_previous]),
        levels=output_levels[sorted_outputs],
        level_sizes=level_sizes.astype(float),
    )


class KeyCounter:
    """Counts how many scores of each metric have a certain key, such as a rank, in each sample of a permutation test.

    Suppose that the first metric's score of an output has the key 3, and the second metric's score has the key 5. If
    the two scores are swapped, the first metric's count of the key 3 decreases by one, and its count of the key 5
    increases by one. The opposite is true for the second metric.

    Args:
        scores: the scores of both metrics.
        keys: key of each score, from 0 to ``n_keys - 1``.
        n_keys: number of keys.
        n_units: number of units that can be swapped.
    """

    def __init__(self, scores: RankedScores, keys: Integers, n_keys: int, n_units: int) -> None:
        from scipy import sparse

        # In the first metric's counts, a swap replaces this metric's scores of a unit by the second metric's scores.
        changes = np.where(scores.is_first, -1.0, 1.0)
        self._changes_by_unit = sparse.csr_matrix((changes, (keys, scores.units)), (n_keys, n_units))
        self._first_counts = np.bincount(keys, scores.is_first, n_keys)[:, None]
        self._total_counts = np.bincount(keys, minlength=n_keys)[:, None]

    def count(self, masks: Floats) -> Floats:
        """Count how many scores of each metric have each key, after some scores are swapped between the metrics.

        Args:
            masks: masks of the swapped units, ``(units, samples)``.

        Returns:
            An array ``(2, keys, samples)``.
        """
        first_counts = self._first_counts + self._changes_by_unit @ masks
        return np.stack([first_counts, self._total_counts - first_counts])


def make_tie_counter(scores: RankedScores, values: Integers, n_units: int) -> KeyCounter:
    """Return a counter of scores with equal values. Values that only one score has are not counted.

    Args:
        scores: the scores of both metrics.
        values: value of each score, such as its rank.
        n_units: number of units that can be swapped.
    """
    _, value_index, n_occurrences = np.unique(values, return_inverse=True, return_counts=True)
    is_repeated = n_occurrences[value_index] > 1
    repeated_values, keys = np.unique(values[is_repeated], return_inverse=True)
    return KeyCounter(scores.select(is_repeated), keys, len(repeated_values), n_units)


class RankTable:
    """A table that counts how many scores of each metric have a certain rank and a certain rating.

    The table has one row per rank and one column per rating. If this table would be too large, each row combines
    several adjacent ranks, and each column combines several adjacent ratings.

    Args:
        scores: the scores of both metrics.
        n_units: number of units that can be swapped.

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
        """Count how many scores of each metric belong to each cell of the table.

        Args:
            masks: masks of the swapped units, ``(units, samples)``.

        Returns:
            An array ``(2, rows, columns, samples)``.
        """
        return self._counter.count(masks).reshape(2, *self.shape, -1)


class RankCoefficient(ABC):
    """Base class for computing the rank correlations of two metrics after some of their scores are swapped.

    The coefficient of a metric is ``(pair_sum + offset) / normalizer``. The pair sum adds up one term for each pair of
    outputs. The term depends on the metric's scores of the two outputs.

    Args:
        scores: the scores of both metrics.
        n_units: number of units that can be swapped.

    Attributes:
        scores: the scores of both metrics.
        n_units: number of units that can be swapped.
        table: the numbers of scores of each metric by rank and rating.
    """

    def __init__(self, scores: RankedScores, n_units: int) -> None:
        self.scores = scores
        self.n_units = n_units
        self.table = RankTable(scores, n_units)
        first_terms = self.sum_pairs(scores.select(scores.is_first))
        second_terms = self.sum_pairs(scores.select(~scores.is_first))
        # The sum is halved, because it includes each pair twice, once for each of the two scores of the pair.
        self._total = (first_terms.sum() + second_terms.sum()) / 2
        terms = self.sum_pairs(scores)
        # A pair of scores by different metrics is added once and subtracted once, so only other pairs remain.
        signed_terms = np.where(scores.is_first, terms, -terms)
        self._difference = signed_terms.sum() / 2
        # A swap changes the sum s of a unit's signed terms to -s, so half of the total sum decreases by s.
        self._decrease_by_unit = np.bincount(scores.units, signed_terms, n_units)

    @cached_property
    def rank_counter(self) -> KeyCounter:
        """Counter of scores with equal ranks. Ranks that only one score has are not counted."""
        return make_tie_counter(self.scores, self.scores.ranks, self.n_units)

    @property
    def largest_array(self) -> int:
        """The size of the largest array that a single sample needs."""
        return max(len(self.scores.ranks), math.prod(self.table.shape))

    @abstractmethod
    def sum_pairs(self, scores: RankedScores) -> Floats:
        """For each score, add up the terms of all pairs that consist of this score and another score."""

    @abstractmethod
    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Estimate the total of both metrics' sums over pairs of outputs, using a table of ranks and ratings.

        The estimate does not include pairs of scores in the same row.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.

        Returns:
            The total of both metrics in each sample, ``(samples,)``.
        """

    @abstractmethod
    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the two numbers that convert a metric's sum over pairs of outputs to the rank correlation.

        The coefficient is ``(pair_sum + offset) / normalizer``.

        Args:
            masks: masks of the swapped units, ``(units, samples)``.

        Returns:
            The offset and the normalizer of each metric in each sample, two arrays ``(2, samples)``.
        """

    def compute(self, masks: Floats) -> Floats:
        """Compute the coefficient of both metrics in each sample of a permutation test.

        The coefficient of a metric is ``(pair_sum + offset) / normalizer``. Let ``a`` and ``b`` be the pair sums of the
        two metrics. The method first computes ``a - b`` and ``a + b``, and then derives ``a`` and ``b``.

        Args:
            masks: masks of the swapped units, ``(units, samples)``.

        Returns:
            An array ``(2, samples)``, with NaN where the coefficient is undefined.
        """
        differences = self._difference - self._decrease_by_unit @ masks  # a - b
        totals = self._estimate_totals(masks)  # a + b
        pair_sums = np.stack([totals + differences, totals - differences]) / 2  # a and b
        offsets, normalizers = self.offset_and_normalizer(masks)
        return divide_or_nan(pair_sums + offsets, normalizers)

    def _estimate_totals(self, masks: Floats) -> Floats:
        """For each sample, estimate the total of both metrics' sums over pairs of outputs.

        The total before any swap is exact. The table only estimates how a swap changes the total.
        """
        without_swap = np.zeros((len(masks), 1))
        table = self.table.count(np.hstack([without_swap, masks]))  # (2, rows, columns, 1 + samples)
        lower_rows = np.cumsum(table, axis=1) - table
        table_totals = self.sum_table_pairs(table, lower_rows)
        return np.asarray(self._total + table_totals[1:] - table_totals[0])


class SpearmanRho(RankCoefficient):
    """Computes Spearman's ρ for two metrics after a permutation test swapped some of their scores.

    Each distinct rating has a weight. The term of a pair is the weight of the output with the higher score minus the
    weight of the output with the lower score.
    """

    @property
    def level_weights(self) -> Floats:
        """The weight of each distinct rating.

        Let ``r`` be the mean human rank of the outputs with this rating, and ``m`` the mean rank of all outputs. The
        weight is ``2 * (r - m)``.
        """
        level_sizes = self.scores.level_sizes
        return np.asarray(2 * np.cumsum(level_sizes) - level_sizes - self.scores.n_outputs)

    def sum_pairs(self, scores: RankedScores) -> Floats:
        """For each score, add up the terms of all pairs that consist of this score and another score.

        For a score with the weight ``w``, the result is the sum of ``w - v`` over the weights ``v`` of all lower
        scores, minus the sum of ``w - v`` over the weights ``v`` of all higher scores. A sum of ``w - v`` over ``n``
        scores equals ``w * n`` minus the total weight of the scores.
        """
        weights = self.level_weights[scores.levels]
        # The scores are sorted by rank, so the first position of a rank is the number of lower scores.
        n_lower = np.searchsorted(scores.ranks, scores.ranks, "left")
        n_not_higher = np.searchsorted(scores.ranks, scores.ranks, "right")
        n_higher = len(weights) - n_not_higher
        weight_before = np.r_[0.0, np.cumsum(weights)]  # Element i is the total weight of the first i scores.
        weight_of_lower = weight_before[n_lower]
        weight_of_higher = weight_before[-1] - weight_before[n_not_higher]
        sum_over_lower = weights * n_lower - weight_of_lower
        sum_over_higher = weights * n_higher - weight_of_higher
        return np.asarray(sum_over_lower - sum_over_higher)

    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Estimate the total of both metrics' sums over pairs of outputs, using a table of ranks and ratings.

        All ratings in a column of the table are given the mean weight of the column.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.
        """
        level_sizes = self.scores.level_sizes
        column_of_level = self.table.column_of_level
        weight_sums = np.bincount(column_of_level, self.level_weights * level_sizes)
        column_weights = weight_sums / np.bincount(column_of_level, level_sizes)
        # In einsum(), k stands for the metric, r for the row, l for the column, and s for the sample.
        row_weights = np.einsum("l,krls->krs", column_weights, table)
        lower_weights = np.einsum("l,krls->krs", column_weights, lower_rows)
        pair_sums = row_weights * lower_rows.sum(axis=2) - lower_weights * table.sum(axis=2)
        return np.asarray(pair_sums.sum(axis=(0, 1)))

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset and the divisor that convert a sum over pairs of outputs to Spearman's ρ.

        The offset is 0. The divisor is proportional to the standard deviation of the metric's ranks, multiplied by the
        standard deviation of the human ranks.
        """
        metric_ties = self.rank_counter.count(masks)  # (2, ranks, samples)
        human_ties = self.scores.level_sizes
        n_outputs = self.scores.n_outputs
        sum_without_ties = float(n_outputs**3 - n_outputs)
        metric_sums = sum_without_ties - (metric_ties**3 - metric_ties).sum(axis=1)
        human_sum = sum_without_ties - (human_ties**3 - human_ties).sum()
        return np.zeros_like(metric_sums), np.sqrt(metric_sums * human_sum) / 3


class ConcordanceCoefficient(RankCoefficient):
    """Base class of coefficients that are computed from the number of concordant pairs.

    The term of a concordant pair is 1, and the term of any other pair is 0. A pair of outputs is concordant if metric
    and annotators prefer the same output.

    Args:
        scores: the scores of both metrics.
        n_units: number of units that can be swapped.

    Attributes:
        n_pairs: number of pairs of outputs.
        n_human_ties: number of pairs that the annotators tied.
    """

    def __init__(self, scores: RankedScores, n_units: int) -> None:
        super().__init__(scores, n_units)
        self.n_pairs = scores.n_outputs * (scores.n_outputs - 1) / 2
        self.n_human_ties = _count_tied_pairs(scores.level_sizes, axis=0)
        ranks_and_levels = scores.ranks * len(scores.level_sizes) + scores.levels
        self._common_tie_counter = make_tie_counter(scores, ranks_and_levels, n_units)

    def count_common_ties(self, masks: Floats) -> Floats:
        """For each metric and each sample, count the pairs of outputs tied by both the metric and the annotators.

        Returns:
            An array ``(2, samples)``.
        """
        return _count_tied_pairs(self._common_tie_counter.count(masks), axis=1)

    def sum_pairs(self, scores: RankedScores) -> Floats:
        """For each score, count the concordant pairs that consist of this score and another score."""
        return kendall.count_concordant(scores.levels)

    def sum_table_pairs(self, table: Floats, lower_rows: Floats) -> Floats:
        """Count pairs of scores in which one score has both a higher row and a higher column than the other score.

        These pairs are concordant, because rows are ordered by rank, and columns are ordered by rating. The counts of
        both metrics are added up.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.
        """
        lower_rows_and_columns = np.cumsum(lower_rows, axis=2) - lower_rows
        # In einsum(), k stands for the metric, r for the row, l for the column, and s for the sample.
        return np.asarray(np.einsum("krls,krls->s", table, lower_rows_and_columns))


class PairwiseAccuracy(ConcordanceCoefficient):
    """Computes pairwise accuracy for two metrics after a permutation test swapped some of their scores.

    The accuracy is the proportion of pairs that are concordant, or that both the metric and the annotators tie.
    """

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the number of pairs tied by both the metric and the annotators, and the number of all pairs."""
        n_common_ties = self.count_common_ties(masks)
        return n_common_ties, np.full_like(n_common_ties, self.n_pairs)


class KendallTauB(ConcordanceCoefficient):
    """Computes Kendall's τ-b for two metrics after a permutation test swapped some of their scores.

    Let ``C`` be the number of concordant pairs, and ``D`` the number of discordant pairs. Then τ-b is
    ``(C - D) / normalizer``. All pairs are concordant, discordant or tied, so ``D`` equals ``n_pairs - n_ties - C``.
    Therefore, ``C - D`` equals ``2 * C + n_ties - n_pairs``.
    """

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset and the divisor that convert the number of concordant pairs to τ-b.

        The offset is ``(n_ties - n_pairs) / 2``. The divisor is half of the normalizer of τ-b.
        """
        tie_sizes = self.rank_counter.count(masks)  # (2, ranks, samples)
        n_metric_ties = _count_tied_pairs(tie_sizes, axis=1)
        n_common_ties = self.count_common_ties(masks)
        n_ties = n_metric_ties + self.n_human_ties - n_common_ties
        return (n_ties - self.n_pairs) / 2, self.normalize(tie_sizes, n_metric_ties) / 2

    def normalize(self, tie_sizes: Floats, n_metric_ties: Floats) -> Floats:
        """Return the normalizer of Kendall's τ-b, ``sqrt(m * h)``.

        Here, ``m`` is the number of pairs not tied by the metric, and ``h`` is the number of pairs not tied by the
        annotators.

        Args:
            tie_sizes: number of scores with each repeated rank, ``(2, ranks, samples)``.
            n_metric_ties: number of pairs that each metric ties, ``(2, samples)``.
        """
        return np.asarray(np.sqrt(self.n_pairs - n_metric_ties) * np.sqrt(self.n_pairs - self.n_human_ties))


class StuartTauC(KendallTauB):
    """Computes Stuart's τ-c for two metrics after a permutation test swapped some of their scores."""

    def normalize(self, tie_sizes: Floats, n_metric_ties: Floats) -> Floats:
        """Return the normalizer of Stuart's τ-c.

        The normalizer uses the number of distinct metric scores or of distinct ratings, whichever is smaller.
        """
        n_outputs = self.scores.n_outputs
        n_repetitions = (tie_sizes - (tie_sizes > 0)).sum(axis=1)
        n_levels = np.minimum(n_outputs - n_repetitions, len(self.scores.level_sizes))
        return np.asarray(n_outputs**2 * (n_levels - 1) / (2 * np.maximum(n_levels, 1)))


COEFFICIENTS: dict[str, type[RankCoefficient]] = {
    "spearman": SpearmanRho,
    "kendall": KendallTauB,
    "kendall-c": StuartTauC,
    "acc": PairwiseAccuracy,
}
"""The class of each coefficient."""


def _choose_table_shape(n_ranks: int, n_levels: int) -> tuple[int, int]:
    """Choose the number of rows and columns of a table of ranks and human ratings.

    A full table has one row per rank and one column per rating. If a full table would need too much memory, several
    adjacent ranks share a row, and several adjacent ratings share a column.
    """
    if n_ranks * n_levels <= MAX_TABLE_CELLS:
        return n_ranks, n_levels
    return min(n_ranks, COARSE_TABLE_SIDE), min(n_levels, COARSE_TABLE_SIDE)


def _count_tied_pairs(tie_sizes: Floats, axis: int) -> Floats:
    """Count the pairs of equal scores.

    Args:
        tie_sizes: number of scores in each group of equal scores.
        axis: axis along which to sum over groups.
    """
    return np.asarray((tie_sizes * (tie_sizes - 1) / 2).sum(axis=axis))
