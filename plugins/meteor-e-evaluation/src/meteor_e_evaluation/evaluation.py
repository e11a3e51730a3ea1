"""An evaluation: test sets × metrics × measures → numbers, with intervals and tests."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meteor_e.api import InputError, Measure, Metric
from meteor_e.api.metrics import Scores
from meteor_e.api.segments import TextContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.progress import Progress, silent, staged
from meteor_e.metrics.specs import MetricSpec, create_metrics
from meteor_e.metrics.translations import score_test_set
from meteor_e.packs.pack import LANGUAGES
from meteor_e.significance.resampling import Interval, draw_weights, interval
from meteor_e_evaluation.comparison import Comparison, average, cluster_ranks, compare
from meteor_e_evaluation.data import TestSet, load_test_set
from meteor_e_evaluation.index import DataIndex
from meteor_e_evaluation.measures import mad_outliers, pairs_of
from meteor_e_evaluation.sanity import check_scores, check_test_set

AVERAGE = "mean"
"""The column of the macro-average over language pairs."""


@dataclass(frozen=True)
class Value:
    """One number of a table, and its bootstrap interval if there is one."""

    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Table:
    """One measure on one test set.

    Attributes:
        testset: name of the test set.
        measure: the measure.
        columns: language pairs, then :data:`AVERAGE` if there are several.
        rows: for each metric, one result per column.
        comparisons: tests of metrics against one another, by column.
        ranks: rank of each metric by clusters of significance, by column.
    """

    testset: str
    measure: Measure[TestSet]
    columns: tuple[str, ...]
    rows: dict[str, tuple[Value, ...]]
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """All tables, and the data, scores and settings behind them.

    Attributes:
        tables: one per test set and measure.
        signatures: metric → signature; where those of target languages differ, ``metric (language)`` → signature.
        counts: what was judged, by test set and pair.
        warnings: of the sanity checks, by test set and pair.
        settings: samples, seed and the like.
        scores: what each metric scored, by test set and pair.
    """

    tables: tuple[Table, ...]
    signatures: dict[str, str]
    counts: dict[str, dict[str, int]]
    warnings: dict[str, tuple[str, ...]]
    settings: dict[str, Any]
    scores: dict[str, tuple[TestSet, tuple[Scores, ...]]] = field(default_factory=dict, repr=False)


def load_test_sets(index: DataIndex, pairs: Sequence[str] = ()) -> list[TestSet]:
    """Load language pairs of an index, by default all."""
    return [load_test_set(index, pair) for pair in pairs or index.pairs]


def evaluate(
    tests: Sequence[TestSet],
    metrics: Sequence[Metric | MetricSpec],
    measures: Sequence[Measure[TestSet]],
    cache: ArrayCache,
    *,
    samples: int = 0,
    seed: int = DEFAULT_SEED,
    significance: bool = False,
    method: str = "auto",
    permutations: int = 1000,
    drop_outliers: bool = False,
    whole: bool = False,
    progress: Progress = silent,
) -> Evaluation:
    """Evaluate metrics.

    Args:
        tests: test sets; those of one name share a table.
        metrics: the metrics; specifications are made for the language of each test set.
        measures: the measures.
        cache: where scores and statistics are kept.
        samples: bootstrap samples for intervals; 0 for none.
        seed: of all resampling.
        significance: whether to test metrics against one another.
        method: which test, one of :data:`meteor_e_evaluation.comparison.TESTS`.
        permutations: samples of permutation tests.
        drop_outliers: whether system-level measures leave out systems whose human scores are outliers.
        whole: whether to score all segments of all systems, judged or not, and whole systems.
        progress: told about the work on each test set.

    Raises:
        InputError: if two test sets have one name and pair, or if a metric lacks a score.
    """
    _check_distinct(tests)
    of_systems = whole or any(entry.level == "system" for entry in measures)
    found: dict[tuple[str, str, str], dict[str, tuple[float, Floats | None]]] = {}
    comparisons: dict[tuple[str, str], dict[str, Comparison]] = {}
    signatures: dict[str, dict[str, str]] = {}
    warnings: dict[str, tuple[str, ...]] = {}
    counts: dict[str, dict[str, int]] = {}
    kept: dict[str, tuple[TestSet, tuple[Scores, ...]]] = {}
    used: list[TestSet] = []
    labels: dict[str, None] = {}
    for test in tests:
        title = f"{test.name} {test.pair}"
        test_metrics = create_metrics(metrics, TextContext(test.language))
        labels.update(dict.fromkeys(metric.label for metric in test_metrics))
        scores = _score(test, test_metrics, cache, of_systems, progress)
        for entry in scores:
            signatures.setdefault(entry.name, {})[test.language] = entry.signature
        told = [*check_test_set(test), *_without_paraphrases(test, scores)]
        check_complete(test, scores)
        told += [message for entry in scores for message in check_scores(test, entry)]
        kept[title] = (test, tuple(scores))
        if drop_outliers:
            test = dataclasses.replace(test, outliers=(*test.outliers, *mad_outliers(test)))
        if test.outliers:
            told.append(f"left out of system-level measures: {', '.join(dict.fromkeys(test.outliers))}")
        warnings[title] = tuple(told)
        counts[title] = _counts(test)
        used.append(test)
        weights = draw_weights(len(test), samples, seed) if samples else None
        for measure in measures:
            for entry in scores:
                drawn = None if weights is None else measure.resampled(test, entry, weights)
                by_metric = found.setdefault((test.name, measure.name, test.pair), {})
                by_metric[entry.name] = (measure.value(test, entry), drawn)
            if significance:
                tell = staged(progress, f"{title} {measure.name}, significance")
                tested = compare(measure, test, scores, samples=permutations, seed=seed, method=method, progress=tell)
                if tested is not None:
                    comparisons.setdefault((test.name, measure.name), {})[test.pair] = tested
    tables = [
        _table(name, measure, [test for test in used if test.name == name], found, list(labels), comparisons)
        for name in dict.fromkeys(test.name for test in used)
        for measure in measures
    ]
    settings = {
        "samples": samples,
        "seed": seed,
        "confidence": 0.95,
        "permutations": permutations,
        "test": method,
        "outliers dropped": drop_outliers,
    }
    return Evaluation(tuple(tables), _by_language(signatures), counts, warnings, settings, kept)


def _by_language(signatures: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return one signature for each metric, or one for each of its languages where they differ."""
    found = {}
    for name, by_language in signatures.items():
        distinct = set(by_language.values())
        for language, signature in by_language.items():
            found[name if len(distinct) == 1 else f"{name} ({language})"] = signature
    return found


def _without_paraphrases(test: TestSet, scores: Sequence[Scores]) -> list[str]:
    """Return a warning for each METEOR that lacks the paraphrases that the Java program has for the language."""
    return [
        f"warning: {entry.name} is without paraphrases, unlike the Java program: the pack of {test.language} has no "
        f"table; `meteor-e pack install {test.language} --from meteor-1.5.tar.gz` installs METEOR's"
        for entry in scores
        if "(no table)" in entry.signature and test.language in LANGUAGES
    ]


def _check_distinct(tests: Sequence[TestSet]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for test in tests:
        before = seen.get((test.name, test.pair))
        if before is not None:
            raise InputError(
                f"two test sets are called {test.name} {test.pair} (in {before or '?'} and {test.root or '?'}); "
                "give one of the indexes another 'name'"
            )
        seen[test.name, test.pair] = test.root


def check_complete(test: TestSet, scores: Sequence[Scores]) -> None:
    """Make sure that every judged segment has a score of every metric.

    Raises:
        InputError: if a score is missing or infinite, naming metric, system and segment.
    """
    for entry in scores:
        if np.isinf(entry.segments).any() or np.isinf(entry.systems).any():
            raise InputError(f"{entry.name} gives an infinite score in {test.name} {test.pair}")
        missing = np.argwhere(test.judged() & np.isnan(entry.segments))
        # A metric that is known by scores of systems alone has no part in measures of segments.
        if len(missing) and not (np.isnan(entry.segments).all() and not np.isnan(entry.systems).any()):
            system, segment = missing[0]
            raise InputError(
                f"{entry.name} gives no number for system {test.systems[system]}, segment {segment + 1} of {test.name} "
                f"{test.pair} ({len(missing)} are missing)"
            )


def _score(
    test: TestSet,
    metrics: Sequence[Metric],
    cache: ArrayCache,
    of_systems: bool,
    progress: Progress,
) -> list[Scores]:
    cells = test.judged()
    scores = []
    for metric in metrics:
        tell = staged(progress, f"{test.name} {test.pair} {metric.label}")
        found = score_test_set(metric, test, cells, cache, systems=of_systems, progress=tell)
        # Measures take the higher score for the better.
        scores.append(found if metric.higher_is_better else found.negated())
    return scores


def _counts(test: TestSet) -> dict[str, int]:
    counts = {"systems": len(test.systems), "segments": len(test)}
    rankings = pairs_of(test)
    if rankings is not None:
        counts["pairs"] = len(rankings)
        counts["untied pairs"] = int((~rankings.ties).sum())
    if test.assessments is not None:
        counts["assessments"] = len(test.assessments)
    return counts


def _table(
    name: str,
    measure: Measure[TestSet],
    tests: Sequence[TestSet],
    found: dict[tuple[str, str, str], dict[str, tuple[float, Floats | None]]],
    labels: Sequence[str],
    comparisons: dict[tuple[str, str], dict[str, Comparison]],
) -> Table:
    weights = np.array([measure.weight(test) for test in tests])
    rows = {}
    for label in labels:
        entries = [found[name, measure.name, test.pair][label] for test in tests]
        results = [Value(value, None if drawn is None else interval(drawn)) for value, drawn in entries]
        if len(tests) > 1:
            results.append(_average(entries, weights))
        rows[label] = tuple(results)
    columns = tuple(test.pair for test in tests)
    tested = dict(comparisons.get((name, measure.name), {}))
    if len(tests) > 1:
        columns = (*columns, AVERAGE)
        if len(tested) == len(tests):
            of_mean = average([tested[test.pair] for test in tests], weights.tolist())
            if of_mean is not None:
                tested[AVERAGE] = of_mean
    ranks = {
        column: cluster_ranks({row: results[columns.index(column)].value for row, results in rows.items()}, comparison)
        for column, comparison in tested.items()
    }
    return Table(name, measure, columns, rows, tested, ranks)


def _average(entries: Sequence[tuple[float, Floats | None]], weights: Floats) -> Value:
    """Return the mean over language pairs, undefined if one is."""
    values = np.array([value for value, _ in entries])
    if np.isnan(values).any() or not weights.sum():
        return Value(math.nan, None)
    shares = weights / weights.sum()
    samples = [drawn for _, drawn in entries if drawn is not None]
    drawn = interval(shares @ np.stack(samples)) if len(samples) == len(entries) else None
    return Value(float(shares @ values), drawn)
