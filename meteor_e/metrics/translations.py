"""Functions that score several systems on a test set, and cache the statistics of segments.

A cell is the output of one system for one segment. Only the cells that are needed are scored.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.api.metrics import Metric, Scores, SystemOutputs, SystemsMetric, main_scores
from meteor_e.api.segments import Segment, System
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
        metric: the metric.
        test: outputs and references.
        cells: mask of the outputs whose scores are needed, ``(systems, segments)``.
        cache: cache of statistics.
        systems: whether scores of whole systems are needed, too.
        progress: called with the number of outputs that have been scored.
    """
    if isinstance(metric, SystemsMetric):
        return metric.score_systems(test, cells, cache, systems=systems, progress=progress)
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    prepared_metric = metric.prepare(references) if metric.needs_references else metric
    signature = prepared_metric.signature_for({len(test.references)})
    # The score of a system depends on all of its segments.
    needed_cells = np.ones_like(cells) if systems else cells
    system_statistics = _StatisticsLoader(prepared_metric, test, cache, signature).load(needed_cells, progress)
    segment_scores = [_score_segments(prepared_metric, statistics) for statistics in system_statistics]
    scores = Scores(
        prepared_metric.label,
        signature,
        segments=np.array(segment_scores, float).reshape(cells.shape),
        systems=np.full(len(test.systems), np.nan),
    )
    if not systems:
        return scores
    system_scores = _score_systems(prepared_metric, system_statistics)
    resample = functools.partial(_score_resampled, prepared_metric, system_statistics)
    return dataclasses.replace(scores, systems=system_scores, resample=resample)


def _score_resampled(metric: Metric, system_statistics: Sequence[Floats], system: int, weights: Floats) -> Floats:
    """Return a system's score on each resampled test set, ``(samples,)``.

    Args:
        metric: the metric.
        system_statistics: for each system the statistics of its segments, ``(segments, width)``.
        system: index of the system.
        weights: how often each segment occurs in each resampled test set, ``(samples, segments)``.
    """
    return main_scores(metric.scores(weights @ system_statistics[system]))


def _score_segments(metric: Metric, statistics: Floats) -> Floats:
    """Return a system's segment scores. A segment whose statistics are NaN has the score NaN.

    Args:
        metric: the metric.
        statistics: statistics of the segments, ``(segments, width)``.
    """
    segment_scores = np.full(len(statistics), np.nan)
    is_scored = ~np.isnan(statistics).any(axis=1)
    if is_scored.any():
        segment_scores[is_scored] = main_scores(metric.segment_scores(statistics[is_scored]))
    return segment_scores


def _score_systems(metric: Metric, system_statistics: Sequence[Floats]) -> Floats:
    """Return the score of each system.

    Args:
        metric: the metric.
        system_statistics: for each system the statistics of its segments, ``(segments, width)``.
    """
    system_scores = np.full(len(system_statistics), np.nan)
    for row, statistics in enumerate(system_statistics):
        system_scores[row] = main_scores(metric.scores(statistics.sum(axis=0)[None]))[0]
    return system_scores


def chain_statistics(
    meteor: Meteor, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, progress: Progress = silent
) -> Counts:
    """Return METEOR's statistics of system outputs, such as the numbers of matched words.

    The statistics do not depend on the parameters of METEOR's formula.

    Args:
        meteor: METEOR with the chain.
        test: outputs and references.
        cells: mask of the outputs whose statistics are needed, ``(systems, segments)``.
        cache: cache of statistics.
        progress: called with the number of outputs that have been scored.

    Returns:
        Statistics, ``(systems, segments, references, width)``. Outputs that are neither needed nor in the cache get -1.
    """
    signature = statistics_signature(meteor)
    width = statistics_width(len(meteor.matchers))
    result = np.empty((*cells.shape, len(test.references), width), np.int32)
    for reference_index, reference in enumerate(test.references):
        # METEOR ignores the source, so its cache keys do not depend on the source.
        single_reference_test = dataclasses.replace(test, references=(reference,), source=None)
        loader = _StatisticsLoader(meteor, single_reference_test, cache, signature)
        for system_index, statistics in enumerate(loader.load(cells, progress)):
            result[system_index, :, reference_index] = np.nan_to_num(statistics, nan=-1)
    return result


def statistics_signature(meteor: Meteor) -> str:
    """Return the cache key of a chain's statistics.

    The statistics do not depend on the parameters of METEOR's formula. Therefore, the cache key contains zeros instead
    of the parameters, and omits the name of the task for which the parameters were tuned.
    """
    chain = meteor.chain
    weights = (0.0,) * len(chain.parameters.weights)
    parameters = Parameters(0.0, 0.0, 0.0, 0.0, weights)
    return chain_signature(dataclasses.replace(chain, task="", parameters=parameters), meteor.components)


@dataclasses.dataclass(frozen=True)
class _StatisticsLoader:
    """Loads the statistics of segments from the cache, and computes missing statistics.

    Attributes:
        metric: the metric; prepared if it needs references.
        test: outputs and references.
        cache: cache of statistics.
        signature: the signature of the metric, which is a part of the cache keys.
    """

    metric: Metric
    test: SystemOutputs
    cache: ArrayCache
    signature: str

    def load(self, needed_cells: Cells, progress: Progress) -> list[Floats]:
        """Return an array of shape ``(segments, width)`` for each system. Each row holds the statistics of a segment.

        If the statistics of a segment are neither needed nor cached, the segment's row is filled with NaN. If no
        statistics of a system are needed or cached, the array of the system has a single column.

        Args:
            needed_cells: mask of the outputs whose statistics are needed, ``(systems, segments)``.
            progress: called with the number of outputs that have been scored.
        """
        system_statistics: list[Floats] = []
        finished_cells = 0
        for system_index, needed_segments in enumerate(needed_cells):
            system_statistics.append(self._load_system(system_index, needed_segments))
            finished_cells += int(needed_segments.sum())
            progress(self.metric.label, finished_cells, int(needed_cells.sum()))
        return system_statistics

    def _load_system(self, system_index: int, needed_segments: Cells) -> Floats:
        """Load the statistics of a system, compute missing statistics, and store them in the cache.

        Args:
            system_index: index of the system.
            needed_segments: mask of the segments whose statistics are needed, ``(segments,)``.
        """
        key = self._make_key(system_index)
        cached_statistics = self._read_cache(key)
        is_cached = ~np.isnan(cached_statistics).any(axis=1)
        missing_segments = np.flatnonzero(needed_segments & ~is_cached)
        if not len(missing_segments):
            return cached_statistics
        new_statistics = self._compute_statistics(system_index, missing_segments.tolist())
        statistics = np.full((len(self.test), new_statistics.shape[1]), np.nan)
        statistics[is_cached] = cached_statistics[is_cached]
        statistics[missing_segments] = new_statistics
        self.cache.put(key, {"statistics": statistics})
        return statistics

    def _make_key(self, system_index: int) -> str:
        """Return the cache key of a system's statistics, which contains the signature and a hash of all texts."""
        texts = [self.test.outputs[system_index], *self.test.references]
        if self.test.source is not None:
            texts.append(self.test.source)
        return f"{self.signature} {digest(digest(text) for text in texts)}"

    def _read_cache(self, key: str) -> Floats:
        """Return the cached statistics of a system's segments, ``(segments, width)``.

        If the cache does not contain statistics of all segments, the result is a single column of NaN.
        """
        entry = self.cache.get(key)
        if entry is not None and "statistics" in entry and len(entry["statistics"]) == len(self.test):
            statistics: Floats = entry["statistics"].astype(float)
            return statistics
        return np.full((len(self.test), 1), np.nan)

    def _compute_statistics(self, system_index: int, segment_indexes: Sequence[int]) -> Floats:
        """Compute the statistics of some segments of a system, ``(segments, width)``."""
        test = self.test
        segments = [
            Segment(
                id=index + 1,
                hypothesis=test.outputs[system_index][index],
                references=tuple(reference[index] for reference in test.references),
                source=None if test.source is None else test.source[index],
            )
            for index in segment_indexes
        ]
        system = System.from_segments(test.systems[system_index], segments)
        # The function evaluate() scores batches in several threads, and checks the results of the metric.
        # The argument finite=False allows missing scores. The caller decides whether a missing score is an error.
        table = evaluate([self.metric], [system], keep=KeptData(statistics=True), are_prepared=True, finite=False)
        statistics = table.systems[0].metrics[0].statistics
        assert statistics is not None
        return statistics
