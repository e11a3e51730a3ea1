from __future__ import annotations

import pytest

from meteor_e.base.errors import InputError
from meteor_e.scoring.alignment import AlignedMatch
from meteor_e.scoring.statistics import MatcherCounts, Statistics, StatisticsSum, collect, word_units

VECTOR = [5, 4, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, 2, 3, 4]


def test_vectors_go_there_and_back():
    statistics = Statistics.from_vector(VECTOR)
    assert statistics.to_vector() == VECTOR
    assert statistics.matchers == (MatcherCounts(1, 1, 1, 1), MatcherCounts(1, 2, 0, 0))
    assert (statistics.chunks, statistics.hypothesis_matched, statistics.reference_matched) == (2, 3, 4)
    assert (statistics.hypothesis_content_words, statistics.reference_content_words) == (3, 3)


@pytest.mark.parametrize("size", [0, 6, 8, 9, 10, 12])
def test_vectors_of_other_lengths_are_refused(size):
    with pytest.raises(InputError, match=f"{size} statistics; 7 and 4 more a matcher were expected"):
        Statistics.from_vector([1] * size)


def test_collect_counts_content_and_function_words_on_both_sides():
    matches = [AlignedMatch(0, 2, 1, 1, 1, 1.0), AlignedMatch(2, 1, 0, 1, 0, 1.0)]
    found = collect(["THE", "b", "c"], ["of", "x", "The"], matches, 2, 2, {"the", "of"})
    assert found == Statistics(3, 3, 1, 2, (MatcherCounts(0, 0, 1, 1), MatcherCounts(1, 1, 0, 1)), 2, 2, 3)


def test_characters_are_utf16_units_as_java_counts_them():
    assert word_units(["ab", "𝒜", "é", "\ud800", ""], True) == [2, 2, 1, 1, 0]
    assert word_units(["ab", "𝒜"], False) == [1, 1]
    found = collect(["the", "𝒜"], ["𝒜"], [AlignedMatch(0, 1, 1, 1, 0, 1.0)], 1, 1, {"the"}, character_mode=True)
    assert found == Statistics(5, 2, 3, 0, (MatcherCounts(2, 2, 0, 0),), 1, 1, 1)


def test_a_perfect_segment_brings_no_chunks_to_a_sum():
    perfect = collect(["a"], ["a"], [AlignedMatch(0, 1, 0, 1, 0, 1.0)], 1, 1, set())
    partial = collect(["a", "b"], ["a"], [AlignedMatch(0, 1, 0, 1, 0, 1.0)], 1, 1, set())
    total = StatisticsSum(1)
    for statistics in (perfect, partial, perfect):
        total.add(statistics)
    assert total.segments == 3
    assert total.total.chunks == 1
    assert total.total.hypothesis_length == 4
    assert total.total.hypothesis_matched == 3
