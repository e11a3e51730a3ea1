"""Significance tests and confidence intervals of the systems in a score table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.api.formats import MetricColumn
from meteor_e.api.metrics import Metric, main_scores
from meteor_e.api.score_table import ScoreTable
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.significance.resampling import Interval
from meteor_e.significance.systems import (
    METHODS,
    Scorer,
    SystemTest,
    check_method,
    compare_systems,
    score_interval,
)

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


class Significance(NamedTuple):
    """The settings of significance tests.

    Attributes:
        method: the test, which is ``bootstrap`` or ``randomization``.
        samples: the number of samples of the test, or ``None`` for the default of the method.
        seed: the seed of the test and of the confidence intervals.
    """

    method: str
    samples: int | None = None
    seed: int = DEFAULT_SEED

    def complete(self) -> Significance:
        """Return a copy of the settings. If the number of samples is missing, the copy has the default number.

        Raises:
            ConfigError: if the method is unknown.
        """
        check_method(self.method)
        return self._replace(samples=METHODS[self.method] if self.samples is None else self.samples)


@dataclass(frozen=True)
class TableTests:
    """Significance tests that compare each system in a score table with the first system.

    Attributes:
        settings: the settings of the tests.
        columns: for each column of the score table, a list with one test per system.
    """

    settings: Significance
    columns: list[list[SystemTest]]

    @property
    def interval_samples(self) -> int:
        """The number of bootstrap samples for the confidence intervals."""
        if self.settings.method == "bootstrap" and self.settings.samples is not None:
            return self.settings.samples
        return METHODS["bootstrap"]


@dataclass(frozen=True)
class TableIntervals:
    """The confidence intervals of columns of a score table.

    Attributes:
        columns: the intervals of the systems, by the name of the column.
        samples: the number of bootstrap samples.
        seed: the seed of the bootstrap.
    """

    columns: dict[str, list[Interval]]
    samples: int
    seed: int


def compare_table(table: ScoreTable, metrics: Sequence[Metric], significance: Significance) -> TableTests:
    """Compare the first system of a score table with all other systems. Each column is tested separately.

    Args:
        table: the score table, which must contain segment statistics and digests of the references.
        metrics: the metrics of the table.
        significance: the settings of the tests.

    Raises:
        ConfigError: if the method is unknown or a metric is not additive.
        InputError: if the systems have different references.
    """
    settings = significance.complete()
    _check_additive(metrics)
    _check_references(table)
    column_tests = [
        compare_systems(
            column.statistics,
            column.scorer,
            method=settings.method,
            samples=settings.samples,
            seed=settings.seed,
        )
        for column in _collect_columns(table, metrics)
    ]
    return TableTests(settings, column_tests)


def compute_intervals(table: ScoreTable, metrics: Sequence[Metric], seed: int = DEFAULT_SEED) -> TableIntervals:
    """Compute confidence intervals for the columns that show intervals even without significance tests.

    The intervals come from the bootstrap. Each system is resampled separately, so the systems may have different
    segments.

    Args:
        table: the score table, which must contain segment statistics.
        metrics: the metrics of the table.
        seed: the seed of the bootstrap.
    """
    intervals: dict[str, list[Interval]] = {}
    for column in _collect_columns(table, metrics):
        if column.heading.has_interval:
            intervals[column.heading.name] = [
                score_interval(rows, column.scorer, seed=seed) for rows in column.statistics.values()
            ]
    return TableIntervals(intervals, METHODS["bootstrap"], seed)


class _Column(NamedTuple):
    """The data for significance tests of one column of a score table.

    Attributes:
        heading: the heading of the column.
        statistics: the segment statistics of each system, by the index of the system.
        scorer: the function that computes the scores in the column from sums of statistics.
    """

    heading: MetricColumn
    statistics: dict[str, Floats]
    scorer: Scorer


def _collect_columns(table: ScoreTable, metrics: Sequence[Metric]) -> Iterator[_Column]:
    """For each column of a score table, yield the data that significance tests and confidence intervals need.

    The values that a metric returns are sorted by column. In each column, the parts of the score follow the score.
    """
    for metric_index, metric in enumerate(metrics):
        statistics = _collect_statistics(table, metric_index)
        value_index = 0
        for heading in table.metrics[metric_index].columns:
            yield _Column(heading, statistics, partial(_compute_scores, metric, value_index))
            value_index += 1 + len(heading.parts)


def _check_additive(metrics: Sequence[Metric]) -> None:
    """Raise ConfigError if a metric cannot compute system scores from summed segment statistics."""
    for metric in metrics:
        if not metric.additive:
            raise ConfigError(
                f"--significance cannot test metric {metric.label}: its score of a system is not the mean of the "
                "scores of the segments"
            )


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
    """Return the segment statistics of one metric for each system. The keys are the indexes of the systems."""
    statistics: dict[str, Floats] = {}
    for index, system in enumerate(table.systems):
        rows = system.metrics[metric_index].statistics
        assert rows is not None
        statistics[str(index)] = rows
    return statistics


def _compute_scores(metric: Metric, value_index: int, sums: Floats) -> Floats:
    """Compute one value of a metric for each row of summed statistics, and return an array of shape ``(rows,)``."""
    return main_scores(metric.scores(sums), value_index)
