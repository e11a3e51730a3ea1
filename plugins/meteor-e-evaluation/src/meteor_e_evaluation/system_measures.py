"""Defines measures over systems: correlations of system scores, pairwise accuracy, and soft pairwise accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from meteor_e.api import ComponentOptions, Measure, Meta
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation import kendall
from meteor_e_evaluation.correlation import correlate, rank_scores
from meteor_e_evaluation.exchange import Differences, Masks, PairCountComparer, SoftAccuracyComparer
from meteor_e_evaluation.judgments import Assessments, Rankings
from meteor_e_evaluation.pair_measures import make_undefined_samples
from meteor_e_evaluation.segment_coefficients import system_pairs
from meteor_e_evaluation.soft_accuracy import (
    make_approximate_soft_accuracy,
    resample_soft_accuracy,
    soft_pairwise_accuracy,
)
from meteor_e_evaluation.test_set import TestSet

MAD_TO_STANDARD_DEVIATION = 1.483
"""Ratio of the standard deviation to the median absolute deviation of normally distributed values."""

TIED_SYSTEMS_MUST_AGREE = "common ties are right, other ties are wrong"


def human_system_scores(test: TestSet) -> dict[str, float]:
    """Return the human score of each system.

    If no human scores of systems were published, the score of a system is the mean of its ratings.

    If there are only rankings, the score is the proportion of comparisons that the system won. Ties are ignored (Bojar
    et al., 2011).
    """
    if test.system_scores:
        return test.system_scores
    if test.assessments is not None:
        return _mean_ratings(test)
    return _shares_of_wins(test)


def _mean_ratings(test: TestSet) -> dict[str, float]:
    """Return the mean rating of each system that has ratings."""
    means = {}
    for system, ratings in zip(test.systems, test.human, strict=True):
        if not np.isnan(ratings).all():
            means[system] = float(np.nanmean(ratings))
    return means


def _shares_of_wins(test: TestSet) -> dict[str, float]:
    """Return the proportion of untied comparisons that each system won."""
    if test.rankings is None:
        return {}
    untied = test.rankings.strict()
    n_wins = np.bincount(untied.better, minlength=len(test.systems))
    n_losses = np.bincount(untied.worse, minlength=len(test.systems))
    shares = {}
    for system, wins, losses in zip(test.systems, n_wins, n_losses, strict=True):
        if wins + losses:
            shares[system] = float(wins / (wins + losses))
    return shares


def mad_outliers(test: TestSet, cutoff: float = 2.5) -> tuple[str, ...]:
    """Return the names of the systems whose human scores are outliers.

    A score is an outlier if it differs from the median by more than ``cutoff`` standard deviations. The standard
    deviation is estimated as 1.483 times the median absolute deviation.

    Source: Mathur et al. (2020), "Tangled up in BLEU", section 4.1; WMT20.
    """
    score_by_system = human_system_scores(test)
    if not score_by_system:
        return ()
    scores = np.array(list(score_by_system.values()))
    median = np.median(scores)
    median_absolute_deviation = float(np.median(np.abs(scores - median)))
    if median_absolute_deviation == 0:
        return ()
    standard_deviation = MAD_TO_STANDARD_DEVIATION * median_absolute_deviation
    largest_deviation = cutoff * standard_deviation
    return tuple(system for system, score in score_by_system.items() if abs(score - median) > largest_deviation)


def find_compared_systems(test: TestSet) -> tuple[list[int], Floats]:
    """Return the indices and the human scores of the systems that have a human score and are not outliers."""
    human_score_by_name = human_system_scores(test)
    indices = []
    human_scores = []
    for index, name in enumerate(test.systems):
        if name in human_score_by_name and name not in test.outliers:
            indices.append(index)
            human_scores.append(human_score_by_name[name])
    return indices, np.array(human_scores)


class SystemMeasure(Measure[TestSet]):
    """Base class of measures that compare system scores of a metric with human scores of systems.

    Attributes:
        coefficient: name of a coefficient of :func:`.correlation.correlate`, or ``accuracy``.
    """

    level = "system"
    coefficient: ClassVar[str]
    takes: ClassVar[Literal["segments", "systems"]] = "systems"
    source = "WMT08–24"
    missing = "the human score of a system is the mean of its ratings unless the index has scores of systems"

    def default_test(self) -> str:
        """Return the name of the default significance test.

        The default is Williams' test for Pearson's coefficient, and a permutation of systems for other coefficients.

        Williams' test is not the default for Spearman's coefficient. With ranks of about twenty systems, the test
        rejects the null hypothesis too often.
        """
        return "williams" if self.coefficient == "pearson" else "systems"

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain that too few systems have human scores."""
        indices, _ = find_compared_systems(test)
        return f"at least two systems need human scores; there is {len(indices)}"

    def correlated(self, test: TestSet, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return the metric scores and the human scores of systems.

        For Spearman's coefficient, the scores are replaced by ranks.
        """
        if self.coefficient not in ("pearson", "spearman"):
            return super().correlated(test, scores)
        indices, human_scores = find_compared_systems(test)
        metric_scores = np.array([entry.systems[indices] for entry in scores])  # (metrics, systems)
        if self.coefficient == "spearman":
            return rank_scores(metric_scores), rank_scores(human_scores)
        return metric_scores, human_scores

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that correlates system scores of a metric with human scores."""
        indices, human_scores = find_compared_systems(test)
        if len(indices) < 2:
            return None
        return lambda systems: self._compute(systems[indices], human_scores)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that compares two metrics after the scores of some systems are swapped between them.

        The returned function compares system scores as if they were the scores of a single segment. Return None if
        ``values`` contains segment scores, or if the coefficient is neither Kendall's τ-b nor pairwise accuracy.
        """
        compute_measure = _PAIR_COUNT_MEASURES.get(self.coefficient)
        has_segment_scores = values.ndim == 3
        indices, human_scores = find_compared_systems(test)
        if compute_measure is None or has_segment_scores or len(indices) < 2:
            return None
        metric_scores = values[:, indices, np.newaxis]  # (metrics, systems, 1)
        comparisons = _compare_on_one_segment(human_scores)
        return PairCountComparer(comparisons, metric_scores, masks[:, indices], unit, compute_measure)

    def _compute(self, metric_scores: Floats, human_scores: Floats) -> float:
        """Return the correlation or accuracy of system scores, or NaN if a metric score is missing."""
        if np.isnan(metric_scores).any():
            return math.nan
        if self.coefficient == "accuracy":
            return _pairwise_accuracy(metric_scores, human_scores)
        return correlate(metric_scores, human_scores, self.coefficient)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the correlation or accuracy on each bootstrap sample of segments.

        Only metric scores are resampled. Human scores of systems stay the same.
        """
        indices, human_scores = find_compared_systems(test)
        if len(indices) < 2 or np.isnan(scores.segments[indices]).any():
            return make_undefined_samples(weights)
        sampled_scores = np.stack([scores.resampled(index, weights) for index in indices], axis=1)
        return np.array([self._compute(sample_scores, human_scores) for sample_scores in sampled_scores])


def _pairwise_accuracy(metric_scores: Floats, human_scores: Floats) -> float:
    """Return the proportion of pairs of systems on which metric scores and human scores agree."""
    first, second = system_pairs(len(human_scores))
    metric_signs = np.sign(metric_scores[first] - metric_scores[second])
    human_signs = np.sign(human_scores[first] - human_scores[second])
    return float((metric_signs == human_signs).mean())


def _accuracy_of_counts(counts: kendall.PairCounts) -> Floats | float:
    """Return the proportion of pairs on which metric and annotator agree."""
    return (counts.concordant + counts.both_ties) / sum(counts)


_PAIR_COUNT_MEASURES = {"accuracy": _accuracy_of_counts, "kendall": lambda counts: kendall.tau(counts, "b")}
"""Functions that compute a coefficient from the numbers of concordant, discordant and tied pairs."""


def _compare_on_one_segment(human_scores: Floats) -> Rankings:
    """Return the comparisons of all pairs of systems, as if their human scores were ratings of a single segment."""
    n_systems = len(human_scores)
    return Assessments(np.zeros(n_systems, int), np.arange(n_systems), human_scores).comparisons


class SystemPearson(SystemMeasure):
    """Pearson's r over systems."""

    name, title, coefficient = "system-pearson", "system Pearson r", "pearson"
    definition = "Pearson's r over systems"
    mtme = "Pearson, sys level"
    ties = "–"


class SystemSpearman(SystemMeasure):
    """Spearman's ρ over systems."""

    name, title, coefficient = "system-spearman", "system Spearman ρ", "spearman"
    definition = "Spearman's ρ over systems"
    mtme = "Spearman, sys level"
    ties = "mean ranks"


class SystemKendall(SystemMeasure):
    """Kendall's τ-b over systems."""

    name, title, coefficient = "system-kendall", "system τ-b", "kendall"
    definition = "Kendall's τ-b over systems"
    mtme = "Kendall, sys level"
    ties = "corrected as in τ-b"


class SystemAccuracy(SystemMeasure):
    """Proportion of correctly ordered pairs of systems. A mean weights all language pairs equally."""

    name, title, coefficient = "system-accuracy", "system accuracy", "accuracy"
    definition = "share of pairs of systems in the right order; means weight language pairs equally"
    mtme = "accuracy"
    ties = TIED_SYSTEMS_MUST_AGREE


class PooledAccuracy(SystemMeasure):
    """Proportion of correctly ordered pairs of systems. A mean over test sets weights all pairs equally."""

    name, title, coefficient = "system-accuracy-pooled", "system accuracy, pooled", "accuracy"
    pooled: ClassVar[bool] = True
    definition = "share of pairs of systems in the right order; means pool the pairs of all language pairs"
    source = "Kocmi et al. (2021); WMT21–24"
    mtme = "accuracy over language pairs"
    ties = TIED_SYSTEMS_MUST_AGREE

    def weight(self, test: TestSet) -> float:
        """Return the number of system pairs, by which a mean over language pairs is weighted."""
        indices, _ = find_compared_systems(test)
        n_systems = len(indices)
        return n_systems * (n_systems - 1) / 2


class SoftAccuracy(Measure[TestSet]):
    """Soft pairwise accuracy.

    For each pair of systems, two significance tests compare the systems: one test uses metric scores, and the other
    test uses human scores. The measure compares the p-values of the two tests.
    """

    name, title = "spa", "SPA"
    level = "system"
    definition = "1 − mean over pairs of systems of |human p − metric p|, p by paired permutations"
    source = "Thompson et al. (2024); WMT24"
    mtme = "PairwiseConfidenceError (SPA)"
    ties = "–"
    missing = "a pair of systems is compared on the segments rated for both"

    class Options(ComponentOptions):
        """Options of soft pairwise accuracy."""

        seed: Annotated[int, Meta(ge=0, description="Seed of the permutations.")] = DEFAULT_SEED

    def default_test(self) -> str:
        """Return the name of the default significance test, which permutes systems.

        The test swaps all scores of a system, because the scores of one system are not independent of one another.
        """
        return "systems"

    def find_rated_systems(self, test: TestSet) -> list[int]:
        """Return the indices of the systems that have ratings and are not outliers."""
        if test.assessments is None:
            return []
        has_ratings = np.asarray((~np.isnan(test.human)).any(axis=1))
        return [index for index, name in enumerate(test.systems) if has_ratings[index] and name not in test.outliers]

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain that too few systems have ratings."""
        return f"at least two systems need ratings of segments; there is {len(self.find_rated_systems(test))}"

    def value(self, test: TestSet, scores: Scores) -> float:
        """Return soft pairwise accuracy, with p-values from permutation tests."""
        indices = self.find_rated_systems(test)
        if len(indices) < 2 or np.isnan(scores.segments).all():
            return math.nan
        return soft_pairwise_accuracy(test.human[indices], scores.segments[indices], seed=self.options.seed)

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that computes soft pairwise accuracy with p-values from the normal distribution."""
        indices = self.find_rated_systems(test)
        if len(indices) < 2:
            return None
        compute = make_approximate_soft_accuracy(test.human[indices])
        return lambda segments: compute(segments[indices])

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that compares two metrics after the scores of some systems are swapped between them."""
        if unit != "systems":
            return None
        indices = self.find_rated_systems(test)
        return SoftAccuracyComparer(values[:, indices], test.human[indices], masks[:, indices])

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return soft pairwise accuracy on each bootstrap sample of segments.

        Both metric scores and human scores are resampled.

        Args:
            test: the test set.
            scores: scores of the metric.
            weights: number of times that each sample contains each segment, ``(samples, segments)``.
        """
        indices = self.find_rated_systems(test)
        if len(indices) < 2 or np.isnan(scores.segments).all():
            return make_undefined_samples(weights)
        return resample_soft_accuracy(test.human[indices], scores.segments[indices], weights)
