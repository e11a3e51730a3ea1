"""Packs with the synonyms of a wordnet, and the resources in the definitions of languages."""

from __future__ import annotations

import gzip
import zipfile

import pytest
from click.testing import CliRunner
from meteor_e_languages.install import WORDNETS
from meteor_e_languages.lemmatizers.simplemma_tables import list_languages, simplemma_code

from meteor_e import Meteor, ResourceError
from meteor_e.chains.chain import find_language
from meteor_e.cli.program import cli
from meteor_e.plugins.registry import plugin_registry

TAB = "# IceWordNet\tisl\thttp://example.org\tCC BY 3.0\n"
TAB += "00000001-n\tisl:lemma\thús\n00000001-n\tisl:lemma\tbygging\n00000001-n\tisl:def\t0\thús er hús\n"
TAB += "00000002-n\tisl:lemma\tstórt hús\n00000002-n\tisl:lemma\thöll\n"


@pytest.fixture
def packs(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    return tmp_path


def install(*arguments):
    return CliRunner().invoke(cli, ["pack", "install", *map(str, arguments)])


@pytest.mark.parametrize("name", ["omw.zip", "wn-data-isl.tab", "wn-data-isl.tab.gz"])
def test_wordnet_is_installed_as_synonyms(packs, name):
    source = packs / name
    if name.endswith("zip"):  # like nltk's omw-1.4.zip
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("omw-1.4/isl/wn-data-isl.tab", TAB)
            archive.writestr("omw-1.4/fin/wn-data-fin.tab", TAB.replace("hús", "talo"))
    else:
        source.write_bytes(gzip.compress(TAB.encode()) if name.endswith("gz") else TAB.encode())
    result = install("is", "--from", source)
    assert result.exit_code == 0, result.output
    assert "is-omw (2 words with synonyms); license: CC BY 3.0" in result.output
    meteor = Meteor("is", pack="is-omw", matchers=["exact", "synonym"])
    assert len(meteor.align("bygging", "hús").matches) == 1
    assert not meteor.align("höll", "hús").matches


@pytest.mark.parametrize(
    ("language", "arguments", "content", "message"),
    [
        ("is", [], b"another archive", "SHA-256"),
        ("is", ["--from", "omw.zip"], b"PK\x05\x06" + bytes(18), "no file wn-data-isl.tab"),
        ("is", ["--from", "omw.zip"], b"\x1f\x8bdamaged", "cannot read"),
        ("is", ["--from", "omw.zip"], b"no table", "no synonyms"),
        ("af", [], b"", "there is no pack to install for 'af'"),
    ],
)
def test_unusable_wordnets_are_refused(packs, monkeypatch, language, arguments, content, message):
    def download(url, folder, progress):
        (folder / "omw-1.4.zip").write_bytes(content)
        return folder / "omw-1.4.zip"

    monkeypatch.setattr("meteor_e_languages.install.download_url", download)
    monkeypatch.chdir(packs)
    (packs / "omw.zip").write_bytes(content)
    result = install(language, *arguments)
    assert isinstance(result.exception, ResourceError), result.output
    assert message in str(result.exception)


def test_definitions_name_the_available_resources():
    dbnary = pytest.importorskip("meteor_e_languages.dbnary.model")
    for name in plugin_registry().languages.names():
        language = find_language(name)
        expected_resources = {"omw"} if language.code in {*WORDNETS, "es", "fr"} else set()
        expected_resources |= {"dbnary"} if language.code in dbnary.EDITIONS else set()
        expected_resources |= {"simplemma"} if simplemma_code(language.code) in list_languages() else set()
        if language.code not in ("other", "se"):
            assert set(language.resources) == expected_resources, language.code
