"""Any metric on the outputs of several systems: cells of systems and segments, kept in a cache; and pairs of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from meteor_e.api.metrics import Metric, MetricScore, OutputsMetric, Scores, SystemOutputs
from meteor_e.api.sums import checked_statistics, main_scores
from meteor_e.base.array_cache import ArrayCache, Cells, Floats, Integers, digest
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import candidates, listed
from meteor_e.results import SystemTexts, score


def score_outputs(
    metric: Metric,
    test: SystemOutputs,
    cells: Cells,
    cache: ArrayCache,
    *,
    systems: bool,
    progress: Progress = silent,
) -> Scores:
    """Score the systems of a test set.

    Args:
        metric: what scores.
        test: outputs and references.
        cells: the cells whose scores are needed, ``(systems, segments)``.
        cache: where statistics are kept.
        systems: whether scores of whole systems are needed, too.
        progress: told about the work.
    """
    if isinstance(metric, OutputsMetric):
        return metric.score_outputs(test, cells, cache, systems=systems, progress=progress)
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    metric.prepare(references, test.language)
    wanted = np.ones_like(cells) if systems else cells
    segments = np.full(cells.shape, np.nan)
    whole = np.full(len(test.systems), np.nan)
    kept: list[Floats] = []
    done, everything = 0, int(wanted.sum())
    for row, output in enumerate(test.outputs):
        texts = [output, *test.references, *([] if test.source is None else [test.source])]
        key = f"{metric.signature} {digest(digest(text) for text in texts)}"
        statistics, missing = _recall(cache, key, wanted[row])
        if len(missing):
            fresh = checked_statistics(
                metric,
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
            segments[row, known] = main_scores(metric.segment_scores(statistics[known]))
            if systems:
                whole[row] = main_scores(metric.corpus_scores(statistics.sum(axis=0)[None]))[0]
                kept.append(statistics)
        done += int(wanted[row].sum())
        progress(metric.label, done, everything)

    def resample(system: int, weights: Floats) -> Floats:
        return main_scores(metric.corpus_scores(weights @ kept[system]))

    return Scores(metric.label, metric.signature, segments, whole, resample if systems else None)


def _recall(cache: ArrayCache, key: str, wanted: Any) -> tuple[Floats | None, Integers]:
    """Return cached rows (NaN where there are none) and the positions of those that are wanted and missing."""
    kept = cache.get(key)
    if kept is None or "statistics" not in kept or len(kept["statistics"]) != len(wanted):
        return None, np.flatnonzero(wanted)
    rows: Floats = kept["statistics"].astype(float)
    return rows, np.flatnonzero(wanted & np.isnan(rows).any(axis=1))


def metric_score(metric: Metric, system: SystemTexts, language: str = "", progress: Progress = silent) -> MetricScore:
    """Score one system with a metric of any kind.

    Args:
        metric: what scores.
        system: what is scored.
        language: ISO code of the text.
        progress: told about the work.

    Raises:
        InputError: if segments differ in their number of references, for a metric that scores whole systems.
    """
    found = score([metric], [system], language=language, progress=progress, keep=True).kept()
    segments = np.array([row.found[0].values[0] for row in found.rows() if row.segment is not None])
    whole = found.whole[0].found[0].values[0]
    return MetricScore(metric.label, whole, segments, found.sums[0][0].statistics, metric.signature)


def pairwise_batches(
    metric: Metric,
    sources: Iterable[Sequence[str]],
    language: str = "",
    references: Iterable[Sequence[str]] | None = None,
) -> Iterator[Floats]:
    """Score every candidate of a source against every candidate of it.

    Args:
        metric: what scores; one with a method ``pairwise_batches`` does it its own way.
        sources: for each source its candidates.
        language: ISO code of the text; empty where it is not known.
        references: for each source its references; by default its candidates.

    Yields:
        For each source ``(candidates, references)``.

    Raises:
        InputError: for what is not a list of texts, with the number of the source.
    """
    own = getattr(metric, "pairwise_batches", None)
    if own is not None:
        yield from own(sources, language, references)
        return
    left = listed(sources, "sources", "source")
    # Where one side has more sources, the other has no list of texts for them.
    sides = zip_longest(left, () if references is None else listed(references, "references", "source"))
    for number, (given, other) in enumerate(sides, 1):
        texts = candidates(given, number)
        others = texts if references is None else candidates(other, number)
        if not texts or not others:
            yield np.empty((len(texts), len(others)))
            continue
        metric.prepare([[text] for text in others], language or metric.language)
        hypotheses = [text for text in texts for _ in others]
        rows = checked_statistics(metric, hypotheses, [[text] for text in others] * len(texts))
        yield np.asarray(main_scores(metric.segment_scores(rows)), float).reshape(len(texts), len(others))
