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
from meteor_e.base.array_cache import ArrayCache, Floats, Integers
from meteor_e.base.progress import Progress, rename_stages, silent
from meteor_e.metrics.specs import distinct
from meteor_e.metrics.translations import score_test_set
from meteor_e.scoring.arrays import divide_or_zero
from meteor_e.significance.resampling import draw_weights, interval
from meteor_e_evaluation.stress.report import TOLERANCE, Finding, Share, StressReport, WrongPair
from meteor_e_evaluation.stress.rules import load_bundled_examples, perturbations, select_perturbations
from meteor_e_evaluation.test_set import align_references

SMALL_ERROR_GROUPS = frozenset(("polarity", "meaning", "addition", "omission", "grammar", "spelling"))
"""Groups of small errors. Changes of scores are reported relative to the median decrease by a small error."""

REFERENCE_RULES = ("word-dropped", "misspelled", "digits-changed")
"""Small errors that are added to a test with harmless changes only, to measure the metric's median decrease."""

BOOTSTRAP_SAMPLES = 1000
ORIGINAL = "original"

Mask = NDArray[np.bool_]


class _Texts(NamedTuple):
    """The original texts of a stress test.

    Attributes:
        language: ISO code of the texts.
        hypotheses: a good translation of each segment.
        references: the references of each segment.
        sources: the source of each segment, or None if the sources are unknown.
    """

    language: str
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None


class _PerturbedTexts(NamedTuple):
    """The texts of a stress test, and a changed copy of the texts for each perturbation.

    Attributes:
        rules: the perturbations that apply to at least one text.
        changed: the changed texts for each perturbation, with None for the texts that it does not apply to.
        outputs: the original texts and the copies, as the outputs of systems.
    """

    rules: list[Perturbation]
    changed: dict[str, list[str | None]]
    outputs: SystemOutputs


class _RulePairs(NamedTuple):
    """Pairs of an original text and its changed copy, for one perturbation.

    Attributes:
        rule: the perturbation.
        segments: index of the segment of each pair, an array ``(pairs,)``.
        decreases: decrease of a metric's score in each pair, an array ``(pairs,)``.
    """

    rule: Perturbation
    segments: Integers
    decreases: Floats


class _RuleOutcome(NamedTuple):
    """Results of a metric for one perturbation, over all pairs of an original text and its changed copy.

    Attributes:
        rule: the perturbation.
        segments: index of the segment of each pair, an array ``(pairs,)``.
        decreases: decrease of the score in each pair, an array ``(pairs,)``.
        is_hit: a mask of the pairs that the metric ranks correctly, an array ``(pairs,)``.
    """

    rule: Perturbation
    segments: Integers
    decreases: Floats
    is_hit: Mask


class _MetricOutcome(NamedTuple):
    """Results of a metric for all perturbations.

    Attributes:
        scores: scores of the original texts and of each perturbation's copy. Higher scores are better.
        median_decrease: the metric's median decrease by a small error.
        rules: the results for each perturbation.
    """

    scores: dict[str, Floats]
    median_decrease: float
    rules: list[_RuleOutcome]


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

    Each perturbation makes a copy of a hypothesis with one error or with one harmless change.

    A metric recognizes an error if the original has the higher score. A metric recognizes a harmless change if both
    scores are similar.

    Args:
        metrics: the metrics, see :func:`~meteor_e.load_metric`.
        references: the references of each segment. By default, :func:`load_bundled_examples` provides the references
            and the hypotheses.
        hypotheses: a good translation of each segment. A translation that equals its reference is too easy.
        sources: the source of each segment.
        language: ISO code of the texts.
        rules: the perturbations. By default, all perturbations for the language are used. If all are harmless, some
            small errors are added, because harmless changes are measured relative to them.
        pairs: largest number of pairs per perturbation.
        seed: seed of all random choices.
        examples: number of wrong pairs to keep per metric and perturbation. The pairs with the largest errors are kept.
        cache: stores statistics of the metrics between runs.
        progress: receives the progress.

    Returns:
        A report with the share of pairs that each metric is right about, for each perturbation.

    Raises:
        ConfigError: if two metrics have the same label.
        InputError: if the numbers of texts differ, if no perturbation applies to them, or if a score is not finite.
    """
    if references is None:
        references, hypotheses = load_bundled_examples(language)
    n_sources = len(hypotheses) if sources is None else len(sources)
    if not len(references) == len(hypotheses) == n_sources:
        raise InputError("references, hypotheses and sources differ in number")
    texts = _Texts(language, hypotheses, references, sources)
    perturbed = _perturb_texts(texts, _select_rules(language, rules), max_pairs=pairs, seed=seed)
    signatures = {metric.label: metric.signature for metric in distinct([*metrics])}
    report = StressReport(language, seed, signatures, perturbed.changed)
    weights = draw_weights(len(hypotheses), BOOTSTRAP_SAMPLES, seed)
    first_outcome: _MetricOutcome | None = None
    for metric in metrics:
        metric_progress = rename_stages(progress, metric.label)
        scores = _score_texts(metric, perturbed, cache or ArrayCache(enabled=False), metric_progress)
        outcome = _judge_metric(perturbed, scores)
        report.findings[metric.label] = _make_findings(outcome, first_outcome)
        report.worst.extend(_find_wrong_pairs(metric.label, perturbed, outcome, examples))
        error_outcomes = [rule_outcome for rule_outcome in outcome.rules if rule_outcome.rule.kind == "error"]
        if error_outcomes:
            report.means[metric.label] = _mean_share(error_outcomes, weights)
        if first_outcome is None:
            first_outcome = outcome
    return report


def _select_rules(language: str, rules: Sequence[Perturbation] | None) -> list[Perturbation]:
    """Select the perturbations of a stress test.

    If only harmless changes were requested, some small errors are added for comparison.

    By default, the test uses all perturbations for the language.
    """
    selected_rules = list(perturbations(language) if rules is None else rules)
    if all(rule.kind == "harmless" for rule in selected_rules):
        selected_rules += select_perturbations(language, REFERENCE_RULES)
    return selected_rules


def _perturb_texts(texts: _Texts, rules: Sequence[Perturbation], *, max_pairs: int, seed: int) -> _PerturbedTexts:
    """Apply each perturbation to the hypotheses.

    Args:
        texts: the original texts.
        rules: the perturbations.
        max_pairs: largest number of hypotheses that a perturbation changes.
        seed: seed of all random choices.

    Raises:
        InputError: if no perturbation applies to any hypothesis.
    """
    contexts = _make_contexts(texts)
    changed = {rule.name: _apply_rule(rule, contexts, max_pairs, seed) for rule in rules}
    applicable_rules = [rule for rule in rules if any(text is not None for text in changed[rule.name])]
    if not applicable_rules:
        raise InputError("no perturbation applies to these texts")
    return _PerturbedTexts(applicable_rules, changed, _make_outputs(texts, changed))


def _make_contexts(texts: _Texts) -> list[PerturbationContext]:
    """Return the context of each hypothesis, such as its source and its reference."""
    contexts = []
    for index in range(len(texts.hypotheses)):
        source = texts.sources[index] if texts.sources else None
        reference = texts.references[index][0]
        context = PerturbationContext(
            language=texts.language, texts=texts.hypotheses, position=index, source=source, reference=reference
        )
        contexts.append(context)
    return contexts


def _mark_changed(changed_texts: Sequence[str | None]) -> Mask:
    """Return a mask of the texts that a perturbation changed. An unchanged text is represented by None."""
    return np.array([text is not None for text in changed_texts])


def _apply_rule(
    rule: Perturbation, contexts: Sequence[PerturbationContext], max_pairs: int, seed: int
) -> list[str | None]:
    """Apply a perturbation to texts in random order until enough texts have changed.

    Args:
        rule: the perturbation.
        contexts: the context of each text. A context also contains the text.
        max_pairs: largest number of texts to change.
        seed: seed of all random choices.

    Returns:
        The changed texts, with None for each text that was not changed.
    """
    changed_texts: list[str | None] = [None] * len(contexts)
    n_changed = 0
    order = list(range(len(contexts)))
    random.Random(seed).shuffle(order)
    for index in order:
        if n_changed == max_pairs:
            break
        context = contexts[index]
        text = context.texts[context.position]
        if not text.strip():
            continue
        # Each text has its own random generator, because other texts must not influence its random choices.
        rng = random.Random(f"{seed} {rule.name} {index}")
        new_text = rule.apply(text, rng, context)
        if new_text is not None and new_text != text:
            changed_texts[index] = new_text
            n_changed += 1
    return changed_texts


def _make_outputs(texts: _Texts, changed: Mapping[str, Sequence[str | None]]) -> SystemOutputs:
    """Represent the original texts and each changed copy as the output of a system.

    Args:
        texts: the original texts.
        changed: the changed texts for each perturbation, with None for the texts that it does not apply to.
    """
    outputs = [list(texts.hypotheses)]
    for changed_texts in changed.values():
        text_pairs = zip(texts.hypotheses, changed_texts, strict=True)
        outputs.append([text if changed_text is None else changed_text for text, changed_text in text_pairs])
    return SystemOutputs(
        name="stress",
        pair=f"xx-{texts.language}",
        language=texts.language,
        systems=(ORIGINAL, *changed),
        outputs=tuple(outputs),
        references=align_references(texts.references),
        source=None if texts.sources is None else list(texts.sources),
    )


def _score_texts(
    metric: Metric, perturbed: _PerturbedTexts, cache: ArrayCache, progress: Progress
) -> dict[str, Floats]:
    """Score the original texts and their changed copies.

    Higher scores are better, because scores that count errors are negated.

    Returns:
        One array of segment scores for the original texts, and one per perturbation, by name.

    Raises:
        InputError: if a score is not a finite number.
    """
    outputs = perturbed.outputs
    copy_names = outputs.systems  # These are ORIGINAL and the names of the perturbations.
    is_scored = _mark_scored(perturbed)
    scores = score_test_set(metric, outputs, is_scored, cache, systems=False, progress=progress).segments
    is_missing = is_scored & ~np.isfinite(scores)
    if is_missing.any():
        copy, segment = np.argwhere(is_missing)[0]
        raise InputError(f"{metric.label} gives no finite number for {copy_names[copy]}, segment {segment + 1}")
    signed_scores = scores if metric.higher_is_better else -scores
    return dict(zip(copy_names, signed_scores, strict=True))


def _mark_scored(perturbed: _PerturbedTexts) -> Mask:
    """Return a mask of the texts that a metric must score: each changed text and its original.

    Returns:
        An array ``(1 + perturbations, segments)``. The first row contains the original texts.
    """
    is_changed = np.array([_mark_changed(texts) for texts in perturbed.changed.values()])  # (perturbations, segments)
    return np.vstack([is_changed.any(axis=0), is_changed])


def _judge_metric(perturbed: _PerturbedTexts, scores: dict[str, Floats]) -> _MetricOutcome:
    """Find the pairs of texts that a metric ranks correctly.

    Args:
        perturbed: the texts and their changed copies.
        scores: the metric's scores of the original texts and of each perturbation's copy.
    """
    pairs = [_measure_decreases(rule, perturbed, scores) for rule in perturbed.rules]
    median_decrease = _compute_median_decrease(pairs)
    outcomes = [_RuleOutcome(*rule_pairs, _find_hits(rule_pairs, median_decrease)) for rule_pairs in pairs]
    return _MetricOutcome(scores, median_decrease, outcomes)


def _measure_decreases(rule: Perturbation, perturbed: _PerturbedTexts, scores: Mapping[str, Floats]) -> _RulePairs:
    """Compute how much a perturbation lowers the scores of the texts that it changed."""
    segments = np.flatnonzero(_mark_changed(perturbed.changed[rule.name]))
    decreases = scores[ORIGINAL][segments] - scores[rule.name][segments]
    return _RulePairs(rule, segments, decreases)


def _compute_median_decrease(pairs: Sequence[_RulePairs]) -> float:
    """Return the median decrease in score that a small error causes.

    If the test has no small errors, all errors are used.
    """
    errors = [rule_pairs for rule_pairs in pairs if rule_pairs.rule.kind == "error"]
    small_errors = [rule_pairs for rule_pairs in errors if rule_pairs.rule.group in SMALL_ERROR_GROUPS]
    measured_errors = small_errors if small_errors else errors
    if not measured_errors:
        return 0.0
    return float(np.median(np.concatenate([error.decreases for error in measured_errors])))


def _find_hits(pairs: _RulePairs, median_decrease: float) -> Mask:
    """Return a mask of the pairs that a metric ranks correctly.

    A metric is right if an error lowers the score, or if a harmless change hardly affects the score.

    Args:
        pairs: the pairs of a perturbation.
        median_decrease: the metric's median decrease by a small error.
    """
    if pairs.rule.kind == "error":
        return np.asarray(pairs.decreases > 0)
    return np.asarray(np.abs(pairs.decreases) <= TOLERANCE * max(median_decrease, 0.0))


def _find_wrong_pairs(
    label: str, perturbed: _PerturbedTexts, outcome: _MetricOutcome, n_examples: int
) -> Iterator[WrongPair]:
    """For each perturbation, yield the pairs of texts on which a metric makes the largest mistakes.

    Args:
        label: label of the metric.
        perturbed: the texts and their changed copies.
        outcome: the results of the metric.
        n_examples: largest number of pairs per perturbation.
    """
    original_texts = perturbed.outputs.outputs[0]  # The other outputs are the changed copies.
    first_references = perturbed.outputs.references[0]
    for rule_outcome in outcome.rules:
        rule_name = rule_outcome.rule.name
        for index in _rank_wrong_segments(rule_outcome)[:n_examples]:
            yield WrongPair(
                metric=label,
                rule=rule_name,
                segment=index + 1,
                score=outcome.scores[ORIGINAL][index],
                changed_score=outcome.scores[rule_name][index],
                reference=first_references[index],
                text=original_texts[index],
                changed_text=perturbed.changed[rule_name][index],
            )


def _rank_wrong_segments(outcome: _RuleOutcome) -> list[int]:
    """Return the segments on which a metric makes mistakes, starting with the largest mistake."""
    # An error should lower the score, so an increase is a mistake. A harmless change should not affect the score.
    mistakes = -outcome.decreases if outcome.rule.kind == "error" else np.abs(outcome.decreases)
    order = np.argsort(-mistakes, kind="stable")
    is_wrong = ~outcome.is_hit[order]
    wrong_segments: list[int] = outcome.segments[order][is_wrong].tolist()
    return wrong_segments


def _make_findings(outcome: _MetricOutcome, first_outcome: _MetricOutcome | None) -> list[Finding]:
    """Summarize the results of a metric for each perturbation.

    Args:
        outcome: the results of the metric.
        first_outcome: the results of the first metric of the test, or None if this is the first metric.
    """
    findings = []
    for index, rule_outcome in enumerate(outcome.rules):
        p_value = math.nan
        if first_outcome is not None:
            p_value = _mcnemar_p(rule_outcome.is_hit, first_outcome.rules[index].is_hit)
        findings.append(_make_finding(rule_outcome, outcome.median_decrease, p_value))
    return findings


def _make_finding(outcome: _RuleOutcome, median_decrease: float, p_value: float) -> Finding:
    """Summarize the results of a metric for one perturbation.

    Args:
        outcome: the results.
        median_decrease: the metric's median decrease by a small error.
        p_value: p-value of the comparison with the first metric.
    """
    changes = outcome.decreases if outcome.rule.kind == "error" else np.abs(outcome.decreases)
    mean_change = float(np.mean(changes))
    n_pairs = len(outcome.is_hit)
    low, high = wilson_interval(int(outcome.is_hit.sum()), n_pairs)
    return Finding(
        rule=outcome.rule.name,
        kind=outcome.rule.kind,
        group=outcome.rule.group,
        pairs=n_pairs,
        share=float(np.mean(outcome.is_hit)),
        low=low,
        high=high,
        ties=float(np.mean(changes == 0)),
        fall=mean_change / median_decrease if median_decrease > 0 else math.nan,
        p=p_value,
    )


def _mcnemar_p(is_hit: Mask, other_is_hit: Mask) -> float:
    """Test by McNemar's exact test whether one of two metrics is right more often, and return the p-value."""
    from scipy.stats import binomtest

    n_only_first = int((is_hit & ~other_is_hit).sum())
    n_only_second = int((~is_hit & other_is_hit).sum())
    n_different = n_only_first + n_only_second
    if n_different == 0:
        return 1.0
    return float(binomtest(n_only_first, n_different).pvalue)


def wilson_interval(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Return both ends of the Wilson score interval (Wilson, 1927) of a proportion.

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


def _mean_share(outcomes: Sequence[_RuleOutcome], weights: Floats) -> Share:
    """Return the proportion of correctly ranked pairs of texts, with a bootstrap confidence interval.

    The proportion is computed for each perturbation, and then averaged over the perturbations.

    Args:
        outcomes: the results for each perturbation.
        weights: number of times that each bootstrap sample contains each segment, an array ``(samples, segments)``.
    """
    all_segments = np.ones((1, weights.shape[1]))
    (mean,) = _compute_mean_shares(outcomes, all_segments)
    bounds = interval(_compute_mean_shares(outcomes, weights))
    return Share(float(mean), bounds.low, bounds.high)


def _compute_mean_shares(outcomes: Sequence[_RuleOutcome], weights: Floats) -> Floats:
    """For each sample of segments, return the proportion of correctly ranked pairs, averaged over all perturbations.

    If a sample does not contain pairs of a perturbation, average over the other perturbations. Leave out samples that
    do not contain any pairs.

    Args:
        outcomes: the results for each perturbation.
        weights: number of times that each sample contains each segment, an array ``(samples, segments)``.
    """
    pair_counts = [weights[:, outcome.segments].sum(axis=1) for outcome in outcomes]
    hit_counts = [weights[:, outcome.segments[outcome.is_hit]].sum(axis=1) for outcome in outcomes]
    n_pairs = np.stack(pair_counts, axis=1)  # (samples, perturbations)
    shares = divide_or_zero(np.stack(hit_counts, axis=1), n_pairs)  # (samples, perturbations)
    n_perturbations = np.count_nonzero(n_pairs, axis=1)
    is_defined = n_perturbations > 0
    return np.asarray(shares.sum(axis=1)[is_defined] / n_perturbations[is_defined])
