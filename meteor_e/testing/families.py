"""What the components of each family are asked in their check."""

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
from meteor_e.testing.report import default_context, short
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


class Family(NamedTuple):
    """How a family is checked, beside names, options and descriptions.

    Attributes:
        ask: gives a component's answer to an item; raises if it is of the wrong form.
        items: what a component is asked for.
        context: makes what :meth:`Component.from_options` gets.
    """

    ask: Callable[[Any, Any], Any]
    items: Sequence[Any]
    context: Callable[[], Any] = default_context


def _analyzed(lemmatizer: Lemmatizer, words: Sequence[str]) -> list[Token]:
    """Return the tokens of words."""
    if lemmatizer.scope not in ("word", "sentence"):
        raise ValueError(f"scope is {lemmatizer.scope!r}; it is 'word' or 'sentence'")
    tokens = lemmatizer.analyze(words)
    for token in tokens:
        if not all(isinstance(part, str | None) for part in token):
            raise TypeError(f"lemmatize returned {short(tuple(token[1:]))}; return (lemma, tag), texts or None")
    return tokens


def _segmented(segmenter: Segmenter, text: str) -> tuple[str, list[str]]:
    """Return the words of a text, and of a text and an empty line."""
    lines = segmenter.join_lines([text, ""])
    if len(lines) != 2:
        raise ValueError("join_lines must return one text for each line")
    return segmenter.join(text), lines


_PAIRS = [
    *zip(SENTENCES, [*SENTENCES[1:], "."], strict=True),
    ("", ""),
    (" ".join(ODD_WORDS).replace("\ud800", ""), ""),
]


def _row(feature: Feature, at: int) -> list[float]:
    """Return the row of a segment; nothing for a feature that does not have a row for any text."""
    if len(set(feature.columns)) != feature.dimension:
        raise ValueError(f"columns has {len(set(feature.columns))} different names for {feature.dimension} numbers")
    if not feature.any_text:
        return []

    def rows(*pairs: tuple[str, str]) -> np.ndarray[Any, Any]:
        hypotheses, names = [hypothesis for hypothesis, _ in pairs], [str(number) for number in range(len(pairs))]
        references = [[reference] for _, reference in pairs]
        return feature.extract(hypotheses, references, sources=hypotheses, systems=names, segments=names)

    alone, among = rows(_PAIRS[at])[0], rows(_PAIRS[at], _PAIRS[at - 1], _PAIRS[0])[0]
    if not np.allclose(among, alone, rtol=0, atol=1e-9 * (1 + abs(alone).max(initial=0))):
        raise ValueError("the row of a segment depends on the rest of the batch")
    found: list[float] = alone.tolist()
    return found


def _scored(metric: Metric, _: None) -> list[float]:
    """Return the scores of some segments, then that of the system."""
    signature = metric.signature
    if not isinstance(signature, str) or not signature.strip() or "\n" in signature:
        raise ValueError(f"signature is {short(signature)}; it must name in a line all that changes a number")
    if isinstance(metric, SystemsMetric) and not metric.scores_segments:
        return []  # its scores belong to systems by name
    found = []
    for order in (slice(None), slice(None, None, -1)):
        hypotheses, references = list(SENTENCES[order]), [[SENTENCES[at ^ 1]] for at in range(len(SENTENCES))[order]]
        prepared = metric.prepare(references) if metric.needs_references else metric
        statistics = np.asarray(prepared.statistics(Batch(hypotheses, references)), np.float64)
        segments = np.asarray(prepared.segment_scores(statistics), np.float64)[order]
        if len(segments) != len(statistics) or len(segments) != len(hypotheses):
            raise ValueError(
                f"{len(statistics)} rows of statistics, {len(segments)} scores of {len(hypotheses)} segments"
            )
        whole = np.asarray(prepared.scores(statistics.sum(axis=0, keepdims=True)), np.float64)
        found.append([*segments.ravel().tolist(), *whole.ravel().tolist()])
    if not np.isfinite(found).all():
        raise ValueError("it has scores that are not finite")
    if not np.allclose(found[0], found[1], rtol=1e-9, atol=1e-9):
        raise ValueError("scores depend on the order of the segments")
    return found[0]


FAMILIES: dict[type[Component], Family] = {
    Lemmatizer: Family(_analyzed, [*(sentence.split() for sentence in SENTENCES), list(ODD_WORDS)]),
    Segmenter: Family(_segmented, ["", " ", *SENTENCES, *ODD_WORDS, " ".join(ODD_WORDS)]),
    Feature: Family(_row, range(len(_PAIRS))),
    Metric: Family(_scored, [None], lambda: MetricContext("en")),
}
"""The families that have more to be asked than their name and options."""
