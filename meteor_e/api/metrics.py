"""Metrics: numbers that say how good hypotheses are, given references, under a name and a signature.

There are two kinds. A :class:`SegmentMetric` gives each segment a score, and a system's score is their mean::

    class WordOverlap(SegmentMetric):
        \"\"\"Share of the hypothesis's words that a reference has, too.\"\"\"

        name = "word-overlap"
        signature = "word-overlap|version:1"

        def score_segments(self, hypotheses, references, sources=None):
            return [
                max(len({*hypothesis.split()} & {*text.split()}) / max(1, len({*hypothesis.split()})) for text in texts)
                for hypothesis, texts in zip(hypotheses, references)
            ]

A :class:`Metric` maps segments to additive statistics, and sums of statistics to scores, as METEOR and sacreBLEU's
metrics do. Confidence intervals and significance tests then start from the statistics and never read the texts again:

* :meth:`~Metric.statistics` returns one row of statistics per segment of a batch;
* :meth:`~Metric.scores` returns scores, and their parts, of sums of rows;
* :meth:`~Metric.segment_scores` returns scores of segments from their rows;
* :meth:`~Metric.prepare` returns a copy that knows the references of a test set, if the metric ``needs_references``;
* :meth:`~Metric.signature_for` names the number of references, if that belongs to the signature.

A metric can also implement :class:`Explains`, :class:`HasDetails`, :class:`ScoresPairs` and
:class:`AggregatesReferences`. A :class:`SystemsMetric` is the second form: it scores all systems of a test set at
once, and knows their names.

Options are a class of their own, as for every :class:`~meteor_e.api.component.Component`. In
``meteor-e score -M word-overlap:weight=2`` and :func:`meteor_e.load_metric`, :meth:`Metric.parse` reads what follows
the colon.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

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
from meteor_e.base.texts import check_items, read_sources

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from meteor_e.base.array_cache import ArrayCache, Cells, Floats


@dataclass(frozen=True)
class SystemOutputs:
    """Outputs of several systems for the same segments, with references.

    Attributes:
        name: of the test set.
        pair: ``source-target``.
        language: of the outputs.
        systems: names.
        outputs: one list of segments per system, in the order of ``systems``.
        references: one list of segments per reference.
        source: segments of the source; ``None`` if they are not known.
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
    """A metric's scores on the outputs of several systems.

    Attributes:
        name: what tables call the metric.
        signature: what must be the same for the scores to be the same.
        segments: ``(systems, segments)``; NaN where none is known.
        systems: ``(systems,)``; NaN where none is known.
        resample: from a system's position and the segments' weights ``(samples, segments)`` to its scores
            ``(samples,)`` on resampled test sets; ``None`` where the mean of the segments has to do.
        resamplable: whether scores of systems on resampled test sets can be told. They cannot where systems' scores
            were given and are not the means of their segments'.
        details: what JSON says of each system in addition to its score.
        segment_details: what JSON says of each segment of each system.
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
        """Return a system's scores on resampled test sets; NaN where they cannot be told."""
        if not self.resamplable:
            import numpy as np

            return np.full(len(weights), np.nan)
        if self.resample is not None:
            return self.resample(system, weights)
        totals: Floats = weights @ self.segments[system] / weights.sum(axis=1)
        return totals

    def negated(self) -> Scores:
        """Return the scores with the other sign: of errors, the higher is then the better."""
        resample = self.resample
        return replace(
            self,
            segments=-self.segments,
            systems=-self.systems,
            resample=None if resample is None else lambda system, weights: -resample(system, weights),
        )


class MetricContext(NamedTuple):
    """What ``from_options`` of a metric may use.

    Attributes:
        language: ISO code of the text; empty if it is not known.
        jobs: number of processes that a metric may start.
        threads: number of threads that it may use; ``None`` for as many as there are processors.
        offline: whether it must not download anything; ``None`` for the user's setting.
    """

    language: str = ""
    jobs: int = 1
    threads: int | None = None
    offline: bool | None = None


def named_options(text: str, what: str) -> dict[str, Any]:
    """Read ``name=value,name=value``; values are read as YAML reads them.

    Raises:
        ConfigError: for a part of another form, or a name that is given twice.
    """
    from meteor_e.base.yamlfile import plain_value

    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, separator, value = (piece.strip() for piece in part.partition("="))
        if not separator or not key:
            raise ConfigError(f"{what}: option {part!r} is not of the form name=value")
        if key in options:
            raise ConfigError(f"{what}: option {key!r} is given twice")
        options[key] = plain_value(value)
    return options


@runtime_checkable
class SummedStatistics(Protocol):
    """Statistics of a batch that come with their sum, so that plain METEOR is added up without NumPy.

    METEOR's are :class:`meteor_e.scoring.rows.Rows`. ``numpy.asarray`` returns the additive rows.

    Attributes:
        total: the sum over all segments without a failure, ``(width,)``.
        count: number of these segments.
        failures: index of a segment that cannot be scored → the error.
    """

    @property
    def total(self) -> list[int]: ...  # noqa: D102

    @property
    def count(self) -> int: ...  # noqa: D102

    @property
    def failures(self) -> Mapping[int, MeteorError]: ...  # noqa: D102

    def with_zeros(self) -> SummedStatistics:
        """Return the statistics with each failure as a segment that scores 0."""
        ...

    def __len__(self) -> int: ...


@runtime_checkable
class Explains(Protocol):
    """A metric that says why two systems differ."""

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Say in words what moves the scores of two systems apart.

        Args:
            first: the first system's segments; a list of one for a single segment.
            second: the second system's segments.
            references: for each segment its references.
            names: names of the systems.
            sources: the source of each segment, for metrics that read them.

        Raises:
            ConfigError: if the metric cannot say.
        """
        ...


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
        """Return a text that says why segments of a system have high or low scores.

        Args:
            hypotheses: the segments of the system.
            references: for each segment its references.
            name: the name of the system.
            sources: the source of each segment, for metrics that read them.

        Raises:
            ConfigError: if the metric cannot explain its scores.
        """
        ...


@runtime_checkable
class HasDetails(Protocol):
    """A metric that gives details of segments and systems, for JSON and reports."""

    def details(self, statistics: Any, batch: Batch | None = None) -> Sequence[Mapping[str, Any]]:
        """Return for each segment or system what JSON holds in addition to the scores.

        Reports show ``said``, a text.

        Args:
            statistics: what :meth:`Metric.statistics` returned for the batch; or sums, one row per system.
            batch: the segments; ``None`` for systems.
        """
        ...


@runtime_checkable
class ScoresPairs(Protocol):
    """A metric that scores every hypothesis against every reference faster than pair by pair."""

    def pairwise_batches(
        self, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[Floats]:
        """Score each candidate of a source against each reference of the source; see :func:`score_pairs`."""
        ...


@runtime_checkable
class AggregatesReferences(Protocol):
    """A metric that approximates expected scores against many weighted references at once."""

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Any:
        """Approximate expected scores; see :mod:`meteor_e.engine.aggregation`.

        Args:
            hypotheses: raw segments.
            references: raw segments, each once.
            weights: of the references; their sum is 1.
        """
        ...


class Metric(Component):
    """Base of all metrics: maps segments to additive statistics, and sums of statistics to scores.

    A metric has :attr:`signature`, :meth:`statistics` and :meth:`scores`. A metric of one signature gives the same
    numbers each time. Instances are pickled to other processes.

    Class attributes:
        name: what ``-M`` and :func:`meteor_e.load_metric` call it; lower case, unique among all installed plugins.
        title: what tables call it; by default the name.
        higher_is_better: ``False`` for a metric of errors.
        decimals: decimals in tables.
        parts: names of values that belong to the score, such as precision. :meth:`scores` returns them after it.
        columns: the columns of the metric, if it has others than one with its own label.
        needs_references: whether :meth:`prepare` has to see the references of all segments before the first segment is
            scored.

    Attributes:
        label: what tables call this instance; by default the title.
        signature: what must be the same for scores to be the same: version, options.
        language: ISO code of the only language that the metric is for; empty if it takes any.
        on_error: what to do with a segment that cannot be scored: ``stop``, ``skip`` or ``zero``.
        parallel: ``batches`` if threads can score batches side by side, which has to release the global interpreter
            lock to be of use; ``inside`` for one batch at a time, with threads of the metric's own.
        threads: number of threads of a metric that is parallel; ``None`` for one that is not.
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
    threads: int | None = None
    on_error: str = "stop"

    @property
    def parallel(self) -> str:
        """Where threads are used: ``batches`` or ``inside``."""
        return "inside"

    @property
    def headings(self) -> tuple[MetricColumn, ...]:
        """The columns of its scores in a table."""
        return self.columns or (MetricColumn(self.label, self.higher_is_better, self.decimals, self.parts),)

    @cached_property
    def label(self) -> str:
        """What tables call it; it can be set."""
        return self.title or self.name

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Return the options that a specification gives after the colon, by default ``name=value,name=value``.

        Raises:
            ConfigError: for a text of another form.
        """
        return named_options(text, f"metric {cls.name!r}")

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the label of a metric with these options, without making it."""
        return cls.title or cls.name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the code of the only language of a metric with these options, without making it; empty for any."""
        return cls.language

    def prepare(self, references: Sequence[Sequence[str]]) -> Metric:
        """Return a copy that knows the references of a test set, for a metric that ``needs_references``.

        Args:
            references: for each segment its references.
        """
        return self

    def signature_for(self, reference_counts: Collection[int]) -> str:
        """Return the signature for segments with so many references; by default :attr:`signature`.

        Args:
            reference_counts: the distinct numbers of references.
        """
        return self.signature

    @abstractmethod
    def statistics(self, batch: Batch) -> ArrayLike | SummedStatistics:
        """Return statistics of segments, ``(segments, width)``, that can be added up.

        Args:
            batch: the segments, in columns.
        """

    @abstractmethod
    def scores(self, sums: Floats) -> ArrayLike:
        """Return scores of systems, or of samples of their segments.

        Args:
            sums: of statistics, ``(systems, width)``. Sums of :class:`SummedStatistics` are lists.

        Returns:
            ``(systems,)``; of a metric with :attr:`parts` or :attr:`columns` ``(systems, values)``: of each column the
            score, then its parts.
        """

    @property
    def additive(self) -> bool:
        """Whether a system's scores are a function of the sum of its segments' statistics."""
        return True

    def system_scores(self, statistics: Floats, weights: Floats | None = None) -> ArrayLike:
        """Return scores of a system from the statistics of its segments; only used if the metric is not additive.

        Args:
            statistics: ``(segments, width)``.
            weights: how often each segment occurs in each sample, ``(samples, segments)``; by default one sample with
                each segment once.

        Returns:
            As :meth:`scores`, one row per sample.
        """
        return self.scores(statistics.sum(axis=0)[None] if weights is None else weights @ statistics)

    def segment_scores(self, statistics: Any) -> ArrayLike:
        """Return scores of segments from what :meth:`statistics` returned; by default as of small corpora."""
        return self.scores(statistics)

    def about(self) -> Mapping[str, Any]:
        """Return what JSON says of the metric in addition to its signature."""
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
            hypotheses: one raw segment each.
            references: for each hypothesis its reference, or a sequence of references.
            sources: raw source segments, for metrics that read them.
            segments: keep the scores of the segments in the result.
            progress: told the number of segments done.

        Raises:
            InputError: if there are no segments, they differ in number, or something else than texts is given.
        """
        texts, lists, originals = _checked(hypotheses, references, sources)
        metric = self.prepare(lists) if self.needs_references else self
        rows = compute_statistics(metric, Batch(texts, lists, originals))
        signature = metric.signature_for({*map(len, lists)})
        kept: tuple[SegmentScore, ...] = ()
        if segments:
            with plugin_errors(f"metric {self.name!r}"):
                values = main_scores(metric.segment_scores(rows)).tolist()
            kept = tuple(SegmentScore(value, signature) for value in values)
        progress(self.label, len(texts), len(texts))
        return CorpusScore(system_values(metric, rows)[0], signature, len(texts), kept)

    def score(self, hypothesis: str, references: str | Sequence[str], source: str | None = None) -> SegmentScore:
        """Return the score of one segment; arguments and errors as for :meth:`corpus`."""
        sources = None if source is None else [source]
        return self.corpus([hypothesis], [references], sources, segments=True).segments[0]


def score_pairs(
    metric: Metric, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
) -> Iterator[Floats]:
    """Score every candidate of a source against every reference of the source.

    Args:
        metric: what scores. METEOR reads each text once; another metric scores pair by pair.
        hypotheses: for each source its candidates.
        references: for each source its references; by default its candidates.

    Yields:
        For each source ``(candidates, references)``.

    Raises:
        InputError: for what is not a list of texts, with the number of the source.
    """
    if isinstance(metric, ScoresPairs):
        yield from metric.pairwise_batches(hypotheses, references)
        return
    import numpy as np

    for candidates, texts in read_sources(hypotheses, references):
        if not candidates or not texts:
            yield np.empty((len(candidates), len(texts)))
            continue
        lists = [[text] for text in texts]
        prepared = metric.prepare(lists) if metric.needs_references else metric
        batch = Batch([candidate for candidate in candidates for _ in texts], lists * len(candidates))
        rows = compute_statistics(prepared, batch)
        yield main_scores(prepared.segment_scores(rows)).reshape(len(candidates), len(texts))


def main_scores(values: Any, index: int = 0) -> Floats:
    """Return one column of what a metric's ``scores`` returned: by default the first, its score."""
    import numpy as np

    scores: Floats = np.asarray(values, float)
    return scores if scores.ndim == 1 else scores[:, index]


def compute_statistics(
    metric: Metric, batch: Batch, *, finite: bool = True, resolve: bool = True
) -> Floats | SummedStatistics:
    """Return a metric's statistics of a batch, of the right shape and finite.

    Args:
        metric: what scores.
        batch: the segments.
        finite: whether statistics that are not finite are an error.
        resolve: whether to treat segments that cannot be scored as the metric's ``on_error`` says; else they are left
            among the ``failures`` of the statistics.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: for a row that is not finite, and for a segment that cannot be scored, unless the metric's
            ``on_error`` says otherwise.
    """
    with plugin_errors(f"metric {metric.name!r}"):
        rows = metric.statistics(batch)
        if isinstance(rows, SummedStatistics):
            return resolve_failures(rows, batch, metric.on_error) if resolve and rows.failures else rows
        import numpy as np

        statistics: Floats = np.asarray(rows, float)
    if statistics.ndim != 2 or len(statistics) != len(batch):
        raise PluginError(
            f"metric {metric.name!r} returned statistics of shape {statistics.shape} for {len(batch)} segments; "
            "one row per segment is needed"
        )
    is_finite = np.isfinite(statistics).all(axis=1)
    if finite and not is_finite.all():
        index = int(np.argmin(is_finite))
        raise InputError(f"{metric.label} gives no finite number for segment {batch.ids[index]}: {statistics[index]}")
    return statistics


def resolve_failures(rows: SummedStatistics, batch: Batch, on_error: str) -> SummedStatistics:
    """Warn of segments that cannot be scored, and let them score 0 if ``on_error`` is ``zero``.

    Args:
        rows: statistics with failures.
        batch: their segments.
        on_error: ``stop``, ``skip`` or ``zero``.

    Returns:
        The rows; their sum has the failures if they score 0.

    Raises:
        MeteorError: if ``on_error`` is ``stop``, or for another fault than one of the segment's text.
    """
    for index, error in sorted(rows.failures.items()):
        segment_id = batch.ids[index]
        if not isinstance(error, InputError):
            raise error
        if on_error == "stop":
            raise InputError(
                f"segment {segment_id}: {error}; on_error='skip' or 'zero' goes on "
                "(meteor-e score: --on-error skip|zero)"
            ) from error
        consequence = "it is left out" if on_error == "skip" else "it scores 0"
        warn_user(f"segment {segment_id}: {error}; {consequence}", SegmentWarning)
    return rows.with_zeros() if on_error == "zero" else rows


def metric_values(metric: Metric, scores: Any) -> list[list[float]]:
    """Return for each segment or system the values of the metric's columns: of each column the score, then its parts.

    Args:
        metric: the metric.
        scores: what its :meth:`~Metric.segment_scores` or :meth:`~Metric.scores` returned.

    Raises:
        PluginError: if there are not as many values as the columns hold.
    """
    if not isinstance(scores, list):
        import numpy as np

        values = np.asarray(scores, float)
        scores = (values[:, None] if values.ndim == 1 else values).tolist()
    width = sum(1 + len(column.parts) for column in metric.headings)
    if scores and len(scores[0]) != width:
        raise PluginError(f"metric {metric.name!r} returned {len(scores[0])} values; its columns have {width}")
    return cast("list[list[float]]", scores)


def total_values(metric: Metric, total: Any, segment_count: int) -> list[float]:
    """Return the values of a metric's columns for a sum of statistics.

    Args:
        metric: the metric.
        total: the sum, a list or an array ``(width,)``.
        segment_count: number of segments in the sum.

    Raises:
        PluginError: if the metric fails, or returns another number of values.
        InputError: if a value is infinite.
    """
    with plugin_errors(f"metric {metric.name!r}"):
        scores = metric.scores(cast("Floats", [total] if isinstance(total, list) else total[None]))
        return _check_overflow(metric, metric_values(metric, scores)[0], segment_count)


def _check_overflow(metric: Metric, values: list[float], segment_count: int) -> list[float]:
    """Return the values of a system, none of which is infinite."""
    if any(map(math.isinf, values)):
        raise InputError(
            f"{metric.label}: the system's score is infinite, because a sum over {segment_count} segments overflows; "
            "look for extreme scores of single segments"
        )
    return values


def system_values(metric: Metric, statistics: Any) -> list[float]:
    """Return the values of a metric's columns for a system, from the statistics of its segments."""
    if metric.additive:
        return total_values(metric, add_statistics(None, statistics), len(statistics))
    import numpy as np

    with plugin_errors(f"metric {metric.name!r}"):
        scores = metric.system_scores(np.asarray(statistics, float))
        return _check_overflow(metric, metric_values(metric, scores)[0], len(statistics))


def add_statistics(total: Any, statistics: Floats | SummedStatistics) -> Any:
    """Return a sum of statistics with those of the next segments added.

    The digits do not depend on the size of batches: whole numbers are added exactly, other rows one after the other.

    Args:
        total: the sum so far, a list or an array; ``None`` for the first segments.
        statistics: of the next segments.
    """
    if isinstance(statistics, SummedStatistics):
        if total is None:
            return statistics.total
        return [a + b for a, b in zip(total, statistics.total, strict=True)]
    import numpy as np

    rows = statistics if total is None else np.vstack([total, statistics])
    with np.errstate(over="ignore"):  # An overflow is an error of the score.
        return np.add.accumulate(rows, axis=0)[-1]


class SegmentMetric(Metric):
    """A metric that scores segments, each by itself; a system's score is their mean."""

    @abstractmethod
    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ArrayLike:
        """Return one number per segment.

        Args:
            hypotheses: raw hypotheses.
            references: for each hypothesis its raw references, at least one.
            sources: raw source segments, if they are known.
        """

    def statistics(self, batch: Batch) -> Floats:
        """Return the scores, and 1 for each, ``(segments, 2)``."""
        import numpy as np

        answer = self.score_segments(batch.hypotheses, batch.references, batch.sources)
        scores = _numbers(answer, self.label)
        if scores.shape != (len(batch),):
            raise InputError(
                f"{self.label} gave {len(scores) if scores.ndim == 1 else scores.shape} scores "
                f"for {len(batch)} segments"
            )
        return np.stack([scores, np.ones(len(scores))], axis=1)

    def scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means


class SystemsMetric(Metric):
    """A metric that scores all systems of a test set at once, such as scores in files by names of systems.

    Class attributes:
        scores_segments: whether :meth:`statistics` scores segments of any text, too; ``score`` then uses it.
        compares_systems: whether a system's score depends on the other systems, so that all are read at once.
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
            cache: where statistics may be kept.
            systems: whether scores of whole systems are needed, too.
            progress: told about the work.
        """

    def score_shown_systems(self, test: SystemOutputs, *, progress: Progress = silent) -> Scores:
        """Return the scores that ``score`` shows; by default those of :meth:`score_systems`.

        A metric that compares systems with one another can return scores that only mean something for these systems.
        """
        import numpy as np

        from meteor_e.base.array_cache import ArrayCache

        cells = np.ones((len(test.systems), len(test)), bool)
        return self.score_systems(test, cells, ArrayCache(enabled=False), systems=True, progress=progress)


def _numbers(scores: ArrayLike, label: str) -> Floats:
    """Return an answer as an array.

    Raises:
        InputError: for what is not a number.
    """
    import numpy as np

    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{label} gave scores that are not all numbers; NumPy takes them for {values.dtype.name}")
    return values.astype(float)


def _checked(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], sources: Iterable[str] | None
) -> tuple[list[str], list[list[str]], list[str] | None]:
    found = check_items(
        hypotheses=hypotheses, references=references, **({} if sources is None else {"sources": sources})
    )
    if not found["hypotheses"]:
        raise InputError("there are no segments to score")
    lists = [[each] if isinstance(each, str) else each for each in found["references"]]
    return found["hypotheses"], lists, found.get("sources")
