"""Test segments with repeated words.

If a segment has many candidate matches, positions with equal words share one list of candidates. The scores and
alignments must be the same as with separate lists.
"""

from __future__ import annotations

import itertools
import random
import time

import pytest
from random_chains import generate_segments, make_chains, make_engines

from meteor_e.base.errors import InputError
from meteor_e.engine import candidates, native

pytestmark = pytest.mark.skipif(
    native.native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set"
)

CHAINS = ("meteor", "exact", "no-exact", "keys", "all")
WORDS = ["go", "goes", "went", "the", "end", "finally", "last", "big"]


@pytest.fixture(scope="module")
def all_chains(tmp_path_factory):
    return make_chains(tmp_path_factory.mktemp("indexes"))


def set_sharing_threshold(monkeypatch, limit):
    """Set the number of candidates above which positions share lists of candidates."""
    monkeypatch.setattr(candidates, "SEPARATE_CANDIDATES", limit)


def generate_repetitive_text(rng, longest):
    """Return a text that repeats a pattern of words. Up to two random words interrupt the pattern."""
    pattern = rng.choices(WORDS, k=rng.randint(1, 4))
    words = (pattern * longest)[: rng.randint(1, longest)]
    for _ in range(rng.randrange(3)):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)


@pytest.mark.parametrize(("chain", "beam"), list(itertools.product(CHAINS, (1, 5, 40))))
def test_shared_candidate_lists_do_not_change_scores(all_chains, chain, beam, monkeypatch):
    rng = random.Random(f"{chain}{beam}")
    hypotheses, references = generate_segments(rng, 20)
    for _ in range(12):
        hypotheses.append(generate_repetitive_text(rng, 60))
        references.append([generate_repetitive_text(rng, 60) for _ in range(rng.choice((1, 2)))])
    _, python = make_engines(all_chains[chain], beam=beam)
    expected = list(python.segments(hypotheses, references))
    set_sharing_threshold(monkeypatch, 0)
    for meteor in make_engines(all_chains[chain], beam=beam):
        scores = list(meteor.segments(hypotheses, references))
        for index, (score, expected_score) in enumerate(zip(scores, expected, strict=True)):
            assert score == expected_score, (meteor.engine, hypotheses[index], references[index])


@pytest.mark.parametrize("chain", ["meteor", "keys"])
def test_shared_candidate_lists_do_not_change_alignments(all_chains, chain, monkeypatch):
    rng = random.Random(8)
    pairs = [(generate_repetitive_text(rng, 80), generate_repetitive_text(rng, 80)) for _ in range(10)]
    _, python = make_engines(all_chains[chain])
    expected = [python.align(*pair, maximum_accuracy=True) for pair in pairs]
    set_sharing_threshold(monkeypatch, 0)
    for meteor in make_engines(all_chains[chain]):
        assert [meteor.align(*pair, maximum_accuracy=True) for pair in pairs] == expected


@pytest.mark.parametrize("chain", CHAINS)
def test_shared_candidate_lists_work_for_long_texts(all_chains, chain, monkeypatch):
    """The texts need several words of a bit set, and they have long runs whose distances are added together."""
    rng = random.Random(9)
    hypotheses = [generate_repetitive_text(rng, 420) for _ in range(12)]
    references = [[generate_repetitive_text(rng, 420)] for _ in range(12)]
    set_sharing_threshold(monkeypatch, 1 << 40)
    separate, _ = make_engines(all_chains[chain])
    expected = list(separate.segments(hypotheses, references))
    set_sharing_threshold(monkeypatch, 0)
    shared, python = make_engines(all_chains[chain])
    assert list(shared.segments(hypotheses, references)) == expected
    assert python.score(hypotheses[0], references[0]) == expected[0]


def test_scoring_time_does_not_grow_quadratically(all_chains):
    """A text that is eight times as long must take less than 24 times as long, not 64 times."""
    meteor, _ = make_engines(all_chains["meteor"], threads=1)

    def measure_seconds(word_count):
        hypothesis = " ".join(["the end"] * (word_count // 2))
        reference = " ".join(["end the"] * (word_count // 2 - 9))
        start = time.process_time()
        meteor.score(hypothesis, reference)
        return time.process_time() - start

    # Warm up the caches.
    measure_seconds(500)
    assert measure_seconds(8000) < 24 * max(measure_seconds(1000), measure_seconds(1000), 0.02)


def test_too_many_candidates_raise_input_error_with_the_size(all_chains, monkeypatch):
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", 2000)
    set_sharing_threshold(monkeypatch, 100)
    text = " ".join(["go", "goes", "going", "gone", "went"] * 100)
    for meteor in make_engines(all_chains["meteor"]):
        assert meteor.score(" ".join(["go"] * 500), " ".join(["go"] * 400)).score > 0
        with pytest.raises(InputError, match="a segment of 500 words and its reference of 505 words"):
            meteor.score(text, f"{text} went end the went end")
