from __future__ import annotations

import math

import pytest

from meteor_e.api.languages import Parameters
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import MatcherCounts, Statistics

PARAMETERS = Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6))


def statistics(hypothesis=(4, 1), reference=(5, 2), matchers=((2, 2, 1, 1), (1, 1, 0, 0)), chunks=2, matched=(4, 4)):
    """Return statistics from the numbers of words and function words of both texts."""
    rows = tuple(MatcherCounts(*row) for row in matchers)
    return Statistics(hypothesis[0], reference[0], hypothesis[1], reference[1], rows, chunks, *matched)


def test_formula_equals_its_terms():
    found = formula.compute(statistics(), PARAMETERS)
    precision = (2 * 0.75 + 1 * 0.6 * 0.75 + 1 * 0.25) / (0.75 * 3 + 0.25 * 1)
    recall = (2 * 0.75 + 1 * 0.6 * 0.75 + 1 * 0.25) / (0.75 * 3 + 0.25 * 2)
    fmean = 1 / (0.15 / precision + 0.85 / recall)
    penalty = 0.6 * (2 / 4) ** 0.2
    assert found.precision == pytest.approx(precision, abs=1e-15)
    assert found.recall == pytest.approx(recall, abs=1e-15)
    assert found.f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-15)
    assert found.fmean == pytest.approx(fmean, abs=1e-15)
    assert found.fragmentation_penalty == pytest.approx(penalty, abs=1e-15)
    assert found.score == pytest.approx(fmean * (1 - penalty), abs=1e-15)


@pytest.mark.parametrize(
    ("given", "undefined"),
    [
        (statistics((0, 0), (0, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"precision", "recall"}),
        (statistics((0, 0), (3, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"precision"}),
        (statistics((3, 0), (0, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"recall"}),
        (statistics((3, 0), (3, 0), ((0,) * 4,) * 2, 0, (0, 0)), set()),
    ],
)
def test_score_without_words_or_matches_is_zero(given, undefined):
    found = formula.compute(given, PARAMETERS)
    assert found.score == 0.0
    assert {name for name in ("precision", "recall") if math.isnan(getattr(found, name))} == undefined
    assert not any(map(math.isnan, found.without_nan()))


def test_large_weights_cannot_push_the_score_below_zero():
    found = formula.compute(statistics(chunks=9), Parameters(0.5, 5.0, 1.0, 0.5, (1.0, 0.6)))
    assert found.fragmentation_penalty > 1
    assert found.score == 0.0
