"""Serve scores over HTTP for programs in other languages. Copy this file and change it.

    pip install starlette uvicorn
    python examples/server.py -l en -M meteor -M chrf
    curl -s http://127.0.0.1:8765/score -H 'Content-Type: application/json' \\
      -d '{"metric": "chrf", "segments": [{"hypothesis": "the cat sat", "references": ["a cat sat"]}]}'

The metrics are loaded once. The scores are identical to those of ``meteor-e score``. Every error is JSON:
``{"error": "…"}``. The server listens on the loopback address: it has no password and no encryption.
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Annotated

import msgspec
import uvicorn
from msgspec import Meta
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from meteor_e import MeteorError, load_metric
from meteor_e.api import Metric

MAX_BODY = 16 * 2**20  # The maximum size of a request, in bytes.
MAX_REQUESTS = 64  # The maximum number of requests that are being read or scored.
TIME_LIMIT = 30  # The time that a client has to send its request, in seconds.

Text = Annotated[str, Meta(max_length=20_000)]


class Segment(msgspec.Struct, forbid_unknown_fields=True):
    """The raw texts of a hypothesis, of its references, and optionally of its source."""

    hypothesis: Text
    references: Annotated[list[Text], Meta(min_length=1, max_length=100)]
    source: Text | None = None


class ScoreRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A client's request. The default metric is the server's first metric."""

    segments: Annotated[list[Segment], Meta(min_length=1, max_length=10_000)]
    metric: str | None = None


def application(metrics: dict[str, Metric]) -> Starlette:
    """Create the web application. The keys of ``metrics`` are the names that clients use."""
    request_slots = asyncio.Semaphore(MAX_REQUESTS)
    # Requests are scored one after the other, because a metric may keep state between calls.
    scoring_lock = asyncio.Lock()

    async def score(request: Request) -> Response:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip()
        if media_type.lower() != "application/json":
            raise HTTPException(415, "the content type must be application/json")
        if request_slots.locked():
            raise HTTPException(503, "too many requests; ask again later")
        async with request_slots:
            try:
                body = await asyncio.wait_for(_read_body(request), TIME_LIMIT)
            except asyncio.TimeoutError:
                raise HTTPException(408, f"the request did not end within {TIME_LIMIT} seconds") from None
            try:
                score_request = msgspec.json.decode(body, type=ScoreRequest)
            except msgspec.ValidationError as error:
                raise HTTPException(422, str(error)) from None
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise HTTPException(400, f"not JSON in UTF-8: {error}") from None
            metric = metrics.get(score_request.metric or next(iter(metrics)))
            if metric is None:
                raise HTTPException(404, f"no metric {score_request.metric!r}; there are {', '.join(metrics)}")
            rows = [(segment.hypothesis, segment.references, segment.source) for segment in score_request.segments]
            hypotheses, references, sources = map(list, zip(*rows, strict=True))
            # The sources are used only if all segments have a source.
            complete_sources = None if None in sources else sources
            async with scoring_lock:
                result = await run_in_threadpool(metric.corpus, hypotheses, references, complete_sources, segments=True)
        content = {
            "metric": metric.label,
            "score": result.score,
            "segments": [segment.score for segment in result.segments],
            "signature": result.signature,
        }
        return _make_response(200, content)

    async def handle_error(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return _make_response(error.status_code, {"error": error.detail})
        if isinstance(error, MeteorError):
            return _make_response(422, {"error": str(error)})
        return _make_response(500, {"error": "the server failed"})

    return Starlette(
        routes=[Route("/score", score, methods=["POST"])],
        exception_handlers={HTTPException: handle_error, MeteorError: handle_error, Exception: handle_error},
    )


async def _read_body(request: Request) -> bytes:
    """Read the body of a request up to the maximum size."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"a request has at most {MAX_BODY} bytes")
    return bytes(body)


def _make_response(status: int, content: dict[str, object]) -> Response:
    """Return a response with a JSON object."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Answer requests to POST /score with the scores of segments.")
    parser.add_argument("-l", "--language", default="en")
    parser.add_argument("-M", "--metric", action="append", help="a metric of meteor-e score; may be repeated")
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args()
    metrics_by_name = {name: load_metric(name, language=options.language) for name in options.metric or ["meteor"]}
    uvicorn.run(application(metrics_by_name), host="127.0.0.1", port=options.port)
