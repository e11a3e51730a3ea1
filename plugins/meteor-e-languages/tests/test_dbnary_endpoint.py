"""Extraction from a SPARQL server that is there, with data in both models, and that fails in all ways."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from click.testing import CliRunner
from dbnary_data import EXPECTED, EXPECTED_LEMON, LEMON, ONTOLEX, plain_pairs, random_dictionary
from dbnary_server import Server, oxigraph
from meteor_e_languages.dbnary import endpoint
from meteor_e_languages.dbnary.extraction import extract_from_endpoint
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, SYNONYM, find_edition
from meteor_e_languages.dbnary.sparql import Endpoint, Patience

from meteor_e import ResourceError
from meteor_e.cli.program import cli
from meteor_e.languages.files import builtin_language

FRENCH = builtin_language("fr")
QUICK = Patience(timeout=3600.0, retries=6, backoff=0.001, longest=0.002)


@pytest.fixture
def serve():
    """Start servers; they stop at the end of the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(turtle):
            return stack.enter_context(Server(oxigraph(turtle)).running())

        yield start


def harvested(server, folder, kinds=(SYNONYM,), page=endpoint.PAGE, batch=endpoint.BATCH, patience=QUICK):
    """Return the pairs that an endpoint gives, and the remarks."""
    harvest = Harvest(folder / "work", {"kinds": list(kinds)})
    try:
        remarks = endpoint.extract(
            harvest, Endpoint(server.url, patience), find_edition(FRENCH), kinds, page=page, batch=batch
        )
        return set(harvest.pairs()), remarks
    finally:
        harvest.close()


@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, EXPECTED), (LEMON, EXPECTED_LEMON)])
def test_both_models(serve, tmp_path, turtle, expected):
    assert plain_pairs(turtle) == expected
    assert harvested(serve(turtle), tmp_path) == (expected, [])


@pytest.mark.parametrize(("page", "batch", "cap"), [(7, 5, None), (10_000, 50, 13), (5, 40, 3), (10_000, 1, 2)])
def test_pages_and_servers_that_cut_answers_lose_nothing(serve, tmp_path, page, batch, cap):
    turtle = random_dictionary(1, 60)
    server = serve(turtle)
    server.cap = cap
    found, remarks = harvested(server, tmp_path, page=page, batch=batch)
    assert (found, remarks) == (plain_pairs(turtle), [])
    assert len(found) > 50


FAULTS = ["500", "502", "503", "429", "reset", "cut", "broken off", "partial", "206", "page", "time-out"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_each_kind(serve, tmp_path, fault):
    server = serve(ONTOLEX)
    wrong = {0, 2, 4}  # the count, a page, a batch
    server.faults = lambda number, query: fault if number in wrong else None
    patience = replace(QUICK, timeout=0.3) if fault == "time-out" else QUICK
    assert harvested(server, tmp_path, patience=patience) == (EXPECTED, [])
    assert len(server.queries) > len(wrong) + 2


@pytest.mark.parametrize("seed", range(4))
def test_faults_at_random_lose_and_double_nothing(serve, tmp_path, seed):
    turtle = random_dictionary(seed, 120)
    server = serve(turtle)
    server.cap = 40
    generator = random.Random(seed)
    quick = [fault for fault in FAULTS if fault != "time-out"]
    server.faults = lambda number, query: generator.choice(quick) if generator.random() < 0.3 else None
    found, _ = harvested(
        server, tmp_path, (SYNONYM, APPROXIMATE_SYNONYM), page=50, batch=20, patience=replace(QUICK, retries=30)
    )
    assert found == plain_pairs(turtle, "synonym", "approximateSynonym")


def test_an_endpoint_that_fails_to_the_end(serve, tmp_path):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: "503"
    with pytest.raises(ResourceError, match=r"failed 3 times, the last time so: server error 503 .*again to go on"):
        harvested(server, tmp_path, patience=replace(QUICK, retries=2))
    refused = "http://127.0.0.1:9/sparql"
    with pytest.raises(ResourceError, match="no connection"):
        Endpoint(refused, replace(QUICK, retries=1)).select("SELECT * WHERE {}")


def test_offline_no_endpoint_is_asked():
    done = CliRunner().invoke(cli, ["dbnary", "extract", "-l", "fr"], env={"METEOR_E_OFFLINE": "1"})
    assert isinstance(done.exception, ResourceError)
    assert "--dump" in str(done.exception)


@pytest.mark.parametrize(("fault", "message"), [("400", "refuses the query"), ("404", "refuses the query")])
def test_a_refusal_is_not_asked_again(serve, tmp_path, fault, message):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: fault if "LIMIT" in query else None
    with pytest.raises(ResourceError, match=message):
        harvested(server, tmp_path)
    assert len([query for query in server.queries if "LIMIT" in query]) == 1


def test_rows_that_are_missing_are_noticed(serve, tmp_path):
    """A server that leaves rows out of the middle of an answer and does not say so."""
    server = serve(ONTOLEX)
    answer = server.answer

    def losing(query):
        import json

        result = json.loads(answer(query))
        if "LIMIT" in query and "VALUES" not in query:
            del result["results"]["bindings"][1]
        return json.dumps(result).encode()

    server.answer = losing
    with pytest.raises(ResourceError, match=r"counts 7 synonym pairs, but 6 arrived"):
        harvested(server, tmp_path)
    server.answer = answer
    assert harvested(server, tmp_path) == (EXPECTED, [])


def test_it_goes_on_where_it_was_interrupted(serve, tmp_path):
    turtle = random_dictionary(3, 100)
    server = serve(turtle)
    whole, _ = harvested(server, tmp_path, page=20, batch=10)
    asked = len(server.queries)
    (tmp_path / "work").unlink()
    for broken in (3, 5, 6, 6):
        server.queries.clear()
        server.faults = lambda number, query, broken=broken: "400" if number == broken and "LIMIT" in query else None
        with pytest.raises(ResourceError):
            harvested(server, tmp_path, page=20, batch=10)
    server.queries.clear()
    server.faults = lambda number, query: None
    found, _ = harvested(server, tmp_path, page=20, batch=10)
    assert found == whole == plain_pairs(turtle)
    assert len(server.queries) <= asked - 15


# -- to the pack ---------------------------------------------------------------------------------------------------


def test_the_pack(serve, store, tmp_path):
    server = serve(ONTOLEX)
    written = tmp_path / "out" / "french.synsets"
    written.parent.mkdir()
    result = extract_from_endpoint(FRENCH, server.url, patience=QUICK, synsets=written)
    assert written.read_text(encoding="utf-8") == (
        "auto\n00000001\nautomobile\n00000002 00000007\ncaisse\n00000003\n"
        "patate\n00000004\npatate_'\n00000005\n".replace("patate_'", "patate’")
        + "pomme_de_terre\n00000006 00000004 00000005\nvoiture\n00000007 00000001 00000002 00000003\n"
    )
    pack = result.pack
    assert (pack.name, pack.language, result.pairs, result.remarks) == ("dbnary-fr", "fr", 6, [])
    assert pack.synonyms.synsets("voiture") == (7, 1, 2, 3)
    assert pack.manifest.sources[0].name == server.url
    assert "CC BY-SA" in pack.manifest.licence
    assert sorted(path.name for path in store.iterdir() if not path.name.endswith(".lock")) == ["dbnary-fr"]
