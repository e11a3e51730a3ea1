"""Tests of the extraction of synonyms from DBnary's dumps, and of the packs that are built from the synonyms."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest
from click.testing import CliRunner
from dbnary_data import (
    LEMON,
    LEMON_PAIRS,
    ONTOLEX,
    ONTOLEX_PAIRS,
    PREFIXES,
    collect_pairs_from_graph,
    random_dictionary,
)
from meteor_e_languages.dbnary import dump
from meteor_e_languages.dbnary.extraction import install_synsets
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import SYNONYM, find_edition, make_normalizer, normalize_word

from meteor_e import ConfigError, InputError, Meteor
from meteor_e.cli.program import cli
from meteor_e.languages.files import builtin_language

FRENCH = builtin_language("fr")


def extract_pairs(folder, *turtles, kinds=(SYNONYM,), name="dump.ttl", compress=bytes):
    """Write dumps, and return the pairs of synonyms that are extracted from them."""
    with Harvest(folder / "work") as harvest:
        for index, turtle in enumerate(turtles):
            path = folder / f"{index}-{name}"
            path.write_bytes(compress(turtle.encode()))
            dump.extract(harvest, path, find_edition(FRENCH), kinds)
        harvest.derive_words()
        return set(harvest.pairs())


@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, ONTOLEX_PAIRS), (LEMON, LEMON_PAIRS)])
def test_extract_reads_both_models(tmp_path, turtle, expected):
    assert extract_pairs(tmp_path, turtle) == expected


@pytest.mark.parametrize(
    ("serialization", "name"),
    [("xml", "dump.rdf"), ("pretty-xml", "dump.xml"), ("json-ld", "dump.jsonld"), ("nt", "dump.nt"), ("n3", "dump.n3")],
)
@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, ONTOLEX_PAIRS), (LEMON, LEMON_PAIRS)])
def test_extract_reads_all_serializations(tmp_path, turtle, expected, serialization, name):
    rdflib = pytest.importorskip("rdflib", reason="writes the dumps")
    text = rdflib.Graph().parse(data=turtle, format="turtle").serialize(format=serialization)
    compressed_folder = tmp_path / "packed"
    compressed_folder.mkdir()
    assert extract_pairs(tmp_path, text, name=name) == expected
    assert extract_pairs(compressed_folder, text, name=f"{name}.bz2", compress=bz2.compress) == expected


@pytest.mark.parametrize("seed", range(5))
def test_extract_finds_all_pairs_of_random_dictionaries(tmp_path, seed):
    turtle = random_dictionary(seed, 150)
    assert extract_pairs(tmp_path, turtle) == collect_pairs_from_graph(turtle)


def test_extract_combines_the_dumps_of_an_edition(tmp_path):
    """The nodes and relations of an edition can be in different files."""
    lines = random_dictionary(6, 100).removeprefix(PREFIXES).splitlines()
    parts = [PREFIXES + "\n".join(lines[start::3]) for start in range(3)]
    assert extract_pairs(tmp_path, *parts) == collect_pairs_from_graph("\n".join([PREFIXES, *lines]))


def test_extract_distinguishes_blank_nodes_of_different_dumps(tmp_path):
    first_dump, second_dump = (
        f"""{PREFIXES}
fra:{word}__1 lime:language "fr" ; ontolex:canonicalForm _:form ; dbnary:synonym fra:{synonym}__1 .
_:form ontolex:writtenRep "{word}" .
"""
        for word, synonym in (("auto", "voiture"), ("voiture", "auto"))
    )
    assert extract_pairs(tmp_path, first_dump, second_dump) == {("auto", "voiture"), ("voiture", "auto")}


def compress_in_two_streams(data):
    """Compress data into two consecutive bzip2 streams, as parallel implementations of bzip2 do."""
    return bz2.compress(data[: len(data) // 2]) + bz2.compress(data[len(data) // 2 :])


@pytest.mark.parametrize("compress", [bz2.compress, compress_in_two_streams, gzip.compress, lzma.compress])
def test_extract_reads_compressed_dumps(tmp_path, compress):
    assert extract_pairs(tmp_path, ONTOLEX, compress=compress) == ONTOLEX_PAIRS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ONTOLEX.encode() + b"fra:a fra:b", r"dump\.ttl:37: not valid Turtle: .*Unexpected end"),
        (b"<html>", r"dump\.ttl:1: not valid Turtle"),
        (bz2.compress(ONTOLEX.encode())[:-20], "damaged or cut short"),
        (gzip.compress(ONTOLEX.encode(), mtime=0)[:-20], "damaged or cut short"),
        (b"BZh9" + bytes(100), "dump.ttl"),
        (PREFIXES.encode() + 'fra:a dbnary:synonym "é'.encode("latin-1"), "not valid Turtle"),
    ],
)
def test_install_synsets_rejects_damaged_dumps(tmp_path, store, content, message):
    path = tmp_path / "dump.ttl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        install_synsets(FRENCH, [path])
    assert [path.name for path in store.iterdir() if not path.name.endswith(".lock")] == []


def test_install_synsets_records_source_and_version(tmp_path, store):
    path = tmp_path / "fr_dbnary_ontolex_20240120.ttl.bz2"
    path.write_bytes(bz2.compress(ONTOLEX.encode()))
    pack, pairs = install_synsets(FRENCH, [path], approximate=True)
    assert pairs > len(ONTOLEX_PAIRS) - 2
    assert pack.version == "20240120"
    assert pack.manifest.sources[0].name == path.name


@pytest.mark.parametrize(
    ("code", "text", "word"),
    [
        ("fr", "Pomme  de\nterre", "pomme_de_terre"),
        ("fr", "CHAT", "chat"),
        ("fr", "aujourd’hui", "aujourd’hui"),
        ("en", "o’clock", "o’clock"),
        ("de", "Straße", "straße"),
        ("ru", "Дом", "дом"),
        ("fr", " \n", ""),
        ("es", "a\u2028b", "a_b"),
    ],
)
def test_normalize_word_returns_the_form_of_tokens(code, text, word):
    language = builtin_language(code)
    assert normalize_word(text, make_normalizer(language)) == word


def run_install(*arguments):
    """Run ``meteor-e dbnary install``, and return its result."""
    return CliRunner().invoke(cli, ["dbnary", "install", *arguments])


@pytest.mark.usefixtures("store")
def test_install_command_accepts_local_dump(tmp_path):
    path = tmp_path / "fr_dbnary_ontolex_20240120.ttl.bz2"
    path.write_bytes(bz2.compress(ONTOLEX.encode()))
    result = run_install("fr", "--dump", str(path))
    assert "made dbnary-fr" in result.output
    with pytest.raises(ConfigError, match="the pack 'dbnary-fr' is of 'fr', and the chain is for 'other'"):
        Meteor("other", matchers=["exact", {"use": "dbnary", "pack": "dbnary-fr"}])


@pytest.mark.usefixtures("store")
def test_install_command_downloads_latest_dump(monkeypatch):
    requested_urls = []

    def download(url, folder, progress):
        requested_urls.append(url)
        path = folder / "fr_dbnary_ontolex.ttl.bz2"
        path.write_bytes(bz2.compress(ONTOLEX.encode()))
        return path

    monkeypatch.setattr("meteor_e_languages.dbnary.extraction.download_url", download)
    assert run_install("fr").exit_code == 0
    assert requested_urls == ["http://kaiko.getalp.org/static/ontolex/latest/fr_dbnary_ontolex.ttl.bz2"]


def test_install_command_suggests_dump_option_after_error(store, monkeypatch):
    monkeypatch.setattr("meteor_e_languages.dbnary.extraction.DUMP_URL", "http://127.0.0.1:9/{code}.ttl.bz2")
    assert "meteor-e dbnary install fr --dump FILE" in str(run_install("fr").exception)
    assert "no edition of 'hi'" in str(run_install("hi").exception)
