"""Counting by numbers, against counting by hand."""

from __future__ import annotations

from meteor_e_learned.counting import mean_over_references, words

from meteor_e.api import FeatureBatch


def test_a_tally_has_a_row_for_each_item_of_a_pair():
    pairs, known = words(FeatureBatch(["a b a", ""], [["a c"], ["a"]]))
    tally = pairs.tally()
    rows = zip(tally.pair, tally.item, tally.left, tally.right, strict=True)
    found = {(int(pair), known[item]): (int(left), int(right)) for pair, item, left, right in rows}
    assert found == {(0, "a"): (2, 1), (0, "b"): (1, 0), (0, "c"): (0, 1), (1, "a"): (0, 1)}
    assert tally.total(tally.common).tolist() == [1, 0]
    assert tally.shares()[0].tolist() == [1 / 3, 1 / 2, 2 / 5]


def test_ngrams_stay_within_their_segment():
    pairs, _ = words(FeatureBatch(["a b", "c"], [["b c"], ["c"]]))
    assert [length.tolist() for length in pairs.ngrams(2).lengths] == [[1, 0], [1, 0]]
    assert pairs.ngrams(3).tally().shares().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_nothing_to_count():
    pairs, known = words(FeatureBatch(["", ""], [[""], [""]]))
    assert known == []
    assert pairs.ngrams(2).skip_bigrams(2).tally().shares().tolist() == [[0, 0, 0]] * 2


def test_several_references_are_pairs_of_their_own():
    batch = FeatureBatch(["a", "b"], [["a", "x", "a"], ["b"]])
    shares = words(batch)[0].tally().shares()
    assert mean_over_references(shares, batch)[:, 0].tolist() == [2 / 3, 1]
