"""Pairs of candidates get the scores of separate segments, although their computation is shared."""

from __future__ import annotations

import itertools
import random

import pytest
from random_chains import WORDS, chains, engines, segment

from meteor_e.engine.native import native_module

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

NAMES = ("meteor", "exact", "no-exact", "keys", "python", "contextual", "all", "no-table")


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return chains(tmp_path_factory.mktemp("indexes"))


def candidates(numbers: random.Random, count: int, longest: int) -> list[str]:
    """Return random texts like those of an n-best list: long common prefixes and suffixes, few changes, repetitions."""
    words = numbers.choices(WORDS, k=numbers.randint(2, 12))
    stems = [segment(numbers, words, longest).split() for _ in range(2)]
    texts = []
    for _ in range(count):
        text = list(numbers.choice(stems))
        for _ in range(numbers.randrange(4)):
            at = numbers.randrange(len(text) + 1)
            text[at : at + numbers.randrange(3)] = numbers.choices(words, k=numbers.randrange(3))
        texts.append(" ".join(text))
    return texts


def assert_same(meteor, other, hypotheses, references):
    found = meteor.pairwise(hypotheses, references).tolist()
    for hypothesis, row in zip(hypotheses, found, strict=True):
        expected = [one.score for one in other.segments([hypothesis] * len(references), references)]
        assert row == expected, (hypothesis, references)


@pytest.mark.parametrize("beam", [1, 2, 5, 40])
@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_scored_as_segments(all_chains, name, beam):
    numbers = random.Random(f"{name}{beam}")
    native, python = engines(all_chains[name], beam=beam, threads=1)
    for longest in (12, 30):
        assert_same(native, native, candidates(numbers, 16, longest), candidates(numbers, 14, longest))
        same = candidates(numbers, 20, longest)
        assert_same(native, native, same, same)
    few = candidates(numbers, 5, 14)
    assert_same(native, python, few, few)
    assert_same(python, native, few, few)


@pytest.mark.parametrize("beam", [3, 40])
@pytest.mark.parametrize("name", ["meteor", "keys", "all"])
def test_lists_of_combinations(all_chains, name, beam):
    """The candidates differ in single words, like those of a decoder, so that searches diverge and converge."""
    numbers = random.Random(f"{name}{beam}")
    native, _ = engines(all_chains[name], beam=beam, threads=1)
    for _ in range(3):
        words = numbers.choices(WORDS, k=8)
        options = [[segment(numbers, words, 3) for _ in range(numbers.choice([1, 1, 2, 3]))] for _ in range(9)]
        texts = [" ".join(parts) for parts in itertools.islice(itertools.product(*options), 24)]
        assert_same(native, native, texts, numbers.sample(texts, len(texts)))


@pytest.mark.parametrize("name", ["meteor", "all"])
def test_long_candidates(all_chains, name):
    """The candidates need more than one, two or four machine words of a bit set, and exceed a block."""
    numbers = random.Random(name)
    native, _ = engines(all_chains[name], threads=1)
    for longest in (100, 200, 300):
        texts = [*candidates(numbers, 4, longest), *candidates(numbers, 3, 20), " ".join(numbers.choices(WORDS, k=280))]
        assert_same(native, native, texts, texts)


def test_ranks_that_do_not_fit_one_number(all_chains):
    chain = all_chains["all"]
    heavy = type("Heavy", (type(chain[0]),), {"search_weight": float(1 << 20), "accuracy_search_weight": 1.0})()
    native, _ = engines([*chain[1:4], heavy], threads=1)
    texts = candidates(random.Random(5), 12, 40)
    assert_same(native, native, texts, texts)


def test_words_that_repeat_without_end(all_chains):
    native, _ = engines(all_chains["meteor"], threads=1)
    texts = ["go " * 30, "go " * 31 + "gone", "the " * 100, "the the " * 60 + "end", "go the " * 40, "", "..."]
    assert_same(native, native, texts, texts)


def test_caches_do_not_grow(all_chains):
    """There are more searches than the cache can hold, so it is emptied."""
    numbers = random.Random(9)
    native, _ = engines(all_chains["meteor"], threads=1)
    words = WORDS[:14]
    texts = [" ".join(numbers.choices(words, k=40)) for _ in range(45)]
    assert_same(native, native, texts, texts)


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_do_not_matter(all_chains, threads):
    numbers = random.Random(threads)
    sources = [candidates(numbers, 40, 25) for _ in range(4)]
    one, _ = engines(all_chains["meteor"], threads=1)
    several, _ = engines(all_chains["meteor"], threads=threads)
    found = [matrix.tolist() for matrix in several.pairwise_batches(sources)]
    assert found == [matrix.tolist() for matrix in one.pairwise_batches(sources)]
