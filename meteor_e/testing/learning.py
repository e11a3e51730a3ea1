"""The conformance checks of metrics, estimators and measures: what gives numbers, and what learns or judges them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meteor_e.api.estimators import Estimator, Examples, TrainingRun
from meteor_e.api.measures import Measure
from meteor_e.api.metrics import Metric, MetricContext, OutputsMetric, Scores, SystemOutputs
from meteor_e.base.errors import ConfigError, InputError, PluginError, describe_error
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


def _examples(vectors: bool) -> Examples:
    """Return hypotheses of two made-up test sets, whose quality is the first feature; no two are alike."""
    import numpy as np

    draw = np.random.default_rng(1)
    features = draw.normal(size=(60, 4))
    quality = features[:, 0] + 0.2 * draw.normal(size=60)
    one, other = np.arange(0, 60, 2), np.arange(1, 60, 2)
    up = quality[one] > quality[other]
    part = np.repeat([0, 1], 15)
    side = draw.normal(size=(60, 3 if vectors else 0))
    return Examples(
        ("first xx-en", "second xx-en"), features, side, side[::-1], np.where(up, one, other),
        np.where(up, other, one), part, np.arange(30), np.ones(30), quality, np.repeat([0, 1], 30),
    )  # fmt: skip


def check_estimator(estimator: type[Estimator] | Estimator, **options: Any) -> None:
    """Check that an estimator learns, decides the same each time, and can be written to a model file and read.

    One that reads texts is not trained.

    Args:
        estimator: the class, or an estimator that is made already.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the estimator cannot be made with these options.
    """
    import numpy as np

    report, cls = begin("estimator", estimator)
    report.expect(cls.task in ("pairs", "scores"), f"task is {cls.task!r}; it must be 'pairs' or 'scores'")
    report.stop()
    made = make(report, estimator, cls, None, options)
    parameters = report.run("get_params", made.get_params)
    if parameters is not None:
        report.run("making it with its own get_params", lambda: cls.make(**parameters))
    report.stop()
    if cls.needs_texts:
        return
    assert parameters is not None
    examples = _examples(cls.needs_vectors)
    run = TrainingRun(1, ("quality", "a", "b", "c"))
    try:
        made.learn(examples, None, run)
    except (ConfigError, InputError):
        # It asks for certain features, which is its right.
        report.stop()
        return
    except Exception as error:
        report.expect(False, f"learn raised {describe_error(error)}")
    arrays = report.run("arrays", made.arrays)
    report.stop()
    fits = isinstance(arrays, dict) and all(isinstance(array, np.ndarray) for array in arrays.values()) and bool(arrays)
    report.expect(fits, f"arrays returned {short(arrays)}; it must return arrays by name, one at least")
    report.stop()
    assert arrays is not None
    if not cls.compares_only:
        scores = report.run("score_segments", lambda: np.asarray(made.score_segments(examples.features), float))
        fits = scores is None or (scores.shape == (60,) and bool(np.isfinite(scores).all()))
        report.expect(fits, "score_segments must return a finite number for each hypothesis")
    decisions = report.run("decisions", lambda: np.asarray(made.decisions(examples), float))
    if decisions is not None:
        report.expect(decisions.shape == (30,), "decision_function must return a number for each pair")

    def restored() -> Any:
        other = cls.make(**made.get_params())
        other.restore({name: array.copy() for name, array in arrays.items()})
        return np.asarray(other.decisions(examples), float)

    again = report.run("restore, and deciding then", restored)
    if decisions is not None and again is not None:
        report.expect(bool(np.array_equal(again, decisions)), "after restore it decides otherwise")
    second = cls.make(**parameters)
    report.run("learn, once more", lambda: second.learn(examples, None, run))
    same = report.run("arrays", second.arrays) or {}
    alike = same.keys() == arrays.keys() and all(np.array_equal(arrays[name], same[name]) for name in arrays)
    report.expect(alike, "two trainings with the same seed learn other numbers")
    whole = report.run("system_score", lambda: np.asarray(made.system_score(np.array([1.0, 3.0]), np.ones((5, 2)))))
    report.expect(whole is None or whole.shape == (5,), "system_score must return a score for each sample")
    report.stop()


def _judged() -> tuple[SystemOutputs, Scores]:
    """Return a made-up test set with rankings and ratings, and scores that agree with them fairly well."""
    import numpy as np

    try:
        judged = import_module("meteor_e_evaluation")
        judgements = import_module("meteor_e_evaluation.judgements")
    except ImportError as error:
        raise PluginError(f"to check a measure, install meteor-e-evaluation ({error})") from error
    draw = np.random.default_rng(2)
    systems, segments = 6, 30
    quality = draw.normal(size=(systems, segments)) + np.arange(systems)[:, None] / 3
    system, segment = (places.ravel() for places in np.indices(quality.shape))
    pairs = [(at, one, other) for at in range(segments) for one in range(systems) for other in range(one)]
    ranked = [
        (at, one, other) if quality[one, at] > quality[other, at] else (at, other, one) for at, one, other in pairs
    ]
    columns = [np.array(column) for column in zip(*ranked, strict=True)]
    texts = [f"segment {number}" for number in range(segments)]
    test = judged.TestSet(
        "made up", "xx-en", "en", tuple("abcdef"), (texts,) * systems, (texts,), None,
        judgements.Rankings(*columns, np.zeros(len(ranked), bool)),
        judgements.Assessments(segment, system, quality[system, segment]),
        {name: float(mean) for name, mean in zip("abcdef", quality.mean(axis=1), strict=True)},
    )  # fmt: skip
    found = quality + draw.normal(size=quality.shape)
    return test, Scores("made up", "made up", found, found.mean(axis=1))


def check_measure(measure: type[Measure[Any]] | Measure[Any], **options: Any) -> None:
    """Check that a measure describes itself, and that its values are numbers, on a made-up test set and on samples.

    Args:
        measure: the class, or a measure that is made already.
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong.
        PluginError: if meteor-e-evaluation is not installed, which has the test sets.
    """
    import numpy as np

    report, cls = begin("measure", measure)
    for name in ("title", "definition"):
        report.expect(bool(getattr(cls, name)), f"it has no {name}; tables and pages show it")
    report.expect(cls.level in ("segment", "system"), f"level is {cls.level!r}; it must be 'segment' or 'system'")
    report.expect(cls.takes in ("segments", "systems"), f"takes is {cls.takes!r}; it must be 'segments' or 'systems'")
    report.stop()
    made = make(report, measure, cls, None, options)
    test, scores = _judged()
    value = report.run("value", lambda: float(made.value(test, scores)))
    weights = np.vstack([np.ones(30), np.random.default_rng(3).multinomial(30, [1 / 30] * 30, 4)])
    samples = report.run("resampled", lambda: np.asarray(made.resampled(test, scores, weights), float))
    report.expect(samples is None or samples.shape == (5,), "resampled must return a value for each row of weights")
    report.stop()
    assert samples is not None
    if value is not None and np.isfinite(value) and np.isfinite(samples[0]):
        # Some measures draw samples of their own.
        same = bool(abs(value - samples[0]) < 0.05)
        report.expect(same, f"resampled gives {samples[0]}, not {value}, where each segment is drawn once")
    report.run("default_test", made.default_test)
    report.run("weight", lambda: made.weight(test))
    report.stop()
