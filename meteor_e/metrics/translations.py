"""Metrics on translations of a test set by several systems: cells of systems and segments, kept in a cache."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.api.metrics import Metric, Scores, SystemOutputs, SystemsMetric, main_scores
from meteor_e.api.segments import System
from meteor_e.base.array_cache import ArrayCache, Cells, Floats, digest
from meteor_e.base.progress import Progress, silent
from meteor_e.chains.chain import signature as chain_signature
from meteor_e.evaluate import KeptData, evaluate
from meteor_e.scoring.arrays import Counts
from meteor_e.scoring.statistics import statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


def score_test_set(
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
    if isinstance(metric, SystemsMetric):
        return metric.score_systems(test, cells, cache, systems=systems, progress=progress)
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    metric = metric.prepare(references) if metric.needs_references else metric
    wanted = np.ones_like(cells) if systems else cells
    kept = _statistics(metric, test, wanted, cache, progress)
    segments = np.full(cells.shape, np.nan)
    whole = np.full(len(test.systems), np.nan)
    for row, statistics in enumerate(kept):
        known = ~np.isnan(statistics).any(axis=1)
        if known.any():
            segments[row, known] = main_scores(metric.segment_scores(statistics[known]))
        if systems:
            whole[row] = main_scores(metric.scores(statistics.sum(axis=0)[None]))[0]

    def resample(system: int, weights: Floats) -> Floats:
        return main_scores(metric.scores(weights @ kept[system]))

    counts = {len(test.references)}
    return Scores(metric.label, metric.signature_for(counts), segments, whole, resample if systems else None)


def chain_statistics(
    meteor: Meteor, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, progress: Progress = silent
) -> Counts:
    """Return a chain's statistics of cells of a test set; parameters are applied afterwards.

    Returns:
        ``(systems, segments, references, width)``; -1 in cells that were not asked for and are not known.
    """
    signature = statistics_signature(meteor)
    result = np.full((*cells.shape, len(test.references), statistics_width(len(meteor.matchers))), -1, np.int32)
    for column, reference in enumerate(test.references):
        alone = SystemOutputs(test.name, test.pair, test.language, test.systems, test.outputs, (reference,))
        for row, statistics in enumerate(_statistics(meteor, alone, cells, cache, progress, signature)):
            known = ~np.isnan(statistics).any(axis=1)
            result[row, known, column] = statistics[known]
    return result


def statistics_signature(meteor: Meteor) -> str:
    """Return the signature of a chain's statistics: the metric's own, except for what is applied afterwards.

    It is the whole signature with the task, parameters and weights set to zero. So whatever a signature names (now
    or later) tells statistics apart in a cache.
    """
    chain = meteor.chain
    weights = (0.0,) * len(chain.parameters.weights)
    parameters = Parameters(0.0, 0.0, 0.0, 0.0, weights)
    return chain_signature(dataclasses.replace(chain, task="", parameters=parameters), meteor.components)


def _statistics(
    metric: Metric, test: SystemOutputs, wanted: Cells, cache: ArrayCache, progress: Progress, signature: str = ""
) -> list[Floats]:
    """Return for each system ``(segments, width)``, NaN where nothing was asked for and nothing is known.

    Args:
        metric: what scores; prepared if it needs references.
        test: outputs and references.
        wanted: the cells that are needed.
        cache: where statistics are kept.
        progress: told about the work.
        signature: the key in the cache; by default the metric's own.
    """
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    signature = signature or metric.signature_for({*map(len, references)})
    found: list[Floats] = []
    done, everything = 0, int(wanted.sum())
    for row, (name, output) in enumerate(zip(test.systems, test.outputs, strict=True)):
        texts = [output, *test.references, *([] if test.source is None else [test.source])]
        key = f"{signature} {digest(digest(text) for text in texts)}"
        kept = cache.get(key) or {}
        statistics = kept.get("statistics", np.empty((0, 0))).astype(float)
        if len(statistics) != len(test):
            statistics = np.full((len(test), 1), np.nan)
        missing = np.flatnonzero(wanted[row] & np.isnan(statistics).any(axis=1))
        if len(missing):
            system = System.from_lists(
                name,
                [output[at] for at in missing],
                [references[at] for at in missing],
                None if test.source is None else [test.source[at] for at in missing],
            )
            # Whether scores may be missing is for the evaluation to say.
            table = evaluate([metric], [system], keep=KeptData(statistics=True), are_prepared=True, finite=False)
            fresh = table.systems[0].metrics[0].statistics
            assert fresh is not None
            if statistics.shape[1] != fresh.shape[1]:
                statistics = np.full((len(test), fresh.shape[1]), np.nan)
            statistics[missing] = fresh
            cache.put(key, {"statistics": statistics})
        found.append(statistics)
        done += int(wanted[row].sum())
        progress(metric.label, done, everything)
    return found
