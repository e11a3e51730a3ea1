"""The conformance checks of features, lemmatizers, metrics and segmenters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from meteor_e.api.context import MatcherContext
from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.metrics import Metric, MetricContext, OutputsMetric
from meteor_e.api.segmenters import Segmenter
from meteor_e.testing.report import begin, check_repeats, default_context, short
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


def check_feature(
    feature: type[Feature] | Feature,
    *,
    context: MatcherContext | None = None,
    **options: Any,
) -> None:
    """Check that a feature has a name and a docstring, and that rows are finite, independent and repeatable.

    Args:
        feature: the class, or a feature that is made already.
        context: what :meth:`Feature.from_options` gets; by default English without a resource pack.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the feature cannot be made with these options, or needs more than texts.
    """
    report, made = begin("feature", feature, context or default_context(), options)
    columns = made.columns
    report.expect(
        len(columns) == made.dimension and len(set(columns)) == len(columns),
        f"columns has {len(set(columns))} different names for {made.dimension} numbers",
    )
    odd = " ".join(word for word in ODD_WORDS if word != "\ud800")
    hypotheses = [*SENTENCES, "", odd, SENTENCES[0]]
    references = [[SENTENCES[index ^ 1]] for index in range(len(SENTENCES))] + [["."], [""], list(SENTENCES[:3])]
    everything: dict[str, Any] = {
        "sources": hypotheses,
        "systems": ["one"] * len(hypotheses),
        "segments": [str(number) for number in range(len(hypotheses))],
    }
    rows = report.run("extract", lambda: made.extract(hypotheses, references, **everything))
    report.stop()
    assert rows is not None

    def row(one: Feature, at: int) -> list[float]:
        given: dict[str, Any] = {name: [values[at]] for name, values in everything.items()}
        found: list[float] = one.extract([hypotheses[at]], [references[at]], **given)[0].tolist()
        return found

    for at, whole in enumerate(rows):
        alone = np.allclose(row(made, at), whole, rtol=0, atol=1e-9 * (1 + abs(whole).max(initial=0)))
        if not report.expect(alone, f"the row of segment {at + 1} depends on the rest of the batch"):
            break
    check_repeats(report, made, row, range(len(hypotheses)), "rows", "segment")


def check_lemmatizer(
    lemmatizer: type[Lemmatizer] | Lemmatizer,
    *,
    words: Iterable[str] = (),
    context: MatcherContext | None = None,
    **options: Any,
) -> None:
    """Check that a lemmatizer has a name and a docstring, copes with any word, and is deterministic.

    Args:
        lemmatizer: the class, or a lemmatizer that is made already.
        words: words for the check beside its own.
        context: what :meth:`Lemmatizer.from_options` gets; by default English without a resource pack.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the lemmatizer cannot be made with these options.
    """
    report, made = begin("lemmatizer", lemmatizer, context or default_context(), options)
    scope = made.scope
    report.expect(scope in ("word", "sentence"), f"scope is {scope!r}; it is 'word' or 'sentence'")
    report.stop()
    sentences = [sentence.split() for sentence in SENTENCES] + [list(ODD_WORDS), list(words)]
    sentences = [sentence for sentence in sentences if sentence]
    for sentence in sentences:
        given = list(dict.fromkeys(sentence)) if scope == "word" else sentence
        pairs = report.run(f"lemmatize({short(given)})", lambda given=given: list(made.lemmatize(given)))  # type: ignore[misc]
        if pairs is None:
            continue
        report.expect(len(pairs) == len(given), f"lemmatize returned {len(pairs)} pairs for {len(given)} words")
        for pair in pairs:
            fits = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str | None) for part in pair)
            if not report.expect(fits, f"lemmatize returned {short(pair)}; return (lemma, tag), texts or None"):
                break
    report.stop()
    check_repeats(report, made, lambda one, sentence: one.analyze(sentence), sentences, "lemmas", "words")


def check_metric(metric: type[Metric] | Metric, *, context: MetricContext | None = None, **options: Any) -> None:
    """Check that a metric has a signature, and that its scores are finite, repeatable and survive pickling.

    Args:
        metric: the class, or a metric that is made already.
        context: what :meth:`Metric.from_options` gets; by default one for English.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the metric cannot be made with these options.
    """
    report, made = begin("metric", metric, context or MetricContext("en"), options)
    signature = report.run("signature", lambda: made.signature)
    fits = isinstance(signature, str) and bool(signature.strip()) and "\n" not in signature
    report.expect(fits, f"signature is {short(signature)}; it must name in a line all that changes a number")
    report.expect(isinstance(made.higher_is_better, bool), "higher_is_better must be True or False")
    if isinstance(made, OutputsMetric) and not made.alone:
        # Its scores belong to systems by name.
        report.stop()
        return
    hypotheses, references = list(SENTENCES), [[SENTENCES[at ^ 1]] for at in range(len(SENTENCES))]

    def scored(one: Metric, order: slice) -> list[float]:
        """Return the scores of the segments, in their order, then that of the system."""
        one.prepare(references[order], "en")
        statistics = np.asarray(one.statistics(hypotheses[order], references[order]), np.float64)
        if statistics.shape[:1] != (len(hypotheses),):
            raise ValueError(f"statistics returned an array {statistics.shape}; it must have a row for each segment")
        whole = np.asarray(one.corpus_scores(statistics.sum(axis=0, keepdims=True)), np.float64)
        segments = np.asarray(one.segment_scores(statistics), np.float64)[order]
        if len(segments) != len(hypotheses):
            raise ValueError(f"{len(segments)} scores of {len(hypotheses)} segments")
        return [*segments.ravel().tolist(), float(whole.reshape(-1)[0])]

    forwards, backwards = slice(None), slice(None, None, -1)
    found = report.run("scoring", lambda: scored(made, forwards))
    report.stop()
    report.expect(bool(np.isfinite(found or []).all()), "it has scores that are not finite")
    turned = report.run("scoring in another order", lambda: scored(made, backwards))
    close = turned is None or np.allclose(turned[:-1], (found or [])[:-1], rtol=1e-9, atol=1e-9, equal_nan=True)
    report.expect(close, "the score of a segment depends on the order of the segments")
    report.stop()
    check_repeats(report, made, scored, [forwards], "scores", "segments")


def check_segmenter(segmenter: type[Segmenter], *, texts: Iterable[str] = ()) -> None:
    """Check that a segmenter has a name and a docstring, copes with any text, and is deterministic.

    Args:
        segmenter: the class.
        texts: texts for the check beside its own.

    Raises:
        ConformanceError: saying what is wrong.
    """
    report, made = begin("segmenter", segmenter, default_context(), {})
    tried = ["", " ", *SENTENCES, *ODD_WORDS, " ".join(ODD_WORDS), *texts]
    for text in tried:
        words = report.run(f"segment({short(text)})", lambda text=text: made.segment(text))  # type: ignore[misc]
        if words is None:
            continue
        fits = not isinstance(words, str) and all(isinstance(word, str) for word in words)
        report.expect(fits, f"segment returned {short(words)}; return a sequence of texts")
    report.stop()
    lines = report.run("join_lines", lambda: made.join_lines(SENTENCES))
    report.expect(lines is None or len(lines) == len(SENTENCES), "join_lines must return one text for each line")
    check_repeats(report, made, lambda one, text: one.join(text), tried, "words", "text")
