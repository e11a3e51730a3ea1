"""Tests for the protocol of the Java program's option -stdio."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.java.stdio import STATISTICS, Evaluation, RequestScorer, answer, parse_statistics

NUMBERS = " ".join(map(str, range(STATISTICS)))


class SimpleScorer(RequestScorer):
    """Compute simple statistics and scores."""

    def __init__(self):
        """Do nothing, because the results do not depend on the options of METEOR."""

    def score(self, references, hypothesis):
        """Return lengths as simple statistics: the number of references, then the length of each text."""
        return [len(references), len(hypothesis), *map(len, references)]

    def evaluate(self, groups):
        """Return simple scores: half of the first value of each group of statistics, and a constant corpus score."""
        return Evaluation([parse_statistics(group)[0] / 2 for group in groups], 1e-5)


def get_answers(line: str, *, is_coco: bool = False) -> list[str]:
    """Return the lines that answer a request."""
    return answer(line, SimpleScorer(), is_coco=is_coco)


@pytest.mark.parametrize(
    ("line", "release", "coco"),
    [
        # The shared data contains recorded answers of both programs. See tests/cli/test_compat.py.
        (f"EVAL ||| {NUMBERS}", ["1.0E-5"], ["0.0", "1.0E-5"]),
        (f"eval|||7 {NUMBERS}", ["1.0E-5"], ["3.5", "1.0E-5"]),
        (f"EVAL ||| 7 {NUMBERS} ||| {NUMBERS}", ["1.0E-5"], ["3.5", "0.0", "1.0E-5"]),
        ("EVAL", ["Error: specify Meteor stats"], ["Error: specify Meteor stats"]),
        (f"SING ||| 7 {NUMBERS}", ["Error: specify SCORE or EVAL"], ["3.5"]),
        (f"SING ||| {NUMBERS} ||| {NUMBERS}", ["Error: specify SCORE or EVAL"], ["Error: specify Meteor stats"]),
        ("", ["Error: specify SCORE or EVAL"], ["Error: specify SCORE or EVAL or SING"]),
        ("|||", ["Error: specify SCORE or EVAL"], ["Error: specify SCORE or EVAL or SING"]),
    ],
)
def test_answer_supports_the_protocols_of_both_programs(line, release, coco):
    assert get_answers(line) == release
    assert get_answers(line, is_coco=True) == coco


def test_release_answer_evaluates_only_the_first_group():
    group_counts = []

    class CountingScorer(SimpleScorer):
        def evaluate(self, groups):
            group_counts.append(len(groups))
            return super().evaluate(groups)

    answer(f"EVAL ||| 7 {NUMBERS} ||| {NUMBERS}", CountingScorer())
    assert group_counts == [1]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("SCORE ||| one ||| three ", ["1.0 7.0 5.0"]),
        ("score|||a|||bc|||", ["1.0 2.0 1.0"]),
        ("SCORE ||| |||", ["Error: specify hypothesis and at least one reference"]),
        ("SCORE|||a||||", ["1.0 1.0 1.0"]),
        ("SCORE||||||", ["Error: specify hypothesis and at least one reference"]),
        ("SCORE|||||||||x", ["2.0 1.0 0.0 0.0"]),
    ],
)
def test_answer_computes_statistics_for_score_requests(line, answers):
    assert get_answers(line) == get_answers(line, is_coco=True) == answers


def test_parse_statistics_accepts_java_numbers():
    words = ["4", "+4", "-4", "4.", ".5", "1e1", "1E-1", "1,234.5", "NaN", "Infinity", "-Infinity"]
    statistics = parse_statistics(" ".join(words + ["0"] * 30))
    assert statistics[:8] == [4, 4, -4, 4, 0.5, 10, 0.1, 1234.5]
    assert math.isnan(statistics[8])
    assert statistics[9:11] == [math.inf, -math.inf]
    assert len(statistics) == STATISTICS


@pytest.mark.parametrize("word", ["x", "1_0", "nan", "inf", "0x4", "4d", "1,00", "e1", ".", "-", "１"])
def test_parse_statistics_rejects_invalid_numbers(word):
    with pytest.raises(ValueError, match="not a number in the statistics"):
        parse_statistics(" ".join([word] + ["0"] * 22))


@given(st.text(alphabet=st.sampled_from("SCOREVALING |1.0e\t\0é"), max_size=60))
def test_answer_returns_a_line_for_any_request(line):
    assert len(get_answers(line)) == 1
    answers = get_answers(line, is_coco=True)
    assert answers
    assert all("\n" not in text for text in answers)
