from __future__ import annotations

import http.client
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest
import uvicorn
from command_line import *  # noqa: F403
from meteor_e_server.app import Limits, application
from meteor_e_server.lanes import Lane
from meteor_e_server.messages import ScoredSegment
from meteor_e_server.running import Protocol, Server, listening
from meteor_e_server.store import Key, Store

from meteor_e.cli.options import MeteorMaker

PATIENT = Limits(seconds=3600)
"""No machine is too slow for a test."""


class Answer:
    """What a server answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.data = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def lines(self):
        return [json.loads(line) for line in self.data.splitlines()]

    @property
    def error(self) -> str:
        """The message; every error is one line of JSON."""
        assert self.data.count(b"\n") == 1
        assert self.data.endswith(b"\n")
        assert set(self.json) == {"error"}
        return self.json["error"]


class Client:
    """Asks a server, over a new connection each time."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, None, headers)

    def post(self, path: str, body, kind: str = "application/json", **headers: str) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", path, data, {"Content-Type": kind, **headers})

    def stream(self, path: str, lines) -> Answer:
        data = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        return self.post(path, data, "application/x-ndjson")

    def score(self, *pairs, **options) -> Answer:
        segments = [{"hypothesis": hypothesis, "references": references} for hypothesis, references in pairs]
        return self.post("/score", {"segments": segments, **options})

    def request(self, method: str, path: str, body, headers) -> Answer:
        connection = self.connection()
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()


class HeldWork:
    """Scores a segment by the number in its hypothesis, when it is let go."""

    label, language, signature = "held", "en", "held"
    shared = streams = True

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.begun, self.free, self.stopped = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, segments, stop):
        self.calls.append([each.hypothesis for each in segments])
        self.begun.set()
        while not self.free.wait(0.01):
            if stop:
                self.stopped.set()
                raise KeyboardInterrupt
        found = [ScoredSegment(float(each.hypothesis), id=each.id) for each in segments]
        return found, np.array([[each.score] for each in found])

    def whole(self, total, count):
        return float(total[0]), {}


@pytest.fixture
def serving():
    """Serve in a thread: ``with serving(store, limits) as client``."""

    @contextmanager
    def serving(store: Store, limits: Limits | None = None, connections: int = 1024, **options):
        limits = limits or PATIENT
        opened, name = listening("127.0.0.1", 0, None)
        app = application(store, limits, **options)
        protocol = type("P", (Protocol,), {"seconds": limits.seconds, "connections_at_most": connections})
        server = Server(uvicorn.Config(app, http=protocol, ws="none", lifespan="off", log_config=None))
        ready = threading.Event()
        server.ready = ready.set
        thread = threading.Thread(target=server.run, args=([opened],))
        thread.start()
        ready.wait()
        try:
            yield Client(int(name.rpartition(":")[2]))
        finally:
            server.handle_exit(15, None)
            thread.join()
            store.close()

    return serving


@pytest.fixture
def store():
    """METEOR with exact matches, which needs no pack, and chrF."""
    return Store(MeteorMaker({"language": "other", "matchers": [{"use": "exact"}]}, None, (), True, 2), ("meteor",))


@pytest.fixture
def client(serving, store):
    with serving(store) as client:
        yield client


@pytest.fixture
def held(store):
    """A store whose METEOR waits until it is let go."""
    work = HeldWork()
    store._lanes[Key("score", "meteor", store.languages[0])] = Lane("held", lambda: work, store._lost)
    yield work
    work.free.set()
