"""Test alignments and their chunks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.scoring.alignment import AlignedMatch, Alignment, chunk_numbers, count_chunks


def make_match(reference_start, reference_length, hypothesis_start, hypothesis_length, matcher=0):
    """Return a match with the probability 1."""
    return AlignedMatch(reference_start, reference_length, hypothesis_start, hypothesis_length, matcher, 1.0)


@pytest.mark.parametrize(
    ("matches", "chunks"),
    [
        ([], 0),
        ([make_match(0, 1, 0, 1)], 1),
        ([make_match(0, 1, 0, 1), make_match(1, 1, 1, 1)], 1),
        ([make_match(0, 1, 0, 1), make_match(2, 1, 1, 1)], 2),
        ([make_match(0, 1, 0, 1), make_match(1, 1, 2, 1)], 2),
        ([make_match(0, 2, 3, 1), make_match(2, 1, 4, 3), make_match(3, 1, 7, 1)], 1),
        ([make_match(0, 1, 1, 1), make_match(1, 1, 0, 1)], 2),
        ([make_match(3, 1, 5, 1)], 1),
    ],
)
def test_count_chunks_splits_at_gaps_of_either_segment(matches, chunks):
    assert count_chunks(matches) == chunks


@pytest.fixture
def alignment():
    """Return an alignment that matches a word with a phrase."""
    matches = (make_match(0, 2, 0, 1, 1), make_match(2, 1, 1, 1))
    return Alignment(("in", "the", "end"), ("at", "last", "the"), matches, ("exact", "other"), 1)


def test_pairs_joins_the_words_of_phrases(alignment):
    assert alignment.pairs() == [("in", "at last", "other"), ("the", "the", "exact")]


def test_to_dict_contains_the_names_of_matchers(alignment):
    content = json.loads(json.dumps(alignment.to_dict()))
    assert content["hypothesis"] == ["in", "the", "end"]
    assert content["chunks"] == 1
    assert content["matches"][0] == {
        "reference_start": 0,
        "reference_length": 2,
        "hypothesis_start": 0,
        "hypothesis_length": 1,
        "matcher": "other",
        "probability": 1.0,
    }


def test_chunk_numbers_returns_the_chunk_of_each_match():
    matches = [
        AlignedMatch(0, 1, 3, 1, 0, 1.0),
        AlignedMatch(1, 2, 4, 1, 0, 1.0),  # continues the chunk
        AlignedMatch(4, 1, 5, 1, 0, 1.0),  # follows an unmatched reference word
        AlignedMatch(5, 1, 0, 1, 0, 1.0),  # is at another position of the hypothesis
    ]
    assert chunk_numbers(matches) == [1, 1, 2, 3]
    assert chunk_numbers([]) == []


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_count_chunks_equals_the_number_of_chunk_starts(hypothesis_positions, unmatched):
    pairs = {
        (reference_position, hypothesis_position)
        for reference_position, hypothesis_position in enumerate(hypothesis_positions)
        if reference_position not in unmatched
    }
    matches = [
        make_match(reference_start, 1, hypothesis_start, 1) for reference_start, hypothesis_start in sorted(pairs)
    ]
    # A match starts a chunk unless it directly follows another match in both segments.
    starts = [
        (reference, hypothesis) for reference, hypothesis in pairs if (reference - 1, hypothesis - 1) not in pairs
    ]
    assert count_chunks(matches) == len(starts)
    assert chunk_numbers(matches) == sorted(chunk_numbers(matches))
