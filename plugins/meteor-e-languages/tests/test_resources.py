"""Tests of packs with the synonyms of a wordnet, and of the resources that language definitions name."""

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

WORDNET = "# IceWordNet\tisl\thttp://example.org\tCC BY 3.0\n"
WORDNET += "00000001-n\tisl:lemma\thús\n00000001-n\tisl:lemma\tbygging\n00000001-n\tisl:def\t0\thús er hús\n"
WORDNET += "00000002-n\tisl:lemma\tstórt hús\n00000002-n\tisl:lemma\thöll\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Use a temporary pack store, and return the folder that contains it."""
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    return tmp_path


def run_install(*arguments):
    """Run ``meteor-e pack install``, and return its result."""
    return CliRunner().invoke(cli, ["pack", "install", *map(str, arguments)])


@pytest.mark.parametrize("name", ["omw.zip", "wn-data-isl.tab", "wn-data-isl.tab.gz"])
def test_pack_install_converts_wordnet_to_synonyms(folder, name):
    source = folder / name
    if name.endswith("zip"):  # The archive has the layout of nltk's omw-1.4.zip.
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("omw-1.4/isl/wn-data-isl.tab", WORDNET)
            archive.writestr("omw-1.4/fin/wn-data-fin.tab", WORDNET.replace("hús", "talo"))
    else:
        source.write_bytes(gzip.compress(WORDNET.encode()) if name.endswith("gz") else WORDNET.encode())
    result = run_install("is", "--from", source)
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
def test_pack_install_rejects_unusable_wordnets(folder, monkeypatch, language, arguments, content, message):
    def download(url, target_folder, progress):
        (target_folder / "omw-1.4.zip").write_bytes(content)
        return target_folder / "omw-1.4.zip"

    monkeypatch.setattr("meteor_e_languages.install.download_url", download)
    monkeypatch.chdir(folder)
    (folder / "omw.zip").write_bytes(content)
    result = run_install(language, *arguments)
    assert isinstance(result.exception, ResourceError), result.output
    assert message in str(result.exception)


def test_language_definitions_name_all_available_resources():
    dbnary = pytest.importorskip("meteor_e_languages.dbnary.model")
    for name in plugin_registry().languages.names():
        language = find_language(name)
        expected_resources = {"omw"} if language.code in {*WORDNETS, "es", "fr"} else set()
        expected_resources |= {"dbnary"} if language.code in dbnary.EDITIONS else set()
        expected_resources |= {"simplemma"} if simplemma_code(language.code) in list_languages() else set()
        if language.code not in ("other", "se"):
            assert set(language.resources) == expected_resources, language.code
