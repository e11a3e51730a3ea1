"""Extraction from Turtle dumps, and METEOR-E's synset files as packs."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from dbnary_data import APPROXIMATE, EXPECTED, EXPECTED_LEMON, LEMON, ONTOLEX, PREFIXES, plain_pairs, random_dictionary
from dbnary_server import Server, oxigraph
from meteor_e_languages.dbnary import dump
from meteor_e_languages.dbnary.extraction import extract_from_dumps, extract_from_endpoint, pack_synset_file
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, SYNONYM, find_edition, synset_word, word_maker
from meteor_e_languages.dbnary.synsets import load_pack

from meteor_e import ConfigError, InputError, Meteor, ResourceError
from meteor_e.cli.program import cli
from meteor_e.languages.files import builtin_language
from meteor_e.packs.store import PackStore

FRENCH = builtin_language("fr")


def dumped(folder, *turtles, kinds=(SYNONYM,), name="dump.ttl", pack=bytes):
    """Return the pairs that dumps give."""
    harvest = Harvest(folder / "work", {"dump": len(turtles)})
    for number, turtle in enumerate(turtles):
        path = folder / f"{number}-{name}"
        path.write_bytes(pack(turtle.encode()))
        dump.extract(harvest, path, find_edition(FRENCH), kinds)
    harvest.derive_words()
    found = set(harvest.pairs())
    harvest.remove()
    return found


@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, EXPECTED), (LEMON, EXPECTED_LEMON)])
def test_both_models(tmp_path, turtle, expected):
    assert dumped(tmp_path, turtle) == expected


def test_approximate_synonyms_by_option(tmp_path):
    assert dumped(tmp_path, ONTOLEX, kinds=(SYNONYM, APPROXIMATE_SYNONYM)) == EXPECTED | APPROXIMATE


@pytest.mark.parametrize("seed", range(5))
def test_random_dictionaries(tmp_path, seed):
    turtle = random_dictionary(seed, 150)
    assert dumped(tmp_path, turtle) == plain_pairs(turtle)


def test_parts_of_an_edition(tmp_path):
    """Nodes and relations may lie in different files."""
    lines = random_dictionary(6, 100).removeprefix(PREFIXES).splitlines()
    parts = [PREFIXES + "\n".join(lines[start::3]) for start in range(3)]
    assert dumped(tmp_path, *parts) == plain_pairs("\n".join([PREFIXES, *lines]))


def test_blank_nodes_of_two_dumps_with_one_name(tmp_path):
    one, other = (
        f"""{PREFIXES}
fra:{word}__1 lime:language "fr" ; ontolex:canonicalForm _:form ; dbnary:synonym fra:{synonym}__1 .
_:form ontolex:writtenRep "{word}" .
"""
        for word, synonym in (("auto", "voiture"), ("voiture", "auto"))
    )
    assert dumped(tmp_path, one, other) == {("auto", "voiture"), ("voiture", "auto")}


def two_streams(data):
    """bzip2 as parallel programs write it: several streams, one after the other."""
    return bz2.compress(data[: len(data) // 2]) + bz2.compress(data[len(data) // 2 :])


@pytest.mark.parametrize("pack", [bz2.compress, two_streams, gzip.compress, lzma.compress])
def test_packed_dumps(tmp_path, pack):
    assert dumped(tmp_path, ONTOLEX, pack=pack) == EXPECTED


def test_n_triples(tmp_path):
    import rdflib

    graph = rdflib.Graph()
    graph.parse(data=ONTOLEX, format="turtle")
    assert dumped(tmp_path, graph.serialize(format="nt"), name="dump.nt.gz", pack=gzip.compress) == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ONTOLEX.encode() + b"fra:a fra:b", r"dump\.ttl:37: no valid Turtle: .*Unexpected end"),
        (b"<html>", r"dump\.ttl:1: no valid Turtle"),
        (bz2.compress(ONTOLEX.encode())[:-20], "damaged or cut short"),
        (gzip.compress(ONTOLEX.encode(), mtime=0)[:-20], "damaged or cut short"),
        (b"BZh9" + bytes(100), "dump.ttl"),
        (PREFIXES.encode() + 'fra:a dbnary:synonym "é'.encode("latin-1"), "no valid Turtle"),
    ],
)
def test_damaged_dumps_leave_nothing(tmp_path, store, content, message):
    path = tmp_path / "dump.ttl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        extract_from_dumps(FRENCH, [path])
    assert [found.name for found in store.iterdir() if not found.name.endswith(".lock")] == []


def test_dumps_without_synonyms(tmp_path, store):
    path = tmp_path / "dump.ttl"
    path.write_text(ONTOLEX, encoding="utf-8")
    with pytest.raises(ResourceError, match="there are no synonyms of German"):
        extract_from_dumps(builtin_language("de"), [path])
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.ttl"):
        extract_from_dumps(FRENCH, [tmp_path / "nowhere.ttl"])


def test_dump_and_endpoint_make_the_same_pack(tmp_path, store):
    turtle = random_dictionary(7, 100)
    path = tmp_path / "fr_dbnary_ontolex_20240120.ttl.bz2"
    path.write_bytes(bz2.compress(turtle.encode()))
    from_dump = extract_from_dumps(FRENCH, [path], approximate=True)
    with Server(oxigraph(turtle)).running() as server:
        from_endpoint = extract_from_endpoint(FRENCH, server.url, approximate=True, name="other")
    assert from_dump.pack.digest == from_endpoint.pack.digest
    assert from_dump.pairs == from_endpoint.pairs == len(set(_different(turtle)))
    assert from_dump.pack.version == "20240120"
    assert from_dump.pack.manifest.sources[0].name == path.name


def _different(turtle):
    for word, synonym in plain_pairs(turtle, "synonym", "approximateSynonym"):
        if word != synonym:
            yield word, synonym


def test_the_command_and_the_matcher(tmp_path, store, packs_of_french):
    path = tmp_path / "dump.ttl"
    path.write_text(ONTOLEX, encoding="utf-8")
    command = [sys.executable, "-W", "error", "-m", "meteor_e", "dbnary", "extract", "-l", "fr", "--dump", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"made dbnary-fr (7 words, 6 pairs of synonyms) in {store / 'dbnary-fr'}\n"
    meteor = Meteor("fr", matchers=["exact", "dbnary"])
    assert meteor.score("une Auto", ["une voiture"]).alignment.pairs() == [
        ("une", "une", "exact"),
        ("auto", "voiture", "dbnary"),
    ]


@pytest.fixture
def packs_of_french(store):
    """A pack of French, and one of English for its function words, in the store."""
    from meteor_e.packs.build import build_pack

    for name in ("fr", "en"):
        words = store.parent / "function.words"
        words.write_text("une\n", encoding="utf-8")
        build_pack(store / name, language=name, function_words=words)


def test_a_synset_file_becomes_a_pack_as_it_is(tmp_path, store):
    path = tmp_path / "french.synsets.gz"
    path.write_bytes(gzip.compress(b"voiture\n1 00000002\nauto\n00000002\n"))
    pack = pack_synset_file(FRENCH, path).pack
    assert (pack.name, pack.synonyms.synsets("voiture"), pack.synonyms.synsets("auto")) == ("dbnary-fr", (1, 2), (2,))
    assert pack.manifest.sources[0].name == path.name
    with pytest.raises(ResourceError, match="no name for a pack"):
        pack_synset_file(FRENCH, path, name="../x")


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
def test_words_of_the_dictionary_are_as_in_texts(code, text, word):
    language = builtin_language(code)
    assert synset_word(text, word_maker(language)) == word


def test_editions():
    assert find_edition(FRENCH).namespace == "http://kaiko.getalp.org/dbnary/fra/"
    assert find_edition(builtin_language("cs"), "ces").codes == ("cs", "ces")
    with pytest.raises(ConfigError, match="no code of an edition"):
        find_edition(FRENCH, "fra/> ")


@pytest.mark.shared
def test_the_sample_entry_of_dbnary(shared, tmp_path):
    """The entry that is shared has no synonyms; give it one."""
    sample = (shared / "data/dbnary/sample-entry.ttl").read_text(encoding="utf-8")
    added = """
fra:__cf_mûre__nom__1 ontolex:writtenRep "mûre"@fr .
fra:__ws_2_mûre__nom__1 dbnary:synonym fra:mûron .
fra:mûron dbnary:describes fra:mûron__nom__1 .
fra:mûron__nom__1 dcterms:language lexvo:fra ; ontolex:canonicalForm [ ontolex:writtenRep "mûron"@fr ] .
"""
    assert dumped(tmp_path, sample + added) == {("mûre", "mûron")}


class TestInstall:
    """One command: the dump is downloaded, or named."""

    @pytest.fixture(autouse=True)
    def own_store(self, tmp_path, monkeypatch):
        monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))

    def run(self, *arguments):
        return CliRunner().invoke(cli, ["dbnary", "install", *arguments])

    def test_a_dump_that_is_there(self, tmp_path):
        path = tmp_path / "fr_dbnary_ontolex.ttl.bz2"
        path.write_bytes(bz2.compress(ONTOLEX.encode()))
        done = self.run("fr", "--dump", str(path))
        assert done.exit_code == 0, done.output
        assert "made dbnary-fr" in done.output
        with pytest.raises(ConfigError, match="the pack 'dbnary-fr' is of 'fr', and the chain is for 'other'"):
            Meteor("other", matchers=["exact", {"use": "dbnary", "pack": "dbnary-fr"}])

    def test_it_is_downloaded(self, monkeypatch):
        asked = []

        def download(url, folder, progress):
            asked.append(url)
            path = folder / "fr_dbnary_ontolex.ttl.bz2"
            path.write_bytes(bz2.compress(ONTOLEX.encode()))
            return path

        monkeypatch.setattr("meteor_e_languages.dbnary.extraction.download_url", download)
        assert self.run("fr").exit_code == 0
        assert asked == ["http://kaiko.getalp.org/static/ontolex/latest/fr_dbnary_ontolex.ttl.bz2"]

    def test_a_server_that_fails_is_an_error_that_names_the_option(self):
        error = str(self.run("fr", "--url", "http://127.0.0.1:9/fr_dbnary_ontolex.ttl.bz2").exception)
        assert "meteor-e dbnary install fr --dump FILE" in error
        assert "no edition of 'hi'" in str(self.run("hi").exception)

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            ("missing", "HTTP Error 404"),
            ("cut", "the connection ended after 100 of"),
            ("cut chunk", "IncompleteRead"),
            ("slow", "timed out"),
            ("page", "is no dump"),
            ("garbage", "is no dump"),
        ],
    )
    def test_a_server_that_fails(self, fault, said, tmp_path, monkeypatch, dump_server):
        """Whatever goes wrong, the error is one line that names --dump, and no pack is there."""
        monkeypatch.setattr("meteor_e.packs.download.TIMEOUT", 0.2)
        error = self.run("fr", "--url", f"{dump_server}/{fault.replace(' ', '-')}/fr_dbnary_ontolex.ttl.bz2").exception
        assert isinstance(error, ResourceError)
        assert said in str(error)
        assert "meteor-e dbnary install fr --dump FILE" in str(error)
        assert "\n" not in str(error)
        assert [path for path in PackStore().root.iterdir() if path.suffix != ".lock"] == []

    def test_a_server_that_answers(self, dump_server):
        done = self.run("fr", "--url", f"{dump_server}/good/fr_dbnary_ontolex.ttl.bz2")
        assert done.exit_code == 0, done.output
        assert load_pack("dbnary-fr") is not None


class Dumps(BaseHTTPRequestHandler):
    """Serves a dump, or fails as the first part of the path says."""

    def do_GET(self):
        what = self.path.split("/")[1]
        dump = bz2.compress(ONTOLEX.encode())
        bodies = {"page": b"<html><body>Sign in</body></html>", "garbage": b"BZh9" + bytes(range(256)) * 4}
        body = bodies.get(what, dump)
        if what == "slow":
            time.sleep(1)
            return
        self.send_response(404 if what == "missing" else 200)
        if what == "cut-chunk":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n" % len(body) + body[:100])
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:100] if what == "cut" else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def dump_server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Dumps) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
