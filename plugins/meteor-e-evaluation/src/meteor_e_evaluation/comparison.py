"""Tests whether metrics differ significantly, by Williams' test and by permutation tests.

A permutation test standardizes the scores of two metrics to mean 0 and variance 1, and swaps them at random between the
metrics. Its p-value is the proportion of permutations with at least the observed difference. The tests differ in the
units that are swapped as a whole: single scores (``perm-both``, see Deutsch, Dror and Roth, 2021), segments
(``paired``), documents (``documents``), or systems (``systems``).
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from meteor_e.api import ConfigError, Measure
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent
from meteor_e.significance.resampling import SIGNIFICANT, SLACK, permutation_p
from meteor_e_evaluation.correlation import williams_matrix
from meteor_e_evaluation.exchange import Differences, Masks, MetricPair
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
"""The description of the units that each permutation test swaps as a whole."""


class _ScoreExchange(NamedTuple):
    """The scores that a permutation test swaps between metrics.

    Attributes:
        scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
        masks: masks of the swapped units in each sample.
        unit: kind of the swapped units: ``segments``, ``systems`` or ``scores``.
    """

    scores: Floats
    masks: Masks
    unit: str

    @property
    def has_segment_scores(self) -> bool:
        """Whether the scores are segment scores rather than system scores."""
        return self.scores.ndim == 3


@dataclass(frozen=True)
class _PermutationTest:
    """Settings of a permutation test.

    Attributes:
        method: name of the test, a key of :data:`EXCHANGED_UNITS`.
        samples: number of permutations.
        seed: seed of the permutations.
    """

    method: str
    samples: int
    seed: int

    @property
    def title(self) -> str:
        """Description of the test."""
        return _describe_permutations([self.method], self.samples, self.seed)

    def draw_exchange(self, test: TestSet, scores: Floats) -> _ScoreExchange:
        """Standardize the scores of the metrics, and choose at random which of them are swapped in each permutation.

        Args:
            test: the test set.
            scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
        """
        # The second seed depends on the test set, so that each test set gets different permutations.
        seeds = [self.seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
        masks = draw_masks(scores.shape[1:], self.method, test.documents, self.samples, seeds)
        return _ScoreExchange(_standardize(scores), masks, EXCHANGED_UNITS[self.method])


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
        differences: difference of the measure between two metrics, the first of which has the lower index. The first
            value is the observed difference. The other values are the differences in each permutation. Empty for a test
            without permutations, and for a combination of several tests.
        parts: the combined tests, if the p-values are the highest p-values of several tests.
    """

    test: str
    assumed: str
    names: tuple[str, ...]
    p: Floats
    differences: dict[MetricPair, Floats] = field(default_factory=dict, repr=False)
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
    resolved_method = measure.default_test() if method == "auto" else method
    if resolved_method == "williams":
        return _compare_by_williams(measure, test, scores)
    permutation_methods = resolved_method.split("+")
    comparisons = []
    for permutation_method in permutation_methods:
        permutation_test = _PermutationTest(permutation_method, samples, seed)
        comparison = _compare_by_permutation(measure, test, scores, permutation_test, progress)
        if comparison is None:
            return None
        comparisons.append(comparison)
    return _combine_comparisons(comparisons, _describe_permutations(permutation_methods, samples, seed))


def _check_method(method: str, test: TestSet) -> None:
    """Raise ConfigError if the significance test is unknown, or if the data lack the documents that the test swaps."""
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
    intersection-union test. The result of a single test is returned unchanged.

    Args:
        comparisons: the results of the tests.
        title: description of the combined test.
    """
    first = comparisons[0]
    if len(comparisons) == 1:
        return first
    distinct_units = dict.fromkeys(comparison.assumed for comparison in comparisons)
    p_values = np.stack([comparison.p for comparison in comparisons])  # (tests, metrics, metrics)
    return Comparison(
        test=title,
        assumed=" or ".join(distinct_units),
        names=first.names,
        p=p_values.max(axis=0),
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
        names=tuple(metric.name for metric in scores),
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
    agreement = measure.agreement(test)
    if agreement is None:
        return None
    metric_scores = _stack_scores(measure, scores, permutation_test.method)
    if metric_scores is None:
        return None
    exchange = permutation_test.draw_exchange(test, metric_scores)
    compute_differences = _make_comparer(measure, test, agreement, exchange)
    differences = _compare_metric_pairs(compute_differences, len(scores), permutation_test.samples, progress)
    assumed_units = INDEPENDENT_UNITS[permutation_test.method]
    names = tuple(metric.name for metric in scores)
    return _compute_p_values(permutation_test.title, assumed_units, names, differences)


def _stack_scores(measure: Measure[TestSet], scores: Sequence[Scores], method: str) -> Floats | None:
    """Stack the scores of all metrics for a permutation test.

    Returns:
        Scores of systems, ``(metrics, systems)``, if the test swaps systems and the measure uses scores of systems.
        Otherwise, scores of segments, ``(metrics, systems, segments)``, with NaN for missing scores. The result is None
        if a metric has no suitable scores.

    Raises:
        ConfigError: if a measure of systems needs scores of all segments, and a metric does not have them.
    """
    if measure.takes == "systems" and method == "systems":
        system_scores = np.stack([metric.systems for metric in scores])
        return None if np.isnan(system_scores).any() else system_scores
    segment_scores = np.stack([metric.segments for metric in scores])
    is_missing = np.isnan(segment_scores)
    if measure.takes == "systems" and is_missing.any():
        raise ConfigError(f"the test {method!r} of {measure.name} needs scores of all segments; use the test 'systems'")
    lacks_all_scores = is_missing.all(axis=(1, 2))  # (metrics,)
    return None if lacks_all_scores.any() else segment_scores


def _make_comparer(
    measure: Measure[TestSet], test: TestSet, agreement: Agreement, exchange: _ScoreExchange
) -> Differences:
    """Return a function that computes the test statistic of a permutation test for any two metrics.

    In each permutation, the test statistic is the difference between the two metrics' values of the measure. If
    possible, the function handles all permutations at once. Otherwise, it evaluates the measure for each permutation.

    Args:
        measure: the measure.
        test: the test set.
        agreement: the measure as a function of the scores of one metric.
        exchange: the scores that are swapped.
    """
    if _has_judged_scores(test, exchange):
        fast_comparer = measure.exchange(test, exchange.scores, exchange.masks, exchange.unit)
        if fast_comparer is not None:
            return fast_comparer
    score_masks = expand_masks(exchange.masks, exchange.unit, exchange.scores)
    needs_system_scores = measure.takes == "systems" and exchange.has_segment_scores
    evaluate = partial(_evaluate_segment_means, agreement) if needs_system_scores else agreement
    return OneByOneComparer(exchange.scores, score_masks, evaluate)


def _has_judged_scores(test: TestSet, exchange: _ScoreExchange) -> bool:
    """Return whether all metrics have scores for all judged outputs, or for all systems."""
    if not exchange.has_segment_scores:
        return True  # Metrics without scores of all systems are not compared, see _stack_scores().
    is_scored = np.asarray(~np.isnan(exchange.scores).any(axis=0))  # (systems, segments)
    return bool(is_scored[test.judgment_mask()].all())


def _evaluate_segment_means(agreement: Agreement, segment_scores: Floats) -> float:
    """Evaluate a function of system scores, in which each system score is the mean of the system's segment scores."""
    return agreement(segment_scores.mean(axis=1))


def _compare_metric_pairs(
    compute_differences: Differences, n_metrics: int, samples: int, progress: Progress
) -> dict[MetricPair, Floats]:
    """Compute the differences between all pairs of metrics, and report the progress.

    Args:
        compute_differences: function that compares two metrics in all permutations.
        n_metrics: number of metrics.
        samples: number of permutations.
        progress: receives the number of finished permutations.
    """
    metric_pairs = list(itertools.combinations(range(n_metrics), 2))
    n_permutations = samples * len(metric_pairs)
    differences = {}
    for n_finished_pairs, (first, second) in enumerate(metric_pairs):
        progress("permutations", n_finished_pairs * samples, n_permutations)
        differences[first, second] = compute_differences(first, second)
    progress("permutations", n_permutations, n_permutations)
    return differences


def _standardize(scores: Floats) -> Floats:
    """Scale the scores of each metric to mean 0 and variance 1, unless they are all equal.

    Mean and variance are computed from the outputs or systems that have a score from every metric.

    Args:
        scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
    """
    is_scored = np.asarray(~np.isnan(scores).any(axis=0))
    standardized_scores = []
    for metric_scores in scores:
        values = metric_scores[is_scored]
        deviation = float(values.std()) or 1.0
        standardized_scores.append((metric_scores - values.mean()) / deviation)
    return np.stack(standardized_scores)


def draw_masks(
    shape: tuple[int, ...], method: str, documents: Sequence[str], samples: int, seeds: Sequence[int]
) -> Masks:
    """For each permutation, choose at random the segments, systems or scores that are swapped between two metrics.

    Args:
        shape: shape of the scores, ``(systems, segments)`` or ``(systems,)``.
        method: the permutation test, a key of :data:`EXCHANGED_UNITS`.
        documents: the document of each segment, for the test ``documents``.
        samples: number of samples.
        seeds: seeds of the random numbers.

    Returns:
        Masks of the swapped units, ``(1 + samples, …)``, see :mod:`.exchange`. The first sample swaps nothing.
    """
    generator = np.random.default_rng(list(seeds))
    if method == "documents":
        document_names, document_of_segment = np.unique(np.array(documents), return_inverse=True)
        document_masks = _draw_samples(generator, document_names.shape, samples)  # (1 + samples, documents)
        return document_masks[:, document_of_segment]
    mask_shapes = {"perm-both": shape, "systems": shape[:1], "paired": shape[-1:]}
    return _draw_samples(generator, mask_shapes[method], samples)


def _draw_samples(generator: np.random.Generator, shape: tuple[int, ...], samples: int) -> Masks:
    """Return random masks of the given shape. The first mask selects nothing.

    The masks are drawn one at a time, so a larger number of samples begins with the same masks as a smaller number.
    """
    masks = [np.zeros(shape, bool)]
    for _ in range(samples):
        masks.append(generator.integers(2, size=shape, dtype=bool))
    return np.stack(masks)


def expand_masks(masks: Masks, unit: str, scores: Floats) -> Masks:
    """Add axes to masks so that each mask can be broadcast to the scores of a metric.

    Args:
        masks: masks of the swapped units in each sample, ``(samples, units)``. For single scores, the shape is
            ``(samples, systems, segments)``.
        unit: kind of the swapped units: ``segments``, ``systems`` or ``scores``.
        scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
    """
    if unit == "segments":
        return masks[:, None, :]  # (samples, 1, segments)
    if unit == "systems" and scores.ndim == 3:
        return masks[:, :, None]  # (samples, systems, 1)
    return masks


@dataclass(frozen=True)
class OneByOneComparer:
    """Compares two metrics by evaluating the measure separately for each permutation.

    Instances are callables of the type :data:`.exchange.Differences`. A call returns the difference between two metrics
    in each sample of a permutation test.

    Attributes:
        scores: scores of each metric, ``(metrics, systems, segments)`` or ``(metrics, systems)``.
        score_masks: masks of the swapped scores in each permutation, see :func:`expand_masks`.
        agreement: the measure as a function of the scores of one metric.
    """

    scores: Floats
    score_masks: Masks
    agreement: Agreement

    def __call__(self, first: int, second: int) -> Floats:
        """Return the difference between the measures of two metrics in each permutation.

        Args:
            first, second: indices of the two metrics.
        """
        differences = []
        for mask in self.score_masks:
            first_scores = np.where(mask, self.scores[second], self.scores[first])
            second_scores = np.where(mask, self.scores[first], self.scores[second])
            differences.append(self.agreement(first_scores) - self.agreement(second_scores))
        return np.array(differences)


def _compute_p_values(
    title: str, assumed: str, names: tuple[str, ...], differences: dict[MetricPair, Floats]
) -> Comparison:
    """Compute p-values by comparing the observed differences with the differences in the permutations.

    A permutation counts as extreme if its difference is at least as large as the observed difference. Permutations in
    which the measure is undefined also count as extreme.

    The class :class:`Comparison` describes the arguments.
    """
    p_values = np.full((len(names), len(names)), math.nan)
    for (first, second), pair_differences in differences.items():
        observed_difference = float(pair_differences[0])
        permuted_differences = pair_differences[1:]
        if math.isnan(observed_difference):
            continue
        is_undefined = np.isnan(permuted_differences)
        is_higher = permuted_differences >= observed_difference - SLACK
        is_lower = permuted_differences <= observed_difference + SLACK
        samples = len(permuted_differences)
        p_values[first, second] = permutation_p(int((is_higher | is_undefined).sum()), samples)
        p_values[second, first] = permutation_p(int((is_lower | is_undefined).sum()), samples)
    return Comparison(test=title, assumed=assumed, names=names, p=p_values, differences=differences)


def average_comparisons(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison | None:
    """Run the significance tests of a measure's weighted mean over several language pairs.

    Args:
        comparisons: results for each language pair, with the same metrics and the same number of permutations.
        weights: weight of each language pair.

    Returns:
        The results, or None if a language pair was tested without permutations.
    """
    # A comparison may combine several tests. All language pairs have the same tests in the same order.
    tests_by_pair = [comparison.parts or (comparison,) for comparison in comparisons]
    averaged_tests = []
    for pair_results in zip(*tests_by_pair, strict=True):
        has_permutations = all(result.differences for result in pair_results)
        if not has_permutations:
            return None
        averaged_tests.append(_average_permutations(pair_results, weights))
    return _combine_comparisons(averaged_tests, comparisons[0].test)


def _average_permutations(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison:
    """Test whether metrics differ significantly in the weighted mean of a measure over language pairs.

    For each permutation, the differences between two metrics are averaged over language pairs.
    """
    normalized_weights = np.array(weights, float) / sum(weights)
    first = comparisons[0]
    differences = {}
    for metric_pair in first.differences:
        pair_differences = np.stack([comparison.differences[metric_pair] for comparison in comparisons])
        differences[metric_pair] = np.asarray(normalized_weights @ pair_differences)
    return _compute_p_values(first.test, first.assumed, first.names, differences)


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
