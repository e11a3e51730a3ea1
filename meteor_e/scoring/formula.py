"""METEOR's formula, which computes a score from statistics and parameters.

The formula is described in section 2 of Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation
Evaluation for Any Target Language". The additions must be made in a fixed order, so that scores equal those of
METEOR 1.5 to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from meteor_e.api.languages import Parameters
from meteor_e.scoring.statistics import Statistics


class FormulaScores(NamedTuple):
    """The score and its parts.

    Attributes:
        precision: weighted matches divided by the weighted words of the hypothesis.
        recall: weighted matches divided by the weighted words of the reference.
        f1: harmonic mean of precision and recall; the score does not depend on it.
        fmean: harmonic mean of precision and recall, weighted by α.
        fragmentation_penalty: share of Fmean that is lost to word order, ``γ·frag^β``.
        score: ``max(0, Fmean·(1 − penalty))``; 0 if nothing matches or one of the segments is empty.
    """

    precision: float
    recall: float
    f1: float
    fmean: float
    fragmentation_penalty: float
    score: float

    def without_nan(self) -> FormulaScores:
        """Return a copy with 0 instead of NaN. For example, the precision of an empty hypothesis is NaN."""
        return FormulaScores(*(0.0 if math.isnan(value) else value for value in self))


PARTS = ("score", *(name for name in FormulaScores._fields if name != "score"))
"""Names of the score and its parts, in the order of the columns of tables."""

PART_INDEXES = [FormulaScores._fields.index(part) for part in PARTS]
"""Indexes of :data:`PARTS` in :class:`FormulaScores`."""


def _divide(numerator: float, denominator: float) -> float:
    """Divide two numbers according to IEEE 754. The result is NaN for 0/0, and infinite for other divisions by 0."""
    if denominator:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return math.nan
    return math.copysign(math.inf, numerator * math.copysign(1.0, denominator))


class Arithmetic(NamedTuple):
    """The operations that the formula uses, either for numbers or for arrays.

    Attributes:
        divide: division according to IEEE 754, in which 0/0 is NaN.
        power: power function with the results of ``pow`` in C.
        choose: function of a condition and two values; returns the first value if the condition holds, otherwise the
            second.
    """

    divide: Callable[[Any, Any], Any]
    power: Callable[[Any, float], Any]
    choose: Callable[[Any, Any, Any], Any]


def precision_recall(
    statistics: Statistics, delta: float, weights: Sequence[float], divide: Callable[[Any, Any], Any] = _divide
) -> tuple[Any, Any]:
    """Return the weighted precision and recall of matched words.

    Each matched word is weighted by its matcher, and by whether it is a content word or a function word.

    Args:
        statistics: statistics of a segment or a corpus.
        delta: weight of content words. The weight of function words is ``1 - delta``.
        weights: weight of each matcher.
        divide: division according to IEEE 754.
    """
    matchers = statistics.matchers
    hypothesis_counts = [(counts.hypothesis_content, counts.hypothesis_function) for counts in matchers]
    reference_counts = [(counts.reference_content, counts.reference_function) for counts in matchers]
    hypothesis_matches = _sum_matches(hypothesis_counts, delta, weights)
    reference_matches = _sum_matches(reference_counts, delta, weights)
    hypothesis_length, reference_length = statistics.weighted_lengths(delta)
    return divide(hypothesis_matches, hypothesis_length), divide(reference_matches, reference_length)


def _sum_matches(counts: Sequence[tuple[Any, Any]], delta: float, weights: Sequence[float]) -> Any:
    """Return the weighted number of matched words, summed over all matchers.

    METEOR 1.5 adds the content words of all matchers first, and then the function words. The order of the additions
    affects the last digit.

    Args:
        counts: the numbers of content words and of function words that each matcher matched.
        delta: weight of content words. The weight of function words is ``1 - delta``.
        weights: weight of each matcher.
    """
    total: Any = 0.0
    for (content_words, _), weight in zip(counts, weights, strict=True):
        total = total + content_words * weight * delta
    for (_, function_words), weight in zip(counts, weights, strict=True):
        total = total + function_words * weight * (1 - delta)
    return total


def compute(statistics: Statistics, parameters: Parameters, arithmetic: Arithmetic | None = None) -> FormulaScores:
    """Compute the METEOR score and its parts from the statistics of a segment or of a whole corpus.

    Parts that are undefined, such as the precision of an empty hypothesis, are NaN. The score itself is never NaN.

    Args:
        statistics: statistics of a segment or a corpus, or the result of
            :func:`~meteor_e.scoring.statistics.statistics_columns`.
        parameters: parameters of the formula.
        arithmetic: operations for numbers, the default, or :data:`meteor_e.scoring.arrays.ARRAYS`.
    """
    divide, power, choose = arithmetic or NUMBERS
    alpha, delta = parameters.alpha, parameters.delta
    precision, recall = precision_recall(statistics, delta, parameters.weights, divide)
    f1 = divide(2 * precision * recall, precision + recall)
    fmean = divide(1.0, divide(1 - alpha, precision) + divide(alpha, recall))
    matched_words = (statistics.hypothesis_matched + statistics.reference_matched) / 2
    fragmentation = choose(statistics.is_perfect, 0.0, divide(statistics.chunks, matched_words))
    penalty = parameters.gamma * power(fragmentation, parameters.beta)
    score = fmean * (1 - penalty)
    return FormulaScores(precision, recall, f1, fmean, penalty, choose(score > 0, score, 0.0))


def _power(base: float, exponent: float) -> float:
    """Raise a number to a power like the function ``pow`` in C, which never fails.

    For some arguments, :func:`math.pow` raises an exception, while ``pow`` in C returns infinity or NaN. Such arguments
    only occur if the statistics do not belong to an alignment.
    """
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError) as error:
        # A fractional power of a negative number is not a real number.
        if isinstance(error, ValueError) and base != 0:
            return math.nan
        return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf


def _choose(condition: bool, if_true: float, if_false: float) -> float:
    """Return ``if_true`` if the condition holds, and otherwise ``if_false``, like ``numpy.where`` for arrays."""
    return if_true if condition else if_false


NUMBERS = Arithmetic(_divide, _power, _choose)
"""The formula's operations for numbers."""


class Shares(NamedTuple):
    """The amounts that one matcher contributes to METEOR's precision, recall and score.

    The contributions of all matchers add up to METEOR's precision, recall and score.

    Attributes:
        precision, recall: contributions to precision and recall.
        score: contribution to the score; see :func:`shares`.
    """

    precision: Any
    recall: Any
    score: Any


def _divide_or_zero(numerator: float, denominator: float) -> float:
    """Return the quotient of two numbers, or 0 if the denominator is 0."""
    return numerator / denominator if denominator else 0.0


def shares(
    statistics: Statistics,
    parts: FormulaScores,
    parameters: Parameters,
    divide: Callable[[Any, Any], Any] = _divide_or_zero,
) -> list[Shares]:
    """Return the contributions of each matcher to precision, recall and score.

    Fmean is F = 1/((1 - α)/P + α/R), where P is precision and R is recall. Therefore, (1 - α)·F/P + α·F/R = 1. The two
    terms are the shares of precision and recall in the score. Each share is divided between the matchers in proportion
    to their contributions to precision or recall.

    Args:
        statistics: statistics of a segment or a corpus, or the result of
            :func:`~meteor_e.scoring.statistics.statistics_columns`.
        parts: the score and its parts without NaN, or arrays of scores and parts.
        parameters: parameters of the formula.
        divide: division that returns 0 if the denominator is 0; :func:`meteor_e.scoring.arrays.divide_or_zero` for
            arrays.
    """
    delta, alpha = parameters.delta, parameters.alpha
    hypothesis_length, reference_length = statistics.weighted_lengths(delta)
    # Each factor is divided before the multiplication, because the product of two tiny numbers can be 0.
    precision_part = (1 - alpha) * divide(parts.fmean, parts.precision)
    recall_part = alpha * divide(parts.fmean, parts.recall)
    matcher_shares = []
    for counts, weight in zip(statistics.matchers, parameters.weights, strict=True):
        hypothesis_matches, reference_matches = counts.weighted_words(delta)
        precision = divide(weight * hypothesis_matches, hypothesis_length)
        recall = divide(weight * reference_matches, reference_length)
        precision_share = divide(precision, parts.precision) * precision_part
        recall_share = divide(recall, parts.recall) * recall_part
        matcher_shares.append(Shares(precision, recall, parts.score * (precision_share + recall_share)))
    return matcher_shares
