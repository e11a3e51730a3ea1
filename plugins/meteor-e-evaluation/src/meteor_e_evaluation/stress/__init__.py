"""A test of metrics: does a metric prefer a text to the same text with one error?

:func:`perturbations` returns the rules for a language; each turns a text into a worse or an equally good one.
:func:`stress` says how often metrics prefer the better text::

    report = stress([load_metric("chrf"), load_metric("meteor")])
    print(report.means)
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Metric, Perturbation, Result, SystemOutputs
from meteor_e.api.formats import Grid
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent, staged
from meteor_e.base.yamlfile import parse_yaml
from meteor_e.metrics.specs import distinct
from meteor_e.metrics.translations import score_test_set
from meteor_e.plugins.registry import plugin_registry
from meteor_e.significance.resampling import draw_weights, interval
from meteor_e_evaluation.stress.drafts import Draft, NoOccasionError
from meteor_e_evaluation.stress.english import EnglishDraft

TYPICAL = frozenset(("polarity", "meaning", "addition", "omission", "grammar", "spelling"))
"""Groups of small errors: harmless changes are measured by how much a metric falls with them."""
TOLERANCE = 0.5
"""Largest change of a score at a harmless change, as a share of the median fall at a small error."""
Hits = NDArray[np.bool_]


def _perturbation(name: str, row: Mapping[str, Any]) -> type[Perturbation]:
    """Return what a row of the table describes; see ``rules.yaml``."""
    method, *given = next(((key, row[key]) for key in OPERATIONS if key in row), (name.replace("-", "_"),))

    def apply(self: Perturbation, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        draft = (EnglishDraft if "en" in row else Draft)(text, rng, context)
        try:
            changed = text if len(draft) < row.get("least", 0) else getattr(draft, method)(*given)
        except NoOccasionError:
            return None
        return None if changed == text else changed

    members = {
        "name": name,
        "group": row["group"],
        "kind": "harmless" if row["group"] == "writing" else "error",
        "languages": ("en",) if "en" in row else (),
        "apply": apply,
        "__doc__": row["what"],
    }
    return type(name.title().replace("-", ""), (Perturbation,), members)


OPERATIONS = ("replace", "drop", "swap", "insert", "fill", "rewrite")
"""Methods of a text that take what the table says; a rule without one of them has a method of its name."""
_TABLE = files("meteor_e_evaluation.stress") / "rules.yaml"
BUILT_IN = {name: _perturbation(name, row) for name, row in parse_yaml(_TABLE.read_bytes(), "rules.yaml").data.items()}
"""Our perturbations by name, those of one group together."""


def perturbations(language: str = "en") -> list[Perturbation]:
    """Return the perturbations for a language, by its ISO code; those of plugins come last."""
    registry = plugin_registry()
    others = {name: registry.get("perturbation", name) for name in registry.names("perturbation")}
    return [found() for found in (BUILT_IN | others).values() if not found.languages or language in found.languages]


def chosen_rules(language: str, only: Sequence[str] = ()) -> list[Perturbation]:
    """Return the perturbations of a language that are named, by name, group or kind.

    Raises:
        ConfigError: for a name that none has.
    """
    names = {rule: {rule.name, rule.group, rule.kind} for rule in perturbations(language)}
    known = set().union(*names.values())
    for name in only:
        if name not in known:
            raise ConfigError(f"no perturbation {name!r} for {language!r}{near_miss(name, known)}; --list shows all")
    return [rule for rule, own in names.items() if not only or own & {*only}]


def bundled_examples(language: str = "en") -> tuple[list[list[str]], list[str]]:
    """Return sentences written for this test: for each a list of one reference, and translations in other words.

    There are 122 for English, some eight for other languages.

    Raises:
        ConfigError: for a language that has none.
    """
    text = (files("meteor_e_evaluation.stress") / "texts.tsv").read_text(encoding="utf-8")
    found = [line.split("\t")[1:] for line in text.splitlines()[1:] if line.startswith(f"{language}\t")]
    if not found:
        raise ConfigError(f"no sentences in {language!r} come with the stress test; give HYPOTHESES --reference FILE")
    return [[reference] for reference, _ in found], [translation for _, translation in found]


class Finding(NamedTuple):
    """Results of a metric on the pairs of one perturbation.

    Attributes:
        rule, kind, group: the perturbation's name, ``error`` or ``harmless``, and its group.
        pairs: number of pairs.
        share: of an error, the share of pairs whose better text has the higher score; of a harmless change, the share
            whose scores differ by no more than the tolerance.
        low, high: 95 % interval of the share (Wilson, 1927).
        ties: share of pairs with equal scores.
        fall: mean fall of the score, in units of the metric's median fall at a small error.
        p: that the metric and the first one do equally well, by McNemar's exact test; NaN for the first one.
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


@dataclasses.dataclass(frozen=True)
class StressReport(Result):
    """The results of a stress test.

    Attributes:
        language: ISO code of the texts.
        seed: of all choices.
        signatures: by label, the signatures of the metrics.
        changed: by the name of a perturbation, for each text what became of it; ``None`` where it was not applied.
        findings: by metric, one finding per perturbation that found an occasion.
        means: by metric, the mean share over all kinds of error, with its bootstrap interval over segments.
        worst: the pairs that were most wrong, as many per metric and perturbation as were asked for.
    """

    language: str
    seed: int
    signatures: dict[str, str]
    changed: dict[str, list[str | None]]
    findings: dict[str, list[Finding]] = dataclasses.field(default_factory=dict)
    means: dict[str, tuple[float, float, float]] = dataclasses.field(default_factory=dict)
    worst: list[tuple[Any, ...]] = dataclasses.field(default_factory=list)

    @property
    def unused(self) -> list[str]:
        """Perturbations that found no occasion."""
        return [name for name, texts in self.changed.items() if not any(text is not None for text in texts)]

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a row per perturbation and a column per metric; then the pairs that were most wrong, if any."""
        rows: dict[str, list[list[str]]] = {"error": [], "harmless": []}
        for row in zip(*self.findings.values(), strict=True):
            cells = [_share(*one[4:7]) + ("" if math.isnan(one.p) else "*" if one.p < 0.05 else " ") for one in row]
            rows[row[0].kind].append([row[0].group, row[0].rule, str(row[0].pairs), *cells])
        if rows["error"]:
            rows["error"].append(["all errors", "mean", "", *(_share(*mean) for mean in self.means.values())])
        head = ["group", "perturbation", "pairs", *self.findings]
        segments, first = len(next(iter(self.changed.values()))), next(iter(self.findings))
        what = "the metric's median fall at a small error"
        notes = [
            "Share of pairs (%) whose better text has the higher score, with 95 % intervals; ties count as misses.",
            f"Group writing: share of pairs whose scores differ by at most {TOLERANCE:g} of {what}.",
            f"{segments} segments of {self.language}, seed {self.seed}.",
        ]
        notes += [f"*: differs from {first} (McNemar's exact test, p < 0.05)."] if len(self.findings) > 1 else []
        notes += [f"No occasion: {', '.join(self.unused)}."] if self.unused else []
        yield Grid(head, [*rows["error"], *rows["harmless"]], notes=notes, left=2)
        if self.worst:
            head = ["metric", "perturbation", "segment", "score", "score changed", "reference", "text", "changed"]
            pairs = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in self.worst]
            yield Grid(head, pairs, left=len(head))

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per metric and perturbation, with full precision."""
        yield "metric", *Finding._fields
        for metric, findings in self.findings.items():
            for finding in findings:
                yield metric, *(None if value != value else value for value in finding)

    def document(self) -> dict[str, Any]:
        """Return everything, with full precision."""
        segments = len(next(iter(self.changed.values())))
        about = {"suite": "stress", "language": self.language, "segments": segments, "seed": self.seed}
        means = {name: dict(zip(("share", "low", "high"), mean, strict=True)) for name, mean in self.means.items()}
        found = {"findings": list(self.entries()), "worst": self.worst, "without_occasion": self.unused}
        return {**about, "tolerance": TOLERANCE, "signatures": self.signatures, "means": means, **found}


def _share(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def stress(
    metrics: Sequence[Metric],
    references: Sequence[Sequence[str]] | None = None,
    hypotheses: Sequence[str] = (),
    sources: Sequence[str] | None = None,
    *,
    language: str = "en",
    rules: Sequence[Perturbation] | None = None,
    pairs: int = 200,
    seed: int = DEFAULT_SEED,
    examples: int = 0,
    cache: ArrayCache | None = None,
    progress: Progress = silent,
) -> StressReport:
    """Score pairs of a text and its perturbed copy.

    Args:
        metrics: see :func:`~meteor_e.load_metric`.
        references: for each segment its references; by default the texts are :func:`bundled_examples`.
        hypotheses: one translation per segment, as good as can be had. One that equals its reference is too easy.
        sources: for each segment its source.
        language: ISO code of the texts.
        rules: by default all of the language. Small errors come along where all are harmless: they are the measure.
        pairs: the most pairs per perturbation.
        seed: of all choices.
        examples: pairs that are kept per perturbation, those most wrong.
        cache: where statistics are kept.
        progress: told about the work.

    Raises:
        ConfigError: if two metrics have one label.
        InputError: if texts differ in number, no perturbation finds an occasion in them, or a score is not a number.
    """
    if references is None:
        references, hypotheses = bundled_examples(language)
    if len({len(texts) for texts in (references, hypotheses, sources) if texts is not None}) > 1:
        raise InputError("references, hypotheses and sources differ in number")
    chosen = list(perturbations(language) if rules is None else rules)
    if all(rule.kind == "harmless" for rule in chosen):
        chosen += chosen_rules(language, ("word-dropped", "misspelled", "digits-changed"))
    given = [None] * len(hypotheses) if sources is None else sources
    besides = enumerate(zip(given, references, strict=True))
    contexts = [PerturbationContext(language, hypotheses, at, source, own[0]) for at, (source, own) in besides]
    changed = {rule.name: _changed(rule, contexts, pairs, seed) for rule in chosen}
    report = StressReport(language, seed, {metric.label: metric.signature for metric in distinct([*metrics])}, changed)
    applied = {name: np.array([text is not None for text in texts]) for name, texts in changed.items()}
    used = [rule for rule in chosen if applied[rule.name].any()]
    if not used:
        raise InputError("no perturbation applies to these texts")
    errors = [rule.name for rule in used if rule.kind == "error"]
    small = [rule.name for rule in used if rule.name in errors and rule.group in TYPICAL] or errors
    rows = [[own if new is None else new for own, new in zip(hypotheses, row, strict=True)] for row in changed.values()]
    outputs = SystemOutputs(
        "stress",
        f"xx-{language}",
        language,
        ("original", *changed),
        (list(hypotheses), *rows),
        tuple([each[min(at, len(each) - 1)] for each in references] for at in range(max(map(len, references)))),
        None if sources is None else list(sources),
    )
    first, weights = dict[str, Hits](), draw_weights(len(hypotheses), 1000, seed)
    for metric in metrics:
        scores = _scores(metric, outputs, applied, cache or ArrayCache(enabled=False), staged(progress, metric.label))
        falls = {rule.name: (scores["original"] - scores[rule.name])[applied[rule.name]] for rule in used}
        unit = float(np.median(np.concatenate([falls[name] for name in small]))) if small else 0.0
        hits: dict[str, Hits] = {}
        for rule in used:
            name, is_error = rule.name, rule.kind == "error"
            size = falls[name] if is_error else np.abs(falls[name])
            hits[name] = size > 0 if is_error else size <= TOLERANCE * max(unit, 0.0)
            order = np.argsort(size if is_error else -size, kind="stable")
            places = np.flatnonzero(applied[name])[[at for at in order if not hits[name][at]][:examples]]
            for at in places.tolist():
                pair, texts = (scores["original"][at], scores[name][at]), (hypotheses[at], changed[name][at])
                report.worst.append((metric.label, name, at + 1, *pair, references[at][0], *texts))
            finding = _finding(rule, size, hits[name], unit, first.get(name))
            report.findings.setdefault(metric.label, []).append(finding)
        if errors:
            report.means[metric.label] = _mean({name: hits[name] for name in errors}, applied, weights)
        first = first or hits
    return report


def _changed(rule: Perturbation, contexts: Sequence[PerturbationContext], pairs: int, seed: int) -> list[str | None]:
    """Return what a perturbation makes of each text; ``None`` where it is not applied."""
    order = list(range(len(contexts)))
    found: list[str | None] = [None] * len(contexts)
    random.Random(seed).shuffle(order)
    for at in order:
        text = contexts[at].texts[at]
        if len(found) - found.count(None) < pairs and text.strip():
            new = rule.apply(text, random.Random(f"{seed} {rule.name} {at}"), contexts[at])
            found[at] = None if new == text else new
    return found


def _scores(
    metric: Metric, outputs: SystemOutputs, applied: Mapping[str, Hits], cache: ArrayCache, progress: Progress
) -> dict[str, Floats]:
    """Return scores of the texts, and of each perturbation, by name; the higher, the better."""
    cells = np.stack([np.logical_or.reduce(list(applied.values())), *applied.values()])
    scores = score_test_set(metric, outputs, cells, cache, systems=False, progress=progress).segments
    for row, column in np.argwhere(cells & ~np.isfinite(scores)):
        raise InputError(f"{metric.label} gives no finite number for {outputs.systems[row]}, segment {column + 1}")
    return dict(zip(outputs.systems, scores if metric.higher_is_better else -scores, strict=True))


def _finding(rule: Perturbation, size: Floats, hit: Hits, unit: float, first: Hits | None) -> Finding:
    """Return what a metric made of a perturbation; ``first`` says which pairs the first metric got right."""
    from scipy.stats import binomtest

    p = math.nan
    if first is not None:
        better, worse = int((hit & ~first).sum()), int((~hit & first).sum())
        p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    fall = float(np.mean(size)) / unit if unit > 0 else math.nan
    low, high = wilson(int(hit.sum()), len(hit))
    ties, share = float(np.mean(size == 0)), float(np.mean(hit))
    return Finding(rule.name, rule.kind, rule.group, len(hit), share, low, high, ties, fall, p)


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927)."""
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / count + spread / count / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def _mean(hits: Mapping[str, Hits], applied: Mapping[str, Hits], weights: Floats) -> tuple[float, float, float]:
    """Return the mean share over kinds of error, and its interval over bootstrap samples of segments."""
    occasions = np.stack([applied[name] for name in hits])
    found = np.zeros(occasions.shape)
    found[occasions] = np.concatenate(list(hits.values()))
    counts = weights @ occasions.T
    # A sample without any pair of a rare kind leaves the kind out.
    shares = np.divide(weights @ found.T, counts, out=np.zeros(counts.shape), where=counts > 0)
    kinds = (counts > 0).sum(axis=1)
    bounds = interval(shares.sum(axis=1)[kinds > 0] / kinds[kinds > 0])
    return float(np.mean([np.mean(hit) for hit in hits.values()])), bounds.low, bounds.high
