"""The beam search for the best alignment, and a comparison with exhaustive search."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from meteor_e.engine.search import _sum_distances, search
from meteor_e.scoring.alignment import AlignedMatch


def make_matches(*rows):
    """Return matches with probability 1.

    A row is (reference start, reference length, hypothesis start, hypothesis length, index of the matcher).
    """
    return [AlignedMatch(*row, 1.0) for row in rows]


def search_without_fixed_matches(candidates, reference_length, *, weights=(1.0, 0.5), **options):
    """Group candidates by their reference position, and search for the best alignment."""
    candidates_by_position = [
        [candidate for candidate in candidates if candidate.reference_start == position]
        for position in range(reference_length)
    ]
    return search(candidates_by_position, [None] * reference_length, weights, **options)


def count_chunks(matches):
    """Count the chunks of matches that are ordered by reference position."""
    chunks = 0
    previous_positions = None
    for match in matches:
        if previous_positions != (match.reference_start - 1, match.hypothesis_start - 1):
            chunks += 1
        previous_positions = (match.reference_start, match.hypothesis_start)
    return chunks


def test_search_uses_fixed_matches_to_extend_chunks():
    # The fixed match has the same weight in all alignments, but it can join its neighbors to one chunk.
    (fixed_match,) = make_matches((1, 1, 1, 1, 1))
    candidates = make_matches((0, 1, 3, 1, 0), (0, 1, 0, 1, 0), (2, 1, 2, 1, 0), (2, 1, 4, 1, 0))
    matches = search([candidates[:2], [fixed_match], candidates[2:]], [None, fixed_match, None], (1.0, 0.5))
    assert [match.hypothesis_start for match in matches] == [0, 1, 2]


def test_search_with_beam_one_is_greedy():
    # At reference position 0, the search can match hypothesis word 0 or skip the position. A match increases the score
    # at once, but hypothesis words 0 and 1 together match the two reference words at positions 1 and 2.
    candidates = make_matches((0, 1, 0, 1, 0), (1, 2, 0, 2, 0))
    assert search_without_fixed_matches(candidates, 3, beam=1) == make_matches((0, 1, 0, 1, 0))
    assert search_without_fixed_matches(candidates, 3, beam=40) == make_matches((1, 2, 0, 2, 0))


def test_search_for_accuracy_prefers_matched_words_to_chunks():
    # The match at position 1 has no weight and adds a chunk, so the normal search leaves it out.
    candidates = make_matches((0, 1, 0, 1, 0), (1, 1, 3, 1, 1), (2, 1, 2, 1, 0))
    matches = search_without_fixed_matches(candidates, 3, weights=(1.0, 0.0))
    accurate_matches = search_without_fixed_matches(candidates, 3, weights=(1.0, 0.0), compare_matched_words=True)
    assert [match.reference_start for match in matches] == [0, 2]
    assert [match.reference_start for match in accurate_matches] == [0, 1, 2]


words = st.lists(st.sampled_from("abc"), max_size=6)


def brute_force(hypothesis, reference):
    """Try all alignments, and return the maximum number of exact matches and the minimum number of chunks for it."""
    best_match_count, best_chunk_count = 0, 0
    # For each reference word: the hypothesis positions that it can match, and None for no match.
    options = [
        [None, *(position for position, word in enumerate(hypothesis) if word == reference_word)]
        for reference_word in reference
    ]
    for positions in itertools.product(*options):
        matched_positions = [position for position in positions if position is not None]
        if len(set(matched_positions)) < len(matched_positions):
            continue  # Two reference words match the same hypothesis word.
        chunk_count = 0
        previous_position = None
        for position in positions:
            if position is not None and (previous_position is None or position != previous_position + 1):
                chunk_count += 1
            previous_position = position
        match_count = len(matched_positions)
        if (-match_count, chunk_count) < (-best_match_count, best_chunk_count):
            best_match_count, best_chunk_count = match_count, chunk_count
    return best_match_count, best_chunk_count


@given(words, words)
def test_search_with_wide_beam_finds_the_best_alignment(hypothesis, reference):
    candidates = [
        [
            AlignedMatch(reference_position, 1, position, 1, 0, 1.0)
            for position, word in enumerate(hypothesis)
            if word == reference_word
        ]
        for reference_position, reference_word in enumerate(reference)
    ]
    matches = search(candidates, [None] * len(reference), (1.0,), beam=10**6)
    assert (len(matches), count_chunks(matches)) == brute_force(hypothesis, reference)


@given(st.sets(st.integers(0, 300)), st.integers(0, 300))
def test_sum_distances_adds_the_distances_of_all_mask_bits(word_positions, position):
    mask = sum(1 << word_position for word_position in word_positions)
    assert _sum_distances(mask, position) == sum(abs(position - word_position) for word_position in word_positions)
