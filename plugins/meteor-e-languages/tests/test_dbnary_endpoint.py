"""Extraction of synonyms from a local SPARQL server, which can be made to fail."""

from __future__ import annotations

import json
import random
from contextlib import ExitStack

import pytest
from click.testing import CliRunner
from dbnary_data import EXPECTED, EXPECTED_LEMON, LEMON, ONTOLEX, plain_pairs, random_dictionary
from dbnary_server import Server, oxigraph
from meteor_e_languages.dbnary import endpoint
from meteor_e_languages.dbnary.extraction import install_synsets
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, SYNONYM, find_edition

from meteor_e import ConfigError, ResourceError
from meteor_e.cli.program import cli
from meteor_e.languages.files import builtin_language

FRENCH = builtin_language("fr")
FAULTS = ["500", "502", "503", "429", "reset", "cut", "broken off", "partial", "206", "page"]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(endpoint, "WAIT", 0.0)


@pytest.fixture
def serve():
    """Return a function that starts a server, which stops at the end of the test."""
    with ExitStack() as stack:
        yield lambda turtle: stack.enter_context(Server(oxigraph(turtle)).running())


def extract_pairs(server, folder, kinds=(SYNONYM,)):
    """Return the pairs of synonyms that are extracted from an endpoint."""
    (folder / "work").unlink(missing_ok=True)
    with Harvest(folder / "work") as harvest:
        endpoint.extract(harvest, server.url, find_edition(FRENCH), kinds)
        return set(harvest.pairs())


@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, EXPECTED), (LEMON, EXPECTED_LEMON)])
def test_data_of_both_models_is_read(serve, tmp_path, turtle, expected):
    assert plain_pairs(turtle) == expected
    assert extract_pairs(serve(turtle), tmp_path) == expected


@pytest.mark.parametrize(("page", "batch", "cap"), [(7, 5, None), (10_000, 50, 13), (5, 40, 3), (10_000, 1, 2)])
def test_pages_and_truncated_answers_lose_no_rows(serve, tmp_path, monkeypatch, page, batch, cap):
    monkeypatch.setattr(endpoint, "PAGE", page)
    monkeypatch.setattr(endpoint, "BATCH", batch)
    turtle = random_dictionary(1, 60)
    server = serve(turtle)
    server.cap = cap
    synonym_pairs = extract_pairs(server, tmp_path)
    assert synonym_pairs == plain_pairs(turtle)
    assert len(synonym_pairs) > 50


@pytest.mark.parametrize("fault", FAULTS)
def test_query_is_repeated_after_each_kind_of_fault(serve, tmp_path, fault):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: fault if number in (0, 2) else None
    assert extract_pairs(server, tmp_path) == EXPECTED
    assert len(server.queries) == 4


@pytest.mark.parametrize("seed", range(2))
def test_random_faults_lose_and_repeat_no_rows(serve, tmp_path, monkeypatch, seed):
    monkeypatch.setattr(endpoint, "PAGE", 50)
    monkeypatch.setattr(endpoint, "RETRIES", 30)
    turtle = random_dictionary(seed, 80)
    server = serve(turtle)
    generator = random.Random(seed)
    server.faults = lambda number, query: generator.choice(FAULTS) if generator.random() < 0.3 else None
    assert extract_pairs(server, tmp_path, (SYNONYM, APPROXIMATE_SYNONYM)) == plain_pairs(
        turtle, "synonym", "approximateSynonym"
    )


@pytest.mark.parametrize(
    ("fault", "message", "queries"), [("503", "failed 9 times", 9), ("400", "refuses the query", 1)]
)
def test_failing_endpoint_is_reported(serve, tmp_path, fault, message, queries):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: fault
    with pytest.raises(ResourceError, match=message):
        extract_pairs(server, tmp_path)
    assert len(server.queries) == queries


def test_wrong_order_of_rows_is_detected(serve, tmp_path):
    server = serve(ONTOLEX)
    answer = server.answer

    def reversed_rows(query):
        result = json.loads(answer(query))
        result["results"]["bindings"].reverse()
        return json.dumps(result).encode()

    server.answer = reversed_rows
    with pytest.raises(ResourceError, match="does not sort"):
        extract_pairs(server, tmp_path)


def test_pack_is_built_from_an_endpoint(serve, store):
    server = serve(ONTOLEX)
    done = CliRunner().invoke(cli, ["dbnary", "install", "fr", "--endpoint", server.url], catch_exceptions=False)
    assert done.output.startswith("made dbnary-fr (7 words, 6 synonyms)")
    pack, pairs = install_synsets(FRENCH, url=server.url)
    assert (pack.name, pack.language, pairs) == ("dbnary-fr", "fr", 6)
    assert pack.synonyms.synsets("voiture") == (7, 1, 2, 3)
    assert pack.manifest.sources[0].name == server.url


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"dumps": ["dump.ttl"], "url": "http://127.0.0.1:9/sparql"}, ConfigError),
        ({"url": "ftp://127.0.0.1/sparql"}, ConfigError),
        ({"url": "http://127.0.0.1:9/sparql", "offline": True}, ResourceError),
    ],
)
def test_unsuitable_arguments_are_refused(arguments, error):
    with pytest.raises(error):
        install_synsets(FRENCH, **arguments)
