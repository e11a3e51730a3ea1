"""The example of a server answers valid requests, and each kind of invalid request."""

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
TEXTS = ["the cat sat", "two dogs"], [["a cat sat", "the cat was sitting"], ["two dogs"]]


@pytest.fixture
def client(own_packs):
    metrics = {name: load_metric(name, language="en") for name in ("meteor", "chrf")}
    with TestClient(server.application(metrics), raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("name", [None, "meteor", "chrf"])
def test_scores_are_those_of_the_metric(client, name):
    metric = load_metric(name or "meteor", language="en")
    expected = metric.corpus(*TEXTS, segments=True)
    answer = client.post("/score", json={"segments": SEGMENTS, **({"metric": name} if name else {})})
    assert answer.status_code == 200
    assert answer.json() == {
        "metric": metric.label,
        "score": expected.score,
        "segments": expected.segment_scores.tolist(),
        "signature": expected.signature,
    }


def body(**changes):
    return json.dumps({"segments": [{**SEGMENTS[0], **changes}]}).encode()


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (400, b"{"),
        (400, b"\xff"),
        (400, body(hypothesis="half of a character: \ud800")),
        (404, b'{"metric": "x", ' + body()[1:]),
        (422, b"[]"),
        (422, b'{"segments": []}'),
        (422, body(hypothesis=3)),
        (422, body(hypothesis="a" * 20_001)),
        (422, body(references=[])),
        (422, body(reference="unknown")),
        (413, body() + b" " * server.MAX_BODY),
    ],
)
def test_errors(client, status, content):
    answer = client.post("/score", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_media_types_are_compared_without_case(client):
    answer = client.post("/score", content=body(), headers={"content-type": "APPLICATION/JSON; charset=utf-8"})
    assert answer.status_code == 200


def test_errors_before_the_body(client, monkeypatch):
    wrong = [client.post("/score", content=body()), client.post("/"), client.get("/score")]
    assert [(answer.status_code, list(answer.json())) for answer in wrong] == [
        (status, ["error"]) for status in (415, 404, 405)
    ]


def test_server_command_answers_requests(own_packs):
    """The command in the first line of the file starts the server."""
    command = [sys.executable, str(REPOSITORY / "examples/server.py"), "-M", "chrf", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        address = next(found[0] for line in process.stderr if (found := re.search(r"http://[\d.:]+", line)))
        asked = urllib.request.Request(f"{address}/score", body(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked) as answer:
            assert json.load(answer)["metric"] == "chrF"
        process.terminate()
