"""Scores pairs of a text and its perturbed copy, and counts how often a metric prefers the better text."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError, Metric, Perturbation, SystemOutputs
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.progress import Progress, rename_stages, silent
from meteor_e.metrics.specs import distinct
from meteor_e.metrics.translations import score_test_set
from meteor_e.significance.resampling import draw_weights, interval
from meteor_e_evaluation.stress.report import TOLERANCE, Finding, Share, StressReport, WrongPair
from meteor_e_evaluation.stress.rules import load_bundled_examples, perturbations, select_perturbations

SMALL_ERROR_GROUPS = frozenset(("polarity", "meaning", "addition", "omission", "grammar", "spelling"))
"""Groups of small errors. Harmless changes are measured relative to the metric's median decrease by such an error."""

REFERENCE_RULES = ("word-dropped", "misspelled", "digits-changed")
"""Small errors that are added to harmless changes, as the measure of the metric's decrease."""

BOOTSTRAP_SAMPLES = 1000
ORIGINAL = "original"

Mask = NDArray[np.bool_]


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
    """Test whether metrics prefer a text to its perturbed copy.

    Args:
        metrics: the metrics, see :func:`~meteor_e.load_metric`.
        references: the references of each segment; by default the texts are :func:`load_bundled_examples`.
        hypotheses: a good translation of each segment. A translation that equals its reference is too easy.
        sources: the source of each segment.
        language: ISO code of the texts.
        rules: the perturbations; by default all of the language. If all are harmless, some small errors are added,
            because harmless changes are measured relative to them.
        pairs: largest number of pairs per perturbation.
        seed: of all random choices.
        examples: number of pairs per metric and perturbation to keep, the most wrong ones first.
        cache: keeps statistics of the metrics between runs.
        progress: receives the progress.

    Raises:
        ConfigError: if two metrics have the same label.
        InputError: if the numbers of texts differ, no perturbation applies to them, or a score is not a number.
    """
    if references is None:
        references, hypotheses = load_bundled_examples(language)
    if len({len(texts) for texts in (references, hypotheses, sources) if texts is not None}) > 1:
        raise InputError("references, hypotheses and sources differ in number")
    all_rules = _select_rules(language, rules)
    contexts = _make_contexts(language, hypotheses, references, sources)
    changed = {rule.name: perturb(rule, contexts, pairs, seed) for rule in all_rules}
    applied = {name: np.array([text is not None for text in texts]) for name, texts in changed.items()}
    used_rules = [rule for rule in all_rules if applied[rule.name].any()]
    if not used_rules:
        raise InputError("no perturbation applies to these texts")
    signatures = {metric.label: metric.signature for metric in distinct([*metrics])}
    report = StressReport(language, seed, signatures, changed)
    outputs = _make_outputs(language, hypotheses, changed, references, sources)
    weights = draw_weights(len(hypotheses), BOOTSTRAP_SAMPLES, seed)
    first_hits: dict[str, Mask] = {}
    for metric in metrics:
        metric_progress = rename_stages(progress, metric.label)
        scores = _score(metric, outputs, applied, cache or ArrayCache(enabled=False), metric_progress)
        decreases = {rule.name: (scores[ORIGINAL] - scores[rule.name])[applied[rule.name]] for rule in used_rules}
        unit = _median_decrease(used_rules, decreases)
        hits = {rule.name: _find_hits(rule, decreases[rule.name], unit) for rule in used_rules}
        report.findings[metric.label] = [
            _make_finding(rule, decreases[rule.name], hits[rule.name], unit, first_hits.get(rule.name))
            for rule in used_rules
        ]
        for rule in used_rules:
            segments = np.flatnonzero(applied[rule.name])
            most_wrong = _rank_misses(rule, decreases[rule.name], hits[rule.name])[:examples]
            for segment in segments[most_wrong].tolist():
                report.worst.append(_make_wrong_pair(metric.label, rule.name, segment, scores, outputs, changed))
        error_hits = {rule.name: hits[rule.name] for rule in used_rules if rule.kind == "error"}
        if error_hits:
            report.means[metric.label] = _mean_share(error_hits, applied, weights)
        first_hits = first_hits or hits
    return report


def _select_rules(language: str, rules: Sequence[Perturbation] | None) -> list[Perturbation]:
    """Return the perturbations, all of the language by default; if all are harmless, some small errors are added."""
    selected_rules = list(perturbations(language) if rules is None else rules)
    if all(rule.kind == "harmless" for rule in selected_rules):
        selected_rules += select_perturbations(language, REFERENCE_RULES)
    return selected_rules


def _make_contexts(
    language: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
) -> list[PerturbationContext]:
    return [
        PerturbationContext(
            language, hypotheses, index, None if sources is None else sources[index], references[index][0]
        )
        for index in range(len(hypotheses))
    ]


def perturb(rule: Perturbation, contexts: Sequence[PerturbationContext], pairs: int, seed: int) -> list[str | None]:
    """Apply a perturbation to texts in random order, until enough texts are changed.

    Returns:
        The changed texts; ``None`` for a text that the perturbation was not applied to.
    """
    changed: list[str | None] = [None] * len(contexts)
    n_changed = 0
    order = list(range(len(contexts)))
    random.Random(seed).shuffle(order)
    for index in order:
        text = contexts[index].texts[index]
        if n_changed == pairs or not text.strip():
            continue
        new_text = rule.apply(text, random.Random(f"{seed} {rule.name} {index}"), contexts[index])
        if new_text is not None and new_text != text:
            changed[index] = new_text
            n_changed += 1
    return changed


def _make_outputs(
    language: str,
    hypotheses: Sequence[str],
    changed: Mapping[str, Sequence[str | None]],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
) -> SystemOutputs:
    """Return the original texts and those of each perturbation as outputs of systems.

    A segment with fewer references than others repeats its last one.
    """
    changed_outputs = [
        [text if new_text is None else new_text for text, new_text in zip(hypotheses, new_texts, strict=True)]
        for new_texts in changed.values()
    ]
    n_references = max(map(len, references))
    reference_columns = [[texts[min(number, len(texts) - 1)] for texts in references] for number in range(n_references)]
    return SystemOutputs(
        "stress",
        f"xx-{language}",
        language,
        (ORIGINAL, *changed),
        (list(hypotheses), *changed_outputs),
        tuple(reference_columns),
        None if sources is None else list(sources),
    )


def _score(
    metric: Metric, outputs: SystemOutputs, applied: Mapping[str, Mask], cache: ArrayCache, progress: Progress
) -> dict[str, Floats]:
    """Return the scores of the original texts and of each perturbation's, by name; higher is better."""
    scored = np.stack([np.logical_or.reduce(list(applied.values())), *applied.values()])
    scores = score_test_set(metric, outputs, scored, cache, systems=False, progress=progress).segments
    for row, column in np.argwhere(scored & ~np.isfinite(scores)):
        raise InputError(f"{metric.label} gives no finite number for {outputs.systems[row]}, segment {column + 1}")
    return dict(zip(outputs.systems, scores if metric.higher_is_better else -scores, strict=True))


def _find_hits(rule: Perturbation, decreases: Floats, unit: float) -> Mask:
    """Return for each pair whether a metric got it right.

    A metric is right if an error lowers the score, or if a harmless change hardly changes it.

    Args:
        rule: the perturbation.
        decreases: decrease of the score in each pair.
        unit: the metric's median decrease by a small error.
    """
    if rule.kind == "error":
        return np.asarray(decreases > 0)
    return np.asarray(np.abs(decreases) <= TOLERANCE * max(unit, 0.0))


def _rank_misses(rule: Perturbation, decreases: Floats, is_hit: Mask) -> list[int]:
    """Return the indices of the pairs that a metric got wrong, the most wrong pair first."""
    order = np.argsort(decreases if rule.kind == "error" else -np.abs(decreases), kind="stable")
    return [index for index in order.tolist() if not is_hit[index]]


def _make_wrong_pair(
    label: str,
    rule_name: str,
    segment: int,
    scores: Mapping[str, Floats],
    outputs: SystemOutputs,
    changed: Mapping[str, Sequence[str | None]],
) -> WrongPair:
    """Return the texts and the scores of a pair that a metric got wrong."""
    return WrongPair(
        label,
        rule_name,
        segment + 1,
        scores[ORIGINAL][segment],
        scores[rule_name][segment],
        outputs.references[0][segment],
        outputs.outputs[0][segment],
        changed[rule_name][segment],
    )


def _median_decrease(rules: Sequence[Perturbation], decreases: Mapping[str, Floats]) -> float:
    """Return a metric's median decrease by a small error, or by any error if there are no small ones."""
    errors = [rule for rule in rules if rule.kind == "error"]
    small_errors = [rule for rule in errors if rule.group in SMALL_ERROR_GROUPS] or errors
    if not small_errors:
        return 0.0
    return float(np.median(np.concatenate([decreases[rule.name] for rule in small_errors])))


def _make_finding(
    rule: Perturbation, decreases: Floats, is_hit: Mask, unit: float, first_is_hit: Mask | None
) -> Finding:
    """Return the results of a metric on a perturbation; ``first_is_hit`` are the hits of the first metric."""
    changes = decreases if rule.kind == "error" else np.abs(decreases)
    p = math.nan if first_is_hit is None else _mcnemar_p(is_hit, first_is_hit)
    mean_change = float(np.mean(changes)) / unit if unit > 0 else math.nan
    low, high = wilson_interval(int(is_hit.sum()), len(is_hit))
    return Finding(
        rule.name,
        rule.kind,
        rule.group,
        len(is_hit),
        float(np.mean(is_hit)),
        low,
        high,
        float(np.mean(changes == 0)),
        mean_change,
        p,
    )


def _mcnemar_p(is_hit: Mask, other_is_hit: Mask) -> float:
    """Return the p-value of McNemar's exact test of two metrics on the same pairs."""
    from scipy.stats import binomtest

    n_better, n_worse = int((is_hit & ~other_is_hit).sum()), int((~is_hit & other_is_hit).sum())
    if n_better + n_worse == 0:
        return 1.0
    return float(binomtest(n_better, n_better + n_worse).pvalue)


def wilson_interval(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the confidence interval of a share (Wilson, 1927); a 95% interval by default."""
    share, correction = hits / count, z * z / count
    center = (share + correction / 2) / (1 + correction)
    half_width = z * math.sqrt(share * (1 - share) / count + correction / count / 4) / (1 + correction)
    return max(0.0, center - half_width), min(1.0, center + half_width)


def _mean_share(hits: Mapping[str, Mask], applied: Mapping[str, Mask], weights: Floats) -> Share:
    """Return the mean share of hits over kinds of error, and its interval over bootstrap samples of segments.

    Args:
        hits: for each perturbation, whether each of its pairs is a hit.
        applied: for each perturbation, whether it was applied to each segment.
        weights: how often each segment is drawn, ``(samples, segments)``.
    """
    is_applied = np.stack([applied[name] for name in hits])
    is_hit = np.zeros(is_applied.shape)
    is_hit[is_applied] = np.concatenate(list(hits.values()))
    n_pairs = weights @ is_applied.T
    # In a sample without any pair of a rare kind of error, the mean is over the other kinds.
    shares = np.divide(weights @ is_hit.T, n_pairs, out=np.zeros(n_pairs.shape), where=n_pairs > 0)
    n_kinds = (n_pairs > 0).sum(axis=1)
    bounds = interval(shares.sum(axis=1)[n_kinds > 0] / n_kinds[n_kinds > 0])
    return Share(float(np.mean([np.mean(kind_hits) for kind_hits in hits.values()])), bounds.low, bounds.high)
