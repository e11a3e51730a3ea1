"""A plugin with a minimal example of each kind of extension that docs/plugins.md and CONTRIBUTING.md describe.

The plugin imports only modules that third parties may import: meteor_e, meteor_e.api and numpy.
"""

from __future__ import annotations

import numpy as np

from meteor_e import (
    Estimator,
    Feature,
    KeyMatcher,
    Lemmatizer,
    Measure,
    Perturbation,
    Segmenter,
    SegmentMetric,
    hookimpl,
)
from meteor_e.api import OutputFormat


class FirstLetterMatcher(KeyMatcher):
    """Match words with the same first letter."""

    name = "first-letter"

    def keys(self, token):
        return {token.form[0]}


class WordShare(SegmentMetric):
    """Measure the share of the hypothesis's words that a reference contains."""

    name = "word-share"

    @property
    def signature(self):
        return "word-share|version:1"

    def score_segments(self, hypotheses, references, sources=None):
        shares = []
        for hypothesis, texts in zip(hypotheses, references, strict=True):
            words = set(hypothesis.split())
            shares.append(max(len(words & set(text.split())) for text in texts) / max(1, len(words)))
        return shares


class LengthRatio(Feature):
    """Compute the length of the hypothesis relative to its first reference."""

    name = "length-ratio"
    dimension = 1
    columns = ("ratio",)

    def compute(self, batch):
        pairs = zip(batch.hypotheses, batch.references, strict=True)
        return np.array([[len(hypothesis) / max(1, len(texts[0]))] for hypothesis, texts in pairs])


class FeatureMean(Estimator):
    """Return the mean of the features."""

    name = "feature-mean"

    def fit(self, X, y, *, groups=None, sample_weight=None):  # noqa: N803 (the name in scikit-learn)
        self.size_ = X.shape[1] // 2
        return self

    def score_segments(self, features):
        return features.mean(axis=1)

    def arrays(self):
        return {"size": np.array([self.size_])}

    def restore(self, arrays):
        self.size_ = int(arrays["size"][0])


class SameSide(Measure):
    """Measure the share of the outputs that metric and people put on the same side of their mean."""

    name = "same-side"
    title = "same side"
    definition = "Share of the outputs that metric and people put on the same side of their mean."

    def agreement(self, test):
        if test.assessments is None:
            return None
        ratings = test.assessments
        is_above_human_mean = ratings.scores > ratings.scores.mean()

        def compute_agreement(scores):
            rated_scores = scores[ratings.systems, ratings.segments]
            is_above_metric_mean = rated_scores > np.nanmean(scores)
            return float(np.mean(is_above_metric_mean == is_above_human_mean))

        return compute_agreement

    def resampled(self, test, scores, weights):
        return np.full(len(weights), self.value(test, scores))


class LastWordDropped(Perturbation):
    """Remove the last word."""

    name = "last-word-dropped"

    def apply(self, text, rng, context):
        return text.rpartition(" ")[0] or None


class OrgTables(OutputFormat):
    """Write the tables of Emacs Org."""

    name = "org"

    def write(self, result, stream, options):
        for table in result.grids(options.digits):
            for row in (table.header, *table.rows):
                stream.write("| " + " | ".join(row) + " |\n")


class LowerCaseLemmatizer(Lemmatizer):
    """Return the words in lower case as their lemmas."""

    name = "lower-case"

    def lemmatize(self, words):
        return [(word.lower(), None) for word in words]


class HyphenSegmenter(Segmenter):
    """Split words at spaces and hyphens."""

    name = "hyphens"

    def segment(self, text):
        return text.replace("-", " ").split()


@hookimpl
def meteor_e_matchers():
    return [FirstLetterMatcher]


@hookimpl
def meteor_e_metrics():
    return [WordShare]


@hookimpl
def meteor_e_features():
    return [LengthRatio]


@hookimpl
def meteor_e_estimators():
    return [FeatureMean]


@hookimpl
def meteor_e_measures():
    return [SameSide]


@hookimpl
def meteor_e_perturbations():
    return [LastWordDropped]


@hookimpl
def meteor_e_output_formats():
    return [OrgTables]


@hookimpl
def meteor_e_lemmatizers():
    return [LowerCaseLemmatizer]


@hookimpl
def meteor_e_segmenters():
    return [HyphenSegmenter]


@hookimpl
def meteor_e_language_files():
    return [{"code": "io", "name": "Ido", "matchers": ["exact"], "default_task": "universal", "segmenter": "unicode"}]
