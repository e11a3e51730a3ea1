"""Compares the rank correlations of two metrics in permutation tests.

In each sample, a permutation test exchanges some scores of the two metrics at random.

A rank correlation is a sum over pairs of outputs, divided by a normalizer that depends on ties. The difference between
the sums of two metrics is a linear function of the masks, so that it is always exact. The total of the two sums matters
only if the normalizers of the metrics differ. It is counted in a table of metric ranks and human scores. If there are
many scores, the table is coarse, and the total is an approximation. The approximation does not affect the level of a
test, because it is the same for all samples.

The module :mod:`.exchange` describes the shapes of scores and masks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

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
    unit_masks = np.ascontiguousarray(masks.reshape(len(masks), -1).T, float)  # (units, samples)
    rated_groups = [ratings for ratings in groups if len(ratings)]

    def compute_differences(first: int, second: int) -> Floats:
        metric_scores = scores[[first, second]]
        rankings = [_rank_jointly(ratings, metric_scores, unit, coefficient) for ratings in rated_groups]
        coefficients = _compute_coefficients(rankings, unit_masks)  # (groups, 2, samples)
        n_defined = (~np.isnan(coefficients)).sum(axis=0)
        first_means, second_means = divide_or_nan(np.nansum(coefficients, axis=0), n_defined)
        return np.asarray(first_means - second_means)

    return compute_differences


def _rank_jointly(ratings: Assessments, metric_scores: Floats, unit: str, coefficient: str) -> JointRanking:
    """Rank the scores of two metrics together in one list.

    Args:
        ratings: human scores of the outputs.
        metric_scores: scores of the two metrics, ``(2, systems, segments)``.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    n_segments = metric_scores.shape[2]
    output_index = ratings.systems * n_segments + ratings.segments
    index_by_unit = {"segments": ratings.segments, "systems": ratings.systems, "scores": output_index}
    unit_index = index_by_unit[unit]
    rated_scores = metric_scores[:, ratings.systems, ratings.segments].ravel()
    if coefficient == "spearman":
        return SpearmanRanking(ratings.scores, rated_scores, unit_index)
    return ConcordanceRanking(ratings.scores, rated_scores, unit_index, coefficient)


def _compute_coefficients(rankings: Sequence[JointRanking], unit_masks: Floats) -> Floats:
    """Return the coefficients of both metrics in each sample.

    The samples are processed in blocks, because all samples together may need too much memory.

    Args:
        rankings: one joint ranking per group of ratings.
        unit_masks: masks of the exchanged units, ``(units, samples)``.

    Returns:
        An array ``(groups, 2, samples)``.
    """
    largest_array = max(ranking.largest_array for ranking in rankings)
    block_size = max(1, exchange.BLOCK // largest_array)
    n_samples = unit_masks.shape[1]
    coefficients = []
    for start in range(0, n_samples, block_size):
        block_masks = unit_masks[:, start : start + block_size]
        coefficients.append(np.stack([ranking.coefficients(block_masks) for ranking in rankings]))
    return np.concatenate(coefficients, axis=2)


class JointRanking(ABC):
    """One ranking that contains the scores of two metrics for the same outputs.

    Every output has two scores. In each sample of a permutation test, the two metrics keep or exchange their scores of
    an output.

    Args:
        human_scores: ratings of the outputs.
        scores: scores of the outputs by the first metric, followed by those by the second metric.
        units: index of the exchanged unit of each output.

    Attributes:
        n_outputs: number of outputs, which is half the number of scores.
        is_first: whether each score belongs to the first metric without an exchange. This array and the following ones
            are sorted by score.
        units: index of the exchanged unit of each score.
        ranks: rank of each score, starting from 0. Equal scores have the same rank.
        levels: rank of the rating of each score's output among the distinct ratings.
        level_sizes: number of outputs with each rating.
    """

    def __init__(self, human_scores: Floats, scores: Floats, units: Integers) -> None:
        _, level_of_output = np.unique(human_scores, return_inverse=True)
        level_of_score = np.tile(level_of_output.reshape(-1), 2)
        # The scores are sorted in ascending order.
        # Equal scores are sorted by decreasing rating, because ties must not count as concordant pairs.
        order = np.lexsort((-level_of_score, scores))
        self.n_outputs = len(human_scores)
        self.is_first = order < self.n_outputs
        self.units = np.tile(units, 2)[order]
        self.ranks = np.cumsum(np.r_[False, np.diff(scores[order]) != 0])
        self.levels = level_of_score[order]
        self.level_sizes = np.bincount(level_of_score) / 2
        self._n_ranks = int(self.ranks[-1]) + 1
        self._table_shape = _choose_table_shape(self._n_ranks, len(self.level_sizes))
        signs = np.where(self.is_first, 1.0, -1.0)
        pair_sums = self.sum_pairs(self.ranks, self.levels)
        first_sums = self.sum_pairs(self.ranks[self.is_first], self.levels[self.is_first])
        second_sums = self.sum_pairs(self.ranks[~self.is_first], self.levels[~self.is_first])
        self._difference_by_unit = np.bincount(self.units, signs * pair_sums)
        self._difference = (signs @ pair_sums) / 2
        self._total = (first_sums.sum() + second_sums.sum()) / 2

    @property
    def largest_array(self) -> int:
        """The size of the largest array that a single sample needs."""
        return max(len(self.levels), math.prod(self._table_shape))

    @abstractmethod
    def sum_pairs(self, ranks: Integers, levels: Integers) -> Floats:
        """Return one sum for each score, over all pairs of the score and another score.

        Args:
            ranks: ranks of the scores, in ascending order.
            levels: levels of the scores.
        """

    @abstractmethod
    def sum_table_pairs(self, table: Floats, lower_rows: Floats, column_of_level: Integers) -> Floats:
        """Sum the terms of both metrics over pairs of scores in different cells of a table.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``. The rows are ranks,
                and the columns are levels.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.
            column_of_level: column of each level.

        Returns:
            An array ``(samples,)``.
        """

    @abstractmethod
    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return an offset and a normalizer for each coefficient, as two arrays ``(2, samples)``.

        A coefficient is a sum over all pairs plus the offset, divided by the normalizer.
        """

    def coefficients(self, masks: Floats) -> Floats:
        """Return the coefficient of both metrics in each sample, or NaN where the coefficient is undefined.

        Args:
            masks: masks of the exchanged units, ``(units, samples)``.

        Returns:
            An array ``(2, samples)``.
        """
        n_units = len(self._difference_by_unit)
        difference = self._difference - self._difference_by_unit @ masks[:n_units]
        without_exchange = np.zeros((len(masks), 1))
        table_totals = self._total_of_table(np.hstack([without_exchange, masks]))
        # The total without an exchange is exact.
        # The table only estimates how an exchange changes the total.
        total = self._total + table_totals[1:] - table_totals[0]
        sums = np.stack([total + difference, total - difference]) / 2
        offset, normalizer = self.offset_and_normalizer(masks)
        return divide_or_nan(sums + offset, normalizer)

    def _total_of_table(self, masks: Floats) -> Floats:
        """Count the scores in each cell of the table, and sum the terms of both metrics over pairs of scores.

        Returns:
            An array ``(samples,)``.
        """
        n_rows, n_columns = self._table_shape
        n_levels = len(self.level_sizes)
        row_of_score = self.ranks * n_rows // self._n_ranks
        column_of_level = np.arange(n_levels) * n_columns // n_levels
        cell_of_score = row_of_score * n_columns + column_of_level[self.levels]
        counts = self._count_keys(cell_of_score, n_rows * n_columns, masks)
        table = counts.reshape(2, n_rows, n_columns, -1)
        lower_rows = np.cumsum(table, axis=1) - table
        return self.sum_table_pairs(table, lower_rows, column_of_level)

    def count_ties(self, values: Integers, masks: Floats) -> Floats:
        """Count how often each repeated value occurs among the scores of each metric.

        Args:
            values: value of each score, such as its rank.
            masks: masks of the exchanged units, ``(units, samples)``.

        Returns:
            An array ``(2, repeated values, samples)``.
        """
        _, value_index, n_occurrences = np.unique(values, return_inverse=True, return_counts=True)
        is_repeated = n_occurrences > 1
        # Repeated values are numbered from 0. All other values have the key -1.
        key_of_value = np.where(is_repeated, np.cumsum(is_repeated) - 1, -1)
        keys = key_of_value[value_index.reshape(-1)]
        return self._count_keys(keys, int(is_repeated.sum()), masks)

    def _count_keys(self, keys: Integers, n_keys: int, masks: Floats) -> Floats:
        """Count how often each key occurs among the scores of each metric.

        Args:
            keys: key of each score. Scores with the key -1 are ignored.
            n_keys: number of keys.
            masks: masks of the exchanged units, ``(units, samples)``.

        Returns:
            An array ``(2, keys, samples)``.
        """
        from scipy import sparse

        has_key = keys >= 0
        counted_keys = keys[has_key]
        units = self.units[has_key]
        is_first = self.is_first[has_key]
        # After an exchange, the first metric lacks its own scores of the unit, and has the scores of the second metric.
        changes = np.where(is_first, -1.0, 1.0)
        changes_by_unit = sparse.csr_matrix((changes, (counted_keys, units)), (n_keys, len(masks)))
        counts_without_exchange = np.bincount(counted_keys, is_first, n_keys)
        total_counts = np.bincount(counted_keys, minlength=n_keys)
        first_counts = counts_without_exchange[:, None] + changes_by_unit @ masks  # (keys, samples)
        second_counts = total_counts[:, None] - first_counts
        return np.stack([first_counts, second_counts])


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
        return np.asarray(2 * np.cumsum(self.level_sizes) - self.level_sizes - self.n_outputs)

    def sum_pairs(self, ranks: Integers, levels: Integers) -> Floats:
        """Compare the weight of each score with the weights of all other scores.

        The weight differences to lower scores are added, and the weight differences to higher scores are subtracted.
        """
        weights = self.level_weights[levels]
        # The ranks are sorted, so the scores with lower ranks come first.
        n_lower = np.searchsorted(ranks, ranks, "left")
        n_not_higher = np.searchsorted(ranks, ranks, "right")
        n_lower_minus_higher = n_lower + n_not_higher - len(weights)
        cumulative_weights = np.r_[0.0, np.cumsum(weights)]
        total_weight = cumulative_weights[-1]
        weight_of_lower_minus_higher = cumulative_weights[n_lower] + cumulative_weights[n_not_higher] - total_weight
        return np.asarray(weights * n_lower_minus_higher - weight_of_lower_minus_higher)

    def sum_table_pairs(self, table: Floats, lower_rows: Floats, column_of_level: Integers) -> Floats:
        """Sum the weight differences between each score and all lower scores."""
        weight_sums = np.bincount(column_of_level, self.level_weights * self.level_sizes)
        column_weights = weight_sums / np.bincount(column_of_level, self.level_sizes)
        row_weights = np.einsum("l,krls->krs", column_weights, table)
        lower_weights = np.einsum("l,krls->krs", column_weights, lower_rows)
        pair_sums = row_weights * lower_rows.sum(axis=2) - lower_weights * table.sum(axis=2)
        return np.asarray(pair_sums.sum(axis=(0, 1)))

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Return the offset 0 and the normalizer of Spearman's ρ.

        The normalizer is the product of the standard deviations of metric ranks and human ranks.
        """
        metric_ties = self.count_ties(self.ranks, masks)
        human_ties = self.level_sizes
        sum_without_ties = float(self.n_outputs**3 - self.n_outputs)
        metric_sums = sum_without_ties - (metric_ties**3 - metric_ties).sum(axis=1)
        human_sum = sum_without_ties - (human_ties**3 - human_ties).sum()
        return np.zeros_like(metric_sums), np.sqrt(metric_sums * human_sum) / 3


class ConcordanceRanking(JointRanking):
    """A joint ranking for Kendall's τ and for pairwise accuracy, which counts concordant pairs.

    Args:
        coefficient: ``kendall``, ``kendall-c`` or ``acc``.
    """

    def __init__(self, human_scores: Floats, scores: Floats, units: Integers, coefficient: str) -> None:
        super().__init__(human_scores, scores, units)
        self.coefficient = coefficient

    def sum_pairs(self, ranks: Integers, levels: Integers) -> Floats:
        """Return the number of concordant pairs that contain each score."""
        return kendall.count_concordant(levels)

    def sum_table_pairs(self, table: Floats, lower_rows: Floats, column_of_level: Integers) -> Floats:
        """Count the concordant pairs of scores in different rows and columns of the table."""
        lower_rows_and_columns = np.cumsum(lower_rows, axis=2) - lower_rows
        return np.asarray(np.einsum("krls,krls->s", table, lower_rows_and_columns))

    def offset_and_normalizer(self, masks: Floats) -> tuple[Floats, Floats]:
        """Compute the offset and the normalizer from the numbers of tied pairs.

        The numerator of τ is half the difference between the numbers of concordant and discordant pairs. The numerator
        of the accuracy is the number of pairs on which the metric and the annotator agree.
        """
        n_levels = len(self.level_sizes)
        metric_ties = self.count_ties(self.ranks, masks)
        common_ties = self.count_ties(self.ranks * n_levels + self.levels, masks)
        n_pairs = self.n_outputs * (self.n_outputs - 1) / 2
        n_metric = _count_tied_pairs(metric_ties, axis=1)
        n_common = _count_tied_pairs(common_ties, axis=1)
        if self.coefficient == "acc":
            return n_common, np.full_like(n_common, n_pairs)
        n_human = _count_tied_pairs(self.level_sizes, axis=0)
        offset = (n_metric + n_human - n_common - n_pairs) / 2
        if self.coefficient == "kendall-c":
            return offset, self._normalizer_of_tau_c(metric_ties)
        return offset, np.sqrt(n_pairs - n_metric) * np.sqrt(n_pairs - n_human) / 2

    def _normalizer_of_tau_c(self, metric_ties: Floats) -> Floats:
        """Return the normalizer of Stuart's τ-c.

        The normalizer uses the number of distinct metric scores or of distinct ratings, whichever is smaller.
        """
        n_repetitions = (metric_ties - (metric_ties > 0)).sum(axis=1)
        n_metric_levels = self.n_outputs - n_repetitions
        n_levels = np.minimum(n_metric_levels, len(self.level_sizes))
        return np.asarray(self.n_outputs**2 * (n_levels - 1) / (4 * np.maximum(n_levels, 1)))


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
