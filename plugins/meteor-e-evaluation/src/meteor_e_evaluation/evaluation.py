"""Evaluates metrics on test sets by several measures, with confidence intervals and significance tests."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meteor_e.api import InputError, Measure, Metric
from meteor_e.api.metrics import Scores
from meteor_e.api.segments import TextContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats, Integers
from meteor_e.base.progress import Progress, rename_stages, silent
from meteor_e.metrics.specs import MetricSpec, create_metrics
from meteor_e.metrics.translations import score_test_set
from meteor_e.packs.pack import LANGUAGES
from meteor_e.significance.resampling import Interval, draw_weights, interval
from meteor_e_evaluation.comparison import Comparison, average_comparisons, cluster_ranks, compare
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import DataIndex
from meteor_e_evaluation.pair_measures import pairwise_judgments
from meteor_e_evaluation.sanity import check_scores, check_test_set
from meteor_e_evaluation.system_measures import mad_outliers
from meteor_e_evaluation.test_set import TestSet

AVERAGE = "mean"
"""Title of the table column with the mean over all language pairs."""

AVERAGE_IS_UNDEFINED = "the measure is undefined for a language pair"


@dataclass(frozen=True)
class Value:
    """The value of a measure for a metric.

    Attributes:
        value: the value, or NaN if the measure is undefined.
        interval: bootstrap confidence interval of the value, or None if no intervals were requested.
        reason: reason why the measure is undefined, as a clause.
        samples: value on each bootstrap sample, or None if no intervals were requested.
    """

    value: float
    interval: Interval | None = None
    reason: str = ""
    samples: Floats | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Table:
    """The values of one measure for all metrics and language pairs of a test set.

    Attributes:
        testset: name of the test set.
        measure: the measure.
        columns: the language pairs, followed by :data:`AVERAGE` if there are several pairs.
        rows: one value per column, for each metric.
        comparisons: significance tests between the metrics, for each column.
        ranks: rank of each metric for each column. Metrics that do not differ significantly share a rank.
    """

    testset: str
    measure: Measure[TestSet]
    columns: tuple[str, ...]
    rows: dict[str, tuple[Value, ...]]
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation: its tables, scores, and settings.

    Attributes:
        tables: one table per test set and measure.
        signatures: signature of each metric. If the signature depends on the language, the keys are
            ``metric (language)``.
        counts: numbers of systems, segments and judgments of each test set and language pair.
        warnings: messages of the sanity checks for each test set and language pair.
        settings: settings of the confidence intervals and the significance tests, such as the seed.
        scores: each test set and its scores by each metric, by the name of the test set and its language pair.
    """

    tables: tuple[Table, ...]
    signatures: dict[str, str]
    counts: dict[str, dict[str, int]]
    warnings: dict[str, tuple[str, ...]]
    settings: dict[str, Any]
    scores: dict[str, tuple[TestSet, tuple[Scores, ...]]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class _Settings:
    """Settings of an evaluation. The docstring of :func:`evaluate` describes each setting."""

    intervals: int
    significance: str | None
    samples: int
    seed: int
    drop_outliers: bool

    def document(self) -> dict[str, Any]:
        """Return the settings as a dictionary that can be written as JSON."""
        return {
            "intervals": self.intervals,
            "confidence": 0.95,
            "significance": self.significance,
            "samples": self.samples,
            "seed": self.seed,
            "outliers dropped": self.drop_outliers,
        }


@dataclass(frozen=True)
class _PairResults:
    """Results of an evaluation on one language pair of a test set.

    Attributes:
        test: the test set.
        scores: scores of the test set by each metric.
        warnings: messages of the sanity checks.
        values: value of each measure for each metric, by the names of the measure and the metric.
        comparisons: significance tests between the metrics by the name of the measure.
        pair_weights: weight of the language pair in means, by the name of the measure.
    """

    test: TestSet
    scores: tuple[Scores, ...]
    warnings: tuple[str, ...]
    values: dict[tuple[str, str], Value]
    comparisons: dict[str, Comparison]
    pair_weights: dict[str, float]

    @property
    def title(self) -> str:
        """Name of the test set and the language pair."""
        return _make_title(self.test)


def load_test_sets(index: DataIndex, pairs: Sequence[str] = ()) -> list[TestSet]:
    """Load the test sets that an index file describes.

    By default, the test sets of all language pairs are loaded.
    """
    return [load_test_set(index, pair) for pair in pairs or index.pairs]


def evaluate(
    tests: Sequence[TestSet],
    metrics: Sequence[Metric | MetricSpec],
    measures: Sequence[Measure[TestSet]],
    cache: ArrayCache,
    *,
    intervals: int = 0,
    significance: str | None = None,
    samples: int = 1000,
    seed: int = DEFAULT_SEED,
    drop_outliers: bool = False,
    score_all: bool = False,
    progress: Progress = silent,
) -> Evaluation:
    """Evaluate metrics by their agreement with human judgments.

    Args:
        tests: the test sets. Test sets with the same name share a table.
        metrics: the metrics. For a specification, a metric is created in the language of each test set.
        measures: the measures of agreement with human judgments.
        cache: stores statistics of metrics between runs.
        intervals: number of bootstrap samples for confidence intervals, or 0 for no intervals.
        significance: significance test between the metrics, one of :data:`.comparison.TESTS`, or None for no test.
        samples: number of permutations of permutation tests.
        seed: seed of the bootstrap samples and the permutations.
        drop_outliers: whether system-level measures leave out systems whose human scores are outliers.
        score_all: whether to score all systems, even those without judgments.
        progress: receives the progress on each test set.

    Returns:
        The tables, with one row per metric and one column per language pair, and the scores of all metrics.

    Raises:
        ConfigError: if the significance test is not suitable for a measure.
        InputError: if two test sets have the same name and language pair, or if a score is missing.
    """
    _check_distinct_names(tests)
    settings = _Settings(intervals, significance, samples, seed, drop_outliers)
    needs_system_scores = score_all or any(measure.level == "system" for measure in measures)
    results = []
    for test in tests:
        scores = _score_metrics(metrics, test, cache, needs_system_scores=needs_system_scores, progress=progress)
        check_complete(test, scores)
        results.append(_evaluate_scores(test, scores, measures, settings, progress))
    return Evaluation(
        tables=_make_tables(measures, results),
        signatures=_collect_signatures(results),
        counts={result.title: _count_judgments(result.test) for result in results},
        warnings={result.title: result.warnings for result in results},
        settings=settings.document(),
        scores={result.title: (result.test, result.scores) for result in results},
    )


def _make_title(test: TestSet) -> str:
    return f"{test.name} {test.pair}"


def _evaluate_scores(
    test: TestSet,
    scores: Sequence[Scores],
    measures: Sequence[Measure[TestSet]],
    settings: _Settings,
    progress: Progress,
) -> _PairResults:
    """Compute the values of all measures for all metrics on one language pair."""
    measured_test = _mark_outliers(test) if settings.drop_outliers else test
    return _PairResults(
        test=test,
        scores=tuple(scores),
        warnings=(*_check_sanity(test, scores), *_list_outliers(measured_test)),
        values=_compute_values(measured_test, scores, measures, settings),
        comparisons=_compare_metrics(measured_test, scores, measures, settings, progress),
        pair_weights={measure.name: measure.weight(measured_test) for measure in measures},
    )


def _check_distinct_names(tests: Sequence[TestSet]) -> None:
    """Check that no two test sets have the same name and the same language pair."""
    roots: dict[str, str] = {}
    for test in tests:
        title = _make_title(test)
        if title in roots:
            raise InputError(
                f"two test sets are called {title} (in {roots[title] or '?'} and {test.root or '?'}); "
                "give one of the indexes another 'name'"
            )
        roots[title] = test.root


def _score_metrics(
    metrics: Sequence[Metric | MetricSpec],
    test: TestSet,
    cache: ArrayCache,
    *,
    needs_system_scores: bool,
    progress: Progress,
) -> list[Scores]:
    """Score the judged outputs with each metric.

    If a metric counts errors, its scores are negated, because higher scores should always be better.
    """
    is_judged = test.judgment_mask()
    all_scores = []
    for metric in create_metrics(metrics, TextContext(test.language)):
        metric_progress = rename_stages(progress, f"{_make_title(test)} {metric.label}")
        scores = score_test_set(metric, test, is_judged, cache, systems=needs_system_scores, progress=metric_progress)
        all_scores.append(scores if metric.higher_is_better else scores.negated())
    return all_scores


def check_complete(test: TestSet, scores: Sequence[Scores]) -> None:
    """Check that each metric has a finite score for each judged output.

    A metric that scores whole systems does not need segment scores. Segment-level measures skip a metric without
    segment scores.

    Raises:
        InputError: if a score is missing or infinite. The message names the metric, the system and the segment.
    """
    is_judged = test.judgment_mask()  # (systems, segments)
    for entry in scores:
        if np.isinf(entry.segments).any() or np.isinf(entry.systems).any():
            raise InputError(f"{entry.name} gives an infinite score in {_make_title(test)}")
        is_missing = np.isnan(entry.segments)
        scores_only_systems = is_missing.all() and not np.isnan(entry.systems).any()
        missing_outputs = np.argwhere(is_judged & is_missing)  # Each row is a system and a segment.
        if len(missing_outputs) and not scores_only_systems:
            raise _missing_score_error(test, entry.name, missing_outputs)


def _missing_score_error(test: TestSet, metric_name: str, missing_outputs: Integers) -> InputError:
    """Return the error to raise if a metric does not score all judged outputs.

    Args:
        test: the test set.
        metric_name: name of the metric.
        missing_outputs: indices of the system and the segment of each output, ``(outputs, 2)``.
    """
    system, segment = missing_outputs[0]
    return InputError(
        f"{metric_name} gives no number for system {test.systems[system]}, segment {segment + 1} of {test.name} "
        f"{test.pair} ({len(missing_outputs)} are missing)"
    )


def _check_sanity(test: TestSet, scores: Sequence[Scores]) -> list[str]:
    """Return the messages of all sanity checks."""
    messages = [*check_test_set(test), *_warn_of_missing_paraphrases(test, scores)]
    for entry in scores:
        messages += check_scores(test, entry)
    return messages


def _mark_outliers(test: TestSet) -> TestSet:
    """Mark the systems whose human scores are outliers, and return the changed test set."""
    outliers = (*test.outliers, *mad_outliers(test))
    return dataclasses.replace(test, outliers=outliers)


def _list_outliers(test: TestSet) -> list[str]:
    """Return a list with one message that names the outlier systems, or an empty list."""
    if not test.outliers:
        return []
    distinct_names = dict.fromkeys(test.outliers)
    return [f"left out of system-level measures: {', '.join(distinct_names)}"]


def _warn_of_missing_paraphrases(test: TestSet, scores: Sequence[Scores]) -> list[str]:
    """Return a warning for each METEOR metric that runs without a paraphrase table."""
    if test.language not in LANGUAGES:
        return []
    warnings = []
    for entry in scores:
        if "(no table)" in entry.signature:
            warnings.append(
                f"warning: {entry.name} is without paraphrases, unlike the Java program: the pack of {test.language} "
                f"has no table; `meteor-e pack install {test.language} --from meteor-1.5.tar.gz` installs METEOR's"
            )
    return warnings


def _compute_values(
    test: TestSet, scores: Sequence[Scores], measures: Sequence[Measure[TestSet]], settings: _Settings
) -> dict[tuple[str, str], Value]:
    """Return a dictionary that maps each pair of a measure name and a metric name to a value."""
    segment_counts = None
    if settings.intervals:
        segment_counts = draw_weights(len(test), settings.intervals, settings.seed)
    values = {}
    for measure in measures:
        for entry in scores:
            values[measure.name, entry.name] = _compute_value(test, entry, measure, segment_counts)
    return values


def _compute_value(test: TestSet, scores: Scores, measure: Measure[TestSet], segment_counts: Floats | None) -> Value:
    """Return the value of a measure for a metric.

    Args:
        test: the test set.
        scores: scores of the metric.
        measure: the measure.
        segment_counts: number of times that each bootstrap sample contains each segment, ``(samples, segments)``. None
            if no intervals were requested.
    """
    estimate = measure.value(test, scores)
    reason = measure.explain_undefined(test, scores) if math.isnan(estimate) else ""
    if segment_counts is None:
        return Value(estimate, reason=reason)
    samples = measure.resampled(test, scores, segment_counts)
    return Value(estimate, interval=interval(samples), reason=reason, samples=samples)


def _compare_metrics(
    test: TestSet,
    scores: Sequence[Scores],
    measures: Sequence[Measure[TestSet]],
    settings: _Settings,
    progress: Progress,
) -> dict[str, Comparison]:
    """Test the differences between the metrics by the requested significance test.

    Returns:
        The results by the name of the measure. Measures that do not allow the test are left out.
    """
    comparisons: dict[str, Comparison] = {}
    if settings.significance is None:
        return comparisons
    for measure in measures:
        comparison = compare(
            measure,
            test,
            scores,
            samples=settings.samples,
            seed=settings.seed,
            method=settings.significance,
            progress=rename_stages(progress, f"{_make_title(test)} {measure.name}, significance"),
        )
        if comparison is not None:
            comparisons[measure.name] = comparison
    return comparisons


def _count_judgments(test: TestSet) -> dict[str, int]:
    """Count the systems, the segments and the judgments of a test set."""
    counts = {"systems": len(test.systems), "segments": len(test)}
    rankings = pairwise_judgments(test)
    if rankings is not None:
        counts["pairs"] = len(rankings)
        counts["untied pairs"] = int((~rankings.ties).sum())
    if test.assessments is not None:
        counts["assessments"] = len(test.assessments)
    return counts


def _collect_signatures(results: Sequence[_PairResults]) -> dict[str, str]:
    """Return the signature of each metric.

    A metric whose signature differs between languages has one entry per language.
    """
    signatures_by_metric: dict[str, dict[str, str]] = {}
    for result in results:
        for entry in result.scores:
            signature_by_language = signatures_by_metric.setdefault(entry.name, {})
            signature_by_language[result.test.language] = entry.signature
    signatures = {}
    for metric_name, signature_by_language in signatures_by_metric.items():
        depends_on_language = len(set(signature_by_language.values())) > 1
        for language, signature in signature_by_language.items():
            title = f"{metric_name} ({language})" if depends_on_language else metric_name
            signatures[title] = signature
    return signatures


def _make_tables(measures: Sequence[Measure[TestSet]], results: Sequence[_PairResults]) -> tuple[Table, ...]:
    """Return one table for each test set and measure."""
    metric_names = list(dict.fromkeys(entry.name for result in results for entry in result.scores))
    tables = []
    for test_name in dict.fromkeys(result.test.name for result in results):
        results_of_test = [result for result in results if result.test.name == test_name]
        tables += [_make_table(measure, metric_names, results_of_test) for measure in measures]
    return tuple(tables)


def _make_table(measure: Measure[TestSet], metric_names: Sequence[str], results: Sequence[_PairResults]) -> Table:
    """Return the table of a measure, with one row per metric and one column per language pair of a test set.

    If there are several language pairs, the last column contains the mean over all language pairs.

    Args:
        measure: the measure.
        metric_names: names of the metrics.
        results: results on each language pair.
    """
    pair_weights = np.array([result.pair_weights[measure.name] for result in results])
    pairs = tuple(result.test.pair for result in results)
    columns = (*pairs, AVERAGE) if len(pairs) > 1 else pairs
    rows = {}
    for metric_name in metric_names:
        values = [result.values[measure.name, metric_name] for result in results]
        rows[metric_name] = _make_row(values, pair_weights)
    comparisons = _collect_comparisons(measure.name, results, pair_weights)
    return Table(
        testset=results[0].test.name,
        measure=measure,
        columns=columns,
        rows=rows,
        comparisons=comparisons,
        ranks=_rank_metrics(columns, rows, comparisons),
    )


def _make_row(values: Sequence[Value], pair_weights: Floats) -> tuple[Value, ...]:
    """Return the values of a metric for all language pairs. If there are several pairs, their mean follows."""
    if len(values) == 1:
        return tuple(values)
    return (*values, _average_values(values, pair_weights))


def _collect_comparisons(
    measure_name: str, results: Sequence[_PairResults], pair_weights: Floats
) -> dict[str, Comparison]:
    """Return the significance tests for each column of a table.

    The mean over language pairs is tested only if every language pair was tested.
    """
    comparisons = {}
    for result in results:
        if measure_name in result.comparisons:
            comparisons[result.test.pair] = result.comparisons[measure_name]
    if len(results) > 1 and len(comparisons) == len(results):
        mean_comparison = average_comparisons(list(comparisons.values()), pair_weights.tolist())
        if mean_comparison is not None:
            comparisons[AVERAGE] = mean_comparison
    return comparisons


def _rank_metrics(
    columns: Sequence[str], rows: Mapping[str, Sequence[Value]], comparisons: Mapping[str, Comparison]
) -> dict[str, dict[str, int]]:
    """Return the ranks of the metrics in each table column that has significance tests."""
    ranks = {}
    for column, comparison in comparisons.items():
        column_index = columns.index(column)
        values = {metric_name: row[column_index].value for metric_name, row in rows.items()}
        ranks[column] = cluster_ranks(values, comparison)
    return ranks


def _average_values(pair_results: Sequence[Value], weights: Floats) -> Value:
    """Return the weighted mean of a measure over language pairs.

    The mean is undefined if the measure is undefined for any language pair.

    Args:
        pair_results: the measure for each language pair.
        weights: weight of each language pair.
    """
    estimates = np.array([result.value for result in pair_results])
    if np.isnan(estimates).any() or not weights.sum():
        return Value(math.nan, reason=AVERAGE_IS_UNDEFINED)
    normalized_weights = weights / weights.sum()
    mean = float(normalized_weights @ estimates)
    bootstrap_samples = [result.samples for result in pair_results if result.samples is not None]
    if len(bootstrap_samples) < len(pair_results):
        return Value(mean)
    mean_samples = normalized_weights @ np.stack(bootstrap_samples)
    return Value(mean, interval(mean_samples), samples=mean_samples)
