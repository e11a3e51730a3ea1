"""METEOR as a metric of an evaluation: statistics are computed once, parameters are applied afterwards."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from meteor_e.api.component import options_by_name
from meteor_e.api.languages import GREEK, Normalization
from meteor_e.api.metrics import Metric, MetricContext, Scores, SystemOutputs, named_options
from meteor_e.base.array_cache import ArrayCache, Cells, Floats, Integers, digest
from meteor_e.base.processes import worked_on
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.alignment_arrays import aligned
from meteor_e.scoring import arrays
from meteor_e.scoring.parameters import Parameters
from meteor_e.scoring.statistics import as_summed, statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor

__all__ = ["ChainMetric", "chain_statistics", "collect_statistics", "score_with_references", "statistics_signature"]

BATCH = 256
THREADED_BATCH = 8192


def statistics_signature(meteor: Meteor) -> str:
    """Return the signature of a chain's statistics: the metric's own, except for what is applied afterwards.

    It is the whole signature with the task, parameters and weights set to zero. So whatever a signature names (now
    or later) tells statistics apart in a cache.
    """
    chain = meteor.chain
    weights = (0.0,) * len(chain.parameters.weights)
    return meteor.signature_with(
        dataclasses.replace(chain, task="", parameters=Parameters(0.0, 0.0, 0.0, 0.0, weights))
    )


def collect_statistics(
    meteor: Meteor,
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> arrays.Counts:
    """Align pairs of texts and return their statistics, ``(pairs, width)``.

    Args:
        meteor: the chain.
        hypotheses: one text per pair.
        references: one text per pair.
        jobs: number of processes, where more threads than one are of no use.
        progress: told the number of pairs done and of all.
    """
    distinct: dict[tuple[str, str], int] = {}
    at = [distinct.setdefault(pair, len(distinct)) for pair in zip(hypotheses, references, strict=True)]
    pairs = list(distinct)
    if meteor.max_threads != 1:
        # Threads do what processes would, and profit from long batches.
        jobs = 1
    size = BATCH if meteor.max_threads == 1 else THREADED_BATCH
    batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    width = statistics_width(len(meteor.matchers))
    counts = np.empty((len(pairs), width), np.int32)
    done = 0
    for number, rows in worked_on(_statistics, meteor, batches, min(jobs, len(batches))):
        counts[number * size : number * size + len(rows)] = rows
        done += len(rows)
        progress("aligning", done * len(at) // len(pairs), len(at))
    return counts[np.array(at, np.int64)]


def _statistics(meteor: Meteor, pairs: Sequence[tuple[str, str]]) -> Integers:
    hypotheses, references = zip(*pairs, strict=True)
    return aligned(meteor, hypotheses, [(text,) for text in references]).statistics


def chain_statistics(
    meteor: Meteor,
    test: SystemOutputs,
    cells: Cells,
    cache: ArrayCache,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> arrays.Counts:
    """Return the statistics of cells of a test set, from the cache where it has them.

    Returns:
        ``(systems, segments, references, width)``; -1 in cells that were not asked for and are not known.
    """
    signature = statistics_signature(meteor)
    width = statistics_width(len(meteor.matchers))
    result = np.full((*cells.shape, len(test.references), width), -1, np.int32)
    work = []
    for column, reference in enumerate(test.references):
        of_reference = digest(reference)
        for row, output in enumerate(test.outputs):
            key = f"{signature} {digest(output)} {of_reference}"
            kept = cache.get(key)
            if kept is not None and kept["statistics"].shape == (len(test), width):
                result[row, :, column] = kept["statistics"]
            missing = np.flatnonzero(cells[row] & (result[row, :, column, 0] < 0))
            if len(missing):
                work.append((row, column, missing, key))
    everything, done = sum(len(missing) for _, _, missing, _ in work), 0
    # Systems are sent off together, so that equal outputs are aligned once and all processes have work.
    for group in _groups(work):
        hypotheses = [test.outputs[row][at] for row, _, missing, _ in group for at in missing]
        references = [test.references[column][at] for _, column, missing, _ in group for at in missing]
        before = done

        def tell(stage: str, done: float, total: float | None, before: int = before) -> None:
            progress(stage, before + done, everything)

        counts = collect_statistics(meteor, hypotheses, references, jobs=jobs, progress=tell)
        start = 0
        for row, column, missing, key in group:
            result[row, missing, column] = counts[start : start + len(missing)]
            start += len(missing)
            cache.put(key, {"statistics": result[row, :, column]})
        done += start
    return result


_Work = tuple[int, int, "np.ndarray[Any, np.dtype[np.int64]]", str]


def _groups(work: Sequence[_Work], size: int = 20_000) -> Iterator[list[_Work]]:
    group: list[_Work] = []
    count = 0
    for item in work:
        group.append(item)
        count += len(item[2])
        if count >= size:
            yield group
            group, count = [], 0
    if group:
        yield group


def score_with_references(counts: arrays.Counts, parameters: Parameters) -> tuple[Floats, arrays.Counts]:
    """Score segments that have several references: the best counts, of equals the first.

    Args:
        counts: ``(…, references, width)``.
        parameters: of the formula.

    Returns:
        Scores ``(…)`` and the statistics of the reference that counts ``(…, width)``.
    """
    scores = arrays.score_arrays(counts, parameters)
    best = scores.argmax(axis=-1)
    chosen = np.take_along_axis(counts, best[..., None, None], axis=-2)[..., 0, :]
    return np.take_along_axis(scores, best[..., None], axis=-1)[..., 0], chosen


class ChainMetric(Metric):
    """METEOR with a chain: a YAML file, or the name of one that is installed.

    Args:
        source: a chain file, name or mapping for every language; ``None`` for the default of each language.
        name: what tables call it.
        options: keys of the chain to replace, such as ``task``.
        jobs: number of processes that align.
        context: what :meth:`create` was given.
    """

    name: ClassVar[str] = "chain"
    title: ClassVar[str] = "METEOR"
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
    def create(cls, context: MetricContext, options: Any) -> ChainMetric:
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

    @classmethod
    def streams(cls) -> bool:
        """Say that it does: of the references, nothing has to be known before."""
        return True

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return METEOR's statistics of the reference that counts, ``(segments, width)``."""
        found = aligned(self.current, hypotheses, references, before=self.scored_before)
        return as_summed(found.statistics.astype(float))

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return METEOR of summed statistics."""
        return arrays.score_arrays(sums, self.current.chain.parameters)

    def pairwise_batches(
        self, sources: Iterable[Sequence[str]], language: str = "", references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[Floats]:
        """Score candidates against one another, or against references; each text is read once."""
        self._meteor = self.meteor(language or self.language)
        return self._meteor.pairwise_batches(sources, references)

    def score_outputs(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Score cells; whole systems by the formula on the sums of their segments.

        Statistics are kept by hypothesis and reference, so that another task or other weights align nothing again.
        """
        meteor = self._meteor = self.meteor(test.language)
        wanted = np.ones_like(cells) if systems else cells
        counts = chain_statistics(meteor, test, wanted, cache, jobs=self._context.jobs, progress=progress)
        parameters = meteor.chain.parameters
        known = counts[..., 0, 0] >= 0
        segments = np.full(cells.shape, np.nan)
        segments[known], chosen = score_with_references(counts[known], parameters)
        whole = np.full(len(test.systems), np.nan)
        resample = None
        if systems:
            sums = as_summed(chosen).reshape(*cells.shape, -1).astype(float)
            whole = arrays.score_arrays(sums.sum(axis=1), parameters)

            def resample(system: int, weights: Floats) -> Floats:
                return arrays.score_arrays(weights @ sums[system], parameters)

        return Scores(self.label, meteor.signature, segments, whole, resample)


class MeteorMetric(ChainMetric):
    """METEOR with the language's defaults; options are keys of a chain, as in ``meteor:task=adq,beam=5``."""

    name: ClassVar[str] = "meteor"

    Options: ClassVar[Any] = "meteor_e.chains.schemas:MeteorOptions"

    @classmethod
    def create(cls, context: MetricContext, options: Any) -> MeteorMetric:
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
