"""The matcher ``vector``, with vectors in a plane."""

from __future__ import annotations

import meteor_e_vectors.plugin
import pytest
from meteor_e_vectors import open_vectors
from meteor_e_vectors.matcher import VectorMatcher

from meteor_e import ConfigError, Meteor, ResourceError, Token
from meteor_e.testing import check_matcher, check_plugin


def make_matcher(file, **options):
    return VectorMatcher(VectorMatcher.Options(file=str(file), **options))


def pairs(matcher, hypothesis, reference):
    """Return the matching phrases of two texts, with the probabilities of the matches."""
    hypothesis_words, reference_words = hypothesis.split(), reference.split()
    hypothesis_tokens, reference_tokens = map(Token, hypothesis_words), map(Token, reference_words)
    results = []
    for match in matcher.match(list(hypothesis_tokens), list(reference_tokens)):
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
        reference_end = match.reference_start + match.reference_length
        hypothesis_phrase = " ".join(hypothesis_words[match.hypothesis_start : hypothesis_end])
        reference_phrase = " ".join(reference_words[match.reference_start : reference_end])
        results.append((hypothesis_phrase, reference_phrase, round(match.probability, 4)))
    return results


def test_matcher_and_plugin_conform(plane):
    check_plugin(meteor_e_vectors.plugin)
    check_matcher(VectorMatcher, tokens=["house", "home"], file=plane)
    check_matcher(VectorMatcher, tokens=["house", "home"], file=plane, below=0.95, threshold=0.6)


def test_words_match_by_their_similarity(plane):
    matcher = make_matcher(plane)
    assert pairs(matcher, "house dog", "home hound") == [("house", "home", 0.933), ("dog", "hound", 0.9924)]
    # (1 + cos 53.13°)/2 is slightly greater than .8.
    assert pairs(matcher, "house", "building") == [("house", "building", 0.8)]
    assert pairs(make_matcher(plane, threshold=0.81), "house", "building") == []
    assert pairs(matcher, "house", "dog") == []


def test_equal_words_match_even_without_vectors(plane):
    assert pairs(make_matcher(plane), "xyzzy house", "xyzzy dog") == [("xyzzy", "xyzzy", 1.0)]
    assert pairs(make_matcher(plane, threshold=0.0), "xyzzy", "house") == []


@pytest.mark.parametrize("pure", [False, True])
def test_chain_with_vectors_aligns_similar_words(plane, pure, monkeypatch):
    monkeypatch.setenv("METEOR_E_PURE", "1" if pure else "")
    from meteor_e.engine.native import native_module

    native_module.cache_clear()
    meteor = Meteor("other", matchers=["exact", {"use": "vector", "file": str(plane)}])
    native_module.cache_clear()
    scored = meteor.score("the home stands", ["the house stands"])
    assert scored.alignment.pairs() == [
        ("the", "the", "exact"),
        ("home", "house", "vector"),
        ("stands", "stands", "exact"),
    ]
    assert "vector=0.8(threshold=0.8 key=word vectors@" in meteor.signature


def test_bands_of_similarity_have_their_own_weights(plane):
    """Bands can approximate the similarity as a weight: matches above .95 have the weight .95, and so on."""
    bands = [
        {"use": "vector", "file": str(plane), "threshold": 0.95, "weight": 0.95},
        {"use": "vector", "file": str(plane), "threshold": 0.9, "below": 0.95, "weight": 0.9},
    ]
    meteor = Meteor("other", matchers=["exact", *bands])
    counts = meteor.score("house dog", ["home hound"]).statistics.matchers
    assert [count.hypothesis_content for count in counts] == [0, 1, 1]
    # Only the band without an upper bound proposes equal words.
    assert pairs(make_matcher(plane, threshold=0.5, below=0.9), "house", "house") == []


def test_installed_vectors_are_the_default(plane, tmp_path):
    with pytest.raises(
        ResourceError, match=r"no vectors for language 'other' .* `meteor-e vectors train TEXT -l other`"
    ):
        Meteor("other", matchers=["exact", "vector"])
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "other.vectors").write_bytes(plane.read_bytes())
    assert open_vectors(plane).digest[:12] in Meteor("other", matchers=["exact", "vector"]).signature


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 2}, "threshold: must be a number from 0 to 1, not 2"),
        ({"key": "words"}, r"key: must be one of .*, not 'words' \(did you mean 'word'"),
        ({"below": 0.5}, "below is 0.5; it must be above the threshold"),
    ],
)
def test_invalid_options_are_refused(plane, options, message):
    with pytest.raises(ConfigError, match=message):
        Meteor("other", matchers=["exact", {"use": "vector", "file": str(plane), **options}])


@pytest.mark.parametrize(
    ("options", "lemmatizer", "message"),
    [
        ({"key": "lemma"}, None, "needs lemmas, and the chain has no lemmatizer"),
        ({"key": "word_POS"}, None, "needs tags, and the chain has no lemmatizer"),
        ({"key": "lemma_POS"}, "simplemma", "needs tags, and the chain has the lemmatizer 'simplemma'"),
        ({"key": "word_POS"}, "untagged", "needs tags, and the chain has the lemmatizer 'lookup'"),
    ],
)
def test_keys_need_lemmas_and_tags(plane, tmp_path, options, lemmatizer, message):
    """Without the lemmas or tags of the key, words would not have vectors, so a missing lemmatizer is an error."""
    (tmp_path / "lemmas.tsv").write_text("dogs\t\tdog\n")
    given = {"use": "lookup", "file": str(tmp_path / "lemmas.tsv")} if lemmatizer == "untagged" else lemmatizer
    chain = {"matchers": ["exact", {"use": "vector", "file": str(plane), **options}]}
    with pytest.raises(ConfigError, match=f"matcher 'vector' {message}"):
        Meteor("en", **chain, lemmatizer=given)
    (tmp_path / "lemmas.tsv").write_text("dogs\tNOUN\tdog\n")
    Meteor("en", **chain, lemmatizer={"use": "lookup", "file": str(tmp_path / "lemmas.tsv")})
