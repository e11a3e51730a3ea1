"""The description of the server that other programs read: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

import msgspec

import meteor_e
from meteor_e_server.messages import (
    Error,
    Marked,
    MarkedSegment,
    Options,
    Request,
    Scored,
    ScoredSegment,
    Segment,
    SpansRequest,
)

_PLACE = "#/components/schemas/{name}"
_TASKS: dict[str, tuple[str, type, type, type]] = {
    "/score": ("Score segments.", Request, Scored, ScoredSegment),
    "/align": ("Score segments, and say which words match.", Request, Scored, ScoredSegment),
    "/spans": ("Mark the parts of hypotheses that are probably wrong.", SpansRequest, Marked, MarkedSegment),
}
_ASKED = {
    "/health": "Whether the server answers, and how much waits.",
    "/metrics": "The metrics, languages and limits of the server, with signatures.",
}
_ERRORS = {
    "400": "no JSON, or a wrong query",
    "404": "a metric, language or address that the server does not have",
    "408": "the request did not end in time",
    "413": "too large",
    "415": "another content type",
    "422": "other fields or types, or a segment that has no score",
    "500": "the metric failed",
    "503": "too many requests wait, or there was no answer in time",
}


def openapi() -> dict[str, Any]:
    """Return the description, from the classes that read and write the messages."""
    kinds = [Segment, Options, Request, SpansRequest, ScoredSegment, MarkedSegment, Scored, Marked, Error]
    _, schemas = msgspec.json.schema_components(kinds, ref_template=_PLACE)
    paths: dict[str, Any] = {path: {"get": _operation(said, {})} for path, said in _ASKED.items()}
    for path, (said, asked, answered, line) in _TASKS.items():
        operation = _operation(said, _content(answered, line))
        operation["requestBody"] = {"required": True, "content": _content(asked, Segment)}
        names = ("language", "utf16") if path == "/spans" else ("metric", "language")
        operation["parameters"] = [
            {
                "name": name,
                "in": "query",
                "description": "Of a stream only.",
                "schema": schemas["Options"]["properties"][name],
            }
            for name in names
        ]
        fault = {"schema": {"$ref": _PLACE.format(name="Error")}}
        operation["responses"] |= {
            status: {"description": what, "content": {"application/json": fault}} for status, what in _ERRORS.items()
        }
        paths[path] = {"post": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "meteor_e", "version": meteor_e.__version__, "summary": "METEOR and other metrics."},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(said: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"summary": said, "responses": {"200": {"description": "done", "content": content}}}


def _content(whole: type, line: type) -> dict[str, Any]:
    """Return the two forms: one message, or lines."""
    return {
        "application/json": {"schema": {"$ref": _PLACE.format(name=whole.__name__)}},
        "application/x-ndjson": {"schema": {"$ref": _PLACE.format(name=line.__name__)}},
    }
