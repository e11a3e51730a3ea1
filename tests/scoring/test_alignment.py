from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.scoring.alignment import AlignedMatch, Alignment, chunk_numbers, count_chunks


def match(j, j_length, i, i_length, matcher=0):
    return AlignedMatch(j, j_length, i, i_length, matcher, 1.0)


@pytest.mark.parametrize(
    ("matches", "chunks"),
    [
        ([], 0),
        ([match(0, 1, 0, 1)], 1),
        ([match(0, 1, 0, 1), match(1, 1, 1, 1)], 1),
        ([match(0, 1, 0, 1), match(2, 1, 1, 1)], 2),
        ([match(0, 1, 0, 1), match(1, 1, 2, 1)], 2),
        ([match(0, 2, 3, 1), match(2, 1, 4, 3), match(3, 1, 7, 1)], 1),
        ([match(0, 1, 1, 1), match(1, 1, 0, 1)], 2),
        ([match(3, 1, 5, 1)], 1),
    ],
)
def test_chunk_ends_at_a_gap_on_either_side(matches, chunks):
    assert count_chunks(matches) == chunks


@pytest.fixture
def alignment():
    return Alignment(
        ("in", "the", "end"), ("at", "last", "the"), (match(0, 2, 0, 1, 1), match(2, 1, 1, 1)), ("exact", "other"), 1
    )


def test_pairs_join_the_words_of_phrases(alignment):
    assert alignment.pairs() == [("in", "at last", "other"), ("the", "the", "exact")]


def test_json_form_names_the_matchers(alignment):
    form = json.loads(json.dumps(alignment.to_dict()))
    assert form["hypothesis"] == ["in", "the", "end"]
    assert form["chunks"] == 1
    assert form["matches"][0] == {
        "reference_start": 0,
        "reference_length": 2,
        "hypothesis_start": 0,
        "hypothesis_length": 1,
        "matcher": "other",
        "probability": 1.0,
    }


def test_numbers_of_matches():
    matches = [
        AlignedMatch(0, 1, 3, 1, 0, 1.0),
        AlignedMatch(1, 2, 4, 1, 0, 1.0),  # goes on
        AlignedMatch(4, 1, 5, 1, 0, 1.0),  # a reference word between
        AlignedMatch(5, 1, 0, 1, 0, 1.0),  # elsewhere in the hypothesis
    ]
    assert chunk_numbers(matches) == [1, 1, 2, 3]
    assert chunk_numbers([]) == []


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_chunks_are_counted_by_their_starts(order, left_out):
    matches = [AlignedMatch(at, 1, other, 1, 0, 1.0) for at, other in enumerate(order) if at not in left_out]
    found = {(match.reference_start, match.hypothesis_start) for match in matches}
    begins = sum((reference - 1, hypothesis - 1) not in found for reference, hypothesis in found)
    assert count_chunks(matches) == begins
    assert chunk_numbers(matches) == sorted(chunk_numbers(matches))
