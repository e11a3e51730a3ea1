"""Significance tests of the systems of a score table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.metrics import Metric, main_scores
from meteor_e.api.score_table import ScoreTable
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.significance.systems import METHODS, SystemTest, compare_systems

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


class Significance(NamedTuple):
    """How systems are tested against the first one.

    Attributes:
        method: ``bootstrap`` or ``randomization``.
        samples: of the test; ``None`` for the method's default.
        seed: of the test and the intervals.
    """

    method: str
    samples: int | None = None
    seed: int = DEFAULT_SEED

    def complete(self) -> Significance:
        """Return the same with the number of samples filled in.

        Raises:
            ConfigError: for an unknown method.
        """
        if self.method not in METHODS:
            raise ConfigError(f"unknown significance test {self.method!r}; there are {', '.join(METHODS)}")
        return self._replace(samples=METHODS[self.method] if self.samples is None else self.samples)


@dataclass(frozen=True)
class TableTests:
    """Tests of a table's systems against the first one.

    Attributes:
        settings: method, samples and seed.
        columns: for each column of the table one test per system.
    """

    settings: Significance
    columns: list[list[SystemTest]]


def compare_table(table: ScoreTable, metrics: Sequence[Metric], significance: Significance) -> TableTests:
    """Test the systems of a table against the first one, in every column.

    Args:
        table: with the statistics of segments and a digest of references.
        metrics: what scored it.
        significance: method, samples and seed.

    Raises:
        ConfigError: for an unknown method.
        InputError: if systems are not of the same segments.
    """
    settings = significance.complete()
    for metric in metrics:
        if not metric.additive:
            raise ConfigError(
                f"metric {metric.label}: its score of a system is not a mean of its segments; --significance needs "
                "a metric whose score is"
            )
    first = table.systems[0]
    for system in table.systems:
        if system.reference_digest != first.reference_digest:
            raise InputError(
                f"{system.system} and {first.system} are not of the same segments; tests compare systems that are"
            )
    columns: list[list[SystemTest]] = []
    for index, metric in enumerate(metrics):
        statistics: dict[str, Floats] = {}
        for number, system in enumerate(table.systems):
            rows = system.metrics[index].statistics
            assert rows is not None
            statistics[str(number)] = rows
        start = 0
        for column in table.metrics[index].columns:

            def score(sums: Any, metric: Metric = metric, start: int = start) -> Floats:
                return main_scores(metric.scores(sums), start)

            columns.append(
                compare_systems(statistics, score, method=settings.method, samples=settings.samples, seed=settings.seed)
            )
            start += 1 + len(column.parts)
    return TableTests(settings, columns)
