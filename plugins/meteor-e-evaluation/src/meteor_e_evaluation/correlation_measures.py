"""Defines measures that compare metric scores with ratings of segments, such as correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from meteor_e.api import Measure
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.correlation import compute_grouped_pearson, correlate, rank_scores
from meteor_e_evaluation.exchange import Differences, GroupMeanComparer, Masks, PearsonComparer
from meteor_e_evaluation.groups import (
    Grouping,
    average_over_groups,
    make_group_coefficient_function,
    make_mean_group_agreement,
)
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.pair_measures import make_undefined_samples
from meteor_e_evaluation.rank_exchange import RankCorrelationComparer
from meteor_e_evaluation.test_set import TestSet

ONLY_RATED_OUTPUTS = "only rated outputs count"
SMALL_GROUPS_ARE_LEFT_OUT = f"{ONLY_RATED_OUTPUTS}; a group with fewer than two ratings is left out"
CONSTANT_GROUPS_ARE_LEFT_OUT = (
    f"{ONLY_RATED_OUTPUTS}; a group with fewer than two ratings, or without variation, is left out"
)
UNIT_OF_GROUPS: dict[Grouping, str] = {"item": "segments", "sys": "systems"}
"""The units of a permutation test that swaps whole groups of outputs, for each grouping with several groups."""

TIES_MUST_AGREE = "common ties are right, other ties are wrong; only equal scores tie"


class RatingMeasure(Measure[TestSet]):
    """Base class of measures that need ratings of segments.

    Attributes:
        coefficient: name of a coefficient of :func:`.correlation.correlate`, or ``acc`` for pairwise accuracy.
    """

    coefficient: ClassVar[str]
    ties = "–"
    missing = ONLY_RATED_OUTPUTS

    def explain_missing_judgments(self, test: TestSet) -> str:
        """Explain why the judgments are not suitable for the measure."""
        if test.rankings is not None:
            return (
                "the test set has rankings, but no ratings of segments; choose a measure of pairs, such as tau-strict"
            )
        return "the test set has no ratings of segments; choose a measure over systems, such as system-pearson"

    def is_undefined(self, test: TestSet, scores: Scores) -> bool:
        """Return True if there are no ratings of segments, or if the metric has no segment scores."""
        return test.assessments is None or not len(test.assessments) or bool(np.isnan(scores.segments).all())


class SegmentCorrelation(RatingMeasure):
    """Correlation with human scores over all rated segments of all systems."""

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that correlates segment scores of a metric with human ratings."""
        ratings = test.assessments
        if ratings is None or not len(ratings):
            return None

        def agreement(segment_scores: Floats) -> float:
            rated_scores = segment_scores[ratings.systems, ratings.segments]
            return correlate(rated_scores, ratings.scores, self.coefficient)

        return agreement

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that compares the correlations of two metrics after some of their scores are swapped."""
        if test.assessments is None or not len(test.assessments):
            return None
        if self.coefficient == "pearson":
            return PearsonComparer(values, test.assessments, masks, unit)
        return RankCorrelationComparer(values, [test.assessments], masks, unit, self.coefficient)

    def correlated(self, test: TestSet, scores: Sequence[Scores]) -> tuple[Floats, Floats] | None:
        """Return the metric scores and the human scores of all rated outputs.

        For Spearman's coefficient, the scores are replaced by ranks.
        """
        ratings = test.assessments
        if ratings is None or not len(ratings):
            return None
        # Each array has one column per rating.
        metric_scores = np.array([entry.segments[ratings.systems, ratings.segments] for entry in scores])
        if self.coefficient == "spearman":
            return rank_scores(metric_scores), rank_scores(ratings.scores)
        return metric_scores, ratings.scores

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the correlation of metric scores with human ratings on each bootstrap sample of segments.

        Args:
            test: the test set.
            scores: scores of the metric.
            weights: number of times that each sample contains each segment, ``(samples, segments)``.
        """
        ratings = test.assessments
        if ratings is None or self.is_undefined(test, scores):
            return make_undefined_samples(weights)
        rated_scores = scores.segments[ratings.systems, ratings.segments]  # (ratings,)
        if self.coefficient == "pearson":
            return compute_grouped_pearson(rated_scores, ratings.scores, ratings.segments, weights)
        repetitions_by_sample = weights[:, ratings.segments].astype(int)  # (samples, ratings)
        coefficients = []
        for n_repetitions in repetitions_by_sample:
            sampled_metric_scores = np.repeat(rated_scores, n_repetitions)
            sampled_human_scores = np.repeat(ratings.scores, n_repetitions)
            coefficients.append(correlate(sampled_metric_scores, sampled_human_scores, self.coefficient))
        return np.array(coefficients)


class Pearson(SegmentCorrelation):
    """Pearson's r over all rated segments of all systems."""

    name, title, coefficient = "pearson", "Pearson r", "pearson"
    definition = "Pearson's r over all rated segments of all systems"
    source = "WMT15–24"
    mtme = "Pearson, none"


class Spearman(SegmentCorrelation):
    """Spearman's ρ over all rated segments of all systems."""

    name, title, coefficient = "spearman", "Spearman ρ", "spearman"
    definition = "Spearman's ρ over all rated segments of all systems"
    source = "WMT"
    mtme = "Spearman, none"
    ties = "mean ranks"


class KendallC(SegmentCorrelation):
    """Kendall's τ-c over all rated segments of all systems."""

    name, title, coefficient = "kendall-c", "Kendall τ-c", "kendall-c"
    definition = "Kendall's τ-c over all rated segments of all systems"
    source = "Stuart (1953); captions since Anderson et al. (2016)"
    mtme = "–"
    ties = "corrected as in τ-c, for ratings in few steps"


class GroupedMeasure(RatingMeasure):
    """Base class of measures that average a correlation coefficient or pairwise accuracy over groups of outputs.

    Attributes:
        grouping: grouping of the outputs.
    """

    grouping: ClassVar[Grouping]
    source = "WMT21–24"
    missing = CONSTANT_GROUPS_ARE_LEFT_OUT

    def agreement(self, test: TestSet) -> Agreement | None:
        """Return a function that takes segment scores of a metric and computes the mean over groups."""
        if test.assessments is None or not len(test.assessments):
            return None
        return make_mean_group_agreement(self.coefficient, self.grouping, test.human)

    def explain_undefined(self, test: TestSet, scores: Scores) -> str:
        """Explain why the value of the measure is NaN."""
        n_ratings = (~np.isnan(test.human)).sum(axis=0)
        if test.assessments is not None and self.grouping == "item" and n_ratings.max(initial=0) < 2:
            return "no segment has ratings of two systems; choose a measure over all segments, such as pearson"
        return super().explain_undefined(test, scores)

    def exchange(self, test: TestSet, values: Floats, masks: Masks, unit: str) -> Differences | None:
        """Return a function that computes the test statistic of a permutation test for any two metrics.

        In each sample, the permutation test swaps some scores between the two metrics. The test statistic is the
        difference between the two metrics' mean coefficients.

        Return None if there is no fast method. The permutation test then evaluates the measure separately for each
        sample.
        """
        if test.assessments is None:
            return None
        if unit == UNIT_OF_GROUPS.get(self.grouping):
            # A swap of whole groups does not change the coefficient of any group.
            compute_coefficients = make_group_coefficient_function(self.coefficient, self.grouping, test.human)
            group_values = [compute_coefficients(metric_scores) for metric_scores in values]
            return GroupMeanComparer(group_values, masks)
        # RankCorrelationComparer cannot compute Pearson's r, and would need a separate ranking for each segment.
        if self.coefficient == "pearson" or self.grouping == "item":
            return None
        groups = _group_ratings(test.assessments.average_repeated(), self.grouping)
        return RankCorrelationComparer(values, groups, masks, unit, self.coefficient)

    def resampled(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the mean coefficient over groups for each bootstrap sample of segments.

        Args:
            test: the test set.
            scores: scores of the metric.
            weights: number of times that each sample contains each segment, ``(samples, segments)``.
        """
        if self.is_undefined(test, scores):
            return make_undefined_samples(weights)
        if self.grouping == "item":
            return self._resample_segment_coefficients(test, scores, weights)
        all_segments = np.arange(weights.shape[1])
        means = []
        for n_repetitions in weights.astype(int):
            sampled_segments = np.repeat(all_segments, n_repetitions)
            agreement = make_mean_group_agreement(self.coefficient, self.grouping, test.human[:, sampled_segments])
            means.append(agreement(scores.segments[:, sampled_segments]))
        return np.array(means)

    def _resample_segment_coefficients(self, test: TestSet, scores: Scores, weights: Floats) -> Floats:
        """Return the mean coefficient over segments for each bootstrap sample, like :meth:`resampled`.

        The coefficient of each segment is computed only once, because it does not depend on the bootstrap sample.
        """
        compute_coefficients = make_group_coefficient_function(self.coefficient, "item", test.human)
        coefficients = compute_coefficients(scores.segments)  # (segments,)
        return np.array([average_over_groups(coefficients, sample_weights) for sample_weights in weights])


def _group_ratings(ratings: Assessments, grouping: Grouping) -> list[Assessments]:
    """Split ratings into groups.

    The grouping ``sys`` has one group per system. Any other grouping has a single group, which contains all ratings.
    """
    if grouping != "sys":
        return [ratings]
    return [ratings.select(ratings.systems == system) for system in np.unique(ratings.systems)]


class Kendall(GroupedMeasure):
    """Kendall's τ-b over all rated segments of all systems."""

    name, title, coefficient, grouping = "kendall", "Kendall τ-b, all segments", "kendall", "none"
    definition = "Kendall's τ-b over all rated segments of all systems"
    source = "Kendall (1945)"
    mtme = "Kendall, none"
    ties = "corrected as in τ-b"
    missing = ONLY_RATED_OUTPUTS


class AccuracyWithTies(GroupedMeasure):
    """Pairwise accuracy over all rated outputs.

    The metric is right about two outputs if metric and annotators prefer the same output. The metric is also right if
    both the metric and the annotators rate the two outputs equally.
    """

    name, title, coefficient, grouping = "acc", "accuracy with ties, all segments", "acc", "none"
    definition = "share of pairs ordered or tied as by annotators, over all rated segments of all systems"
    source = "Deutsch et al. (2023)"
    mtme = "KendallVariants (acc23), none"
    ties = TIES_MUST_AGREE
    missing = ONLY_RATED_OUTPUTS


class PearsonBySegment(GroupedMeasure):
    """Pearson's r over systems, averaged over segments."""

    name, title, coefficient, grouping = "pearson-item", "Pearson r by segment", "pearson", "item"
    definition = "Pearson's r over systems, averaged over segments"
    mtme = "Pearson, item"


class PearsonBySystem(GroupedMeasure):
    """Pearson's r over segments, averaged over systems."""

    name, title, coefficient, grouping = "pearson-sys", "Pearson r by system", "pearson", "sys"
    definition = "Pearson's r over segments, averaged over systems"
    mtme = "Pearson, sys"


class SpearmanBySegment(GroupedMeasure):
    """Spearman's ρ over systems, averaged over segments."""

    name, title, coefficient, grouping = "spearman-item", "Spearman ρ by segment", "spearman", "item"
    definition = "Spearman's ρ over systems, averaged over segments"
    mtme = "Spearman, item"
    ties = "mean ranks"


class SpearmanBySystem(GroupedMeasure):
    """Spearman's ρ over segments, averaged over systems."""

    name, title, coefficient, grouping = "spearman-sys", "Spearman ρ by system", "spearman", "sys"
    definition = "Spearman's ρ over segments, averaged over systems"
    mtme = "Spearman, sys"
    ties = "mean ranks"


class KendallBySegment(GroupedMeasure):
    """Kendall's τ-b over systems, averaged over segments."""

    name, title, coefficient, grouping = "kendall-item", "Kendall τ-b by segment", "kendall", "item"
    definition = "Kendall's τ-b over systems, averaged over segments"
    source = "Kendall (1945)"
    mtme = "Kendall, item"
    ties = "corrected as in τ-b"


class KendallBySystem(GroupedMeasure):
    """Kendall's τ-b over segments, averaged over systems."""

    name, title, coefficient, grouping = "kendall-sys", "Kendall τ-b by system", "kendall", "sys"
    definition = "Kendall's τ-b over segments, averaged over systems"
    source = "Kendall (1945)"
    mtme = "Kendall, sys"
    ties = "corrected as in τ-b"


class AccuracyBySegment(GroupedMeasure):
    """Pairwise accuracy over systems, averaged over segments.

    The metric is right about two systems on a segment if metric and annotators prefer the same system. The metric is
    also right if both the metric and the annotators rate the two systems equally.
    """

    name, title, coefficient, grouping = "acc-item", "accuracy with ties by segment", "acc", "item"
    definition = "share of pairs ordered or tied as by annotators, over systems, averaged over segments"
    source = "Deutsch et al. (2023)"
    mtme = "KendallVariants (acc23), item"
    ties = TIES_MUST_AGREE
    missing = SMALL_GROUPS_ARE_LEFT_OUT


class AccuracyBySystem(GroupedMeasure):
    """Pairwise accuracy over segments, averaged over systems.

    The metric is right about two segments of a system if metric and annotators prefer the same segment. The metric is
    also right if both the metric and the annotators rate the two segments equally.
    """

    name, title, coefficient, grouping = "acc-sys", "accuracy with ties by system", "acc", "sys"
    definition = "share of pairs ordered or tied as by annotators, over segments, averaged over systems"
    source = "Deutsch et al. (2023)"
    mtme = "KendallVariants (acc23), sys"
    ties = TIES_MUST_AGREE
    missing = SMALL_GROUPS_ARE_LEFT_OUT
