"""The conformance checks of each family of components."""

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
from meteor_e.testing.report import default_context, shorten
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


class Family(NamedTuple):
    """The checks of a family, in addition to those of names, options and descriptions.

    Attributes:
        compute: function that returns the result of a component for an item, and raises an exception if the result
            has the wrong type or shape.
        items: the items.
        context: function that returns the context for :meth:`Component.from_options`.
    """

    compute: Callable[[Any, Any], Any]
    items: Sequence[Any]
    context: Callable[[], Any] = default_context


def _analyze(lemmatizer: Lemmatizer, words: Sequence[str]) -> list[Token]:
    """Return the tokens of a sentence's words."""
    if lemmatizer.scope not in ("word", "sentence"):
        raise ValueError(f"scope is {lemmatizer.scope!r}; it is 'word' or 'sentence'")
    tokens = lemmatizer.analyze(words)
    for token in tokens:
        if not all(isinstance(part, str | None) for part in token):
            raise TypeError(f"lemmatize returned {shorten(tuple(token[1:]))}; return (lemma, tag), texts or None")
    return tokens


def _segment(segmenter: Segmenter, text: str) -> tuple[str, list[str]]:
    """Return the segmented text, and the segmented lines of the text and an empty line."""
    lines = segmenter.join_lines([text, ""])
    if len(lines) != 2:
        raise ValueError("join_lines must return one text for each line")
    return segmenter.join(text), lines


_PAIRS = [
    *zip(SENTENCES, [*SENTENCES[1:], "."], strict=True),
    ("", ""),
    (" ".join(ODD_WORDS).replace("\ud800", ""), ""),
]


def _extract_row(feature: Feature, index: int) -> list[float]:
    """Return the row of a segment; empty for a feature that cannot be computed for any text."""
    if len(set(feature.columns)) != feature.dimension:
        raise ValueError(f"columns has {len(set(feature.columns))} different names for {feature.dimension} numbers")
    if not feature.any_text:
        return []

    def extract_rows(*pairs: tuple[str, str]) -> np.ndarray[Any, Any]:
        hypotheses, names = [hypothesis for hypothesis, _ in pairs], [str(i) for i in range(len(pairs))]
        references = [[reference] for _, reference in pairs]
        return feature.extract(hypotheses, references, sources=hypotheses, systems=names, segments=names)

    row = extract_rows(_PAIRS[index])[0]
    row_in_batch = extract_rows(_PAIRS[index], _PAIRS[index - 1], _PAIRS[0])[0]
    if not np.allclose(row_in_batch, row, rtol=0, atol=1e-9 * (1 + abs(row).max(initial=0))):
        raise ValueError("the row of a segment depends on the rest of the batch")
    values: list[float] = row.tolist()
    return values


def _score(metric: Metric, _: None) -> list[float]:
    """Return the scores of the sample segments, followed by the corpus score."""
    signature = metric.signature
    if not isinstance(signature, str) or not signature.strip() or "\n" in signature:
        raise ValueError(f"signature is {shorten(signature)}; it must name in a line all that changes a number")
    if isinstance(metric, SystemsMetric) and not metric.scores_segments:
        return []  # The metric scores systems by name.
    scores = []
    for order in (slice(None), slice(None, None, -1)):
        hypotheses = list(SENTENCES[order])
        references = [[SENTENCES[index ^ 1]] for index in range(len(SENTENCES))[order]]
        prepared = metric.prepare(references) if metric.needs_references else metric
        statistics = np.asarray(prepared.statistics(Batch(hypotheses, references)), np.float64)
        segment_scores = np.asarray(prepared.segment_scores(statistics), np.float64)[order]
        if len(segment_scores) != len(statistics) or len(segment_scores) != len(hypotheses):
            raise ValueError(
                f"{len(statistics)} rows of statistics, {len(segment_scores)} scores of {len(hypotheses)} segments"
            )
        corpus_score = np.asarray(prepared.scores(statistics.sum(axis=0, keepdims=True)), np.float64)
        scores.append([*segment_scores.ravel().tolist(), *corpus_score.ravel().tolist()])
    if not np.isfinite(scores).all():
        raise ValueError("it has scores that are not finite")
    if not np.allclose(scores[0], scores[1], rtol=1e-9, atol=1e-9):
        raise ValueError("scores depend on the order of the segments")
    return scores[0]


FAMILIES: dict[type[Component], Family] = {
    Lemmatizer: Family(_analyze, [*(sentence.split() for sentence in SENTENCES), list(ODD_WORDS)]),
    Segmenter: Family(_segment, ["", " ", *SENTENCES, *ODD_WORDS, " ".join(ODD_WORDS)]),
    Feature: Family(_extract_row, range(len(_PAIRS))),
    Metric: Family(_score, [None], lambda: MetricContext("en")),
}
"""The checks of families, by the base class of the family."""
