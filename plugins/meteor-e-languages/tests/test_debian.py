"""Packs of thesauri and dictionaries, from folders."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from meteor_e_languages.debian import Affixes

from meteor_e import Meteor, ResourceError
from meteor_e.toolkit import cli

AFFIXES = """SET UTF-8
SFX A Y 1
SFX A 0 s [^s]
PFX B Y 1
PFX B 0 un .
"""


@pytest.fixture
def packs(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    return tmp_path


def install(*arguments):
    result = CliRunner().invoke(cli, ["pack", "install", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_affixes():
    assert set(Affixes(AFFIXES).forms("lock", "AB")) == {"lock", "locks", "unlock", "unlocks"}
    assert set(Affixes(AFFIXES).forms("lass", "A")) == {"lass"}


def test_a_dictionary_becomes_lemmas(packs):
    (packs / "af.aff").write_text(AFFIXES, encoding="utf-8")
    (packs / "af.dic").write_text("2\nhuis/A\nboom/A\n", encoding="utf-8")
    with pytest.raises(ResourceError, match="meteor-e pack install af --with hunspell"):
        Meteor("af", task="all")
    install("af", "--with", "hunspell", "--from", str(packs))
    meteor = Meteor("af", task="all")
    assert meteor.score("die booms", "die boom").score > Meteor("af").score("die booms", "die boom").score
    assert "af-hunspell@" in meteor.signature


def test_a_thesaurus_becomes_synonyms(packs):
    text = "UTF-8\nhús|1\n(noun)|bygging|stórt hús|hreysi (antonym)\n"
    (packs / "th_is.dat").write_text(text, encoding="utf-8")
    assert "2 words with synonyms" in install("is", "--with", "mythes", "--from", str(packs))
    meteor = Meteor("is", pack="is-mythes", matchers=["exact", "synonym"])
    assert len(meteor.align("bygging", "hús").matches) == 1
    assert not meteor.align("hreysi", "hús").matches


def test_offline_nothing_is_downloaded(packs):
    result = CliRunner().invoke(cli, ["pack", "install", "is", "--with", "mythes", "--offline"])
    assert "offline" in str(result.exception)
