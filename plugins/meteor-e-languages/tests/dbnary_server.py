"""A local SPARQL server that can be made to fail like public servers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TYPE = "application/sparql-results+json"


class Server:
    """A server that answers queries with a function, which returns SPARQL results in JSON.

    Attributes:
        url: the address.
        cap: the maximum number of rows of an answer. Longer answers are truncated silently.
        faults: returns the fault of a request, given its index and its query, or ``None`` for no fault.
        queries: the queries of all requests.
    """

    def __init__(self, answer: Callable[[str], bytes]) -> None:
        self.answer = answer
        self.cap: int | None = None
        self.faults: Callable[[int, str], str | None] = lambda number, query: None
        self.queries: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                query = parse_qs(body.decode())["query"][0]
                number = len(outer.queries)
                outer.queries.append(query)
                outer.serve(self, query, outer.faults(number, query))

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/sparql"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @contextmanager
    def running(self) -> Iterator[Server]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler, query: str, fault: str | None) -> None:
        if fault == "reset":
            handler.connection.close()
            handler.close_connection = True
            return
        if fault in ("400", "404", "429", "500", "502", "503"):
            text = b"Virtuoso 42000 Error The estimated execution time 475 (sec) exceeds the limit of 400 (sec)."
            self._send(handler, int(fault), text, {"Retry-After": "0"})
            return
        if fault == "page":
            self._send(handler, 200, b"<html>Maintenance</html>", {"Content-Type": "text/html"})
            return
        data = self.answer(query)
        result = json.loads(data)
        rows = result["results"]["bindings"]
        if self.cap is not None and "?count" not in query:
            del rows[self.cap :]
        if fault in ("partial", "206"):
            del rows[len(rows) // 2 :]
        data = json.dumps(result).encode()
        if fault == "cut":
            self._send(handler, 200, data[: len(data) // 2])
        elif fault == "broken off":
            self._send(handler, 200, data[: len(data) // 2], length=len(data))
        elif fault == "partial":
            self._send(handler, 200, data, {"X-SQL-State": "S1TAT", "X-SQL-Message": "Returning incomplete results"})
        else:
            self._send(handler, 206 if fault == "206" else 200, data)

    def _send(
        self,
        handler: BaseHTTPRequestHandler,
        code: int,
        data: bytes,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        handler.send_response(code)
        for name, value in {"Content-Type": TYPE, **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data) if length is None else length))
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True


def oxigraph(turtle: str) -> Callable[[str], bytes]:
    """Return a function that answers queries on a graph with Oxigraph."""
    import pyoxigraph

    store = pyoxigraph.Store()
    store.bulk_load(turtle.encode(), pyoxigraph.RdfFormat.TURTLE)
    return lambda query: store.query(query).serialize(format=pyoxigraph.QueryResultsFormat.JSON)
