"""The application: what each address answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as Received
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import meteor_e
from meteor_e.api import MeteorError
from meteor_e_server.lanes import TOGETHER, Job, Lane, LaneClosedError, describe, tell
from meteor_e_server.messages import (
    Error,
    Marked,
    Options,
    Request,
    RequestError,
    Scored,
    Segment,
    SpansRequest,
    decoded,
    encode,
    queried,
)
from meteor_e_server.openapi import openapi
from meteor_e_server.store import Store
from meteor_e_server.work import Work, added, marked, references_of

JSON = "application/json"
LINES = "application/x-ndjson"


@dataclass(frozen=True)
class Limits:
    """What a server takes.

    Attributes:
        body: bytes of a request, or of a line of a stream.
        segments: of a request.
        text: characters of a text.
        requests: that are open at once.
        held: bytes of all open requests.
        seconds: from the first byte of a request to its answer; of a stream, for each of its steps.
    """

    body: int = 16 << 20
    segments: int = 10_000
    text: int = 20_000
    requests: int = 256
    held: int = 256 << 20
    seconds: float = 30.0


class Gate:
    """Counts what is open, and lets no more in than the limits say."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.requests = self.held = 0

    @contextlib.contextmanager
    def entered(self) -> Iterator[Callable[[int], None]]:
        """Count a request; yield what tells how many bytes it holds.

        Raises:
            RequestError: if there is no room.
        """
        if self.requests >= self._limits.requests:
            raise RequestError(503, f"{self.requests} requests wait already; try again later", {"Retry-After": "1"})
        self.requests += 1
        mine = 0

        def hold(count: int) -> None:
            nonlocal mine
            if count > mine and self.held + count - mine > self._limits.held:
                raise RequestError(503, "the requests that wait fill the memory; try again later", {"Retry-After": "1"})
            self.held += count - mine
            mine = count

        try:
            yield hold
        finally:
            self.requests -= 1
            self.held -= mine


class Service:
    """What the addresses share.

    Args:
        store: the metrics.
        limits: what is taken.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self.gate = Gate(limits)

    # What each address answers.

    async def score(self, received: Received) -> Response | Stream:
        """``/score``."""
        return await self._tasked(received, "score")

    async def align(self, received: Received) -> Response | Stream:
        """``/align``."""
        return await self._tasked(received, "align")

    async def spans(self, received: Received) -> Response | Stream:
        """``/spans``."""
        return await self._tasked(received, "spans")

    async def health(self, _: Received) -> Response:
        """``/health``."""
        queue = {"requests": self.gate.requests, "bytes": self.gate.held}
        return _answer({"status": "ok", "version": meteor_e.__version__, "queue": queue})

    async def metrics(self, _: Received) -> Response:
        """``/metrics``."""
        store, limits = self.store, self.limits
        loaded = [
            {"metric": name, "label": work.label, "signature": work.signature} for name, work in store.works.items()
        ]
        return _answer(
            {
                "version": meteor_e.__version__,
                "loaded": loaded,
                "on_demand": store.allowed,
                "languages": store.languages,
                "spans": store.spans is None,
                "limits": {name: getattr(limits, name) for name in Limits.__dataclass_fields__},
            }
        )

    async def openapi(self, _: Received) -> Response:
        """``/openapi.json``."""
        return _answer(openapi())

    async def index(self, _: Received) -> Response:
        """``/``."""
        return _answer(
            {"name": "meteor_e", "version": meteor_e.__version__, "endpoints": [route.path for route in routes(self)]}
        )

    async def _tasked(self, received: Received, task: str) -> Response | Stream:
        kind = received.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == LINES:
            options = queried(received.query_params.multi_items())
            if task == "spans" and options.metric is not None:
                raise RequestError(400, "the query: /spans takes no metric")
            if task != "spans" and "utf16" in received.query_params:
                raise RequestError(400, "the query: utf16 is an option of /spans")
            return Stream(self, task, options)
        if kind != JSON:
            raise RequestError(415, f"the content type must be {JSON}, or {LINES} for a stream, not {kind or 'empty'}")
        if received.query_params:
            raise RequestError(400, "a query belongs to streams; write the options into the request")
        deadline = asyncio.get_running_loop().time() + self.limits.seconds
        with self.gate.entered() as hold:
            data = await self._body(received, hold, deadline)
            request: Any = decoded(data, SpansRequest if task == "spans" else Request)
            segments = request.segments
            self.check(segments)
            options = Options(
                metric=getattr(request, "metric", None),
                language=request.language,
                utf16=getattr(request, "utf16", False),
            )
            ended = asyncio.create_task(_ended(received.receive))
            try:
                work, found, statistics = await self.worked(task, options, segments, deadline, ended)
            finally:
                ended.cancel()
            for at, each in enumerate(found, 1):
                if isinstance(each, BaseException):
                    status, message = describe(each)
                    raise RequestError(status, f"segment {at}: {message}")
            rows = said(task, found, segments, options)
            answer = summary(task, work, added(None, statistics), len(segments))
            answer.segments = rows
            return _answer(answer)

    def check(self, segments: Sequence[Segment], before: int = 0) -> None:
        """Refuse segments beyond the limits; ``before`` counts those that came before them."""
        if len(segments) > self.limits.segments:
            raise RequestError(413, f"{len(segments)} segments; at most {self.limits.segments} are taken at once")
        most = self.limits.text
        for number, segment in enumerate(segments, before + 1):
            references = references_of(segment)
            if len(segment.hypothesis) > most or any(len(text) > most for text in references):
                raise RequestError(413, f"segment {number}: a text has more than {most} characters")

    async def worked(
        self,
        task: str,
        options: Options,
        segments: Sequence[Segment],
        deadline: float,
        ended: asyncio.Task[None] | None = None,
    ) -> tuple[Work, list[Any], Any]:
        """Wait for what a lane finds.

        Args:
            task, options: say which lane.
            segments: what to work on.
            deadline: time of the event loop at which nobody waits any more.
            ended: done when the client is gone.

        Raises:
            RequestError: if it took too long, or failed.
            ClientDisconnect: if the client is gone.
        """
        lane, job = self._submitted(task, options, segments)
        try:
            left = max(0.0, deadline - asyncio.get_running_loop().time())
            waiting: set[asyncio.Future[Any]] = {job.done} if ended is None else {job.done, ended}
            await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not job.done.done():
                if ended is not None and ended.done():
                    raise ClientDisconnect
                raise RequestError(
                    503, f"no answer within {self.limits.seconds:g} seconds; send fewer segments, or try again later"
                )
            return job.done.result()
        except (RequestError, ClientDisconnect, asyncio.CancelledError):
            raise
        except BaseException as error:
            raise RequestError(*describe(error)) from error
        finally:
            if not job.done.done():
                job.done.cancel()
                lane.drop(job)

    def _submitted(self, task: str, options: Options, segments: Sequence[Segment]) -> tuple[Lane, Job]:
        while True:
            lane = self.store.lane(task, options.metric, options.language)
            # One that ends at this moment is not in the store any more.
            with contextlib.suppress(LaneClosedError):
                return lane, lane.submit(segments)

    async def _body(self, received: Received, hold: Callable[[int], None], deadline: float) -> bytes:
        """Return what a request holds.

        Raises:
            RequestError: if it is too large, or takes too long.
        """
        most = self.limits.body
        length = received.headers.get("content-length", "")
        late = RequestError(
            413, f"the request has more than {most} bytes; send less at a time", {"Connection": "close"}
        )
        if length.isdecimal() and int(length) > most and "expect" in received.headers:
            raise late
        data = bytearray()
        size = 0
        while True:
            message = await timed(received.receive(), deadline, "the request has not ended")
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            part = message.get("body", b"")
            size += len(part)
            # The rest is read and forgotten: who still sends would not hear an answer.
            if size <= most:
                hold(size)
                data += part
            if size > 4 * most:
                raise late
            if not message.get("more_body", False):
                break
        if size > most:
            raise late
        return bytes(data)


class Stream:
    """Segments line by line, and what is found for each as soon as it is.

    Args:
        service: what does it.
        task: ``score``, ``align`` or ``spans``.
        options: of the query.
    """

    def __init__(self, service: Service, task: str, options: Options) -> None:
        self._service, self._task, self._options = service, task, options
        self._number = 0
        self._total: Any = None
        self._work: Work | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        started = False

        async def write(data: bytes, *, last: bool = False) -> None:
            nonlocal started
            if not started:
                started = True
                headers = [(b"content-type", LINES.encode()), (b"cache-control", b"no-store")]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
            message = {"type": "http.response.body", "body": data, "more_body": not last}
            await timed(send(message), self._deadline(), "the answer is not read")

        with contextlib.suppress(ClientDisconnect):
            try:
                await self._lines(receive, write)
            except RequestError as error:
                if not started:
                    await refusal(error)(scope, receive, send)
                    return
                number = self._number + 1 if error.status in (400, 422) else None
                await write(encode(Error(str(error), number)) + b"\n", last=True)

    def _deadline(self) -> float:
        return asyncio.get_running_loop().time() + self._service.limits.seconds

    async def _lines(self, receive: Receive, write: Callable[..., Awaitable[None]]) -> None:
        service = self._service
        with service.gate.entered() as hold:
            rest = b""
            more = True
            while more:
                message = await timed(receive(), self._deadline(), "the stream has not ended")
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                more = message.get("more_body", False)
                data = rest + message.get("body", b"")
                whole, separator, rest = data.rpartition(b"\n") if more else (data, b"\n", b"")
                if len(rest) > service.limits.body:
                    raise RequestError(
                        413, f"a line has more than {service.limits.body} bytes", {"Connection": "close"}
                    )
                hold(len(data))
                lines = [line for line in whole.split(b"\n") if line.strip()] if separator else []
                for start in range(0, len(lines), TOGETHER):
                    await self._batch(lines[start : start + TOGETHER], write)
                self._check_line(rest)
            if self._work is None:
                raise RequestError(422, "the stream has no segments")
            end = summary(self._task, self._work, self._total, self._number)
            await write(encode(end) + b"\n", last=True)

    def _check_line(self, line: bytes) -> None:
        if len(line) > self._service.limits.body:
            message = f"a line has more than {self._service.limits.body} bytes"
            raise RequestError(413, message, {"Connection": "close"})

    async def _batch(self, lines: Sequence[bytes], write: Callable[..., Awaitable[None]]) -> None:
        """Answer some lines; what comes before a wrong one is answered first."""
        segments: list[Segment] = []
        wrong: RequestError | None = None
        for line in lines:
            try:
                self._check_line(line)
                segment = decoded(line, Segment)
                self._service.check([segment], self._number + len(segments))
            except RequestError as error:
                wrong = error
                break
            segments.append(segment)
        if segments:
            await self._found(segments, write)
        if wrong is not None:
            raise wrong

    async def _found(self, segments: list[Segment], write: Callable[..., Awaitable[None]]) -> None:
        worked = self._service.worked(self._task, self._options, segments, self._deadline())
        work, found, statistics = await worked
        if not work.streams:
            raise RequestError(422, f"metric {work.label!r} needs all segments at once; send them as {JSON}")
        self._work = work
        failed = next((at for at, each in enumerate(found) if isinstance(each, BaseException)), len(found))
        rows = said(self._task, found[:failed], segments, self._options)
        if rows:
            await write(b"".join(encode(row) + b"\n" for row in rows))
        self._number += failed
        if failed < len(found):
            raise RequestError(*describe(found[failed]))
        self._total = added(self._total, statistics)


def said(task: str, found: Sequence[Any], segments: Sequence[Segment], options: Options) -> list[Any]:
    """Return what was found as it is answered."""
    if task != "spans":
        return list(found)
    return [marked(each, segment, options.utf16) for each, segment in zip(found, segments, strict=False)]


def summary(task: str, work: Work, total: Any, count: int) -> Scored | Marked:
    """Return what is answered about all segments."""
    if task == "spans":
        return Marked(meteor_e.__version__, work.signature, work.language, count)
    score, parts = work.whole(total, count)
    return Scored(meteor_e.__version__, work.label, work.signature, work.language, count, score, parts)


async def timed(step: Awaitable[Any], deadline: float, what: str) -> Any:
    """Wait for a step.

    Raises:
        RequestError: at the deadline.
    """
    left = max(0.0, deadline - asyncio.get_running_loop().time())
    try:
        return await asyncio.wait_for(step, left)
    except asyncio.TimeoutError:
        raise RequestError(408, f"{what} in time", {"Connection": "close"}) from None


async def _ended(receive: Receive) -> None:
    """Return when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def refusal(error: RequestError) -> Response:
    """Return an error as it is answered."""
    body = encode(Error(str(error))) + b"\n"
    return Response(body, error.status, {"Cache-Control": "no-store", **error.headers}, JSON)


def _answer(content: Any) -> Response:
    return Response(encode(content) + b"\n", 200, {"Cache-Control": "no-store"}, JSON)


def routes(service: Service) -> list[Route]:
    """Return the addresses."""
    return [
        Route("/", service.index),
        Route("/health", service.health),
        Route("/metrics", service.metrics),
        Route("/openapi.json", service.openapi),
        *(Route(f"/{task}", getattr(service, task), methods=["POST"]) for task in ("score", "align", "spans")),
    ]


class Guard:
    """Refuses requests to other hosts than the server's own, and answers where something fails that should not.

    A page of another host whose name leads here, too, would otherwise be taken for ours (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "http" and self._hosts:
            given = dict(scope["headers"]).get(b"host", b"").decode("latin-1").lower()
            name = given.rpartition(":")[0] if given.rpartition(":")[2].isdecimal() else given
            if name not in self._hosts:
                await refusal(RequestError(421, f"the server is not {given!r}"))(scope, receive, send)
                return
        started = False

        async def sent(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:
            tell(error)
            if started:
                raise
            await refusal(RequestError(500, f"the server failed: {type(error).__name__}"))(scope, receive, send)


def application(
    store: Store, limits: Limits | None = None, origins: Sequence[str] = (), hosts: Sequence[str] = ()
) -> Starlette:
    """Return the application.

    Args:
        store: the metrics.
        limits: what is taken.
        origins: of pages elsewhere that may call the server; ``*`` for all.
        hosts: names under which it may be called; by default any.
    """

    async def refused(_: Received, error: Exception) -> Response:
        if isinstance(error, RequestError):
            return refusal(error)
        if isinstance(error, HTTPException):
            known = {404: "there is no such address; see /openapi.json", 405: "the address takes another method"}
            message = known.get(error.status_code, error.detail)
            return refusal(RequestError(error.status_code, message, dict(error.headers or {})))
        if isinstance(error, MeteorError):
            return refusal(RequestError(*describe(error)))
        # The client is gone; nobody reads this.
        return Response(status_code=499)

    middleware = [Middleware(Guard, hosts=hosts)]
    if origins:
        middleware.append(
            Middleware(
                CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["Content-Type"]
            )
        )
    handlers = dict.fromkeys((RequestError, HTTPException, ClientDisconnect, MeteorError), refused)
    return Starlette(
        routes=routes(Service(store, limits or Limits())),
        middleware=middleware,
        exception_handlers=handlers,  # type: ignore[arg-type]
    )
