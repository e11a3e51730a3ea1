"""Extraction from a SPARQL server that is there, with data in both models, and that fails in all ways."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
from dataclasses import replace

import pytest
from click.testing import CliRunner
from dbnary_data import APPROXIMATE, EXPECTED, EXPECTED_LEMON, LEMON, ONTOLEX, plain_pairs, random_dictionary
from dbnary_server import ENGINES, Server, oxigraph
from meteor_e_languages.dbnary import endpoint
from meteor_e_languages.dbnary.extraction import extract_from_endpoint
from meteor_e_languages.dbnary.harvest import Harvest
from meteor_e_languages.dbnary.model import APPROXIMATE_SYNONYM, SYNONYM, find_edition
from meteor_e_languages.dbnary.sparql import Endpoint, Patience

from meteor_e import ConfigError, ResourceError
from meteor_e.cli.program import cli
from meteor_e.languages.files import builtin_language

FRENCH = builtin_language("fr")
QUICK = Patience(timeout=3600.0, retries=6, backoff=0.001, longest=0.002)


@pytest.fixture
def serve():
    """Start servers; they stop at the end of the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(turtle, engine="oxigraph"):
            return stack.enter_context(Server(ENGINES[engine](turtle)).running())

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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("turtle", "expected"), [(ONTOLEX, EXPECTED), (LEMON, EXPECTED_LEMON)])
def test_both_models(serve, tmp_path, engine, turtle, expected):
    assert plain_pairs(turtle) == expected
    assert harvested(serve(turtle, engine), tmp_path) == (expected, [])


def test_approximate_synonyms_by_option(serve, tmp_path):
    server = serve(ONTOLEX)
    found, _ = harvested(server, tmp_path, (SYNONYM, APPROXIMATE_SYNONYM))
    assert found == EXPECTED | APPROXIMATE


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


def test_pages_grow_smaller_while_the_server_fails(serve, tmp_path):
    server = serve(random_dictionary(2, 60))
    server.faults = lambda number, query: "500" if "LIMIT 10001" in query or "LIMIT 5001" in query else None
    harvested(server, tmp_path)
    assert any("LIMIT 2501" in query for query in server.queries)


def test_no_page_is_cut_by_an_offset(serve, tmp_path):
    server = serve(ONTOLEX)
    harvested(server, tmp_path, page=2)
    assert not any("OFFSET" in query for query in server.queries)
    assert all("ORDER BY ?key" in query for query in server.queries if "LIMIT" in query)


def test_an_endpoint_that_fails_to_the_end(serve, tmp_path):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: "503"
    with pytest.raises(ResourceError, match=r"failed 3 times, the last time so: server error 503 .*again to go on"):
        harvested(server, tmp_path, patience=replace(QUICK, retries=2))
    refused = "http://127.0.0.1:9/sparql"
    with pytest.raises(ResourceError, match="no connection"):
        Endpoint(refused, replace(QUICK, retries=1)).select("SELECT * WHERE {}")


def test_no_network_at_all(monkeypatch):
    """Nothing is asked again: the message comes at once, and says what works without a network."""

    def no_network(*_: object, **__: object) -> None:
        raise urllib.error.URLError(socket.gaierror(-3, "Temporary failure in name resolution"))

    monkeypatch.setattr("SPARQLWrapper.Wrapper.urlopener", no_network)
    patience = Patience(retries=8, backoff=3600.0)
    with pytest.raises(ResourceError, match=r"cannot be reached \(Temporary f.*--dump fr_dbnary_ontolex\.ttl\.bz2"):
        Endpoint("http://endpoint.invalid/sparql", patience).select("SELECT * WHERE {}")


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


def test_an_endpoint_that_does_not_count(serve, tmp_path):
    server = serve(ONTOLEX)
    server.faults = lambda number, query: "500" if "?count" in query else None
    found, remarks = harvested(server, tmp_path)
    assert found == EXPECTED
    assert remarks == ["the endpoint does not count its synonym pairs, so that nothing says whether all have arrived"]


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


def test_a_server_that_sorts_otherwise_is_noticed(serve, tmp_path):
    server = serve(ONTOLEX)
    answer = server.answer

    def turned(query):
        import json

        result = json.loads(answer(query))
        rows = result["results"]["bindings"]
        rows[:-1] = rows[-2::-1]
        return json.dumps(result).encode()

    server.answer = turned
    with pytest.raises(ResourceError, match="does not sort texts by their code points"):
        harvested(server, tmp_path)


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


def test_a_work_file_of_something_else_is_begun_anew(serve, tmp_path):
    server = serve(ONTOLEX)
    harvested(server, tmp_path)
    found, _ = harvested(server, tmp_path, (APPROXIMATE_SYNONYM,))
    assert found == APPROXIMATE
    (tmp_path / "work").write_bytes(b"no database" * 1000)
    assert harvested(server, tmp_path) == (EXPECTED, [])


def test_addresses_that_no_query_can_hold(serve, tmp_path):
    def answer(query, plain=oxigraph(ONTOLEX)):  # noqa: B008
        import json

        result = json.loads(plain(query))
        if "?count" in query:
            result["results"]["bindings"][0]["count"]["value"] = "8"
        elif "VALUES" not in query:
            odd = 'http://kaiko.getalp.org/dbnary/fra/"}'
            values = {"key": f"{odd}\n{odd}", "source": odd, "target": odd}
            result["results"]["bindings"].insert(0, {k: {"type": "uri", "value": v} for k, v in values.items()})
        return json.dumps(result).encode()

    with Server(answer).running() as server:
        found, remarks = harvested(server, tmp_path)
    assert found == EXPECTED
    assert remarks == ["1 nodes have addresses that no query can hold and are left out"]


def test_no_other_addresses_than_those_of_the_web():
    with pytest.raises(ConfigError, match="no address of a SPARQL endpoint"):
        Endpoint("file:///etc/passwd")


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


def test_a_place_without_synonyms(serve, store):
    with pytest.raises(ResourceError, match="there are no synonyms of German in it"):
        extract_from_endpoint(builtin_language("de"), serve(ONTOLEX).url, patience=QUICK)
    with pytest.raises(ConfigError, match="DBnary has no edition of 'cs'"):
        extract_from_endpoint(builtin_language("cs"), serve(ONTOLEX).url)
    assert not (store / "dbnary-de").exists()


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "meteor_e", "dbnary", "extract", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        **options,
    )


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_killed_goes_on_when_called_again(serve, store, end):
    turtle = random_dictionary(4, 150)
    server = serve(turtle)
    server.cap = 15
    options = ("-l", "fr", "--endpoint", server.url, "--set", "backoff=0.01", "--page", "20")
    # Killed when half of the pages have been sent.
    killed = command(*options)
    process = [killed]

    def fault(number, query):
        if number == 15:
            process[0].send_signal(end)
            time.sleep(0.3)
        return None

    server.faults = fault
    _, errors = killed.communicate()
    code, said = {
        signal.SIGKILL: (-signal.SIGKILL, ""),
        signal.SIGINT: (130, "meteor-e: interrupted"),
        signal.SIGTERM: (143, "meteor-e: terminated"),
    }[end]
    assert (killed.returncode, errors.strip()) == (code, said)
    assert not (store / "dbnary-fr").exists()
    before = len(server.queries)
    server.faults = lambda number, query: None
    again = command(*options)
    output, errors = again.communicate()
    assert (again.returncode, errors) == (0, "")
    assert output.startswith("made dbnary-fr (")
    resumed = len(server.queries) - before
    (store / "dbnary-fr").rename(store.parent / "resumed")
    fresh = command(*options)
    assert fresh.communicate()[0] == output
    everything = len(server.queries) - before - resumed
    assert resumed <= everything - 10
    from meteor_e.packs.pack import Pack
    from meteor_e.packs.store import PackStore

    assert Pack.open(store.parent / "resumed").digest == PackStore().get("dbnary-fr").digest
    assert len(plain_pairs(turtle)) > 100


def test_errors_are_one_line(serve, store, tmp_path):
    cases = [
        (("-l", "fr", "--endpoint", "ftp://x"), 2, "no address of a SPARQL endpoint"),
        (("-l", "cs"), 2, "DBnary has no edition of 'cs'"),
        (("-l", "fr", "--dump", "x", "--synsets", "y"), 2, "--dump and --synsets cannot be given together"),
        (("-l", "fr", "--dump", "nowhere.ttl"), 1, "cannot read nowhere.ttl"),
        (("-l", "fr", "--synsets", "y", "--approximate"), 2, "packed as it is"),
        (("-l", "fr", "--name", "../x", "--dump", "x"), 3, "no name for a pack"),
    ]
    for arguments, code, message in cases:
        process = command(*arguments, cwd=tmp_path)
        output, errors = process.communicate()
        assert (process.returncode, output, errors.count("\n")) == (code, "", 1), errors
        assert message in errors
