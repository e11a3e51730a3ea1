"""Test the formula of METEOR."""

from __future__ import annotations

import math

import pytest

from meteor_e.api.languages import Parameters
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import MatcherCounts, Statistics

PARAMETERS = Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6))


def make_statistics(
    hypothesis=(4, 1), reference=(5, 2), matchers=((2, 2, 1, 1), (1, 1, 0, 0)), chunks=2, matched=(4, 4)
):
    """Return the statistics of a segment.

    Args:
        hypothesis: numbers of words and of function words in the hypothesis.
        reference: numbers of words and of function words in the reference.
        matchers: counts of each matcher.
        chunks: number of chunks.
        matched: numbers of matched words in the hypothesis and in the reference.
    """
    rows = tuple(MatcherCounts(*row) for row in matchers)
    return Statistics(hypothesis[0], reference[0], hypothesis[1], reference[1], rows, chunks, *matched)


def test_compute_returns_the_terms_of_the_formula():
    result = formula.compute(make_statistics(), PARAMETERS)
    precision = (2 * 0.75 + 1 * 0.6 * 0.75 + 1 * 0.25) / (0.75 * 3 + 0.25 * 1)
    recall = (2 * 0.75 + 1 * 0.6 * 0.75 + 1 * 0.25) / (0.75 * 3 + 0.25 * 2)
    fmean = 1 / (0.15 / precision + 0.85 / recall)
    penalty = 0.6 * (2 / 4) ** 0.2
    assert result.precision == pytest.approx(precision, abs=1e-15)
    assert result.recall == pytest.approx(recall, abs=1e-15)
    assert result.f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-15)
    assert result.fmean == pytest.approx(fmean, abs=1e-15)
    assert result.fragmentation_penalty == pytest.approx(penalty, abs=1e-15)
    assert result.score == pytest.approx(fmean * (1 - penalty), abs=1e-15)


@pytest.mark.parametrize(
    ("segment_statistics", "undefined"),
    [
        (make_statistics((0, 0), (0, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"precision", "recall"}),
        (make_statistics((0, 0), (3, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"precision"}),
        (make_statistics((3, 0), (0, 0), ((0,) * 4,) * 2, 0, (0, 0)), {"recall"}),
        (make_statistics((3, 0), (3, 0), ((0,) * 4,) * 2, 0, (0, 0)), set()),
    ],
    ids=["both-empty", "empty-hypothesis", "empty-reference", "no-matches"],
)
def test_compute_without_words_or_matches_returns_zero(segment_statistics, undefined):
    result = formula.compute(segment_statistics, PARAMETERS)
    assert result.score == 0.0
    assert {name for name in ("precision", "recall") if math.isnan(getattr(result, name))} == undefined
    assert not any(map(math.isnan, result.without_nan()))


def test_compute_never_returns_a_negative_score():
    result = formula.compute(make_statistics(chunks=9), Parameters(0.5, 5.0, 1.0, 0.5, (1.0, 0.6)))
    assert result.fragmentation_penalty > 1
    assert result.score == 0.0
