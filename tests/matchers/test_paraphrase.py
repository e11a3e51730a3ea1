from __future__ import annotations

import pickle

import pytest

from meteor_e import Meteor
from meteor_e.api.matchers import Match
from meteor_e.api.tokens import plain_tokens
from meteor_e.base.errors import ResourceError
from meteor_e.matchers.modules import ParaphraseMatcher
from meteor_e.packs.pack import Pack


def tokens(text):
    return plain_tokens(text.split())


@pytest.fixture
def matcher(own_packs):
    return ParaphraseMatcher(Pack(own_packs / "en").paraphrases)


def test_phrases_of_the_pack_both_ways(matcher):
    assert list(matcher.match(tokens("at last"), tokens("in the end"))) == [Match(0, 0, 3, 2), Match(0, 0, 3, 2)]
    assert list(matcher.match(tokens("finally"), tokens("x in the end"))) == [Match(1, 0, 3, 1)]
    assert list(matcher.match(tokens("In the end"), tokens("finally"))) == []


def test_it_pickles_with_its_table(matcher):
    list(matcher.match(tokens("at last"), tokens("in the end")))
    copy = pickle.loads(pickle.dumps(matcher))
    assert list(copy.match(tokens("finally"), tokens("in the end"))) == [Match(0, 0, 3, 1)]


def test_a_default_chain_goes_without_a_table_and_the_signature_says_so(own_packs):
    meteor = Meteor("en", task="universal", pack=own_packs / "en")
    assert "no table" not in meteor.signature
    bare = Meteor("other", task="universal")
    assert bare.score("a b", "b a").score > 0
    assert "paraphrase=0.6(no table)" in bare.signature


def test_who_asks_for_it_needs_a_table():
    with pytest.raises(ResourceError, match="no paraphrase table is installed for language 'other'"):
        Meteor("other", matchers=["exact", "paraphrase"])
    optional = Meteor("other", matchers=["exact", {"use": "paraphrase", "optional": True}])
    assert optional.score("a", "a").score == 1.0
