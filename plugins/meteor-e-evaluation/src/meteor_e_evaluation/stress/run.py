"""The stress test: pairs of a text and its perturbed copy, scored by metrics, and how often the better text wins."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from meteor_e.api import ConfigError, InputError, Metric, Perturbation, SegmentMetric, SystemOutputs
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.files import atomic_writer
from meteor_e.base.progress import Progress, silent, staged
from meteor_e.metrics.system_outputs import score_outputs
from meteor_e.significance.resampling import draw_weights, interval
from meteor_e_evaluation.stress.general import another_text, some
from meteor_e_evaluation.stress.rules import perturbations
from meteor_e_evaluation.stress.words import Words

ORIGINAL = "original"
"""What the unchanged texts are called among the systems of a suite."""
TYPICAL = frozenset(("polarity", "meaning", "addition", "omission", "grammar", "spelling"))
"""Groups of small errors: harmless changes are measured by how much a metric falls with them."""
TOLERANCE = 0.5
SAMPLES = 1000


@dataclass(frozen=True)
class StressSuite:
    """Texts, and what each perturbation makes of them.

    Attributes:
        name: what the texts are.
        language: ISO code.
        rules: the perturbations.
        texts: the unchanged texts.
        references: for each text its references.
        sources: for each text its source; ``None`` if they are not known.
        changed: by the name of a perturbation, for each text what became of it; ``None`` where it was not applied.
        origin: how the texts were made, where they are not a system's output; empty otherwise.
        seed: of all choices.
    """

    name: str
    language: str
    rules: tuple[Perturbation, ...]
    texts: list[str]
    references: list[list[str]]
    sources: list[str] | None
    changed: dict[str, list[str | None]]
    origin: str
    seed: int

    def outputs(self) -> SystemOutputs:
        """Return the suite as a test set: the system ``original``, and one per perturbation."""
        most = max(map(len, self.references))
        filled = [
            [own if new is None else new for own, new in zip(self.texts, texts, strict=True)]
            for texts in self.changed.values()
        ]
        return SystemOutputs(
            self.name,
            f"xx-{self.language}",
            self.language,
            (ORIGINAL, *self.changed),
            (list(self.texts), *filled),
            tuple([each[min(at, len(each) - 1)] for each in self.references] for at in range(most)),
            None if self.sources is None else list(self.sources),
        )


class Example(NamedTuple):
    """A pair that a metric got wrong.

    Attributes:
        segment: its number, from 1.
        reference: the first reference.
        text: the unchanged text.
        changed: the same with the error.
        scores: of both; of errors with the sign turned.
    """

    segment: int
    reference: str
    text: str
    changed: str
    scores: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """What a metric made of the pairs of one perturbation.

    Attributes:
        rule: the perturbation's name.
        kind: ``error`` or ``harmless``.
        group: of the perturbation.
        pairs: number of pairs.
        share: of an error, the share of pairs whose better text has the higher score; of a harmless change, the share
            whose scores differ by no more than the tolerance.
        low, high: 95 % interval of the share (Wilson, 1927).
        ties: share of pairs with equal scores.
        fall: mean fall of the score, in units of the metric's median fall at a small error.
        p: that the metric and the first one do equally well, by McNemar's exact test; NaN for the first one.
        worst: the pairs that were most wrong.
    """

    rule: str
    kind: str
    group: str
    pairs: int
    share: float
    low: float
    high: float
    ties: float
    fall: float
    p: float
    worst: tuple[Example, ...]


@dataclass(frozen=True)
class StressReport:
    """The results of a stress test.

    Attributes:
        suite: what was scored.
        metrics: labels, in their order.
        signatures: of the metrics.
        findings: by metric, one finding per perturbation that found an occasion.
        means: by metric, the mean share over all kinds of error, with its bootstrap interval over segments.
        tolerance: share of the median fall at a small error by which a harmless change may move the score.
        unused: perturbations that found no occasion.
    """

    suite: StressSuite
    metrics: tuple[str, ...]
    signatures: tuple[str, ...]
    findings: dict[str, tuple[Finding, ...]]
    means: dict[str, tuple[float, float, float]]
    tolerance: float
    unused: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""

        def plain(finding: Finding) -> dict[str, Any]:
            row = {key: None if value != value else value for key, value in vars(finding).items() if key != "worst"}
            return {**row, "worst": [example._asdict() for example in finding.worst]}

        return {
            "suite": self.suite.name,
            "language": self.suite.language,
            "segments": len(self.suite.texts),
            "texts": self.suite.origin or "given",
            "seed": self.suite.seed,
            "tolerance": self.tolerance,
            "metrics": [
                {
                    "metric": metric,
                    "signature": signature,
                    "mean": dict(zip(("share", "low", "high"), self.means[metric], strict=True)),
                    "findings": [plain(finding) for finding in self.findings[metric]],
                }
                for metric, signature in zip(self.metrics, self.signatures, strict=True)
            ],
            "without_occasion": list(self.unused),
        }


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927)."""
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / count + spread / count / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def chosen_rules(language: str, only: Sequence[str] = (), without: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations of a language that are named, by name, group or kind.

    Raises:
        ConfigError: for a name that none has, or if none is left.
    """
    rules = perturbations(language)
    known = {name for rule in rules for name in (rule.name, rule.group, rule.kind)}
    for name in (*only, *without):
        if name not in known:
            raise ConfigError(f"no perturbation {name!r} for {language!r}{near_miss(name, known)}; --list shows all")
    named = [rule for rule in rules if not only or {rule.name, rule.group, rule.kind} & {*only}]
    left = [rule for rule in named if not {rule.name, rule.group, rule.kind} & {*without}]
    if not left:
        raise ConfigError("no perturbation is left")
    return left


def _mild(text: str, rng: random.Random, context: PerturbationContext) -> str:
    """Return a text with one word in eight missing, replaced by one of another text, or swapped with its neighbor."""
    words = Words(text)
    spare = Words(another_text(rng, context) or "").words
    for _ in range(max(1, len(words) // 8)):
        words = Words(str(words))
        at = some(rng, range(len(words)))
        if at is None or len(words) < 3:
            return str(words)
        what = rng.choice(("drop", "replace", "swap"))
        if what == "drop":
            words = Words(words.without([at]))
        elif what == "replace" and spare:
            words.words[at] = rng.choice(spare)
        elif at:
            words.words[at - 1 : at + 1] = words.words[at], words.words[at - 1]
    return str(words)


def make_suite(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    *,
    language: str = "en",
    rules: Sequence[Perturbation] | None = None,
    pairs: int = 200,
    seed: int = DEFAULT_SEED,
    name: str = "stress",
    progress: Progress = silent,
) -> StressSuite:
    """Make the pairs.

    Without hypotheses, the last of several references is taken for one, or the only reference with one word in eight
    missing, replaced or swapped: a text that equals its reference would be too easy.

    Args:
        references: for each segment its references.
        hypotheses: one translation per segment, as good as can be had.
        sources: for each segment its source.
        language: ISO code of the texts.
        rules: by default all of the language.
        pairs: the most pairs per perturbation.
        seed: of all choices.
        name: what to call the texts.
        progress: told about the work.

    Raises:
        InputError: if there are no segments, they differ in number, or a perturbation fails.
    """
    lists = [list(each) for each in references]
    origin = ""
    for what, found in (("hypotheses", hypotheses), ("sources", sources)):
        if found is not None and len(found) != len(lists):
            raise InputError(f"there are {len(found)} {what} and {len(lists)} segments of references")
    if not lists:
        raise InputError("there are no segments to perturb")
    if hypotheses is not None:
        texts = list(hypotheses)
    elif all(len(each) > 1 for each in lists):
        origin = "the last reference, scored against the others"
        texts, lists = [each[-1] for each in lists], [each[:-1] for each in lists]
    else:
        origin = "references with one word in eight missing, replaced or swapped"
        firsts = [each[0] for each in lists]
        texts = [
            _mild(text, random.Random(f"{seed} mild {at}"), PerturbationContext(language, firsts, at))
            for at, text in enumerate(firsts)
        ]
    chosen = list(perturbations(language) if rules is None else rules)
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    changed: dict[str, list[str | None]] = {}
    for done, rule in enumerate(chosen, 1):
        row: list[str | None] = [None] * len(texts)
        count = 0
        for at in order:
            if count == pairs:
                break
            if not texts[at].strip():
                continue
            source = None if sources is None else sources[at]
            context = PerturbationContext(language, texts, at, source, lists[at][0])
            new = (
                rule.apply(texts[at], random.Random(f"{seed} {rule.name} {at}"), context) if texts[at].strip() else None
            )
            if new is not None and new != texts[at]:
                row[at] = new
                count += 1
        changed[rule.name] = row
        progress("perturbing", done, len(chosen))
    return StressSuite(
        name,
        language,
        tuple(chosen),
        texts,
        lists,
        None if sources is None else list(sources),
        changed,
        origin,
        seed,
    )


class _FunctionMetric(SegmentMetric):
    """A function of hypotheses and references."""

    name = "function"

    def __init__(self, function: Callable[..., Sequence[float]]) -> None:
        super().__init__()
        self.function = function
        self.label = getattr(function, "__name__", type(function).__name__)
        self.signature = f"function:{self.label}"

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Sequence[float]:
        return self.function(list(hypotheses), [list(texts) for texts in references])


def stress(
    metrics: Sequence[Metric | Callable[..., Sequence[float]]],
    suite: StressSuite,
    *,
    tolerance: float = TOLERANCE,
    examples: int = 3,
    cache: ArrayCache | None = None,
    progress: Progress = silent,
) -> StressReport:
    """Score the pairs of a suite.

    Args:
        metrics: metrics, or functions that take hypotheses and lists of references and return one number each, the
            higher the better.
        suite: the pairs.
        tolerance: share of the median fall at a small error by which a harmless change may move the score.
        examples: pairs that are kept per perturbation, those most wrong.
        cache: where statistics are kept; functions are asked each time.
        progress: told about the work.

    Raises:
        ConfigError: if two metrics have one label.
        InputError: for a score that is not a number.
    """
    made = [each if isinstance(each, Metric) else _FunctionMetric(each) for each in metrics]
    labels = [metric.label for metric in made]
    for label in labels:
        if labels.count(label) > 1:
            raise ConfigError(f"two metrics are called {label!r}")
    outputs = suite.outputs()
    applied = {name: np.array([text is not None for text in texts]) for name, texts in suite.changed.items()}
    used = [rule for rule in suite.rules if applied[rule.name].any()]
    if not used:
        raise InputError("no perturbation found an occasion in these texts")
    cells = np.stack([np.logical_or.reduce(list(applied.values())), *applied.values()])
    store = ArrayCache(enabled=False) if cache is None else cache
    findings: dict[str, tuple[Finding, ...]] = {}
    means: dict[str, tuple[float, float, float]] = {}
    signatures = []
    first: dict[str, np.ndarray[Any, np.dtype[np.bool_]]] = {}
    weights = draw_weights(len(suite.texts), SAMPLES, suite.seed)
    for metric in made:
        kept = ArrayCache(enabled=False) if isinstance(metric, _FunctionMetric) else store
        scores = score_outputs(metric, outputs, cells, kept, systems=False, progress=staged(progress, metric.label))
        segments = scores.segments if metric.higher_is_better else -scores.segments
        if not np.isfinite(segments[cells]).all():
            row, column = np.argwhere(cells & ~np.isfinite(segments))[0]
            raise InputError(f"{metric.label} gives no finite number for {outputs.systems[row]}, segment {column + 1}")
        falls = {
            rule.name: (segments[0] - segments[1 + list(suite.changed).index(rule.name)])[applied[rule.name]]
            for rule in used
        }
        unit = _typical_fall(metric, suite, {rule: falls[rule.name] for rule in used})
        rows, good = [], {}
        for rule in used:
            fall = falls[rule.name]
            hit = fall > 0 if rule.kind == "error" else np.abs(fall) <= tolerance * max(unit, 0.0)
            good[rule.name] = hit
            p = math.nan
            if rule.name in first:
                better, worse = int((hit & ~first[rule.name]).sum()), int((~hit & first[rule.name]).sum())
                p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
            rows.append(_finding(rule, suite, segments, fall, hit, unit, p, examples))
        first = first or good
        findings[metric.label] = tuple(rows)
        means[metric.label] = _mean(used, applied, good, weights)
        signatures.append(metric.signature)
    unused = tuple(rule.name for rule in suite.rules if rule not in used)
    return StressReport(suite, tuple(findings), tuple(signatures), findings, means, tolerance, unused)


def _typical_fall(metric: Metric, suite: StressSuite, falls: Mapping[Perturbation, Floats]) -> float:
    """Return the median fall of a metric's score at a small error, also where the suite has none."""
    small = [fall for rule, fall in falls.items() if rule.kind == "error" and rule.group in TYPICAL]
    if small or all(rule.kind == "error" for rule in falls):
        return float(np.median(np.concatenate(small or list(falls.values()))))
    rules = [
        rule for rule in perturbations(suite.language) if rule.name in ("word-dropped", "misspelled", "digits-changed")
    ]
    errors = make_suite(
        suite.references, suite.texts, suite.sources, language=suite.language, rules=rules, pairs=50, seed=suite.seed
    )
    outputs = errors.outputs()
    cells = np.array([[text is not None for text in texts] for texts in errors.changed.values()])
    cells = np.concatenate([np.logical_or.reduce(cells)[None], cells])
    scores = score_outputs(metric, outputs, cells, ArrayCache(enabled=False), systems=False).segments
    differences = (scores[:1] - scores[1:])[cells[1:]] * (1 if metric.higher_is_better else -1)
    return float(np.median(differences)) if len(differences) else 0.0


def _finding(
    rule: Perturbation,
    suite: StressSuite,
    segments: Floats,
    fall: Floats,
    hit: Any,
    unit: float,
    p: float,
    examples: int,
) -> Finding:
    texts = suite.changed[rule.name]
    places = [at for at, text in enumerate(texts) if text is not None]
    row = 1 + list(suite.changed).index(rule.name)
    low, high = wilson(int(hit.sum()), len(fall))
    wrongness = -fall if rule.kind == "error" else np.abs(fall)
    order = [int(at) for at in np.argsort(-wrongness, kind="stable") if not hit[at]][:examples]
    worst = tuple(
        Example(
            at + 1,
            suite.references[at][0],
            suite.texts[at],
            texts[at] or "",
            (float(segments[0, at]), float(segments[row, at])),
        )
        for at in (places[each] for each in order)
    )
    typical = float(np.mean(fall if rule.kind == "error" else np.abs(fall))) / unit if unit > 0 else math.nan
    share, ties = float(np.mean(hit)), float(np.mean(fall == 0))
    return Finding(rule.name, rule.kind, rule.group, len(fall), share, low, high, ties, typical, p, worst)


def _mean(
    used: Sequence[Perturbation], applied: Mapping[str, Any], good: Mapping[str, Any], weights: Floats
) -> tuple[float, float, float]:
    """Return the mean share over kinds of error, and its interval over bootstrap samples of segments."""
    names = [rule.name for rule in used if rule.kind == "error"]
    if not names:
        return math.nan, math.nan, math.nan
    shares = np.full((len(names), len(weights)), np.nan)
    for row, name in enumerate(names):
        hits = np.zeros(len(applied[name]))
        hits[applied[name]] = good[name]
        counts = weights @ applied[name]
        np.divide(weights @ hits, counts, out=shares[row], where=counts > 0)
    # A sample without any pair of a rare kind leaves the kind out.
    known = ~np.isnan(shares)
    total = np.where(known, shares, 0).sum(axis=0)
    found = interval(np.divide(total, known.sum(axis=0), out=np.full(len(total), np.nan), where=known.any(axis=0)))
    return float(np.mean([np.mean(good[name]) for name in names])), found.low, found.high


def write_suite(suite: StressSuite, folder: Path) -> list[Path]:
    """Write the texts, for metrics that run elsewhere: one file per perturbation, line by line.

    A line of a perturbation that found no occasion in it is the unchanged text. Scores come back as ``scores:FILE``
    with lines of system and score.

    Raises:
        InputError: for a segment with a line break, which would shift the lines.
    """
    outputs = suite.outputs()
    files = {f"{system}.txt": texts for system, texts in zip(outputs.systems, outputs.outputs, strict=True)}
    files |= {f"reference{at}.txt": texts for at, texts in enumerate(outputs.references, 1)}
    if outputs.source is not None:
        files["source.txt"] = outputs.source
    for name, texts in files.items():
        for number, text in enumerate(texts, 1):
            if "\n" in text or "\r" in text:
                raise InputError(f"segment {number} of {name} has a line break")
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in files.items():
        with atomic_writer(folder / name) as stream:
            stream.writelines(f"{text}\n" for text in texts)
    return [folder / name for name in files]
