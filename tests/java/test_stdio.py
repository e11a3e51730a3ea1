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


def ask(line: str) -> list[str]:
    return answer(line, score, evaluate)


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("SCORE ||| one ||| three ", ["1.0 7.0 5.0"]),
        ("score|||a|||bc|||", ["1.0 2.0 1.0"]),
        ("SCORE ||| |||", ["Error: specify hypothesis and at least one reference"]),
        ("SCORE|||a||||", ["1.0 1.0 1.0"]),
        ("SCORE||||||", ["Error: specify hypothesis and at least one reference"]),
        ("SCORE|||||||||x", ["2.0 1.0 0.0 0.0"]),
        (f"EVAL ||| {NUMBERS}", ["0.0", "1.0E-5"]),
        (f"EVAL ||| 7 {NUMBERS} ||| {NUMBERS}", ["3.5", "0.0", "1.0E-5"]),
        (f"SING ||| 7 {NUMBERS}", ["3.5"]),
        (f"SING ||| {NUMBERS} ||| {NUMBERS}", ["Error: specify Meteor stats"]),
        ("EVAL", ["Error: specify Meteor stats"]),
        ("", ["Error: specify SCORE or EVAL or SING"]),
        ("|||", ["Error: specify SCORE or EVAL or SING"]),
    ],
)
def test_requests(line, answers):
    assert ask(line) == answers


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
def test_every_request_gets_an_answer(line):
    answers = ask(line)
    assert answers
    assert all("\n" not in text for text in answers)
