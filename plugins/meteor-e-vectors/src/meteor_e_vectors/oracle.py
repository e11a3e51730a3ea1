"""The oracle threshold: the one with which the metric agrees best with people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meteor_e import ConfigError
from meteor_e.base.progress import Progress, silent

if TYPE_CHECKING:
    from meteor_e_evaluation import Evaluation, Measure, TestSet

    from meteor_e import Meteor
    from meteor_e.base.array_cache import ArrayCache


@dataclass(frozen=True)
class ThresholdSearch:
    """What a search found.

    Attributes:
        columns: test sets and language pairs, then their mean if there are several.
        rows: each threshold with the measure, one number per column.


    """

    columns: tuple[str, ...]
    rows: tuple[tuple[float, tuple[float, ...]], ...]

    @property
    def best(self) -> float:
        """The best threshold of the last column."""
        return self.best_of(len(self.columns) - 1)

    def best_of(self, column: int) -> float:
        """Return the best threshold of a column; of equals the one nearest to METEOR-E's 0.80."""
        return max(self.rows, key=lambda row: (row[1][column], -abs(row[0] - 0.8)))[0]

    def as_dict(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "columns": list(self.columns),
            "thresholds": {f"{value:.4g}": list(results) for value, results in self.rows},
            "best": {column: self.best_of(number) for number, column in enumerate(self.columns)},
        }


def thresholds(first: float, last: float, step: float) -> list[float]:
    """Return the thresholds from first to last, both included; ConfigError if they make no sense."""
    if not (0 <= first <= last <= 1 and step > 0):
        raise ConfigError(f"thresholds from {first} to {last} in steps of {step} make no sense; they lie in [0, 1]")
    return [round(first + number * step, 10) for number in range(math.floor((last - first) / step + 1e-9) + 1)]


def search_threshold(
    meteor: Meteor,
    indexes: Sequence[str],
    values: Sequence[float],
    *,
    pairs: Sequence[str] = (),
    measure_name: str = "tau-strict",
    matcher: str = "vector",
    progress: Progress = silent,
) -> ThresholdSearch:
    """Try thresholds on judged data.

    Args:
        meteor: the metric; all but the threshold is left as it is.
        indexes: data indexes, as for ``meteor-e evaluate``.
        values: the thresholds.
        pairs: language pairs; by default all into the metric's language.
        measure_name: what to maximize.
        matcher: the matcher whose threshold it is.
        progress: told the number of thresholds done and of all.

    Raises:
        ConfigError: if the chain has no such matcher, or there is no such measure.
        InputError: if there are no judgments in the language.
    """
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.base.extras import require

    evaluation = require("meteor_e_evaluation", "the search for a threshold", distribution="meteor-e-evaluation")

    tests = evaluation.load_tests(tuple(indexes), meteor.chain.language.code, tuple(pairs))
    # Statistics of other thresholds would fill the disk, and nobody asks for them again.
    cache = ArrayCache(enabled=False)
    rows = []
    columns: tuple[str, ...] = ()
    evaluations = evaluate_thresholds(meteor, tests, values, [evaluation.measure(measure_name)], cache, matcher=matcher)
    for number, (value, found) in enumerate(evaluations, 1):
        results = [
            (f"{table.testset} {column}", result.value)
            for table in found.tables
            for column, result in zip(table.columns, table.rows["chain"], strict=True)
            if column != "mean"
        ]
        if len(results) > 1:
            results.append(("mean", sum(value for _, value in results) / len(results)))
        columns = tuple(column for column, _ in results)
        rows.append((value, tuple(result for _, result in results)))
        progress("thresholds", number, len(values))
    return ThresholdSearch(columns, tuple(rows))


def at_threshold(meteor: Meteor, value: float, matcher: str = "vector") -> dict[str, Any]:
    """Return a metric's chain with another threshold; ConfigError if it has no such matcher."""
    if matcher not in meteor.matcher_names:
        raise ConfigError(f"the chain has no matcher {matcher!r}; it has {', '.join(meteor.matcher_names)}")
    chain = meteor.chain.effective()
    for entry in chain["matchers"]:
        if entry["use"] == matcher:
            entry["threshold"] = value
    return chain


def evaluate_thresholds(
    meteor: Meteor,
    tests: Sequence[TestSet],
    values: Sequence[float],
    measures: Sequence[Measure[TestSet]],
    cache: ArrayCache,
    *,
    matcher: str = "vector",
) -> Iterator[tuple[float, Evaluation]]:
    """Yield each threshold, in rising order, with the evaluation of the chain, whose metric is named ``chain``.

    From one threshold to the next, only segments that have a pair of words between the two are aligned again.

    Args:
        meteor: the metric; all but the threshold is left as it is.
        tests: what it is evaluated on.
        values: the thresholds.
        measures: as for ``meteor_e_evaluation.evaluate``.
        cache: where statistics are looked for first, and kept.
        matcher: the matcher whose threshold it is.

    Raises:
        ConfigError: if the chain has no such matcher.
    """
    from meteor_e_evaluation import evaluate

    from meteor_e.metrics.chain_metric import ChainMetric
    from meteor_e_vectors.carried import CarriedStatistics

    values = sorted(set(values))
    chains = [at_threshold(meteor, value, matcher) for value in values]
    carried = CarriedStatistics(meteor, tests, values, cache, matcher)
    for number, (value, chain) in enumerate(zip(values, chains, strict=True)):
        carried.move_to(number)
        yield value, evaluate(tests, [ChainMetric(chain, name="chain")], measures, carried)
