"""Compares two metrics in permutation tests, which swap scores between the metrics at random.

A permutation test evaluates a measure twice for every sample and every pair of metrics. The measures of this module are
functions of sums, so that their values in all samples follow from a matrix product. The module :mod:`.rank_exchange`
computes rank correlations. All other measures are evaluated separately for each sample by
:class:`.comparison.OneByOneComparer`.

Scores are arrays ``(metrics, systems, segments)``. A test swaps the scores of whole segments, of whole systems, or of
single outputs. These are its units, and the argument ``unit`` is ``segments``, ``systems`` or ``scores``. Masks select
the swapped units of each sample. Their shape is ``(samples, segments)``, ``(samples, systems)`` or, for single outputs,
``(samples, systems, segments)``.

On large test sets, :class:`TiedAccuracyComparer` is an approximation, because it tries only some hundred thresholds.
The approximation does not affect the level of a test, because it is the same for all samples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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


@dataclass(frozen=True)
class UnitExchange:
    """Computes sums for two metrics after a permutation test swapped some scores between the metrics.

    A unit is a segment, a system or a single output. All scores of a unit come from the same metric.

    Attributes:
        masks: masks of the swapped units in each sample.
    """

    masks: Masks

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.masks[0].size)

    def list_sources(self, first: int, second: int) -> list[MetricPair]:
        """List the pairs of metrics that may provide the scores of two systems after a permutation test swapped scores.

        The first metric of each pair provides the first system's score, and the second metric provides the second
        system's score. Both are the same metric, because the test swaps all scores of a segment together.

        Args:
            first, second: indices of the two metrics.
        """
        return [(first, first), (second, second)]

    def find_units(self, first_systems: Integers, second_systems: Integers, segments: Integers) -> Integers:
        """Return the segment of each comparison, because the permutation test swaps the scores of whole segments."""
        return segments

    def sum_terms(self, terms: Floats) -> tuple[Floats, Floats]:
        """Compute the sums of two metrics after some of their scores are swapped, in each sample of a permutation test.

        Args:
            terms: terms of each unit by the first and by the second metric, ``(sums, 2, units)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        first_terms, second_terms = terms[:, 0], terms[:, 1]
        changes = self._sum_swapped_units(second_terms - first_terms)  # (sums, samples)
        first_sums = first_terms.sum(axis=1)[:, None] + changes
        second_sums = second_terms.sum(axis=1)[:, None] - changes
        return first_sums, second_sums

    def _sum_swapped_units(self, terms: Floats) -> Floats:
        """For each sample, add up the terms of all units whose scores are swapped in this sample.

        Args:
            terms: one row per sum, ``(sums, units)``.

        Returns:
            An array ``(sums, samples)``.
        """
        unit_masks = self.masks.reshape(len(self.masks), self.n_units)  # (samples, units)
        # The samples are processed in blocks, because converting all masks to floats at once may need too much memory.
        n_blocks = 1 + unit_masks.size // BLOCK
        blocks = np.array_split(unit_masks, n_blocks)
        return np.concatenate([block.astype(float) @ terms.T for block in blocks]).T


class SystemPairExchange:
    """Computes sums over pairs of systems for two metrics after a permutation test swapped some systems' scores.

    After the swap, a metric's scores of a system may come from either of the two metrics. Therefore, the scores of two
    systems come from one of four combinations of metrics.

    Args:
        masks: masks of the swapped systems, ``(samples, systems)``.

    Attributes:
        n_units: number of pairs of systems.
    """

    def __init__(self, masks: Masks) -> None:
        self._n_systems = masks.shape[1]
        first_system, second_system = system_pairs(self._n_systems)
        self.n_units = len(first_system)
        is_swapped = masks.T  # (systems, samples)
        # Each value is an index into list_sources(), because a swapped system gets the second metric's scores.
        source_index = 2 * is_swapped[first_system] + is_swapped[second_system]  # (pairs, samples)
        source_indices = np.arange(4)[:, np.newaxis, np.newaxis]
        self._is_source = np.asarray(source_index == source_indices, float)  # (4, pairs, samples)

    def list_sources(self, first: int, second: int) -> list[MetricPair]:
        """List the pairs of metrics that may provide the scores of two systems after a permutation test swapped scores.

        The first metric of each pair provides the first system's score, and the second metric provides the second
        system's score. The two metrics may differ, because the test swaps the scores of each system separately.

        Args:
            first, second: indices of the two metrics.
        """
        return [(first, first), (first, second), (second, first), (second, second)]

    def find_units(self, first_systems: Integers, second_systems: Integers, segments: Integers) -> Integers:
        """Return the pair of systems of each comparison, because the permutation test swaps whole systems.

        Args:
            first_systems, second_systems: indices of the systems. The first system of a pair has the lower index.
            segments: indices of the segments.

        Returns:
            The index of each pair in the order of :func:`.system_pairs`.
        """
        pair_index = np.zeros((self._n_systems, self._n_systems), int)
        pair_index[system_pairs(self._n_systems)] = np.arange(self.n_units)
        return pair_index[first_systems, second_systems]

    def sum_terms(self, terms: Floats) -> tuple[Floats, Floats]:
        """Compute the sums of two metrics after some of their scores are swapped, in each sample of a permutation test.

        Args:
            terms: terms of each pair of systems for each of the four sources of its scores, ``(sums, 4, pairs)``.

        Returns:
            The sums of the first metric and those of the second metric, two arrays ``(sums, samples)``.
        """
        first_sums = np.tensordot(terms, self._is_source, axes=2)  # Sums over the sources and the pairs.
        # Exchanging the first and the second metric in list_sources() reverses the order of the list.
        second_sums = np.tensordot(terms, self._is_source[::-1], axes=2)
        return first_sums, second_sums


class SumComparer(ABC):
    """Compares two metrics by a measure that can be computed from sums over the test set.

    Instances are callables of the type :data:`Differences`. A call returns the difference between two metrics in each
    sample of a permutation test.

    Attributes:
        exchange: the units whose scores are swapped in a permutation test.
    """

    exchange: UnitExchange | SystemPairExchange

    def __call__(self, first: int, second: int) -> Floats:
        """Compute the measure for two metrics in each sample of a permutation test, and return the differences.

        Args:
            first, second: indices of the two metrics.
        """
        first_sums, second_sums = self.exchange.sum_terms(self.compute_terms(first, second))
        return self.compute_measure(first_sums) - self.compute_measure(second_sums)

    @abstractmethod
    def compute_terms(self, first: int, second: int) -> Floats:
        """Return the terms of the sums from which the measure is computed, as an array ``(sums, sources, units)``.

        Each unit, such as a segment, contributes a term to each sum. The axis ``sources`` has one term for each
        possible origin of the unit's scores, see :meth:`UnitExchange.list_sources`.

        Args:
            first, second: indices of the two metrics.
        """

    @abstractmethod
    def compute_measure(self, sums: Floats) -> Floats:
        """Compute the measure in each sample of a permutation test.

        Args:
            sums: the sums from which the measure is computed, ``(sums, samples)``.
        """


class GroupMeanComparer(SumComparer):
    """Compares two metrics by a coefficient, such as Pearson's r, that is averaged over groups of outputs.

    Args:
        group_values: coefficient of each group for each metric, ``(groups,)``. NaN if the coefficient is undefined.
        masks: masks of the swapped groups, ``(samples, groups)``.
    """

    def __init__(self, group_values: Sequence[Floats], masks: Masks) -> None:
        values = np.stack(group_values)  # (metrics, groups)
        is_defined = ~np.isnan(values)
        self._terms = np.stack([np.nan_to_num(values), is_defined])  # (2, metrics, groups)
        self.exchange = UnitExchange(masks)

    def compute_terms(self, first: int, second: int) -> Floats:
        """Return the coefficients of two metrics for each group of system outputs, with a flag for each coefficient.

        The flag is 1 if the coefficient is defined. Otherwise, the flag and the coefficient are 0.

        Returns:
            An array ``(2, 2, groups)``. The first axis consists of the coefficients and the flags. The second axis
            consists of the two metrics.
        """
        return self._terms[:, [first, second]]

    def compute_measure(self, sums: Floats) -> Floats:
        """For each sample, divide the sum of the coefficients by the number of groups with a defined coefficient."""
        coefficient_sums, n_defined = sums
        return divide_or_nan(coefficient_sums, np.rint(n_defined))


class PearsonComparer(SumComparer):
    """Compares two metrics by Pearson's r.

    Let ``x`` be the metric score of a rated output, ``d`` the deviation of a rating from the mean rating, and ``n`` the
    number of ratings. Then Pearson's r is ``Σxd / sqrt((Σx² - (Σx)² / n) Σd²)``. A swap of scores changes only the sums
    ``Σx``, ``Σx²`` and ``Σxd``.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        ratings: human ratings.
        masks: masks of the swapped units.
        unit: the units whose scores are swapped: ``segments``, ``systems`` or ``scores``.
    """

    def __init__(self, scores: Floats, ratings: Assessments, masks: Masks, unit: str) -> None:
        self.exchange = UnitExchange(masks)
        self._terms = _pearson_terms(scores, ratings, unit)  # (3, metrics, units)
        self._n_ratings = len(ratings)
        self._human_sum_of_squares = _sum_squared_deviations(ratings.scores)

    def compute_terms(self, first: int, second: int) -> Floats:
        """Return the sums ``Σx``, ``Σx²`` and ``Σxd`` within each unit, such as a segment, for two metrics.

        Returns:
            An array ``(3, 2, units)``.
        """
        return self._terms[:, [first, second]]

    def compute_measure(self, sums: Floats) -> Floats:
        """Compute Pearson's r in each sample from the sums ``Σx``, ``Σx²`` and ``Σxd``."""
        score_sums, square_sums, product_sums = sums
        metric_sum_of_squares = square_sums - score_sums**2 / self._n_ratings
        metric_sum_of_squares[_is_rounding_error(metric_sum_of_squares, square_sums)] = 0.0
        normalizer = np.sqrt(metric_sum_of_squares * self._human_sum_of_squares)
        return np.clip(divide_or_nan(product_sums, normalizer), -1.0, 1.0)


def _pearson_terms(scores: Floats, ratings: Assessments, unit: str) -> Floats:
    """Compute the sums that are needed for Pearson's r, separately for each segment, system or system output.

    The sums are ``Σx``, ``Σx²`` and ``Σxd``. For each rating, ``x`` is the metric score of the rated output, and ``d``
    is the deviation from the mean rating.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        ratings: human ratings.
        unit: the units within which to sum: ``segments``, ``systems`` or ``scores``.

    Returns:
        An array ``(3, metrics, units)``.
    """
    n_metrics, n_systems, n_segments = scores.shape
    rated_outputs = (ratings.systems, ratings.segments)
    deviations = ratings.scores - ratings.scores.mean()
    n_ratings = sum_by_cell(rated_outputs, np.ones(len(ratings)), (n_systems, n_segments))
    deviation_sums = sum_by_cell(rated_outputs, deviations, (n_systems, n_segments))
    x = np.where(n_ratings > 0, scores, 0.0)
    sum_x = n_ratings * x
    output_sums = np.stack([sum_x, sum_x * x, deviation_sums * x])  # (3, metrics, systems, segments)
    if unit == "segments":
        return np.asarray(output_sums.sum(axis=2))
    if unit == "systems":
        return np.asarray(output_sums.sum(axis=3))
    return output_sums.reshape(3, n_metrics, -1)


def _sum_squared_deviations(values: Floats) -> float:
    """Return the sum of the squared deviations from the mean, or 0 if the sum is only a rounding error."""
    deviations = values - values.mean()
    sum_of_squares = float(deviations @ deviations)
    return 0.0 if _is_rounding_error(sum_of_squares, float(values @ values)) else sum_of_squares


def _is_rounding_error(variances: Floats | float, sums_of_squares: Floats | float) -> NDArray[np.bool_]:
    """Return whether variances are so small, relative to sums of squares, that the variances are rounding errors."""
    return np.asarray(variances <= RELATIVE_TOLERANCE * sums_of_squares)


class SoftAccuracyComparer(SumComparer):
    """Compares two metrics by soft pairwise accuracy.

    Soft pairwise accuracy is 1 minus the mean error of the metric's p-values over pairs of systems. The error is the
    absolute difference from the p-value of the human scores. All p-values are computed by a normal approximation.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)``.
        human_scores: human scores, ``(systems, segments)``.
        masks: masks of the swapped systems, ``(samples, systems)``.
    """

    def __init__(self, scores: Floats, human_scores: Floats, masks: Masks) -> None:
        self.exchange = SystemPairExchange(masks)
        self._scores = scores
        self._is_rated = ~np.isnan(human_scores)
        self._human_p_values = _compare_systems(human_scores, human_scores, self._is_rated)  # (pairs,)

    def compute_terms(self, first: int, second: int) -> Floats:
        """For each pair of systems, return the error of the metric's p-value.

        The error is the absolute difference from the p-value of the human scores.

        Returns:
            An array ``(1, 4, pairs)``. The second axis has the order of :meth:`SystemPairExchange.list_sources`.
        """
        p_values = [
            _compare_systems(self._scores[first_source], self._scores[second_source], self._is_rated)
            for first_source, second_source in self.exchange.list_sources(first, second)
        ]
        errors = np.abs(np.stack(p_values) - self._human_p_values)  # (4, pairs)
        return np.asarray(errors[np.newaxis])

    def compute_measure(self, sums: Floats) -> Floats:
        """Compute soft pairwise accuracy in each sample of a permutation test.

        Args:
            sums: sum of the errors of all p-values, ``(1, samples)``.
        """
        mean_errors = sums[0] / self.exchange.n_units
        return np.asarray(1 - mean_errors)


def _compare_systems(first_scores: Floats, second_scores: Floats, is_rated: NDArray[np.bool_]) -> Floats:
    """For each pair of systems, return the p-value of their score difference under a normal approximation.

    Suppose that the two systems are swapped at random on each segment. Then the sum of their score differences ``d``
    has the mean 0 and the variance ``Σ d²``. If the two systems have equal scores on all segments, the p-value is 1.

    Args:
        first_scores: scores from which those of the first system of each pair are taken, ``(systems, segments)``.
        second_scores: scores from which those of the second system of each pair are taken, ``(systems, segments)``.
        is_rated: mask of the outputs with human scores. A pair is compared on the segments that are rated for both.
    """
    from scipy import special

    first, second = system_pairs(len(is_rated))
    is_compared = is_rated[first] & is_rated[second]  # (pairs, segments)
    compared_first = np.where(is_compared, first_scores[first], 0.0)
    compared_second = np.where(is_compared, second_scores[second], 0.0)
    differences = compared_first - compared_second
    variances = (differences**2).sum(axis=1)
    z_scores = divide_or_nan(differences.sum(axis=1), np.sqrt(variances))
    p_values = np.asarray(special.ndtr(-z_scores))
    sums_of_squares = (compared_first**2 + compared_second**2).sum(axis=1)
    has_equal_scores = _is_rounding_error(variances, sums_of_squares)
    return np.where(has_equal_scores, 1.0, p_values)


class PairComparer(SumComparer):
    """Base class for comparing two metrics by their agreement with human comparisons of systems.

    The comparisons are added up within each segment. If a permutation test swaps the scores of whole systems, the
    comparisons are added up within each pair of systems instead.

    Args:
        rankings: human comparisons.
        scores: scores of each metric, ``(metrics, systems, segments)``.
        masks: masks of the swapped segments or systems.
        unit: the units whose scores are swapped: ``segments`` or ``systems``.

    Attributes:
        human_signs: 1 if the annotator preferred the first system, -1 if the annotator preferred the second system, and
            0 for ties, ``(comparisons,)``. The first system of a comparison is the one with the lower index.
    """

    def __init__(self, rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> None:
        # In each comparison, the first system is the one with the lower index, as in system_pairs().
        first = np.minimum(rankings.better, rankings.worse)
        second = np.maximum(rankings.better, rankings.worse)
        preferences = np.where(rankings.better == first, 1, -1)
        self.human_signs = np.where(rankings.ties, 0, preferences).astype(np.int8)
        self._first_scores = scores[:, first, rankings.segments]  # (metrics, comparisons)
        self._second_scores = scores[:, second, rankings.segments]
        self.exchange = SystemPairExchange(masks) if unit == "systems" else UnitExchange(masks)
        self._unit_index = self.exchange.find_units(first, second, rankings.segments)

    def compute_differences(self, first: int, second: int) -> Floats:
        """Return the score difference between the two systems of each human comparison.

        There is one difference for each possible pair of metrics from which the scores of the two systems come.

        Args:
            first, second: indices of the two metrics.

        Returns:
            An array ``(sources, comparisons)``.
        """
        sources = self.exchange.list_sources(first, second)
        return np.stack([self._first_scores[i] - self._second_scores[j] for i, j in sources])

    def sum_within_units(self, values: NDArray[Any]) -> Floats:
        """Add up the values of the comparisons within each unit.

        Args:
            values: value of each comparison for each source of its scores, ``(sources, comparisons)``.

        Returns:
            An array ``(sources, units)``.
        """
        sums = [np.bincount(self._unit_index, source_values, self.exchange.n_units) for source_values in values]
        return np.stack(sums).astype(float)


class PairCountComparer(PairComparer):
    """Compares two metrics by a measure that counts pairs of systems, such as Kendall's τ.

    Args:
        rankings: human comparisons.
        scores: scores of each metric, ``(metrics, systems, segments)``.
        masks: masks of the swapped segments or systems.
        unit: the units whose scores are swapped: ``segments`` or ``systems``.
        measure: function that computes the measure from the numbers of pairs.
    """

    def __init__(
        self,
        rankings: Rankings,
        scores: Floats,
        masks: Masks,
        unit: str,
        measure: Callable[[kendall.PairCounts], Floats | float],
    ) -> None:
        super().__init__(rankings, scores, masks, unit)
        self._measure = measure

    def compute_terms(self, first: int, second: int) -> Floats:
        """Count concordant, discordant and tied pairs in each unit.

        The first count is the number of concordant pairs minus the number of discordant pairs. The second count is the
        number of pairs tied by the metric. The third count is the number of pairs tied by both the metric and the
        annotator.

        Returns:
            An array ``(3, sources, units)``.
        """
        differences = self.compute_differences(first, second)  # (sources, comparisons)
        agreement = np.sign(differences) * self.human_signs
        is_metric_tie = differences == 0
        is_common_tie = is_metric_tie & (self.human_signs == 0)
        return np.stack([self.sum_within_units(values) for values in (agreement, is_metric_tie, is_common_tie)])

    def compute_measure(self, sums: Floats) -> Floats:
        """Compute the measure in each sample of a permutation test.

        Args:
            sums: sums of the three counts that :meth:`compute_terms` returns, ``(3, samples)``.
        """
        concordant_minus_discordant, all_metric_ties, both_ties = np.rint(sums)
        n_untied_by_humans = np.count_nonzero(self.human_signs)
        n_human_ties = len(self.human_signs) - n_untied_by_humans
        metric_ties = all_metric_ties - both_ties
        n_untied = n_untied_by_humans - metric_ties
        counts = kendall.PairCounts(
            concordant=(n_untied + concordant_minus_discordant) / 2,
            discordant=(n_untied - concordant_minus_discordant) / 2,
            metric_ties=metric_ties,
            human_ties=n_human_ties - both_ties,
            both_ties=both_ties,
        )
        return np.asarray(self._measure(counts), float)


N_THRESHOLDS = 256
"""Number of thresholds for ties that are tried if there are too many score differences to try all of them."""

MAX_EXACT_DIFFERENCES = 1 << 14
"""Largest number of score differences for which every difference is tried as a threshold."""

_THRESHOLD_SAMPLING_STEP = 7


class TiedAccuracyComparer(PairComparer):
    """Compares two metrics by pairwise accuracy with tie calibration.

    Score differences up to a threshold are ties. The best threshold is chosen separately for each sample.

    Args:
        rankings: human comparisons.
        scores: scores of each metric, ``(metrics, systems, segments)``.
        masks: masks of the swapped segments or systems.
        unit: the units whose scores are swapped: ``segments`` or ``systems``.
    """

    def __init__(self, rankings: Rankings, scores: Floats, masks: Masks, unit: str) -> None:
        super().__init__(rankings, scores, masks, unit)
        self._pair_weights = kendall.compute_pair_weights(rankings)

    def compute_terms(self, first: int, second: int) -> Floats:
        """Return the total weight of the pairs on which metric and annotator agree, for each tie threshold and unit.

        Returns:
            An array ``(thresholds, sources, units)``.
        """
        differences = self.compute_differences(first, second)  # (sources, comparisons)
        is_ordered_right = self.human_signs * differences > 0
        weights_without_ties = self.sum_within_units(np.where(is_ordered_right, self._pair_weights, 0.0))
        gains = kendall.compute_tie_gains(self._pair_weights, self.human_signs == 0, is_ordered_right)
        distances = np.abs(differences)
        thresholds = _choose_thresholds(distances.ravel())
        # A pair that is tied at one threshold is also tied at all higher thresholds, so the gains are accumulated.
        threshold_index = np.searchsorted(thresholds, distances)
        gains_by_threshold = self._sum_by_threshold(gains, threshold_index, len(thresholds))
        return np.asarray(weights_without_ties + np.cumsum(gains_by_threshold, axis=0))

    def compute_measure(self, sums: Floats) -> Floats:
        """For each sample of a permutation test, compute the highest accuracy that any tie threshold achieves.

        Args:
            sums: total weight of the correct pairs, ``(thresholds, samples)``.
        """
        return np.asarray(sums.max(axis=0) / self._pair_weights.sum())

    def _sum_by_threshold(self, values: Floats, threshold_index: Integers, n_thresholds: int) -> Floats:
        """Add up the values of the comparisons for each combination of tie threshold, source of scores, and unit.

        Args:
            values: value of each comparison for each source of its scores, ``(sources, comparisons)``.
            threshold_index: index of the threshold of each value. Values with the index ``n_thresholds`` are ignored.
            n_thresholds: number of thresholds.

        Returns:
            An array ``(thresholds, sources, units)``.
        """
        n_sources = len(values)
        source_index = np.arange(n_sources)[:, np.newaxis]
        cell_index = (threshold_index, source_index, self._unit_index)
        # The ignored values are added up under an extra threshold index, whose sums are not returned.
        sums = sum_by_cell(cell_index, values, (n_thresholds + 1, n_sources, self.exchange.n_units))
        return sums[:n_thresholds]


def _choose_thresholds(distances: Floats) -> Floats:
    """Return the tie thresholds to try.

    The thresholds are 0 and all absolute score differences. If there are too many differences to try all of them, the
    thresholds are 0 and some quantiles of the differences.
    """
    if distances.size <= MAX_EXACT_DIFFERENCES:
        return np.unique(np.append(distances, 0.0))
    sample = np.sort(distances[::_THRESHOLD_SAMPLING_STEP])
    quantile_indices = np.linspace(0, len(sample) - 1, N_THRESHOLDS).astype(int)
    return np.unique(np.append(sample[quantile_indices], 0.0))
