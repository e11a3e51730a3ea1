"""Evaluation: systems and metrics in, a :class:`~meteor_e.api.score_table.ScoreTable` out."""

from __future__ import annotations

import itertools
import warnings
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from meteor_e.api.batches import FIRST_BATCH, LARGE_FIRST_BATCH, Batch, Executor, map_in_order, read_batches
from meteor_e.api.metrics import (
    Explains,
    HasDetails,
    Metric,
    Scores,
    SummedStatistics,
    SystemOutputs,
    SystemsMetric,
    add_statistics,
    metric_values,
    system_values,
    total_values,
)
from meteor_e.api.score_table import JoinedSequence, MetricInfo, MetricScores, ScoreTable, SystemScores
from meteor_e.api.scoring import BatchScorer, score_batches
from meteor_e.api.segments import SegmentId, System
from meteor_e.base.errors import ConfigError, InputError, SegmentWarning, plugin_errors
from meteor_e.base.progress import Progress, Stage, silent

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class KeptData:
    """What a table keeps of segments. Without any of it, memory does not grow with the number of segments.

    Attributes:
        segments: ids and scores.
        statistics: what significance tests and sums of tables need.
        details: what JSON holds in addition to the scores.
        alignments: METEOR's alignments, as a part of the details.
        references: a digest of the references, which tells whether systems are of the same segments.
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

    Each system is read once. With ``on_error="skip"``, systems are read into memory, and scored again without the
    segments that cannot be scored in one of them.

    Args:
        metrics: what scores; labels differ.
        systems: what is scored; the first is the baseline of tests.
        keep: what the table keeps of segments; by default nothing.
        on_error: what to do with segments that cannot be scored: ``stop``, ``zero``, or ``skip``, which leaves them out
            of all systems; by default as each metric's ``on_error`` says.
        finite: whether statistics that are not finite are an error.
        are_prepared: whether the metrics are prepared already, for more references than those of these systems.
        execute: maps a function over batches: with threads of this process, or on a cluster.
        progress: told about the work on each system.

    Raises:
        ConfigError: for metrics of different languages, or two columns of one name.
        InputError: if there is nothing to score, or for a segment without a score.
    """
    keep = keep or KeptData()
    if not systems:
        raise InputError("there are no systems to score")
    check_languages(metrics)
    if on_error != "skip":
        return _score_systems(metrics, systems, keep, on_error, finite, are_prepared, execute, progress, {})[0]
    systems = [System.from_segments(system.name, list(system.read()), system.context) for system in systems]
    table, failures = _score_systems(
        metrics, systems, keep, "collect", finite, are_prepared, execute, progress, failures={}
    )
    if not failures:
        return table
    _warn_of_failures(failures, several=len(systems) > 1)
    remaining = [_leave_out(system, failures) for system in systems]
    table, _ = _score_systems(metrics, remaining, keep, "stop", finite, are_prepared, execute, progress, failures={})
    table.left_out = {position: failure.id for position, failure in sorted(failures.items())}
    return table


def check_languages(metrics: Sequence[Metric]) -> None:
    """Raise a ConfigError for metrics of different languages."""
    first = next((metric for metric in metrics if metric.language), None)
    for metric in metrics:
        if first is not None and metric.language not in ("", first.language):
            raise ConfigError(
                f"metric {metric.label} is for {metric.language!r}, and {first.label} for {first.language!r}"
            )


@dataclass(frozen=True)
class _Failure:
    """A segment that cannot be scored.

    Attributes:
        id: of the segment.
        system: name of the first system in which it failed.
        error: the reason.
    """

    id: SegmentId
    system: str
    error: InputError


def _warn_of_failures(failures: dict[int, _Failure], *, several: bool) -> None:
    consequence = "it is left out" + (" of all systems" if several else "")
    for _, failure in sorted(failures.items()):
        message = f"segment {failure.id} of {failure.system}: {failure.error}; {consequence}"
        warnings.warn(message, SegmentWarning, stacklevel=3)


def _leave_out(system: System, failures: dict[int, _Failure]) -> System:
    """Return a system without the segments that cannot be scored.

    Raises:
        InputError: if no segment remains.
    """
    remaining = [segment for position, segment in enumerate(system.read()) if position not in failures]
    if not remaining:
        raise InputError(f"{system.name}: no segment can be aligned; there is nothing to score")
    return System.from_segments(system.name, remaining, system.context)


def _score_systems(
    metrics: Sequence[Metric],
    systems: Sequence[System],
    keep: KeptData,
    on_error: str | None,
    finite: bool,
    are_prepared: bool,
    execute: Executor[Any],
    progress: Progress,
    failures: dict[int, _Failure],
) -> tuple[ScoreTable, dict[int, _Failure]]:
    """Return the table, and, if failures are collected, the segments that cannot be scored by their position."""
    table = ScoreTable([], [])
    prepared: Sequence[Metric] = metrics
    looked_up = _LookedUpScores(systems, progress)
    for index, system in enumerate(systems):
        # Somebody waits for the first scores of the first system only.
        first_size = LARGE_FIRST_BATCH if index else FIRST_BATCH
        prepared, batches = _open_system(metrics, system, first_size, are_prepared)
        outputs = {
            number: looked_up.find(metric, index)
            for number, metric in enumerate(prepared)
            if isinstance(metric, SystemsMetric) and not metric.scores_segments
        }
        known = {number: output.statistics for number, output in outputs.items()}
        scorer = BatchScorer(prepared, finite, keep.alignments, known)
        folds = [_MetricFold(metric, keep, outputs.get(number)) for number, metric in enumerate(prepared)]
        ids: list[Sequence[SegmentId]] = []
        segment_count = digest = 0
        for batch, statistics in score_batches(scorer, batches, on_error=on_error, execute=execute):
            for fold, rows in zip(folds, statistics, strict=True):
                if on_error == "collect" and isinstance(rows, SummedStatistics) and rows.failures:
                    _collect_failures(failures, batch, rows)
                    rows = rows.with_zeros()
                fold.add(rows, batch)
            if keep.segments:
                ids.append(batch.ids)
            if keep.references:
                for texts in batch.references:
                    digest = hash((digest, *texts))
            table.reference_counts.update(map(len, batch.references))
            segment_count += len(batch)
            progress(Stage(system.name, "segments"), segment_count, system.size)
        scores = [fold.finish() for fold in folds]
        counted = folds[0].segment_count if len(folds) == 1 else segment_count
        table.systems.append(SystemScores(system.name, counted, scores, JoinedSequence(ids), digest))
    table.metrics = [_describe(metric, table.reference_counts) for metric in prepared]
    names = [column.name for column in table.columns]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two metrics have a column {repeated!r}; leave one out, or tell them apart by LABEL=METRIC")
    return table, failures


def _describe(metric: Metric, reference_counts: set[int]) -> MetricInfo:
    return MetricInfo(metric.label, metric.headings, metric.signature_for(reference_counts), metric.about())


def _collect_failures(failures: dict[int, _Failure], batch: Batch, rows: SummedStatistics) -> None:
    for index, error in rows.failures.items():
        if not isinstance(error, InputError):
            raise error
        failures.setdefault(batch.position + index, _Failure(batch.ids[index], batch.system, error))


@dataclass
class _MetricFold:
    """Adds up what one metric computes for the batches of one system.

    Attributes:
        metric: the metric; prepared if it needs references.
        keep: what to keep of segments.
        output: scores of the whole output, of a metric that scores systems at once.
        segment_count: number of segments in the sum.
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
        metric, keep = self.metric, self.keep
        self.total = add_statistics(self.total, statistics)
        self.segment_count += statistics.count if isinstance(statistics, SummedStatistics) else len(statistics)
        if keep.statistics or not metric.additive:
            import numpy as np

            self.statistics.append(np.asarray(statistics, float))
        if not keep.segments:
            return
        with plugin_errors(f"metric {metric.name!r}"):
            for values in metric_values(metric, metric.segment_scores(statistics)):
                self.segment_values.extend(values)
            if keep.details and self.output is not None and self.output.segment_details:
                self.details.append(self.output.segment_details[batch.position : batch.position + len(batch)])
            elif (keep.details or keep.alignments) and isinstance(metric, HasDetails):
                self.details.append(metric.details(statistics, batch) or [{}] * len(batch))

    def finish(self) -> MetricScores:
        """Return the scores.

        Raises:
            InputError: if there are no segments.
        """
        metric, total = self.metric, self.total
        if total is None or not self.segment_count:
            raise InputError("there are no segments to score")
        statistics: Floats | None = None
        if self.statistics:
            import numpy as np

            statistics = np.concatenate(self.statistics)
        details = None
        if self.output is not None:
            values, details = [self.output.score], self.output.details if self.keep.details else None
        elif metric.additive:
            values = total_values(metric, total, self.segment_count)
        else:
            values = system_values(metric, statistics)
        if details is None and self.keep.details and isinstance(metric, HasDetails):
            with plugin_errors(f"metric {metric.name!r}"):
                system_details = metric.details([total])
            details = system_details[0] if system_details else None
        return MetricScores(values, total, self.segment_values, statistics, details, JoinedSequence(self.details))


def _open_system(
    metrics: Sequence[Metric], system: System, first_size: int, are_prepared: bool
) -> tuple[list[Metric], Iterator[Batch]]:
    """Return the metrics, prepared for a system, and the system's batches.

    Raises:
        InputError: if the system has no segments.
    """
    reads_ahead = not are_prepared and any(metric.needs_references for metric in metrics)
    segments = list(system.read()) if reads_ahead else []
    batches = read_batches(iter(segments) if reads_ahead else system.read(), system=system.name, first_size=first_size)
    first = next(batches, None)
    if first is None:
        raise InputError(f"{system.name} is empty; there is nothing to score")
    references = [segment.references for segment in segments]
    prepared = [metric.prepare(references) if metric.needs_references and reads_ahead else metric for metric in metrics]
    return prepared, itertools.chain([first], batches)


@dataclass(frozen=True)
class _OutputScores:
    """Scores of one system's whole output.

    Attributes:
        score: of the system.
        statistics: score and 1 of each segment.
        details: what JSON says of the system.
        segment_details: what JSON says of the segments; empty for nothing.
    """

    score: float
    statistics: Floats
    details: Mapping[str, Any] | None
    segment_details: Sequence[Mapping[str, Any]]


class _LookedUpScores:
    """Scores of metrics that score whole outputs of systems.

    All systems are read at once if a metric compares them; otherwise each is read by itself.

    Args:
        systems: all systems.
        progress: told about the work.
    """

    def __init__(self, systems: Sequence[System], progress: Progress) -> None:
        self._systems, self._progress = systems, progress
        self._compared: dict[str, Scores] = {}

    def find(self, metric: SystemsMetric, index: int) -> _OutputScores:
        """Return the scores of a system.

        Raises:
            InputError: if segments differ in their number of references, or systems in their references.
        """
        import numpy as np

        if metric.compares_systems:
            scores = self._compared.get(metric.label)
            if scores is None:
                scores = self._compared[metric.label] = self._score(metric, self._systems)
            position = index
        else:
            scores, position = self._score(metric, [self._systems[index]]), 0
        segments = scores.segments[position]
        return _OutputScores(
            float(scores.systems[position]),
            np.stack([segments, np.ones(len(segments))], axis=1),
            scores.details[position] if scores.details else None,
            scores.segment_details[position] if scores.segment_details else (),
        )

    def _score(self, metric: SystemsMetric, systems: Sequence[System]) -> Scores:
        outputs = _read_outputs(metric, systems)
        with plugin_errors(f"metric {metric.name!r}"):
            return metric.score_shown_systems(outputs, progress=self._progress)


def _read_outputs(metric: SystemsMetric, systems: Sequence[System]) -> SystemOutputs:
    """Read systems whole.

    Raises:
        InputError: if segments differ in their number of references, or systems in their references.
    """
    outputs: list[list[str]] = []
    references: list[tuple[str, ...]] | None = None
    for system in systems:
        segments = list(system.read())
        texts = [segment.references for segment in segments]
        if len(set(map(len, texts))) > 1:
            raise InputError(f"metric {metric.label}: all segments need the same number of references")
        if references is not None and texts != references:
            raise InputError(f"metric {metric.label}: {systems[0].name} and {system.name} have other references")
        references = texts
        outputs.append([segment.hypothesis for segment in segments])
    columns = tuple(list(column) for column in zip(*(references or ()), strict=True))
    names = tuple(system.name for system in systems)
    return SystemOutputs("", "", metric.language, names, tuple(outputs), columns)


def add_tables(metrics: Sequence[Metric], first: ScoreTable, second: ScoreTable) -> ScoreTable:
    """Return the table of two consecutive parts of the same systems.

    The digits are those of the whole: whole numbers are added exactly; of other metrics, the statistics of segments
    have to be kept, and are added one after the other.

    Args:
        metrics: what scored both.
        first: the first part.
        second: the second part.

    Raises:
        ConfigError: for other systems or metrics, or if statistics were not kept where they are needed.
    """
    same_metrics = [info.label for info in first.metrics] == [info.label for info in second.metrics]
    same_systems = [system.system for system in first.systems] == [system.system for system in second.systems]
    if not same_metrics or not same_systems or len(metrics) != len(first.metrics):
        raise ConfigError("only parts of the same systems under the same metrics can be added")
    systems = []
    for left, right in zip(first.systems, second.systems, strict=True):
        count, ids = left.segment_count + right.segment_count, JoinedSequence([left.ids, right.ids])
        scores = [_add_scores(*parts, count) for parts in zip(metrics, left.metrics, right.metrics, strict=True)]
        systems.append(SystemScores(left.system, count, scores, ids))
    reference_counts = first.reference_counts | second.reference_counts
    infos = [_describe(metric, reference_counts) for metric in metrics]
    return ScoreTable(infos, systems, reference_counts)


def _add_scores(metric: Metric, left: MetricScores, right: MetricScores, segment_count: int) -> MetricScores:
    """Return a metric's scores of two consecutive parts."""
    statistics = None
    if left.statistics is not None and right.statistics is not None:
        import numpy as np

        statistics = np.concatenate([left.statistics, right.statistics])
    if isinstance(left.total, list) and isinstance(right.total, list):
        total: Any = [a + b for a, b in zip(left.total, right.total, strict=True)]
    elif right.statistics is not None:
        total = add_statistics(left.total, right.statistics)
    else:
        raise ConfigError(f"metric {metric.label}: parts can be added if the statistics of their segments were kept")
    details = JoinedSequence([left.segment_details, right.segment_details])
    values = left.segment_values + right.segment_values
    whole = total_values(metric, total, segment_count) if metric.additive else system_values(metric, statistics)
    return MetricScores(whole, total, values, statistics, None, details)


def explain_systems(metrics: Sequence[Metric], systems: Sequence[System]) -> list[tuple[str, str, str, str]]:
    """Return why systems differ from the first one: metric, first system, other system, text.

    Args:
        metrics: what scores; those that explain their scores are asked.
        systems: the systems, which are read once more.

    Raises:
        ConfigError: if no metric explains its scores, or there are less than two systems.
    """
    explaining = check_explanations(metrics, systems)
    texts = [(system.name, list(system.read())) for system in systems]
    (baseline, segments), *others = texts
    first = [segment.hypothesis for segment in segments]
    references = [segment.references for segment in segments]
    known_sources = [segment.source for segment in segments if segment.source is not None]
    sources = known_sources if len(known_sources) == len(segments) else None
    return [
        (
            metric.label,
            baseline,
            name,
            metric.explain(first, [s.hypothesis for s in other], references, (baseline, name), sources),
        )
        for metric, (name, other) in itertools.product(explaining, others)
    ]


def check_explanations(metrics: Sequence[Metric], systems: Sequence[System]) -> list[Any]:
    """Return the metrics that explain their scores.

    Raises:
        ConfigError: if there is none, or there are less than two systems.
    """
    explaining = [metric for metric in metrics if isinstance(metric, Explains)]
    if len(systems) < 2:
        raise ConfigError("--explain compares systems with the first one; give two or more")
    if not explaining:
        raise ConfigError("--explain: none of these metrics explains its scores; models do, such as -M en-light")
    return explaining
