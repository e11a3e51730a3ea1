"""The conformance check of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from meteor_e.api.metrics import Metric, MetricContext, OutputsMetric
from meteor_e.testing.report import begin, copy_of, make, short
from meteor_e.testing.samples import SENTENCES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
