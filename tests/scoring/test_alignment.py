from __future__ import annotations

import json

import pytest

from meteor_e.scoring.alignment import AlignedMatch, Alignment, count_chunks


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
def test_a_chunk_ends_at_a_gap_on_either_side(matches, chunks):
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
