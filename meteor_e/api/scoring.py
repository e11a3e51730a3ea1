"""The loop that computes the statistics of segments batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from meteor_e.api.batches import Batch, Executor, map_in_order
from meteor_e.api.metrics import Metric, SummedStatistics, compute_raw_statistics, resolve_failures
from meteor_e.api.score_table import MetricInfo

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

BatchStatistics: TypeAlias = "list[Floats | SummedStatistics]"
"""The statistics of a batch, one entry per metric."""


@dataclass(frozen=True)
class BatchScorer:
    """A picklable function that computes the statistics of a batch under several metrics.

    Attributes:
        metrics: the metrics.
        finite: whether infinite statistics and NaN are an error.
        system_statistics: the statistics of all segments of the system for each metric that scores whole systems, by
            the index of the metric. These metrics do not score the segments of a batch.
    """

    metrics: Sequence[Metric]
    finite: bool = True
    system_statistics: Mapping[int, Floats] = field(default_factory=dict)

    @property
    def threads(self) -> int | None:
        """The number of batches that are scored at the same time, or ``None`` if each metric uses its own threads."""
        can_score_several_batches = len(self.metrics) == 1 and self.metrics[0].parallel == "batches"
        return self.metrics[0].threads if can_score_several_batches else None

    def __call__(self, batch: Batch) -> BatchStatistics:
        """Return a list with each metric's statistics of the batch.

        If a segment cannot be scored, no error is raised. Instead, the error is stored in the ``failures`` of the
        statistics.
        """
        end = batch.position + len(batch)
        statistics: BatchStatistics = []
        for index, metric in enumerate(self.metrics):
            if index in self.system_statistics:
                statistics.append(self.system_statistics[index][batch.position : end])
            else:
                statistics.append(compute_raw_statistics(metric, batch, finite=self.finite))
        return statistics


def score_batches(
    scorer: BatchScorer, batches: Iterator[Batch], *, on_error: str | None = None, execute: Executor[Any] = map_in_order
) -> Iterator[tuple[Batch, BatchStatistics]]:
    """Compute the statistics of batches, and yield each batch together with its statistics.

    A single metric with ``parallel="batches"`` scores several batches at the same time. Otherwise, batches are scored
    one after the other, and each metric uses its own threads.

    Args:
        scorer: function that computes the statistics of a batch.
        batches: consecutive batches of one system.
        on_error: policy for segments that cannot be scored: ``stop``, ``skip``, ``zero``, or ``collect``, which leaves
            the failures in the statistics; by default the policy of each metric.
        execute: function that maps the scorer over the batches, with threads of this process or on a cluster.

    Raises:
        InputError: if a segment cannot be scored and the policy is ``stop``.
    """
    for batch, raw_statistics in execute(scorer, batches, scorer.threads):
        statistics = [
            _apply_policy(rows, batch, on_error or metric.on_error)
            for metric, rows in zip(scorer.metrics, raw_statistics, strict=True)
        ]
        yield batch, statistics


def _apply_policy(statistics: Floats | SummedStatistics, batch: Batch, policy: str) -> Floats | SummedStatistics:
    """Handle the segments of a batch that cannot be scored, as the error policy specifies.

    The argument ``on_error`` of :func:`score_batches` describes the policies.
    """
    if policy == "collect" or not isinstance(statistics, SummedStatistics) or not statistics.failures:
        return statistics
    return resolve_failures(statistics, batch, policy)


def describe_metrics(metrics: Sequence[Metric], reference_counts: set[int]) -> list[MetricInfo]:
    """Return the descriptions of metrics that a score table contains."""
    infos = []
    for metric in metrics:
        signature = metric.signature_for(reference_counts)
        infos.append(MetricInfo(metric.label, metric.headings, signature, metric.about()))
    return infos
