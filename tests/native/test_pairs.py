"""Test that ``pairwise``, which shares computations between pairs, returns the scores of separate segments."""

from __future__ import annotations

import itertools
import random

import pytest
from random_chains import WORDS, generate_segment, make_chains, make_engines

from meteor_e.engine.native import native_module

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

CHAINS = ("meteor", "exact", "no-exact", "keys", "python", "contextual", "all", "no-table")


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return make_chains(tmp_path_factory.mktemp("indexes"))


def generate_candidates(rng: random.Random, count: int, longest: int) -> list[str]:
    """Return random texts that resemble an n-best list.

    The texts have long common prefixes and suffixes and few differences, and some texts are repeated.
    """
    words = rng.choices(WORDS, k=rng.randint(2, 12))
    stems = [generate_segment(rng, words, longest).split() for _ in range(2)]
    texts = []
    for _ in range(count):
        text = list(rng.choice(stems))
        for _ in range(rng.randrange(4)):
            position = rng.randrange(len(text) + 1)
            text[position : position + rng.randrange(3)] = rng.choices(words, k=rng.randrange(3))
        texts.append(" ".join(text))
    return texts


def assert_equal_scores(pairwise_metric, segment_metric, hypotheses, references):
    """Assert that the pairwise scores of one metric equal the segment scores of another metric."""
    matrix = pairwise_metric.pairwise(hypotheses, references).tolist()
    for hypothesis, row in zip(hypotheses, matrix, strict=True):
        segments = segment_metric.segments([hypothesis] * len(references), references)
        assert row == [score.score for score in segments], (hypothesis, references)


@pytest.mark.parametrize("beam", [1, 2, 5, 40])
@pytest.mark.parametrize("chain", CHAINS)
def test_pairwise_scores_equal_segment_scores(all_chains, chain, beam):
    rng = random.Random(f"{chain}{beam}")
    native, python = make_engines(all_chains[chain], beam=beam, threads=1)
    for longest in (12, 30):
        assert_equal_scores(
            native, native, generate_candidates(rng, 16, longest), generate_candidates(rng, 14, longest)
        )
        texts = generate_candidates(rng, 20, longest)
        assert_equal_scores(native, native, texts, texts)
    # The Python engine is slow, so it scores few texts.
    texts = generate_candidates(rng, 5, 14)
    assert_equal_scores(native, python, texts, texts)
    assert_equal_scores(python, native, texts, texts)


@pytest.mark.parametrize("beam", [3, 40])
@pytest.mark.parametrize("chain", ["meteor", "keys", "all"])
def test_pairwise_scores_candidates_that_share_parts(all_chains, chain, beam):
    """The candidates combine the same parts, like those of a decoder, so that the searches diverge and converge."""
    rng = random.Random(f"{chain}{beam}")
    native, _ = make_engines(all_chains[chain], beam=beam, threads=1)
    for _ in range(3):
        words = rng.choices(WORDS, k=8)
        options = [[generate_segment(rng, words, 3) for _ in range(rng.choice([1, 1, 2, 3]))] for _ in range(9)]
        texts = [" ".join(parts) for parts in itertools.islice(itertools.product(*options), 24)]
        assert_equal_scores(native, native, texts, rng.sample(texts, len(texts)))


@pytest.mark.parametrize("chain", ["meteor", "all"])
def test_pairwise_scores_long_candidates(all_chains, chain):
    """The bit sets of the candidates need more than one, two or four machine words, and the pairs exceed a block."""
    rng = random.Random(chain)
    native, _ = make_engines(all_chains[chain], threads=1)
    for longest in (100, 200, 300):
        texts = [
            *generate_candidates(rng, 4, longest),
            *generate_candidates(rng, 3, 20),
            " ".join(rng.choices(WORDS, k=280)),
        ]
        assert_equal_scores(native, native, texts, texts)


def test_pairwise_scores_with_a_huge_search_weight(all_chains):
    """A huge search weight makes the search compare its criteria one after the other instead of as one number."""
    exact, *matchers = all_chains["all"]
    weights = {"search_weight": float(1 << 20), "accuracy_search_weight": 1.0}
    heavy_matcher = type("HeavyMatcher", (type(exact),), weights)()
    native, _ = make_engines([*matchers[:3], heavy_matcher], threads=1)
    texts = generate_candidates(random.Random(5), 12, 40)
    assert_equal_scores(native, native, texts, texts)


def test_pairwise_scores_repetitive_candidates(all_chains):
    native, _ = make_engines(all_chains["meteor"], threads=1)
    texts = ["go " * 30, "go " * 31 + "gone", "the " * 100, "the the " * 60 + "end", "go the " * 40, "", "..."]
    assert_equal_scores(native, native, texts, texts)


def test_pairwise_scores_are_correct_after_the_cache_is_full(all_chains):
    """The candidates need more searches than the cache can hold, so the cache is cleared."""
    rng = random.Random(9)
    native, _ = make_engines(all_chains["meteor"], threads=1)
    words = WORDS[:14]
    texts = [" ".join(rng.choices(words, k=40)) for _ in range(45)]
    assert_equal_scores(native, native, texts, texts)


@pytest.mark.parametrize("threads", [2, 7])
def test_pairwise_scores_do_not_depend_on_threads(all_chains, threads):
    rng = random.Random(threads)
    sources = [generate_candidates(rng, 40, 25) for _ in range(4)]
    single, _ = make_engines(all_chains["meteor"], threads=1)
    parallel, _ = make_engines(all_chains["meteor"], threads=threads)
    matrices = [matrix.tolist() for matrix in parallel.pairwise_batches(sources)]
    assert matrices == [matrix.tolist() for matrix in single.pairwise_batches(sources)]
