"""What a metric is to an evaluation, and how text becomes scores once and for all.

A metric gives scores for the cells of a test set, a cell being one segment of one system. Learned metrics plug in
as a :class:`SegmentScorer`: a name, a signature and one function from texts to numbers.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import ArrayCache, digest
from meteor_e.base.errors import InputError
from meteor_e.evaluation.data import TestSet
from meteor_e.evaluation.judgements import Floats

__all__ = ["Cells", "Metric", "Progress", "ScorerMetric", "Scores", "SegmentScorer"]

Cells = NDArray[np.bool_]
"""Which cells are wanted: ``(systems, segments)`` truth values."""

Progress = Callable[[int, int], object]
"""Called with the number of segments done and of all."""


@dataclass(frozen=True)
class Scores:
    """A metric's scores on a test set.

    Attributes:
        name: of the metric.
        signature: what must be the same for the scores to be the same.
        segments: ``(systems, segments)``; NaN where none is known. The higher, the better.
        systems: ``(systems,)``; NaN where none is known. The higher, the better.
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


class Metric(ABC):
    """A source of scores.

    Attributes:
        name: what tables call it.
    """

    name: str

    @abstractmethod
    def score(
        self, test: TestSet, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Score a test set.

        Args:
            test: the test set.
            cells: the cells whose scores are needed.
            cache: where results are kept.
            systems: whether scores of whole systems are needed, too.
            progress: told about the work.
        """


class SegmentScorer(Protocol):
    """A metric that scores one segment at a time; the interface for learned models.

    Attributes:
        name: what tables call it.
        signature: what must be the same for scores to be the same: model, version, options.
    """

    name: str
    signature: str

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None
    ) -> Sequence[float]:
        """Score segments.

        Args:
            hypotheses: one a segment.
            references: for each segment its references.
            sources: one a segment, or ``None``.

        Returns:
            One number a segment; the higher, the better.
        """


@dataclass
class ScorerMetric(Metric):
    """Makes a metric of a :class:`SegmentScorer`; a system's score is the mean of its segments'."""

    scorer: SegmentScorer
    name: str = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.name = self.scorer.name

    def score(
        self, test: TestSet, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Score what the cache does not have."""
        wanted = np.ones_like(cells) if systems else cells
        values = np.full(cells.shape, np.nan)
        done, everything = 0, int(wanted.sum())
        for row, output in enumerate(test.outputs):
            key = output_key(self.scorer.signature, test, row)
            values[row], missing = recall(cache, key, wanted[row])
            if len(missing):
                fresh = self.scorer.score_segments(
                    [output[at] for at in missing],
                    [[reference[at] for reference in test.references] for at in missing],
                    None if test.source is None else [test.source[at] for at in missing],
                )
                if len(fresh) != len(missing):
                    raise InputError(f"{self.name} gave {len(fresh)} scores for {len(missing)} segments")
                values[row, missing] = _numbers(fresh, self.name)
                cache.put(key, {"scores": values[row]})
            done += int(wanted[row].sum())
            if progress is not None:
                progress(done, everything)
        whole = values.mean(axis=1) if systems else np.full(len(values), np.nan)
        return Scores(self.name, self.scorer.signature, values, whole)


def _numbers(scores: Sequence[float], name: str) -> Floats:
    """Return a scorer's answer as an array.

    Raises:
        InputError: for what is not a number.
    """
    for score in scores:
        if isinstance(score, str | bytes) or not hasattr(score, "__float__"):
            raise InputError(f"{name} gave {score!r} as a score; a number was expected")
    return np.array([float(score) for score in scores], float)


def output_key(signature: str, test: TestSet, system: int) -> str:
    """Return the cache's key for a system's output under a metric."""
    texts = [test.outputs[system], *test.references, *([] if test.source is None else [test.source])]
    return f"{signature} {digest(digest(text) for text in texts)}"


def recall(cache: ArrayCache, key: str, wanted: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.int64]]:
    """Return cached scores (NaN where there are none) and the positions of those that are wanted and missing."""
    values = np.full(wanted.shape, np.nan)
    kept = cache.get(key)
    if kept is not None and kept["scores"].shape == values.shape:
        values = kept["scores"].astype(float)
    return values, np.flatnonzero(wanted & np.isnan(values))
