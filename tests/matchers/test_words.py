"""Test the built-in matchers: exact, stem, synonym and paraphrase."""

from __future__ import annotations

import pickle

import pytest

from meteor_e import Meteor
from meteor_e.api.matchers import Match
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.matchers.modules import ParaphraseMatcher, StemMatcher, SynonymMatcher
from meteor_e.packs.pack import Pack


def make_tokens(text):
    """Return the words of a text as tokens."""
    return [Token(word) for word in text.split()]


def match_words(matcher, hypothesis, reference):
    """Return the pairs of words that a matcher proposes."""
    hypothesis_words, reference_words = hypothesis.split(), reference.split()
    return [
        (hypothesis_words[match.hypothesis_start], reference_words[match.reference_start])
        for match in matcher.match(make_tokens(hypothesis), make_tokens(reference))
    ]


def test_stem_matcher_matches_different_words_with_equal_stems():
    matcher = StemMatcher("english")
    assert match_words(matcher, "studies study", "studying study") == [
        ("studies", "studying"),
        ("study", "studying"),
        ("studies", "study"),
    ]
    assert matcher.describe() == "english"


def test_stem_matcher_needs_a_stemmer():
    with pytest.raises(ConfigError, match="language 'other' has no stemmer"):
        Meteor("other", matchers=["exact", "stem"])
    assert Meteor("other", matchers=["exact", {"use": "stem", "stemmer": "english"}]).align("cats", "cat").matches


@pytest.fixture
def synonym_matcher(own_packs):
    """Return a matcher with the synonyms of the small English pack."""
    synonyms = Pack(own_packs / "en").synonyms
    assert synonyms is not None
    return SynonymMatcher(synonyms)


@pytest.mark.parametrize(
    ("word", "synonym", "expected"),
    [
        ("big", "large", True),
        ("big", "big", False),
        ("large", "cold", False),
        ("huge", "cold", True),
        ("pals", "chum", True),
        ("carries", "51", False),
        ("hurries", "rushes", True),
        ("churches", "tombs", True),
        ("men", "boys", False),
        ("men", "girl", False),
        ("hoped", "hopping", False),
        ("cooler", "cold", True),
        ("fastest", "speedy", True),
        ("boss", "bos", False),
        ("glass", "mass", False),
        ("us", "we", True),
        ("gone", "hurry", False),
        ("ran", "travels", False),
        ("made", "works", True),
        ("leaves", "leaf", True),
        ("handful", "pocketful", True),
        ("handsful", "pocketful", False),
        ("axes", "hatchet", False),
        ("axes", "spin", True),
        ("Big", "large", False),
        ("", "large", False),
    ],
)
def test_synonym_matcher_uses_synsets_exceptions_and_suffixes(synonym_matcher, word, synonym, expected):
    matches = list(synonym_matcher.match([Token(word)], [Token(synonym)]))
    reverse_matches = list(synonym_matcher.match([Token(synonym)], [Token(word)]))
    assert [bool(matches), bool(reverse_matches)] == [expected, expected]


def test_synsets_returns_the_synset_ids_of_words(synonym_matcher, own_packs):
    words = ["large", "churches", "men", "handsful", "", "Big", "hopping", "us", "\ud800", "𝄞s"]
    meteor = Meteor("en", pack=own_packs / "en", matchers=["stem", "synonym"])
    expected = [sorted(synonym_matcher.keys(Token(word))) for word in words]
    assert any(expected)
    for engine in ("python", meteor.engine):
        meteor.engine = engine
        assert meteor.synsets(words) == expected
    assert Meteor("other", matchers=["exact"]).synsets(words[:2]) == [[], []]


def test_synonym_matcher_needs_synonyms():
    with pytest.raises(ResourceError, match="no synonyms are installed for language 'other'"):
        Meteor("other", matchers=["exact", "synonym"])
    optional = Meteor("other", matchers=["exact", {"use": "synonym", "optional": True}])
    assert "synonym=0.5(no synonyms)" in optional.signature
    exact = Meteor("other", matchers=["exact"])
    assert optional.score("big cats", ["large cats"]).score == exact.score("big cats", ["large cats"]).score


@pytest.fixture
def matcher(own_packs):
    """Return a matcher with the paraphrases of the small English pack."""
    return ParaphraseMatcher(Pack(own_packs / "en").paraphrases)


def test_paraphrase_matcher_matches_in_both_directions(matcher):
    assert list(matcher.match(make_tokens("at last"), make_tokens("in the end"))) == [
        Match(0, 0, 3, 2),
        Match(0, 0, 3, 2),
    ]
    assert list(matcher.match(make_tokens("finally"), make_tokens("x in the end"))) == [Match(1, 0, 3, 1)]
    assert list(matcher.match(make_tokens("In the end"), make_tokens("finally"))) == []


def test_paraphrase_matcher_is_pickled_with_its_table(matcher):
    list(matcher.match(make_tokens("at last"), make_tokens("in the end")))
    copy = pickle.loads(pickle.dumps(matcher))
    assert list(copy.match(make_tokens("finally"), make_tokens("in the end"))) == [Match(0, 0, 3, 1)]


def test_signature_reports_a_missing_paraphrase_table(own_packs):
    meteor = Meteor("en", task="universal", pack=own_packs / "en")
    assert "no table" not in meteor.signature
    bare = Meteor("other", task="universal")
    assert bare.score("a b", "b a").score > 0
    assert "paraphrase=0.6(no table)" in bare.signature


def test_paraphrase_matcher_needs_a_table():
    with pytest.raises(ResourceError, match="no paraphrases are installed for language 'other'"):
        Meteor("other", matchers=["exact", "paraphrase"])
    optional = Meteor("other", matchers=["exact", {"use": "paraphrase", "optional": True}])
    assert optional.score("a", "a").score == 1.0
