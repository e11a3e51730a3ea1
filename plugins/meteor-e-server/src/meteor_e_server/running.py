"""The server's process: its socket, its signals, and connections that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from meteor_e.api import ConfigError
from meteor_e_server.messages import Error, encode

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Protocol(H11Protocol):  # type: ignore[misc]
    """HTTP/1.1 by h11, which bounds what headers hold. All errors are JSON, and nobody takes long over headers."""

    seconds = 30.0
    connections_at_most = 1024
    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_at_most:
            self._refuse(503, "too many connections; try again later")
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._wait_no_more()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self._wait()

    def pause_writing(self) -> None:
        """Wait for a client that does not read what it is sent, but not for long."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(self.seconds, self._close)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse(400, "the request is not HTTP/1.1")

    def _refuse(self, status: int, message: str) -> None:
        body = encode(Error(message)) + b"\n"
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        # Where an answer is under way already, there is nothing but to end it.
        with contextlib.suppress(h11.LocalProtocolError):
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        self._wait_no_more()
        self._late = self.loop.call_later(self.seconds, self._close)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _close(self) -> None:
        # What is not read by now is not waited for.
        self.transport.abort()


class Server(uvicorn.Server):  # type: ignore[misc]
    """A server that says when it is ready, and ends in peace at the first SIGINT or SIGTERM; at the second at once."""

    ready: Callable[[], None]
    should_exit: bool
    force_exit: bool

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets=sockets)
        self.ready()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Take no more connections, and end when those that there are have their answers."""
        self.force_exit = self.should_exit
        self.should_exit = True


def listening(host: str, port: int, path: str | None) -> tuple[socket.socket, str]:
    """Return a socket that listens, and its address.

    Args:
        host, port: of TCP.
        path: of a Unix socket, instead.

    Raises:
        ConfigError: if the address cannot be had.
    """
    try:
        with contextlib.ExitStack() as failing:
            if path is None:
                family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
                opened = failing.enter_context(socket.socket(family, kind, protocol))
                if os.name == "posix":
                    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                opened.bind(address)
                shown = f"[{host}]" if ":" in host else host
                name = f"http://{shown}:{opened.getsockname()[1]}"
            else:
                if not hasattr(socket, "AF_UNIX"):
                    raise ConfigError("--socket: this system has no Unix sockets; take --port")
                opened = failing.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                _bind(opened, path)
                name = f"unix:{path}"
            opened.listen(2048)
            failing.pop_all()
    except (OSError, UnicodeError) as error:
        where = path or f"{host}, port {port}"
        raise ConfigError(f"cannot listen on {where}: {getattr(error, 'strerror', None) or error}") from None
    opened.setblocking(False)
    return opened, name


def _bind(opened: socket.socket, path: str) -> None:
    """Bind a Unix socket to a path, which only the user may open."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(Path(path).stat().st_mode):
            raise ConfigError(f"--socket {path}: there is a file of that name; name another one")
        try:
            opened.connect(path)
        except ConnectionRefusedError:
            # What a server left that was killed.
            Path(path).unlink()
        else:
            raise ConfigError(f"--socket {path}: another server listens there")
    before = os.umask(0o177)
    try:
        opened.bind(path)
    finally:
        os.umask(before)


def run(app: Any, opened: socket.socket, seconds: float, connections: int, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it.

    Args:
        app: the application.
        opened: a socket that listens.
        seconds: that a request may take.
        connections: that are open at once.
        ready: called when requests are answered.
    """
    protocol = type("Protocol", (Protocol,), {"seconds": seconds, "connections_at_most": connections})
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=int(seconds) + 1,
        timeout_graceful_shutdown=int(2 * seconds) + 1,
    )
    server = Server(config)
    server.ready = ready
    # What was loaded stays; not to look through it again keeps the pauses short.
    gc.collect()
    gc.freeze()
    try:
        server.run(sockets=[opened])
    finally:
        opened.close()
