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

A :class:`Metric` proper has statistics that are added up, as sacreBLEU's metrics and METEOR have: a segment's score
comes from its statistics, a system's score from the sum of all segments' statistics. So whole systems, confidence
intervals and significance tests cost no second pass over the texts. The protocol has six members, and METEOR uses no
other:

* :meth:`~Metric.statistics`: texts in, rows of numbers out, which can be added up;
* :meth:`~Metric.segment_scores`: scores of segments from their rows;
* :meth:`~Metric.corpus_scores`: scores of systems, and their parts, from sums of rows;
* :meth:`~Metric.prepare`: told the references and the language beforehand;
* :meth:`~Metric.details`: what JSON holds beside scores;
* :meth:`~Metric.explain`: why two systems differ.

An :class:`OutputsMetric` is the second form: its scores belong to whole outputs of systems, whose names it knows.

Options are a class of their own, as for every :class:`~meteor_e.api.component.Component`. In
``meteor-e score -M word-overlap:weight=2`` and :func:`meteor_e.load_metric`, :meth:`Metric.parse` reads what follows
the colon.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from meteor_e.api.component import Component
from meteor_e.api.formats import Found, MetricColumn
from meteor_e.base.errors import ConfigError, InputError, PluginError, guarded
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_items, sides_of_sources

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
    """

    name: str
    signature: str
    segments: Floats
    systems: Floats
    resample: Callable[[int, Floats], Floats] | None = None
    resamplable: bool = True

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
    """What ``from_options`` of a metric may draw on.

    Attributes:
        language: ISO code of the text; empty where it is not known yet.
        jobs: number of processes that a metric may start.
        threads: number of threads that it may use; ``None`` for as many as there are processors.
        offline: whether it must not download anything; ``None`` for the user's setting.
    """

    language: str = ""
    jobs: int = 1
    threads: int | None = None
    offline: bool | None = None


@dataclass(frozen=True, repr=False)
class MetricScore:
    """A metric's score of one system.

    Attributes:
        metric: what tables call the metric.
        score: of the system.
        segments: scores of its segments, ``(segments,)``.
        statistics: what :meth:`Metric.corpus_scores` makes scores of when it is added up, ``(segments, width)``.
        signature: what must be the same for the numbers to be the same.
    """

    metric: str
    score: float
    segments: Floats
    statistics: Floats
    signature: str

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        return f"MetricScore({self.metric}: {self.score:.4f}, {len(self.segments)} segments, {self.signature!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            "metric": self.metric,
            "score": self.score,
            "segments": self.segments.tolist(),
            "signature": self.signature,
        }


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


class BatchContext(NamedTuple):
    """What a metric is told of the batch that it scores, beside its texts.

    Attributes:
        before: the number of segments of the system before it.
        threads: threads that the metric may use for it; ``None``: as many as the metric has.
        stop: when another thread makes it true, a list that gets an item, scoring ends in KeyboardInterrupt.
        alignments: whether details will hold alignments.
        shared: where metrics that score the batch together look up alignments; ``None`` for a metric alone.
    """

    before: int = 0
    threads: int | None = None
    stop: object = None
    alignments: bool = False
    shared: dict[str, Any] | None = None


CURRENT: ContextVar[BatchContext] = ContextVar("batch", default=BatchContext())  # noqa: B039 (a tuple)
"""That of the batch that this thread scores."""


class SummedRows:
    """Statistics that are whole numbers and come with their sum, ``(segments, width)``; ``numpy.asarray`` takes them.

    :meth:`Metric.statistics` may return them instead of an array. They are added up without NumPy, and handed to
    :meth:`Metric.segment_scores` and :meth:`Metric.details` as they are.

    Attributes:
        total: the sum, ``(width,)``.
        count: the number of segments that it is the sum of.
    """

    total: list[int]
    count: int

    def __len__(self) -> int:
        raise NotImplementedError


class Metric(Component):
    """Base of all metrics.

    A metric has :attr:`signature`, :meth:`statistics` and :meth:`corpus_scores`. It may have :meth:`segment_scores`,
    :meth:`prepare`, :meth:`details` and :meth:`explain`. A metric of one signature gives the same numbers each time.
    Instances are pickled to other processes.

    Class attributes:
        name: what ``-M`` and :func:`meteor_e.load_metric` call it; lower case, unique among all installed plugins.
        title: what tables call it; by default the name.
        higher_is_better: ``False`` for a metric of errors.
        decimals: that tables show.
        parts: names of values that belong to the score, such as precision; :meth:`corpus_scores` returns them after it.
        columns: the columns that it brings, where that is not one of the metric's own name.
        streaming: whether segments can be scored while files are read. By default they can if there is no
            :meth:`prepare`; otherwise :meth:`prepare` sees the references of all segments first.

    Attributes:
        label: what tables call this one; by default the title.
        signature: what must be the same for scores to be the same: version, options.
        language: ISO code of the only language that it is for; empty if it takes any.
        on_error: what to do with a segment that cannot be scored: ``stop``, ``skip`` or ``zero``; ``None`` for a metric
            that scores every segment.
        threads: threads that score batches side by side where this metric is alone; ``None``: one batch at a time.
    """

    kind: ClassVar[str] = "metric"
    title: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    decimals: ClassVar[int] = 4
    parts: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[MetricColumn, ...]] = ()
    streaming: ClassVar[bool | None] = None
    signature: str
    language: str = ""
    on_error: str | None = None

    @property
    def threads(self) -> int | None:
        """Threads that may score batches side by side."""
        return None

    def failures(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Mapping[int, InputError]:
        """Return the places of segments that cannot be scored, each with the error; asked where they are left out."""
        return {}

    @property
    def headings(self) -> tuple[MetricColumn, ...]:
        """The columns of its scores in a table."""
        return self.columns or (MetricColumn(self.label, self.higher_is_better, self.decimals, self.parts),)

    @property
    def streams(self) -> bool:
        """Whether segments can be scored before the last references are known."""
        kind = type(self)
        return kind.prepare is Metric.prepare if kind.streaming is None else kind.streaming

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

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Get ready for a test set, before its first segment is scored.

        Args:
            references: for each segment its references; of a metric that is ``streaming``, maybe the first ones only.
            language: ISO code of the text; empty where it is not known.
        """

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ArrayLike | SummedRows:
        """Return statistics of segments, ``(segments, width)``, that can be added up.

        Args:
            hypotheses: raw hypotheses.
            references: for each hypothesis its raw references, at least one.
            sources: raw source segments, if they are known.
        """

    @abstractmethod
    def corpus_scores(self, sums: Floats) -> ArrayLike:
        """Return scores of systems, or of samples of their segments.

        Args:
            sums: of statistics, ``(systems, width)``. Sums of :class:`SummedRows` are lists.

        Returns:
            ``(systems,)``; of a metric with :attr:`parts` or :attr:`columns` ``(systems, values)``: of each column the
            score, then its parts.
        """

    def segment_scores(self, statistics: Floats) -> ArrayLike:
        """Return scores of segments from their statistics ``(segments, width)``; by default as of small corpora."""
        return self.corpus_scores(statistics)

    def details(
        self, statistics: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Sequence[Mapping[str, Any]] | None:
        """Return for each segment what JSON holds of it beside its scores; asked where JSON is written.

        Reports show ``said``, a text.

        Args:
            statistics: what :meth:`statistics` returned for the segments; or the sum of a system, in a list.
            hypotheses: raw hypotheses; none for a system.
            references: for each hypothesis its raw references.
        """
        return None

    def about(self) -> Mapping[str, Any]:
        """Return what JSON says of the metric beside its signature."""
        return {}

    def corpus(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        sources: Iterable[str] | None = None,
        *,
        progress: Progress = silent,
    ) -> MetricScore:
        """Score a system.

        Args:
            hypotheses: one raw segment each.
            references: for each hypothesis its reference, or a sequence of references.
            sources: raw source segments, for metrics that read them.
            progress: told about the work.

        Raises:
            InputError: if there are no segments, they differ in number, or something else than texts is given.
        """
        texts, lists, originals = _checked(hypotheses, references, sources)
        self.prepare(lists, self.language)
        rows, whole = checked_rows(self, texts, lists, originals), MetricSum(self, keep=True)
        whole.add(rows)
        with guarded(f"metric {self.name!r}"):
            segments = main_scores(self.segment_scores(cast("Floats", rows)))
        progress(self.label, len(texts), len(texts))
        return MetricScore(self.label, whole.found()[0].values[0], segments, whole.statistics, self.signature)

    def score(self, hypothesis: str, references: str | Sequence[str], source: str | None = None) -> float:
        """Return the score of one segment; arguments and errors as for :meth:`corpus`."""
        return float(self.corpus([hypothesis], [references], None if source is None else [source]).segments[0])

    def pairwise(
        self,
        sources: Iterable[Sequence[str]],
        references: Iterable[Sequence[str]] | None = None,
        language: str = "",
    ) -> Iterator[Floats]:
        """Score every candidate of a source against every reference of it; METEOR reads each text once.

        Args:
            sources: for each source its candidates.
            references: for each source its references; by default its candidates.
            language: ISO code of the text; empty where it is not known.

        Yields:
            For each source ``(candidates, references)``.

        Raises:
            InputError: for what is not a list of texts, with the number of the source.
        """
        import numpy as np

        for texts, others in sides_of_sources(sources, references):
            if not texts or not others:
                yield np.empty((len(texts), len(others)))
                continue
            self.prepare([[text] for text in others], language or self.language)
            hypotheses = [text for text in texts for _ in others]
            rows = checked_rows(self, hypotheses, [[text] for text in others] * len(texts))
            yield main_scores(self.segment_scores(cast("Floats", rows))).reshape(len(texts), len(others))

    def expected_scores(
        self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats, language: str = ""
    ) -> Any:
        """Approximate scores against many weighted references; see :mod:`meteor_e.engine.aggregation`.

        Raises:
            ConfigError: for a metric that cannot.
        """
        raise ConfigError(f"metric {self.label} cannot aggregate references; take pruning")

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
    ) -> str:
        """Say in words what moves the scores of two systems apart.

        Args:
            first: the first system's segments; a list of one for a single segment.
            second: the second system's segments.
            references: for each segment its references.
            names: what to call the systems.

        Raises:
            ConfigError: for a metric that cannot say.
        """
        raise ConfigError(f"metric {self.label!r} does not explain its scores")


def main_scores(values: Any, place: int = 0) -> Floats:
    """Return one column of what a metric's ``corpus_scores`` returned: by default the first, its score."""
    import numpy as np

    found: Floats = np.asarray(values, float)
    return found if found.ndim == 1 else found[:, place]


def checked_rows(
    metric: Metric,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    *,
    finite: bool = True,
) -> Floats | SummedRows:
    """Return a metric's statistics of a batch, of the right shape and finite.

    Args:
        metric: what scores.
        hypotheses, references, sources: as for :meth:`Metric.statistics`.
        finite: refuse statistics that are not finite.

    Raises:
        PluginError: if the metric fails, or does not return one row per segment.
        InputError: for a row that is not finite.
    """
    with guarded(f"metric {metric.name!r}"):
        rows = metric.statistics(hypotheses, references, sources)
        if isinstance(rows, SummedRows):
            return rows
        import numpy as np

        part: Floats = np.asarray(rows, float)
    if part.ndim != 2 or len(part) != len(hypotheses):
        raise PluginError(
            f"metric {metric.name!r} returned statistics of shape {part.shape} for {len(hypotheses)} segments; "
            "one row per segment is needed"
        )
    known = np.isfinite(part).all(axis=1)
    if finite and not known.all():
        at = int(np.argmin(known))
        number = CURRENT.get().before + at + 1
        raise InputError(f"{metric.label} gives no finite number for segment {number}: {part[at]}")
    return part


def found_by(
    metric: Metric, scores: Any, details: Sequence[Mapping[str, Any]] | None = None
) -> list[tuple[Found, ...]]:
    """Return for each segment or system what the columns of a metric hold.

    Args:
        metric: the metric.
        scores: what its :meth:`~Metric.segment_scores` or :meth:`~Metric.corpus_scores` returned.
        details: of each segment or system; the first column has them.

    Raises:
        PluginError: if there are not as many scores as the columns hold.
    """
    if not isinstance(scores, list):
        import numpy as np

        values = np.asarray(scores, float)
        scores = (values[:, None] if values.ndim == 1 else values).tolist()
    ends = list(accumulate(1 + len(column.parts) for column in metric.headings))
    if scores and len(scores[0]) != ends[-1]:
        raise PluginError(f"metric {metric.name!r} returned {len(scores[0])} values; its columns have {ends[-1]}")
    parts = list(map(slice, [0, *ends[:-1]], ends))
    told = [None] * len(scores) if details is None else details
    return [
        tuple(Found(tuple(row[part]), None if part.start else detail) for part in parts)
        for row, detail in zip(scores, told, strict=True)
    ]


@dataclass
class MetricSum:
    """A metric's statistics of a system, added up.

    Sums of parts of a system can be added: ``a + b``. The digits are those of the whole in one piece:
    :class:`SummedRows` have an exact sum, and other rows are added in order.

    Args:
        metric: what scores.
        keep: keep the rows of all segments, which :meth:`__add__` needs.

    Attributes:
        count: number of segments.
        total: the sum, ``(width,)``: a list of whole numbers, or an array; ``None`` before there are rows.
        given: the values of the system, where a metric knows them and does not compute them from the sum.
    """

    metric: Metric
    keep: bool = False
    count: int = 0
    total: Any = None
    given: list[float] | None = None
    _rows: list[Floats] = field(default_factory=list)

    def add(self, rows: Floats | SummedRows) -> None:
        """Add the rows of the next segments."""
        if isinstance(rows, SummedRows):
            self.total = (
                rows.total if self.total is None else [a + b for a, b in zip(self.total, rows.total, strict=True)]
            )
            self.count += rows.count
            if not self.keep:  # Plain METEOR does without NumPy.
                return
        import numpy as np

        part = np.asarray(rows, float)
        if self.keep:
            self._rows.append(part)
        if not isinstance(rows, SummedRows) and len(part):
            # One after the other, so that no digit depends on the batches.
            self.total = np.add.accumulate(part if self.total is None else np.vstack([self.total, part]), axis=0)[-1]
            self.count += len(part)

    def __add__(self, other: MetricSum) -> MetricSum:
        """Return the sum of this part and the next one."""
        both = MetricSum(self.metric, self.keep)
        both.count, both._rows = self.count + other.count, self._rows + other._rows
        parts = [part for part in (self.total, other.total) if part is not None]
        if all(isinstance(part, list) for part in parts):
            both.total = [sum(column) for column in zip(*parts, strict=True)] or None
        elif both.count:
            both.total = both.statistics.cumsum(axis=0)[-1]
        return both

    @property
    def statistics(self) -> Floats:
        """Statistics of all segments, ``(segments, width)``, if they were kept."""
        import numpy as np

        return np.concatenate(self._rows) if self._rows else np.empty((0, 0))

    def found(self, details: bool = False) -> tuple[Found, ...]:
        """Return what the columns of the metric hold for the system.

        Args:
            details: whether the first column has what :meth:`Metric.details` returns.

        Raises:
            InputError: if there are no segments.
        """
        total, metric = self.total, self.metric
        if total is None or not self.count:
            raise InputError("there are no segments to score")
        with guarded(f"metric {metric.name!r}"):
            scores: Any = [self.given]
            if self.given is None:
                scores = metric.corpus_scores(cast("Floats", [total] if isinstance(total, list) else total[None]))
            told = metric.details([total], (), ()) if details else None
            return found_by(metric, scores, told or None)[0]


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

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return scores and how many they are."""
        import numpy as np

        answer = self.score_segments(hypotheses, references, sources)
        scores = _numbers(answer, self.label)
        if scores.shape != (len(hypotheses),):
            raise InputError(
                f"{self.label} gave {len(scores) if scores.ndim == 1 else scores.shape} scores "
                f"for {len(hypotheses)} segments"
            )
        return np.stack([scores, np.ones(len(scores))], axis=1)

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means


class OutputsMetric(Metric):
    """A metric whose scores belong to outputs of systems as a whole, such as scores in files by names of systems.

    :meth:`score_outputs` scores all systems of a test set at once. Class attributes:
        alone: whether :meth:`statistics` scores segments of any text, too; ``score`` then takes it.
    """

    alone: ClassVar[bool] = False
    streaming: ClassVar[bool | None] = False

    @abstractmethod
    def score_outputs(
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
