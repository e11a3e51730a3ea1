"""The measures of an evaluation, by name: from judgements and scores to one number and its bootstrap samples."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from meteor_e.api.metrics import Scores
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.evaluation import kendall
from meteor_e.evaluation.correlation import correlate, grouped_pearson
from meteor_e.evaluation.data import TestSet
from meteor_e.evaluation.judgements import Floats, Rankings

__all__ = ["MEASURES", "Measure", "human_system_scores", "measure", "pairs_of"]


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of agreement between a metric and people.

    Attributes:
        name: as on the command line.
        title: as in tables.
        level: ``segment`` or ``system``.
    """

    name: str
    title: str
    level: str

    @abstractmethod
    def value(self, test: TestSet, scores: Scores) -> float:
        """Return the measure; NaN where the test set has no judgements for it."""

    @abstractmethod
    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the measure on resampled test sets.

        Args:
            test: the test set.
            scores: the metric's scores.
            weights: ``(samples, segments)``.
        """


def pairs_of(test: TestSet) -> Rankings | None:
    """Return pairwise judgements: rankings, else comparisons of assessments of the same segment."""
    if test.rankings is not None:
        return test.rankings
    return None if test.assessments is None else test.assessments.comparisons()


@dataclass(frozen=True)
class PairMeasure(Measure):
    """A variant of Kendall's τ, or accuracy, over pairs of systems on a segment."""

    variant: str

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return τ."""
        rankings = pairs_of(test)
        if rankings is None:
            return math.nan
        return float(kendall.tau(kendall.count_pairs(rankings, scores.segments), self.variant))

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return τ on resampled segments."""
        rankings = pairs_of(test)
        if rankings is None:
            return np.full(len(weights), math.nan)
        return np.asarray(kendall.tau(self._counts(rankings, scores, weights), self.variant), float)

    @staticmethod
    def _counts(rankings: Rankings, scores: Scores, weights: Floats) -> kendall.PairCounts:
        kinds = kendall.outcomes(kendall.pair_differences(rankings, scores.segments), rankings.ties)
        per_segment = np.zeros((weights.shape[1], 5))
        np.add.at(per_segment, (rankings.segments, kinds), 1.0)
        return kendall.PairCounts(*(weights @ per_segment).T)


@dataclass(frozen=True)
class TiedMeasure(Measure):
    """Pairwise accuracy with tie calibration; samples keep the threshold of the whole set."""

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return acc_eq."""
        rankings = pairs_of(test)
        return math.nan if rankings is None else kendall.tied_accuracy(rankings, scores.segments).accuracy

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return acc_eq on resampled segments."""
        rankings = pairs_of(test)
        if rankings is None or not len(rankings):
            return np.full(len(weights), math.nan)
        threshold = kendall.tied_accuracy(rankings, scores.segments).threshold
        differences = kendall.pair_differences(rankings, scores.segments)
        correct = np.where(np.abs(differences) <= threshold, rankings.ties, ~rankings.ties & (differences > 0))
        sizes = np.bincount(rankings.segments, minlength=weights.shape[1])
        right = np.bincount(rankings.segments, correct, weights.shape[1])
        share = np.divide(right, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
        with np.errstate(invalid="ignore"):
            result: Floats = weights @ share / (weights @ (sizes > 0))
        return result


@dataclass(frozen=True)
class SegmentCorrelation(Measure):
    """Correlation with direct assessment over all assessed segments of all systems."""

    kind: str

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return the coefficient."""
        if test.assessments is None:
            return math.nan
        given = test.assessments
        return correlate(scores.segments[given.systems, given.segments], given.scores, self.kind)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the coefficient on resampled segments."""
        if test.assessments is None:
            return np.full(len(weights), math.nan)
        given = test.assessments
        metric = scores.segments[given.systems, given.segments]
        if self.kind == "pearson":
            return grouped_pearson(metric, given.scores, given.segments, weights)
        rows = (weights[:, given.segments]).astype(int)
        return np.array([correlate(np.repeat(metric, row), np.repeat(given.scores, row), self.kind) for row in rows])


def human_system_scores(test: TestSet) -> dict[str, float]:
    """Return people's scores of systems.

    These are the published ones where the index has them, else the mean of the systems' assessments, else, from
    rankings, the share of comparisons won of those that were not ties (Bojar et al., 2011).
    """
    if test.system_scores:
        return test.system_scores
    scores: dict[str, float] = {}
    if test.assessments is not None:
        for position, system in enumerate(test.systems):
            own = test.assessments.scores[test.assessments.systems == position]
            if len(own):
                scores[system] = float(own.mean())
    elif test.rankings is not None:
        strict = test.rankings.strict()
        won = np.bincount(strict.better, minlength=len(test.systems))
        lost = np.bincount(strict.worse, minlength=len(test.systems))
        for position, system in enumerate(test.systems):
            if won[position] + lost[position]:
                scores[system] = float(won[position] / (won[position] + lost[position]))
    return scores


@dataclass(frozen=True)
class SystemCorrelation(Measure):
    """Correlation over systems, or, as ``accuracy``, the share of pairs of systems in the right order."""

    kind: str

    def _agree(self, metric: Floats, human: Floats) -> float:
        if self.kind != "accuracy":
            return correlate(metric, human, self.kind)
        first, second = np.triu_indices(len(human), 1)
        unequal = human[first] != human[second]
        right = (metric[first] - metric[second]) * (human[first] - human[second]) > 0
        return float(right[unequal].mean()) if unequal.any() else math.nan

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return the coefficient."""
        rows, human = self._rows(test, scores)
        return self._agree(scores.systems[rows], human)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the coefficient with the metric's scores on resampled segments; people's scores stay."""
        rows, human = self._rows(test, scores)
        if len(rows) < 2 or np.isnan(scores.segments[rows]).any():
            return np.full(len(weights), math.nan)
        systems = np.stack([scores.resampled(row, weights) for row in rows], axis=1)
        return np.array([self._agree(sample, human) for sample in systems])

    @staticmethod
    def _rows(test: TestSet, scores: Scores) -> tuple[list[int], Floats]:
        human = human_system_scores(test)
        rows = [row for row, name in enumerate(test.systems) if name in human and not math.isnan(scores.systems[row])]
        return rows, np.array([human[test.systems[row]] for row in rows])


MEASURES: dict[str, Measure] = {
    entry.name: entry
    for entry in (
        PairMeasure("tau-strict", "τ strict", "segment", "strict"),
        PairMeasure("tau-wmt13", "τ WMT13", "segment", "wmt13"),
        PairMeasure("tau-wmt14", "τ WMT14", "segment", "wmt14"),
        PairMeasure("tau-b", "τ-b", "segment", "b"),
        PairMeasure("accuracy", "accuracy", "segment", "accuracy"),
        TiedMeasure("acc-eq", "acc_eq", "segment"),
        SegmentCorrelation("pearson", "Pearson r", "segment", "pearson"),
        SegmentCorrelation("spearman", "Spearman ρ", "segment", "spearman"),
        SystemCorrelation("system-pearson", "system Pearson r", "system", "pearson"),
        SystemCorrelation("system-spearman", "system Spearman ρ", "system", "spearman"),
        SystemCorrelation("system-kendall", "system τ-b", "system", "kendall"),
        SystemCorrelation("system-accuracy", "system accuracy", "system", "accuracy"),
    )
}
"""All measures."""


def measure(name: str) -> Measure:
    """Return a measure by its name.

    Raises:
        ConfigError: if there is none.
    """
    if name not in MEASURES:
        raise ConfigError(f"unknown measure {name!r}{near_miss(name, MEASURES)}; there are {', '.join(MEASURES)}")
    return MEASURES[name]
