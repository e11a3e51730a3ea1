"""Metrics: scores of hypotheses against references.

A :class:`SegmentMetric` gives each segment a score. The score of a system is the mean of these scores::

    class WordOverlap(SegmentMetric):
        \"\"\"The proportion of the hypothesis's words that occur in a reference.\"\"\"

        name = "word-overlap"
        signature = "word-overlap|version:1"

        def score_segments(self, hypotheses, references, sources=None):
            return [
                max(len({*hypothesis.split()} & {*text.split()}) / max(1, len({*hypothesis.split()})) for text in texts)
                for hypothesis, texts in zip(hypotheses, references)
            ]

A :class:`Metric` maps segments to additive statistics, and sums of statistics to scores, like METEOR and sacreBLEU's
metrics. Confidence intervals and significance tests are computed from the statistics without scoring the texts again.
A metric has these methods:

* :meth:`~Metric.statistics` returns one row of statistics per segment of a batch;
* :meth:`~Metric.scores` returns the scores, and the parts of the scores, of sums of rows;
* :meth:`~Metric.segment_scores` returns the scores of segments from their rows;
* :meth:`~Metric.prepare` returns a copy for the references of a test set, if the metric ``needs_references``;
* :meth:`~Metric.signature_for` returns a signature that may contain the number of references.

A metric can also implement the protocols :class:`Explains`, :class:`HasDetails`, :class:`ScoresPairs` and
:class:`AggregatesReferences`. A :class:`SystemsMetric` scores all systems of a test set at once, and receives their
names.

A metric defines its options in a class, like every :class:`~meteor_e.api.component.Component`. The method
:meth:`Metric.parse` parses the options on the command line, which follow the colon in
``meteor-e score -M word-overlap:weight=2``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from meteor_e.api.batches import Batch
from meteor_e.api.component import Component
from meteor_e.api.formats import MetricColumn
from meteor_e.api.scores import CorpusScore, SegmentScore
from meteor_e.base.errors import (
    ConfigError,
    InputError,
    MeteorError,
    PluginError,
    SegmentWarning,
    plugin_errors,
    warn_user,
)
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_items

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from meteor_e.base.array_cache import ArrayCache, Cells, Floats


@dataclass(frozen=True)
class SystemOutputs:
    """The outputs of several systems for the same source segments, together with references.

    Attributes:
        name: name of the test set.
        pair: language pair, such as ``de-en``.
        language: code of the language of the outputs.
        systems: names of the systems.
        outputs: one list of segments per system, in the order of ``systems``.
        references: one list of segments per reference.
        source: source segments; ``None`` if they are unknown.
    """

    name: str
    pair: str
    language: str
    systems: tuple[str, ...]
    outputs: tuple[list[str], ...]
    references: tuple[list[str], ...]
    source: list[str] | None = None

    def __len__(self) -> int:
        return len(self.references[0])


@dataclass(frozen=True)
class Scores:
    """The scores of a metric for the outputs of several systems.

    Attributes:
        name: name of the metric in tables.
        signature: signature of the metric. Scores with different signatures cannot be compared.
        segments: scores of the segments, ``(systems, segments)``; NaN for unknown scores.
        systems: scores of the systems, ``(systems,)``; NaN for unknown scores.
        resample: function that returns the scores ``(samples,)`` of a system on resampled test sets. Its arguments are
            the index of the system and the weights of the segments, ``(samples, segments)``. If it is ``None``, the
            scores are weighted means of the segments' scores.
        resamplable: whether scores on resampled test sets can be computed. They cannot if the scores of the systems
            come from a file and are not the means of the segments' scores.
        details: details of each system for JSON.
        segment_details: details of each segment of each system for JSON.
    """

    name: str
    signature: str
    segments: Floats
    systems: Floats
    resample: Callable[[int, Floats], Floats] | None = None
    resamplable: bool = True
    details: Sequence[Mapping[str, Any]] = ()
    segment_details: Sequence[Sequence[Mapping[str, Any]]] = ()

    def resampled(self, system: int, weights: Floats) -> Floats:
        """Return one score of a system per resampled test set. A score is NaN if the metric cannot compute it.

        Args:
            system: index of the system.
            weights: weights of the segments, ``(samples, segments)``.
        """
        if not self.resamplable:
            import numpy as np

            return np.full(len(weights), np.nan)
        if self.resample is not None:
            return self.resample(system, weights)
        # By default, the score of a system is the mean of its segments' scores.
        means: Floats = weights @ self.segments[system] / weights.sum(axis=1)
        return means

    def negated(self) -> Scores:
        """Return the negated scores. For an error rate, higher values are then better."""
        resample = self.resample
        return replace(
            self,
            segments=-self.segments,
            systems=-self.systems,
            resample=None if resample is None else lambda system, weights: -resample(system, weights),
        )


class MetricContext(NamedTuple):
    """Settings that the method ``from_options`` of a metric can use.

    Attributes:
        language: ISO code of the text's language; empty if it is unknown.
        jobs: number of processes that the metric may start.
        threads: number of threads that the metric may use; ``None`` for the number of processors.
        offline: whether the metric must not download anything; ``None`` for the user's setting.
    """

    language: str = ""
    jobs: int = 1
    threads: int | None = None
    offline: bool | None = None


def named_options(text: str, location: str) -> dict[str, Any]:
    """Parse options of the form ``name=value,name=value``. The values are parsed as YAML.

    Args:
        text: the options.
        location: string with which error messages begin, such as ``metric 'bleu'``.

    Raises:
        ConfigError: if an option does not have this form, or if a name occurs twice.
    """
    from meteor_e.base.yamlfile import plain_value

    options: dict[str, Any] = {}
    for assignment in text.split(","):
        if not assignment:
            continue
        padded_name, separator, value = assignment.partition("=")
        name = padded_name.strip()
        if not separator or not name:
            raise ConfigError(f"{location}: option {assignment!r} is not of the form name=value")
        if name in options:
            raise ConfigError(f"{location}: option {name!r} is given twice")
        options[name] = plain_value(value.strip())
    return options


@runtime_checkable
class SummedStatistics(Protocol):
    """The statistics of a batch's segments, and the sum of these statistics as a list of integers.

    METEOR computes the score of a system from these sums, and does not have to import NumPy.

    The function ``numpy.asarray`` converts an object of this type to an array with one row per segment. METEOR's
    implementation of this protocol is the class :class:`meteor_e.scoring.rows.Rows`.

    Attributes:
        total: sum over all segments that can be scored, ``(width,)``.
        failures: the error of each segment that cannot be scored, by index of the segment.
    """

    @property
    def total(self) -> list[int]: ...  # noqa: D102

    @property
    def failures(self) -> Mapping[int, MeteorError]: ...  # noqa: D102

    def with_zeros(self) -> SummedStatistics:
        """Return a copy in which segments that could not be scored have the score 0."""

    def __len__(self) -> int: ...


@runtime_checkable
class Explains(Protocol):
    """A metric that explains the differences between two systems."""

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Explain why two systems have different scores, and return the explanation as a string.

        Args:
            first: segments of the first system.
            second: segments of the second system.
            references: references of each segment.
            names: names of the systems.
            sources: source of each segment, for metrics that read sources.

        Raises:
            ConfigError: if the metric cannot explain the difference.
        """


@runtime_checkable
class ExplainsSystem(Protocol):
    """A metric that explains the scores of a single system."""

    def explain_system(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        name: str = "the system",
        sources: Sequence[str] | None = None,
    ) -> str:
        """Explain why segments of a system have high or low scores, and return the explanation as a string.

        Args:
            hypotheses: segments of the system.
            references: references of each segment.
            name: name of the system.
            sources: source of each segment, for metrics that read sources.

        Raises:
            ConfigError: if the metric cannot explain its scores.
        """


@runtime_checkable
class HasDetails(Protocol):
    """A metric that returns additional information about segments and systems for JSON output and reports."""

    def details(self, statistics: Any, batch: Batch | None = None) -> Sequence[Mapping[str, Any]]:
        """Return details of each segment or system. JSON output contains these details in addition to the scores.

        The optional key ``explanation`` holds a text to be shown in reports.

        Args:
            statistics: the result of :meth:`Metric.statistics` for the batch; or sums, one row per system.
            batch: the batch; ``None`` for systems.
        """


@runtime_checkable
class ScoresPairs(Protocol):
    """A metric with a fast way to score every hypothesis against every reference."""

    def pairwise_batches(
        self, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[Floats]:
        """Score every candidate against every reference of the same source, as :func:`score_pairs` does."""


@runtime_checkable
class AggregatesReferences(Protocol):
    """A metric that can approximate the expected score of a hypothesis against many weighted references."""

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Any:
        """Approximate the expected score of each hypothesis against the references.

        Args:
            hypotheses: raw segments.
            references: distinct raw segments.
            weights: weights of the references, with a sum of 1.

        Returns:
            An instance of :class:`meteor_e.engine.aggregation.Aggregated`.
        """


class Metric(Component):
    """Base class of all metrics. A metric maps segments to additive statistics, and sums of statistics to scores.

    A subclass defines :attr:`signature`, :meth:`statistics` and :meth:`scores`. Metrics with the same signature must
    return the same scores. Instances must be picklable, because they are sent to other processes.

    Class attributes
    ----------------
    name
        Name for ``-M`` and :func:`meteor_e.load_metric`; lower case, unique among all installed plugins.
    title : str
        Name in tables; by default the name.
    higher_is_better : bool
        ``False`` for an error rate.
    decimals : int
        Number of decimals in tables.
    parts : tuple[str, ...]
        Names of additional values that :meth:`scores` returns after the score, such as precision.
    columns : tuple[MetricColumn, ...]
        Columns of the metric in tables; by default one column with the label.
    needs_references : bool
        Whether :meth:`prepare` must receive the references of all segments before the first segment is scored.

    Attributes:
        label: name of this instance in tables; by default the title.
        signature: version and options. Scores with different signatures cannot be compared.
        language: ISO code of the only language that the metric supports; empty for any language.
        additive: whether the scores of a system depend only on the sum of the segments' statistics. Otherwise, the
            metric overrides :meth:`system_scores`.
        on_error: policy for segments that cannot be scored: ``stop``, ``skip`` or ``zero``.
        parallel: ``batches`` if several threads can score different batches at the same time, which is useful if
            scoring releases the global interpreter lock; ``inside`` if one batch is scored at a time.
        threads: number of threads of a parallel metric; ``None`` for a metric that is not parallel.
    """

    kind: ClassVar[str] = "metric"
    title: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    decimals: ClassVar[int] = 4
    parts: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[MetricColumn, ...]] = ()
    needs_references: ClassVar[bool] = False
    signature: str
    language: str = ""
    additive: bool = True
    parallel: str = "inside"
    threads: int | None = None
    on_error: str = "stop"

    @property
    def headings(self) -> tuple[MetricColumn, ...]:
        """The columns that show the metric's scores in a table."""
        return self.columns or (MetricColumn(self.label, self.higher_is_better, self.decimals, self.parts),)

    @cached_property
    def label(self) -> str:
        """The name of the metric in tables. The default is the title, and another name can be assigned."""
        return self.title or self.name

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse the command-line options of a metric. The default form is ``name=value,name=value``.

        Raises:
            ConfigError: if the string does not have this form.
        """
        return named_options(text, f"metric {cls.name!r}")

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the label of a metric with the given options, without creating the metric."""
        return cls.title or cls.name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the code of the language if a metric with these options supports only one language.

        The code is empty if the metric supports all languages.
        """
        return cls.language

    def prepare(self, references: Sequence[Sequence[str]]) -> Metric:
        """Return a copy of the metric that is prepared for the references of a test set.

        This method is called only if :attr:`needs_references` is true. The default method returns the metric itself.

        Args:
            references: references of each segment of the test set.
        """
        return self

    def signature_for(self, reference_counts: Collection[int]) -> str:
        """Return the metric's signature, which can contain the number of references.

        By default, the signature does not contain the number of references.

        Args:
            reference_counts: the distinct numbers of references per segment.
        """
        return self.signature

    @abstractmethod
    def statistics(self, batch: Batch) -> ArrayLike | SummedStatistics:
        """Compute the additive statistics of a batch. The result has the shape ``(segments, width)``.

        Args:
            batch: the segments.
        """

    @abstractmethod
    def scores(self, sums: Floats) -> ArrayLike:
        """Convert sums of statistics to scores. The sum over a system's segments gives the system's score.

        Args:
            sums: sums of statistics, ``(systems, width)``. Sums of :class:`SummedStatistics` are lists.

        Returns:
            Scores, ``(systems,)``. A metric with :attr:`parts` or :attr:`columns` returns ``(systems, values)``: for
            each column the score, then its parts.
        """

    def system_scores(self, statistics: Floats, weights: Floats | None = None) -> ArrayLike:
        """Compute a system's score from the statistics of its segments if the metric is not additive.

        Args:
            statistics: statistics of the segments, ``(segments, width)``.
            weights: number of times that each sample contains each segment, ``(samples, segments)``; by default one
                sample that contains each segment once.

        Returns:
            One row per sample, with the values that :meth:`scores` would return.
        """
        return self.scores(statistics.sum(axis=0)[None] if weights is None else weights @ statistics)

    def segment_scores(self, statistics: Any) -> ArrayLike:
        """Convert the statistics of segments to segment scores.

        By default, a segment has the same score as a system that consists of this segment only.
        """
        return self.scores(statistics)

    def about(self) -> Mapping[str, Any]:
        """Return entries that describe the metric in JSON output, in addition to its signature."""
        return {}

    def corpus(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        sources: Iterable[str] | None = None,
        *,
        segments: bool = False,
        progress: Progress = silent,
    ) -> CorpusScore:
        """Score a system.

        Args:
            hypotheses: raw hypotheses.
            references: the reference of each hypothesis, or a sequence of references.
            sources: raw source segments, for metrics that read sources.
            segments: whether the result contains the scores of the segments.
            progress: called with the number of segments when they have been scored.

        Returns:
            The score of the system.

        Raises:
            InputError: if there are no segments, the numbers of segments differ, or an item is not a text.
        """
        batch = _make_batch(hypotheses, references, sources)
        metric = self.prepare(batch.references) if self.needs_references else self
        signature = metric.signature_for({len(texts) for texts in batch.references})
        statistics = compute_statistics(metric, batch)
        segment_scores = _make_segment_scores(metric, statistics, signature) if segments else ()
        progress(self.label, len(batch), len(batch))
        statistics_sum = add_statistics(None, statistics)  # No segments precede the batch.
        system_score, *_ = system_values(metric, statistics_sum, statistics, len(batch))
        return CorpusScore(system_score, signature, len(batch), segment_scores)

    def score(self, hypothesis: str, references: str | Sequence[str], source: str | None = None) -> SegmentScore:
        """Score a single segment. Arguments and errors are like those of :meth:`corpus`."""
        sources = None if source is None else [source]
        return self.corpus([hypothesis], [references], sources, segments=True).segments[0]


def _make_segment_scores(metric: Metric, statistics: Any, signature: str) -> tuple[SegmentScore, ...]:
    """Return the score of each segment."""
    with plugin_errors(f"metric {metric.name!r}"):
        scores = main_scores(metric.segment_scores(statistics)).tolist()
    return tuple(SegmentScore(score, signature) for score in scores)


def main_scores(values: Any, index: int = 0) -> Floats:
    """Select one column of a metric's results. By default, the column of scores is selected.

    Args:
        values: the result of :meth:`Metric.scores` or :meth:`Metric.segment_scores`.
        index: index of the column. The first column contains the scores.
    """
    import numpy as np

    scores: Floats = np.asarray(values, float)
    return scores if scores.ndim == 1 else scores[:, index]


def compute_statistics(metric: Metric, batch: Batch) -> Floats | SummedStatistics:
    """Compute the statistics of a batch. The policy ``on_error`` applies to segments that cannot be scored.

    Args:
        metric: the metric.
        batch: the segments.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: if statistics are not finite, or a segment cannot be scored and ``on_error`` is ``stop``.
    """
    statistics = compute_raw_statistics(metric, batch)
    if isinstance(statistics, SummedStatistics):
        return resolve_failures(statistics, batch, metric.on_error)
    return statistics


def compute_raw_statistics(metric: Metric, batch: Batch, *, finite: bool = True) -> Floats | SummedStatistics:
    """Compute the statistics of a batch, and check that there is one row of finite numbers per segment.

    If METEOR cannot score a segment, no error is raised. Instead, the error is stored in the ``failures`` of the
    statistics.

    Args:
        metric: the metric.
        batch: the segments.
        finite: whether infinite statistics and NaN are an error.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: if statistics are not finite.
    """
    with plugin_errors(f"metric {metric.name!r}"):
        statistics = metric.statistics(batch)
    if isinstance(statistics, SummedStatistics):
        return statistics
    statistics_array = _make_statistics_array(metric, batch, statistics)
    if finite:
        _check_finite(metric, batch, statistics_array)
    return statistics_array


def _make_statistics_array(metric: Metric, batch: Batch, statistics: ArrayLike) -> Floats:
    """Convert statistics to an array, and check that it has one row per segment of a batch.

    Args:
        metric: the metric.
        batch: the segments.
        statistics: the result of :meth:`Metric.statistics`.

    Raises:
        PluginError: if the statistics are not an array, or if there is not one row per segment.
    """
    import numpy as np

    with plugin_errors(f"metric {metric.name!r}"):
        rows: Floats = np.asarray(statistics, float)
    if rows.ndim != 2 or len(rows) != len(batch):
        raise PluginError(
            f"metric {metric.name!r} returned statistics of shape {rows.shape} for {len(batch)} segments; "
            "one row per segment is needed"
        )
    return rows


def _check_finite(metric: Metric, batch: Batch, rows: Floats) -> None:
    """Raise InputError for the first segment of a batch whose statistics are infinite or NaN."""
    import numpy as np

    is_finite_row = np.isfinite(rows).all(axis=1)  # (segments,)
    if not is_finite_row.all():
        index = int(np.argmin(is_finite_row))
        raise InputError(f"{metric.label} gives no finite number for segment {batch.ids[index]}: {rows[index]}")


_CONSEQUENCES = {"skip": "it is left out", "zero": "it scores 0"}
"""The consequence for a segment that cannot be scored, by policy, for warnings."""


def resolve_failures(rows: SummedStatistics, batch: Batch, on_error: str) -> SummedStatistics:
    """Apply the policy ``on_error`` to segments that cannot be scored.

    Args:
        rows: statistics with failures.
        batch: the segments.
        on_error: the policy: ``stop``, ``skip`` or ``zero``.

    Returns:
        The statistics. Their sum contains the failures if the policy is ``zero``.

    Raises:
        MeteorError: if the policy is ``stop``, or the cause of a failure is not the text of the segment.
    """
    for index, error in sorted(rows.failures.items()):
        if not isinstance(error, InputError):
            raise error
        problem = f"segment {batch.ids[index]}: {error}"
        if on_error == "stop":
            advice = "on_error='skip' or 'zero' goes on (meteor-e score: --on-error skip|zero)"
            raise InputError(f"{problem}; {advice}") from error
        warn_user(f"{problem}; {_CONSEQUENCES[on_error]}", SegmentWarning)
    return rows.with_zeros() if on_error == "zero" else rows


def metric_values(metric: Metric, scores: Any) -> list[list[float]]:
    """Convert the scores of a metric to lists, and check the number of values per segment or system.

    Args:
        metric: the metric.
        scores: the result of :meth:`~Metric.segment_scores` or :meth:`~Metric.scores`.

    Returns:
        A list for each segment or system, which contains for each column of the metric the score and its parts.

    Raises:
        PluginError: if the metric does not return as many values as its columns have.
    """
    # METEOR returns lists. Lists are not converted, so that METEOR does not need to import NumPy.
    rows: list[list[float]] = scores if isinstance(scores, list) else _to_rows(scores)
    value_count = sum(1 + len(column.parts) for column in metric.headings)
    if rows and len(rows[0]) != value_count:
        raise PluginError(f"metric {metric.name!r} returned {len(rows[0])} values; its columns have {value_count}")
    return rows


def _to_rows(scores: Any) -> list[list[float]]:
    """Convert an array of scores to lists. If the array has one dimension, each score becomes a row."""
    import numpy as np

    score_array = np.asarray(scores, float)
    if score_array.ndim == 1:
        score_array = score_array[:, None]
    return list(score_array.tolist())


def system_values(metric: Metric, total: Any, statistics: Any, segment_count: int) -> list[float]:
    """Compute a system's values in all columns of a metric.

    Args:
        metric: the metric.
        total: sum of the segments' statistics, a list or an array ``(width,)``.
        statistics: statistics of the segments; only used if the metric is not additive.
        segment_count: number of segments.

    Raises:
        PluginError: if the metric fails, or returns a wrong number of values.
        InputError: if a value is infinite.
    """
    with plugin_errors(f"metric {metric.name!r}"):
        scores = _score_total(metric, total) if metric.additive else _score_statistics(metric, statistics)
        values = metric_values(metric, scores)[0]
    if any(map(math.isinf, values)):
        raise InputError(
            f"{metric.label}: the system's score is infinite, because a sum over {segment_count} segments overflows; "
            "look for extreme scores of single segments"
        )
    return values


def _score_total(metric: Metric, total: Any) -> ArrayLike:
    """Compute a system's scores from the sum of its segments' statistics. The sum can be a list or an array."""
    return metric.scores([total] if isinstance(total, list) else total[None])  # type: ignore[arg-type]


def _score_statistics(metric: Metric, statistics: Any) -> ArrayLike:
    """Compute the scores of a system from the statistics of all segments, because the metric is not additive."""
    import numpy as np

    return metric.system_scores(np.asarray(statistics, float))


def add_statistics(total: Any, statistics: Floats | SummedStatistics) -> Any:
    """Add the statistics of further segments to a sum, and return the new sum.

    Args:
        total: the sum of the preceding segments, a list or an array; ``None`` for the first segments.
        statistics: statistics of the next segments.
    """
    if isinstance(statistics, SummedStatistics):
        return statistics.total if total is None else add_integers(total, statistics.total)
    return _add_rows(total, statistics)


def add_integers(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Add two sums of integer statistics."""
    return [first_value + second_value for first_value, second_value in zip(first, second, strict=True)]


def _add_rows(total: Floats | None, statistics: Floats) -> Floats:
    """Add floating-point statistics segment by segment, so that the result does not depend on the batch size."""
    import numpy as np

    rows = statistics if total is None else np.vstack([total, statistics])
    with np.errstate(over="ignore"):  # The function system_values() raises an error if a sum overflows.
        return np.asarray(np.add.accumulate(rows, axis=0)[-1])


class MeanMetric(Metric):
    """Base class of metrics that score a system by the mean score of its segments.

    Each segment has two statistics: its score and the number 1. The sum of the scores is the total score, and the sum
    of the ones is the number of segments.
    """

    def scores(self, sums: Floats) -> Floats:
        """Divide each sum of segment scores by the number of segments.

        Args:
            sums: the sum of the scores and the number of segments, ``(systems, 2)``.
        """
        means: Floats = sums[:, 0] / sums[:, 1]
        return means


class SegmentMetric(MeanMetric):
    """A metric that scores each segment separately. The score of a system is the mean of its segments' scores."""

    @abstractmethod
    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ArrayLike:
        """Return one number per segment.

        Args:
            hypotheses: raw hypotheses.
            references: raw references of each hypothesis, at least one.
            sources: raw source segments; ``None`` if they are unknown.
        """

    def statistics(self, batch: Batch) -> Floats:
        """Return an array with two columns. The first column contains the scores, and the second contains ones."""
        import numpy as np

        scores = _to_float_array(self.score_segments(batch.hypotheses, batch.references, batch.sources), self.label)
        if scores.shape != (len(batch),):
            raise InputError(
                f"{self.label} returned {len(scores) if scores.ndim == 1 else scores.shape} scores "
                f"for {len(batch)} segments"
            )
        return np.stack([scores, np.ones(len(scores))], axis=1)


class SystemsMetric(MeanMetric):
    """A metric that scores all systems of a test set at once, such as a metric that reads scores from a file.

    Class attributes
    ----------------
    scores_segments : bool
        Whether :meth:`statistics` can score the segments of any text. If so, ``meteor-e score`` uses this method
        instead of :meth:`score_systems`.
    compares_systems : bool
        Whether the score of a system depends on the other systems.
    """

    scores_segments: bool = False
    compares_systems: bool = False

    @abstractmethod
    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Score the systems of a test set.

        Args:
            test: outputs and references.
            cells: the cells whose scores are needed, ``(systems, segments)``.
            cache: cache in which statistics may be stored.
            systems: whether scores of whole systems are needed, too.
            progress: called with the number of cells that have been scored.
        """

    def score_shown_systems(self, test: SystemOutputs, *, progress: Progress = silent) -> Scores:
        """Return the scores that ``meteor-e score`` displays. By default, :meth:`score_systems` computes these scores.

        A metric that compares systems can return scores that are only meaningful within the given set of systems.
        """
        import numpy as np

        from meteor_e.base.array_cache import ArrayCache

        cells = np.ones((len(test.systems), len(test)), bool)
        return self.score_systems(test, cells, ArrayCache(enabled=False), systems=True, progress=progress)


def _to_float_array(scores: ArrayLike, label: str) -> Floats:
    """Return scores as an array.

    Raises:
        InputError: if a score is not a number.
    """
    import numpy as np

    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{label} returned scores that are not all numbers; their NumPy type is {values.dtype.name}")
    return values.astype(float)


def _make_batch(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], sources: Iterable[str] | None
) -> Batch:
    """Check texts, and return them as a single batch.

    Raises:
        InputError: if there are no segments, the numbers of segments differ, or an item is not a text.
    """
    optional_texts = {} if sources is None else {"sources": sources}
    texts = check_items(hypotheses=hypotheses, references=references, **optional_texts)
    if not texts["hypotheses"]:
        raise InputError("there are no segments to score")
    reference_lists = [[item] if isinstance(item, str) else item for item in texts["references"]]
    return Batch(texts["hypotheses"], reference_lists, texts.get("sources"))
