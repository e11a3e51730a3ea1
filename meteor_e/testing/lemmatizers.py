"""The conformance check of lemmatizers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.testing.report import begin, copy_of, default_context, make, short
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


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
