"""Tests of the matcher ``vector`` with vectors in a plane."""

from __future__ import annotations

import meteor_e_vectors.plugin
import pytest
from meteor_e_vectors import open_vectors
from meteor_e_vectors.matcher import VectorMatcher

from meteor_e import ConfigError, Meteor, ResourceError, Token
from meteor_e.testing import check_matcher, check_plugin


def make_matcher(file, **options):
    """Return a matcher with the vectors of a file."""
    return VectorMatcher(VectorMatcher.Options(file=str(file), **options))


def match_phrases(matcher, hypothesis, reference):
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


def test_matcher_and_plugin_pass_interface_checks(plane_vectors):
    check_plugin(meteor_e_vectors.plugin)
    check_matcher(VectorMatcher, tokens=["house", "home"], file=plane_vectors)
    check_matcher(VectorMatcher, tokens=["house", "home"], file=plane_vectors, below=0.95, threshold=0.6)


def test_matcher_matches_similar_words(plane_vectors):
    matcher = make_matcher(plane_vectors)
    assert match_phrases(matcher, "house dog", "home hound") == [("house", "home", 0.933), ("dog", "hound", 0.9924)]
    # (1 + cos 53.13°)/2 is slightly greater than .8.
    assert match_phrases(matcher, "house", "building") == [("house", "building", 0.8)]
    assert match_phrases(make_matcher(plane_vectors, threshold=0.81), "house", "building") == []
    assert match_phrases(matcher, "house", "dog") == []


def test_matcher_matches_equal_words_without_vectors(plane_vectors):
    assert match_phrases(make_matcher(plane_vectors), "xyzzy house", "xyzzy dog") == [("xyzzy", "xyzzy", 1.0)]
    assert match_phrases(make_matcher(plane_vectors, threshold=0.0), "xyzzy", "house") == []


@pytest.mark.parametrize("is_python_engine", [False, True])
def test_chain_with_vectors_aligns_similar_words(plane_vectors, is_python_engine, monkeypatch):
    monkeypatch.setenv("METEOR_E_PURE", "1" if is_python_engine else "")
    from meteor_e.engine.native import native_module

    native_module.cache_clear()
    meteor = Meteor("other", matchers=["exact", {"use": "vector", "file": str(plane_vectors)}])
    native_module.cache_clear()
    result = meteor.score("the home stands", ["the house stands"])
    assert result.alignment.pairs() == [
        ("the", "the", "exact"),
        ("home", "house", "vector"),
        ("stands", "stands", "exact"),
    ]
    assert "vector=0.8(threshold=0.8 key=word vectors@" in meteor.signature


def test_matcher_bands_have_separate_weights(plane_vectors):
    """Bands can approximate the similarity as a weight: matches above .95 have the weight .95, and so on."""
    bands = [
        {"use": "vector", "file": str(plane_vectors), "threshold": 0.95, "weight": 0.95},
        {"use": "vector", "file": str(plane_vectors), "threshold": 0.9, "below": 0.95, "weight": 0.9},
    ]
    meteor = Meteor("other", matchers=["exact", *bands])
    matcher_counts = meteor.score("house dog", ["home hound"]).statistics.matchers
    assert [count.hypothesis_content for count in matcher_counts] == [0, 1, 1]
    # Only a band without an upper bound matches equal words.
    assert match_phrases(make_matcher(plane_vectors, threshold=0.5, below=0.9), "house", "house") == []


def test_matcher_uses_installed_vectors_by_default(plane_vectors, tmp_path):
    with pytest.raises(
        ResourceError, match=r"no vectors for language 'other' .* `meteor-e vectors train TEXT -l other`"
    ):
        Meteor("other", matchers=["exact", "vector"])
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "other.vectors").write_bytes(plane_vectors.read_bytes())
    assert open_vectors(plane_vectors).digest[:12] in Meteor("other", matchers=["exact", "vector"]).signature


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 2}, "threshold: must be a number from 0 to 1, not 2"),
        ({"key": "words"}, r"key: must be one of .*, not 'words' \(did you mean 'word'"),
        ({"below": 0.5}, "below is 0.5; it must be above the threshold"),
    ],
)
def test_matcher_rejects_invalid_options(plane_vectors, options, message):
    with pytest.raises(ConfigError, match=message):
        Meteor("other", matchers=["exact", {"use": "vector", "file": str(plane_vectors), **options}])


@pytest.mark.parametrize(
    ("options", "lemmatizer", "message"),
    [
        ({"key": "lemma"}, None, "needs lemmas, and the chain has no lemmatizer"),
        ({"key": "word_POS"}, None, "needs tags, and the chain has no lemmatizer"),
        ({"key": "lemma_POS"}, "simplemma", "needs tags, and the chain has the lemmatizer 'simplemma'"),
        ({"key": "word_POS"}, "untagged", "needs tags, and the chain has the lemmatizer 'lookup'"),
    ],
)
def test_matcher_keys_require_lemmas_and_tags(plane_vectors, tmp_path, options, lemmatizer, message):
    """Without the lemmas or tags of the key, words would not have vectors, so a missing lemmatizer is an error."""
    (tmp_path / "lemmas.tsv").write_text("dogs\t\tdog\n")
    lemmatizer_entry = (
        {"use": "lookup", "file": str(tmp_path / "lemmas.tsv")} if lemmatizer == "untagged" else lemmatizer
    )
    chain = {"matchers": ["exact", {"use": "vector", "file": str(plane_vectors), **options}]}
    with pytest.raises(ConfigError, match=f"matcher 'vector' {message}"):
        Meteor("en", **chain, lemmatizer=lemmatizer_entry)
    (tmp_path / "lemmas.tsv").write_text("dogs\tNOUN\tdog\n")
    Meteor("en", **chain, lemmatizer={"use": "lookup", "file": str(tmp_path / "lemmas.tsv")})
