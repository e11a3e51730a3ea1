"""Counting by numbers, against counting by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from meteor_e_learned import counting
from meteor_e_learned.counting import Pairs, capitals, mean_over_references, words

from meteor_e.api import FeatureBatch

pytestmark = pytest.mark.native

native = pytest.mark.skipif(counting._native is None, reason="needs the extension")


def test_a_tally_has_a_row_for_each_item_of_a_pair():
    pairs, known = words(FeatureBatch(["a b a", ""], [["a c"], ["a"]]))
    tally = pairs.tally()
    rows = zip(tally.pair, tally.item, tally.left, tally.right, strict=True)
    found = {(int(pair), known[item]): (int(left), int(right)) for pair, item, left, right in rows}
    assert found == {(0, "a"): (2, 1), (0, "b"): (1, 0), (0, "c"): (0, 1), (1, "a"): (0, 1)}
    assert tally.total(tally.common).tolist() == [1, 0]


def test_ngrams_stay_within_their_segment():
    pairs, _ = words(FeatureBatch(["a b", "c"], [["b c"], ["c"]]))
    assert [length.tolist() for length in pairs.ngrams(2).lengths] == [[1, 0], [1, 0]]
    assert pairs.common_ngrams(3).tolist() == [[1, 0, 0], [1, 0, 0]]


def test_nothing_to_count():
    pairs, known = words(FeatureBatch(["", ""], [[""], [""]]))
    assert known == []
    assert pairs.common_ngrams(2).tolist() == [[0, 0]] * 2


def test_several_references_are_pairs_of_their_own():
    batch = FeatureBatch(["a", "b"], [["a", "x", "a"], ["b"]])
    common = words(batch)[0].common_ngrams(1)
    assert mean_over_references(common, batch)[:, 0].tolist() == [2 / 3, 1]


def drawn(seed):
    """Pairs of sequences: short and long, of few items and of many, some empty, and texts with odd characters."""
    draw = random.Random(seed)
    letters = "abcXYZ  '’_.,-1é߀中\u0130\u2028\t\u3000\U0001f600٣\u1e9e"
    sides = [
        ["".join(draw.choices(letters[: draw.randint(2, len(letters))], k=draw.randint(0, 90))) for _ in range(300)]
        for _ in range(2)
    ]
    sides[0][0] = sides[1][0] = ""
    sides[0][1], sides[1][1] = "a b " * 700, "b a " * 650
    return FeatureBatch(sides[0], [[text] for text in sides[1]])


COUNTED = {
    "words": lambda pairs: [pairs.items, pairs.owner],
    "tally": lambda pairs: [getattr(pairs.tally(), name) for name in ("pair", "item", "left", "right")],
    "n-grams": lambda pairs: [pairs.common_ngrams(6)],
}


@native
@pytest.mark.parametrize("seed", range(3))
def test_the_extension_counts_as_numpy_does(seed, monkeypatch):
    ways = []
    for extension in (counting._native, None):
        monkeypatch.setattr(counting, "_native", extension)
        (pairs, known), written = words(drawn(seed)), capitals(drawn(seed))
        signs = counting.characters(drawn(seed))[0]
        ways.append((known, [[count(each) for count in COUNTED.values()] for each in (pairs, written, signs)]))
    (known, one), (others, other) = ways
    assert known == others
    for left, right in zip(one, other, strict=True):
        for name, first, second in zip(COUNTED, left, right, strict=True):
            for place, (mine, its) in enumerate(zip(first, second, strict=True)):
                assert mine.shape == its.shape, (name, place)
                assert (mine == its).all(), (name, place)


@native
def test_the_extension_refuses_what_does_not_fit():
    items, starts = np.array([0, 1, 1], np.int64), np.array([0, 2, 3], np.int64)
    assert counting._native.common_ngrams(items, starts, 2, 1).tolist() == [[1]]
    for wrong, size in (
        ((items, np.array([0, 2, 4], np.int64)), 2),
        ((items, np.array([0, 3], np.int64)), 2),
        ((items, np.array([2, 0, 3], np.int64)), 2),
        ((items, starts), 1),
        ((-items, starts), 2),
    ):
        for call in (
            lambda *given: counting._native.common_ngrams(*given, 2),
            counting._native.tally,
        ):
            with pytest.raises(ValueError, match=r"start|number"):
                call(*wrong, size)
    with pytest.raises(TypeError):
        counting._native.split(["a", 1])


def test_pairs_without_anything_have_no_ngrams():
    none = Pairs(0, np.empty(0, np.int64), np.empty(0, np.int64), 1)
    assert none.common_ngrams(3).shape == (0, 3)
