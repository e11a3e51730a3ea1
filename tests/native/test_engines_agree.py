"""Test that both engines return exactly equal scores and alignments."""

from __future__ import annotations

import itertools
import os
import random

import pytest
from random_chains import generate_segments, make_chains, make_engines

from meteor_e.engine.native import native_module
from meteor_e.scoring.statistics import StatisticsSum

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

PAIRS = int(os.environ.get("METEOR_E_RANDOM_PAIRS", "20000"))
"""The number of random pairs to compare.

Before a release, the tests must pass with a million pairs (see docs/results/performance.md).
"""

CHAINS = ("meteor", "exact", "no-exact", "keys", "python", "contextual", "all", "no-table")
SETTINGS = list(itertools.product(CHAINS, (1, 5, 40), (False, True)))


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return make_chains(tmp_path_factory.mktemp("indexes"))


def assert_equal_scores(native, python, hypotheses, references):
    """Assert that both engines return equal segment scores and an equal corpus score."""
    native_scores = list(native.segments(hypotheses, references))
    python_scores = list(python.segments(hypotheses, references))
    for index, (native_score, python_score) in enumerate(zip(native_scores, python_scores, strict=True)):
        assert native_score == python_score, (hypotheses[index], references[index])
    total = StatisticsSum(len(python.matchers))
    for score in python_scores:
        total.add(score.statistics)
    assert native.corpus(hypotheses, references) == python.corpus_score(total)


@pytest.mark.parametrize(("chain", "beam", "character_mode"), SETTINGS)
def test_engines_agree_on_random_segments(all_chains, chain, beam, character_mode):
    seed = SETTINGS.index((chain, beam, character_mode))
    rng = random.Random(seed)
    native, python = make_engines(all_chains[chain], beam=beam, character_mode=character_mode)
    remaining = PAIRS // len(SETTINGS)
    while remaining > 0:
        count = min(remaining, 5000)
        assert_equal_scores(native, python, *generate_segments(rng, count))
        remaining -= count


@pytest.mark.parametrize("chain", CHAINS)
def test_engines_agree_on_maximum_accuracy_alignments(all_chains, chain):
    rng = random.Random(3)
    native, python = make_engines(all_chains[chain])
    for hypothesis, references in zip(*generate_segments(rng, 200), strict=True):
        for reference in references:
            alignment = native.align(hypothesis, reference, maximum_accuracy=True)
            assert alignment == python.align(hypothesis, reference, maximum_accuracy=True)


@pytest.mark.parametrize("chain", ["meteor", "all"])
def test_engines_agree_on_long_segments(all_chains, chain):
    """The bit sets of the hypotheses need more than one or two machine words, and the search has many paths."""
    rng = random.Random(11)
    native, python = make_engines(all_chains[chain])
    assert_equal_scores(native, python, *generate_segments(rng, 12, longest=200))


def test_engines_agree_with_a_huge_search_weight(all_chains):
    """A huge search weight makes the search compare its criteria one after the other instead of as one number."""
    exact, *matchers = all_chains["all"]
    weights = {"search_weight": float(1 << 20), "accuracy_search_weight": 1.0}
    heavy_matcher = type("HeavyMatcher", (type(exact),), weights)()
    native, python = make_engines([*matchers, heavy_matcher])
    rng = random.Random(5)
    hypotheses, references = generate_segments(rng, 40, longest=60)
    words = ["cat", "cats", "go", "went"]
    hypotheses.append(" ".join(rng.choices(words, k=200)))
    references.append([" ".join(rng.choices(words, k=250))])
    assert_equal_scores(native, python, hypotheses, references)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_native_scores_do_not_depend_on_threads(all_chains, threads):
    hypotheses, references = generate_segments(random.Random(2), 1500)
    parallel, _ = make_engines(all_chains["meteor"], threads=threads)
    single, _ = make_engines(all_chains["meteor"], threads=1)
    assert list(parallel.segments(hypotheses, references)) == list(single.segments(hypotheses, references))
