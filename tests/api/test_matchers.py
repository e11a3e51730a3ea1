from __future__ import annotations

import pickle
from typing import ClassVar

import numpy as np
import pytest

from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Match, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError


def tokens(text):
    return list(map(Token, text.split()))


class Letters(KeyMatcher):
    """Words that share a letter match."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def keys(self, token):
        self.asked.append(token.form)
        return set(token.form)


def test_key_matches_are_ordered_by_reference_word():
    found = list(Letters().match(tokens("cb ab x"), tokens("abc y bx")))
    assert found == [Match(0, 0), Match(0, 1), Match(2, 0), Match(2, 1), Match(2, 2)]


def test_equal_words_are_left_to_the_exact_matcher():
    assert list(Letters().match(tokens("ab a"), tokens("ab"))) == [Match(0, 1)]

    class Same(Letters):
        match_equal_words = True

    assert list(Same().match(tokens("ab a"), tokens("ab"))) == [Match(0, 0), Match(0, 1)]


def test_keys_are_asked_for_once_a_distinct_token(monkeypatch):
    matcher = Letters()
    for _ in range(3):
        list(matcher.match(tokens("a b a"), tokens("b a c")))
    assert sorted(matcher.asked) == ["a", "b", "c"]
    list(matcher.match([Token("a", "lemma")], tokens("b")))
    assert len(matcher.asked) == 4


class Compass(SimilarityMatcher):
    """Words match by their directions in a table. Other words do not have a vector."""

    name = "compass"
    table: ClassVar = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "northeast": (0.8, 0.6)}

    def vectors(self, tokens):
        return np.array([self.table.get(token.form, (0, 0)) for token in tokens], dtype=np.float32)


class SentenceCompass(ContextualMatcher):
    """A contextual matcher with the directions of :class:`Compass`."""

    name = "sentence-compass"

    def __init__(self, options=None):
        super().__init__(options)
        self.asked = []

    def encode(self, sentences):
        self.asked += [[token.form for token in sentence] for sentence in sentences]
        words = [token for sentence in sentences for token in sentence]
        return Compass().vectors(words), np.cumsum([0, *map(len, sentences)])


@pytest.mark.parametrize("kind", [Compass, SentenceCompass])
@pytest.mark.parametrize(
    ("threshold", "pairs"),
    [(1.0, ["east", "dog"]), (0.899, ["east", "northeast", "dog"]), (0.5, ["east", "northeast", "north", "dog"])],
)
def test_vectors_match_from_a_similarity_on(kind, threshold, pairs):
    hypothesis = tokens("east northeast north west dog cat")
    found = {
        hypothesis[m.hypothesis_start].form
        for m in kind.make(threshold=threshold).match(hypothesis, tokens("east dog"))
    }
    assert found == set(pairs)


def test_sentence_is_encoded_once():
    """A repeated sentence is encoded once, and all new sentences are encoded together."""
    matcher = SentenceCompass.make(threshold=0.8)
    matcher.sentence_rows([tuple(tokens("east north")), tuple(tokens("west"))])
    assert matcher.asked == [["east", "north"], ["west"]]
    for _ in range(3):
        list(matcher.match(tokens("east north"), tokens("west")))
        list(matcher.match(tokens("west"), tokens("northeast")))
    assert matcher.asked == [["east", "north"], ["west"], ["northeast"]]
    assert matcher.memory
    assert not pickle.loads(pickle.dumps(matcher)).memory


def test_cache_of_sentences_is_bounded(monkeypatch):
    monkeypatch.setattr("meteor_e.api.matchers.SENTENCE_LIMIT", 3)
    matcher = SentenceCompass()
    for number in range(20):
        list(matcher.match(tokens(f"east {number}"), tokens("east")))
        assert len(matcher.memory) <= 3


@pytest.mark.parametrize("offsets", [[0, 1], [0, 2, 2], [0, 1, 3], [1, 3], []])
def test_rows_that_do_not_fit_their_sentences_are_a_mistake(offsets):
    class Short(SentenceCompass):
        def encode(self, sentences):
            return np.zeros((2, 2), dtype=np.float32), np.array(offsets)

    with pytest.raises(TypeError, match="encode returned rows of shape"):
        list(Short().match(tokens("a b c"), tokens("c")))


def test_cache_of_vectors_is_bounded(monkeypatch):
    """The vector of a sentence with one word has 4 bytes in this test."""
    monkeypatch.setattr("meteor_e.api.matchers.SENTENCE_BYTES", 40)
    matcher = SentenceCompass()
    for number in range(30):
        list(matcher.match(tokens(f"east{number}"), tokens("east")))
        assert sum(rows.nbytes for rows in matcher.memory.values()) <= 40


def test_many_sentences_are_encoded_in_parts(monkeypatch):
    monkeypatch.setattr("meteor_e.api.matchers.ENCODED_WORDS", 3)
    parts = []

    class Counting(SentenceCompass):
        def encode(self, sentences):
            parts.append([len(sentence) for sentence in sentences])
            return super().encode(sentences)

    sentences = [tuple(tokens(text)) for text in ("a b", "c", "d e", "f g h i", "j")]
    rows = Counting().sentence_rows(sentences)
    assert parts == [[2, 1], [2], [4], [1]]
    assert [len(row) for row in rows] == [2, 1, 2, 4, 1]


def test_similarity_is_the_probability_and_equal_words_are_sure():
    found = {
        m.hypothesis_start: m.probability
        for m in Compass.make(threshold=0.5).match(tokens("east northeast north"), tokens("east"))
    }
    assert found == {0: 1.0, 1: pytest.approx(0.9), 2: pytest.approx(0.5)}


def test_words_without_a_vector_match_nothing_but_themselves():
    assert list(Compass.make(threshold=0.0).match(tokens("dog cat"), tokens("cow dog"))) == [Match(1, 0)]
    assert list(Compass.make(threshold=0.0).match([], tokens("cow"))) == []
    assert list(Compass.make(threshold=0.0).match(tokens("cow"), [])) == []


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_thresholds_lie_between_zero_and_one(threshold):
    with pytest.raises(ConfigError, match=r"matcher 'compass': threshold: must be a number from 0 to 1, not "):
        Compass.make(threshold=threshold)


def test_vectors_of_the_wrong_shape_are_a_mistake():
    class Short(Compass):
        def vectors(self, tokens):
            return np.zeros((1, 2), dtype=np.float32)

    class Flat(Compass):
        def vectors(self, tokens):
            return np.zeros(len(tokens), dtype=np.float32)

    for kind in (Short, Flat):
        with pytest.raises(TypeError, match="it must return one row per token"):
            list(kind.make(threshold=0.5).match(tokens("a b"), tokens("c")))
