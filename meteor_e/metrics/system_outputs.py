"""Any metric on the outputs of several systems: cells of systems and segments, kept in a cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from meteor_e.api.metrics import Metric, OutputsMetric, Scores, SystemOutputs
from meteor_e.api.sums import checked_statistics, main_scores
from meteor_e.base.array_cache import ArrayCache, Cells, Floats, Integers, digest
from meteor_e.base.progress import Progress, silent


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
