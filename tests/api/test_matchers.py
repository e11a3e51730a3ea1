"""The base classes of matchers: matches by keys, by vectors, and by vectors of whole sentences."""

from __future__ import annotations

import pickle
from typing import ClassVar

import numpy as np
import pytest

from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.matchers import KeyMatcher, Match, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError


def make_tokens(text):
    """Split a text at its spaces, and return the tokens."""
    return list(map(Token, text.split()))


class LetterMatcher(KeyMatcher):
    """A matcher that matches words with a common letter. It records the words whose keys are computed."""

    name = "letters"

    def __init__(self) -> None:
        self.words: list[str] = []

    def keys(self, token):
        self.words.append(token.form)
        return set(token.form)


def test_key_matcher_orders_matches_by_reference_word():
    matches = list(LetterMatcher().match(make_tokens("cb ab x"), make_tokens("abc y bx")))
    assert matches == [Match(0, 0), Match(0, 1), Match(2, 0), Match(2, 1), Match(2, 2)]


def test_key_matcher_skips_equal_words_by_default():
    assert list(LetterMatcher().match(make_tokens("ab a"), make_tokens("ab"))) == [Match(0, 1)]

    class EqualWordMatcher(LetterMatcher):
        match_equal_words = True

    assert list(EqualWordMatcher().match(make_tokens("ab a"), make_tokens("ab"))) == [Match(0, 0), Match(0, 1)]


def test_key_matcher_computes_keys_once_per_distinct_token(monkeypatch):
    matcher = LetterMatcher()
    for _ in range(3):
        list(matcher.match(make_tokens("a b a"), make_tokens("b a c")))
    assert sorted(matcher.words) == ["a", "b", "c"]
    list(matcher.match([Token("a", "lemma")], make_tokens("b")))
    assert len(matcher.words) == 4


class Compass(SimilarityMatcher):
    """A matcher whose table contains a vector for each direction. Other words do not have a vector."""

    name = "compass"
    table: ClassVar = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "northeast": (0.8, 0.6)}

    def vectors(self, tokens):
        return np.array([self.table.get(token.form, (0, 0)) for token in tokens], dtype=np.float32)


class SentenceCompass(ContextualMatcher):
    """A contextual matcher with the directions of :class:`Compass`."""

    name = "sentence-compass"

    def __init__(self, options=None):
        super().__init__(options)
        self.encoded_sentences = []

    def encode(self, sentences):
        self.encoded_sentences += [[token.form for token in sentence] for sentence in sentences]
        words = [token for sentence in sentences for token in sentence]
        return Compass().vectors(words), np.cumsum([0, *map(len, sentences)])


@pytest.mark.parametrize("matcher_class", [Compass, SentenceCompass])
@pytest.mark.parametrize(
    ("threshold", "words"),
    [(1.0, ["east", "dog"]), (0.899, ["east", "northeast", "dog"]), (0.5, ["east", "northeast", "north", "dog"])],
)
def test_vector_matchers_match_words_at_or_above_the_threshold(matcher_class, threshold, words):
    hypothesis = make_tokens("east northeast north west dog cat")
    matches = matcher_class.make(threshold=threshold).match(hypothesis, make_tokens("east dog"))
    matched_words = {hypothesis[match.hypothesis_start].form for match in matches}
    assert matched_words == set(words)


def test_contextual_matcher_encodes_each_sentence_once():
    """Repeated sentences are encoded once, and new sentences are encoded together."""
    matcher = SentenceCompass.make(threshold=0.8)
    matcher.sentence_rows([tuple(make_tokens("east north")), tuple(make_tokens("west"))])
    assert matcher.encoded_sentences == [["east", "north"], ["west"]]
    for _ in range(3):
        list(matcher.match(make_tokens("east north"), make_tokens("west")))
        list(matcher.match(make_tokens("west"), make_tokens("northeast")))
    assert matcher.encoded_sentences == [["east", "north"], ["west"], ["northeast"]]
    assert matcher.memory
    assert not pickle.loads(pickle.dumps(matcher)).memory


def test_contextual_matcher_limits_the_number_of_sentences(monkeypatch):
    monkeypatch.setattr("meteor_e.api.contextual_matchers.SENTENCE_LIMIT", 3)
    matcher = SentenceCompass()
    for number in range(20):
        list(matcher.match(make_tokens(f"east {number}"), make_tokens("east")))
        assert len(matcher.memory) <= 3


@pytest.mark.parametrize("offsets", [[0, 1], [0, 2, 2], [0, 1, 3], [1, 3], []])
def test_contextual_matcher_rejects_wrong_sentence_offsets(offsets):
    class WrongOffsets(SentenceCompass):
        def encode(self, sentences):
            return np.zeros((2, 2), dtype=np.float32), np.array(offsets)

    with pytest.raises(TypeError, match="encode returned rows of shape"):
        list(WrongOffsets().match(make_tokens("a b c"), make_tokens("c")))


def test_contextual_matcher_limits_the_size_of_the_vectors(monkeypatch):
    """In this test, the cached vector of a word has two 16-bit coordinates, and therefore 4 bytes."""
    monkeypatch.setattr("meteor_e.api.contextual_matchers.SENTENCE_BYTES", 40)
    matcher = SentenceCompass()
    for number in range(30):
        list(matcher.match(make_tokens(f"east{number}"), make_tokens("east")))
        assert sum(rows.nbytes for rows in matcher.memory.values()) <= 40


def test_contextual_matcher_encodes_sentences_in_batches(monkeypatch):
    monkeypatch.setattr("meteor_e.api.contextual_matchers.ENCODED_WORDS", 3)
    batches = []

    class RecordingCompass(SentenceCompass):
        def encode(self, sentences):
            batches.append([len(sentence) for sentence in sentences])
            return super().encode(sentences)

    sentences = [tuple(make_tokens(text)) for text in ("a b", "c", "d e", "f g h i", "j")]
    rows = RecordingCompass().sentence_rows(sentences)
    assert batches == [[2, 1], [2], [4], [1]]
    assert [len(row) for row in rows] == [2, 1, 2, 4, 1]


def test_similarity_matcher_returns_similarity_as_probability():
    matches = Compass.make(threshold=0.5).match(make_tokens("east northeast north"), make_tokens("east"))
    probabilities = {match.hypothesis_start: match.probability for match in matches}
    assert probabilities == {0: 1.0, 1: pytest.approx(0.9), 2: pytest.approx(0.5)}


def test_word_without_a_vector_matches_only_itself():
    assert list(Compass.make(threshold=0.0).match(make_tokens("dog cat"), make_tokens("cow dog"))) == [Match(1, 0)]
    assert list(Compass.make(threshold=0.0).match([], make_tokens("cow"))) == []
    assert list(Compass.make(threshold=0.0).match(make_tokens("cow"), [])) == []


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_threshold_must_lie_between_zero_and_one(threshold):
    with pytest.raises(ConfigError, match=r"matcher 'compass': threshold: must be a number from 0 to 1, not "):
        Compass.make(threshold=threshold)


def test_similarity_matcher_rejects_vectors_of_wrong_shape():
    class ShortVectors(Compass):
        def vectors(self, tokens):
            return np.zeros((1, 2), dtype=np.float32)

    class FlatVectors(Compass):
        def vectors(self, tokens):
            return np.zeros(len(tokens), dtype=np.float32)

    for matcher_class in (ShortVectors, FlatVectors):
        with pytest.raises(TypeError, match="it must return one row per token"):
            list(matcher_class.make(threshold=0.5).match(make_tokens("a b"), make_tokens("c")))
