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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.segment_coefficients import divide_or_nan, sum_by_cell, system_pairs

Masks: TypeAlias = NDArray[np.bool_]
MetricPair: TypeAlias = tuple[int, int]
"""Indices of two metrics."""

Differences: TypeAlias = Callable[[int, int], Floats]
"""A function that takes the indices of two metrics and returns the difference of the measure in each sample."""

BLOCK = 1 << 24
"""Largest number of array elements that are computed for a block of samples at a time."""

RELATIVE_TOLERANCE = 1e-12
"""Ratio of a variance to the sum of squares below which the variance is regarded as a rounding error."""

N_PAIR_CASES = 4
"""Number of cases of a pair of systems, each of which has scores of one of two metrics."""


@dataclass(frozen=True)
class UnitExchange:
    """Sums terms of two metrics after they exchange segments, systems or single scores.

    A unit has two cases: its scores come from the first metric or from the second metric.

    Attributes:
        masks: masks of the exchanged units in each sample.
    """

    masks: Masks

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.masks[0].size)

    def list_cases(self, first: int, second: int) -> list[MetricPair]:
        """Return, for each case of a unit, the metrics that score the first and the second system of a comparison.

        Args:
            first, second: indices of the two metrics that exchange scores.
        """
        return [(first, first), (second, second)]

    def sum_terms(self, terms: Floats) -> tuple[Floats, Floats]:
        """Sum the terms of each metric in each sample.

        Args:
            terms: terms of each unit in each case, ``(sums, 2, units)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        first_terms, second_terms = terms[:, 0], terms[:, 1]
        changes = self._sum_exchanged_units(second_terms - first_terms)  # (sums, samples)
        first_sums = first_terms.sum(axis=1)[:, None] + changes
        second_sums = second_terms.sum(axis=1)[:, None] - changes
        return first_sums, second_sums

    def _sum_exchanged_units(self, terms: Floats) -> Floats:
        """Return the sum of some terms over the units that each sample exchanges.

        Args:
            terms: one row per sum, ``(sums, units)``.

        Returns:
            An array ``(sums, samples)``.
        """
        unit_masks = self.masks.reshape(len(self.masks), self.n_units)  # (samples, units)
        # The samples are processed in blocks to limit the memory for masks as floating-point numbers.
        n_blocks = 1 + unit_masks.size // BLOCK
        blocks = np.array_split(unit_masks, n_blocks)
        return np.concatenate([block.astype(float) @ terms.T for block in blocks]).T


class SystemPairExchange:
    """Sums terms of two metrics over pairs of systems after the metrics exchange the scores of some systems.

    A pair of systems has four cases, because each of its systems has scores of the first or of the second metric.

    Args:
        masks: masks of the exchanged systems, ``(samples, systems)``.

    Attributes:
        n_units: number of pairs of systems.
    """

    def __init__(self, masks: Masks) -> None:
        self._n_systems = masks.shape[1]
        first_system, second_system = system_pairs(self._n_systems)
        self.n_units = len(first_system)
        case_index = 2 * masks[:, first_system] + masks[:, second_system]  # (samples, pairs)
        all_cases = np.arange(N_PAIR_CASES)
        # The array (samples, cases, pairs) is 1 for the case of the pair, and 0 for all other cases.
        self._is_case = np.asarray(case_index[:, None] == all_cases[:, None], float)

    def list_cases(self, first: int, second: int) -> list[MetricPair]:
        """Return, for each case of a pair of systems, the metrics that score its first and its second system.

        Args:
            first, second: indices of the two metrics that exchange scores.
        """
        return [(first, first), (first, second), (second, first), (second, second)]

    def find_pairs(self, first_systems: Integers, second_systems: Integers) -> Integers:
        """Return the index of each pair of systems in the order of :func:`.system_pairs`.

        Args:
            first_systems, second_systems: indices of the systems. The first system of a pair has the lower index.
        """
        pair_index = np.zeros((self._n_systems, self._n_systems), int)
        pair_index[system_pairs(self._n_systems)] = np.arange(self.n_units)
        return pair_index[first_systems, second_systems]

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


def make_group_mean_comparer(group_values: Sequence[Floats], masks: Masks) -> Differences:
    """Return a function that compares the group means of two metrics in each sample of a permutation test.

    Args:
        group_values: value of each group for each metric, ``(groups,)``. NaN if the value is undefined.
        masks: masks of the exchanged groups, ``(samples, groups)``.
    """
    values = np.stack(group_values)  # (metrics, groups)
    terms = np.stack([np.nan_to_num(values), ~np.isnan(values)])  # (2, metrics, groups)
    exchange = UnitExchange(masks)

    def compute_differences(first: int, second: int) -> Floats:
        first_sums, second_sums = exchange.sum_terms(terms[:, [first, second]])
        return _mean_of_sums(first_sums) - _mean_of_sums(second_sums)

    return compute_differences


def _mean_of_sums(sums: Floats) -> Floats:
    """Compute the mean in each sample from the sum of the defined values, and from their number."""
    value_sums, n_defined = sums
    return divide_or_nan(value_sums, np.rint(n_defined))


def make_pearson_comparer(scores: Floats, ratings: Assessments, masks: Masks, unit: str) -> Differences:
    """Return a function that compares Pearson's r of two metrics in each sample of a permutation test.

    With ``n`` ratings, their deviations ``d`` from the mean rating, and the metric scores ``x`` of the rated outputs,
    Pearson's r is ``Σxd / sqrt((Σx² - (Σx)² / n) Σd²)``. An exchange changes only the sums ``Σx``, ``Σx²`` and ``Σxd``.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        ratings: human ratings.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
    """
    exchange = UnitExchange(masks)
    terms = np.stack([_pearson_terms(metric_scores, ratings, unit) for metric_scores in scores], axis=1)
    human_sum_of_squares = _sum_squared_deviations(ratings.scores)

    def compute_differences(first: int, second: int) -> Floats:
        first_sums, second_sums = exchange.sum_terms(terms[:, [first, second]])
        first_pearson = _pearson_of_sums(first_sums, human_sum_of_squares, len(ratings))
        second_pearson = _pearson_of_sums(second_sums, human_sum_of_squares, len(ratings))
        return first_pearson - second_pearson

    return compute_differences


def _pearson_terms(scores: Floats, ratings: Assessments, unit: str) -> Floats:
    """Return the terms ``x``, ``x²`` and ``xd`` of Pearson's r, summed over the ratings of each unit.

    Args:
        scores: scores of the metric, ``(systems, segments)``.
        ratings: human ratings.
        unit: the unit within which terms are summed: ``segments``, ``systems`` or ``scores``.

    Returns:
        An array ``(3, units)``.
    """
    rated_outputs = (ratings.systems, ratings.segments)
    deviations = ratings.scores - ratings.scores.mean()
    n_ratings = sum_by_cell(rated_outputs, np.ones(len(ratings)), scores.shape)
    deviation_sums = sum_by_cell(rated_outputs, deviations, scores.shape)
    rated_scores = np.where(n_ratings > 0, scores, 0.0)
    weighted_scores = n_ratings * rated_scores
    output_terms = np.stack([weighted_scores, weighted_scores * rated_scores, rated_scores * deviation_sums])
    if unit == "segments":
        return np.asarray(output_terms.sum(axis=1))
    if unit == "systems":
        return np.asarray(output_terms.sum(axis=2))
    return output_terms.reshape(3, -1)


def _sum_squared_deviations(values: Floats) -> float:
    """Return the sum of the squared deviations from the mean, or 0 if the sum is only a rounding error."""
    deviations = values - values.mean()
    sum_of_squares = float(deviations @ deviations)
    return 0.0 if _is_rounding_error(sum_of_squares, float(values @ values)) else sum_of_squares


def _is_rounding_error(variances: Floats | float, sums_of_squares: Floats | float) -> NDArray[np.bool_]:
    """Return whether variances are only rounding errors of equal values, whose sums of squares are given."""
    return np.asarray(variances <= RELATIVE_TOLERANCE * sums_of_squares)


def _pearson_of_sums(sums: Floats, human_sum_of_squares: float, n_ratings: int) -> Floats:
    """Compute Pearson's r in each sample from the sums of :func:`_pearson_terms`."""
    score_sums, square_sums, product_sums = sums
    metric_sum_of_squares = square_sums - score_sums**2 / n_ratings
    metric_sum_of_squares[_is_rounding_error(metric_sum_of_squares, square_sums)] = 0.0
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
    exchange = SystemPairExchange(masks)
    rated = ~np.isnan(human_scores)
    human_p_values = _compare_systems(human_scores, human_scores, rated)  # (pairs,)

    def compute_differences(first: int, second: int) -> Floats:
        cases = exchange.list_cases(first, second)
        p_values = np.stack([_compare_systems(scores[i], scores[j], rated) for i, j in cases])  # (cases, pairs)
        errors = np.abs(p_values - human_p_values)
        (first_errors,), (second_errors,) = exchange.sum_terms(errors[np.newaxis])  # Arrays (samples,).
        first_accuracy = 1 - first_errors / exchange.n_units
        second_accuracy = 1 - second_errors / exchange.n_units
        return np.asarray(first_accuracy - second_accuracy)

    return compute_differences


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
    x = np.where(is_rated, first_scores[first], 0.0)
    y = np.where(is_rated, second_scores[second], 0.0)
    differences = x - y
    variances = (differences**2).sum(axis=1)
    has_equal_scores = _is_rounding_error(variances, (x**2 + y**2).sum(axis=1))
    z = divide_or_nan(differences.sum(axis=1), np.sqrt(variances))
    return np.where(has_equal_scores, 1.0, np.asarray(special.ndtr(-z)))


@dataclass(frozen=True)
class ComparedScores:
    """Metric scores of the pairs of outputs that annotators compared.

    The class sums values of human comparisons within each segment or each pair of systems, depending on what the
    metrics exchange. The first system of a comparison is the one with the lower index.

    Attributes:
        human_signs: 1 if the annotator preferred the first system, -1 if the annotator preferred the second system, and
            0 for ties, ``(comparisons,)``.
        first_scores, second_scores: scores of the first and of the second system, ``(metrics, comparisons)``.
        exchange: the exchange of segments or of systems.
        unit_index: index of the segment or of the pair of systems of each comparison.
    """

    human_signs: NDArray[np.int8]
    first_scores: Floats
    second_scores: Floats
    exchange: UnitExchange | SystemPairExchange
    unit_index: Integers

    def compute_differences(self, first_metric: int, second_metric: int) -> Floats:
        """Return the score difference between the two systems of each comparison in each case of the exchange.

        Args:
            first_metric, second_metric: indices of the two metrics that exchange scores.

        Returns:
            An array ``(cases, comparisons)``.
        """
        cases = self.exchange.list_cases(first_metric, second_metric)
        return np.stack([self.first_scores[first] - self.second_scores[second] for first, second in cases])

    def sum_within_units(self, values: NDArray[Any]) -> Floats:
        """Sum values of comparisons within each segment or each pair of systems.

        Args:
            values: values of each comparison in each case, ``(cases, comparisons)``.

        Returns:
            An array ``(cases, units)``.
        """
        sums = [np.bincount(self.unit_index, case_values, self.exchange.n_units) for case_values in values]
        return np.stack(sums).astype(float)


def select_compared_scores(rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> ComparedScores:
    """Select the metric scores of the pairs of outputs that annotators compared.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.
    """
    first = np.minimum(rankings.better, rankings.worse)
    second = np.maximum(rankings.better, rankings.worse)
    signs_without_ties = np.where(rankings.better == first, 1, -1)
    exchange: UnitExchange | SystemPairExchange
    if unit == "systems":
        exchange = SystemPairExchange(masks)
        unit_index = exchange.find_pairs(first, second)
    else:
        exchange = UnitExchange(masks)
        unit_index = rankings.segments
    return ComparedScores(
        human_signs=np.where(rankings.ties, 0, signs_without_ties).astype(np.int8),
        first_scores=scores[:, first, rankings.segments],
        second_scores=scores[:, second, rankings.segments],
        exchange=exchange,
        unit_index=unit_index,
    )


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
    compared_scores = select_compared_scores(rankings, scores, masks, unit)

    def compute_differences(first: int, second: int) -> Floats:
        agreements = _count_agreements(compared_scores, compared_scores.compute_differences(first, second))
        first_sums, second_sums = compared_scores.exchange.sum_terms(agreements)
        first_counts = _pair_counts_of_sums(first_sums, rankings)
        second_counts = _pair_counts_of_sums(second_sums, rankings)
        return np.asarray(compute_measure(first_counts) - compute_measure(second_counts), float)

    return compute_differences


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
    compared_scores = select_compared_scores(rankings, scores, masks, unit)
    pair_weights = kendall.compute_pair_weights(rankings)
    total_weight = pair_weights.sum()

    def compute_differences(first: int, second: int) -> Floats:
        score_differences = compared_scores.compute_differences(first, second)
        correct_weights = _weigh_correct_pairs(compared_scores, score_differences, pair_weights)
        # The sums are arrays (thresholds, samples).
        first_sums, second_sums = compared_scores.exchange.sum_terms(correct_weights)
        return np.asarray(first_sums.max(axis=0) / total_weight - second_sums.max(axis=0) / total_weight)

    return compute_differences


def _weigh_correct_pairs(compared_scores: ComparedScores, differences: Floats, pair_weights: Floats) -> Floats:
    """Compute the total weight of the correct pairs of each unit at each tie threshold.

    Args:
        compared_scores: the compared scores.
        differences: score differences, ``(cases, comparisons)``.
        pair_weights: weight of each comparison.

    Returns:
        An array ``(thresholds, cases, units)``.
    """
    is_ordered_right = compared_scores.human_signs * differences > 0  # (cases, comparisons)
    is_human_tie = compared_scores.human_signs == 0
    weights_without_ties = compared_scores.sum_within_units(np.where(is_ordered_right, pair_weights, 0.0))
    gains = kendall.compute_tie_gains(pair_weights, is_human_tie, is_ordered_right)
    # Each pair is tied from the first threshold on that is not below the difference of its scores.
    distances = np.abs(differences)
    thresholds = _choose_thresholds(distances.ravel())
    threshold_index = np.searchsorted(thresholds, distances)
    gains_by_threshold = _sum_by_threshold(compared_scores, gains, threshold_index, len(thresholds))
    return np.asarray(weights_without_ties + np.cumsum(gains_by_threshold, axis=0))


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
    n_cases = len(values)
    case_index = np.arange(n_cases)[:, np.newaxis]
    shape = (n_thresholds + 1, n_cases, compared_scores.exchange.n_units)
    sums = sum_by_cell((threshold_index, case_index, compared_scores.unit_index), values, shape)
    return sums[:n_thresholds]


def _choose_thresholds(distances: Floats) -> Floats:
    """Return the tie thresholds to try.

    The thresholds are 0 and all score differences. If there are very many differences, quantiles of the differences
    replace them.
    """
    if distances.size <= MAX_EXACT_DIFFERENCES:
        return np.unique(np.append(distances, 0.0))
    sample = np.sort(distances[::_THRESHOLD_SAMPLING_STEP])
    quantile_indices = np.linspace(0, len(sample) - 1, N_THRESHOLDS).astype(int)
    return np.unique(np.append(sample[quantile_indices], 0.0))
