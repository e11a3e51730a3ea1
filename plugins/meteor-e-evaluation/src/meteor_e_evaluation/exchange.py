"""Computes the differences of a measure in permutation tests, which exchange scores of two metrics at random.

A permutation test evaluates a measure twice for every sample and every pair of metrics. Many measures are functions of
sums, so that their values in all samples follow from a matrix product. All other measures are evaluated separately for
each sample by :func:`.comparison.exchange_one_by_one`.

Scores are arrays ``(metrics, systems, segments)``. Masks select the units to exchange in each sample. Their shape is
``(samples, segments)``, ``(samples, systems)`` or, for single scores, ``(samples, systems, segments)``. The argument
``unit`` is ``segments``, ``systems`` or ``scores``. Every function returns :data:`Differences`.

On large test sets, two statistics are approximations: :func:`exchange_tied_accuracy` tries some hundred thresholds
only, and :func:`exchange_rank_correlation` counts pairs of distant ranks in a coarse table. The approximation does not
affect the level of a test, because it is the same for all samples.
"""

from __future__ import annotations

import itertools
import math
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
"""A function that takes the indices of two metrics and returns the difference of the measure in each sample."""

BLOCK = 1 << 24
"""Largest number of array elements that are computed for a block of samples at a time."""

RELATIVE_TOLERANCE = 1e-12
"""Ratio of a variance to the sum of squares below which the variance is regarded as a rounding error."""


def exchange_terms(
    unit_sums: Callable[[int, int], Sequence[Floats]], masks: Masks, finish: Callable[[Floats], Floats]
) -> Differences:
    """Return a function that computes the difference in a measure of sums over units between two metrics.

    Args:
        unit_sums: function that returns the terms of each of two metrics, ``(sums, units)``.
        masks: masks of the exchanged units.
        finish: function that computes the measure from the sums, ``(sums, samples)``.
    """
    unit_masks = masks.reshape(len(masks), -1)

    def differences(first: int, second: int) -> Floats:
        first_terms, second_terms = unit_sums(first, second)
        blocks = np.array_split(unit_masks, 1 + unit_masks.size // BLOCK)
        changes = np.concatenate([block.astype(float) @ (second_terms - first_terms).T for block in blocks]).T
        first_sums = first_terms.sum(axis=1)[:, None] + changes
        second_sums = second_terms.sum(axis=1)[:, None] - changes
        return finish(first_sums) - finish(second_sums)

    return differences


def exchange_group_means(group_values: Sequence[Floats], masks: Masks) -> Differences:
    """Return a function that computes the difference in a mean over groups between two metrics.

    Args:
        group_values: value of each group for each metric, ``(groups,)``. NaN if the value is undefined.
        masks: masks of the exchanged groups.
    """
    terms = [np.stack([np.nan_to_num(values), ~np.isnan(values)]) for values in group_values]
    return exchange_terms(
        lambda first, second: (terms[first], terms[second]),
        masks,
        lambda sums: _divide_or_nan(sums[0], np.rint(sums[1])),
    )


def _divide_or_nan(numerator: Floats, denominator: Floats) -> Floats:
    """Divide two arrays, with NaN for denominators that are not positive."""
    quotient = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def exchange_pearson(scores: Floats, ratings: Assessments, masks: Masks, unit: str) -> Differences:
    """Return a function that computes the difference in Pearson's r between two metrics.

    Args:
        scores: scores of each metric.
        ratings: human ratings.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
    """
    shape = scores.shape[1:]
    outputs = ratings.systems * shape[1] + ratings.segments
    human = ratings.scores - ratings.scores.mean()
    human_sum_of_squares = float(human @ human)
    n_ratings = np.bincount(outputs, minlength=scores[0].size).reshape(shape)
    human_sums = np.bincount(outputs, human, scores[0].size).reshape(shape)
    summed_axes: int | tuple[int, ...] = {"segments": 1, "systems": 2}.get(unit, ())
    terms = []
    for metric in np.where(n_ratings > 0, scores, 0.0):
        output_terms = np.stack([n_ratings * metric, n_ratings * metric * metric, metric * human_sums])
        terms.append(output_terms.sum(axis=summed_axes).reshape(3, -1))
    human_varies = human_sum_of_squares > RELATIVE_TOLERANCE * float(ratings.scores @ ratings.scores)

    def finish(sums: Floats) -> Floats:
        totals, squares, products = sums
        deviations = squares - totals**2 / len(outputs)
        deviations *= human_varies & (deviations > RELATIVE_TOLERANCE * squares)
        return np.clip(_divide_or_nan(products, np.sqrt(deviations * human_sum_of_squares)), -1.0, 1.0)

    return exchange_terms(lambda first, second: (terms[first], terms[second]), masks, finish)


def exchange_systems(
    pair_tables: Callable[[int, int], Floats], masks: Masks, finish: Callable[[Floats], Floats]
) -> Differences:
    """Return a function that computes the difference in a measure of sums over pairs of systems.

    Args:
        pair_tables: function that returns the terms of each pair of systems for two metrics, ``(sums, 4, pairs)``. The
            second axis stands for the exchanged systems: neither, only the second, only the first, and both systems.
        masks: masks of the exchanged systems, ``(samples, systems)``.
        finish: function that computes the measure from the sums, ``(sums, samples)``.
    """
    first_system, second_system = system_pairs(masks.shape[1])
    case = 2 * masks[:, first_system] + masks[:, second_system]
    is_case = (case[:, None] == np.arange(4)[:, None]).astype(float)

    def differences(first: int, second: int) -> Floats:
        table = pair_tables(first, second)
        first_sums = np.tensordot(table, is_case, ((1, 2), (1, 2)))
        second_sums = np.tensordot(table, is_case[:, ::-1], ((1, 2), (1, 2)))
        return finish(first_sums) - finish(second_sums)

    return differences


def exchange_soft_accuracy(scores: Floats, human_scores: Floats, masks: Masks) -> Differences:
    """Return a function that computes the difference in soft pairwise accuracy between two metrics.

    The p-values come from the normal distribution.

    Args:
        scores: scores of each metric.
        human_scores: human scores, ``(systems, segments)``.
        masks: masks of the exchanged systems, ``(samples, systems)``.
    """
    from scipy import special

    first, second = system_pairs(len(human_scores))
    is_rated = ~np.isnan(human_scores)[first] & ~np.isnan(human_scores)[second]

    def p_values(first_scores: Floats, second_scores: Floats) -> Floats:
        """Return the p-value of each pair of systems.

        The first system of a pair has the first scores, and the second system has the second scores.
        """
        left = np.where(is_rated, first_scores[first], 0.0)
        right = np.where(is_rated, second_scores[second], 0.0)
        differences = left - right
        scale = (left**2 + right**2).sum(axis=1)
        variances = (differences**2).sum(axis=1)
        varies = variances > RELATIVE_TOLERANCE * scale
        z = differences.sum(axis=1) / np.sqrt(np.where(varies, variances, 1.0))
        return np.where(varies, np.asarray(special.ndtr(-z)), 1.0)

    human_p_values = p_values(human_scores, human_scores)

    def pair_tables(first_metric: int, second_metric: int) -> Floats:
        cases = itertools.product((scores[first_metric], scores[second_metric]), repeat=2)
        return np.abs(np.stack([p_values(*case) for case in cases]) - human_p_values)[None]

    return exchange_systems(pair_tables, masks, lambda sums: 1 - sums[0] / len(human_p_values))


def _exchange_comparisons(
    rankings: Rankings,
    scores: Floats,
    masks: Masks,
    unit: str,
    count: Callable[[Floats, NDArray[np.int8], Integers, int], Floats],
    finish: Callable[[Floats], Floats],
) -> Differences:
    """Return a function that computes the difference in a measure of sums over human comparisons.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
        count: function that computes terms ``(sums, cases, units)`` from score differences ``(cases, comparisons)``,
            the human order of each comparison (1, -1, or 0 for ties), its unit, and the number of units.
        finish: function that computes the measure from the sums, ``(sums, samples)``.
    """
    n_systems, n_segments = scores.shape[1:]
    first = np.minimum(rankings.better, rankings.worse)
    second = np.maximum(rankings.better, rankings.worse)
    first_is_better = rankings.better < rankings.worse
    human_order = np.where(rankings.ties, 0, np.where(first_is_better, 1, -1)).astype(np.int8)
    first_scores = scores[:, first, rankings.segments]
    second_scores = scores[:, second, rankings.segments]

    def compute_system_terms(first_metric: int, second_metric: int) -> Floats:
        pair_index = first * n_systems - first * (first + 1) // 2 + second - first - 1
        n_pairs = n_systems * (n_systems - 1) // 2
        cases = itertools.product((first_metric, second_metric), repeat=2)
        differences = np.stack([first_scores[a] - second_scores[b] for a, b in cases])
        return count(differences, human_order, pair_index, n_pairs)

    def compute_segment_terms(first_metric: int, second_metric: int) -> Sequence[Floats]:
        metrics = [first_metric, second_metric]
        differences = first_scores[metrics] - second_scores[metrics]
        return list(count(differences, human_order, rankings.segments, n_segments).swapaxes(0, 1))

    if unit == "systems":
        return exchange_systems(compute_system_terms, masks, finish)
    return exchange_terms(compute_segment_terms, masks, finish)


def exchange_pair_counts(
    rankings: Rankings,
    scores: Floats,
    masks: Masks,
    unit: str,
    compute: Callable[[kendall.PairCounts], Floats | float],
) -> Differences:
    """Return a function that computes the difference in a measure of pair counts, such as τ, between two metrics.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
        compute: function that computes the measure from the numbers of pairs.
    """
    n_human_ties = int(rankings.ties.sum())

    def count(differences: Floats, human_order: NDArray[np.int8], units: Integers, n_units: int) -> Floats:
        """Return three numbers for each unit: concordant minus discordant pairs, pairs tied by the metric, and pairs
        tied by both."""
        is_metric_tie = differences == 0
        is_common_tie = is_metric_tie & (human_order == 0)
        agreement = np.sign(differences) * human_order
        terms = []
        for case_values in (agreement, is_metric_tie, is_common_tie):
            terms.append([np.bincount(units, values, n_units) for values in case_values])
        return np.array(terms).astype(float)

    def finish(sums: Floats) -> Floats:
        concordant_minus_discordant, all_metric_ties, both_ties = np.rint(sums)
        metric_ties = all_metric_ties - both_ties
        human_ties = n_human_ties - both_ties
        n_untied = len(rankings) - n_human_ties - metric_ties
        counts = kendall.PairCounts(
            (n_untied + concordant_minus_discordant) / 2,
            (n_untied - concordant_minus_discordant) / 2,
            metric_ties,
            human_ties,
            both_ties,
        )
        return np.asarray(compute(counts), float)

    return _exchange_comparisons(rankings, scores, masks, unit, count, finish)


N_THRESHOLDS = 256
"""Number of thresholds for ties that are tried if there are too many score differences to try all of them."""

MAX_EXACT_DIFFERENCES = 1 << 14
"""Largest number of score differences for which every difference is tried as a threshold."""

_THRESHOLD_SAMPLING_STEP = 7


def exchange_tied_accuracy(rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> Differences:
    """Return a function that computes the difference in pairwise accuracy with tie calibration between two metrics.

    The tie threshold is calibrated for each sample.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
    """
    pair_weights = 1.0 / np.bincount(rankings.segments)[rankings.segments]

    def count(differences: Floats, human_order: NDArray[np.int8], units: Integers, n_units: int) -> Floats:
        """Return the weight of correct pairs without ties, and its change at each threshold, for each unit."""
        n_cases = len(differences)
        distances = np.abs(differences)
        thresholds = _choose_thresholds(distances.ravel())
        threshold_index = np.searchsorted(thresholds, distances)
        is_human_tie = np.broadcast_to(human_order == 0, differences.shape)
        is_ordered_right = human_order * differences > 0
        # If the metric ties a pair, the pair is correct only if the annotator also tied it.
        gains = np.where(is_human_tie, pair_weights, np.where(is_ordered_right, -pair_weights, 0.0))
        weights_without_ties = np.where(is_ordered_right, pair_weights, 0.0)
        # Each case and unit has a row of summed gains. The last column is for distances above all thresholds.
        row_index = np.arange(n_cases)[:, None] * n_units + units
        n_rows = n_cases * n_units
        n_columns = len(thresholds) + 1
        cell_index = row_index * n_columns + threshold_index
        summed_gains = np.bincount(cell_index.ravel(), gains.ravel(), n_rows * n_columns).reshape(n_rows, n_columns)
        summed_weights = np.bincount(row_index.ravel(), weights_without_ties.ravel(), n_rows)
        sums = np.concatenate([summed_weights[None], summed_gains[:, :-1].T])
        return sums.reshape(-1, n_cases, n_units)

    def finish(sums: Floats) -> Floats:
        correct_weights = np.cumsum(sums, axis=0)[1:]
        return np.asarray(correct_weights.max(axis=0) / pair_weights.sum())

    return _exchange_comparisons(rankings, scores, masks, unit, count, finish)


def _choose_thresholds(distances: Floats) -> Floats:
    """Return the thresholds for ties to try: 0 and all distances, or some quantiles if there are too many distances."""
    candidates = distances
    if distances.size > MAX_EXACT_DIFFERENCES:
        candidates = np.sort(distances[::_THRESHOLD_SAMPLING_STEP])
        candidates = candidates[np.linspace(0, len(candidates) - 1, N_THRESHOLDS).astype(int)]
    return np.unique(np.append(candidates, 0.0))


MAX_TABLE_CELLS = 1 << 18
"""Largest number of cells of a table that has one row per metric rank and one column per human score."""

COARSE_TABLE_SIDE = 64
"""Largest number of rows and of columns of a coarse table, in which several ranks share a row."""


def exchange_rank_correlation(
    scores: Floats, groups: Sequence[Assessments], masks: Masks, unit: str, coefficient: str
) -> Differences:
    """Return a function that computes the difference in a mean rank correlation between two metrics.

    The coefficient is a sum over pairs of scores, divided by a normalizer that depends on ties. The difference between
    the sums of two metrics is a linear function of the masks, and is always exact. The total of the two sums is counted
    in a table, which is coarse if there are many scores. It matters only if the normalizers differ.

    Args:
        scores: scores of each metric.
        groups: human scores of each group. The outputs of a group are ranked together.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    unit_masks = np.ascontiguousarray(masks.reshape(len(masks), -1).T, float)

    def differences(first: int, second: int) -> Floats:
        """Return the difference in the mean coefficient between two metrics in each sample."""
        metric_scores = scores[[first, second]]
        rankings = [_rank_jointly(ratings, metric_scores, unit, coefficient) for ratings in groups if len(ratings)]
        coefficients = _compute_coefficients(rankings, unit_masks)
        n_defined = (~np.isnan(coefficients)).sum(axis=0)
        first_mean, second_mean = _divide_or_nan(np.nansum(coefficients, axis=0), n_defined)
        return np.asarray(first_mean - second_mean)

    return differences


def _rank_jointly(ratings: Assessments, metric_scores: Floats, unit: str, coefficient: str) -> _JointRanking:
    """Return the joint ranking of two metrics' scores of the rated outputs.

    Args:
        ratings: human scores of the outputs.
        metric_scores: scores of the two metrics, ``(2, systems, segments)``.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """
    n_segments = metric_scores.shape[2]
    output_index = ratings.systems * n_segments + ratings.segments
    unit_index = {"segments": ratings.segments, "systems": ratings.systems, "scores": output_index}[unit]
    rated_scores = metric_scores.reshape(2, -1)[:, output_index]
    return _JointRanking(ratings.scores, rated_scores.ravel(), unit_index, coefficient)


def _compute_coefficients(rankings: Sequence[_JointRanking], unit_masks: Floats) -> Floats:
    """Return the coefficients of both metrics in each sample, computed for blocks of samples to limit the memory.

    Args:
        rankings: one joint ranking per group of ratings.
        unit_masks: masks of the exchanged units, ``(units, samples)``.

    Returns:
        An array ``(groups, 2, samples)``.
    """
    block_size = max(1, BLOCK // max(ranking.largest_array for ranking in rankings))
    coefficients = []
    for start in range(0, unit_masks.shape[1], block_size):
        block_masks = unit_masks[:, start : start + block_size]
        coefficients.append(np.stack([ranking.coefficients(block_masks) for ranking in rankings]))
    return np.concatenate(coefficients, axis=2)


class _JointRanking:
    """The joint ranking of the scores of two metrics for the same outputs.

    In each sample, one of the two scores of an output is assigned to the first metric, and the other to the second one.

    Args:
        human_scores: ratings of the outputs.
        scores: scores of the outputs by the first metric, followed by those by the second metric.
        units: index of the exchanged unit of each output.
        coefficient: ``spearman``, ``kendall``, ``kendall-c`` or ``acc``.
    """

    def __init__(self, human_scores: Floats, scores: Floats, units: Integers, coefficient: str) -> None:
        levels = np.tile(np.unique(human_scores, return_inverse=True)[1].reshape(-1), 2)
        # Equal scores are sorted by decreasing rating, so that they are not counted as concordant pairs.
        order = np.lexsort((-levels, scores))
        self.coefficient = coefficient
        self.count = len(human_scores)
        self.levels = levels[order]
        self.units = np.tile(units, 2)[order]
        self.is_first = order < self.count
        self.ranks = np.cumsum(np.r_[False, np.diff(scores[order]) != 0])
        self.level_sizes = np.bincount(levels) / 2
        # The weight of a level is twice the deviation of its mean rank from the mean of all ranks.
        self.level_weights = 2 * np.cumsum(self.level_sizes) - self.level_sizes - self.count
        self.n_ranks = int(self.ranks[-1]) + 1
        self.table_shape = _choose_table_shape(self.n_ranks, len(self.level_sizes))
        self.largest_array = max(len(levels), math.prod(self.table_shape))
        signs = np.where(self.is_first, 1.0, -1.0)
        pair_sums = self.sums_of_pairs(slice(None))
        self.difference = (signs @ pair_sums) / 2
        self.difference_by_unit = np.bincount(self.units, signs * pair_sums)
        self.total = (self.sums_of_pairs(self.is_first).sum() + self.sums_of_pairs(~self.is_first).sum()) / 2

    def sums_of_pairs(self, selection: Masks | slice) -> Floats:
        """Return the sum over all pairs of each selected score with the other selected scores.

        Args:
            selection: a mask or a slice of the scores.
        """
        ranks = self.ranks[selection]
        levels = self.levels[selection]
        if self.coefficient != "spearman":
            return kendall.count_concordant(levels)
        weights = self.level_weights[levels]
        start = np.searchsorted(ranks, ranks, "left")
        end = np.searchsorted(ranks, ranks, "right")
        cumulative = np.r_[0.0, np.cumsum(weights)]
        n_lower_minus_higher = start + end - len(weights)
        return np.asarray(weights * n_lower_minus_higher - (cumulative[start] + cumulative[end] - cumulative[-1]))

    def count_keys(self, keys: Integers, masks: Floats) -> Floats:
        """Count the scores with each key that are assigned to each metric, ``(2, keys, samples)``.

        Args:
            keys: key of each score. Scores with the key -1 are ignored.
            masks: masks of the exchanged units, ``(units, samples)``.
        """
        from scipy import sparse

        has_key = keys >= 0
        n_keys = int(keys.max()) + 1
        known_keys = keys[has_key]
        is_first = self.is_first[has_key]
        # An exchange of a unit removes the scores of the first metric, and adds those of the second metric.
        signs = np.where(is_first, -1.0, 1.0)
        changes_by_unit = sparse.csr_matrix((signs, (known_keys, self.units[has_key])), (n_keys, len(masks)))
        first_counts = np.bincount(known_keys, is_first, n_keys)[:, None] + changes_by_unit @ masks
        counts_of_both = np.bincount(known_keys, minlength=n_keys)[:, None]
        return np.stack([first_counts, counts_of_both - first_counts])

    def tie_sizes(self, values: Integers, masks: Floats) -> Floats:
        """Count the scores of each metric with each repeated value, ``(2, values, samples)``."""
        _, value_index, sizes = np.unique(values, return_inverse=True, return_counts=True)
        keys_of_values = np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)
        return self.count_keys(keys_of_values[value_index.reshape(-1)], masks)

    def table_sums(self, masks: Floats) -> Floats:
        """Return the total of the sums of both metrics over pairs in different cells of the table, ``(samples,)``."""
        n_rows, n_columns = self.table_shape
        n_levels = len(self.level_sizes)
        row_of_score = self.ranks * n_rows // self.n_ranks
        column_of_level = np.arange(n_levels) * n_columns // n_levels
        keys = row_of_score * n_columns + column_of_level[self.levels]
        counts = self.count_keys(keys, masks)
        padding = np.zeros((2, n_rows * n_columns - counts.shape[1], counts.shape[2]))
        table = np.concatenate([counts, padding], axis=1).reshape(2, n_rows, n_columns, -1)
        lower_rows = np.cumsum(table, axis=1) - table
        if self.coefficient == "spearman":
            return self._weighted_table_sums(table, lower_rows, column_of_level)
        lower_columns = np.cumsum(lower_rows, axis=2) - lower_rows
        return np.asarray(np.einsum("krls,krls->s", table, lower_columns))

    def _weighted_table_sums(self, table: Floats, lower_rows: Floats, column_of_level: Integers) -> Floats:
        """Return the total of the weight differences between each score and the scores of lower ranks, ``(samples,)``.

        Args:
            table: number of scores of each metric in each cell, ``(2, rows, columns, samples)``.
            lower_rows: number of scores in the same column of all lower rows, an array of the same shape.
            column_of_level: column of each level of the human scores.
        """
        weight_sums = np.bincount(column_of_level, self.level_weights * self.level_sizes)
        column_weights = weight_sums / np.bincount(column_of_level, self.level_sizes)
        row_weights = np.einsum("l,krls->krs", column_weights, table)
        lower_weights = np.einsum("l,krls->krs", column_weights, lower_rows)
        pair_sums = row_weights * lower_rows.sum(axis=2) - lower_weights * table.sum(axis=2)
        return np.asarray(pair_sums.sum(axis=(0, 1)))

    def coefficients(self, masks: Floats) -> Floats:
        """Return the coefficient of both metrics in each sample, ``(2, samples)``, with NaN if it is undefined."""
        offset, normalizer = self.offset_and_normalizer(masks)
        without_exchange = np.zeros(len(masks))
        table_totals = self.table_sums(np.c_[without_exchange, masks])
        # The table only estimates how an exchange changes the exact total of the sums of both metrics.
        total = self.total + table_totals[1:] - table_totals[0]
        difference = self.difference - self.difference_by_unit @ masks[: len(self.difference_by_unit)]
        sums = np.stack([total + difference, total - difference]) / 2
        return _divide_or_nan(sums + offset, normalizer)

    def offset_and_normalizer(self, masks: Floats) -> Floats:
        """Return the offset of the sums of both metrics, and their normalizer, ``(2, 2, samples)``."""
        metric_ties = self.tie_sizes(self.ranks, masks)
        human_ties = self.level_sizes
        if self.coefficient == "spearman":
            maximum = float(self.count**3 - self.count)
            metric_sums = maximum - (metric_ties**3 - metric_ties).sum(axis=1)
            human_sum = maximum - (human_ties**3 - human_ties).sum()
            return np.stack([np.zeros_like(metric_sums), np.sqrt(metric_sums * human_sum) / 3])
        common_ties = self.tie_sizes(self.ranks * len(human_ties) + self.levels, masks)
        n_pairs = self.count * (self.count - 1) / 2
        n_human = _count_tied_pairs(human_ties, 0)
        n_metric = _count_tied_pairs(metric_ties, 1)
        n_common = _count_tied_pairs(common_ties, 1)
        if self.coefficient == "acc":
            return np.stack([n_common, np.full_like(n_common, n_pairs)])
        offset = (n_metric + n_human - n_common - n_pairs) / 2
        if self.coefficient == "kendall-c":
            n_metric_levels = self.count - (metric_ties - (metric_ties > 0)).sum(axis=1)
            n_levels = np.minimum(n_metric_levels, len(human_ties))
            return np.stack([offset, self.count**2 * (n_levels - 1) / (4 * np.maximum(n_levels, 1))])
        return np.stack([offset, np.sqrt(n_pairs - n_metric) * np.sqrt(n_pairs - n_human) / 2])


def _choose_table_shape(n_ranks: int, n_levels: int) -> tuple[int, int]:
    """Return the shape of a table with a row per rank and a column per level, or that of a coarse table."""
    if n_ranks * n_levels <= MAX_TABLE_CELLS:
        return n_ranks, n_levels
    return min(n_ranks, COARSE_TABLE_SIDE), min(n_levels, COARSE_TABLE_SIDE)


def _count_tied_pairs(tie_sizes: Floats, axis: int) -> Floats:
    """Return the number of tied pairs, given the sizes of groups of equal scores along an axis."""
    return np.asarray((tie_sizes * (tie_sizes - 1) / 2).sum(axis=axis))
