"""An evaluation: test sets × metrics × measures → numbers, with intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meteor_e.api.metrics import Metric, Progress, Scores
from meteor_e.base.array_cache import ArrayCache
from meteor_e.evaluation.comparison import Comparison, compare
from meteor_e.evaluation.data import TestSet, load_test_set
from meteor_e.evaluation.index import DataIndex
from meteor_e.evaluation.judgements import Floats
from meteor_e.evaluation.measures import Measure, pairs_of
from meteor_e.evaluation.resampling import DEFAULT_SEED, Interval, draw_weights, interval
from meteor_e.evaluation.sanity import check_scores, check_test_set

__all__ = ["AVERAGE", "Evaluation", "Result", "Table", "evaluate", "load_test_sets"]

AVERAGE = "mean"
"""The column of the macro-average over language pairs."""


@dataclass(frozen=True)
class Result:
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
        rows: for each metric, a result a column.
        comparisons: tests of metrics against one another, by pair.
    """

    testset: str
    measure: Measure
    columns: tuple[str, ...]
    rows: dict[str, tuple[Result, ...]]
    comparisons: dict[str, Comparison] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """All tables, and what they rest on.

    Attributes:
        tables: one a test set and measure.
        signatures: metric → signature (of the first language pair).
        counts: what was judged, by test set and pair.
        warnings: of the sanity checks, by test set and pair.
        settings: samples, seed and the like.
    """

    tables: tuple[Table, ...]
    signatures: dict[str, str]
    counts: dict[str, dict[str, int]]
    warnings: dict[str, tuple[str, ...]]
    settings: dict[str, Any]


def load_test_sets(index: DataIndex, pairs: Sequence[str] | None = None) -> list[TestSet]:
    """Load language pairs of an index, by default all."""
    return [load_test_set(index, pair) for pair in (pairs or list(index.pairs))]


def evaluate(
    tests: Sequence[TestSet],
    metrics: Sequence[Metric],
    measures: Sequence[Measure],
    cache: ArrayCache,
    *,
    samples: int = 0,
    seed: int = DEFAULT_SEED,
    significance: bool = False,
    permutations: int = 1000,
    progress: Callable[[str], Progress] | None = None,
) -> Evaluation:
    """Evaluate metrics.

    Args:
        tests: test sets; those of one name share a table.
        metrics: the metrics.
        measures: the measures.
        cache: where scores and statistics are kept.
        samples: bootstrap samples for intervals; 0 for none.
        seed: of all resampling.
        significance: whether to test metrics against one another.
        permutations: samples of permutation tests.
        progress: makes a function that is told the progress of what it was named.
    """
    of_systems = any(entry.level == "system" for entry in measures)
    found: dict[tuple[str, str, str], dict[str, tuple[float, Floats | None]]] = {}
    comparisons: dict[tuple[str, str], dict[str, Comparison]] = {}
    signatures: dict[str, str] = {}
    warnings: dict[str, tuple[str, ...]] = {}
    counts: dict[str, dict[str, int]] = {}
    for test in tests:
        title = f"{test.name} {test.pair}"
        scores = _score(test, metrics, cache, of_systems, progress)
        for entry in scores:
            signatures.setdefault(entry.name, entry.signature)
        told = [*check_test_set(test), *(message for entry in scores for message in check_scores(test, entry))]
        warnings[title] = tuple(told)
        counts[title] = _counts(test)
        weights = draw_weights(len(test), samples, seed) if samples else None
        for measure in measures:
            for entry in scores:
                drawn = None if weights is None else measure.resampled(test, entry, weights)
                by_metric = found.setdefault((test.name, measure.name, test.pair), {})
                by_metric[entry.name] = (measure.value(test, entry), drawn)
            if significance:
                tested = compare(measure, test, scores, samples=permutations, seed=seed)
                if tested is not None:
                    comparisons.setdefault((test.name, measure.name), {})[test.pair] = tested
    tables = [
        _table(name, measure, [test.pair for test in tests if test.name == name], found, metrics, comparisons)
        for name in dict.fromkeys(test.name for test in tests)
        for measure in measures
    ]
    settings = {"samples": samples, "seed": seed, "confidence": 0.95, "permutations": permutations}
    return Evaluation(tuple(tables), signatures, counts, warnings, settings)


def _score(
    test: TestSet,
    metrics: Sequence[Metric],
    cache: ArrayCache,
    of_systems: bool,
    progress: Callable[[str], Progress] | None,
) -> list[Scores]:
    cells = test.judged()
    scores = []
    for metric in metrics:
        tell = None if progress is None else progress(f"{test.name} {test.pair} {metric.label}")
        found = metric.score_outputs(test, cells, cache, systems=of_systems, progress=tell)
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
    measure: Measure,
    pairs: list[str],
    found: dict[tuple[str, str, str], dict[str, tuple[float, Floats | None]]],
    metrics: Sequence[Metric],
    comparisons: dict[tuple[str, str], dict[str, Comparison]],
) -> Table:
    rows = {}
    for metric in metrics:
        results, values, samples = [], [], []
        for pair in pairs:
            value, drawn = found[name, measure.name, pair][metric.label]
            results.append(Result(value, None if drawn is None else interval(drawn)))
            values.append(value)
            samples.append(drawn)
        if len(pairs) > 1:
            complete = not any(math.isnan(value) for value in values)
            drawn_means = (
                np.mean([drawn for drawn in samples if drawn is not None], axis=0)
                if complete and samples[0] is not None
                else None
            )
            average = float(np.mean(values)) if complete else math.nan
            results.append(Result(average, None if drawn_means is None else interval(drawn_means)))
        rows[metric.label] = tuple(results)
    columns = (*pairs, AVERAGE) if len(pairs) > 1 else tuple(pairs)
    return Table(name, measure, columns, rows, comparisons.get((name, measure.name), {}))
