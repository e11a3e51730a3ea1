"""Tests whether metrics differ significantly, by Williams' test and by permutation tests.

A permutation test exchanges scores of two metrics at random, after standardizing them to mean 0 and variance 1. Its
p-value is the proportion of permutations with at least the observed difference. The tests differ in the exchanged
units: single scores (``perm-both``, see Deutsch, Dror and Roth, 2021), segments (``paired``), documents
(``documents``), or systems (``systems``).
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Measure
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent
from meteor_e.significance.resampling import SIGNIFICANT, SLACK, permutation_p
from meteor_e_evaluation.correlation import williams_matrix
from meteor_e_evaluation.exchange import Differences, Masks
from meteor_e_evaluation.test_set import TestSet

TESTS = {
    "auto": "the test that suits the measure",
    "williams": "Williams' test; for correlations over segments or systems",
    "perm-both": "exchanges every score of a segment of a system (PERM-BOTH)",
    "paired": "exchanges all scores of a segment",
    "documents": "exchanges all scores of a document",
    "systems": "exchanges scores of systems",
    "paired+systems": "both of these, one after the other; the higher p-value counts",
}
"""The significance tests between metrics by name, with their descriptions."""

INDEPENDENT_UNITS = {
    "williams": "scores",
    "perm-both": "scores",
    "paired": "segments",
    "documents": "documents",
    "systems": "systems",
    "paired+systems": "segments or systems",
}
"""The units that each significance test assumes to be independent."""

EXCHANGED_UNITS = {"perm-both": "scores", "paired": "segments", "documents": "segments", "systems": "systems"}
"""The argument ``unit`` of :meth:`.Measure.exchange` for each permutation test."""

UNIT_DESCRIPTIONS = {
    "perm-both": "scores of segments and systems (PERM-BOTH)",
    "paired": "segments",
    "documents": "documents",
    "systems": "systems",
}
"""The description of the units that each permutation test exchanges."""

MetricPair = tuple[int, int]
"""Indices of two metrics."""


@dataclass(frozen=True)
class _PermutationTest:
    """Settings of a permutation test.

    Attributes:
        method: the exchanged units, a key of :data:`EXCHANGED_UNITS`.
        samples: number of permutations.
        seed: seed of the permutations.
    """

    method: str
    samples: int
    seed: int


def independent_units(measure: Measure[TestSet], test: str) -> str:
    """Return what a significance test assumes to be independent, such as segments or systems."""
    if test == "williams" and measure.takes == "systems":
        return "systems"
    return INDEPENDENT_UNITS[test]


@dataclass(frozen=True)
class Comparison:
    """Results of one-sided significance tests between all pairs of metrics.

    Attributes:
        test: description of the test.
        assumed: units that the test assumes to be independent.
        names: names of the metrics.
        p: p-values of the hypothesis that the row's metric is not better than the column's metric,
            ``(metrics, metrics)``.
        observed: difference of the measure between two metrics, the first of which has the lower index.
        permuted: difference of the measure in each permutation. Empty for a test without permutations.
        parts: the combined tests, if the p-values are the highest p-values of several tests.
    """

    test: str
    assumed: str
    names: tuple[str, ...]
    p: Floats
    observed: dict[MetricPair, float] = field(default_factory=dict, repr=False)
    permuted: dict[MetricPair, Floats] = field(default_factory=dict, repr=False)
    parts: tuple[Comparison, ...] = field(default=(), repr=False)


def compare(
    measure: Measure[TestSet],
    test: TestSet,
    scores: Sequence[Scores],
    *,
    samples: int,
    seed: int,
    method: str = "auto",
    progress: Progress = silent,
) -> Comparison | None:
    """Test the differences between all pairs of metrics.

    Args:
        measure: the measure by which the metrics are compared.
        test: the test set.
        scores: scores of each metric.
        samples: number of permutations.
        seed: seed of the permutations.
        method: the significance test, one of :data:`TESTS`.
        progress: receives the number of finished permutations and the number of all permutations.

    Returns:
        The results, or None if there are fewer than two metrics or if the judgments are not suitable for the test.

    Raises:
        ConfigError: if the test is unknown, or if the measure does not allow it.
    """
    _check_method(method, test)
    if len(scores) < 2:
        return None
    chosen_method = measure.default_test() if method == "auto" else method
    if chosen_method == "williams":
        return _compare_by_williams(measure, test, scores)
    permutation_methods = chosen_method.split("+")
    comparisons = []
    for permutation_method in permutation_methods:
        permutation_test = _PermutationTest(permutation_method, samples, seed)
        comparison = _compare_by_permutation(measure, test, scores, permutation_test, progress)
        if comparison is None:
            return None
        comparisons.append(comparison)
    if len(comparisons) == 1:
        return comparisons[0]
    return _combine_comparisons(comparisons, _describe_permutations(permutation_methods, samples, seed))


def _check_method(method: str, test: TestSet) -> None:
    """Check that a significance test exists, and that the test set has the documents that the test may need."""
    if method not in TESTS:
        raise ConfigError(f"unknown test {method!r}{near_miss(method, TESTS)}; there are {', '.join(TESTS)}")
    if method == "documents" and not test.documents:
        raise ConfigError(f"{test.name} {test.pair}: the index names no documents; choose another test")


def _describe_permutations(methods: Sequence[str], samples: int, seed: int) -> str:
    """Describe one permutation test, or a combination of several permutation tests."""
    permutations = "permutation of " + " and one of ".join(UNIT_DESCRIPTIONS[method] for method in methods)
    if len(methods) > 1:
        permutations = f"higher p-value of a {permutations}"
    return f"{permutations}, {samples} samples, seed {seed}"


def _combine_comparisons(comparisons: Sequence[Comparison], title: str) -> Comparison:
    """Combine several significance tests of the same metrics by taking the highest p-value.

    A difference is significant only if all tests find a significant difference. The combination is called an
    intersection-union test.

    Args:
        comparisons: the results of the tests.
        title: description of the combined test.
    """
    first = comparisons[0]
    distinct_units = dict.fromkeys(comparison.assumed for comparison in comparisons)
    p_values = np.stack([comparison.p for comparison in comparisons])  # (tests, metrics, metrics)
    return Comparison(
        test=title,
        assumed=" or ".join(distinct_units),
        names=first.names,
        p=p_values.max(axis=0),
        observed=first.observed,
        parts=tuple(comparisons),
    )


def _compare_by_williams(measure: Measure[TestSet], test: TestSet, scores: Sequence[Scores]) -> Comparison | None:
    """Compare all pairs of metrics by Williams' test, which compares their correlations with human scores.

    The result is None if there are fewer than four human scores, or if a metric lacks scores.
    """
    correlated_scores = measure.correlated(test, scores)
    if correlated_scores is None:
        return None
    metric_scores, human_scores = correlated_scores
    if len(human_scores) < 4 or np.isnan(metric_scores).any():
        return None
    return Comparison(
        test="Williams' test",
        assumed=independent_units(measure, "williams"),
        names=tuple(entry.name for entry in scores),
        p=williams_matrix(metric_scores, human_scores),
    )


def _compare_by_permutation(
    measure: Measure[TestSet],
    test: TestSet,
    scores: Sequence[Scores],
    permutation_test: _PermutationTest,
    progress: Progress,
) -> Comparison | None:
    """Compare all pairs of metrics by a permutation test.

    The result is None if the measure is undefined, or if a metric lacks the necessary scores.
    """
    method, samples, seed = permutation_test.method, permutation_test.samples, permutation_test.seed
    agreement = measure.agreement(test)
    if agreement is None:
        return None
    metric_scores = _stack_scores(measure, scores, method)
    if metric_scores is None:
        return None
    # The second seed gives each test set permutations of its own.
    seeds = [seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
    masks = draw_masks(metric_scores.shape[1:], method, test.documents, samples, seeds)
    compute_differences = _make_comparer(measure, test, metric_scores, masks, EXCHANGED_UNITS[method], agreement)
    metric_pairs = list(itertools.combinations(range(len(scores)), 2))
    n_permutations = samples * len(metric_pairs)
    observed = {}
    permuted = {}
    for n_finished, (first, second) in enumerate(metric_pairs):
        progress("permutations", n_finished * samples, n_permutations)
        # The first sample exchanges no scores, so it contains the observed difference.
        differences = compute_differences(first, second)
        observed[first, second] = float(differences[0])
        permuted[first, second] = differences[1:]
    progress("permutations", n_permutations, n_permutations)
    title = _describe_permutations([method], samples, seed)
    names = tuple(entry.name for entry in scores)
    return _compute_p_values(title, INDEPENDENT_UNITS[method], names, observed, permuted)


def _stack_scores(measure: Measure[TestSet], scores: Sequence[Scores], method: str) -> Floats | None:
    """Stack the scores of all metrics that a permutation test exchanges.

    If a system-level measure is tested by exchanging systems, the array contains system scores, ``(metrics, systems)``.
    Otherwise, the array contains segment scores, ``(metrics, systems, segments)``, with NaN for missing scores.

    Return None if a metric has no suitable scores.

    Raises:
        ConfigError: if the test needs scores of all segments, and a metric does not have them.
    """
    takes_systems = measure.takes == "systems"
    if takes_systems and method == "systems":
        system_scores = np.stack([entry.systems for entry in scores])
        return None if np.isnan(system_scores).any() else system_scores
    segment_scores = np.stack([entry.segments for entry in scores])
    is_missing = np.isnan(segment_scores)
    if takes_systems and is_missing.any():
        raise ConfigError(f"the test {method!r} of {measure.name} needs scores of all segments; use the test 'systems'")
    lacks_all_scores = is_missing.all(axis=(1, 2))
    return None if lacks_all_scores.any() else segment_scores


def _make_comparer(
    measure: Measure[TestSet], test: TestSet, metric_scores: Floats, masks: Masks, unit: str, agreement: Agreement
) -> Differences:
    """Return a function that computes the difference between two metrics in each permutation.

    Some measures can process all permutations at once. Other measures process one permutation after the other.

    Args:
        measure: the measure.
        test: the test set.
        metric_scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
        masks: masks of the exchanged units in each sample.
        unit: kind of the exchanged units: ``segments``, ``systems`` or ``scores``.
        agreement: the measure as a function of scores.
    """
    takes_systems = measure.takes == "systems"
    is_scored = np.asarray(~np.isnan(metric_scores).any(axis=0))
    standardized_scores = np.stack([_standardize(scores, is_scored) for scores in metric_scores])
    if takes_systems or is_scored[test.judgment_mask()].all():
        fast_comparer = measure.exchange(test, standardized_scores, masks, unit)
        if fast_comparer is not None:
            return fast_comparer

    def agreement_of_means(segment_scores: Floats) -> float:
        return agreement(segment_scores.mean(axis=1))

    # If the measure takes system scores, the score of a system is the mean of its segment scores.
    averages_segments = takes_systems and standardized_scores.ndim == 3
    sample_agreement = agreement_of_means if averages_segments else agreement
    return make_one_by_one_comparer(standardized_scores, masks, unit, sample_agreement)


def _standardize(scores: Floats, is_scored: NDArray[np.bool_]) -> Floats:
    """Scale scores to mean 0 and variance 1, unless all scores are equal."""
    values = scores[is_scored]
    deviation = float(values.std())
    if deviation == 0:
        deviation = 1.0
    return np.asarray((scores - values.mean()) / deviation)


def draw_masks(
    shape: tuple[int, ...], method: str, documents: Sequence[str], samples: int, seeds: Sequence[int]
) -> Masks:
    """Choose at random which segments, systems or scores two metrics exchange in each permutation.

    Args:
        shape: shape of the scores, ``(systems, segments)`` or ``(systems,)``.
        method: the permutation test, one of :data:`TESTS`.
        documents: the document of each segment, for the test ``documents``.
        samples: number of samples.
        seeds: seeds of the random numbers.

    Returns:
        Masks of the exchanged units, ``(1 + samples, …)``, see :mod:`.exchange`. The first sample exchanges nothing.
    """
    generator = np.random.default_rng(list(seeds))
    if method == "perm-both":
        return _draw_samples(generator, shape, samples)
    if method == "systems":
        return _draw_samples(generator, shape[:1], samples)
    if method == "documents":
        document_names, document_of_segment = np.unique(np.array(documents), return_inverse=True)
        document_masks = _draw_samples(generator, document_names.shape, samples)  # (1 + samples, documents)
        return document_masks[:, document_of_segment]
    return _draw_samples(generator, shape[-1:], samples)


def _draw_samples(generator: np.random.Generator, shape: tuple[int, ...], samples: int) -> Masks:
    """Return random masks of the given shape. The first mask selects nothing.

    The masks are drawn one at a time. As a result, a larger number of samples only adds masks.
    """
    masks = [np.zeros(shape, bool)]
    for _ in range(samples):
        masks.append(generator.integers(2, size=shape, dtype=bool))
    return np.stack(masks)


def make_one_by_one_comparer(scores: Floats, masks: Masks, unit: str, agreement: Agreement) -> Differences:
    """Return a function that compares two metrics in one permutation after the other.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
        masks: masks of the exchanged units in each sample, ``(samples, units)``. For single scores, the shape is
            ``(samples, systems, segments)``.
        unit: kind of the exchanged units: ``segments``, ``systems`` or ``scores``.
        agreement: the measure as a function of the scores of one metric.
    """
    score_masks = masks
    exchanges_rows_or_columns = scores.ndim > masks.ndim
    if exchanges_rows_or_columns and unit == "segments":
        score_masks = masks[:, None, :]  # (samples, 1, segments)
    elif exchanges_rows_or_columns:
        score_masks = masks[:, :, None]  # (samples, systems, 1)

    def compute_differences(first: int, second: int) -> Floats:
        differences = []
        for mask in score_masks:
            first_scores = np.where(mask, scores[second], scores[first])
            second_scores = np.where(mask, scores[first], scores[second])
            differences.append(agreement(first_scores) - agreement(second_scores))
        return np.array(differences)

    return compute_differences


def _compute_p_values(
    title: str,
    assumed: str,
    names: tuple[str, ...],
    observed: dict[MetricPair, float],
    permuted: dict[MetricPair, Floats],
) -> Comparison:
    """Compute p-values by comparing the observed differences with the differences in the permutations.

    Ties with the observed difference count as extreme. Permutations in which the measure is undefined also count as
    extreme.
    """
    p_values = np.full((len(names), len(names)), math.nan)
    for (first, second), observed_difference in observed.items():
        if math.isnan(observed_difference):
            continue
        differences = permuted[first, second]
        is_undefined = np.isnan(differences)
        is_higher = differences >= observed_difference - SLACK
        is_lower = differences <= observed_difference + SLACK
        p_values[first, second] = permutation_p(int((is_higher | is_undefined).sum()), len(differences))
        p_values[second, first] = permutation_p(int((is_lower | is_undefined).sum()), len(differences))
    return Comparison(test=title, assumed=assumed, names=names, p=p_values, observed=observed, permuted=permuted)


def average(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison | None:
    """Test the mean of a measure over several language pairs.

    Args:
        comparisons: results for each language pair, with the same metrics and the same number of permutations.
        weights: weight of each language pair.

    Returns:
        The results, or None if any language pair was tested without permutations.
    """
    if not comparisons:
        return None
    first = comparisons[0]
    if all(comparison.parts for comparison in comparisons):
        averaged_tests = []
        for index in range(len(first.parts)):
            same_test = [comparison.parts[index] for comparison in comparisons]
            averaged_tests.append(_average_permutations(same_test, weights))
        return _combine_comparisons(averaged_tests, first.test)
    if all(comparison.permuted for comparison in comparisons):
        return _average_permutations(comparisons, weights)
    return None


def _average_permutations(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison:
    """Test the weighted mean of a measure over language pairs.

    For each permutation, the differences between two metrics are averaged over language pairs.
    """
    normalized_weights = np.array(weights, float) / sum(weights)
    first = comparisons[0]
    observed = {}
    permuted = {}
    for metric_pair in first.observed:
        observed_differences = np.array([comparison.observed[metric_pair] for comparison in comparisons])
        permuted_differences = np.stack([comparison.permuted[metric_pair] for comparison in comparisons])
        observed[metric_pair] = float(normalized_weights @ observed_differences)
        permuted[metric_pair] = np.asarray(normalized_weights @ permuted_differences)
    return _compute_p_values(first.test, first.assumed, first.names, observed, permuted)


def cluster_ranks(values: Mapping[str, float], comparison: Comparison, level: float = SIGNIFICANT) -> dict[str, int]:
    """Rank metrics. Metrics that do not differ significantly share a rank.

    The metrics are processed from the best to the worst. If a metric is significantly worse than any metric with the
    current rank, it begins the next rank.

    Source: Freitag et al. (2022; 2023), "Results of the WMT22/WMT23 Metrics Shared Task".

    Args:
        values: value of the measure for each metric. A metric whose value is NaN does not receive a rank.
        comparison: results of the significance tests.
        level: p-value below which a difference is significant.

    Returns:
        The rank of each metric, sorted from the best to the worst metric. The best rank is 1.
    """
    index_of_metric = {name: index for index, name in enumerate(comparison.names)}
    ranked_metrics = [name for name in values if not math.isnan(values[name])]
    ranked_metrics.sort(key=lambda name: -values[name])
    ranks: dict[str, int] = {}
    rank = 1
    cluster: list[int] = []  # Indices of the metrics with the current rank.
    for name in ranked_metrics:
        index = index_of_metric[name]
        is_significantly_worse = (comparison.p[cluster, index] < level).any()
        if is_significantly_worse:
            rank += 1
            cluster = []
        cluster.append(index)
        ranks[name] = rank
    return ranks
