"""Tests of the extraction of synonyms from a SPARQL endpoint. A local server imitates the faults of public servers."""

from __future__ import annotations

import json
import random
from contextlib import ExitStack

import pytest
from click.testing import CliRunner
from dbnary_data import LEMON, LEMON_PAIRS, ONTOLEX, ONTOLEX_PAIRS, collect_pairs_from_graph, random_dictionary
from dbnary_server import Server, answer_with_oxigraph
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
def _skip_waiting(monkeypatch):
    """Repeat failed queries at once, without a pause."""
    monkeypatch.setattr(endpoint, "WAIT", 0.0)


@pytest.fixture
def serve():
    """Return a function that starts a server for a graph. The server stops at the end of the test."""
    with ExitStack() as stack:
        yield lambda turtle: stack.enter_context(Server(answer_with_oxigraph(turtle)).run())


def extract_pairs(server, folder, kinds=(SYNONYM,)):
    """Return the pairs of synonyms that are extracted from a server."""
    (folder / "work").unlink(missing_ok=True)
    with Harvest(folder / "work") as harvest:
        endpoint.extract(harvest, server.url, find_edition(FRENCH), kinds)
        return set(harvest.pairs())


@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, ONTOLEX_PAIRS), (LEMON, LEMON_PAIRS)])
def test_extract_reads_both_models(serve, tmp_path, turtle, expected):
    assert collect_pairs_from_graph(turtle) == expected
    assert extract_pairs(serve(turtle), tmp_path) == expected


@pytest.mark.parametrize(
    ("page_size", "batch_size", "max_rows"), [(7, 5, None), (10_000, 50, 13), (5, 40, 3), (10_000, 1, 2)]
)
def test_extract_loses_no_rows_of_pages_and_truncated_answers(
    serve, tmp_path, monkeypatch, page_size, batch_size, max_rows
):
    monkeypatch.setattr(endpoint, "PAGE", page_size)
    monkeypatch.setattr(endpoint, "BATCH", batch_size)
    turtle = random_dictionary(1, 60)
    server = serve(turtle)
    server.max_rows = max_rows
    synonym_pairs = extract_pairs(server, tmp_path)
    assert synonym_pairs == collect_pairs_from_graph(turtle)
    assert len(synonym_pairs) > 50


@pytest.mark.parametrize("fault", FAULTS)
def test_extract_repeats_a_query_after_each_kind_of_fault(serve, tmp_path, fault):
    server = serve(ONTOLEX)
    server.choose_fault = lambda request_index, query: fault if request_index in (0, 2) else None
    assert extract_pairs(server, tmp_path) == ONTOLEX_PAIRS
    assert len(server.queries) == 4


@pytest.mark.parametrize("seed", range(2))
def test_extract_returns_exact_rows_despite_random_faults(serve, tmp_path, monkeypatch, seed):
    monkeypatch.setattr(endpoint, "PAGE", 50)
    monkeypatch.setattr(endpoint, "RETRIES", 30)
    turtle = random_dictionary(seed, 80)
    server = serve(turtle)
    generator = random.Random(seed)
    server.choose_fault = lambda request_index, query: generator.choice(FAULTS) if generator.random() < 0.3 else None
    assert extract_pairs(server, tmp_path, (SYNONYM, APPROXIMATE_SYNONYM)) == collect_pairs_from_graph(
        turtle, "synonym", "approximateSynonym"
    )


@pytest.mark.parametrize(
    ("fault", "message", "query_count"), [("503", "failed 9 times", 9), ("400", "refuses the query", 1)]
)
def test_extract_reports_failing_endpoint(serve, tmp_path, fault, message, query_count):
    server = serve(ONTOLEX)
    server.choose_fault = lambda request_index, query: fault
    with pytest.raises(ResourceError, match=message):
        extract_pairs(server, tmp_path)
    assert len(server.queries) == query_count


def test_extract_detects_wrong_order_of_rows(serve, tmp_path):
    server = serve(ONTOLEX)
    answer = server.answer

    def answer_in_reverse_order(query):
        document = json.loads(answer(query))
        document["results"]["bindings"].reverse()
        return json.dumps(document).encode()

    server.answer = answer_in_reverse_order
    with pytest.raises(ResourceError, match="does not sort"):
        extract_pairs(server, tmp_path)


def test_install_builds_a_pack_from_an_endpoint(serve, store):
    server = serve(ONTOLEX)
    result = CliRunner().invoke(cli, ["dbnary", "install", "fr", "--endpoint", server.url], catch_exceptions=False)
    assert result.output.startswith("made dbnary-fr (7 words, 6 synonyms)")
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
def test_install_synsets_rejects_unsuitable_arguments(arguments, error):
    with pytest.raises(error):
        install_synsets(FRENCH, **arguments)
