"""The function :func:`evaluate`, which scores several systems under several metrics and returns a table of scores."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.batches import FIRST_BATCH, LARGE_FIRST_BATCH, Batch, Executor, map_in_order, read_batches
from meteor_e.api.metrics import (
    HasDetails,
    Metric,
    SummedStatistics,
    SystemsMetric,
    add_statistics,
    metric_values,
    system_values,
)
from meteor_e.api.output_scores import OutputScores, describe_empty_system, score_outputs
from meteor_e.api.score_table import JoinedSequence, MetricScores, ScoreTable, SystemScores
from meteor_e.api.scoring import BatchScorer, BatchStatistics, describe_metrics, score_batches
from meteor_e.api.segments import Segment, SegmentId, System
from meteor_e.base.errors import ConfigError, InputError, SegmentWarning, plugin_errors, warn_user
from meteor_e.base.progress import Progress, Stage, silent

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


class KeptData(NamedTuple):
    """The kinds of segment data that a score table keeps. By default, no segment data is kept.

    Attributes:
        segments: whether to keep ids and scores.
        statistics: whether to keep statistics, which significance tests and sums of tables need.
        details: whether to keep details, which JSON contains in addition to the scores.
        alignments: whether to keep METEOR's alignments, as a part of the details.
        references: whether to compute a digest of the references, which shows whether systems have the same segments.
    """

    segments: bool = False
    statistics: bool = False
    details: bool = False
    alignments: bool = False
    references: bool = False


def evaluate(
    metrics: Sequence[Metric],
    systems: Sequence[System],
    *,
    keep: KeptData | None = None,
    on_error: str | None = None,
    finite: bool = True,
    are_prepared: bool = False,
    execute: Executor[Any] = map_in_order,
    progress: Progress = silent,
) -> ScoreTable:
    """Score every system under every metric.

    Each system is read once. With ``on_error="skip"``, a segment that cannot be scored causes all systems to be read
    and scored a second time.

    Args:
        metrics: the metrics, with different labels.
        systems: the systems. Significance tests compare the first system with all others.
        keep: the data of segments that the table keeps; by default none.
        on_error: policy for segments that cannot be scored: ``stop``, ``zero``, or ``skip``, which leaves the segments
            out of all systems; by default the policy of each metric.
        finite: whether infinite statistics and NaN are an error.
        are_prepared: whether the metrics have already been prepared for the references of a larger test set.
        execute: function that maps a function over batches, with threads of this process or on a cluster.
        progress: called with the number of segments of each system that have been scored.

    Returns:
        The scores of the systems, in the order of ``systems`` and ``metrics``.

    Raises:
        ConfigError: for metrics of different languages, or two columns with the same name.
        InputError: if there are no systems or segments, or a segment cannot be scored.
    """
    if not systems:
        raise InputError("there are no systems to score")
    _check_metrics(metrics)
    evaluator = _Evaluator(
        metrics,
        keep=keep or KeptData(),
        on_error=on_error,
        finite=finite,
        are_prepared=are_prepared,
        execute=execute,
        progress=progress,
    )
    return evaluator.skip_failures(systems) if on_error == "skip" else evaluator.score_systems(systems)


def _check_metrics(metrics: Sequence[Metric]) -> None:
    """Raise ConfigError if metrics are for different languages, or if two columns would have the same name."""
    language_metrics = [metric for metric in metrics if metric.language]
    for metric in language_metrics:
        first = language_metrics[0]
        if metric.language != first.language:
            raise ConfigError(
                f"metric {metric.label} is for {metric.language!r}, and {first.label} for {first.language!r}"
            )
    names = [column.name for metric in metrics for column in metric.headings]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"two metrics have a column {name!r}; leave one out, or tell them apart by LABEL=METRIC")


class _Failure(NamedTuple):
    """A segment that cannot be scored.

    Attributes:
        id: id of the segment.
        system: name of the first system in which the segment failed.
        error: the error of the metric.
    """

    id: SegmentId
    system: str
    error: InputError


def _warn_about_failures(failures: Mapping[int, _Failure], system_count: int) -> None:
    """Issue a warning for each segment that is left out."""
    consequence = "it is left out of all systems" if system_count > 1 else "it is left out"
    for _, failure in sorted(failures.items()):
        message = f"segment {failure.id} of {failure.system}: {failure.error}; {consequence}"
        warn_user(message, SegmentWarning)


def _load_system(system: System) -> System:
    """Return a copy of a system with all segments in memory."""
    return System.from_segments(system.name, list(system.read()), system.context)


def _read_remaining(system: System, failures: Mapping[int, _Failure]) -> Iterator[Segment]:
    """Yield the segments of a system, except for the segments that cannot be scored."""
    for position, segment in enumerate(system.read()):
        if position not in failures:
            yield segment


def _leave_out(system: System, failures: Mapping[int, _Failure]) -> System:
    """Return a copy of a system without the segments that cannot be scored.

    Raises:
        InputError: if no segment remains.
    """
    read_remaining = partial(_read_remaining, system, failures)
    if next(read_remaining(), None) is None:
        raise InputError(f"{system.name}: no segment can be aligned; there is nothing to score")
    remaining_size = None if system.size is None else system.size - len(failures)
    return replace(system, read=read_remaining, size=remaining_size)


@dataclass(frozen=True)
class _Evaluator:
    """Scores systems under metrics.

    Attributes:
        metrics, keep, finite, are_prepared, execute, progress: the arguments of :func:`evaluate`.
        on_error: policy for segments that cannot be scored. With ``collect``, they are added to ``failures``.
        failures: the segments that cannot be scored, by position in the system.
    """

    metrics: Sequence[Metric]
    keep: KeptData
    on_error: str | None
    finite: bool
    are_prepared: bool
    execute: Executor[Any]
    progress: Progress
    failures: dict[int, _Failure] = field(default_factory=dict)

    def skip_failures(self, systems: Sequence[System]) -> ScoreTable:
        """Score all systems. A segment that cannot be scored for one system is left out of all systems."""
        systems = [system if system.rereadable else _load_system(system) for system in systems]
        collector = replace(self, on_error="collect")
        table = collector.score_systems(systems)
        failures = collector.failures
        if not failures:
            return table
        _warn_about_failures(failures, len(systems))
        remaining = [_leave_out(system, failures) for system in systems]
        table = replace(self, on_error="stop").score_systems(remaining)
        table.left_out = {position: failures[position].id for position in sorted(failures)}
        return table

    def score_systems(self, systems: Sequence[System]) -> ScoreTable:
        """Read the systems one after the other, and return a table of their scores."""
        outputs_by_metric = self._score_outputs(systems)
        table = ScoreTable([], [])
        for index, system in enumerate(systems):
            outputs = [metric_outputs[index] for metric_outputs in outputs_by_metric]
            # The first batch of the first system is small, so that the user soon sees progress.
            first_size = LARGE_FIRST_BATCH if index else FIRST_BATCH
            system_sum = self._sum_statistics(system, outputs, first_size)
            table.systems.append(system_sum.finish())
            table.reference_counts |= system_sum.reference_counts
        table.metrics = describe_metrics(system_sum.metrics, table.reference_counts)
        return table

    def _score_outputs(self, systems: Sequence[System]) -> list[Sequence[OutputScores | None]]:
        """Score the outputs of the systems under the metrics that score whole systems.

        Returns:
            For each metric the scores of all systems. They are ``None`` for metrics that score segments.
        """
        outputs: list[Sequence[OutputScores | None]] = []
        for metric in self.metrics:
            if isinstance(metric, SystemsMetric) and not metric.scores_segments:
                outputs.append(score_outputs(metric, systems, self.progress))
            else:
                outputs.append([None] * len(systems))
        return outputs

    def _sum_statistics(self, system: System, outputs: Sequence[OutputScores | None], first_size: int) -> _SystemSum:
        """Return the sum of the statistics of a system.

        Args:
            system: the system.
            outputs: for each metric the scores of the system's output, or ``None`` if the metric scores segments.
            first_size: number of segments of the first batch.

        Raises:
            InputError: if the system has no segments.
        """
        metrics = self.metrics
        if not self.are_prepared and any(metric.needs_references for metric in metrics):
            # The segments are read only once and kept in memory, because the references are needed in advance.
            system = _load_system(system)
            metrics = self._prepare_metrics(system)
        metric_sums = [_MetricSum(metric, self.keep, output) for metric, output in zip(metrics, outputs, strict=True)]
        system_sum = _SystemSum(system, metric_sums, self.keep)
        self._add_batches(system_sum, first_size)
        if system_sum.segment_count == 0:
            raise InputError(describe_empty_system(system))
        return system_sum

    def _prepare_metrics(self, system: System) -> Sequence[Metric]:
        """Prepare the metrics that need all references of a system before its first segment is scored."""
        references = [segment.references for segment in system.read()]
        return [metric.prepare(references) if metric.needs_references else metric for metric in self.metrics]

    def _add_batches(self, system_sum: _SystemSum, first_size: int) -> None:
        """Compute the statistics of a system batch by batch, and add them to the sum of the system.

        Args:
            system_sum: the empty sum.
            first_size: number of segments of the first batch.
        """
        system = system_sum.system
        batches = read_batches(
            system.read(), system=system.name, first_size=first_size, alignments=self.keep.alignments
        )
        scorer = system_sum.make_scorer(self.finite)
        for batch, statistics in score_batches(scorer, batches, on_error=self.on_error, execute=self.execute):
            system_sum.add(batch, [self._record_failures(batch, rows) for rows in statistics])
            self.progress(Stage(system.name, "segments"), system_sum.segment_count, system.size)

    def _record_failures(self, batch: Batch, rows: Floats | SummedStatistics) -> Floats | SummedStatistics:
        """Store the segments of a batch that a metric cannot score in ``failures``.

        Returns:
            The statistics of the metric. The stored segments have the score 0.
        """
        if self.on_error != "collect" or not isinstance(rows, SummedStatistics):
            return rows
        for index, error in rows.failures.items():
            if not isinstance(error, InputError):
                raise error
            failure = _Failure(batch.ids[index], batch.system, error)
            self.failures.setdefault(batch.position + index, failure)
        return rows.with_zeros()


@dataclass
class _SystemSum:
    """Adds up the statistics of a system batch by batch.

    Attributes:
        system: the system.
        metric_sums: one sum per metric.
        keep: the data of segments that the table keeps.
        segment_count: number of segments so far.
        ids: ids of the segments, by batch; empty if they are not kept.
        reference_counts: the distinct numbers of references per segment.
        reference_digest: a hash of the references; 0 if it is not needed.
    """

    system: System
    metric_sums: Sequence[_MetricSum]
    keep: KeptData
    segment_count: int = 0
    ids: list[Sequence[SegmentId]] = field(default_factory=list)
    reference_counts: set[int] = field(default_factory=set)
    reference_digest: int = 0

    @property
    def metrics(self) -> list[Metric]:
        """The metrics, which have been prepared for the references of the system."""
        return [metric_sum.metric for metric_sum in self.metric_sums]

    def make_scorer(self, finite: bool) -> BatchScorer:
        """Return a function that computes the statistics of a batch of segments from this system.

        Args:
            finite: whether infinite statistics and NaN are an error.
        """
        # Metrics that score whole systems have already computed their statistics.
        system_statistics = {
            index: metric_sum.output.statistics
            for index, metric_sum in enumerate(self.metric_sums)
            if metric_sum.output is not None
        }
        return BatchScorer(self.metrics, finite, system_statistics)

    def add(self, batch: Batch, statistics: BatchStatistics) -> None:
        """Add the statistics of a batch to the sum of each metric."""
        for metric_sum, metric_statistics in zip(self.metric_sums, statistics, strict=True):
            metric_sum.add(metric_statistics, batch)
        self.segment_count += len(batch)
        self.reference_counts.update(map(len, batch.references))
        if self.keep.segments:
            self.ids.append(batch.ids)
        if self.keep.references:
            for references in batch.references:
                self.reference_digest = hash((self.reference_digest, *references))

    def finish(self) -> SystemScores:
        """Return the scores of the system under all metrics.

        Raises:
            InputError: if there are no segments.
        """
        scores = [metric_sum.finish() for metric_sum in self.metric_sums]
        segment_count = self.segment_count
        if len(self.metric_sums) == 1:
            # If there is only one metric, the segments that the metric skips are not counted.
            segment_count = self.metric_sums[0].segment_count
        return SystemScores(self.system.name, segment_count, scores, _join_ids(self.ids), self.reference_digest)


def _join_ids(parts: Sequence[Sequence[SegmentId]]) -> Sequence[SegmentId]:
    """Concatenate the segment ids of consecutive batches. If the ids are line numbers, return a range."""
    if parts and all(isinstance(part, range) for part in parts):
        return range(1, 1 + sum(map(len, parts)))
    return list(itertools.chain.from_iterable(parts))


@dataclass
class _MetricSum:
    """Adds up a metric's statistics of all batches of a system, and computes the system's score.

    Attributes:
        metric: the metric; prepared if it needs references.
        keep: the data of segments that the table keeps.
        output: the scores of the system's output, for a metric that scores whole systems.
        segment_count: number of segments in the sum.
        total: sum of the statistics; ``None`` without segments.
        segment_values: scores and parts of the segments.
        statistics: statistics of the segments, by batch.
        details: details of the segments, by batch.
    """

    metric: Metric
    keep: KeptData
    output: OutputScores | None = None
    segment_count: int = 0
    total: Any = None
    segment_values: array[float] = field(default_factory=lambda: array("d"))
    statistics: list[Floats] = field(default_factory=list)
    details: list[Sequence[Any]] = field(default_factory=list)

    def add(self, statistics: Floats | SummedStatistics, batch: Batch) -> None:
        """Add the statistics of a batch."""
        self.total = add_statistics(self.total, statistics)
        self.segment_count += len(statistics)
        if isinstance(statistics, SummedStatistics):
            self.segment_count -= len(statistics.failures)
        if self.keep.statistics or not self.metric.additive:
            import numpy as np

            self.statistics.append(np.asarray(statistics, float))
        if self.keep.segments:
            with plugin_errors(f"metric {self.metric.name!r}"):
                self._keep_segments(statistics, batch)

    def _keep_segments(self, statistics: Floats | SummedStatistics, batch: Batch) -> None:
        """Store the segment scores of a batch. Details of segments are also stored if they were requested."""
        metric = self.metric
        for values in metric_values(metric, metric.segment_scores(statistics)):
            self.segment_values.extend(values)
        if self.keep.details and self.output is not None and self.output.segment_details:
            self.details.append(self.output.segment_details[batch.position : batch.position + len(batch)])
        elif (self.keep.details or self.keep.alignments) and isinstance(metric, HasDetails):
            self.details.append(metric.details(statistics, batch) or [{}] * len(batch))

    def finish(self) -> MetricScores:
        """Return the scores of the system.

        Raises:
            InputError: if there are no segments.
        """
        if self.total is None or not self.segment_count:
            raise InputError("there are no segments to score")
        statistics = self._join_statistics()
        values = self._system_values(statistics)
        details = self._system_details() if self.keep.details else None
        segment_details = JoinedSequence(self.details) if self.details else ()
        return MetricScores(values, self.total, self.segment_values, statistics, details, segment_details)

    def _join_statistics(self) -> Floats | None:
        """Return the statistics of all segments, or ``None`` if they were not kept."""
        if not self.statistics:
            return None
        import numpy as np

        return np.concatenate(self.statistics)

    def _system_values(self, statistics: Floats | None) -> list[float]:
        """Return the system's score, followed by the parts of the score."""
        if self.output is not None:
            return [self.output.score]
        return system_values(self.metric, self.total, statistics, self.segment_count)

    def _system_details(self) -> Mapping[str, Any] | None:
        """Return the details of the system, or ``None`` if the metric does not provide details."""
        if self.output is not None and self.output.details is not None:
            return self.output.details
        if not isinstance(self.metric, HasDetails):
            return None
        with plugin_errors(f"metric {self.metric.name!r}"):
            details = self.metric.details([self.total])
        return details[0] if details else None
