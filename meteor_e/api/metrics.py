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

A :class:`Metric` proper has statistics that are added up, as sacreBLEU's metrics and METEOR have: from a segment's
statistics comes its score, from the sum of all segments' statistics the system's. So whole systems, confidence
intervals and significance tests cost no second pass over the texts.

Options are a class of their own, as for every :class:`~meteor_e.api.component.Component`. In
``meteor-e score -M word-overlap:weight=2`` and :func:`meteor_e.load_metric`, :meth:`Metric.parse` reads what follows
the colon.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from meteor_e.api.component import Component
from meteor_e.base.array_cache import ArrayCache, Cells, Floats, Integers, digest
from meteor_e.base.errors import ConfigError, InputError, PluginError, guarded
from meteor_e.base.notebooks import Tabular
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import candidates, check_items, listed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Metric",
    "MetricContext",
    "MetricScore",
    "RunningScore",
    "Scores",
    "SegmentMetric",
    "SystemOutputs",
    "named_options",
]


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
            return np.full(len(weights), np.nan)
        if self.resample is not None:
            return self.resample(system, weights)
        totals: Floats = weights @ self.segments[system] / weights.sum(axis=1)
        return totals

    def negated(self) -> Scores:
        """Return the scores with the other sign: of errors, the higher is then the better."""
        import dataclasses

        resample = self.resample
        return dataclasses.replace(
            self,
            segments=-self.segments,
            systems=-self.systems,
            resample=None if resample is None else lambda system, weights: -resample(system, weights),
        )


class MetricContext(NamedTuple):
    """What ``create`` of a metric may draw on.

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
class MetricScore(Tabular):
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

    def _table(self) -> tuple[Sequence[str], Sequence[object], Iterable[Sequence[object]], str]:
        note = f"{len(self.segments)} segments. {self.signature}"
        return (self.metric,), (self.score,), ((score,) for score in self.segments.tolist()), note

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


class Metric(Component):
    """Base of all metrics.

    A metric of one signature gives the same numbers each time. Instances are pickled to other processes.

    Class attributes:
        name: what ``-M`` and :func:`meteor_e.load_metric` call it; lower case, unique among all installed plugins.
        title: what tables call it; by default the name.
        higher_is_better: ``False`` for a metric of errors.
        decimals: that tables show.
        by_system: whether scores belong to systems by name, so that only :meth:`score_outputs` can tell them.

    Attributes:
        label: what tables call this one; by default the title.
        signature: what must be the same for scores to be the same: version, options.
        language: ISO code of the only language that it is for; empty if it takes any.
        scored_before: the number of segments before those that :meth:`statistics` is given, for messages.
    """

    kind: ClassVar[str] = "metric"
    title: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    decimals: ClassVar[int] = 4
    by_system: ClassVar[bool] = False
    signature: str
    language: str = ""
    scored_before: int = 0

    @property
    def label(self) -> str:
        """What tables call it."""
        given: str = self.__dict__.get("_label", "")
        return given or self.title or self.name

    @label.setter
    def label(self, label: str) -> None:
        self.__dict__["_label"] = label

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Return the options that a specification gives behind the colon, by default ``name=value,name=value``.

        Raises:
            ConfigError: for a text of another form.
        """
        return named_options(text, f"metric {cls.name!r}")

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Get ready for a test set, before its first segment is scored.

        Args:
            references: for each segment its references; of a metric that :meth:`streams`, maybe the first ones only.
            language: ISO code of the text; empty where it is not known.
        """

    @classmethod
    def streams(cls) -> bool:
        """Return whether segments can be scored as they are read, before the last ones are known.

        By default a metric can if it has no :meth:`prepare` of its own. For others, all texts are kept in memory.
        """
        return cls.prepare is Metric.prepare and not cls.by_system

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> ArrayLike:
        """Return statistics of segments, ``(segments, width)``, that can be added up.

        Args:
            hypotheses: raw hypotheses.
            references: for each hypothesis its raw references, at least one.
            sources: raw source segments, if they are known.
        """

    @abstractmethod
    def corpus_scores(self, sums: Floats) -> Floats:
        """Return scores of systems, or of samples of their segments.

        Args:
            sums: of statistics, ``(systems, width)``.

        Returns:
            ``(systems,)``.
        """

    def segment_scores(self, statistics: Floats) -> Floats:
        """Return scores of segments from their statistics ``(segments, width)``; by default as of small corpora."""
        return self.corpus_scores(statistics)

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
        return self.score_prepared(texts, lists, originals, progress=progress)

    def score_prepared(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        *,
        progress: Progress = silent,
    ) -> MetricScore:
        """Score one of several systems of a test set that :meth:`prepare` has seen; see :meth:`corpus`."""
        running = RunningScore(self)
        running.add(hypotheses, references, sources, progress=progress)
        return running.result()

    def score(self, hypothesis: str, references: str | Sequence[str], source: str | None = None) -> float:
        """Return the score of one segment; arguments and errors as for :meth:`corpus`."""
        return float(self.corpus([hypothesis], [references], None if source is None else [source]).segments[0])

    def pairwise_batches(
        self, sources: Iterable[Sequence[str]], language: str = "", references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[Floats]:
        """Score every candidate of a source against every candidate of it.

        Args:
            sources: for each source its candidates.
            language: ISO code of the text; empty where it is not known.
            references: for each source its references; by default its candidates.

        Yields:
            For each source ``(candidates, references)``.

        Raises:
            InputError: for what is not a list of texts, with the number of the source.
        """
        left = listed(sources, "sources", "source")
        # Where one side has more sources, the other has no list of texts for them.
        sides = zip_longest(left, () if references is None else listed(references, "references", "source"))
        for number, (own, other) in enumerate(sides, 1):
            texts = candidates(own, number)
            others = texts if references is None else candidates(other, number)
            if not texts or not others:
                yield np.empty((len(texts), len(others)))
                continue
            self.prepare([[text] for text in others], language or self.language)
            hypotheses = [text for text in texts for _ in others]
            rows = self.checked_statistics(hypotheses, [[text] for text in others] * len(texts))
            yield np.asarray(self.segment_scores(rows), float).reshape(len(texts), len(others))

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
    ) -> str:
        """Say in words what moves the scores of two systems apart.

        Args:
            first, second: the systems' segments; lists of one for a single segment.
            references: for each segment its references.
            names: what to call the systems.

        Raises:
            ConfigError: for a metric that cannot say.
        """
        raise ConfigError(f"metric {self.label!r} does not explain its scores")

    def checked_statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        progress: Progress = silent,
        *,
        finite: bool = True,
    ) -> Floats:
        """Return :meth:`statistics`, computed some thousand segments at a time, of the right shape and finite.

        Args:
            hypotheses, references, sources: as for :meth:`statistics`.
            progress: told about the work.
            finite: whether a row that is not finite is an error.

        Raises:
            PluginError: if the metric fails, or does not return one row per segment.
            InputError: for a row that is not finite.
        """
        parts = self._statistics_in_batches(hypotheses, references, sources, progress, finite)
        return np.concatenate(list(parts))

    def _statistics_in_batches(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        progress: Progress,
        finite: bool,
        before: int = 0,
    ) -> Iterator[Floats]:
        """Yield the statistics of some thousand segments; before the first of them there were ``before`` others."""
        for start in range(0, len(hypotheses), BATCH):
            stop = min(start + BATCH, len(hypotheses))
            self.scored_before = before + start
            with guarded(f"metric {self.name!r}"):
                part = np.asarray(
                    self.statistics(
                        hypotheses[start:stop],
                        references[start:stop],
                        None if sources is None else sources[start:stop],
                    ),
                    float,
                )
            if part.ndim != 2 or len(part) != stop - start:
                raise PluginError(
                    f"metric {self.name!r} returned statistics of shape {part.shape} for {stop - start} segments; "
                    "one row per segment is needed"
                )
            known = np.isfinite(part).all(axis=1)
            if finite and not known.all():
                at = int(np.argmin(known))
                number = before + start + at + 1
                raise InputError(f"{self.label} gives no finite number for segment {number}: {part[at]}")
            yield part
            progress(self.label, stop, len(hypotheses))

    def score_outputs(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Score the systems of a test set.

        Args:
            test: outputs and references.
            cells: the cells whose scores are needed, ``(systems, segments)``.
            cache: where statistics are kept.
            systems: whether scores of whole systems are needed, too.
            progress: told about the work.
        """
        references = [list(texts) for texts in zip(*test.references, strict=True)]
        self.prepare(references, test.language)
        wanted = np.ones_like(cells) if systems else cells
        segments = np.full(cells.shape, np.nan)
        whole = np.full(len(test.systems), np.nan)
        kept: list[Floats] = []
        done, everything = 0, int(wanted.sum())
        for row, output in enumerate(test.outputs):
            key = output_key(self.signature, test, row)
            statistics, missing = recall(cache, key, wanted[row])
            if len(missing):
                fresh = self.checked_statistics(
                    [output[at] for at in missing],
                    [references[at] for at in missing],
                    None if test.source is None else [test.source[at] for at in missing],
                    finite=False,  # Whether scores may be missing is for the evaluation to say.
                )
                if statistics is None or statistics.shape[1] != fresh.shape[1]:
                    statistics = np.full((len(test), fresh.shape[1]), np.nan)
                statistics[missing] = fresh
                cache.put(key, {"statistics": statistics})
            if statistics is not None:
                known = ~np.isnan(statistics).any(axis=1)
                segments[row, known] = self.segment_scores(statistics[known])
                if systems:
                    whole[row] = self.corpus_scores(statistics.sum(axis=0)[None])[0]
                    kept.append(statistics)
            done += int(wanted[row].sum())
            progress(self.label, done, everything)

        def resample(system: int, weights: Floats) -> Floats:
            return self.corpus_scores(weights @ kept[system])

        return Scores(self.label, self.signature, segments, whole, resample if systems else None)


class RunningScore:
    """A system's score by a metric, from segments that are added a part at a time.

    Statistics are summed up. Beyond the sums, memory grows only with what is kept: numbers, and no texts.

    Args:
        metric: a metric that is prepared.
        segments: whether to keep the scores of segments.
        statistics: whether to keep the statistics of segments.
    """

    def __init__(self, metric: Metric, *, segments: bool = True, statistics: bool = True) -> None:
        self._metric = metric
        self._keeps_segments, self._keeps_statistics = segments, statistics
        self._sum: Floats | None = None
        self._segments: list[Floats] = []
        self._statistics: list[Floats] = []
        self.count = 0

    def add(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        *,
        progress: Progress = silent,
    ) -> None:
        """Add segments; arguments and errors are those of :meth:`Metric.checked_statistics`."""
        metric = self._metric
        for rows in metric._statistics_in_batches(hypotheses, references, sources, progress, True, self.count):
            with guarded(f"metric {metric.name!r}"):
                if self._keeps_segments:
                    self._segments.append(np.asarray(metric.segment_scores(rows), float))
            if self._keeps_statistics:
                self._statistics.append(rows)
            # One after the other, so that no digit depends on the parts.
            rows = rows if self._sum is None else np.concatenate([self._sum[None], rows])
            self._sum = np.add.accumulate(rows, axis=0)[-1]
        self.count += len(hypotheses)

    def result(self) -> MetricScore:
        """Return the score; arrays that were not to be kept are empty.

        Raises:
            InputError: if no segment was added.
        """
        if self._sum is None:
            raise InputError("there are no segments to score")
        with guarded(f"metric {self._metric.name!r}"):
            whole = float(self._metric.corpus_scores(self._sum[None])[0])
        segments = np.concatenate(self._segments) if self._segments else np.empty(0)
        statistics = np.concatenate(self._statistics) if self._statistics else np.empty((0, len(self._sum)))
        return MetricScore(self._metric.label, whole, segments, statistics, self._metric.signature)


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


BATCH = 4096
"""Segments that are scored at once."""


def _numbers(scores: ArrayLike, label: str) -> Floats:
    """Return an answer as an array.

    Raises:
        InputError: for what is not a number.
    """
    if isinstance(scores, np.ndarray) and scores.dtype.kind in "biuf":
        return scores.astype(float)
    values: list[Any] = list(scores)  # type: ignore[arg-type]
    for score in values:
        if isinstance(score, str | bytes) or not hasattr(score, "__float__"):
            raise InputError(f"{label} gave {score!r} as a score; a number was expected")
    return np.array([float(score) for score in values], np.float64)


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


def output_key(signature: str, test: SystemOutputs, system: int) -> str:
    """Return the cache's key for a system's output under a metric."""
    texts = [test.outputs[system], *test.references, *([] if test.source is None else [test.source])]
    return f"{signature} {digest(digest(text) for text in texts)}"


def recall(cache: ArrayCache, key: str, wanted: Any) -> tuple[Floats | None, Integers]:
    """Return cached rows (NaN where there are none) and the positions of those that are wanted and missing."""
    kept = cache.get(key)
    if kept is None or "statistics" not in kept or len(kept["statistics"]) != len(wanted):
        return None, np.flatnonzero(wanted)
    rows: Floats = kept["statistics"].astype(float)
    return rows, np.flatnonzero(wanted & np.isnan(rows).any(axis=1))
