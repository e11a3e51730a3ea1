"""The loop over segments: batches in, statistics out; and the sums of statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from meteor_e.api.batches import Batch, Executor, map_in_order
from meteor_e.api.metrics import Metric, SummedStatistics, compute_statistics, resolve_failures

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

BatchStatistics: TypeAlias = "list[Floats | SummedStatistics]"
"""The statistics of a batch, one entry per metric."""


@dataclass(frozen=True)
class BatchScorer:
    """Computes the statistics of a batch under several metrics; it is pickled to other processes.

    Attributes:
        metrics: what scores.
        finite: whether statistics that are not finite are an error.
        alignments: whether METEOR's alignments are needed.
        known: statistics of all segments of the system by the metric's index, for metrics that do not compute them.
    """

    metrics: Sequence[Metric]
    finite: bool = True
    alignments: bool = False
    known: Mapping[int, Floats] = field(default_factory=dict)

    def __call__(self, batch: Batch) -> BatchStatistics:
        """Return the statistics; segments that cannot be scored are among their ``failures``."""
        batch.alignments = self.alignments
        return [
            self.known[index][batch.position : batch.position + len(batch)]
            if index in self.known
            else compute_statistics(metric, batch, finite=self.finite, resolve=False)
            for index, metric in enumerate(self.metrics)
        ]


def score_batches(
    scorer: BatchScorer, batches: Iterator[Batch], *, on_error: str | None = None, execute: Executor[Any] = map_in_order
) -> Iterator[tuple[Batch, BatchStatistics]]:
    """Yield batches with their statistics, in order: the only loop over segments.

    Batches are scored side by side if there is one metric whose ``parallel`` is ``batches``; several metrics score one
    batch after the other, each with its own threads.

    Args:
        scorer: computes the statistics.
        batches: consecutive batches of one system.
        on_error: ``stop``, ``skip``, ``zero``, or ``collect``, which leaves failures in the statistics; by default each
            metric's own ``on_error``.
        execute: maps the scorer over the batches: threads of this process, or a cluster.

    Raises:
        InputError: for a segment that cannot be scored, if it is to stop.
    """
    metrics = scorer.metrics
    threads = metrics[0].threads if len(metrics) == 1 and metrics[0].parallel == "batches" else None
    for batch, statistics in execute(scorer, batches, threads):
        batch.alignments = scorer.alignments
        yield (
            batch,
            [
                resolve_failures(rows, batch, on_error or metric.on_error)
                if on_error != "collect" and isinstance(rows, SummedStatistics) and rows.failures
                else rows
                for metric, rows in zip(metrics, statistics, strict=True)
            ],
        )
