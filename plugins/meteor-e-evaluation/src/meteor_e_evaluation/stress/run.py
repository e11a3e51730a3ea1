"""The stress test: metrics score pairs of a text and its perturbed copy, and how often the better text wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from meteor_e.api import ConfigError, InputError, Metric, Perturbation, SegmentMetric
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.progress import Progress, silent, staged
from meteor_e.metrics.translations import score_outputs
from meteor_e.significance.resampling import draw_weights, interval
from meteor_e_evaluation.stress.report import TOLERANCE, Example, Finding, StressReport
from meteor_e_evaluation.stress.rules import chosen_rules
from meteor_e_evaluation.stress.suite import StressSuite, make_suite

TYPICAL = frozenset(("polarity", "meaning", "addition", "omission", "grammar", "spelling"))
"""Groups of small errors: harmless changes are measured by how much a metric falls with them."""
SAMPLES = 1000
Function = Callable[..., Sequence[float]]
Hits = NDArray[np.bool_]


class _FunctionMetric(SegmentMetric):
    """A function of hypotheses and references."""

    name = "function"

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function
        self.label = getattr(function, "__name__", type(function).__name__)
        self.signature = f"function:{self.label}"

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Sequence[float]:
        return self.function(list(hypotheses), [list(texts) for texts in references])


class _Scored:
    """A suite under a metric.

    Attributes:
        segments: scores, ``(systems, segments)``, the higher the better.
        falls: by perturbation with an occasion, how much lower the changed texts score, pair by pair.
    """

    def __init__(self, metric: Metric, suite: StressSuite, cache: ArrayCache, progress: Progress = silent) -> None:
        outputs, applied = suite.outputs(), suite.applied
        cells = np.stack([np.logical_or.reduce(list(applied.values())), *applied.values()])
        scores = score_outputs(metric, outputs, cells, cache, systems=False, progress=progress).segments
        self.segments = scores if metric.higher_is_better else -scores
        if not np.isfinite(self.segments[cells]).all():
            row, column = np.argwhere(cells & ~np.isfinite(self.segments))[0]
            raise InputError(f"{metric.label} gives no finite number for {outputs.systems[row]}, segment {column + 1}")
        rows = zip(applied.items(), self.segments[0] - self.segments[1:], strict=True)
        self.falls: dict[str, Floats] = {name: fall[cell] for (name, cell), fall in rows if cell.any()}


def stress(
    metrics: Sequence[Metric | Function],
    suite: StressSuite,
    *,
    examples: int = 3,
    cache: ArrayCache | None = None,
    progress: Progress = silent,
) -> StressReport:
    """Score the pairs of a suite.

    Args:
        metrics: metrics, or functions that take hypotheses and lists of references and return one number each, the
            higher the better.
        suite: the pairs.
        examples: pairs that are kept per perturbation, those most wrong.
        cache: where statistics are kept; functions are asked each time.
        progress: told about the work.

    Raises:
        ConfigError: if two metrics have one label.
        InputError: for a score that is not a number, or if no perturbation found an occasion.
    """
    made = [each if isinstance(each, Metric) else _FunctionMetric(each) for each in metrics]
    report = StressReport(suite, {metric.label: metric.signature for metric in made})
    if len(report.signatures) < len(made):
        twice = next(label for label in report.signatures if [each.label for each in made].count(label) > 1)
        raise ConfigError(f"two metrics are called {twice!r}")
    used = [rule for rule in suite.rules if suite.applied[rule.name].any()]
    if not used:
        raise InputError("no perturbation found an occasion in these texts")
    report.unused.extend(rule.name for rule in suite.rules if rule not in used)
    first: dict[str, Hits] = {}
    for metric in made:
        kept = ArrayCache(enabled=False) if cache is None or isinstance(metric, _FunctionMetric) else cache
        scored = _Scored(metric, suite, kept, staged(progress, metric.label))
        unit = _typical_fall(metric, suite, scored)
        hits: dict[str, Hits] = {}
        findings = report.findings.setdefault(metric.label, [])
        for rule in used:
            fall, error = scored.falls[rule.name], rule.kind == "error"
            hits[rule.name] = fall > 0 if error else np.abs(fall) <= TOLERANCE * max(unit, 0.0)
            worst = _worst(rule, suite, scored, hits[rule.name], examples)
            findings.append(_finding(rule, fall if error else np.abs(fall), hits[rule.name], unit, first, worst))
        report.means[metric.label] = _mean({rule.name: hits[rule.name] for rule in used if rule.kind == "error"}, suite)
        first = first or hits
    return report


def _typical_fall(metric: Metric, suite: StressSuite, scored: _Scored) -> float:
    """Return the median fall of a metric's score at a small error, also where the suite has none."""
    rules = [rule for rule in suite.rules if rule.name in scored.falls]
    errors = [rule for rule in rules if rule.kind == "error"]
    small = [rule for rule in errors if rule.group in TYPICAL]
    if not small and len(errors) < len(rules):
        small = chosen_rules(suite.language, ("word-dropped", "misspelled", "digits-changed"))
        texts = (suite.references, suite.texts, suite.sources)
        suite = make_suite(*texts, language=suite.language, rules=small, pairs=50, seed=suite.seed)
        scored = _Scored(metric, suite, ArrayCache(enabled=False))
    falls = [scored.falls[rule.name] for rule in small or errors if rule.name in scored.falls]
    return float(np.median(np.concatenate(falls))) if falls else 0.0


def _worst(rule: Perturbation, suite: StressSuite, scored: _Scored, hit: Hits, count: int) -> tuple[Example, ...]:
    """Return the pairs that a metric got most wrong."""
    texts, fall = suite.changed[rule.name], scored.falls[rule.name]
    scores = scored.segments[[0, 1 + list(suite.changed).index(rule.name)]]
    places = np.flatnonzero(suite.applied[rule.name])
    order = np.argsort(fall if rule.kind == "error" else -np.abs(fall), kind="stable")
    return tuple(
        Example(at + 1, suite.references[at][0], suite.texts[at], texts[at] or "", tuple(scores[:, at].tolist()))
        for at in places[[each for each in order if not hit[each]][:count]].tolist()
    )


def _finding(
    rule: Perturbation, size: Floats, hit: Hits, unit: float, first: dict[str, Hits], worst: tuple[Example, ...]
) -> Finding:
    """Return what a metric made of a perturbation; ``first`` says which pairs the first metric got right."""
    p = math.nan
    if first:
        better, worse = int((hit & ~first[rule.name]).sum()), int((~hit & first[rule.name]).sum())
        p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    fall = float(np.mean(size)) / unit if unit > 0 else math.nan
    low, high = wilson(int(hit.sum()), len(hit))
    ties, share = float(np.mean(size == 0)), float(np.mean(hit))
    return Finding(rule.name, rule.kind, rule.group, len(hit), share, low, high, ties, fall, p, worst)


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927)."""
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / count + spread / count / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _mean(hits: dict[str, Hits], suite: StressSuite) -> tuple[float, float, float]:
    """Return the mean share over kinds of error, and its interval over bootstrap samples of segments."""
    if not hits:
        return math.nan, math.nan, math.nan
    weights = draw_weights(len(suite.texts), SAMPLES, suite.seed)
    shares = np.full((len(hits), len(weights)), np.nan)
    for row, (name, hit) in enumerate(hits.items()):
        found = np.zeros(len(suite.texts))
        found[suite.applied[name]] = hit
        counts = weights @ suite.applied[name]
        np.divide(weights @ found, counts, out=shares[row], where=counts > 0)
    # A sample without any pair of a rare kind leaves the kind out.
    known = ~np.isnan(shares)
    total = np.where(known, shares, 0).sum(axis=0)
    bounds = interval(np.divide(total, known.sum(axis=0), out=np.full(len(total), np.nan), where=known.any(axis=0)))
    return float(np.mean([np.mean(hit) for hit in hits.values()])), bounds.low, bounds.high
