"""A local SPARQL server that can imitate the faults of public servers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

RESULTS_TYPE = "application/sparql-results+json"


class Server:
    """A server that passes each query to a function and sends the SPARQL results (JSON) that the function returns.

    Attributes:
        url: the address of the server.
        max_rows: the maximum number of rows of an answer. Longer answers are truncated silently.
        choose_fault: a function that gets the index and the query of a request, and returns the fault to imitate,
            or ``None``. A fault is an HTTP status, ``reset`` (the connection is closed), ``page`` (an HTML page),
            ``cut`` (truncated JSON), ``broken off`` (a body shorter than its announced length), or ``partial``
            (half of the rows, with Virtuoso's headers for incomplete results).
        queries: the queries of all requests.
    """

    def __init__(self, answer: Callable[[str], bytes]) -> None:
        self.answer = answer
        self.max_rows: int | None = None
        self.choose_fault: Callable[[int, str], str | None] = lambda request_index, query: None
        self.queries: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                query = parse_qs(body.decode())["query"][0]
                request_index = len(server.queries)
                server.queries.append(query)
                server.serve(self, query, server.choose_fault(request_index, query))

            def log_message(self, *_: object) -> None:
                pass

        class QuietServer(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass

        self._server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/sparql"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @contextmanager
    def run(self) -> Iterator[Server]:
        """Run the server in a thread, and stop it at the end of the context."""
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler, query: str, fault: str | None) -> None:
        """Answer a query, or imitate a fault."""
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
        if self.max_rows is not None and "?count" not in query:
            del rows[self.max_rows :]
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
        status: int,
        data: bytes,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": RESULTS_TYPE, **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data) if length is None else length))
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True


def answer_with_oxigraph(turtle: str) -> Callable[[str], bytes]:
    """Return a function that answers queries on a graph. It runs the SPARQL engine Oxigraph."""
    import pyoxigraph

    store = pyoxigraph.Store()
    store.bulk_load(turtle.encode(), pyoxigraph.RdfFormat.TURTLE)
    return lambda query: store.query(query).serialize(format=pyoxigraph.QueryResultsFormat.JSON)
