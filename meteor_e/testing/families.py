"""The conformance checks of features, lemmatizers, metrics and segmenters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.features import Feature, SegmentFeature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.metrics import Metric, MetricContext, OutputsMetric
from meteor_e.api.segmenters import Segmenter
from meteor_e.testing.report import begin, copy_of, default_context, make, short
from meteor_e.testing.samples import ODD_WORDS, SENTENCES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    report, cls = begin("feature", feature)
    report.stop()
    made = make(report, feature, cls, context or default_context(), options)
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
    for index in range(len(hypotheses)):
        at = slice(index, index + 1)
        one = made.extract(hypotheses[at], references[at], **{key: each[at] for key, each in everything.items()})
        if not report.expect(
            bool(abs(one[0] - rows[index]).max(initial=0) <= 1e-9 * (1 + abs(rows[index]).max(initial=0))),
            f"the row of segment {index + 1} depends on the rest of the batch",
        ):
            break
    copy = copy_of(report, made)
    if copy is not None:
        again = copy.extract(hypotheses, references, **everything)
        report.expect(bool((again == rows).all()), "a pickled copy gives other rows")
        report.expect(copy.describe() == made.describe(), "a pickled copy describes itself otherwise")
    if isinstance(made, SegmentFeature):
        report.expect(made.dimension == 2 * made.segment_dimension, "dimension is not twice segment_dimension")
    report.stop()


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
    report, cls = begin("lemmatizer", lemmatizer)
    report.expect(cls.scope in ("word", "sentence"), f"scope is {cls.scope!r}; it is 'word' or 'sentence'")
    report.stop()
    made = make(report, lemmatizer, cls, context or default_context(), options)
    sentences = [sentence.split() for sentence in SENTENCES] + [list(ODD_WORDS), list(words)]
    sentences = [sentence for sentence in sentences if sentence]
    first = []
    for sentence in sentences:
        given = list(dict.fromkeys(sentence)) if cls.scope == "word" else sentence
        pairs = report.run(f"lemmatize({short(given)})", lambda given=given: list(made.lemmatize(given)))  # type: ignore[misc]
        if pairs is None:
            continue
        report.expect(len(pairs) == len(given), f"lemmatize returned {len(pairs)} pairs for {len(given)} words")
        for pair in pairs:
            fits = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str | None) for part in pair)
            if not report.expect(fits, f"lemmatize returned {short(pair)}; return (lemma, tag), texts or None"):
                break
    report.stop()
    first = [made.analyze(sentence) for sentence in sentences]
    copy = copy_of(report, made)
    for name, other in (("again", made), ("from a pickled copy", copy)):
        if other is not None:
            same = [other.analyze(sentence) for sentence in reversed(sentences)] == first[::-1]
            report.expect(same, f"lemmas differ when asked for {name}; they may depend on the words only")
    report.stop()


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
    import numpy as np

    report, cls = begin("metric", metric)
    report.stop()
    made = make(report, metric, cls, context or MetricContext("en"), options)
    signature = report.run("signature", lambda: made.signature)
    fits = isinstance(signature, str) and bool(signature.strip()) and "\n" not in signature
    report.expect(fits, f"signature is {short(signature)}; it must name in a line all that changes a number")
    report.expect(isinstance(made.higher_is_better, bool), "higher_is_better must be True or False")
    if isinstance(made, OutputsMetric) and not made.alone:
        # Its scores belong to systems by name.
        report.stop()
        return
    hypotheses, references = list(SENTENCES), [[SENTENCES[at ^ 1]] for at in range(len(SENTENCES))]

    def scored(one: Metric, order: slice = slice(None)) -> tuple[float, NDArray[np.float64]]:
        one.prepare(references[order], "en")
        statistics = np.asarray(one.statistics(hypotheses[order], references[order]), np.float64)
        if np.shape(statistics)[:1] != (len(hypotheses),):
            raise ValueError(
                f"statistics returned an array {np.shape(statistics)}; it must have a row for each segment"
            )
        whole = np.asarray(one.corpus_scores(statistics.sum(axis=0, keepdims=True)), np.float64)
        return float(whole.reshape(-1)[0]), np.asarray(one.segment_scores(statistics), np.float64)

    found = report.run("scoring", lambda: scored(made))
    report.stop()
    assert found is not None
    report.expect(bool(np.isfinite(found[0]) and np.isfinite(found[1]).all()), "it has scores that are not finite")
    report.expect(len(found[1]) == len(hypotheses), f"{len(found[1])} scores of {len(hypotheses)} segments")
    turned = report.run("scoring in another order", lambda: scored(made, slice(None, None, -1)))
    if turned is not None:
        close = np.allclose(turned[1][::-1], found[1], rtol=1e-9, atol=1e-9, equal_nan=True)
        report.expect(close, "the score of a segment depends on the order of the segments")
    copy = copy_of(report, made)
    again = None if copy is None else report.run("scoring with a pickled copy", lambda: scored(copy))
    if again is not None:
        report.expect(bool(np.array_equal(again[1], found[1])), "a pickled copy gives other scores")
    report.stop()


def check_segmenter(segmenter: type[Segmenter], *, texts: Iterable[str] = ()) -> None:
    """Check that a segmenter has a name and a docstring, copes with any text, and is deterministic.

    Args:
        segmenter: the class.
        texts: texts for the check beside its own.

    Raises:
        ConformanceError: saying what is wrong.
    """
    report, _ = begin("segmenter", segmenter)
    report.stop()
    made = report.run(f"{segmenter.__name__}()", segmenter)
    report.stop()
    assert made is not None  # or the report would have stopped
    tried = ["", " ", *SENTENCES, *ODD_WORDS, " ".join(ODD_WORDS), *texts]
    for text in tried:
        words = report.run(f"segment({short(text)})", lambda text=text: made.segment(text))  # type: ignore[misc]
        if words is None:
            continue
        fits = not isinstance(words, str) and all(isinstance(word, str) for word in words)
        report.expect(fits, f"segment returned {short(words)}; return a sequence of texts")
    report.stop()
    report.expect(isinstance(made.describe(), str), "describe must return a text")
    first = [made.join(text) for text in tried]
    lines = report.run("join_lines", lambda: made.join_lines(SENTENCES))
    report.expect(lines is None or len(lines) == len(SENTENCES), "join_lines must return one text for each line")
    copy = copy_of(report, made)
    for name, other in (("again", segmenter()), ("from a pickled copy", copy)):
        if other is not None:
            same = [other.join(text) for text in reversed(tried)] == first[::-1]
            report.expect(same, f"words differ when asked for {name}; they may depend on the text only")
    report.stop()
