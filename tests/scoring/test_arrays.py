"""Test the statistics of segments, and the functions that score arrays of statistics."""

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
    StatisticsCounter,
    StatisticsSum,
    characters_of,
    statistics_columns,
    to_additive,
)

fraction = st.floats(0, 1)


@st.composite
def statistics(draw, matchers: int = 3):
    """Generate a vector of statistics of a segment.

    The matchers do not match more words than there are, and there are not more chunks than matched words.
    """
    lengths = [draw(st.integers(0, 12)) for _ in range(2)]
    function_words = [draw(st.integers(0, length)) for length in lengths]
    # The numbers of unmatched words of the hypothesis and of the reference: first content words, then function words.
    unmatched = [[lengths[text] - function_words[text], function_words[text]] for text in (0, 1)]
    counts = []
    for _ in range(matchers):
        for kind in (0, 1):
            for text in (0, 1):
                count = draw(st.integers(0, unmatched[text][kind]))
                unmatched[text][kind] -= count
                counts.append(count)
    matched_lengths = [lengths[text] - sum(unmatched[text]) for text in (0, 1)]
    chunks = draw(st.integers(0, max(1, min(matched_lengths))))
    return [*lengths, *function_words, *counts, chunks, *matched_lengths]


@given(
    st.lists(statistics(), min_size=1, max_size=8),
    st.builds(Parameters, fraction, st.floats(0, 3), fraction, fraction, st.tuples(fraction, fraction, fraction)),
)
def test_score_arrays_equals_the_scalar_formula(rows, parameters):
    expected = [formula.compute(Statistics.from_vector(row), parameters).score for row in rows]
    assert arrays.score_arrays(np.array(rows, np.int32), parameters) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.lists(statistics(), min_size=1, max_size=8))
def test_to_additive_sums_to_the_corpus_statistics(rows):
    total = StatisticsSum(3)
    for row in rows:
        total.add(Statistics.from_vector(row))
    assert to_additive(np.array(rows)).sum(axis=0).tolist() == total.total.to_vector()


def test_is_perfect_in_character_mode_equals_the_scalar_property():
    # In character mode, lengths and matches count characters, but the last two columns count matched words.
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


def test_statistics_can_be_converted_to_a_vector_and_back():
    statistics = Statistics.from_vector(VECTOR)
    assert statistics.to_vector() == VECTOR
    assert statistics.matchers == (MatcherCounts(1, 1, 1, 1), MatcherCounts(1, 2, 0, 0))
    assert (statistics.chunks, statistics.hypothesis_matched, statistics.reference_matched) == (2, 3, 4)
    assert statistics.weighted_lengths(0.75) == (3 * 0.75 + 2 * 0.25, 3 * 0.75 + 1 * 0.25)


def test_count_statistics_counts_content_and_function_words():
    matches = (AlignedMatch(0, 2, 1, 1, 1, 1.0), AlignedMatch(2, 1, 0, 1, 0, 1.0))
    alignment = Alignment(("THE", "b", "c"), ("of", "x", "The"), matches, ("exact", "stem"), 2)
    statistics = StatisticsCounter({"the", "of"}).count(alignment)
    assert statistics == Statistics(3, 3, 1, 2, (MatcherCounts(0, 0, 1, 1), MatcherCounts(1, 1, 0, 1)), 2, 2, 3)


def test_characters_of_counts_utf16_code_units():
    """Java counts the characters of a string in the same way."""
    assert [characters_of(word) for word in ("ab", "𝒜", "é", "\ud800", "")] == [2, 2, 1, 1, 0]
    alignment = Alignment(("the", "𝒜"), ("𝒜",), (AlignedMatch(0, 1, 1, 1, 0, 1.0),), ("exact",), 1)
    statistics = StatisticsCounter({"the"}, word_units=characters_of).count(alignment)
    assert statistics == Statistics(5, 2, 3, 0, (MatcherCounts(2, 2, 0, 0),), 1, 1, 1)


def test_statistics_sum_ignores_the_chunks_of_perfect_segments():
    matches = (AlignedMatch(0, 1, 0, 1, 0, 1.0),)
    perfect_alignment = Alignment(("a",), ("a",), matches, ("exact",), 1)
    partial_alignment = Alignment(("a", "b"), ("a",), matches, ("exact",), 1)
    perfect = StatisticsCounter(set()).count(perfect_alignment)
    partial = StatisticsCounter(set()).count(partial_alignment)
    total = StatisticsSum(1)
    for statistics in (perfect, partial, perfect):
        total.add(statistics)
    assert total.segments == 3
    assert total.total.chunks == 1
    assert total.total.hypothesis_length == 4
    assert total.total.hypothesis_matched == 3
