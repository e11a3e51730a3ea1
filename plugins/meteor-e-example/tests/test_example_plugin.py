"""The plugin as meteor_e sees it, once it is installed."""

from __future__ import annotations

import meteor_e_example.plugin
import pytest

from meteor_e import Meteor
from meteor_e.plugins.registry import plugin_registry
from meteor_e.testing import check_plugin


def test_plugin_conforms():
    check_plugin(meteor_e_example.plugin)


def test_plugin_is_installed():
    found = {
        (entry.kind, entry.name) for entry in plugin_registry().entries() if entry.distribution == "meteor-e-example"
    }
    assert found == {
        ("matcher", "abbreviations"),
        ("matcher", "compounds"),
        ("matcher", "ngrams"),
        ("matcher", "same-lemma"),
        ("matcher", "soundex"),
        ("lemmatizer", "contractions"),
        ("feature", "length-ratio"),
        ("language", "co"),
        ("chain", "example-co"),
        ("command", "plugins new"),
    }


def test_a_chain_with_every_family():
    meteor = Meteor(
        "other",
        matchers=[
            {"use": "exact", "weight": 1.0},
            {"use": "compounds", "weight": 0.8},
            {"use": "same-lemma", "weight": 0.9},
            {"use": "soundex", "weight": 0.3},
            {"use": "ngrams", "weight": 0.5, "threshold": 0.75},
        ],
        lemmatizer="contractions",
    )
    scored = meteor.score(
        "mr smyth will not open the data base of colours",
        ["mr smith won 't open the database of a colour"],
    )
    assert scored.alignment.pairs() == [
        ("mr", "mr", "exact"),
        ("smyth", "smith", "soundex"),
        ("will", "won", "same-lemma"),
        ("not", "'t", "same-lemma"),
        ("open", "open", "exact"),
        ("the", "the", "exact"),
        ("data base", "database", "compounds"),
        ("of", "of", "exact"),
        ("colours", "colour", "ngrams"),
    ]
    assert sum(share.score for share in scored.contributions()) == pytest.approx(scored.score)
    assert "plugins:meteor-e-example@" in scored.signature
    assert "ngrams=0.5(threshold=0.75 size=3 dimensions=1024)" in scored.signature


def test_the_language_and_its_chain():
    meteor = Meteor.from_config("example-co")
    scored = meteor.score("l'aparcament de l'ajuntament", ["els aparcaments de l'ajuntament"])
    assert ("aparcament", "aparcaments", "ngrams") in scored.alignment.pairs()
    assert Meteor("cos").chain.language.name == "Corsican"
    assert meteor.score("un para-sol", ["un parasol"]).alignment.pairs()[1] == ("para sol", "parasol", "compounds")
