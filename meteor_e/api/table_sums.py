"""Add the score tables of consecutive parts of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.api.metrics import Metric, add_integers, add_statistics, system_values
from meteor_e.api.score_table import JoinedSequence, MetricScores, ScoreTable, SystemScores
from meteor_e.api.scoring import describe_metrics
from meteor_e.base.errors import ConfigError

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


def add_tables(metrics: Sequence[Metric], first: ScoreTable, second: ScoreTable) -> ScoreTable:
    """Combine the score tables of two consecutive parts of a corpus.

    The combined scores equal the scores of the whole corpus to the last digit. Sums of integer statistics are always
    exact. Sums of floating-point statistics depend on the order of the additions. Therefore, this function adds the
    second table's floating-point statistics segment by segment, and the table must contain the statistics of each
    segment.

    Args:
        metrics: the metrics of both tables.
        first: the table of the first part.
        second: the table of the second part.

    Raises:
        ConfigError: if the systems or metrics differ, or required statistics were not kept.
    """
    have_same_metrics = [info.label for info in first.metrics] == [info.label for info in second.metrics]
    have_same_systems = [system.system for system in first.systems] == [system.system for system in second.systems]
    if not have_same_metrics or not have_same_systems or len(metrics) != len(first.metrics):
        raise ConfigError("tables can only be added if they have the same systems and metrics")
    systems = []
    for first_system, second_system in zip(first.systems, second.systems, strict=True):
        systems.append(_add_system_scores(metrics, first_system, second_system))
    reference_counts = first.reference_counts | second.reference_counts
    return ScoreTable(describe_metrics(metrics, reference_counts), systems, reference_counts)


def _add_system_scores(metrics: Sequence[Metric], first: SystemScores, second: SystemScores) -> SystemScores:
    """Combine a system's scores for two consecutive parts of a corpus."""
    segment_count = first.segment_count + second.segment_count
    scores = []
    for metric, first_scores, second_scores in zip(metrics, first.metrics, second.metrics, strict=True):
        scores.append(_add_scores(metric, first_scores, second_scores, segment_count))
    return SystemScores(first.system, segment_count, scores, [*first.ids, *second.ids])


def _add_scores(metric: Metric, first: MetricScores, second: MetricScores, segment_count: int) -> MetricScores:
    """Combine a metric's scores of one system for two consecutive parts of a corpus.

    Raises:
        ConfigError: if statistics are needed that were not kept.
    """
    statistics = _join_statistics(first, second)
    total = _add_totals(metric, first, second)
    values = system_values(metric, total, statistics, segment_count)
    segment_values = first.segment_values + second.segment_values
    segment_details = JoinedSequence([first.segment_details, second.segment_details])
    return MetricScores(values, total, segment_values, statistics, segment_details=segment_details)


def _add_totals(metric: Metric, first: MetricScores, second: MetricScores) -> Any:
    """Add the statistics of two consecutive parts of a corpus.

    Raises:
        ConfigError: if the statistics are not integers, and those of the second part were not kept.
    """
    if isinstance(first.total, list) and isinstance(second.total, list):
        return add_integers(first.total, second.total)
    if second.statistics is None:
        raise ConfigError(f"metric {metric.label}: tables can only be added if the statistics of segments were kept")
    return add_statistics(first.total, second.statistics)


def _join_statistics(first: MetricScores, second: MetricScores) -> Floats | None:
    """Join the statistics of the segments, or return ``None`` if they were not kept for both parts."""
    if first.statistics is None or second.statistics is None:
        return None
    import numpy as np

    return np.concatenate([first.statistics, second.statistics])
