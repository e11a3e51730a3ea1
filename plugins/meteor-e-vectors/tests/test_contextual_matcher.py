"""Tests of the matcher ``contextual`` alone and in chains."""

from __future__ import annotations

import pickle

import meteor_e_vectors.plugin
import pytest
from meteor_e_vectors.contextual.matcher import EncoderMatcher

from meteor_e import ConfigError, Meteor, ResourceError
from meteor_e.testing import check_matcher, check_plugin


def test_matcher_and_plugin_pass_interface_checks(encoder_folder):
    check_plugin(meteor_e_vectors.plugin)
    words = ["the cat sat", "a feline rested"]
    check_matcher(EncoderMatcher, tokens=words, encoder="tiny", threshold=0.9)
    check_matcher(EncoderMatcher, tokens=words, folder=str(encoder_folder), threshold=0.9, below=0.999, layer=1)


@pytest.fixture(params=["native", "python"])
def engine(request, monkeypatch):
    """Select the native engine or the Python engine."""
    from meteor_e.engine.native import native_module

    monkeypatch.setenv("METEOR_E_PURE", "1" if request.param == "python" else "")
    native_module.cache_clear()
    yield request.param
    native_module.cache_clear()


@pytest.mark.usefixtures("engine")
def test_chain_with_encoder_aligns_similar_words(encoder_folder):
    meteor = Meteor("other", matchers=["exact", {"use": "contextual", "encoder": "tiny", "threshold": 0.97}])
    result = meteor.score("the feline sat", ["a cat sat"])
    assert result.alignment.pairs() == [
        ("the", "a", "contextual"),
        ("feline", "cat", "contextual"),
        ("sat", "sat", "exact"),
    ]
    assert "contextual=0.6(threshold=0.97 layer=2 tiny@" in meteor.signature


@pytest.mark.usefixtures("engine", "encoder_folder")
def test_matcher_encodes_a_sentence_once_for_all_bands(monkeypatch):
    encoded_sentences = []
    original_encode = EncoderMatcher.encode

    def encode(self, sentences):
        encoded_sentences.extend(sentences)
        return original_encode(self, sentences)

    monkeypatch.setattr(EncoderMatcher, "encode", encode)
    bands = [{"threshold": 0.99}, {"threshold": 0.9, "below": 0.99}, {"threshold": 0.5, "below": 0.9}]
    meteor = Meteor("other", matchers=["exact", *({"use": "contextual", "encoder": "tiny", **band} for band in bands)])
    for copy in (meteor, pickle.loads(pickle.dumps(meteor))):
        copy.corpus(["the feline sat", "a dog"], ["the cat sat", "the mat"])
    assert len(encoded_sentences) == 4


def test_matcher_rejects_missing_encoder_and_other_languages():
    with pytest.raises(ConfigError, match="the encoder 'minilm' is of 'en', and the chain is for 'fr'"):
        Meteor("fr", matchers=["exact", "contextual"])
    with pytest.raises(ResourceError, match="meteor-e encoder install minilm"):
        Meteor("en", matchers=["exact", "contextual"])
