"""What is done with segments: scored, aligned or marked. Everything here runs in a thread of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from meteor_e.api import ConfigError, InputError, Metric, MetricColumn
from meteor_e.api.running import checked_statistics as statistics_of
from meteor_e.engine.streaming import SegmentBatch
from meteor_e.metrics.chain_metric import ChainMetric
from meteor_e.scoring.formula import PARTS, FormulaScores
from meteor_e.scoring.statistics import StatisticsSum, as_summed
from meteor_e_server.messages import MarkedSegment, ScoredSegment, Segment

if TYPE_CHECKING:
    from meteor_e import Meteor

_SCORE = FormulaScores._fields.index("score")


class Work(Protocol):
    """What is done with segments.

    Attributes:
        label: of the metric.
        language: code.
        shared: whether segments of several requests may be worked on together, and those of one in parts. It is so
            where identical numbers come out.
        streams: whether segments can be worked on before the last ones of a request are known.
    """

    label: str
    language: str
    shared: bool
    streams: bool

    @property
    def signature(self) -> str:
        """What must be the same for the numbers to be the same."""

    def __call__(self, segments: Sequence[Segment], stop: list[bool]) -> tuple[list[Any], Any]:
        """Return for each segment what was found, or a :class:`MeteorError`; and rows of statistics.

        Args:
            segments: at least one.
            stop: gets an item when nobody waits any more.

        Raises:
            MeteorError: for all segments.
            KeyboardInterrupt: after ``stop``.
        """

    def whole(self, total: Any, count: int) -> tuple[float | None, dict[str, float | None]]:
        """Return the score of all segments of a request, and its parts, from the sum of their statistics."""


def references_of(segment: Segment) -> list[str]:
    """Return a segment's references as a list."""
    given = segment.references
    return [given] if isinstance(given, str) else given


class MeteorWork:
    """METEOR with a chain.

    Args:
        metric: the chain, for its language.
        alignments: say which words match.
    """

    shared = streams = True

    def __init__(self, metric: ChainMetric, *, alignments: bool = False) -> None:
        self._meteor: Meteor = metric.current
        self._alignments = alignments
        self._threads = min(self._meteor.threads, self._meteor.max_threads or self._meteor.threads)
        self.label, self.signature = metric.label, self._meteor.signature
        self.language = self._meteor.chain.language.code

    def __call__(self, segments: Sequence[Segment], stop: list[bool]) -> tuple[list[Any], Any]:
        """Align segments, in the threads of the native core."""
        batch = SegmentBatch(
            1, [segment.hypothesis for segment in segments], [references_of(segment) for segment in segments]
        )
        scored = self._meteor.score_batch(batch, self._threads, stop, alignments=self._alignments)
        found: list[Any] = []
        for (_, values, reference), segment in zip(scored.rows(), segments, strict=True):
            parts = values.defined()._asdict()
            found.append(ScoredSegment(parts.pop("score"), parts, reference, None, segment.id))
        for at, alignment in enumerate(scored.alignments):
            if alignment is not None:
                found[at].alignment = alignment.to_dict()
        for at, error in scored.failures.items():
            found[at] = error
        counts = np.frombuffer(scored.statistics, np.int64).reshape(len(segments), -1)
        return found, as_summed(counts)

    def whole(self, total: Any, count: int) -> tuple[float | None, dict[str, float | None]]:
        """Apply the formula to the sum."""
        added = StatisticsSum(len(self._meteor.matchers))
        added.add_total(total.tolist(), count)
        score = self._meteor.corpus_score(added)
        return score.score, {name: getattr(score, name) for name in PARTS[1:]}


class MetricWork:
    """Any other metric: one request after the other, each as a test set of its own.

    Args:
        metric: the metric.
        language: code of the texts' language.

    Raises:
        ConfigError: for a metric that needs whole systems or files.
    """

    shared = False

    def __init__(self, metric: Metric, language: str) -> None:
        if getattr(metric, "by_system", False):
            raise ConfigError(f"metric {metric.label!r} scores systems of a known test set; it cannot be served")
        self._metric, self.label, self.language = metric, metric.label, metric.language or language
        kind = type(metric)
        self.streams = kind.prepare is Metric.prepare if kind.streaming is None else kind.streaming
        own = MetricColumn(metric.label, metric.higher_is_better, metric.decimals, metric.parts)
        columns = metric.columns or (own,)
        names = [(column.name, *(f"{column.name} {part}" for part in column.parts)) for column in columns]
        flat = (metric.label, *metric.parts) if len(columns) == 1 else [name for each in names for name in each]
        self._names = tuple(flat)

    @property
    def signature(self) -> str:
        """The metric's, which may depend on the texts that it got ready for."""
        return self._metric.signature

    def __call__(self, segments: Sequence[Segment], stop: list[bool]) -> tuple[list[Any], Any]:
        """Score a request."""
        texts = [segment.hypothesis for segment in segments]
        references = [references_of(segment) for segment in segments]
        given = [segment.source for segment in segments]
        known = [source for source in given if source is not None]
        if known and len(known) < len(given):
            raise InputError("some segments have a source, others have none; give all or none")
        self._metric.prepare(references, self.language)
        statistics = statistics_of(self._metric, texts, references, known or None)
        values = self._values(self._metric.segment_scores(statistics))
        pairs = zip(values, segments, strict=True)
        return [ScoredSegment(*self._named(row), None, None, segment.id) for row, segment in pairs], statistics

    def whole(self, total: Any, count: int) -> tuple[float | None, dict[str, float | None]]:
        """Score the sum."""
        return self._named(self._values(self._metric.corpus_scores(total[None]))[0])

    def _values(self, found: Any) -> list[list[float]]:
        values = np.asarray(found, float)
        rows: list[list[float]] = (values[:, None] if values.ndim == 1 else values).tolist()
        return rows

    def _named(self, row: Sequence[float]) -> tuple[float | None, dict[str, float | None]]:
        numbers = [value if math.isfinite(value) else None for value in row]
        return numbers[0], dict(zip(self._names[1:], numbers[1:], strict=False))


class SpansWork:
    """Error spans, of the plugin meteor-e-learned.

    Args:
        language: code.
        meteor: the chain that aligns.
    """

    shared, streams, label = False, True, "spans"

    def __init__(self, language: str, meteor: Meteor) -> None:
        from meteor_e_learned.spans import Spans

        self._spans = Spans(language, meteor=meteor)
        self.language, self.signature = self._spans.language, self._spans.signature

    def __call__(self, segments: Sequence[Segment], stop: list[bool]) -> tuple[list[Any], Any]:
        """Mark segments; see :func:`marked`."""
        texts, references = [each.hypothesis for each in segments], [references_of(each) for each in segments]
        return list(self._spans.find_all(texts, references)), None

    def whole(self, total: Any, count: int) -> tuple[float | None, dict[str, float | None]]:
        """There is none."""
        return None, {}


def marked(found: Any, segment: Segment, utf16: bool) -> MarkedSegment:
    """Return what was found in a segment as it is answered."""
    said = found.to_dict(utf16=utf16, references=references_of(segment))
    return MarkedSegment(said["spans"], said["missing"], segment.id)


def added(total: Any, statistics: Any) -> Any:
    """Add rows of statistics to a sum, or to ``None``: in order, as everywhere, so that no digit differs."""
    if statistics is None:
        return None
    rows = statistics if total is None else np.concatenate([total[None], statistics])
    return np.add.accumulate(rows, axis=0)[-1]
