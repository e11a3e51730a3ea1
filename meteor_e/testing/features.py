"""The conformance check of features."""

from __future__ import annotations

from typing import Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.features import Feature, SegmentFeature
from meteor_e.testing.report import begin, copy_of, default_context, make
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
