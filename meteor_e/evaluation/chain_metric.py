"""METEOR as a metric of an evaluation: statistics are computed once, parameters are applied afterwards."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e.base.array_cache import ArrayCache, digest
from meteor_e.evaluation import arrays
from meteor_e.evaluation.data import TestSet
from meteor_e.evaluation.judgements import Floats
from meteor_e.evaluation.metrics import Cells, Metric, Progress, Scores
from meteor_e.scoring.parameters import Parameters
from meteor_e.scoring.statistics import as_summed
from meteor_e.scoring.statistics import width as statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor

__all__ = ["ChainMetric", "chain_statistics", "collect_statistics", "score_with_references", "statistics_signature"]

BATCH = 256
NATIVE_BATCH = 8192


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
    progress: Callable[[int], object] | None = None,
) -> arrays.Counts:
    """Align pairs of texts and return their statistics, ``(pairs, width)``.

    Args:
        meteor: the chain.
        hypotheses: one text a pair.
        references: one text a pair.
        jobs: number of processes, where the native core is not there.
        progress: told the number of pairs done.
    """
    distinct: dict[tuple[str, str], int] = {}
    at = [distinct.setdefault(pair, len(distinct)) for pair in zip(hypotheses, references, strict=True)]
    pairs = list(distinct)
    if meteor.engine == "native":
        # The native core has threads of its own, and profits from long batches.
        jobs = 1
    size = NATIVE_BATCH if meteor.engine == "native" else BATCH
    batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    rows: list[list[int]] = []
    for part in _run(meteor, batches, jobs):
        rows += part
        if progress is not None:
            progress(len(rows) * len(at) // len(pairs))
    width = statistics_width(len(meteor.matchers))
    counts = np.array(rows, np.int32).reshape(len(pairs), width)
    return counts[np.array(at, np.int64)]


def _run(meteor: Meteor, batches: Sequence[list[tuple[str, str]]], jobs: int) -> Iterator[list[list[int]]]:
    if jobs <= 1 or len(batches) <= 1:
        yield from (_statistics(meteor, batch) for batch in batches)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(min(jobs, len(batches)), initializer=_set_meteor, initargs=(meteor,)) as pool:
        yield from pool.map(_statistics_there, batches)


def _statistics(meteor: Meteor, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    hypotheses, references = zip(*pairs, strict=True)
    return [segment.statistics.to_vector() for segment in meteor.segments(hypotheses, references)]


_meteor: Meteor | None = None


def _set_meteor(meteor: Meteor) -> None:
    global _meteor
    _meteor = meteor


def _statistics_there(pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    assert _meteor is not None
    return _statistics(_meteor, pairs)


def chain_statistics(
    meteor: Meteor,
    test: TestSet,
    cells: Cells,
    cache: ArrayCache,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
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

        def tell(count: int, before: int = before) -> None:
            if progress is not None:
                progress(before + count, everything)

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
    scores = arrays.score(counts, parameters)
    best = scores.argmax(axis=-1)
    chosen = np.take_along_axis(counts, best[..., None, None], axis=-2)[..., 0, :]
    return np.take_along_axis(scores, best[..., None], axis=-1)[..., 0], chosen


class ChainMetric(Metric):
    """METEOR with a chain.

    Args:
        source: a chain file, name or mapping for every language; ``None`` for the default of each language.
        name: what tables call it.
        options: keys of the chain to replace, such as ``task``.
        jobs: number of processes that align.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        *,
        name: str = "METEOR",
        options: Mapping[str, Any] | None = None,
        jobs: int = 1,
    ) -> None:
        self.name = name
        self._source = source
        self._options = dict(options or {})
        self._jobs = jobs
        self._meteors: dict[str, Meteor] = {}

    def meteor(self, language: str) -> Meteor:
        """Return the chain for a language."""
        from meteor_e.meteor import Meteor

        if language not in self._meteors:
            if self._source is None:
                self._meteors[language] = Meteor(language, **self._options)
            elif isinstance(self._source, Mapping) and "language" not in self._source:
                self._meteors[language] = Meteor.from_config({"language": language, **self._source}, **self._options)
            else:
                self._meteors[language] = Meteor.from_config(self._source, **self._options)
        return self._meteors[language]

    def score(
        self, test: TestSet, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Score cells; whole systems by the formula on the sums of their segments."""
        meteor = self.meteor(test.language)
        wanted = np.ones_like(cells) if systems else cells
        counts = chain_statistics(meteor, test, wanted, cache, jobs=self._jobs, progress=progress)
        parameters = meteor.chain.parameters
        known = counts[..., 0, 0] >= 0
        segments = np.full(cells.shape, np.nan)
        segments[known], chosen = score_with_references(counts[known], parameters)
        whole = np.full(len(test.systems), np.nan)
        resample = None
        if systems:
            sums = as_summed(chosen).reshape(*cells.shape, -1).astype(float)
            whole = arrays.score(sums.sum(axis=1), parameters)

            def resample(system: int, weights: Floats) -> Floats:
                return arrays.score(weights @ sums[system], parameters)

        return Scores(self.name, meteor.signature, segments, whole, resample)
