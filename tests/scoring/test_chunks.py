from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meteor_e.scoring.alignment import AlignedMatch, chunk_numbers, count_chunks


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
def test_as_many_as_places_where_one_begins(order, left_out):
    matches = [AlignedMatch(at, 1, other, 1, 0, 1.0) for at, other in enumerate(order) if at not in left_out]
    found = {(match.reference_start, match.hypothesis_start) for match in matches}
    begins = sum((reference - 1, hypothesis - 1) not in found for reference, hypothesis in found)
    assert count_chunks(matches) == begins
    assert chunk_numbers(matches) == sorted(chunk_numbers(matches))
