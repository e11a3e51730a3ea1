"""Runs stress tests, which count how often a metric prefers a text to its perturbed copy."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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
"""Groups of small errors. Changes of scores are reported relative to the median decrease by a small error."""

REFERENCE_RULES = ("word-dropped", "misspelled", "digits-changed")
"""Small errors that are added to a test with harmless changes only, to measure the metric's median decrease."""

BOOTSTRAP_SAMPLES = 1000
ORIGINAL = "original"

Mask = NDArray[np.bool_]


class _PerturbedTexts(NamedTuple):
    """The texts of a stress test, with one copy of the texts for each perturbation.

    Attributes:
        rules: the perturbations that apply to at least one text.
        changed: the changed texts for each perturbation, with None for the texts that it does not apply to.
        applied: a mask of the segments for each perturbation, which is true for the changed texts.
        outputs: the original texts and the copies, as the outputs of systems.
    """

    rules: list[Perturbation]
    changed: dict[str, list[str | None]]
    applied: dict[str, Mask]
    outputs: SystemOutputs


class _MetricOutcome(NamedTuple):
    """Scores of a metric, and the pairs of texts that the metric ranks correctly.

    Attributes:
        scores: scores of the original texts and of each perturbation's copy. Higher scores are better.
        decreases: decrease of the score in each pair, by perturbation.
        unit: the metric's median decrease by a small error.
        hits: a mask of each perturbation's pairs, which is true if the metric is right about a pair.
    """

    scores: dict[str, Floats]
    decreases: dict[str, Floats]
    unit: float
    hits: dict[str, Mask]


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
        seed: seed of all random choices.
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
    perturbed = _perturb_all(_select_rules(language, rules), language, hypotheses, references, sources, pairs, seed)
    signatures = {metric.label: metric.signature for metric in distinct([*metrics])}
    report = StressReport(language, seed, signatures, perturbed.changed)
    weights = draw_weights(len(hypotheses), BOOTSTRAP_SAMPLES, seed)
    first_hits: dict[str, Mask] = {}
    for metric in metrics:
        metric_progress = rename_stages(progress, metric.label)
        scores = _score(metric, perturbed, cache or ArrayCache(enabled=False), metric_progress)
        outcome = _judge_metric(perturbed, scores)
        report.findings[metric.label] = [
            _make_finding(rule, outcome, first_hits.get(rule.name)) for rule in perturbed.rules
        ]
        report.worst.extend(_find_wrong_pairs(metric.label, perturbed, outcome, examples))
        error_hits = {rule.name: outcome.hits[rule.name] for rule in perturbed.rules if rule.kind == "error"}
        if error_hits:
            report.means[metric.label] = _mean_share(error_hits, perturbed.applied, weights)
        first_hits = first_hits or outcome.hits
    return report


def _select_rules(language: str, rules: Sequence[Perturbation] | None) -> list[Perturbation]:
    """Return the perturbations of a test, with some small errors added if all of them are harmless.

    By default, all perturbations for the language are selected.
    """
    selected_rules = list(perturbations(language) if rules is None else rules)
    if all(rule.kind == "harmless" for rule in selected_rules):
        selected_rules += select_perturbations(language, REFERENCE_RULES)
    return selected_rules


def _perturb_all(
    rules: Sequence[Perturbation],
    language: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    pairs: int,
    seed: int,
) -> _PerturbedTexts:
    """Apply each perturbation to the hypotheses.

    Raises:
        InputError: if no perturbation applies to any hypothesis.
    """
    contexts = []
    for index in range(len(hypotheses)):
        source = sources[index] if sources else None
        contexts.append(PerturbationContext(language, hypotheses, index, source, references[index][0]))
    changed = {rule.name: perturb(rule, contexts, pairs, seed) for rule in rules}
    applied = {name: np.array([text is not None for text in texts]) for name, texts in changed.items()}
    applicable_rules = [rule for rule in rules if applied[rule.name].any()]
    if not applicable_rules:
        raise InputError("no perturbation applies to these texts")
    outputs = _make_outputs(language, hypotheses, changed, references, sources)
    return _PerturbedTexts(applicable_rules, changed, applied, outputs)


def perturb(rule: Perturbation, contexts: Sequence[PerturbationContext], pairs: int, seed: int) -> list[str | None]:
    """Apply a perturbation to texts in random order, until enough texts are changed.

    Args:
        rule: the perturbation.
        contexts: one context per text, which contains the text itself.
        pairs: largest number of texts to change.
        seed: seed of all random choices.

    Returns:
        The changed texts, with None for each text that was not changed.
    """
    changed: list[str | None] = [None] * len(contexts)
    n_changed = 0
    order = list(range(len(contexts)))
    random.Random(seed).shuffle(order)
    for index in order:
        if n_changed == pairs:
            break
        text = contexts[index].texts[index]
        if not text.strip():
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
    """Return the original texts and the perturbed texts as the outputs of systems.

    All segments need the same number of references, so the last reference of a segment is repeated if necessary.
    """
    outputs = [list(hypotheses)]
    for new_texts in changed.values():
        outputs.append(
            [text if new_text is None else new_text for text, new_text in zip(hypotheses, new_texts, strict=True)]
        )
    reference_columns = []
    for reference_index in range(max(map(len, references))):
        reference_columns.append([texts[min(reference_index, len(texts) - 1)] for texts in references])
    return SystemOutputs(
        name="stress",
        pair=f"xx-{language}",
        language=language,
        systems=(ORIGINAL, *changed),
        outputs=tuple(outputs),
        references=tuple(reference_columns),
        source=None if sources is None else list(sources),
    )


def _score(metric: Metric, perturbed: _PerturbedTexts, cache: ArrayCache, progress: Progress) -> dict[str, Floats]:
    """Return a metric's scores of the original texts and of each perturbation's copy. Higher scores are better.

    Raises:
        InputError: if a score is not a finite number.
    """
    outputs = perturbed.outputs
    masks = list(perturbed.applied.values())
    is_scored = np.stack([np.logical_or.reduce(masks), *masks])
    scores = score_test_set(metric, outputs, is_scored, cache, systems=False, progress=progress).segments
    for row, column in np.argwhere(is_scored & ~np.isfinite(scores)):
        raise InputError(f"{metric.label} gives no finite number for {outputs.systems[row]}, segment {column + 1}")
    return dict(zip(outputs.systems, scores if metric.higher_is_better else -scores, strict=True))


def _judge_metric(perturbed: _PerturbedTexts, scores: dict[str, Floats]) -> _MetricOutcome:
    """Find the pairs of texts that a metric ranks correctly.

    Args:
        perturbed: the texts and their changed copies.
        scores: the metric's scores of the original texts and of each perturbation's copy.
    """
    decreases = {}
    for rule in perturbed.rules:
        all_decreases = scores[ORIGINAL] - scores[rule.name]
        decreases[rule.name] = all_decreases[perturbed.applied[rule.name]]
    unit = _median_decrease(perturbed.rules, decreases)
    hits = {rule.name: _find_hits(rule, decreases[rule.name], unit) for rule in perturbed.rules}
    return _MetricOutcome(scores, decreases, unit, hits)


def _median_decrease(rules: Sequence[Perturbation], decreases: Mapping[str, Floats]) -> float:
    """Return a metric's median decrease by a small error, or by any error if the test has no small errors."""
    errors = [rule for rule in rules if rule.kind == "error"]
    small_errors = [rule for rule in errors if rule.group in SMALL_ERROR_GROUPS] or errors
    if not small_errors:
        return 0.0
    return float(np.median(np.concatenate([decreases[rule.name] for rule in small_errors])))


def _find_hits(rule: Perturbation, decreases: Floats, unit: float) -> Mask:
    """Return a mask of the pairs that a metric ranks correctly.

    A metric is right if an error lowers the score, or if a harmless change hardly changes it.

    Args:
        rule: the perturbation.
        decreases: decrease of the score in each pair.
        unit: the metric's median decrease by a small error.
    """
    if rule.kind == "error":
        return np.asarray(decreases > 0)
    return np.asarray(np.abs(decreases) <= TOLERANCE * max(unit, 0.0))


def _find_wrong_pairs(
    label: str, perturbed: _PerturbedTexts, outcome: _MetricOutcome, n_examples: int
) -> Iterator[WrongPair]:
    """Yield the pairs of each perturbation with the largest errors of a metric.

    Args:
        label: label of the metric.
        perturbed: the texts and their changed copies.
        outcome: the scores of the metric.
        n_examples: largest number of pairs per perturbation.
    """
    outputs = perturbed.outputs
    for rule in perturbed.rules:
        segments = np.flatnonzero(perturbed.applied[rule.name])
        misses = _rank_misses(rule, outcome.decreases[rule.name], outcome.hits[rule.name])
        for segment in segments[misses[:n_examples]].tolist():
            yield WrongPair(
                metric=label,
                rule=rule.name,
                segment=segment + 1,
                score=outcome.scores[ORIGINAL][segment],
                changed_score=outcome.scores[rule.name][segment],
                reference=outputs.references[0][segment],
                text=outputs.outputs[0][segment],
                changed_text=perturbed.changed[rule.name][segment],
            )


def _rank_misses(rule: Perturbation, decreases: Floats, is_hit: Mask) -> list[int]:
    """Return the indices of the pairs that a metric ranks incorrectly, the pair with the largest error first."""
    order = np.argsort(decreases if rule.kind == "error" else -np.abs(decreases), kind="stable")
    return [index for index in order.tolist() if not is_hit[index]]


def _make_finding(rule: Perturbation, outcome: _MetricOutcome, first_is_hit: Mask | None) -> Finding:
    """Summarize the results of a metric on the pairs of one perturbation.

    Args:
        rule: the perturbation.
        outcome: scores and hits of the metric.
        first_is_hit: a mask of the pairs that the first metric of the test ranks correctly; None for the first metric.
    """
    is_hit = outcome.hits[rule.name]
    decreases = outcome.decreases[rule.name]
    changes = decreases if rule.kind == "error" else np.abs(decreases)
    low, high = wilson_interval(int(is_hit.sum()), len(is_hit))
    return Finding(
        rule=rule.name,
        kind=rule.kind,
        group=rule.group,
        pairs=len(is_hit),
        share=float(np.mean(is_hit)),
        low=low,
        high=high,
        ties=float(np.mean(changes == 0)),
        fall=float(np.mean(changes)) / outcome.unit if outcome.unit > 0 else math.nan,
        p=math.nan if first_is_hit is None else _mcnemar_p(is_hit, first_is_hit),
    )


def _mcnemar_p(is_hit: Mask, other_is_hit: Mask) -> float:
    """Return the p-value of McNemar's exact test that two metrics are right equally often on the same pairs."""
    from scipy.stats import binomtest

    n_better, n_worse = int((is_hit & ~other_is_hit).sum()), int((~is_hit & other_is_hit).sum())
    if n_better + n_worse == 0:
        return 1.0
    return float(binomtest(n_better, n_better + n_worse).pvalue)


def wilson_interval(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the lower and upper bound of the Wilson (1927) score interval of a proportion.

    Args:
        hits: number of successes.
        count: number of trials.
        z: quantile of the normal distribution. The default results in a 95% confidence interval.
    """
    share = hits / count
    correction = z * z / count
    center = (share + correction / 2) / (1 + correction)
    half_width = z * math.sqrt(share * (1 - share) / count + correction / count / 4) / (1 + correction)
    return max(0.0, center - half_width), min(1.0, center + half_width)


def _mean_share(hits: Mapping[str, Mask], applied: Mapping[str, Mask], weights: Floats) -> Share:
    """Return the share of hits, averaged over perturbations, with its bootstrap confidence interval.

    Args:
        hits: a mask of each perturbation's pairs, which is true for the hits.
        applied: a mask of the segments for each perturbation, which is true for the segments that it changed.
        weights: number of times that each bootstrap sample contains each segment, an array ``(samples, segments)``.
    """
    is_applied = np.stack([applied[name] for name in hits])
    is_hit = np.zeros(is_applied.shape)
    is_hit[is_applied] = np.concatenate(list(hits.values()))
    n_pairs = weights @ is_applied.T
    # A bootstrap sample may not contain any pair of a rare perturbation. Its mean is over the other perturbations.
    shares = np.divide(weights @ is_hit.T, n_pairs, out=np.zeros(n_pairs.shape), where=n_pairs > 0)
    n_rules = (n_pairs > 0).sum(axis=1)
    is_defined = n_rules > 0
    bounds = interval(shares.sum(axis=1)[is_defined] / n_rules[is_defined])
    mean = float(np.mean([np.mean(rule_hits) for rule_hits in hits.values()]))
    return Share(mean, bounds.low, bounds.high)
