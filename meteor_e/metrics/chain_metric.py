"""METEOR as a metric: with the language's defaults, or with any chain."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.component import options_by_name
from meteor_e.api.languages import GREEK, Normalization
from meteor_e.api.metrics import Metric, MetricContext, Scores, SystemOutputs, named_options
from meteor_e.api.outputs import SegmentRow, Wanted
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.engine.protocol import Scored
from meteor_e.engine.streaming import SegmentBatch
from meteor_e.scoring.formula import PARTS
from meteor_e.scoring.results import Score, SegmentScore
from meteor_e.scoring.statistics import StatisticsSum

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import ArrayCache, Cells, Floats
    from meteor_e.meteor import Meteor
    from meteor_e.metrics.aggregation import Aggregated


class ChainMetric(Metric):
    """METEOR with a chain: a YAML file, or the name of one that is installed.

    Args:
        source: a chain file, name or mapping for every language; ``None`` for the default of each language.
        name: what tables call it.
        options: keys of the chain to replace, such as ``task``.
        jobs: number of processes that align.
        context: what :meth:`from_options` was given.
    """

    name: ClassVar[str] = "chain"
    title: ClassVar[str] = "METEOR"
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    streaming: ClassVar[bool] = True
    by_system: ClassVar[bool] = False
    Options: ClassVar[Any] = "meteor_e.chains.schemas:ChainOptions"

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        *,
        name: str = "METEOR",
        options: Mapping[str, Any] | None = None,
        jobs: int = 1,
        context: MetricContext | None = None,
    ) -> None:
        self.label = name
        self._source = source
        self._options = dict(options or {})
        self._context = MetricContext(jobs=jobs) if context is None else context
        self._meteors: dict[str, Meteor] = {}
        self._meteor: Meteor | None = None
        self.language = self._context.language

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> ChainMetric:
        """Make the metric; the chain is opened when the language is known."""
        given = _given(options)
        source = given.pop("source")
        is_file = "/" in source or source.endswith(CHAIN_FILES)
        return cls(Path(source) if is_file else source, name=Path(source).stem, options=_keys(given), context=context)

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``NAME,key=value,key=value``."""
        source, _, options = text.partition(",")
        return {"source": source, **named_options(options, f"metric {cls.name!r}")}

    @classmethod
    def of(cls, meteor: Meteor, name: str = "METEOR") -> ChainMetric:
        """Return a chain that is made already as a metric, for its language."""
        metric = cls(name=name)
        metric._meteors = dict.fromkeys(("", meteor.chain.language.code), meteor)
        metric._meteor = meteor
        metric.language = meteor.chain.language.code
        return metric

    def meteor(self, language: str) -> Meteor:
        """Return the chain for a language; ``""`` is English, as for :class:`~meteor_e.Meteor`."""
        from meteor_e.meteor import Meteor

        if language not in self._meteors:
            given: dict[str, Any] = {
                "offline": self._context.offline,
                "threads": self._context.threads,
                **self._options,
            }
            named = {"language": language} if language else {}
            if self._source is None:
                made = Meteor(**{**named, **given})
            elif isinstance(self._source, Mapping) and "language" not in self._source:
                made = Meteor.from_config({**named, **self._source}, **given)
            else:
                made = Meteor.from_config(self._source, **given)
            self._meteors[language] = made
        return self._meteors[language]

    @property
    def current(self) -> Meteor:
        """The chain for the language that is scored."""
        if self._meteor is None:
            self._meteor = self.meteor(self.language)
        return self._meteor

    @property
    def signature(self) -> str:  # type: ignore[override]
        """METEOR's signature."""
        return self.current.signature

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Take the language."""
        self._meteor = self.meteor(language or self.language)

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return METEOR's statistics of the reference that counts, ``(segments, width)``."""
        from meteor_e.metrics.alignment_arrays import aligned
        from meteor_e.scoring.statistics import as_summed

        found = aligned(self.current, hypotheses, references, before=self.scored_before)
        return as_summed(found.statistics.astype(float))

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return METEOR of summed statistics."""
        from meteor_e.scoring import arrays

        return arrays.score_arrays(sums, self.current.chain.parameters)

    def about(self) -> Mapping[str, Any]:
        """Return the chain, and what computes."""
        return {"chain": self.current.chain.effective(), "engine": self.current.engine}

    def running(self, wanted: Wanted, *, shared: bool) -> MeteorRunning:
        """Return what scores a system; where metrics share alignments, they are looked up there."""
        return MeteorRunning(self.current, wanted, shared)

    def pairwise_batches(
        self, sources: Iterable[Sequence[str]], language: str = "", references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[Floats]:
        """Score candidates against one another, or against references; each text is read once."""
        self._meteor = self.meteor(language or self.language)
        return self._meteor.pairwise_batches(sources, references)

    def aggregated(
        self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats, language: str = ""
    ) -> Aggregated:
        """Approximate expected scores; see :mod:`meteor_e.metrics.aggregation`."""
        from meteor_e.metrics.aggregation import meteor_aggregated

        self._meteor = self.meteor(language or self.language)
        return meteor_aggregated(self._meteor, hypotheses, references, weights)

    def score_outputs(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Score cells; statistics are kept by hypothesis and reference."""
        from meteor_e.metrics.output_statistics import chain_scores

        meteor = self._meteor = self.meteor(test.language)
        jobs = self._context.jobs
        return chain_scores(self.label, meteor, test, cells, cache, systems=systems, jobs=jobs, progress=progress)


class MeteorRunning:
    """A system's METEOR while its segments are read; see :class:`meteor_e.api.running.Running`.

    Args:
        meteor: what scores.
        wanted: what to keep.
        shared: whether alignments are shared with other metrics.
    """

    def __init__(self, meteor: Meteor, wanted: Wanted, shared: bool = False) -> None:
        self._meteor, self._wanted, self._shared = meteor, wanted, shared
        self._kept: list[list[int]] = []
        self.total = StatisticsSum(len(meteor.matchers))

    def add(self, pairs: Iterable[tuple[str, Sequence[str]]]) -> Iterator[tuple[int, list[SegmentRow]]]:
        """Score segments, batch by batch."""
        meteor, wanted = self._meteor, self._wanted
        batches: Iterable[tuple[SegmentBatch, Scored]]
        if self._shared and not wanted.alignments:
            batches = [self._looked_up(list(pairs))]
        else:
            hypotheses, references = itertools.tee(pairs)
            sides = map(itemgetter(0), hypotheses), map(itemgetter(1), references)
            batches = meteor.scored_batches(*sides, alignments=wanted.alignments)
        before = self.total.segments
        for batch, scored in batches:
            count = len(batch.hypotheses)
            found: list[SegmentRow] = []
            if wanted.segments or wanted.statistics or scored.failures:
                numbered = batch._replace(first=batch.first + before)
                for segment in meteor.segment_scores(numbered, scored):
                    found.append(self._row(segment))
                    if scored.failures:
                        self.total.add(segment.statistics)
                if len(found) < count:
                    raise ConfigError("a metric needs a row for every segment; on_error 'skip' leaves some out")
            if not scored.failures:
                self.total.add_total(scored.total, count)
            yield count, found

    def _looked_up(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> tuple[SegmentBatch, Scored]:
        """Return a batch of segments that another metric may have aligned already."""
        from meteor_e.metrics.alignment_arrays import aligned
        from meteor_e.scoring.statistics import as_summed

        texts, lists = [text for text, _ in pairs], [references for _, references in pairs]
        found = aligned(self._meteor, texts, lists, before=self.total.segments)
        total: list[int] = as_summed(found.statistics).sum(axis=0).tolist()
        rows = found.statistics.tobytes(), found.scores.tobytes(), found.references.tobytes()
        return SegmentBatch(1, texts, lists), Scored(*rows, failures={}, alignments=[], total=total)

    def _row(self, segment: SegmentScore) -> SegmentRow:
        if self._wanted.statistics:
            self._kept.append(segment.statistics.to_vector())
        values = tuple([getattr(segment, part) for part in PARTS])
        details = {}
        if self._wanted.details:
            details = {**_counted(segment), "reference_index": segment.reference_index}
        if self._wanted.alignments:
            details["alignment"] = segment.alignment
        return SegmentRow(values, details or None)

    @property
    def statistics(self) -> Floats:
        """Statistics of all segments, as they are summed."""
        import numpy as np

        from meteor_e.scoring.statistics import as_summed

        return as_summed(np.array(self._kept, float))

    def row(self) -> SegmentRow:
        """Return the score of the system and its parts."""
        return corpus_row(self._meteor, self.total)


def corpus_row(meteor: Meteor, total: StatisticsSum) -> SegmentRow:
    """Return what a table says of a system whose statistics are summed.

    Raises:
        InputError: if it has no segments.
    """
    if not total.segments:
        raise InputError("there are no segments to score")
    corpus = meteor.corpus_score(total)
    return SegmentRow(tuple([getattr(corpus, part) for part in PARTS]), _counted(corpus))


def _counted(score: Score) -> dict[str, Any]:
    """Return what a score was computed from."""
    found = Score.to_dict(score)
    return {name: found[name] for name in ("matchers", "statistics")}


class MeteorMetric(ChainMetric):
    """METEOR with the language's defaults; options are keys of a chain, as in ``meteor:task=adq,beam=5``."""

    name: ClassVar[str] = "meteor"

    Options: ClassVar[Any] = "meteor_e.chains.schemas:MeteorOptions"

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> MeteorMetric:
        """Make the metric; the label names the keys that are given."""
        given = _given(options)
        text = ",".join(f"{key}={str(value).removesuffix('.0')}" for key, value in given.items())
        return cls(name="METEOR" + (f" {text}" if text else ""), options=_keys(given), context=context)

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``key=value,key=value``."""
        return named_options(text, f"metric {cls.name!r}")


CHAIN_FILES = (".yaml", ".yml", ".json")
"""What the names of chain files end in."""


def _given(options: Any) -> dict[str, Any]:
    """Return the options that are given, by name."""
    given = {name: value for name, value in options_by_name(options).items() if value is not None}
    return {name: value.value if isinstance(value, Normalization) else value for name, value in given.items()}


def _keys(given: dict[str, Any]) -> dict[str, Any]:
    """Return keys of a chain from the options of a specification; parameters stand beside the other keys there."""
    parameters = {name: given[name] for name in GREEK if name in given}
    keys = {name: value for name, value in given.items() if name not in parameters}
    if isinstance(keys.get("matchers"), str):
        keys["matchers"] = keys["matchers"].replace("+", " ").split()
    if parameters:
        keys["parameters"] = {**keys.get("parameters", {}), **parameters}
    return keys
