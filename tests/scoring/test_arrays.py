from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.api.languages import Parameters
from meteor_e.scoring import arrays, formula
from meteor_e.scoring.alignment import AlignedMatch, Alignment
from meteor_e.scoring.statistics import (
    MatcherCounts,
    Statistics,
    StatisticsSum,
    characters_of,
    count_statistics,
    statistics_columns,
    to_additive,
)

share = st.floats(0, 1)


@st.composite
def statistics(draw, matchers: int = 3):
    """Random statistics of a segment, with no more matches than words, and no more chunks than matches."""
    lengths = [draw(st.integers(0, 12)) for _ in range(2)]
    function = [draw(st.integers(0, length)) for length in lengths]
    left = [[lengths[side] - function[side], function[side]] for side in (0, 1)]
    counts = []
    for _ in range(matchers):
        row = []
        for kind in (0, 1):
            for side in (0, 1):
                matched = draw(st.integers(0, left[side][kind]))
                left[side][kind] -= matched
                row.append(matched)
        counts += row
    matched = [lengths[side] - sum(left[side]) for side in (0, 1)]
    chunks = draw(st.integers(0, max(1, min(matched))))
    return [*lengths, *function, *counts, chunks, *matched]


@given(
    st.lists(statistics(), min_size=1, max_size=8),
    st.builds(Parameters, share, st.floats(0, 3), share, share, st.tuples(share, share, share)),
)
def test_equals_the_scalar_formula(rows, parameters):
    expected = [formula.compute(Statistics.from_vector(row), parameters).score for row in rows]
    assert arrays.score_arrays(np.array(rows, np.int32), parameters) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.lists(statistics(), min_size=1, max_size=8))
def test_sums_equal_those_of_a_corpus(rows):
    total = StatisticsSum(3)
    for row in rows:
        total.add(Statistics.from_vector(row))
    assert to_additive(np.array(rows)).sum(axis=0).tolist() == total.total.to_vector()


def test_perfect_segments_are_the_same_ones_in_character_mode():
    # Lengths and matches count characters there; the words that are covered are still words.
    rows = np.array(
        [[9, 9, 0, 0, 9, 9, 0, 0, 1, 2, 2], [9, 8, 0, 0, 8, 8, 0, 0, 1, 2, 2], [2, 2, 0, 0, 2, 2, 0, 0, 1, 2, 2]]
    )
    expected = [Statistics.from_vector(row).is_perfect for row in rows.tolist()]
    assert statistics_columns(rows).is_perfect.tolist() == expected == [True, False, True]
    parameters = Parameters(0.85, 0.2, 0.6, 0.75, (1.0,))
    scores = [formula.compute(Statistics.from_vector(row), parameters).score for row in rows.tolist()]
    assert arrays.score_arrays(rows, parameters) == pytest.approx(scores, rel=1e-12)
    assert scores[0] == 1.0


VECTOR = [5, 4, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, 2, 3, 4]


def test_vectors_go_there_and_back():
    statistics = Statistics.from_vector(VECTOR)
    assert statistics.to_vector() == VECTOR
    assert statistics.matchers == (MatcherCounts(1, 1, 1, 1), MatcherCounts(1, 2, 0, 0))
    assert (statistics.chunks, statistics.hypothesis_matched, statistics.reference_matched) == (2, 3, 4)
    assert statistics.weighted_lengths(0.75) == (3 * 0.75 + 2 * 0.25, 3 * 0.75 + 1 * 0.25)


def test_collect_counts_content_and_function_words_on_both_sides():
    matches = (AlignedMatch(0, 2, 1, 1, 1, 1.0), AlignedMatch(2, 1, 0, 1, 0, 1.0))
    alignment = Alignment(("THE", "b", "c"), ("of", "x", "The"), matches, ("exact", "stem"), 2)
    found = count_statistics(alignment, 2, {"the", "of"})
    assert found == Statistics(3, 3, 1, 2, (MatcherCounts(0, 0, 1, 1), MatcherCounts(1, 1, 0, 1)), 2, 2, 3)


def test_characters_are_utf16_units_as_java_counts_them():
    assert [characters_of(word) for word in ("ab", "𝒜", "é", "\ud800", "")] == [2, 2, 1, 1, 0]
    alignment = Alignment(("the", "𝒜"), ("𝒜",), (AlignedMatch(0, 1, 1, 1, 0, 1.0),), ("exact",), 1)
    found = count_statistics(alignment, 1, {"the"}, word_units=characters_of)
    assert found == Statistics(5, 2, 3, 0, (MatcherCounts(2, 2, 0, 0),), 1, 1, 1)


def test_perfect_segment_adds_no_chunks_to_a_sum():
    matches = (AlignedMatch(0, 1, 0, 1, 0, 1.0),)
    perfect, partial = (
        count_statistics(Alignment(hypothesis, ("a",), matches, ("exact",), 1), 1, set())
        for hypothesis in (("a",), ("a", "b"))
    )
    total = StatisticsSum(1)
    for statistics in (perfect, partial, perfect):
        total.add(statistics)
    assert total.segments == 3
    assert total.total.chunks == 1
    assert total.total.hypothesis_length == 4
    assert total.total.hypothesis_matched == 3
