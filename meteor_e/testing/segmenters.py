"""The conformance check of segmenters."""

from __future__ import annotations

from collections.abc import Iterable

from meteor_e.api.segmenters import Segmenter
from meteor_e.testing.report import Report, check_class, copy_of, short
from meteor_e.testing.samples import ODD_WORDS, SENTENCES


def check_segmenter(segmenter: type[Segmenter], *, texts: Iterable[str] = ()) -> None:
    """Check that a segmenter has a name and a docstring, copes with any text, and is deterministic.

    Args:
        segmenter: the class.
        texts: texts for the check beside its own.

    Raises:
        ConformanceError: saying what is wrong.
    """
    report = Report("segmenter", segmenter)
    check_class(report, segmenter)
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
