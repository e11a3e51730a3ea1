"""Test matchers that compare contextual vectors, with the native engine and the Python engine."""

from __future__ import annotations

import random

import numpy as np
import pytest
from random_chains import NeighborMatcher, generate_segments, make_engines

from meteor_e.api.batches import Batch
from meteor_e.api.contextual_matchers import ContextualMatcher, SentenceMemory
from meteor_e.base.errors import InputError, PluginError
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import plan_chain
from meteor_e.matchers.modules import ExactMatcher

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

BOTH_ENGINES = pytest.mark.parametrize("engine_index", [0, 1], ids=["native", "python"])
"""Run a test with each of the two metrics that ``make_engines`` returns."""


class RecordingMatcher(NeighborMatcher):
    """A matcher that records the batches of sentences that it encodes."""

    def __init__(self, options=None):
        super().__init__(options)
        self.batches = []

    def encode(self, sentences):
        self.batches.append([" ".join(token.form for token in sentence) for sentence in sentences])
        return super().encode(sentences)


def test_plan_chain_finds_the_family_of_contextual_matchers():
    assert [plan.family for plan in plan_chain([ExactMatcher(), NeighborMatcher()])] == ["exact", "contextual"]


@BOTH_ENGINES
def test_batch_encodes_each_distinct_sentence_once(engine_index):
    matcher = RecordingMatcher()
    meteor = make_engines([ExactMatcher(), matcher])[engine_index]
    list(meteor.segments(["a b", "c d", "a b", ""], [["c d", "e"], ["a b"], ["f"], ["e"]]))
    (sentences,) = matcher.batches
    assert sorted(sentences) == ["a b", "c d", "e", "f"]
    list(meteor.segments(["a b"], ["f"]))
    assert len(matcher.batches) == 1


def test_scores_do_not_depend_on_batches_order_or_threads(monkeypatch):
    hypotheses, references = generate_segments(random.Random(5), 150)
    matchers = [ExactMatcher(), NeighborMatcher.make(threshold=0.7)]
    _, python = make_engines(matchers)
    expected = list(python.segments(hypotheses, references))
    assert any(score.statistics.matchers[1].hypothesis_content for score in expected)
    for batch_size, threads in ((1, 1), (7, 1), (64, 3)):
        monkeypatch.setattr("meteor_e.api.batches.BATCH_SEGMENTS", batch_size)
        monkeypatch.setattr("meteor_e.api.batches.FIRST_BATCH", batch_size)
        meteor, _ = make_engines([ExactMatcher(), NeighborMatcher.make(threshold=0.7)], threads=threads)
        assert list(meteor.segments(hypotheses, references)) == expected
        assert list(meteor.segments(hypotheses[::-1], references[::-1])) == expected[::-1]


@BOTH_ENGINES
def test_matchers_can_share_encoded_sentences(engine_index):
    class SharingMatcher(RecordingMatcher):
        memory = SentenceMemory()

    matchers = [SharingMatcher.make(threshold=0.8), SharingMatcher.make(threshold=0.5, below=0.8)]
    meteor = make_engines([ExactMatcher(), *matchers])[engine_index]
    list(meteor.segments(["a b", "c d"], [["c d"], ["e"]]))
    assert [len(matcher.batches) for matcher in matchers] == [1, 0]


@pytest.mark.parametrize(("hypothesis", "reference"), [("a b c d e f", "b"), ("b", "a b c d e f")])
def test_segment_that_is_too_long_raises_input_error(monkeypatch, hypothesis, reference):
    """Only the segment that is too long fails, in both engines, and only if vectors are compared."""
    monkeypatch.setattr(ContextualMatcher, "longest_sentence", 5)
    messages = set()
    for meteor in make_engines([ExactMatcher(), NeighborMatcher()]):
        with pytest.raises(InputError, match="a segment of 6 words is too long for matcher 'neighbors'") as caught:
            meteor.score(hypothesis, reference)
        messages.add(str(caught.value))
        assert meteor.score(hypothesis, hypothesis).score == 1
        assert meteor.score(hypothesis, "").score == 0
        rows = meteor.statistics(Batch([hypothesis, "a b"], [[reference], ["a c"]]))
        assert list(rows.failures) == [0]
    assert len(messages) == 1


@pytest.mark.parametrize(
    "corrupt",
    [
        lambda rows: rows[:-1],
        lambda rows: rows * float("nan"),
        lambda rows: rows * 3,
        lambda rows: np.concatenate([rows, rows]),
        lambda rows: rows.T,
    ],
    ids=["row-missing", "nan", "not-unit-vectors", "too-many-rows", "transposed"],
)
def test_encode_must_return_one_unit_vector_per_word(corrupt):
    class InvalidMatcher(NeighborMatcher):
        def encode(self, sentences):
            rows, offsets = super().encode(sentences)
            return corrupt(rows), offsets

    messages = set()
    for meteor in make_engines([ExactMatcher(), InvalidMatcher()]):
        with pytest.raises(PluginError, match=r"matcher 'neighbors' failed with .*encode returned rows") as caught:
            meteor.score("the cat", "the dog sat")
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_vectors_must_keep_their_dimension():
    class GrowingMatcher(NeighborMatcher):
        def encode(self, sentences):
            rows, offsets = super().encode(sentences)
            width = 3 + len(sentences[0])
            return np.pad(rows, ((0, 0), (0, width)))[:, :width], offsets

    for meteor in make_engines([ExactMatcher(), GrowingMatcher()]):
        list(meteor.segments(["one two"], ["three four"]))
        with pytest.raises(PluginError, match="dimension"):
            meteor.score("one two", "three four five")
