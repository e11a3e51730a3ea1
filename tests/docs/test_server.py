"""Test the responses of the example server to valid and invalid requests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request

import pytest
from fixtures import REPOSITORY

pytest.importorskip("uvicorn")
TestClient = pytest.importorskip("starlette.testclient").TestClient
sys.path.insert(0, str(REPOSITORY / "examples"))

import server  # noqa: E402

from meteor_e import load_metric  # noqa: E402

SEGMENTS = [
    {"hypothesis": "the cat sat", "references": ["a cat sat", "the cat was sitting"]},
    {"hypothesis": "two dogs", "references": ["two dogs"]},
]
HYPOTHESES = [segment["hypothesis"] for segment in SEGMENTS]
REFERENCES = [segment["references"] for segment in SEGMENTS]


@pytest.fixture
def client(own_packs):
    """Return a client of a server with two metrics."""
    metrics = {name: load_metric(name, language="en") for name in ("meteor", "chrf")}
    with TestClient(server.application(metrics), raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("name", [None, "meteor", "chrf"])
def test_server_returns_the_scores_of_the_metric(client, name):
    metric = load_metric(name or "meteor", language="en")
    expected = metric.corpus(HYPOTHESES, REFERENCES, segments=True)
    request = {"segments": SEGMENTS}
    if name:
        request["metric"] = name
    response = client.post("/score", json=request)
    assert response.status_code == 200
    assert response.json() == {
        "metric": metric.label,
        "score": expected.score,
        "segments": expected.segment_scores.tolist(),
        "signature": expected.signature,
    }


def make_body(**changes):
    """Return the body of a request with one segment, in which some keys are changed."""
    return json.dumps({"segments": [{**SEGMENTS[0], **changes}]}).encode()


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (400, b"{"),
        (400, b"\xff"),
        (400, make_body(hypothesis="half of a character: \ud800")),
        (404, b'{"metric": "x", ' + make_body()[1:]),
        (422, b"[]"),
        (422, b'{"segments": []}'),
        (422, make_body(hypothesis=3)),
        (422, make_body(hypothesis="a" * 20_001)),
        (422, make_body(references=[])),
        (422, make_body(reference="unknown")),
        (413, make_body() + b" " * server.MAX_BODY),
    ],
)
def test_server_rejects_invalid_requests(client, status, content):
    response = client.post("/score", content=content, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert list(response.json()) == ["error"]


def test_server_ignores_the_case_of_media_types(client):
    response = client.post("/score", content=make_body(), headers={"content-type": "APPLICATION/JSON; charset=utf-8"})
    assert response.status_code == 200


def test_server_rejects_wrong_types_paths_and_methods(client, monkeypatch):
    responses = [client.post("/score", content=make_body()), client.post("/"), client.get("/score")]
    assert [response.status_code for response in responses] == [415, 404, 405]
    assert [list(response.json()) for response in responses] == [["error"]] * 3


def test_server_command_answers_requests(own_packs):
    """The command in the docstring of ``examples/server.py`` starts the server."""
    command = [sys.executable, str(REPOSITORY / "examples/server.py"), "-M", "chrf", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        matches = (re.search(r"http://[\d.:]+", line) for line in process.stderr)
        address = next(match[0] for match in matches if match)
        request = urllib.request.Request(f"{address}/score", make_body(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            assert json.load(response)["metric"] == "chrF"
        process.terminate()
