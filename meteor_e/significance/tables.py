"""Significance tests of the systems of a score table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.metrics import Metric, main_scores
from meteor_e.api.score_table import ScoreTable
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.significance.systems import METHODS, Scorer, SystemTest, compare_systems

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


class Significance(NamedTuple):
    """The settings of significance tests against the first system.

    Attributes:
        method: ``bootstrap`` or ``randomization``.
        samples: number of samples of the test; ``None`` for the default of the method.
        seed: seed of the test and of the intervals.
    """

    method: str
    samples: int | None = None
    seed: int = DEFAULT_SEED

    def complete(self) -> Significance:
        """Return the settings with the default number of samples filled in.

        Raises:
            ConfigError: for an unknown method.
        """
        if self.method not in METHODS:
            raise ConfigError(f"unknown significance test {self.method!r}; there are {', '.join(METHODS)}")
        return self._replace(samples=METHODS[self.method] if self.samples is None else self.samples)


@dataclass(frozen=True)
class TableTests:
    """The tests of a table's systems against the first system.

    Attributes:
        settings: method, samples and seed.
        columns: for each column of the table, one test per system.
    """

    settings: Significance
    columns: list[list[SystemTest]]


def compare_table(table: ScoreTable, metrics: Sequence[Metric], significance: Significance) -> TableTests:
    """Test the systems of a table against the first system, in every column.

    Args:
        table: the table, with the statistics of segments and a digest of the references.
        metrics: the metrics of the table.
        significance: method, samples and seed.

    Raises:
        ConfigError: for an unknown method, or a metric that is not additive.
        InputError: if the systems do not have the same references.
    """
    settings = significance.complete()
    for metric in metrics:
        if not metric.additive:
            raise ConfigError(
                f"--significance cannot test metric {metric.label}: its score of a system is not the mean of the "
                "scores of the segments"
            )
    _check_references(table)
    columns: list[list[SystemTest]] = []
    for index, metric in enumerate(metrics):
        statistics = _collect_statistics(table, index)
        start = 0
        for column in table.metrics[index].columns:
            scorer = _column_scorer(metric, start)
            tests = compare_systems(
                statistics, scorer, method=settings.method, samples=settings.samples, seed=settings.seed
            )
            columns.append(tests)
            start += 1 + len(column.parts)
    return TableTests(settings, columns)


def _check_references(table: ScoreTable) -> None:
    """Raise InputError if two systems have different references."""
    first = table.systems[0]
    for system in table.systems:
        if system.reference_digest != first.reference_digest:
            raise InputError(
                f"{system.system} and {first.system} have different segments; systems can only be compared on the same "
                "segments"
            )


def _collect_statistics(table: ScoreTable, metric_index: int) -> dict[str, Floats]:
    """Return the statistics of one metric for each system, by the system's index."""
    statistics: dict[str, Floats] = {}
    for index, system in enumerate(table.systems):
        rows = system.metrics[metric_index].statistics
        assert rows is not None
        statistics[str(index)] = rows
    return statistics


def _column_scorer(metric: Metric, value_index: int) -> Scorer:
    """Return a function from sums of statistics to one of the metric's values."""

    def score(sums: Any) -> Floats:
        return main_scores(metric.scores(sums), value_index)

    return score
