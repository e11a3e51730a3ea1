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
from meteor_e_evaluation.comparison import Comparison, average, cluster_ranks, compare
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
    """

    value: float
    interval: Interval | None = None
    reason: str = ""


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
    """The result of an evaluation, which consists of tables, scores, and settings.

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
class _PairResults:
    """Results of an evaluation on one language pair of a test set.

    Attributes:
        test: the test set.
        values: value and bootstrap samples by the names of the measure and the metric.
        comparisons: significance tests between the metrics by the name of the measure.
    """

    test: TestSet
    values: dict[tuple[str, str], tuple[Value, Floats | None]]
    comparisons: dict[str, Comparison]


def load_test_sets(index: DataIndex, pairs: Sequence[str] = ()) -> list[TestSet]:
    """Load the test sets of some language pairs of an index, or of all language pairs by default."""
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

    Raises:
        ConfigError: if the significance test is not suitable for a measure.
        InputError: if two test sets have the same name and language pair, or if a score is missing.
    """
    _check_distinct(tests)
    needs_system_scores = score_all or any(measure.level == "system" for measure in measures)
    warnings: dict[str, tuple[str, ...]] = {}
    scores_by_title: dict[str, tuple[TestSet, tuple[Scores, ...]]] = {}
    results: list[_PairResults] = []
    for test in tests:
        title = f"{test.name} {test.pair}"
        scores = _score_metrics(metrics, test, cache, needs_system_scores, progress)
        check_complete(test, scores)
        scores_by_title[title] = (test, tuple(scores))
        measured_test = _add_outliers(test) if drop_outliers else test
        warnings[title] = (*_check(test, scores), *_list_outliers(measured_test))
        values = _measure(measured_test, scores, measures, intervals, seed)
        comparisons = {}
        if significance is not None:
            comparisons = _compare(measured_test, scores, measures, significance, samples, seed, progress)
        results.append(_PairResults(measured_test, values, comparisons))
    settings = {
        "intervals": intervals,
        "confidence": 0.95,
        "significance": significance,
        "samples": samples,
        "seed": seed,
        "outliers dropped": drop_outliers,
    }
    return Evaluation(
        tables=_make_tables(tests, measures, results, scores_by_title),
        signatures=_collect_signatures(scores_by_title),
        counts={f"{test.name} {test.pair}": _count(test) for test in tests},
        warnings=warnings,
        settings=settings,
        scores=scores_by_title,
    )


def _make_tables(
    tests: Sequence[TestSet],
    measures: Sequence[Measure[TestSet]],
    results: Sequence[_PairResults],
    scores_by_title: Mapping[str, tuple[TestSet, tuple[Scores, ...]]],
) -> tuple[Table, ...]:
    """Return one table for each test set and measure."""
    labels = list(dict.fromkeys(entry.name for _, scores in scores_by_title.values() for entry in scores))
    tables = []
    for name in dict.fromkeys(test.name for test in tests):
        test_results = [entry for entry in results if entry.test.name == name]
        tables += [_make_table(measure, labels, test_results) for measure in measures]
    return tuple(tables)


def _check_distinct(tests: Sequence[TestSet]) -> None:
    roots: dict[tuple[str, str], str] = {}
    for test in tests:
        other_root = roots.get((test.name, test.pair))
        if other_root is not None:
            raise InputError(
                f"two test sets are called {test.name} {test.pair} (in {other_root or '?'} and {test.root or '?'}); "
                "give one of the indexes another 'name'"
            )
        roots[test.name, test.pair] = test.root


def _score_metrics(
    metrics: Sequence[Metric | MetricSpec],
    test: TestSet,
    cache: ArrayCache,
    needs_system_scores: bool,
    progress: Progress,
) -> list[Scores]:
    """Score the judged outputs with each metric.

    The scores of metrics that count errors are negated, so that higher scores are always better.
    """
    judged = test.judgment_mask()
    scores = []
    for metric in create_metrics(metrics, TextContext(test.language)):
        metric_progress = rename_stages(progress, f"{test.name} {test.pair} {metric.label}")
        entry = score_test_set(metric, test, judged, cache, systems=needs_system_scores, progress=metric_progress)
        scores.append(entry if metric.higher_is_better else entry.negated())
    return scores


def check_complete(test: TestSet, scores: Sequence[Scores]) -> None:
    """Check that each metric has a finite score for each judged output.

    A metric that only scores systems does not need scores of segments, because segment-level measures leave it out.

    Raises:
        InputError: if a score is missing or infinite. The message names the metric, the system and the segment.
    """
    for entry in scores:
        if np.isinf(entry.segments).any() or np.isinf(entry.systems).any():
            raise InputError(f"{entry.name} gives an infinite score in {test.name} {test.pair}")
        missing_outputs = np.argwhere(test.judgment_mask() & np.isnan(entry.segments))
        has_only_system_scores = np.isnan(entry.segments).all() and not np.isnan(entry.systems).any()
        if len(missing_outputs) and not has_only_system_scores:
            raise _missing_score_error(test, entry.name, missing_outputs)


def _missing_score_error(test: TestSet, metric_name: str, missing_outputs: Integers) -> InputError:
    """Return the error for judged outputs without a score.

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


def _check(test: TestSet, scores: Sequence[Scores]) -> list[str]:
    """Return the messages of all sanity checks."""
    messages = [*check_test_set(test), *_warn_of_missing_paraphrases(test, scores)]
    for entry in scores:
        messages += check_scores(test, entry)
    return messages


def _add_outliers(test: TestSet) -> TestSet:
    """Return the test set with the systems added to its outliers whose human scores are outliers."""
    return dataclasses.replace(test, outliers=(*test.outliers, *mad_outliers(test)))


def _list_outliers(test: TestSet) -> list[str]:
    """Return a message that lists the outliers of the test set, or no message if there are none."""
    if not test.outliers:
        return []
    return [f"left out of system-level measures: {', '.join(dict.fromkeys(test.outliers))}"]


def _warn_of_missing_paraphrases(test: TestSet, scores: Sequence[Scores]) -> list[str]:
    """Return a warning for each METEOR metric that lacks the paraphrase table of the Java program."""
    return [
        f"warning: {entry.name} is without paraphrases, unlike the Java program: the pack of {test.language} has no "
        f"table; `meteor-e pack install {test.language} --from meteor-1.5.tar.gz` installs METEOR's"
        for entry in scores
        if "(no table)" in entry.signature and test.language in LANGUAGES
    ]


def _measure(
    test: TestSet, scores: Sequence[Scores], measures: Sequence[Measure[TestSet]], intervals: int, seed: int
) -> dict[tuple[str, str], tuple[Value, Floats | None]]:
    """Return the value of a measure and its bootstrap samples, keyed by the names of the measure and the metric."""
    weights = draw_weights(len(test), intervals, seed) if intervals else None
    values = {}
    for measure in measures:
        for entry in scores:
            measured_value = measure.value(test, entry)
            reason = measure.explain_undefined(test, entry) if math.isnan(measured_value) else ""
            samples = None
            confidence_interval = None
            if weights is not None:
                samples = measure.resampled(test, entry, weights)
            if samples is not None:
                confidence_interval = interval(samples)
            values[measure.name, entry.name] = (Value(measured_value, confidence_interval, reason), samples)
    return values


def _compare(
    test: TestSet,
    scores: Sequence[Scores],
    measures: Sequence[Measure[TestSet]],
    significance: str,
    samples: int,
    seed: int,
    progress: Progress,
) -> dict[str, Comparison]:
    """Test the differences between the metrics, for each measure that allows a significance test."""
    comparisons = {}
    for measure in measures:
        measure_progress = rename_stages(progress, f"{test.name} {test.pair} {measure.name}, significance")
        comparison = compare(
            measure, test, scores, samples=samples, seed=seed, method=significance, progress=measure_progress
        )
        if comparison is not None:
            comparisons[measure.name] = comparison
    return comparisons


def _count(test: TestSet) -> dict[str, int]:
    counts = {"systems": len(test.systems), "segments": len(test)}
    rankings = pairwise_judgments(test)
    if rankings is not None:
        counts["pairs"] = len(rankings)
        counts["untied pairs"] = int((~rankings.ties).sum())
    if test.assessments is not None:
        counts["assessments"] = len(test.assessments)
    return counts


def _collect_signatures(scores_by_title: Mapping[str, tuple[TestSet, tuple[Scores, ...]]]) -> dict[str, str]:
    """Return the signature of each metric, or one signature per language if they differ between languages."""
    signatures_by_metric: dict[str, dict[str, str]] = {}
    for test, scores in scores_by_title.values():
        for entry in scores:
            signatures_by_metric.setdefault(entry.name, {})[test.language] = entry.signature
    signatures = {}
    for name, signature_by_language in signatures_by_metric.items():
        n_distinct = len(set(signature_by_language.values()))
        for language, signature in signature_by_language.items():
            signatures[name if n_distinct == 1 else f"{name} ({language})"] = signature
    return signatures


def _make_table(measure: Measure[TestSet], labels: Sequence[str], results: Sequence[_PairResults]) -> Table:
    """Return the table of a measure for all language pairs of a test set.

    Args:
        measure: the measure.
        labels: labels of the metrics.
        results: results on each language pair.
    """
    pair_weights = np.array([measure.weight(entry.test) for entry in results])
    columns = [entry.test.pair for entry in results]
    if len(results) > 1:
        columns.append(AVERAGE)
    rows = {label: _make_row(measure.name, label, results, pair_weights) for label in labels}
    comparisons = _collect_comparisons(measure.name, results, pair_weights)
    return Table(
        testset=results[0].test.name,
        measure=measure,
        columns=tuple(columns),
        rows=rows,
        comparisons=comparisons,
        ranks=_rank_metrics(columns, rows, comparisons),
    )


def _make_row(
    measure_name: str, label: str, results: Sequence[_PairResults], pair_weights: Floats
) -> tuple[Value, ...]:
    """Return the values of a metric for all language pairs, followed by their mean if there are several pairs."""
    values = []
    samples_of_pairs = []
    for entry in results:
        value, samples = entry.values[measure_name, label]
        values.append(value)
        samples_of_pairs.append(samples)
    if len(results) > 1:
        values.append(_average_values(values, samples_of_pairs, pair_weights))
    return tuple(values)


def _collect_comparisons(
    measure_name: str, results: Sequence[_PairResults], pair_weights: Floats
) -> dict[str, Comparison]:
    """Return the significance tests of each language pair, and those of the mean if all pairs were tested."""
    comparisons = {}
    for entry in results:
        if measure_name in entry.comparisons:
            comparisons[entry.test.pair] = entry.comparisons[measure_name]
    if len(results) > 1 and len(comparisons) == len(results):
        mean_comparison = average(list(comparisons.values()), pair_weights.tolist())
        if mean_comparison is not None:
            comparisons[AVERAGE] = mean_comparison
    return comparisons


def _rank_metrics(
    columns: Sequence[str], rows: Mapping[str, Sequence[Value]], comparisons: Mapping[str, Comparison]
) -> dict[str, dict[str, int]]:
    """Return the rank of each metric for each table column that has significance tests."""
    ranks = {}
    for column, comparison in comparisons.items():
        column_index = columns.index(column)
        values = {label: row[column_index].value for label, row in rows.items()}
        ranks[column] = cluster_ranks(values, comparison)
    return ranks


def _average_values(values: Sequence[Value], resampled: Sequence[Floats | None], weights: Floats) -> Value:
    """Return the weighted mean of values over language pairs, or an undefined value if any value is undefined.

    Args:
        values: value for each language pair.
        resampled: bootstrap samples for each language pair, or None if no intervals were requested.
        weights: weight of each language pair.
    """
    numbers = np.array([value.value for value in values])
    if np.isnan(numbers).any() or not weights.sum():
        return Value(math.nan, reason=AVERAGE_IS_UNDEFINED)
    shares = weights / weights.sum()
    samples = [entry for entry in resampled if entry is not None]
    mean_interval = interval(shares @ np.stack(samples)) if len(samples) == len(values) else None
    return Value(float(shares @ numbers), mean_interval)
