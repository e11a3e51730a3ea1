"""Defines measures over pairs of systems on a segment: variants of Kendall's τ, and pairwise accuracy."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np

from meteor_e.api import ComponentOptions, Measure, Meta
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation import kendall
from meteor_e_evaluation.exchange import Differences, Masks, PairCountComparer, TiedAccuracyComparer
from meteor_e_evaluation.judgments import Rankings
from meteor_e_evaluation.segment_coefficients import divide_or_nan, sum_by_cell
from meteor_e_evaluation.test_set import TestSet

PAIRS_NEED_TWO_RATINGS = "a pair counts if both systems were rated"
TIED_METRIC_SCORES_ARE_WRONG = "tied metric scores count as wrong; pairs tied by annotators are left out"
NO_RATED_PAIRS = (
    "no segment has judgments of two systems; choose a measure over all segments, such as pearson, or over systems, "
    "such as system-pearson"
)


def pairwise_judgments(test: TestSet) -> Rankings | None:
    """Return the human comparisons of systems, or None if no segments were judged.

    If a test set has no rankings, comparisons are derived from the ratings of each segment.
    """
    if test.rankings is not None:
        return test.rankings
    if test.assessments is not None:
        return test.assessments.comparisons
    return None


def make_undefined_samples(weights: Floats) -> Floats:
    """Return the values of an undefined measure: NaN for each bootstrap sample."""
    return np.full(len(weights), math.nan)


class PairMeasure(Measure[TestSet]):
    """Base class of measures that count concordant, discordant and tied pairs.

    Attributes:
        variant: the variant of :func:`.kendall.tau`.
    """

    variant: ClassVar[str]
    missing = PAIRS_NEED_TWO_RATINGS

    def rankings(self, test: TestSet) -> Rankings | None:
        """Return the human comparisons of systems from which the measure is computed."""
        return pairwise_judgments(test)

    def compute(self, counts: kendall.PairCounts) -> Floats | float:
        """Compute the measure from counts of concordant, discordant and tied pairs."""
        return kendall.tau(counts, self.variant)

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that computes the measure from a metric's segment scores."""
        rankings = self.rankings(test)
        if rankings is None or not len(rankings):
            return None
        return lambda segments: float(self.compute(kendall.count_pairs(rankings, segments)))

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain why the test set has no pairs of judged systems."""
        return NO_RATED_PAIRS

    def explain_undefined(self, test: TestSet, scores: Scores) -> str:
        """Explain why the value of the measure is NaN."""
        rankings = self.rankings(test)
        if rankings is not None and len(rankings) and rankings.ties.all():
            return "the annotators tied all pairs of systems"
        return super().explain_undefined(test, scores)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that compares two metrics in a permutation test, which swaps scores between the metrics."""
        rankings = self.rankings(test)
        if rankings is None or unit == "scores":
            return None
        return PairCountComparer(rankings, values, masks, unit, self.compute)

    def counts(self, test: TestSet, segments: Floats) -> Floats | None:
        """Count the concordant, discordant and tied pairs of each segment.

        Returns:
            An array ``(segments, 5)``, whose columns are the fields of :class:`.PairCounts`.
        """
        rankings = self.rankings(test)
        if rankings is None or np.isnan(segments).all():
            return None
        pair_classes = kendall.classify_pairs(rankings, segments)
        shape = (segments.shape[1], len(kendall.PairCounts._fields))
        return sum_by_cell((rankings.segments, pair_classes), np.ones(len(rankings)), shape)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the value of the measure on each bootstrap sample of segments."""
        counts = self.counts(test, scores.segments)
        if counts is None:
            return make_undefined_samples(weights)
        sample_counts = weights @ counts
        return np.asarray(self.compute(kendall.PairCounts(*sample_counts.T)), float)


class TauStrict(PairMeasure):
    """Kendall's τ as computed in the metrics tasks of WMT08 to WMT12."""

    name, title, variant = "tau-strict", "τ strict", "strict"
    definition = "(concordant − discordant) / pairs of systems on a segment"
    source = "Callison-Burch et al. (2012); WMT08–12"
    ties = TIED_METRIC_SCORES_ARE_WRONG


class TauWmt13(PairMeasure):
    """Kendall's τ as computed in the metrics task of WMT13."""

    name, title, variant = "tau-wmt13", "τ WMT13", "wmt13"
    definition = "(concordant − discordant) / pairs"
    source = "Macháček and Bojar (2013)"
    ties = "pairs tied by the metric or by annotators are left out"


class TauWmt14(PairMeasure):
    """Kendall's τ as computed in the metrics task of WMT14."""

    name, title, variant = "tau-wmt14", "τ WMT14", "wmt14"
    definition = "(concordant − discordant) / pairs"
    source = "Macháček and Bojar (2014)"
    ties = "pairs tied by the metric are neither right nor wrong; pairs tied by annotators are left out"


class TauB(PairMeasure):
    """Kendall's τ-b over all pairs of systems on a segment."""

    name, title, variant = "tau-b", "τ-b", "b"
    definition = "Kendall's τ-b over all pairs of systems on a segment"
    source = "Kendall (1945)"
    ties = "corrected as in τ-b"


class Accuracy(PairMeasure):
    """Proportion of concordant pairs."""

    name, title, variant = "accuracy", "accuracy", "accuracy"
    definition = "share of concordant pairs"
    source = "–"
    ties = TIED_METRIC_SCORES_ARE_WRONG


class RelativeRanking(PairMeasure):
    """The measure daRR: strict Kendall's τ over pairs whose human scores differ by at least a threshold."""

    name, title, variant = "darr", "τ daRR", "strict"
    definition = (
        "strict τ over pairs whose human scores differ by a threshold or more, 25 by default (darr:threshold=N)"
    )
    source = "Ma et al. (2018); WMT17–21"
    mtme = "KendallLike"
    ties = "tied metric scores count as wrong"

    class Options(ComponentOptions):
        """Options of the measure daRR."""

        threshold: Annotated[float, Meta(ge=0, description="Smallest difference of human scores that counts.")] = 25.0

    def rankings(self, test: TestSet) -> Rankings | None:
        """Return pairs of systems whose ratings differ by at least the threshold."""
        if test.assessments is None:
            return None
        pairs = test.assessments.average_repeated().comparisons.strict()
        human = test.human
        differences = human[pairs.better, pairs.segments] - human[pairs.worse, pairs.segments]
        return pairs.select(differences >= self.options.threshold)

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain why the test set has no pairs of judged systems."""
        if test.assessments is None:
            return "the test set has no ratings of segments"
        return f"no segment has ratings of two systems that differ by {self.options.threshold:g} or more"


class TiedAccuracy(Measure[TestSet]):
    """Pairwise accuracy with tie calibration.

    Bootstrap samples use the threshold of the full test set.
    """

    name, title = "acc-eq", "acc_eq"
    definition = (
        "share of pairs ordered or tied as by annotators, mean over segments; scores tie within the best threshold"
    )
    source = "Deutsch et al. (2023); WMT23–24"
    mtme = "KendallWithTiesOpt (acc23), item"
    ties = "common ties are right, other ties are wrong"
    missing = PAIRS_NEED_TWO_RATINGS

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that computes pairwise accuracy with the best tie threshold for each metric."""
        rankings = pairwise_judgments(test)
        if rankings is None or not len(rankings):
            return None
        return lambda segments: kendall.compute_tied_accuracy(rankings, segments).accuracy

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain why the test set has no pairs of judged systems."""
        return NO_RATED_PAIRS

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that compares the accuracy of two metrics after some of their scores are swapped."""
        rankings = pairwise_judgments(test)
        if unit == "scores" or rankings is None:
            return None
        return TiedAccuracyComparer(rankings, values, masks, unit)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the pairwise accuracy on each bootstrap sample of segments."""
        rankings = pairwise_judgments(test)
        if rankings is None or not len(rankings) or np.isnan(scores.segments).all():
            return make_undefined_samples(weights)
        n_segments = weights.shape[1]
        threshold = kendall.compute_tied_accuracy(rankings, scores.segments).threshold
        is_correct = kendall.mark_correct_pairs(rankings, scores.segments, threshold)
        n_pairs = np.bincount(rankings.segments, minlength=n_segments)
        n_correct = np.bincount(rankings.segments, is_correct, n_segments)
        has_pairs = n_pairs > 0
        segment_accuracy = np.nan_to_num(divide_or_nan(n_correct, n_pairs))
        return divide_or_nan(weights @ segment_accuracy, weights @ has_pairs)
