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

MetricPair = tuple[int, int]
"""Indices of two metrics."""


def independent_units(measure: Measure[TestSet], test: str) -> str:
    """Return the units that a significance test of a measure assumes to be independent."""
    if test == "williams" and measure.takes == "systems":
        return "systems"
    return INDEPENDENT_UNITS[test]


@dataclass(frozen=True)
class Comparison:
    """Results of one-sided significance tests for all pairs of metrics.

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
    if method not in TESTS:
        raise ConfigError(f"unknown test {method!r}{near_miss(method, TESTS)}; there are {', '.join(TESTS)}")
    if method == "documents" and not test.documents:
        raise ConfigError(f"{test.name} {test.pair}: the index names no documents; choose another test")
    if len(scores) < 2:
        return None
    chosen_method = measure.default_test() if method == "auto" else method
    if chosen_method == "williams":
        return _compare_by_williams(measure, test, scores)
    seeds = [seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
    comparisons = []
    for permutation_test in chosen_method.split("+"):
        comparisons.append(_permute(measure, test, scores, samples, seeds, permutation_test, progress))
    return comparisons[0] if len(comparisons) == 1 else _combine(comparisons)


def _combine(comparisons: Sequence[Comparison | None]) -> Comparison | None:
    """Combine several tests by their highest p-values, so that a difference must be significant in all tests.

    This procedure is an intersection-union test. Return None if any of the tests is None.
    """
    tests = [comparison for comparison in comparisons if comparison is not None]
    if not tests or len(tests) < len(comparisons):
        return None
    # The description of a test consists of the permuted units and, after a comma, of its settings.
    _, _, settings = tests[0].test.partition(",")
    units = [test.test.partition(",")[0].removeprefix("permutation of ") for test in tests]
    title = f"higher p-value of a permutation of {' and one of '.join(dict.fromkeys(units))},{settings}"
    assumed = " or ".join(dict.fromkeys(test.assumed for test in tests))
    highest_p = np.maximum.reduce([test.p for test in tests])
    return Comparison(title, assumed, tests[0].names, highest_p, tests[0].observed, parts=tuple(tests))


def _compare_by_williams(measure: Measure[TestSet], test: TestSet, scores: Sequence[Scores]) -> Comparison | None:
    rows = measure.correlated(test, scores)
    if rows is None:
        return None
    metrics, human = rows
    if len(human) < 4 or np.isnan(metrics).any():
        return None
    names = tuple(entry.name for entry in scores)
    return Comparison("Williams' test", independent_units(measure, "williams"), names, williams_matrix(metrics, human))


def _permute(
    measure: Measure[TestSet],
    test: TestSet,
    scores: Sequence[Scores],
    samples: int,
    seeds: Sequence[int],
    method: str,
    progress: Progress,
) -> Comparison | None:
    """Compare all pairs of metrics by a permutation test.

    Return None if the measure or a metric does not provide the necessary scores.
    """
    agreement = measure.agreement(test)
    if agreement is None:
        return None
    metric_scores = _stack_scores(measure, scores, method)
    if metric_scores is None:
        return None
    masks = draw_masks(metric_scores.shape[1:], method, test.documents, samples, seeds)
    differences = _prepare_differences(measure, test, metric_scores, masks, method, agreement)
    metric_pairs = list(itertools.combinations(range(len(scores)), 2))
    n_permutations = samples * len(metric_pairs)
    observed = {}
    permuted = {}
    for n_done, (first, second) in enumerate(metric_pairs):
        progress("permutations", n_done * samples, n_permutations)
        # The first sample does not exchange any scores, so its difference is the observed one.
        sampled_differences = differences(first, second)
        observed[first, second] = float(sampled_differences[0])
        permuted[first, second] = sampled_differences[1:]
    progress("permutations", n_permutations, n_permutations)
    names = tuple(entry.name for entry in scores)
    return _compare_permuted(_describe(method, samples, seeds), INDEPENDENT_UNITS[method], names, observed, permuted)


def _stack_scores(measure: Measure[TestSet], scores: Sequence[Scores], method: str) -> Floats | None:
    """Return the scores that a permutation test exchanges, with one row per metric.

    Return None if a metric has no suitable scores.

    Raises:
        ConfigError: if the test needs scores of all segments, and a metric does not have them.
    """
    takes_systems = measure.takes == "systems"
    if takes_systems and method == "systems":
        system_scores = np.stack([entry.systems for entry in scores])
        return None if np.isnan(system_scores).any() else system_scores
    # The array has the shape (metrics, systems, segments), with NaN for missing scores.
    segment_scores = np.stack([entry.segments for entry in scores])
    is_missing = np.isnan(segment_scores)
    if takes_systems and is_missing.any():
        raise ConfigError(f"the test {method!r} of {measure.name} needs scores of all segments; use the test 'systems'")
    lacks_all_scores = is_missing.all(axis=(1, 2))
    return None if lacks_all_scores.any() else segment_scores


def _prepare_differences(
    measure: Measure[TestSet],
    test: TestSet,
    metric_scores: Floats,
    masks: Masks,
    method: str,
    agreement: Agreement,
) -> Differences:
    """Return a function that computes the difference between two metrics in each sample.

    A measure that does not implement a fast exchange of scores is evaluated separately for each sample.
    """
    takes_systems = measure.takes == "systems"
    is_scored = np.asarray(~np.isnan(metric_scores).any(axis=0))
    standardized = np.stack([_standardize(entry, is_scored) for entry in metric_scores])
    unit = {"systems": "systems", "perm-both": "scores"}.get(method, "segments")
    differences = None
    if takes_systems or is_scored[test.judgment_mask()].all():
        differences = measure.exchange(test, standardized, masks, unit)
    if differences is not None:
        return differences
    averages_segments = takes_systems and standardized.ndim == 3
    return exchange_one_by_one(standardized, masks, unit, agreement, average_segments=averages_segments)


def _describe(method: str, samples: int, seeds: Sequence[int]) -> str:
    units = {"perm-both": "scores of segments and systems (PERM-BOTH)", "paired": "segments"}.get(method, method)
    return f"permutation of {units}, {samples} samples, seed {seeds[0]}"


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
    """Draw at random which units are exchanged in each sample.

    Args:
        shape: shape of the scores, ``(systems, segments)`` or ``(systems,)``.
        method: the permutation test, one of :data:`TESTS`.
        documents: the document of each segment, for the test ``documents``.
        samples: number of samples.
        seeds: seeds of the random numbers.

    Returns:
        Masks of the exchanged units, ``(1 + samples, …)``, see :mod:`.exchange`. The first sample exchanges nothing.
    """
    random = np.random.default_rng(list(seeds))
    unit_of_segment = np.arange(shape[-1])
    if method == "documents":
        _, unit_of_segment = np.unique(np.array(documents), return_inverse=True)
    mask_shapes = {"perm-both": shape, "systems": shape[:1]}
    mask_shape = mask_shapes.get(method, (unit_of_segment.max(initial=-1) + 1,))
    # The samples are drawn one at a time, so that the first samples do not depend on the number of samples.
    drawn = [random.integers(2, size=mask_shape, dtype=bool) for _ in range(samples)]
    masks = np.stack([np.zeros(mask_shape, bool), *drawn])
    return masks[:, unit_of_segment] if method == "documents" else masks


def exchange_one_by_one(
    scores: Floats, masks: Masks, unit: str, agreement: Agreement, *, average_segments: bool = False
) -> Differences:
    """Return a function that computes the difference in a measure between two metrics, sample by sample.

    Args:
        scores: scores of each metric.
        masks: masks of the exchanged units in each sample.
        unit: kind of the exchanged units: ``segments``, ``systems`` or ``scores``.
        agreement: the measure as a function of scores.
        average_segments: whether the measure takes the mean score of each system instead of its segment scores.
    """
    shaped_masks = masks
    if scores.ndim > masks.ndim:
        shaped_masks = masks[:, None] if unit == "segments" else masks[:, :, None]

    def evaluate(mask: Masks, metric_scores: Floats, other_scores: Floats) -> float:
        """Evaluate a metric after the scores selected by a mask are replaced by the scores of another metric."""
        exchanged_scores = np.where(mask, other_scores, metric_scores)
        return agreement(exchanged_scores.mean(axis=1) if average_segments else exchanged_scores)

    def differences(first: int, second: int) -> Floats:
        values = []
        for mask in shaped_masks:
            first_value = evaluate(mask, scores[first], scores[second])
            second_value = evaluate(mask, scores[second], scores[first])
            values.append(first_value - second_value)
        return np.array(values)

    return differences


def _compare_permuted(
    title: str,
    assumed: str,
    names: tuple[str, ...],
    observed: dict[MetricPair, float],
    permuted: dict[MetricPair, Floats],
) -> Comparison:
    """Compute p-values from the observed differences and the differences in each permutation.

    A permutation counts as extreme if its difference equals the observed one, or if the measure is undefined.
    """
    p_values = np.full((len(names), len(names)), math.nan)
    for (first, second), difference in observed.items():
        differences = permuted[first, second]
        if math.isnan(difference):
            continue
        is_undefined = np.isnan(differences)
        n_higher = int(((differences >= difference - SLACK) | is_undefined).sum())
        n_lower = int(((differences <= difference + SLACK) | is_undefined).sum())
        p_values[first, second] = permutation_p(n_higher, len(differences))
        p_values[second, first] = permutation_p(n_lower, len(differences))
    return Comparison(title, assumed, names, p_values, observed, permuted)


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
    if all(comparison.parts for comparison in comparisons):
        n_tests = len(comparisons[0].parts)
        return _combine([average([entry.parts[test] for entry in comparisons], weights) for test in range(n_tests)])
    if not all(comparison.permuted for comparison in comparisons):
        return None
    normalized_weights = np.array(weights, float) / sum(weights)
    first = comparisons[0]
    observed = {}
    permuted = {}
    for metric_pair in first.observed:
        observed_differences = np.array([comparison.observed[metric_pair] for comparison in comparisons])
        permuted_differences = np.stack([comparison.permuted[metric_pair] for comparison in comparisons])
        observed[metric_pair] = float(normalized_weights @ observed_differences)
        permuted[metric_pair] = np.asarray(normalized_weights @ permuted_differences)
    return _compare_permuted(first.test, first.assumed, first.names, observed, permuted)


def cluster_ranks(values: Mapping[str, float], comparison: Comparison, level: float = SIGNIFICANT) -> dict[str, int]:
    """Rank metrics so that metrics without significant differences share a rank.

    A metric that is significantly worse than any better metric of the current rank begins the next rank. Source:
    Freitag et al. (2022; 2023), "Results of the WMT22/WMT23 Metrics Shared Task".

    Args:
        values: value of the measure for each metric. A metric whose value is NaN does not receive a rank.
        comparison: results of the significance tests.
        level: p-value below which a difference is significant.

    Returns:
        The rank of each metric, sorted from the best to the worst metric. The best rank is 1.
    """
    index_of = {name: index for index, name in enumerate(comparison.names)}
    defined_names = [name for name in values if not math.isnan(values[name])]
    ranks: dict[str, int] = {}
    rank = 0
    cluster: list[str] = []
    for name in sorted(defined_names, key=lambda name: -values[name]):
        is_worse = any(comparison.p[index_of[better], index_of[name]] < level for better in cluster)
        if not cluster or is_worse:
            rank += 1
            cluster = []
        cluster.append(name)
        ranks[name] = rank
    return ranks
