"""The matcher ``contextual`` and its chains."""

from __future__ import annotations

import pickle

import meteor_e_vectors.plugin
import pytest
from meteor_e_vectors.contextual.matcher import EncoderMatcher

from meteor_e import ConfigError, Meteor, ResourceError
from meteor_e.testing import check_matcher, check_plugin


def test_matcher_and_plugin_conform(tiny):
    check_plugin(meteor_e_vectors.plugin)
    words = ["the cat sat", "a feline rested"]
    check_matcher(EncoderMatcher, tokens=words, encoder="tiny", threshold=0.9)
    check_matcher(EncoderMatcher, tokens=words, folder=str(tiny), threshold=0.9, below=0.999, layer=1)


@pytest.fixture(params=["native", "python"])
def engine(request, monkeypatch):
    """Either engine."""
    from meteor_e.engine.native import native_module

    monkeypatch.setenv("METEOR_E_PURE", "1" if request.param == "python" else "")
    native_module.cache_clear()
    yield request.param
    native_module.cache_clear()


@pytest.mark.usefixtures("engine")
def test_chain_with_encoder_aligns_similar_words(tiny):
    meteor = Meteor("other", matchers=["exact", {"use": "contextual", "encoder": "tiny", "threshold": 0.97}])
    scored = meteor.score("the feline sat", ["a cat sat"])
    assert scored.alignment.pairs() == [
        ("the", "a", "contextual"),
        ("feline", "cat", "contextual"),
        ("sat", "sat", "exact"),
    ]
    assert "contextual=0.6(threshold=0.97 layer=2 tiny@" in meteor.signature


@pytest.mark.usefixtures("engine", "tiny")
def test_bands_encode_a_sentence_once(monkeypatch):
    encoded = []
    plain = EncoderMatcher.encode

    def encode(self, sentences):
        encoded.extend(sentences)
        return plain(self, sentences)

    monkeypatch.setattr(EncoderMatcher, "encode", encode)
    bands = [{"threshold": 0.99}, {"threshold": 0.9, "below": 0.99}, {"threshold": 0.5, "below": 0.9}]
    meteor = Meteor("other", matchers=["exact", *({"use": "contextual", "encoder": "tiny", **band} for band in bands)])
    for copy in (meteor, pickle.loads(pickle.dumps(meteor))):
        copy.corpus(["the feline sat", "a dog"], ["the cat sat", "the mat"])
    assert len(encoded) == 4


def test_encoder_of_another_language_is_refused():
    with pytest.raises(ConfigError, match="the encoder 'minilm' is of 'en', and the chain is for 'fr'"):
        Meteor("fr", matchers=["exact", "contextual"])
    with pytest.raises(ResourceError, match="meteor-e encoder install minilm"):
        Meteor("en", matchers=["exact", "contextual"])
