"""What sequences share, against counting by hand."""

from __future__ import annotations

import pytest
from meteor_e_learned.counting import words
from meteor_e_papers import sequences

from meteor_e.api import FeatureBatch


@pytest.mark.parametrize(
    ("hypothesis", "reference", "skipped", "order", "run"),
    [
        ("a b c d", "a b c d", [1, 1, 1], 1, 4),
        ("a b c", "c b a", [0, 0, 0], 0, 1),
        # Of ab, ac, bc and ba, bc, ac; and of the orders of a-b, a-c, b-c.
        ("a b c", "b a c", [2 / 3, 2 / 3, 2 / 3], 2 / 3, 1),
        ("a a b", "a b b", [2 / 3, 2 / 3, 2 / 3], 1, 2),
        ("", "a b", [0, 0, 0], 1, 0),
        ("", "", [0, 0, 0], 1, 0),
    ],
)
def test_what_two_sequences_share(hypothesis, reference, skipped, order, run):
    batch = FeatureBatch([hypothesis, "x y"], [[reference], ["x y"]])
    pairs, _ = words(batch)
    assert sequences.skip_bigram_shares(pairs, 4)[0] == pytest.approx(skipped)
    assert sequences.order_shares(pairs)[0] == pytest.approx(order)
    assert sequences.longest_runs(pairs).tolist() == [run, 2]
    assert [len(text) for text in sequences.texts(pairs)[0]] == [len(hypothesis.split()), 2]


def test_a_skip_bigram_skips_so_many():
    pairs, _ = words(FeatureBatch(["a x y b"], [["a b"]]))
    assert sequences.skip_bigram_shares(pairs, 1)[0].tolist() == [0, 0, 0]
    assert sequences.skip_bigram_shares(pairs, 2)[0].tolist() == pytest.approx([1 / 6, 1, 2 / 7])
