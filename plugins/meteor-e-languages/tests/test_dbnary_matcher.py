"""Tests of the matcher ``dbnary`` with synset files and packs."""

from __future__ import annotations

import pytest
from meteor_e_languages.dbnary.matcher import DbnaryMatcher

from meteor_e import ConfigError, MatcherContext, Meteor, ResourceError, Token
from meteor_e.languages.files import builtin_language
from meteor_e.packs.build import build_pack
from meteor_e.packs.resources import LanguageResources
from meteor_e.packs.store import PackStore
from meteor_e.testing import check_matcher

SYNSETS = "voiture\n1 2\nauto\n2 1\nconduire\n3 4\npiloter\n4 3\npomme_de_terre\n5 6\npatate\n6 5\nisolé\n7\n"


@pytest.fixture
def synsets(tmp_path):
    """Return the path of a file with French synsets."""
    path = tmp_path / "french.synsets"
    path.write_text(SYNSETS, encoding="utf-8")
    return path


def test_matcher_passes_interface_checks(synsets):
    tokens = [Token("voiture"), Token("autos", "auto"), Token("conduit", "conduire"), Token("pilote", "piloter")]
    french = MatcherContext(builtin_language("fr"), LanguageResources())
    check_matcher(DbnaryMatcher, tokens=tokens, context=french, file=synsets)


def test_keys_are_the_synsets_of_word_and_lemma(synsets):
    matcher = DbnaryMatcher(DbnaryMatcher.Options(file=str(synsets)))
    assert matcher.keys(Token("voiture")) == {1, 2}
    assert matcher.keys(Token("voiture", "conduire")) == {1, 2, 3, 4}
    # An inflected form is unknown without a lemma, because there are no suffix rules.
    assert matcher.keys(Token("voitures")) == set()
    assert matcher.keys(Token("pomme_de_terre")) == {5, 6}


def test_matcher_rejects_synsets_of_another_language(synsets, tmp_path):
    """METEOR-E names its synset files after their language. For other files, the option ``language`` sets it."""

    def make_matcher(code, file=synsets, **options):
        return Meteor(code, matchers=["exact", {"use": "dbnary", "file": str(file), **options}])

    with pytest.raises(ConfigError, match=r"the synsets french\.synsets are of 'fr', and the chain is for 'no'"):
        make_matcher("no")
    make_matcher("other")
    make_matcher("no", language="no")
    renamed_synsets = synsets.rename(tmp_path / "mine.synsets")
    make_matcher("no", renamed_synsets)
    with pytest.raises(ConfigError, match=r"the synsets mine\.synsets are of 'fr', and the chain is for 'no'"):
        make_matcher("no", renamed_synsets, language="fr")
    with pytest.raises(ConfigError, match="can only be used with 'file'"):
        DbnaryMatcher(DbnaryMatcher.Options(pack="dbnary-fr", language="fr"))


def test_matcher_matches_inflected_words_with_lemmas(synsets, tmp_path):
    lemmas = tmp_path / "lemmas.tsv"
    lemmas.write_text("conduisait\tVERB\tconduire\npilotait\tVERB\tpiloter\nautos\tNOUN\tauto\n", encoding="utf-8")
    matchers = ["exact", {"use": "dbnary", "file": str(synsets), "weight": 0.8}]
    meteor = Meteor("other", matchers=matchers, lemmatizer={"use": "lookup", "file": str(lemmas)})
    result = meteor.score("il conduisait des autos", ["il pilotait une voiture"])
    assert result.alignment.pairs() == [
        ("il", "il", "exact"),
        ("conduisait", "pilotait", "dbnary"),
        ("autos", "voiture", "dbnary"),
    ]
    assert f"dbnary=0.8({synsets.name}@" in result.signature


def test_matcher_uses_the_pack_of_the_language_by_default(synsets, store):
    build_pack(store / "dbnary-other", language="other", synonyms=synsets)
    meteor = Meteor("other", matchers=["exact", "dbnary"])
    assert meteor.score("auto", ["voiture"]).alignment.pairs() == [("auto", "voiture", "dbnary")]
    assert f"dbnary=0.8(dbnary-other@{PackStore().get('dbnary-other').digest})" in meteor.signature


def test_matcher_reports_missing_pack(store):
    with pytest.raises(ResourceError, match="build it with `meteor-e dbnary install other`"):
        Meteor("other", matchers=["exact", "dbnary"])
    meteor_without_synonyms = Meteor("other", matchers=["exact", {"use": "dbnary", "optional": True}])
    assert "(none)" in meteor_without_synonyms.signature
    assert meteor_without_synonyms.score("auto", ["voiture"]).score == 0
    build_pack(store / "dbnary-other", language="other")
    with pytest.raises(ResourceError, match="does not contain synonyms"):
        Meteor("other", matchers=["exact", "dbnary"])
