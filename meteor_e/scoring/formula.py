"""METEOR's formula: from statistics and parameters to a score.

Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation Evaluation for Any Target
Language", section 2. The order of the additions is fixed, so that the last digit is METEOR 1.5's.
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
        precision, recall: weighted matches over weighted words of hypothesis and reference.
        f1: their harmonic mean (for information, the score does not use it).
        fmean: their harmonic mean weighted by α.
        fragmentation_penalty: share that fragmentation takes from Fmean, ``γ·frag^β``.
        score: ``max(0, Fmean·(1 − penalty))``; 0 where nothing matches or a side is empty.
    """

    precision: float
    recall: float
    f1: float
    fmean: float
    fragmentation_penalty: float
    score: float

    def defined(self) -> FormulaScores:
        """Return the scores with 0 instead of each part that is not a number (as with an empty side)."""
        return FormulaScores(*(0.0 if math.isnan(value) else value for value in self))


PARTS = ("score", *(name for name in FormulaScores._fields if name != "score"))
"""Names of the score and its parts, in the order in which tables have them."""

PLACES = [FormulaScores._fields.index(part) for part in PARTS]
"""Their places in :class:`FormulaScores`."""


def _ratio(numerator: float, denominator: float) -> float:
    """Divide as IEEE 754 does: 0/0 is not a number."""
    if denominator:
        return numerator / denominator
    return (
        math.nan
        if numerator == 0 or math.isnan(numerator)
        else math.copysign(math.inf, numerator * math.copysign(1.0, denominator))
    )


class Arithmetic(NamedTuple):
    """What the formula does to numbers, or to arrays of them.

    Attributes:
        divide: divides as IEEE 754 does: 0/0 is not a number.
        power: raises to a power as C's ``pow`` does.
        choose: takes a condition, what is chosen where it holds, and where it does not.
    """

    divide: Callable[[Any, Any], Any]
    power: Callable[[Any, float], Any]
    choose: Callable[[Any, Any, Any], Any]


def precision_recall(
    statistics: Statistics, delta: float, weights: Sequence[float], divide: Callable[[Any, Any], Any] = _ratio
) -> tuple[Any, Any]:
    """Return weighted precision and recall; the arguments are those of :func:`compute`."""
    hypothesis_weighted = reference_weighted = 0.0
    for counts, weight in zip(statistics.matchers, weights, strict=True):
        hypothesis_weighted += counts.hypothesis_content * weight * delta
        reference_weighted += counts.reference_content * weight * delta
    for counts, weight in zip(statistics.matchers, weights, strict=True):
        hypothesis_weighted += counts.hypothesis_function * weight * (1 - delta)
        reference_weighted += counts.reference_function * weight * (1 - delta)
    hypothesis_length, reference_length = statistics.weighted_lengths(delta)
    return divide(hypothesis_weighted, hypothesis_length), divide(reference_weighted, reference_length)


def compute(statistics: Statistics, parameters: Parameters, arithmetic: Arithmetic | None = None) -> FormulaScores:
    """Apply the formula to the statistics of a segment or of a whole corpus.

    A part that is undefined (the precision of an empty hypothesis) is NaN; the score is always a number.

    Args:
        statistics: of a segment or a corpus; or :func:`~meteor_e.scoring.statistics.statistics_columns` of many.
        parameters: of the formula.
        arithmetic: of numbers, or for arrays :data:`meteor_e.scoring.arrays.ARRAYS`.
    """
    divide, power, choose = arithmetic or NUMBERS
    alpha, delta = parameters.alpha, parameters.delta
    precision, recall = precision_recall(statistics, delta, parameters.weights, divide)
    f1 = divide(2 * precision * recall, precision + recall)
    fmean = divide(1.0, divide(1 - alpha, precision) + divide(alpha, recall))
    matched = (statistics.hypothesis_matched + statistics.reference_matched) / 2
    fragmentation = choose(statistics.is_perfect, 0.0, divide(statistics.chunks, matched))
    penalty = parameters.gamma * power(fragmentation, parameters.beta)
    score = fmean * (1 - penalty)
    return FormulaScores(precision, recall, f1, fmean, penalty, choose(score > 0, score, 0.0))


def _power(base: float, exponent: float) -> float:
    """Return what C's ``pow`` does: infinity or NaN where Python raises, for statistics that no alignment has."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        pass
    except ValueError:
        if base:
            return math.nan
    return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf


def _choose(condition: bool, one: float, other: float) -> float:
    return one if condition else other


NUMBERS = Arithmetic(_ratio, _power, _choose)


class Shares(NamedTuple):
    """A matcher's shares; those of all matchers add up to the whole.

    Attributes:
        precision, recall: of precision and recall.
        score: of the score. Fmean is homogeneous in precision and recall, so by Euler's theorem it is the sum of each
            matcher's ``P_k·∂F/∂P + R_k·∂F/∂R``, reduced by the penalty.
    """

    precision: Any
    recall: Any
    score: Any


def _quotient(numerator: float, denominator: float) -> float:
    """Divide; by 0, the quotient is 0."""
    return numerator / denominator if denominator else 0.0


def shares(
    statistics: Statistics, parts: FormulaScores, parameters: Parameters, divide: Callable[[Any, Any], Any] = _quotient
) -> list[Shares]:
    """Return what each matcher brought.

    Args:
        statistics: of a segment or a corpus; or :func:`~meteor_e.scoring.statistics.statistics_columns` of many.
        parts: the score and its parts, none of them NaN; or arrays of them.
        parameters: of the formula.
        divide: divides numbers; for arrays :func:`meteor_e.scoring.arrays.quotient`.
    """
    delta, alpha = parameters.delta, parameters.alpha
    hypothesis, reference = statistics.weighted_lengths(delta)
    factor = parts.fmean * (1 - parts.fragmentation_penalty) * (parts.score > 0)
    # Quotients first: the squares of tiny numbers are 0.
    slope_precision = (1 - alpha) * divide(parts.fmean, parts.precision)
    slope_recall = alpha * divide(parts.fmean, parts.recall)
    found = []
    for counts, weight in zip(statistics.matchers, parameters.weights, strict=True):
        matched = weight * (delta * counts.hypothesis_content + (1 - delta) * counts.hypothesis_function)
        covered = weight * (delta * counts.reference_content + (1 - delta) * counts.reference_function)
        precision, recall = divide(matched, hypothesis), divide(covered, reference)
        sides = divide(precision, parts.precision) * slope_precision + divide(recall, parts.recall) * slope_recall
        found.append(Shares(precision, recall, factor * sides))
    return found
