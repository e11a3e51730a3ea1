from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.java.stdio import STATISTICS, answer, parse_statistics

NUMBERS = " ".join(map(str, range(STATISTICS)))


def score(references, hypothesis):
    return [len(references), len(hypothesis), *map(len, references)]


def evaluate(statistics):
    return [vector[0] / 2 for vector in statistics], 1e-5


def ask(line: str, *, is_coco: bool = False) -> list[str]:
    return answer(line, score, evaluate, is_coco=is_coco)


@pytest.mark.parametrize(
    ("line", "release", "coco"),
    [
        # Both programs' answers to such requests are in the shared data; see tests/cli/test_compat.py.
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
def test_protocols_are_both_supported(line, release, coco):
    assert ask(line) == release
    assert ask(line, is_coco=True) == coco


def test_release_evaluates_the_first_group_only():
    seen = []
    answer(f"EVAL ||| 7 {NUMBERS} ||| {NUMBERS}", score, lambda groups: seen.append(len(groups)) or ([], 0.0))
    assert seen == [1]


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
def test_requests(line, answers):
    assert ask(line) == ask(line, is_coco=True) == answers


def test_numbers():
    words = ["4", "+4", "-4", "4.", ".5", "1e1", "1E-1", "1,234.5", "NaN", "Infinity", "-Infinity"]
    found = parse_statistics(" ".join(words + ["0"] * 30))
    assert found[:8] == [4, 4, -4, 4, 0.5, 10, 0.1, 1234.5]
    assert math.isnan(found[8])
    assert found[9:11] == [math.inf, -math.inf]
    assert len(found) == STATISTICS


@pytest.mark.parametrize("word", ["x", "1_0", "nan", "inf", "0x4", "4d", "1,00", "e1", ".", "-", "１"])
def test_words_that_are_no_numbers(word):
    with pytest.raises(ValueError, match="not a number in the statistics"):
        parse_statistics(" ".join([word] + ["0"] * 22))


@given(st.text(alphabet=st.sampled_from("SCOREVALING |1.0e\t\0é"), max_size=60))
def test_requests_are_all_answered(line):
    assert len(ask(line)) == 1
    answers = ask(line, is_coco=True)
    assert answers
    assert all("\n" not in text for text in answers)
