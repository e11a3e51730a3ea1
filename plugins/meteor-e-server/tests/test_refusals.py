"""What a server refuses, and that it goes on afterwards."""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
import threading
from collections import deque

import pytest
from meteor_e_server.app import Limits

GOOD = {"hypothesis": "a cat", "references": ["the cat"]}
HEAD = b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SMALL = Limits(body=2000, segments=3, text=50, requests=2, held=10_000, seconds=0.3)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"NaN", 400, "not JSON"),
        (b'{"segments": [{"hypothesis": "\xff", "references": "x"}]}', 400, "UTF-8"),
        (b'{"segments": [{"hypothesis": "\\ud800", "references": "x"}]}', 400, "lone surrogate"),
        (b'{"x": ' + b"[" * 100_000, 422, "unknown field `x`"),
        (b"[" * 100_000, 422, "Expected `object`"),
        ([], 422, "Expected `object`, got `array`"),
        ({}, 422, "missing required field `segments`"),
        ({"segments": []}, 422, "length >= 1"),
        ({"segments": [{"hypothesis": 1, "references": "x"}]}, 422, "Expected `str`, got `int` - at `$.segments[0]"),
        ({"segments": [{"hypothesis": "x", "references": []}]}, 422, "length >= 1"),
        ({"segments": [{"hypothesis": "x", "references": [None]}]}, 422, "got `null`"),
        ({"segments": [GOOD], "file": "/etc/passwd"}, 422, "unknown field `file`"),
        ({"segments": [GOOD], "metric": "chain:/etc/passwd"}, 404, "no metric"),
        ({"segments": [GOOD], "language": "../../x"}, 404, "no language"),
    ],
)
def test_malformed_requests(client, body, status, message):
    answer = client.post("/score", body)
    assert (answer.status, message in answer.error) == (status, True), answer.data


def test_wrong_addresses_methods_and_types(client):
    data = json.dumps({"segments": [GOOD]}).encode()
    assert client.get("/nothing").status == 404
    assert client.get("/score").status == 405
    assert client.post("/score", data, "text/plain").status == 415
    assert client.post("/score?metric=meteor", data).status == 400
    for query in ("metrics=x", "metric=meteor&metric=meteor", "utf16=1"):
        answer = client.post(f"/score?{query}", data, "application/x-ndjson")
        assert (answer.status, bool(answer.error)) == (400, True)
    assert client.stream("/score", []).status == 422


def test_limits_of_size(serving, store):
    with serving(store, SMALL) as client:
        assert client.score(("x" * 51, "x")).status == 413
        assert "at most 3" in client.score(*[("x", "x")] * 4).error
        assert "more than 2000 bytes" in client.post("/score", b" " * 2001).error
        answer = client.stream("/score", [b" " * 2500 + b"x" * 2500])
        assert "more than 2000 bytes" in answer.error
        assert client.score(("x", "x")).status == 200


def raw(client, data: bytes) -> bytes:
    """Send bytes, and return all that comes until the server closes."""
    with socket.create_connection(("127.0.0.1", client.port)) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def test_clients_that_do_not_end(serving, store):
    with serving(store, SMALL) as client:
        # No end of the headers: the connection is closed; of the body: an answer says so.
        assert raw(client, b"GET /health HTTP/1.1\r\nHost: x\r\n") == b""
        assert raw(client, b"") == b""
        for rest in (b"Content-Length: 100\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
            answer = raw(client, HEAD + rest)
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b'{"error":"the request has not ended in time"}\n' in answer
        stream = HEAD.replace(b"json", b"x-ndjson") + b"Transfer-Encoding: chunked\r\n\r\n"
        line = json.dumps(GOOD).encode() + b"\n"
        answer = raw(client, stream + b"%x\r\n%s\r\n" % (len(line), line))
        assert b'"score":' in answer
        assert b'{"error":"the stream has not ended in time"}\n' in answer
        assert client.score(("x", "x")).status == 200
        assert client.get("/health").json["queue"] == {"requests": 0, "bytes": 0}


def test_a_client_that_does_not_read(serving, store):
    line = json.dumps({"hypothesis": "a b c d " * 10, "references": "d c b a " * 10}).encode() + b"\n"
    with serving(store, Limits(seconds=0.5)) as client, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", client.port))
        connection.sendall(HEAD.replace(b"/score", b"/align").replace(b"json", b"x-ndjson"))
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        send = itertools.repeat(b"%x\r\n%s\r\n" % (len(line), line))
        with pytest.raises(ConnectionError):
            deque(map(connection.sendall, send), maxlen=0)
        while client.get("/health").json["queue"]["requests"]:
            pass
        assert client.score(("x", "x")).status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100_000,
        b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_not_http(client, data):
    answer = raw(client, data)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b'\r\n\r\n{"error":"the request is not HTTP/1.1"}\n')


def test_malformed_requests_at_random(client):
    draw = random.Random(5)
    whole = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
    body = json.dumps({"segments": [GOOD, GOOD], "metric": "meteor"}).encode()
    for _ in range(int(os.environ.get("METEOR_E_MALFORMED_REQUESTS", "300"))):
        data = bytearray(body if draw.random() < 0.7 else whole % (len(body), body))
        bare = data == body
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(data))
            kind = draw.randrange(4)
            if kind == 0:
                data[at] = draw.randrange(256)
            elif kind == 1:
                del data[at : at + draw.randint(1, 20)]
            elif kind == 2:
                data[at:at] = draw.choice([b"[", b"{", b'"', b"\\ud800", b"\x00", b"\r\n", b"1e999", b"\xff", b"null"])
            else:
                data[at:at] = data[: draw.randint(1, 60)]
            data = data or bytearray(b"x")
        sent = whole % (len(data), bytes(data)) if bare else bytes(data)
        with socket.create_connection(("127.0.0.1", client.port)) as connection:
            connection.sendall(sent)
            if not bare:
                # The length may be wrong, too; the server is not to wait for what does not come.
                connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda c=connection: c.recv(1 << 16), b""))
        if bare or answer:
            status, _, rest = answer.partition(b"\r\n")
            last = json.loads(rest.rpartition(b"\r\n\r\n")[2])
            assert (b" 200 " in status) == ("error" not in last), answer
            assert b" 500 " not in status, (sent, answer)
    assert client.score(("a cat", "the cat")).status == 200
    assert client.get("/health").json["queue"] == {"requests": 0, "bytes": 0}


def test_overload(serving, store, held):
    limits = Limits(requests=2, seconds=3600)
    answers = []
    with serving(store, limits) as client:
        asking = [threading.Thread(target=lambda n=n: answers.append(client.score((str(n), "x")))) for n in range(2)]
        for thread in asking:
            thread.start()
        while client.get("/health").json["queue"]["requests"] < 2:
            pass
        answer = client.score(("3", "x"))
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert "2 requests wait already" in answer.error
        held.free.set()
        for thread in asking:
            thread.join()
        # Nothing that was taken is lost.
        assert sorted(each.json["score"] for each in answers) == [0.0, 1.0]
        assert client.score(("3", "x")).json["score"] == 3.0


def test_memory_of_all_requests(serving, store, held):
    with serving(store, Limits(held=3000, seconds=3600)) as client:
        asking = threading.Thread(target=client.score, args=(("1", "x" * 2000),))
        asking.start()
        assert held.begun.wait()
        assert "fill the memory" in client.score(("2", "x" * 2000)).error
        held.free.set()
        asking.join()


def test_too_many_connections(serving, store):
    with serving(store, connections=1) as client, socket.create_connection(("127.0.0.1", client.port)) as first:
        first.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert first.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert raw(client, b"").endswith(b'{"error":"too many connections; try again later"}\n')


def test_no_answer_in_time(serving, store, held):
    with serving(store, Limits(seconds=0.2)) as client:
        answer = client.score(("1", "x"))
        assert answer.status == 503
        assert "no answer within 0.2 seconds" in answer.error
        # What nobody waits for any more stops.
        assert held.stopped.wait()
        held.free.set()
        assert client.score(("2", "x")).json["score"] == 2.0


def test_a_client_that_goes(serving, store, held):
    with serving(store) as client:
        connection = client.connection()
        segments = {"segments": [{"hypothesis": "1", "references": "x"}]}
        connection.request("POST", "/score", json.dumps(segments), {"Content-Type": "application/json"})
        assert held.begun.wait()
        connection.close()
        assert held.stopped.wait()
        held.free.set()
        assert client.score(("2", "x")).json["score"] == 2.0


def test_requests_that_wait_are_scored_together(serving, store, held):
    answers = {}
    with serving(store) as client:

        def ask(name):
            answers[name] = client.score((name, "x"))

        asking = [threading.Thread(target=ask, args=(name,)) for name in ("0", "1", "2", "none", "4")]
        asking[0].start()
        assert held.begun.wait()
        for thread in asking[1:]:
            thread.start()
        (lane,) = store._lanes.values()
        while len(lane._jobs) < 4:
            pass
        held.free.set()
        for thread in asking:
            thread.join()
    assert sorted(held.calls[1]) == ["1", "2", "4", "none"]
    # One that fails is no other's failure.
    assert answers.pop("none").status == 500
    assert {name: answer.json["score"] for name, answer in answers.items()} == {"0": 0, "1": 1, "2": 2, "4": 4}


def test_other_origins_and_hosts(serving, store):
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    with serving(store, hosts=("127.0.0.1",)) as client:
        assert "access-control-allow-origin" not in client.get("/health", Origin="https://example.org").headers
        assert client.request("OPTIONS", "/score", None, {"Origin": "null", **preflight}).status == 405
        answer = client.get("/health", Host="example.org:80")
        assert (answer.status, answer.error) == (421, "the server is not 'example.org:80'")
    with serving(store, origins=("null",)) as client:
        assert client.get("/health", Origin="null").headers["access-control-allow-origin"] == "null"
        assert client.request("OPTIONS", "/score", None, {"Origin": "null", **preflight}).status == 200
        assert "access-control-allow-origin" not in client.get("/health", Origin="https://example.org").headers
