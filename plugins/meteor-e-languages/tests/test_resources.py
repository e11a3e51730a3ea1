"""Packs of thesauri, wordnets, dictionaries and frequent words, from folders and archives."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile

import pytest
from click.testing import CliRunner
from meteor_e_languages.affixes import Dictionary
from meteor_e_languages.install import installable
from meteor_e_languages.lemmatizers.simplemma_tables import known_languages, simplemma_code

from meteor_e import Meteor, ResourceError
from meteor_e.chains.lookup import find_language
from meteor_e.cli.program import cli
from meteor_e.packs.store import PackStore
from meteor_e.plugins.registry import plugin_registry

AFFIXES = """SET UTF-8
SFX A Y 1
SFX A 0 s [^s]
SFX C N 1
SFX C y ies [^aeiou]y
PFX B Y 1
PFX B 0 un .
"""
TAB = "# IceWordNet\tisl\thttp://example.org\tCC BY 3.0\n"
TAB += "00000001-n\tisl:lemma\thús\n00000001-n\tisl:lemma\tbygging\n00000001-n\tisl:def\t0\thús er hús\n"
TAB += "00000002-n\tisl:lemma\tstórt hús\n00000002-n\tisl:lemma\thöll\n"
LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
  <Lexicon id="omw-is" label="IceWordNet" language="is" license="wordnet" version="1.4">
    <LexicalEntry id="a"><Lemma writtenForm="hús" partOfSpeech="n"/><Sense id="a-1" synset="s1"/></LexicalEntry>
    <LexicalEntry id="b"><Lemma writtenForm="bygging" partOfSpeech="n"/><Sense id="b-1" synset="s1"/></LexicalEntry>
    <Synset id="s1" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""


@pytest.fixture
def packs(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    return tmp_path


def install(*arguments):
    result = CliRunner().invoke(cli, ["pack", "install", *arguments])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def refused(*arguments):
    result = CliRunner().invoke(cli, ["pack", "install", *arguments])
    assert isinstance(result.exception, ResourceError), result.output
    return str(result.exception)


def test_affixes():
    words = Dictionary(AFFIXES, "4\nlock/AB\nlass/A\nstory/C\nunlock\n")
    assert [words.base(word) for word in ("lock", "locks", "unlock", "unlocks")] == ["lock"] * 4
    assert words.base("stories") == "story"
    assert [words.base(word) for word in ("lasss", "storys", "unlass", "key")] == [None] * 4


@pytest.mark.parametrize(
    ("mode", "flags"), [("FLAG long\n", "AaBb"), ("FLAG num\n", "1,2"), ("AF 2\nAF AB\nAF A\n", "1")]
)
def test_flags_of_all_kinds(mode, flags):
    text = AFFIXES
    for letter, name in (("A", "Aa" if "long" in mode else "1"), ("B", "Bb" if "long" in mode else "2")):
        text = text.replace(f"FX {letter} ", f"FX {name if 'FLAG' in mode else letter} ")
    assert Dictionary(mode + text, f"1\nlock/{flags}\n").base("unlocks") == "lock"


def test_conditions_are_no_regular_expressions():
    words = Dictionary("SFX A Y 1\nSFX A 0 s (a+)+$\n", "1\naaaa/A\n")
    assert words.base("a" * 200 + "s") is None


def test_a_dictionary_becomes_lemmas(packs):
    (packs / "af.aff").write_text(AFFIXES, encoding="utf-8")
    (packs / "af.dic").write_text("2\nhuis/A\nboom/A\n", encoding="utf-8")
    with pytest.raises(ResourceError, match="meteor-e pack install af --with hunspell"):
        Meteor("af", task="all")
    install("af", "--with", "hunspell", "--from", str(packs))
    meteor = Meteor("af", task="all")
    assert meteor.score("die booms", "die boom").score > Meteor("af").score("die booms", "die boom").score
    assert "af-hunspell@" in meteor.signature


def test_a_dictionary_without_affixes_is_refused(packs):
    (packs / "af.aff").write_text("SET UTF-8\n", encoding="utf-8")
    (packs / "af.dic").write_text("1\nhuis\n", encoding="utf-8")
    assert "no affixes" in refused("af", "--with", "hunspell", "--from", str(packs))


def test_a_thesaurus_becomes_synonyms(packs):
    text = "UTF-8\nhús|1\n(noun)|bygging|stórt hús|hreysi (antonym)\n"
    (packs / "thes_is.dat").write_text(text, encoding="utf-8")
    assert "2 words with synonyms" in install("is", "--with", "mythes", "--from", str(packs))
    meteor = Meteor("is", pack="is-mythes", matchers=["exact", "synonym"])
    assert len(meteor.align("bygging", "hús").matches) == 1
    assert not meteor.align("hreysi", "hús").matches


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_wordnet_becomes_synonyms(packs, kind):
    source = packs / f"omw.{kind}"
    if kind == "zip":  # as nltk's omw-1.4.zip
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("omw-1.4/isl/wn-data-isl.tab", TAB)
            archive.writestr("omw-1.4/fin/wn-data-fin.tab", TAB.replace("hús", "talo"))
        licence = "CC BY 3.0"
    else:  # as omw-is-1.4.tar.xz
        with tarfile.open(source, "w:xz") as archive:
            member = tarfile.TarInfo("omw-is/omw-is.xml")
            member.size = len(LMF.encode())
            archive.addfile(member, io.BytesIO(LMF.encode()))
        licence = "WordNet license"
    output = install("is", "--with", "omw", "--from", str(source))
    assert "2 words with synonyms" in output
    assert licence in output
    meteor = Meteor("is", pack="is-omw", matchers=["exact", "synonym"])
    assert len(meteor.align("bygging", "hús").matches) == 1
    assert not meteor.align("höll", "hús").matches


def test_what_is_downloaded_must_have_its_digest(packs, monkeypatch):
    def download(url, folder, progress):
        assert url.endswith("/omw-1.4.zip")
        (folder / "omw-1.4.zip").write_bytes(b"something else")
        return folder / "omw-1.4.zip"

    monkeypatch.setattr("meteor_e_languages.install.download_url", download)
    assert "SHA-256" in refused("is", "--with", "omw")
    assert "no omw is known for 'ru'" in refused("ru", "--with", "omw")


def test_a_folder_of_packages(packs, monkeypatch):
    """A folder with the package that is known by name: it is read, and must have its digest."""
    folder = packs / "debs"
    folder.mkdir()
    with zipfile.ZipFile(folder / "mythes-sl_1.deb", "w") as archive:
        archive.writestr("th_sl_SI_v2.dat", "UTF-8\nhiša|1\n-|dom\n")
    (folder / "other.deb").write_bytes(b"another package")
    entry = {"package": "mythes-sl", "version": "1", "path": "pool/mythes-sl_1.deb"}
    digest = hashlib.sha256((folder / "mythes-sl_1.deb").read_bytes()).hexdigest()
    for known, expected in ((digest, "1.0"), ("0" * 64, "")):
        found = {"mythes": {"sl": {**entry, "version": "1.0", "sha256": known}}}
        monkeypatch.setattr("meteor_e_languages.install._known", lambda found=found: found)
        arguments = ("sl", "--with", "mythes", "--from", str(folder), "--offline")
        if expected:
            assert "2 words" in install(*arguments)
            assert PackStore().find("sl-mythes").manifest.version == expected
        else:
            assert "SHA-256" in refused(*arguments)


def test_an_archive_that_is_damaged(packs):
    (packs / "a.deb").write_bytes(b"!<arch>\nnothing")
    (packs / "a.zip").write_bytes(b"nothing at all")
    assert "data.tar" in refused("is", "--with", "mythes", "--from", str(packs / "a.deb"))
    assert "can be read" in refused("is", "--with", "omw", "--from", str(packs / "a.zip"))
    (packs / "a.xml").write_text("<a>", encoding="utf-8")
    (packs / "th_is.dat").write_text("no-such-encoding\n", encoding="utf-8")
    assert "no XML" in refused("is", "--with", "omw", "--from", str(packs))
    assert "unknown encoding" in refused("is", "--with", "mythes", "--from", str(packs))


def test_frequent_words_are_function_words(packs):
    assert "CC-BY-SA-4.0" in install("is", "--with", "wordfreq")
    meteor = Meteor("is", pack="is-wordfreq", matchers=["exact"])
    # A match of a frequent word weighs less than one of a rare word.
    assert meteor.score("og", "og hestur").score < meteor.score("hestur", "og hestur").score
    assert "wordfreq has no list for 'sw'" in refused("sw", "--with", "wordfreq")


def test_offline_nothing_is_downloaded(packs):
    assert "offline" in refused("is", "--with", "mythes", "--offline")


def test_definitions_name_what_can_be_had():
    dbnary = pytest.importorskip("meteor_e_synonyms.dbnary.model")
    kinds = {kind: installable(kind) for kind in ("hunspell", "mythes", "omw", "wordfreq")}
    kinds["dbnary"] = frozenset(dbnary.EDITIONS)
    for name in plugin_registry().names("language"):
        language = find_language(name)
        known = {kind for kind, codes in kinds.items() if language.code in codes}
        if simplemma_code(language.code) in known_languages():
            known.add("simplemma")
        if language.code not in ("other", "se"):
            assert set(language.resources) == known, language.code
    assert all(find_language(code).resources for codes in kinds.values() for code in codes)
