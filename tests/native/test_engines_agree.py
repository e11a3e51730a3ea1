"""Both engines return exactly equal numbers and alignments."""

from __future__ import annotations

import itertools
import os
import random

import pytest
from random_chains import chains, engines, hypotheses_and_references

from meteor_e.engine.native import native_module
from meteor_e.scoring.statistics import StatisticsSum

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

PAIRS = int(os.environ.get("METEOR_E_RANDOM_PAIRS", "20000"))
"""Pairs to compare; a million is the figure to reach before a release (see docs/results/performance.md)."""

NAMES = ("meteor", "exact", "no-exact", "keys", "python", "contextual", "all", "no-table")
SETTINGS = list(itertools.product(NAMES, (1, 5, 40), (False, True)))


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return chains(tmp_path_factory.mktemp("indexes"))


def assert_same(native, python, hypotheses, references):
    scored = list(native.segments(hypotheses, references))
    expected = list(python.segments(hypotheses, references))
    for number, (one, other) in enumerate(zip(scored, expected, strict=True)):
        assert one == other, (hypotheses[number], references[number])
    total = StatisticsSum(len(python.matchers))
    for segment in expected:
        total.add(segment.statistics)
    assert native.corpus(hypotheses, references) == python.corpus_score(total)


@pytest.mark.parametrize(("name", "beam", "characters"), SETTINGS)
def test_random_segments(all_chains, name, beam, characters):
    seed = SETTINGS.index((name, beam, characters))
    numbers = random.Random(seed)
    native, python = engines(all_chains[name], beam=beam, character_mode=characters)
    left = PAIRS // len(SETTINGS)
    while left > 0:
        count = min(left, 5000)
        assert_same(native, python, *hypotheses_and_references(numbers, count))
        left -= count


@pytest.mark.parametrize("name", NAMES)
def test_maximum_accuracy(all_chains, name):
    numbers = random.Random(3)
    native, python = engines(all_chains[name])
    for hypothesis, references in zip(*hypotheses_and_references(numbers, 200), strict=True):
        for reference in references:
            one = native.align(hypothesis, reference, maximum_accuracy=True)
            assert one == python.align(hypothesis, reference, maximum_accuracy=True)


@pytest.mark.parametrize("name", ["meteor", "all"])
def test_long_segments(all_chains, name):
    """The hypotheses need more than one or two machine words of a bit set, and the search has many paths."""
    numbers = random.Random(11)
    native, python = engines(all_chains[name])
    assert_same(native, python, *hypotheses_and_references(numbers, 12, longest=200))


def test_ranks_that_do_not_fit_one_number(all_chains):
    """A huge search weight makes the search compare its criteria one by one."""
    chain = all_chains["all"]
    heavy = type("Heavy", (type(chain[0]),), {"search_weight": float(1 << 20), "accuracy_search_weight": 1.0})()
    native, python = engines([*chain[1:], heavy])
    numbers = random.Random(5)
    texts = hypotheses_and_references(numbers, 40, longest=60)
    texts[0].append(" ".join(numbers.choices(["cat", "cats", "go", "went"], k=200)))
    texts[1].append([" ".join(numbers.choices(["cat", "cats", "go", "went"], k=250))])
    assert_same(native, python, *texts)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_matter(all_chains, threads):
    hypotheses, references = hypotheses_and_references(random.Random(2), 1500)
    native, _ = engines(all_chains["meteor"], threads=threads)
    expected, _ = engines(all_chains["meteor"], threads=1)
    assert list(native.segments(hypotheses, references)) == list(expected.segments(hypotheses, references))
