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

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e_evaluation import kendall
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.segment_coefficients import divide_or_nan, system_pairs

Masks: TypeAlias = NDArray[np.bool_]
Differences: TypeAlias = Callable[[int, int], Floats]
"""A function that takes the indices of two metrics and returns the difference of the measure in each sample."""

BLOCK = 1 << 24
"""Largest number of array elements that are computed for a block of samples at a time."""

RELATIVE_TOLERANCE = 1e-12
"""Ratio of a variance to the sum of squares below which the variance is regarded as a rounding error."""


def sum_exchanged_units(first_terms: Floats, second_terms: Floats, masks: Masks) -> tuple[Floats, Floats]:
    """Sum terms of two metrics after they exchange some of the terms.

    Args:
        first_terms: terms of the first metric, ``(sums, units)``.
        second_terms: terms of the second metric, ``(sums, units)``.
        masks: masks of the exchanged units in each sample.

    Returns:
        The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
    """
    unit_masks = masks.reshape(len(masks), -1)  # (samples, units)
    term_differences = second_terms - first_terms
    # The samples are processed in blocks to limit the memory for masks as floating-point numbers.
    n_blocks = 1 + unit_masks.size // BLOCK
    block_changes = []
    for block_masks in np.array_split(unit_masks, n_blocks):
        block_changes.append(block_masks.astype(float) @ term_differences.T)
    changes = np.concatenate(block_changes).T  # (sums, samples)
    first_sums = first_terms.sum(axis=1)[:, None] + changes
    second_sums = second_terms.sum(axis=1)[:, None] - changes
    return first_sums, second_sums


def find_exchange_cases(masks: Masks) -> Floats:
    """Classify pairs of systems by whether each system of the pair is exchanged in a sample.

    A sample exchanges neither system of a pair, only the second system, only the first system, or both systems.

    Args:
        masks: masks of the exchanged systems, ``(samples, systems)``.

    Returns:
        An array ``(samples, 4, pairs)`` that is 1 for the case of the pair, and 0 for all other cases.
    """
    first_system, second_system = system_pairs(masks.shape[1])
    case_index = 2 * masks[:, first_system] + masks[:, second_system]
    all_cases = np.arange(4)
    return np.asarray(case_index[:, None] == all_cases[:, None], float)


def sum_exchanged_systems(case_terms: Floats, exchange_cases: Floats) -> tuple[Floats, Floats]:
    """Sum terms of two metrics over pairs of systems after the metrics exchange the scores of some systems.

    Args:
        case_terms: terms of each pair of systems in each case of :func:`find_exchange_cases`, ``(sums, 4, pairs)``.
        exchange_cases: the result of :func:`find_exchange_cases`.

    Returns:
        The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
    """
    # The second metric always has the scores that the first metric lacks.
    # For the second metric, the order of the four cases is therefore reversed.
    cases_and_pairs = (1, 2)
    first_sums = np.tensordot(case_terms, exchange_cases, axes=(cases_and_pairs, cases_and_pairs))
    second_sums = np.tensordot(case_terms, exchange_cases[:, ::-1], axes=(cases_and_pairs, cases_and_pairs))
    return first_sums, second_sums


def make_group_mean_comparer(group_values: Sequence[Floats], masks: Masks) -> Differences:
    """Return a function that compares the group means of two metrics in each sample of a permutation test.

    Args:
        group_values: value of each group for each metric, ``(groups,)``. NaN if the value is undefined.
        masks: masks of the exchanged groups, ``(samples, groups)``.
    """
    terms = []
    for metric_values in group_values:
        is_defined = ~np.isnan(metric_values)
        terms.append(np.stack([np.nan_to_num(metric_values), is_defined]))  # (2, groups)

    def compute_means(sums: Floats) -> Floats:
        value_sums, n_defined = sums  # (samples,) each
        return divide_or_nan(value_sums, np.rint(n_defined))

    def compute_differences(first: int, second: int) -> Floats:
        first_sums, second_sums = sum_exchanged_units(terms[first], terms[second], masks)
        return compute_means(first_sums) - compute_means(second_sums)

    return compute_differences


def make_pearson_comparer(scores: Floats, ratings: Assessments, masks: Masks, unit: str) -> Differences:
    """Return a function that compares Pearson's r of two metrics in each sample of a permutation test.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        ratings: human ratings.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments``, ``systems`` or ``scores``.
    """
    shape = scores.shape[1:]  # (systems, segments)
    rated_outputs = (ratings.systems, ratings.segments)
    n_ratings = np.zeros(shape, int)
    np.add.at(n_ratings, rated_outputs, 1)
    rating_deviations = ratings.scores - ratings.scores.mean()
    deviation_sums = np.zeros(shape)
    np.add.at(deviation_sums, rated_outputs, rating_deviations)
    rated_scores = np.where(n_ratings > 0, scores, 0.0)
    terms = [_pearson_terms(metric_scores, n_ratings, deviation_sums, unit) for metric_scores in rated_scores]
    human_sum_of_squares = float(rating_deviations @ rating_deviations)
    if human_sum_of_squares <= RELATIVE_TOLERANCE * float(ratings.scores @ ratings.scores):
        human_sum_of_squares = 0.0

    def compute_differences(first: int, second: int) -> Floats:
        first_sums, second_sums = sum_exchanged_units(terms[first], terms[second], masks)
        first_pearson = _pearson_of_sums(first_sums, human_sum_of_squares, len(ratings))
        second_pearson = _pearson_of_sums(second_sums, human_sum_of_squares, len(ratings))
        return first_pearson - second_pearson

    return compute_differences


def _pearson_terms(scores: Floats, n_ratings: Integers, deviation_sums: Floats, unit: str) -> Floats:
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
    exchange_cases = find_exchange_cases(masks)
    rated = ~np.isnan(human_scores)
    human_p_values = _compare_systems(human_scores, human_scores, rated)
    n_pairs = len(human_p_values)

    def compute_differences(first: int, second: int) -> Floats:
        case_errors = []
        # Each system of a pair has scores of the first or of the second metric, which gives four cases.
        for first_scores, second_scores in itertools.product((scores[first], scores[second]), repeat=2):
            metric_p_values = _compare_systems(first_scores, second_scores, rated)
            case_errors.append(np.abs(metric_p_values - human_p_values))
        case_terms = np.stack(case_errors)[None]  # (1, cases, pairs)
        first_errors, second_errors = sum_exchanged_systems(case_terms, exchange_cases)
        first_accuracy = 1 - first_errors[0] / n_pairs
        second_accuracy = 1 - second_errors[0] / n_pairs
        return np.asarray(first_accuracy - second_accuracy)

    return compute_differences


def _compare_systems(first_scores: Floats, second_scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """Return the p-value of the score difference of each pair of systems, by the normal distribution.

    If two systems have equal scores on all segments, the p-value is 1.

    Args:
        first_scores: scores from which those of the first system of each pair are taken, ``(systems, segments)``.
        second_scores: scores from which those of the second system of each pair are taken, ``(systems, segments)``.
        rated: mask of the outputs with human scores. A pair is compared on the segments that are rated for both.
    """
    from scipy import special

    first, second = system_pairs(len(rated))
    is_rated = rated[first] & rated[second]  # (pairs, segments)
    first_rated_scores = np.where(is_rated, first_scores[first], 0.0)
    second_rated_scores = np.where(is_rated, second_scores[second], 0.0)
    differences = first_rated_scores - second_rated_scores
    sums_of_squares = (first_rated_scores**2 + second_rated_scores**2).sum(axis=1)
    variances = (differences**2).sum(axis=1)
    varies = variances > RELATIVE_TOLERANCE * sums_of_squares
    z = differences.sum(axis=1) / np.sqrt(np.where(varies, variances, 1.0))
    return np.where(varies, np.asarray(special.ndtr(-z)), 1.0)


class ComparedScores:
    """Metric scores of the pairs of outputs that annotators compared.

    The class sums values over human comparisons after two metrics exchange scores.

    The first system of a comparison is the one with the lower index. If the metrics exchange segments, there are two
    cases: the scores of both systems come from the first metric, or from the second metric. If the metrics exchange
    systems, there are the four cases of :func:`find_exchange_cases`.

    Args:
        rankings: human comparisons.
        scores: scores of each metric.
        masks: masks of the exchanged units.
        unit: the unit to exchange: ``segments`` or ``systems``.

    Attributes:
        human_signs: 1 if the annotator preferred the first system, -1 if the annotator preferred the second system, and
            0 for ties, ``(comparisons,)``.
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
        self._masks = masks
        self._exchange_cases: Floats | None = None
        if unit == "systems":
            # The pairs are numbered in the order (0, 1), (0, 2), …, (1, 2), (1, 3), ….
            index_of_first_pair = first * n_systems - first * (first + 1) // 2
            self.unit_index = index_of_first_pair + second - first - 1
            self.n_units = n_systems * (n_systems - 1) // 2
            self._exchange_cases = find_exchange_cases(masks)
        else:
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
        exchanges_systems = self._exchange_cases is not None
        # A case is the metric that scores the first system, and the metric that scores the second system.
        cases = itertools.product(metrics, repeat=2) if exchanges_systems else zip(metrics, metrics, strict=True)
        differences = []
        for metric_of_first, metric_of_second in cases:
            differences.append(self._first_scores[metric_of_first] - self._second_scores[metric_of_second])
        return np.stack(differences)

    def sum_within_units(self, values: NDArray[Any]) -> Floats:
        """Sum values of comparisons within each segment or each pair of systems.

        Returns:
            An array ``(cases, units)``.
        """
        sums = [np.bincount(self.unit_index, case_values, self.n_units) for case_values in values]
        return np.stack(sums).astype(float)

    def sum_exchanged(self, terms: Floats) -> tuple[Floats, Floats]:
        """Sum terms of two metrics after they exchange scores in each sample.

        Args:
            terms: terms of each unit in each case, ``(sums, cases, units)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        if self._exchange_cases is not None:
            return sum_exchanged_systems(terms, self._exchange_cases)
        return sum_exchanged_units(terms[:, 0], terms[:, 1], self._masks)


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

    def compute_differences(first: int, second: int) -> Floats:
        terms = _count_agreements(compared_scores, compared_scores.differences(first, second))
        first_sums, second_sums = compared_scores.sum_exchanged(terms)
        first_value = compute_measure(_pair_counts_of_sums(first_sums, rankings))
        second_value = compute_measure(_pair_counts_of_sums(second_sums, rankings))
        return np.asarray(first_value - second_value, float)

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
    compared_scores = ComparedScores(rankings, scores, masks, unit)
    pair_weights = kendall.compute_pair_weights(rankings)
    total_weight = pair_weights.sum()

    def find_best_accuracy(sums: Floats) -> Floats:
        # The first row is the weight of the correct pairs without ties. The other rows are its changes.
        weight_by_threshold = np.cumsum(sums, axis=0)[1:]
        return np.asarray(weight_by_threshold.max(axis=0) / total_weight)

    def compute_differences(first: int, second: int) -> Floats:
        score_differences = compared_scores.differences(first, second)
        terms = _weigh_correct_pairs(compared_scores, score_differences, pair_weights)
        first_sums, second_sums = compared_scores.sum_exchanged(terms)
        return find_best_accuracy(first_sums) - find_best_accuracy(second_sums)

    return compute_differences


def _weigh_correct_pairs(compared_scores: ComparedScores, differences: Floats, pair_weights: Floats) -> Floats:
    """Compute how the weight of the correct pairs depends on the tie threshold.

    The first row of the result is the weight of the correct pairs if the metric ties no pairs. Each further row is the
    change at one threshold. The shape is ``(1 + thresholds, cases, units)``.

    Args:
        compared_scores: the compared scores.
        differences: score differences, ``(cases, comparisons)``.
        pair_weights: weight of each comparison.
    """
    is_ordered_right = compared_scores.human_signs * differences > 0
    weights_without_ties = np.where(is_ordered_right, pair_weights, 0.0)
    # A pair that the metric ties is correct only if the annotator also tied the pair.
    is_human_tie = compared_scores.human_signs == 0
    gains = np.where(is_human_tie, pair_weights, -weights_without_ties)  # (cases, comparisons)
    # Each pair is tied from the first threshold on that is not below the difference of its scores.
    distances = np.abs(differences)
    thresholds = _choose_thresholds(distances.ravel())
    threshold_index = np.searchsorted(thresholds, distances)
    # Pairs that no threshold ties have an additional index, which is left out of the result.
    shape = (len(differences), compared_scores.n_units, len(thresholds) + 1)
    case_index = np.arange(len(differences))[:, None]
    gain_index = np.ravel_multi_index((case_index, compared_scores.unit_index, threshold_index), shape)
    summed_gains = np.bincount(gain_index.ravel(), gains.ravel(), math.prod(shape)).reshape(shape)
    gains_by_threshold = np.moveaxis(summed_gains, 2, 0)[:-1]  # (thresholds, cases, units)
    return np.concatenate([compared_scores.sum_within_units(weights_without_ties)[None], gains_by_threshold])


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
