"""Test alignments that are packed into arrays."""

from __future__ import annotations

import pickle

import pytest

from meteor_e import Meteor
from meteor_e.api.batches import Batch
from meteor_e.packs.resources import LanguageResources
from meteor_e.scoring.packed_alignments import PackedAlignments, join_packed, pack_alignments

PAIRS = [
    ("in the end the ship left", "finally the boat left the port"),
    ("", "an empty hypothesis"),
    ("the cat sat", "the cat sat"),
    ("x y", "z"),
]


@pytest.fixture
def alignments(own_packs):
    """Return the alignments of the pairs."""
    meteor = Meteor("en")
    return [meteor.align(*pair) for pair in PAIRS]


def test_pack_alignments_preserves_alignments(alignments):
    packed = pack_alignments(alignments, alignments[0].matchers)
    assert list(packed) == alignments
    assert packed[1:3] == alignments[1:3]
    assert packed[-1] == alignments[-1]
    assert list(pickle.loads(pickle.dumps(packed))) == alignments


def test_join_packed_preserves_order(alignments):
    parts = [pack_alignments(part, alignments[0].matchers) for part in (alignments[:1], alignments[1:])]
    assert list(join_packed(parts)) == alignments


REPEATED = "a " * 10_001
"""A text that has too many candidate matches with a text that repeats the same word."""


@pytest.fixture
def batch_with_failure():
    """Return a metric and a batch. The second segment cannot be aligned with its second reference."""
    meteor = Meteor("other", matchers=["exact"], resources=LanguageResources())
    references = [["b a"], ["no words match", REPEATED + "b"], ["b a"]]
    return meteor, Batch(["a b", REPEATED, "b"], references, alignments=True)


def test_alignment_of_a_failed_segment_is_none(batch_with_failure):
    meteor, batch = batch_with_failure
    rows = meteor.statistics(batch)
    assert list(rows.failures) == [1]
    assert rows.alignments[1] is None
    assert [len(rows.alignments[index].matches) for index in (0, 2)] == [2, 1]


def test_unpack_returns_a_failed_segment_without_matches(batch_with_failure):
    meteor, batch = batch_with_failure
    alignments = meteor.statistics(batch).alignments
    if not isinstance(alignments, PackedAlignments):
        pytest.skip("the Python engine returns the alignments as objects")
    failed = alignments.unpack(1)
    assert failed.hypothesis == tuple(REPEATED.split())
    assert failed.reference == ("no", "words", "match")
    assert failed.matches == ()
