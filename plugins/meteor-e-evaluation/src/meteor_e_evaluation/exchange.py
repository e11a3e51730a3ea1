"""Compares two metrics in permutation tests, which exchange scores of the metrics at random.

A permutation test evaluates a measure twice for every sample and every pair of metrics. The measures of this module are
functions of sums, so that their values in all samples follow from a matrix product. The module :mod:`.rank_exchange`
computes rank correlations. All other measures are evaluated separately for each sample by
:func:`.comparison.make_one_by_one_comparer`.

Scores are arrays ``(metrics, systems, segments)``. Masks select the units to exchange in each sample. Their shape is
``(samples, segments)``, ``(samples, systems)`` or, for single scores, ``(samples, systems, segments)``. The argument
``unit`` is ``segments``, ``systems`` or ``scores``. Every function whose name ends with ``comparer`` returns
:data:`Differences`.

On large test sets, :func:`make_tied_accuracy_comparer` is an approximation, because it tries only some hundred
thresholds. The approximation does not affect the level of a test, because it is the same for all samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.segment_coefficients import divide_or_nan, system_pairs

Masks: TypeAlias = NDArray[np.bool_]
MetricPair: TypeAlias = tuple[int, int]
"""Indices of two metrics."""

Differences: TypeAlias = Callable[[int, int], Floats]
"""A function that takes the indices of two metrics and returns the difference of the measure in each sample."""

BLOCK = 1 << 24
"""Largest number of array elements that are computed for a block of samples at a time."""

RELATIVE_TOLERANCE = 1e-12
"""Ratio of a variance to the sum of squares below which the variance is regarded as a rounding error."""


@dataclass(frozen=True)
class UnitExchange:
    """Sums terms of two metrics after they exchange segments, systems or single scores.

    A unit has two cases: its scores come from the first metric or from the second metric.

    Attributes:
        masks: masks of the exchanged units in each sample.
        cases: for each case, the index of the metric that scores the first and the second system of a pair.
    """

    masks: Masks
    cases: ClassVar[Sequence[MetricPair]] = ((0, 0), (1, 1))

    def sum_terms(self, terms: Floats) -> tuple[Floats, Floats]:
        """Sum the terms of each metric in each sample.

        Args:
            terms: terms of each unit in each case, ``(sums, 2, units)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        first_terms, second_terms = terms[:, 0], terms[:, 1]
        term_differences = second_terms - first_terms
        unit_masks = self.masks.reshape(len(self.masks), -1)  # (samples, units)
        # The samples are processed in blocks to limit the memory for masks as floating-point numbers.
        n_blocks = 1 + unit_masks.size // BLOCK
        block_changes = []
        for block_masks in np.array_split(unit_masks, n_blocks):
            block_changes.append(block_masks.astype(float) @ term_differences.T)
        changes = np.concatenate(block_changes).T  # (sums, samples)
        first_sums = first_terms.sum(axis=1)[:, None] + changes
        second_sums = second_terms.sum(axis=1)[:, None] - changes
        return first_sums, second_sums


class SystemPairExchange:
    """Sums terms of two metrics over pairs of systems after the metrics exchange the scores of some systems.

    A pair of systems has four cases, because each of its systems has scores of the first or of the second metric.

    Args:
        masks: masks of the exchanged systems, ``(samples, systems)``.

    Attributes:
        cases: for each case, the index of the metric that scores the first and the second system of a pair.
    """

    cases: ClassVar[Sequence[MetricPair]] = ((0, 0), (0, 1), (1, 0), (1, 1))

    def __init__(self, masks: Masks) -> None:
        first_system, second_system = system_pairs(masks.shape[1])
        case_index = 2 * masks[:, first_system] + masks[:, second_system]  # (samples, pairs)
        all_cases = np.arange(len(self.cases))
        # The array (samples, cases, pairs) is 1 for the case of the pair, and 0 for all other cases.
        self._is_case = np.asarray(case_index[:, None] == all_cases[:, None], float)

    def sum_terms(self, terms: Floats) -> tuple[Floats, Floats]:
        """Sum the terms of each metric in each sample.

        Args:
            terms: terms of each pair of systems in each case, ``(sums, 4, pairs)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        # The second metric always has the scores that the first metric lacks.
        # For the second metric, the order of the four cases is therefore reversed.
        cases_and_pairs = (1, 2)
        first_sums = np.tensordot(terms, self._is_case, axes=(cases_and_pairs, cases_and_pairs))
        second_sums = np.tensordot(terms, self._is_case[:, ::-1], axes=(cases_and_pairs, cases_and_pairs))
        return first_sums, second_sums


def _make_comparer(
    exchange: UnitExchange | SystemPairExchange,
    compute_terms: Callable[[int, int], Floats],
    compute_measure: Callable[[Floats], Floats],
) -> Differences:
    """Return a function that compares two metrics in each sample by a measure that is a function of sums.

    Args:
        exchange: the exchange of scores.
        compute_terms: function that takes the indices of two metrics and returns their terms, ``(sums, cases, units)``.
        compute_measure: function that computes the measure of a metric from its sums, ``(sums, samples)``.
    """

    def compute_differences(first: int, second: int) -> Floats:
        first_sums, second_sums = exchange.sum_terms(compute_terms(first, second))
        return compute_measure(first_sums) - compute_measure(second_sums)

    return compute_differences


def make_group_mean_comparer(group_values: Sequence[Floats], masks: Masks) -> Differences:
    """Return a function that compares the group means of two metrics in each sample of a permutation test.

    Args:
        group_values: value of each group for each metric, ``(groups,)``. NaN if the value is undefined.
        masks: masks of the exchanged groups, ``(samples, groups)``.
    """
    values = np.stack(group_values)  # (metrics, groups)
    terms = np.stack([np.nan_to_num(values), ~np.isnan(values)])  # (2, metrics, groups)
    return _make_comparer(UnitExchange(masks), lambda first, second: terms[:, [first, second]], _mean_of_sums)


def _mean_of_sums(sums: Floats) -> Floats:
    """Compute the mean in each sample from the sum of the defined values, and from their number."""
    value_sums, n_defined = sums
    return divide_or_nan(value_sums, np.rint(n_defined))


def make_pearson_comparer(scores: Floats, ratings: Assessments, masks: Masks, unit: str) -> Differences:
    """Return a function that compares Pearson's r of two metrics in each sample of a permutation test.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        ratings: human ratings.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
    """
    shape = scores.shape[1:]  # (systems, segments)
    deviations = ratings.scores - ratings.scores.mean()
    n_ratings = _sum_by_output(ratings, np.ones(len(ratings)), shape)
    deviation_sums = _sum_by_output(ratings, deviations, shape)
    rated_scores = np.where(n_ratings > 0, scores, 0.0)
    metric_terms = [_pearson_terms(metric_scores, n_ratings, deviation_sums, unit) for metric_scores in rated_scores]
    terms = np.stack(metric_terms, axis=1)  # (3, metrics, units)
    human_sum_of_squares = _sum_squared_deviations(ratings.scores)

    def compute_pearson(sums: Floats) -> Floats:
        return _pearson_of_sums(sums, human_sum_of_squares, len(ratings))

    return _make_comparer(UnitExchange(masks), lambda first, second: terms[:, [first, second]], compute_pearson)


def _sum_squared_deviations(values: Floats) -> float:
    """Return the sum of the squared deviations from the mean, or 0 if the sum is only a rounding error."""
    deviations = values - values.mean()
    sum_of_squares = float(deviations @ deviations)
    is_rounding_error = sum_of_squares <= RELATIVE_TOLERANCE * float(values @ values)
    return 0.0 if is_rounding_error else sum_of_squares


def _sum_by_output(ratings: Assessments, values: Floats, shape: tuple[int, ...]) -> Floats:
    """Sum values of ratings by the rated output. The result has the given shape, ``(systems, segments)``."""
    output_index = np.ravel_multi_index((ratings.systems, ratings.segments), shape)
    return np.asarray(np.bincount(output_index, values, math.prod(shape)).reshape(shape), float)


def _pearson_terms(scores: Floats, n_ratings: Floats, deviation_sums: Floats, unit: str) -> Floats:
    """Return three sums from which Pearson's r can be computed.

    The sums are over the metric scores, over their squares, and over their products with the deviations of the ratings.

    Args:
        scores: scores of the metric, ``(systems, segments)``.
        n_ratings: number of ratings of each output.
        deviation_sums: sum of the deviations of the ratings of each output from the mean rating.
        unit: the unit within which terms are summed: ``segments``, ``systems`` or ``scores``.

    Returns:
        An array ``(3, units)``.
    """
    output_terms = np.stack([n_ratings * scores, n_ratings * scores * scores, scores * deviation_sums])
    if unit == "segments":
        return np.asarray(output_terms.sum(axis=1))
    if unit == "systems":
        return np.asarray(output_terms.sum(axis=2))
    return output_terms.reshape(3, -1)


def _pearson_of_sums(sums: Floats, human_sum_of_squares: float, n_ratings: int) -> Floats:
    """Compute Pearson's r in each sample from the sums of :func:`_pearson_terms`."""
    score_sums, square_sums, product_sums = sums
    metric_sum_of_squares = square_sums - score_sums**2 / n_ratings
    is_rounding_error = metric_sum_of_squares <= RELATIVE_TOLERANCE * square_sums
    metric_sum_of_squares[is_rounding_error] = 0.0
    normalizer = np.sqrt(metric_sum_of_squares * human_sum_of_squares)
    return np.clip(divide_or_nan(product_sums, normalizer), -1.0, 1.0)


def make_soft_accuracy_comparer(scores: Floats, human_scores: Floats, masks: Masks) -> Differences:
    """Return a function that compares the soft pairwise accuracy of two metrics in each sample.

    For each pair of systems, soft pairwise accuracy compares the p-value by metric scores with the p-value by human
    scores. The p-values are computed from the normal distribution.

    Args:
        scores: scores of each metric.
        human_scores: human scores, ``(systems, segments)``.
        masks: masks of the exchanged systems, ``(samples, systems)``.
    """
    rated = ~np.isnan(human_scores)
    human_p_values = _compare_systems(human_scores, human_scores, rated)
    n_pairs = len(human_p_values)

    def compute_terms(first: int, second: int) -> Floats:
        metric_scores = (scores[first], scores[second])
        errors = []
        for metric_of_first, metric_of_second in SystemPairExchange.cases:
            p_values = _compare_systems(metric_scores[metric_of_first], metric_scores[metric_of_second], rated)
            errors.append(np.abs(p_values - human_p_values))
        return np.stack(errors)[None]  # (1, cases, pairs)

    def compute_accuracy(error_sums: Floats) -> Floats:
        return np.asarray(1 - error_sums[0] / n_pairs)

    return _make_comparer(SystemPairExchange(masks), compute_terms, compute_accuracy)


def _compare_systems(first_scores: Floats, second_scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """Return the p-value of the score difference of each pair of systems, by the normal distribution.

    If the systems are swapped at random on each segment, the sum of their score differences ``d`` has the mean 0 and
    the variance ``Σ d²``. If two systems have equal scores on all segments, the p-value is 1.

    Args:
        first_scores: scores from which those of the first system of each pair are taken, ``(systems, segments)``.
        second_scores: scores from which those of the second system of each pair are taken, ``(systems, segments)``.
        rated: mask of the outputs with human scores. A pair is compared on the segments that are rated for both.
    """
    from scipy import special

    first, second = system_pairs(len(rated))
    is_rated = rated[first] & rated[second]  # (pairs, segments)
    differences = np.where(is_rated, first_scores[first] - second_scores[second], 0.0)
    squares = np.where(is_rated, first_scores[first] ** 2 + second_scores[second] ** 2, 0.0)
    variances = (differences**2).sum(axis=1)
    # A variance that is only a rounding error of equal scores counts as 0.
    has_equal_scores = variances <= RELATIVE_TOLERANCE * squares.sum(axis=1)
    z = divide_or_nan(differences.sum(axis=1), np.sqrt(variances))
    return np.where(has_equal_scores, 1.0, np.asarray(special.ndtr(-z)))


class ComparedScores:
    """Metric scores of the pairs of outputs that annotators compared.

    The class sums values of human comparisons within each segment or each pair of systems, depending on what the
    metrics exchange. The first system of a comparison is the one with the lower index.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.

    Attributes:
        human_signs: 1 if the annotator preferred the first system, -1 if the annotator preferred the second system, and
            0 for ties, ``(comparisons,)``.
        exchange: the exchange of segments or of systems.
        unit_index: index of the segment or of the pair of systems of each comparison.
        n_units: number of segments or of pairs of systems.
    """

    def __init__(self, rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> None:
        _, n_systems, n_segments = scores.shape
        first = np.minimum(rankings.better, rankings.worse)
        second = np.maximum(rankings.better, rankings.worse)
        sign_without_ties = np.where(rankings.better == first, 1, -1)
        self.human_signs = np.where(rankings.ties, 0, sign_without_ties).astype(np.int8)
        self._first_scores = scores[:, first, rankings.segments]  # (metrics, comparisons)
        self._second_scores = scores[:, second, rankings.segments]
        self.exchange: UnitExchange | SystemPairExchange
        if unit == "systems":
            self.exchange = SystemPairExchange(masks)
            self.unit_index = _index_system_pairs(n_systems)[first, second]
            self.n_units = n_systems * (n_systems - 1) // 2
        else:
            self.exchange = UnitExchange(masks)
            self.unit_index = rankings.segments
            self.n_units = n_segments

    def differences(self, first_metric: int, second_metric: int) -> Floats:
        """Return the score difference between the two systems of each comparison.

        Args:
            first_metric, second_metric: indices of the two metrics that exchange scores.

        Returns:
            An array ``(cases, comparisons)``.
        """
        metrics = (first_metric, second_metric)
        differences = []
        for metric_of_first, metric_of_second in self.exchange.cases:
            first_scores = self._first_scores[metrics[metric_of_first]]
            second_scores = self._second_scores[metrics[metric_of_second]]
            differences.append(first_scores - second_scores)
        return np.stack(differences)

    def sum_within_units(self, values: NDArray[Any]) -> Floats:
        """Sum values of comparisons within each segment or each pair of systems.

        Args:
            values: values of each comparison in each case, ``(cases, comparisons)``.

        Returns:
            An array ``(cases, units)``.
        """
        sums = [np.bincount(self.unit_index, case_values, self.n_units) for case_values in values]
        return np.stack(sums).astype(float)


def _index_system_pairs(n_systems: int) -> Integers:
    """Return a matrix ``(systems, systems)`` with the index of each pair in the order of :func:`.system_pairs`."""
    first, second = system_pairs(n_systems)
    pair_index = np.zeros((n_systems, n_systems), int)
    pair_index[first, second] = np.arange(len(first))
    return pair_index


def make_pair_count_comparer(
    rankings: Rankings,
    scores: Floats,
    masks: Masks,
    unit: str,
    compute_measure: Callable[[kendall.PairCounts], Floats | float],
) -> Differences:
    """Return a function that compares two metrics by a measure that counts pairs, such as Kendall's τ.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
        compute_measure: function that computes the measure from the numbers of pairs.
    """
    compared_scores = ComparedScores(rankings, scores, masks, unit)

    def compute_terms(first: int, second: int) -> Floats:
        return _count_agreements(compared_scores, compared_scores.differences(first, second))

    def compute_measure_of_sums(sums: Floats) -> Floats:
        return np.asarray(compute_measure(_pair_counts_of_sums(sums, rankings)), float)

    return _make_comparer(compared_scores.exchange, compute_terms, compute_measure_of_sums)


def _count_agreements(compared_scores: ComparedScores, differences: Floats) -> Floats:
    """Count concordant, discordant and tied pairs in each segment or each pair of systems.

    The first count is the number of concordant pairs minus the number of discordant pairs. The other counts are the
    pairs that the metric ties, and the pairs that both metric and annotator tie.

    Returns:
        An array ``(3, cases, units)``.
    """
    is_metric_tie = differences == 0
    is_common_tie = is_metric_tie & (compared_scores.human_signs == 0)
    agreement = np.sign(differences) * compared_scores.human_signs
    pair_values = (agreement, is_metric_tie, is_common_tie)
    return np.stack([compared_scores.sum_within_units(values) for values in pair_values])


def _pair_counts_of_sums(sums: Floats, rankings: Rankings) -> kendall.PairCounts:
    """Convert sums of :func:`_count_agreements` to counts of concordant, discordant and tied pairs."""
    concordant_minus_discordant, all_metric_ties, both_ties = np.rint(sums)
    n_human_ties = int(rankings.ties.sum())
    metric_ties = all_metric_ties - both_ties
    n_untied = len(rankings) - n_human_ties - metric_ties
    return kendall.PairCounts(
        concordant=(n_untied + concordant_minus_discordant) / 2,
        discordant=(n_untied - concordant_minus_discordant) / 2,
        metric_ties=metric_ties,
        human_ties=n_human_ties - both_ties,
        both_ties=both_ties,
    )


N_THRESHOLDS = 256
"""Number of thresholds for ties that are tried if there are too many score differences to try all of them."""

MAX_EXACT_DIFFERENCES = 1 << 14
"""Largest number of score differences for which every difference is tried as a threshold."""

_THRESHOLD_SAMPLING_STEP = 7


def make_tied_accuracy_comparer(rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> Differences:
    """Return a function that compares two metrics by pairwise accuracy with tie calibration.

    Score differences up to a threshold are ties. The best threshold is chosen separately for each sample.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
    """
    compared_scores = ComparedScores(rankings, scores, masks, unit)
    pair_weights = kendall.compute_pair_weights(rankings)
    total_weight = pair_weights.sum()

    def compute_terms(first: int, second: int) -> Floats:
        return _weigh_correct_pairs(compared_scores, compared_scores.differences(first, second), pair_weights)

    def find_best_accuracy(sums: Floats) -> Floats:
        # The first row is the weight of the correct pairs without ties.
        # Each other row is the change of this weight at one threshold.
        weight_by_threshold = np.cumsum(sums, axis=0)[1:]
        return np.asarray(weight_by_threshold.max(axis=0) / total_weight)

    return _make_comparer(compared_scores.exchange, compute_terms, find_best_accuracy)


def _weigh_correct_pairs(compared_scores: ComparedScores, differences: Floats, pair_weights: Floats) -> Floats:
    """Compute how the weight of the correct pairs depends on the tie threshold.

    The first row of the result is the weight of the correct pairs if the metric ties no pairs. Each further row is the
    change at one threshold. The shape is ``(1 + thresholds, cases, units)``.

    Args:
        compared_scores: the compared scores.
        differences: score differences, ``(cases, comparisons)``.
        pair_weights: weight of each comparison.
    """
    is_ordered_right = compared_scores.human_signs * differences > 0  # (cases, comparisons)
    is_human_tie = compared_scores.human_signs == 0
    weights_without_ties = np.where(is_ordered_right, pair_weights, 0.0)
    gains = kendall.compute_tie_gains(pair_weights, is_human_tie, is_ordered_right)
    # Each pair is tied from the first threshold on that is not below the difference of its scores.
    distances = np.abs(differences)
    thresholds = _choose_thresholds(distances.ravel())
    threshold_index = np.searchsorted(thresholds, distances)
    changes = _sum_by_threshold(compared_scores, gains, threshold_index, len(thresholds))
    return np.concatenate([compared_scores.sum_within_units(weights_without_ties)[None], changes])


def _sum_by_threshold(
    compared_scores: ComparedScores, values: Floats, threshold_index: Integers, n_thresholds: int
) -> Floats:
    """Sum values of comparisons within each threshold, case and unit.

    Args:
        compared_scores: the compared scores.
        values: values of each comparison in each case, ``(cases, comparisons)``.
        threshold_index: index of the threshold of each value. Values with the index ``n_thresholds`` are ignored.
        n_thresholds: number of thresholds.

    Returns:
        An array ``(thresholds, cases, units)``.
    """
    shape = (compared_scores.n_units, n_thresholds + 1)
    sums = []
    for case_values, case_threshold_index in zip(values, threshold_index, strict=True):
        cell_index = np.ravel_multi_index((compared_scores.unit_index, case_threshold_index), shape)
        cell_sums = np.bincount(cell_index, case_values, math.prod(shape)).reshape(shape)
        sums.append(cell_sums[:, :n_thresholds])
    return np.moveaxis(np.stack(sums), 2, 0)


def _choose_thresholds(distances: Floats) -> Floats:
    """Return the tie thresholds to try.

    The thresholds are 0 and all score differences. If there are too many differences, the thresholds are 0 and some
    quantiles of the differences.
    """
    if distances.size <= MAX_EXACT_DIFFERENCES:
        return np.unique(np.append(distances, 0.0))
    sample = np.sort(distances[::_THRESHOLD_SAMPLING_STEP])
    quantile_indices = np.linspace(0, len(sample) - 1, N_THRESHOLDS).astype(int)
    return np.unique(np.append(sample[quantile_indices], 0.0))
