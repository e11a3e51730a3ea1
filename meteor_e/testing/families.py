"""Run features, lemmatizers, metrics and segmenters on sample data, and check the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from meteor_e.api.batches import Batch
from meteor_e.api.component import Component
from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.metrics import Metric, MetricContext, SystemsMetric
from meteor_e.api.segmenters import Segmenter
from meteor_e.api.tokens import Token
from meteor_e.base.array_cache import Floats
from meteor_e.testing.report import begin_check, check_repeats, default_context, shorten
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


class Family(NamedTuple):
    """The sample data and functions for checking one kind of component, such as segmenters.

    Attributes:
        compute: a function that returns the result of a component for an item, and raises an exception if the result
            has the wrong type or shape.
        items: the items for which results are computed.
        context: a function that returns the context for :meth:`Component.from_options`.
    """

    compute: Callable[[Any, Any], Any]
    items: Sequence[Any]
    context: Callable[[], Any] = default_context

    def check(self, component: Any, *, context: Any = None, **options: Any) -> None:
        """Check a component of this kind and its results; see :func:`meteor_e.testing.check_component`."""
        cls: Any = component if isinstance(component, type) else type(component)
        report, instance = begin_check(cls.kind, component, context or self.context(), options)
        check_repeats(report, instance, self.compute, self.items)


def _analyze(lemmatizer: Lemmatizer, words: Sequence[str]) -> list[Token]:
    """Lemmatize a sentence. Raise an exception if a lemma or tag has the wrong type."""
    if lemmatizer.scope not in ("word", "sentence"):
        raise ValueError(f"scope is {lemmatizer.scope!r}; it is 'word' or 'sentence'")
    tokens = lemmatizer.analyze(words)
    for token in tokens:
        if not all(isinstance(part, str | None) for part in token):
            raise TypeError(f"lemmatize returned {shorten(tuple(token[1:]))}; return (lemma, tag), texts or None")
    return tokens


def _segment(segmenter: Segmenter, text: str) -> tuple[str, list[str]]:
    """Segment a text twice, once alone and once together with an empty text, and return both results."""
    lines = segmenter.join_lines([text, ""])
    if len(lines) != 2:
        raise ValueError("join_lines must return one text for each line")
    return segmenter.join(text), lines


_ORDINARY_PAIR = (SENTENCES[0], SENTENCES[1])
_ODD_PAIR = (" ".join(ODD_WORDS).replace("\ud800", ""), "")
_PAIRS = [*zip(SENTENCES, [*SENTENCES[1:], "."], strict=True), ("", ""), _ODD_PAIR]
"""The pairs of a hypothesis and a reference for which features are computed, from ordinary to odd texts."""


def _compute_stable_values(feature: Feature, pair: tuple[str, str]) -> list[float]:
    """Compute the feature values of a pair of texts, and check that they do not depend on other pairs in a batch.

    The list is empty if the feature only works for certain texts.

    Raises:
        ValueError: if the names of the columns are not distinct, or if the values depend on other segments of a batch.
    """
    _check_column_names(feature)
    if not feature.any_text:
        return []
    (values,) = _extract_rows(feature, [pair])
    values_in_batch, *_ = _extract_rows(feature, [pair, _ODD_PAIR, _ORDINARY_PAIR])
    _check_values_in_batch(values, values_in_batch)
    return [float(value) for value in values]


def _check_column_names(feature: Feature) -> None:
    """Raise ValueError unless a feature has a distinct column name for each value that it computes."""
    distinct_names = set(feature.columns)
    if len(distinct_names) != feature.dimension:
        raise ValueError(f"columns has {len(distinct_names)} different names for {feature.dimension} numbers")


def _check_values_in_batch(values: Floats, values_in_batch: Floats) -> None:
    """Raise ValueError if the feature values of a segment change when the segment is part of a batch."""
    tolerance = 1e-9 * (1 + abs(values).max(initial=0))
    if not np.allclose(values_in_batch, values, rtol=0, atol=tolerance):
        raise ValueError("the row of a segment depends on the rest of the batch")


def _extract_rows(feature: Feature, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, Any]:
    """Compute a feature of several pairs of hypothesis and reference. The hypotheses also serve as source texts."""
    hypotheses = [hypothesis for hypothesis, _ in pairs]
    references = [[reference] for _, reference in pairs]
    names = [str(index) for index in range(len(pairs))]
    return feature.extract(hypotheses, references, sources=hypotheses, systems=names, segments=names)


def _compute_stable_scores(metric: Metric, sentences: Sequence[str]) -> list[float]:
    """Score sentences with a metric, and check that the order of the sentences does not change the scores.

    Args:
        metric: the metric.
        sentences: an even number of sentences. The first and the second sentence are the references of each other, as
            are the third and the fourth sentence, and so on.

    Returns:
        The scores of the segments, followed by the scores of the corpus.

    Raises:
        ValueError: if the scores are not finite, or if they depend on the order of the segments.
    """
    _check_signature(metric.signature)
    if isinstance(metric, SystemsMetric) and not metric.scores_segments:
        # The metric needs the names of translation systems, but the sample sentences do not have any.
        return []
    hypotheses = list(sentences)
    references = []
    for first, second in zip(sentences[::2], sentences[1::2], strict=True):
        references += [[second], [first]]
    scores = _score_batch(metric, hypotheses, references)  # (segments and corpus, columns)
    reversed_scores = _score_batch(metric, hypotheses[::-1], references[::-1])
    _check_scores(scores, reversed_scores)
    return [float(score) for score in scores.flat]


def _check_scores(scores: Floats, reversed_scores: Floats) -> None:
    """Raise ValueError if scores are not finite, or if they differ when the segments are scored in reverse order.

    The last row of each array is the corpus score.
    """
    reordered_scores = np.concatenate([reversed_scores[-2::-1], reversed_scores[-1:]])
    if not np.isfinite([scores, reordered_scores]).all():
        raise ValueError("it has scores that are not finite")
    if not np.allclose(scores, reordered_scores, rtol=1e-9, atol=1e-9):
        raise ValueError("scores depend on the order of the segments")


def _check_signature(signature: object) -> None:
    """Raise ValueError if the signature of a metric is empty or has several lines."""
    if not isinstance(signature, str) or not signature.strip() or "\n" in signature:
        raise ValueError(f"signature is {shorten(signature)}; it must name in a line all that changes a number")


def _score_batch(metric: Metric, hypotheses: list[str], references: list[list[str]]) -> Floats:
    """Score a batch. Return a row of scores for each segment, followed by a row for the corpus."""
    prepared = metric.prepare(references) if metric.needs_references else metric
    statistics = np.asarray(prepared.statistics(Batch(hypotheses, references)), np.float64)
    segment_scores = np.asarray(prepared.segment_scores(statistics), np.float64)
    if len(segment_scores) != len(statistics) or len(segment_scores) != len(hypotheses):
        raise ValueError(
            f"{len(statistics)} rows of statistics, {len(segment_scores)} scores of {len(hypotheses)} segments"
        )
    corpus_score = np.asarray(prepared.scores(statistics.sum(axis=0, keepdims=True)), np.float64)
    return np.concatenate([segment_scores, corpus_score])


FAMILIES: dict[type[Component], Family] = {
    Lemmatizer: Family(_analyze, [*(sentence.split() for sentence in SENTENCES), list(ODD_WORDS)]),
    Segmenter: Family(_segment, ["", " ", *SENTENCES, *ODD_WORDS, " ".join(ODD_WORDS)]),
    Feature: Family(_compute_stable_values, _PAIRS),
    Metric: Family(_compute_stable_scores, [SENTENCES], lambda: MetricContext("en")),
}
"""The checks of results by the base class of the components."""
