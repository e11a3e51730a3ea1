"""What requests hold and what is answered; :mod:`meteor_e_server.openapi` describes both from these classes."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

Kind = TypeVar("Kind")
Identifier = str | int
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class RequestError(Exception):
    """A request that gets an error.

    Args:
        status: of HTTP.
        message: what is wrong, and what to do.
        headers: of the answer.
    """

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class Segment(Struct, forbid_unknown_fields=True):
    """A hypothesis, raw, with its references; metrics that read sources get ``source``. ``id`` comes back."""

    hypothesis: str
    references: str | Annotated[list[str], Meta(min_length=1)]
    source: str | None = None
    id: Identifier | None = None


class Options(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a stream is asked with, in its query. Without them, the server's first metric and language."""

    metric: str | None = None
    language: str | None = None
    utf16: bool = False


class Request(Struct, forbid_unknown_fields=True, kw_only=True):
    """Segments to score or to align. Without ``metric`` and ``language``, the server's first."""

    segments: Annotated[list[Segment], Meta(min_length=1)]
    metric: str | None = None
    language: str | None = None


class SpansRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Segments to mark. ``utf16`` counts offsets in UTF-16 code units, as JavaScript, Java and C# do."""

    segments: Annotated[list[Segment], Meta(min_length=1)]
    language: str | None = None
    utf16: bool = False


class ScoredSegment(Struct, omit_defaults=True):
    """The score of a segment. ``parts`` are further numbers, such as precision; ``null`` is an undefined one."""

    score: float | None
    parts: dict[str, float | None] = {}
    reference_index: int | None = None
    alignment: dict[str, Any] | None = None
    id: Identifier | None = None


class MarkedSegment(Struct, omit_defaults=True):
    """What is probably wrong in a segment, as ``meteor-e spans --format json`` has it."""

    spans: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    id: Identifier | None = None


class Scored(Struct, omit_defaults=True):
    """The answer to ``/score`` and ``/align``; of a stream, the last line, without ``segments``."""

    version: str
    metric: str
    signature: str
    language: str
    count: int
    score: float | None
    parts: dict[str, float | None] = {}
    segments: list[ScoredSegment] | None = None


class Marked(Struct, omit_defaults=True):
    """The answer to ``/spans``; of a stream, the last line, without ``segments``."""

    version: str
    signature: str
    language: str
    count: int
    segments: list[MarkedSegment] | None = None


class Error(Struct, omit_defaults=True):
    """Every error. ``segment`` counts from 1, where the error is that of one segment of a stream."""

    error: str
    segment: int | None = None


def decoded(data: bytes, kind: type[Kind]) -> Kind:
    """Read a message.

    Raises:
        RequestError: if it is not JSON, or has other fields or types.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise RequestError(422, f"the request has another form than /openapi.json says: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        half = "; a \\u escape may be half of a character (a lone surrogate)" if _SURROGATE.search(data) else ""
        raise RequestError(400, f"the request is not JSON in UTF-8: {error}{half}") from None


def queried(query: list[tuple[str, str]]) -> Options:
    """Read the options of a stream from a query.

    Raises:
        RequestError: for an unknown or repeated name, or a value of another type.
    """
    given = dict(query)
    if len(given) < len(query):
        raise RequestError(400, "an option of the query is given twice")
    try:
        return msgspec.convert(given, Options, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the query: {error}; there are metric, language and utf16") from None


encode = msgspec.json.Encoder().encode
