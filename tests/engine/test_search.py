from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from meteor_e.engine.search import _sum_distances, search
from meteor_e.scoring.alignment import AlignedMatch


def matches(*rows):
    """Return candidates by reference position, from rows of (reference, hypothesis, lengths..., matcher)."""
    return [AlignedMatch(*row, 1.0) for row in rows]


def run(candidates, size, *, fixed=None, weights=(1.0, 0.5), **options):
    by_reference = [[c for c in candidates if c.reference_start == j] for j in range(size)]
    fixed = fixed or [None] * size
    return search(by_reference, fixed, weights, **options)


def test_fixed_matches_belong_to_all_paths_and_extend_chunks():
    # The fixed match gains nothing by itself, but joins the words on its sides to one chunk.
    (fixed,) = matches((1, 1, 1, 1, 1))
    candidates = matches((0, 1, 3, 1, 0), (0, 1, 0, 1, 0), (2, 1, 2, 1, 0), (2, 1, 4, 1, 0))
    found = search([candidates[:2], [fixed], candidates[2:]], [None, fixed, None], (1.0, 0.5))
    assert [match.hypothesis_start for match in found] == [0, 1, 2]


def test_beam_of_one_is_greedy():
    # Position 0 may take word 0 or be skipped; only taking it gains at once, though word 0 would serve two later.
    candidates = matches((0, 1, 0, 1, 0), (1, 2, 0, 2, 0))
    assert run(candidates, 3, beam=1) == matches((0, 1, 0, 1, 0))
    assert run(candidates, 3, beam=40) == matches((1, 2, 0, 2, 0))


def test_maximum_accuracy_prefers_matched_words_to_chunks():
    # An exact word in the middle of a chunk, or an inexact pair and two chunks.
    candidates = matches((0, 1, 0, 1, 0), (1, 1, 3, 1, 1), (2, 1, 2, 1, 0))
    few = run(candidates, 3, weights=(1.0, 0.0))
    many = run(candidates, 3, weights=(1.0, 0.0), compare_matched_words=True)
    assert [c.reference_start for c in few] == [0, 2]
    assert [c.reference_start for c in many] == [0, 1, 2]


words = st.lists(st.sampled_from("abc"), max_size=6)


def brute_force(hypothesis, reference):
    """Return the maximum number of exact matches, and the minimum number of chunks for it, by trying all alignments."""
    best = (0, 0)
    options = [[None, *(i for i, word in enumerate(hypothesis) if word == other)] for other in reference]
    for choice in itertools.product(*options):
        used = [i for i in choice if i is not None]
        if len(set(used)) == len(used):
            chunks, last = 0, None
            for i in choice:
                if i is None:
                    last = None
                else:
                    chunks += last is None or i != last + 1
                    last = i
            best = min(best, (-len(used), chunks))
    return best


@given(words, words)
def test_wide_beam_finds_the_best_alignment(hypothesis, reference):
    candidates = [
        [AlignedMatch(j, 1, i, 1, 0, 1.0) for i, word in enumerate(hypothesis) if word == other]
        for j, other in enumerate(reference)
    ]
    found = search(candidates, [None] * len(reference), (1.0,), beam=10**6)
    chunks, last = 0, None
    for match in found:
        chunks += last != (match.reference_start - 1, match.hypothesis_start - 1)
        last = (match.reference_start, match.hypothesis_start)
    assert (-len(found), chunks) == brute_force(hypothesis, reference)


@given(st.sets(st.integers(0, 300)), st.integers(0, 300))
def test_distances_of_many_words_are_added_up_at_once(words, position):
    mask = sum(1 << word for word in words)
    assert _sum_distances(mask, position) == sum(abs(position - word) for word in words)
