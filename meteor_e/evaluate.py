"""The function :func:`evaluate`, which scores several systems under several metrics and returns a table of scores."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.batches import FIRST_BATCH, LARGE_FIRST_BATCH, Batch, Executor, map_in_order, read_batches
from meteor_e.api.metrics import (
    HasDetails,
    Metric,
    Scores,
    SummedStatistics,
    SystemOutputs,
    SystemsMetric,
    add_statistics,
    metric_values,
    system_values,
)
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
    evaluator = _Evaluator(metrics, keep or KeptData(), on_error, finite, are_prepared, execute, progress)
    if on_error == "skip":
        return evaluator.skip_failures(systems)
    return evaluator.score_systems(systems)


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
        """Score all systems without the segments that cannot be scored in at least one system."""
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
        outputs: dict[int, list[_OutputScores]] = {}
        for metric_index, metric in enumerate(self.metrics):
            if isinstance(metric, SystemsMetric) and not metric.scores_segments:
                outputs[metric_index] = _score_outputs(metric, systems, self.progress)
        table = ScoreTable([], [])
        for system_index, system in enumerate(systems):
            # The first batch of the first system is small, so that the user soon sees progress.
            first_size = LARGE_FIRST_BATCH if system_index else FIRST_BATCH
            metrics, batches = self._open_system(system, first_size)
            metric_sums = [_MetricSum(metric, self.keep) for metric in metrics]
            for metric_index, system_outputs in outputs.items():
                metric_sums[metric_index].output = system_outputs[system_index]
            table.systems.append(self._score_system(system, metric_sums, batches, table.reference_counts))
        table.metrics = describe_metrics(metrics, table.reference_counts)
        return table

    def _open_system(self, system: System, first_size: int) -> tuple[Sequence[Metric], Iterator[Batch]]:
        """Start to read a system, and prepare the metrics that need all references in advance.

        Args:
            system: the system.
            first_size: number of segments of the first batch.

        Returns:
            The prepared metrics, and the segments of the system in batches.

        Raises:
            InputError: if the system has no segments.
        """
        metrics = self.metrics
        segments: Iterable[Segment] = system.read()
        if not self.are_prepared and any(metric.needs_references for metric in metrics):
            segments = list(segments)
            references = [segment.references for segment in segments]
            metrics = [metric.prepare(references) if metric.needs_references else metric for metric in metrics]
        batches = read_batches(segments, system=system.name, first_size=first_size)
        first_batch = next(batches, None)
        if first_batch is None:
            raise InputError(_describe_empty_system(system))
        return metrics, itertools.chain([first_batch], batches)

    def _score_system(
        self, system: System, metric_sums: Sequence[_MetricSum], batches: Iterator[Batch], reference_counts: set[int]
    ) -> SystemScores:
        """Score the batches of one system, and return the scores of the system.

        Args:
            system: the system.
            metric_sums: for each metric an empty sum, to which the statistics of the batches are added.
            batches: the segments of the system.
            reference_counts: set to which the numbers of references per segment are added.
        """
        known_statistics: dict[int, Floats] = {}
        for index, metric_sum in enumerate(metric_sums):
            if metric_sum.output is not None:
                known_statistics[index] = metric_sum.output.statistics
        metrics = [metric_sum.metric for metric_sum in metric_sums]
        scorer = BatchScorer(metrics, self.finite, self.keep.alignments, known_statistics)
        result = SystemScores(system.name, 0, [], [])
        for batch, statistics in score_batches(scorer, batches, on_error=self.on_error, execute=self.execute):
            if self.on_error == "collect":
                self._collect_failures(batch, statistics)
            for metric_sum, rows in zip(metric_sums, statistics, strict=True):
                metric_sum.add(rows, batch)
            result.segment_count += len(batch)
            reference_counts.update(map(len, batch.references))
            if self.keep.segments:
                result.ids += batch.ids
            if self.keep.references:
                for references in batch.references:
                    result.reference_digest = hash((result.reference_digest, *references))
            self.progress(Stage(system.name, "segments"), result.segment_count, system.size)
        result.metrics = [metric_sum.finish() for metric_sum in metric_sums]
        if len(metric_sums) == 1:
            # If there is only one metric, the segments that the metric skips are not counted.
            result.segment_count = metric_sums[0].segment_count
        return result

    def _collect_failures(self, batch: Batch, statistics: BatchStatistics) -> None:
        """Add the segments of a batch that cannot be scored to ``failures``, and give them the score 0.

        Args:
            batch: the segments.
            statistics: the statistics of the batch under each metric. They are replaced in this list.
        """
        for metric_index, rows in enumerate(statistics):
            if not isinstance(rows, SummedStatistics):
                continue
            for index, error in rows.failures.items():
                if not isinstance(error, InputError):
                    raise error
                failure = _Failure(batch.ids[index], batch.system, error)
                self.failures.setdefault(batch.position + index, failure)
            statistics[metric_index] = rows.with_zeros()


@dataclass
class _MetricSum:
    """Sums one metric's statistics over the batches of a system, and computes the system's score.

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
    output: _OutputScores | None = None
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
        statistics: Floats | None = None
        if self.statistics:
            import numpy as np

            statistics = np.concatenate(self.statistics)
        if self.output is not None:
            values = [self.output.score]
        else:
            values = system_values(self.metric, self.total, statistics, self.segment_count)
        details = self._system_details() if self.keep.details else None
        segment_details = JoinedSequence(self.details) if self.details else ()
        return MetricScores(values, self.total, self.segment_values, statistics, details, segment_details)

    def _system_details(self) -> Mapping[str, Any] | None:
        """Return the details of the system, or ``None`` if the metric does not provide details."""
        if self.output is not None and self.output.details is not None:
            return self.output.details
        if not isinstance(self.metric, HasDetails):
            return None
        with plugin_errors(f"metric {self.metric.name!r}"):
            details = self.metric.details([self.total])
        return details[0] if details else None


def _describe_empty_system(system: System) -> str:
    """Return the error message for a system without segments."""
    return f"{system.name} is empty; there is nothing to score"


class _OutputScores(NamedTuple):
    """The scores that a metric for whole systems assigns to the output of one system.

    Attributes:
        score: score of the system.
        statistics: for each segment its score, and 1.
        details: details of the system for JSON.
        segment_details: details of the segments for JSON; empty if there are none.
    """

    score: float
    statistics: Floats
    details: Mapping[str, Any] | None
    segment_details: Sequence[Mapping[str, Any]]


def _score_outputs(metric: SystemsMetric, systems: Sequence[System], progress: Progress) -> list[_OutputScores]:
    """Score the output of each system under a metric that scores whole systems.

    Args:
        metric: the metric.
        systems: the systems.
        progress: called with the progress of the metric.

    Raises:
        InputError: if segments have different numbers of references, or systems have different references.
    """
    groups = [systems]
    if not metric.compares_systems:
        # The metric scores the systems independently. To save memory, only one system is read at a time.
        groups = [[system] for system in systems]
    outputs = []
    for group in groups:
        test_set = _read_outputs(metric, group)
        with plugin_errors(f"metric {metric.name!r}"):
            scores = metric.score_shown_systems(test_set, progress=progress)
        for index in range(len(group)):
            outputs.append(_select_output(scores, index))
    return outputs


def _select_output(scores: Scores, index: int) -> _OutputScores:
    """Return the scores of the system with this index."""
    import numpy as np

    segments = scores.segments[index]
    return _OutputScores(
        score=float(scores.systems[index]),
        statistics=np.stack([segments, np.ones(len(segments))], axis=1),
        details=scores.details[index] if scores.details else None,
        segment_details=scores.segment_details[index] if scores.segment_details else (),
    )


def _read_outputs(metric: SystemsMetric, systems: Sequence[System]) -> SystemOutputs:
    """Read the outputs of systems and their references into memory.

    Raises:
        InputError: if segments have different numbers of references, or systems have different references.
    """
    outputs: list[list[str]] = []
    first_references: list[tuple[str, ...]] = []
    for system in systems:
        segments = list(system.read())
        if not segments:
            raise InputError(_describe_empty_system(system))
        references = [segment.references for segment in segments]
        reference_counts = {len(texts) for texts in references}
        if len(reference_counts) > 1:
            raise InputError(f"metric {metric.label}: all segments need the same number of references")
        if not outputs:
            first_references = references
        elif references != first_references:
            raise InputError(_describe_different_references(metric.label, systems[0].name, system.name))
        outputs.append([segment.hypothesis for segment in segments])
    names = tuple(system.name for system in systems)
    # The texts are regrouped: from one tuple per segment to one list per reference translation.
    reference_columns = tuple(map(list, zip(*first_references, strict=True)))
    return SystemOutputs("", "", metric.language, names, tuple(outputs), reference_columns)


def _describe_different_references(label: str, first_system: str, system: str) -> str:
    """Return the error message for two systems that a metric cannot compare because their references differ."""
    return (
        f"metric {label}: {first_system} and {system} have different references; the metric compares systems on the "
        "same segments"
    )
