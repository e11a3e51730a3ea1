"""Vectors that depend on the sentence, in both engines."""

from __future__ import annotations

import random

import numpy as np
import pytest
from random_chains import Neighbors, engines, hypotheses_and_references

from meteor_e.api.batches import Batch
from meteor_e.api.matchers import ContextualMatcher, SentenceMemory
from meteor_e.base.errors import InputError, PluginError
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import plan_chain
from meteor_e.matchers.modules import ExactMatcher

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")


class Counting(Neighbors):
    """A matcher that records the sentences that it encodes."""

    def __init__(self, options=None):
        super().__init__(options)
        self.asked = []

    def encode(self, sentences):
        self.asked.append([" ".join(token.form for token in sentence) for sentence in sentences])
        return super().encode(sentences)


def test_core_compares_the_vectors():
    assert [planned.family for planned in plan_chain([ExactMatcher(), Neighbors()])] == ["exact", "contextual"]


@pytest.mark.parametrize("pure", [False, True])
def test_batch_encodes_its_distinct_sentences_once(pure):
    matcher = Counting()
    meteor = engines([ExactMatcher(), matcher])[pure]
    list(meteor.segments(["a b", "c d", "a b", ""], [["c d", "e"], ["a b"], ["f"], ["e"]]))
    (asked,) = matcher.asked
    assert sorted(asked) == ["a b", "c d", "e", "f"]
    list(meteor.segments(["a b"], ["f"]))
    assert len(matcher.asked) == 1


def test_scores_do_not_depend_on_chunks_order_and_threads(monkeypatch):
    hypotheses, references = hypotheses_and_references(random.Random(5), 150)
    matchers = [ExactMatcher(), Neighbors.make(threshold=0.7)]
    expected = list(engines(matchers)[1].segments(hypotheses, references))
    assert any(score.statistics.matchers[1].hypothesis_content for score in expected)
    for size, threads in ((1, 1), (7, 1), (64, 3)):
        monkeypatch.setattr("meteor_e.api.batches.BATCH_SEGMENTS", size)
        monkeypatch.setattr("meteor_e.api.batches.FIRST_BATCH", size)
        meteor = engines([ExactMatcher(), Neighbors.make(threshold=0.7)], threads=threads)[0]
        assert list(meteor.segments(hypotheses, references)) == expected
        assert list(meteor.segments(hypotheses[::-1], references[::-1])) == expected[::-1]


@pytest.mark.parametrize("pure", [False, True])
def test_bands_may_share_their_vectors(pure):
    class Band(Counting):
        memory = SentenceMemory()

    bands = [Band.make(threshold=0.8), Band.make(threshold=0.5, below=0.8)]
    meteor = engines([ExactMatcher(), *bands])[pure]
    list(meteor.segments(["a b", "c d"], [["c d"], ["e"]]))
    assert [len(band.asked) for band in bands] == [1, 0]


@pytest.mark.parametrize(("hypothesis", "reference"), [("a b c d e f", "b"), ("b", "a b c d e f")])
def test_overlong_segment_is_reported(monkeypatch, hypothesis, reference):
    """Only this segment fails, in both engines, and only if vectors are compared."""
    monkeypatch.setattr(ContextualMatcher, "longest_sentence", 5)
    messages = set()
    for meteor in engines([ExactMatcher(), Neighbors()]):
        with pytest.raises(InputError, match="a segment of 6 words is too long for matcher 'neighbors'") as caught:
            meteor.score(hypothesis, reference)
        messages.add(str(caught.value))
        assert meteor.score(hypothesis, hypothesis).score == 1
        assert meteor.score(hypothesis, "").score == 0
        scored = meteor.statistics(Batch([hypothesis, "a b"], [[reference], ["a c"]]))
        assert list(scored.failures) == [0]
    assert len(messages) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda rows: rows[:-1],
        lambda rows: rows * float("nan"),
        lambda rows: rows * 3,
        lambda rows: np.concatenate([rows, rows]),
        lambda rows: rows.T,
    ],
)
def test_wrong_number_of_vectors_is_an_error(wrong):
    class Wrong(Neighbors):
        def encode(self, sentences):
            rows, offsets = super().encode(sentences)
            return wrong(rows), offsets

    messages = set()
    for meteor in engines([ExactMatcher(), Wrong()]):
        with pytest.raises(PluginError, match=r"matcher 'neighbors' failed with .*encode returned rows") as caught:
            meteor.score("the cat", "the dog sat")
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_vectors_of_several_dimensions_are_an_error():
    class Growing(Neighbors):
        def encode(self, sentences):
            rows, offsets = super().encode(sentences)
            width = 3 + len(sentences[0])
            return np.pad(rows, ((0, 0), (0, width)))[:, :width], offsets

    for meteor in engines([ExactMatcher(), Growing()]):
        list(meteor.segments(["one two"], ["three four"]))
        with pytest.raises(PluginError, match="dimension"):
            meteor.score("one two", "three four five")
