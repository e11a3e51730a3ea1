"""The built-in matchers of single words: exact, stem, synonym."""

from __future__ import annotations

import pickle

import pytest

from meteor_e import Meteor
from meteor_e.api.matchers import Match
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.matchers.modules import ParaphraseMatcher, StemMatcher, SynonymMatcher
from meteor_e.packs.pack import Pack


def matched(matcher, hypothesis, reference):
    """Return the pairs of words that a matcher proposes."""
    one, other = list(map(Token, hypothesis.split())), list(map(Token, reference.split()))
    return [(one[m.hypothesis_start].form, other[m.reference_start].form) for m in matcher.match(one, other)]


def test_stems_of_different_words():
    matcher = StemMatcher("english")
    assert matched(matcher, "studies study", "studying study") == [
        ("studies", "studying"),
        ("study", "studying"),
        ("studies", "study"),
    ]
    assert matcher.describe() == "english"


def test_language_without_a_stemmer_is_reported():
    with pytest.raises(ConfigError, match="language 'other' has no stemmer"):
        Meteor("other", matchers=["exact", "stem"])
    assert Meteor("other", matchers=["exact", {"use": "stem", "stemmer": "english"}]).align("cats", "cat").matches


@pytest.fixture
def synonym(own_packs):
    synonyms = Pack(own_packs / "en").synonyms
    assert synonyms is not None
    return SynonymMatcher(synonyms)


@pytest.mark.parametrize(
    ("one", "other", "same"),
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
def test_synonyms_by_synset_exception_and_suffix(synonym, one, other, same):
    (a,), (b,) = list(map(Token, [one])), list(map(Token, [other]))
    assert [bool(list(synonym.match([x], [y]))) for x, y in ((a, b), (b, a))] == [same, same]


def test_synsets_of_words(synonym, own_packs):
    words = ["large", "churches", "men", "handsful", "", "Big", "hopping", "us", "\ud800", "𝄞s"]
    meteor = Meteor("en", pack=own_packs / "en", matchers=["stem", "synonym"])
    expected = [sorted(synonym.keys(token)) for token in list(map(Token, words))]
    assert any(expected)
    for engine in ("python", meteor.engine):
        meteor.engine = engine
        assert meteor.synsets(words) == expected
    assert Meteor("other", matchers=["exact"]).synsets(words[:2]) == [[], []]


def test_language_without_synonyms_is_reported():
    with pytest.raises(ResourceError, match="no synonyms are installed for language 'other'"):
        Meteor("other", matchers=["exact", "synonym"])
    optional = Meteor("other", matchers=["exact", {"use": "synonym", "optional": True}])
    assert "synonym=0.5(no synonyms)" in optional.signature
    assert (
        optional.score("big cats", ["large cats"]).score
        == Meteor("other", matchers=["exact"]).score("big cats", ["large cats"]).score
    )


def tokens(text):
    return list(map(Token, text.split()))


@pytest.fixture
def matcher(own_packs):
    return ParaphraseMatcher(Pack(own_packs / "en").paraphrases)


def test_phrases_of_the_pack_both_ways(matcher):
    assert list(matcher.match(tokens("at last"), tokens("in the end"))) == [Match(0, 0, 3, 2), Match(0, 0, 3, 2)]
    assert list(matcher.match(tokens("finally"), tokens("x in the end"))) == [Match(1, 0, 3, 1)]
    assert list(matcher.match(tokens("In the end"), tokens("finally"))) == []


def test_matcher_is_pickled_with_its_table(matcher):
    list(matcher.match(tokens("at last"), tokens("in the end")))
    copy = pickle.loads(pickle.dumps(matcher))
    assert list(copy.match(tokens("finally"), tokens("in the end"))) == [Match(0, 0, 3, 1)]


def test_signature_of_a_default_chain_reports_a_missing_table(own_packs):
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
