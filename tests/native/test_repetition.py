"""In segments with repeated words, positions share lists of candidates, and the results stay equal."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from random_chains import chains, engines, hypotheses_and_references

from meteor_e.base.errors import InputError
from meteor_e.engine import candidates, native

pytestmark = pytest.mark.skipif(
    native.native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set"
)

NAMES = ("meteor", "exact", "no-exact", "keys", "all")
WORDS = ["go", "goes", "went", "the", "end", "finally", "last", "big"]


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return chains(tmp_path_factory.mktemp("indexes"))


def share_beyond(monkeypatch, number):
    monkeypatch.setattr(candidates, "SEPARATE_CANDIDATES", number)


def repeated(numbers, longest):
    """Return a text of repeated words in which random words interrupt the pattern."""
    pattern = numbers.choices(WORDS, k=numbers.randint(1, 4))
    words = (pattern * longest)[: numbers.randint(1, longest)]
    for _ in range(numbers.randrange(3)):
        words[numbers.randrange(len(words))] = numbers.choice(WORDS)
    return " ".join(words)


@pytest.mark.parametrize(("name", "beam"), list(itertools.product(NAMES, (1, 5, 40))))
def test_lists_that_are_shared_give_what_separate_ones_give(all_chains, name, beam, monkeypatch):
    numbers = random.Random(f"{name}{beam}")
    hypotheses, references = hypotheses_and_references(numbers, 20)
    for _ in range(12):
        hypotheses.append(repeated(numbers, 60))
        references.append([repeated(numbers, 60) for _ in range(numbers.choice((1, 2)))])
    _, python = engines(all_chains[name], beam=beam)
    expected = list(python.segments(hypotheses, references))
    share_beyond(monkeypatch, 0)
    for meteor in engines(all_chains[name], beam=beam):
        scored = list(meteor.segments(hypotheses, references))
        for number, (one, other) in enumerate(zip(scored, expected, strict=True)):
            assert one == other, (meteor.engine, hypotheses[number], references[number])


@pytest.mark.parametrize("name", ["meteor", "keys"])
def test_maximum_accuracy_with_shared_lists(all_chains, name, monkeypatch):
    numbers = random.Random(8)
    pairs = [(repeated(numbers, 80), repeated(numbers, 80)) for _ in range(10)]
    _, python = engines(all_chains[name])
    expected = [python.align(*pair, maximum_accuracy=True) for pair in pairs]
    share_beyond(monkeypatch, 0)
    for meteor in engines(all_chains[name]):
        assert [meteor.align(*pair, maximum_accuracy=True) for pair in pairs] == expected


@pytest.mark.parametrize("name", NAMES)
def test_long_repetitions(all_chains, name, monkeypatch):
    """The texts need several parts of a bit set, and have long runs whose distances are summed together."""
    numbers = random.Random(9)
    hypotheses = [repeated(numbers, 420) for _ in range(12)]
    references = [[repeated(numbers, 420)] for _ in range(12)]
    share_beyond(monkeypatch, 1 << 40)
    separate, _ = engines(all_chains[name])
    expected = list(separate.segments(hypotheses, references))
    share_beyond(monkeypatch, 0)
    shared, python = engines(all_chains[name])
    assert list(shared.segments(hypotheses, references)) == expected
    assert python.score(hypotheses[0], references[0]) == expected[0]


def test_time_grows_with_the_words(all_chains):
    """The time is not quadratic: eight times as many words must not take sixty-four times as long."""
    meteor, _ = engines(all_chains["meteor"], threads=1)

    def seconds(words):
        text, other = " ".join(["the end"] * (words // 2)), " ".join(["end the"] * (words // 2 - 9))
        started = time.process_time()
        meteor.score(text, other)
        return time.process_time() - started

    seconds(500)
    assert seconds(8000) < 24 * max(seconds(1000), seconds(1000), 0.02)


def test_excessive_repetition_is_reported_with_its_size(all_chains, monkeypatch):
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", 2000)
    share_beyond(monkeypatch, 100)
    text = " ".join(["go", "goes", "going", "gone", "went"] * 100)
    for meteor in engines(all_chains["meteor"]):
        assert meteor.score(" ".join(["go"] * 500), " ".join(["go"] * 400)).score > 0
        with pytest.raises(InputError, match="a segment of 500 words and its reference of 505 words"):
            meteor.score(text, f"{text} went end the went end")
