"""A real process: it says when it is ready, and is ended by signals."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "meteor_e", "serve", "-l", "other", "-m", "exact", "--offline", "--time-limit", "3600")
WORDS = {"hypothesis": "a b c d e f g h " * 20, "references": ["h g f e d c b a " * 20, "a c b d " * 30]}


@pytest.fixture
def start(tmp_path):
    """Start a server; return the process, and its address when it is ready."""
    started = []

    def start(*options):
        process = subprocess.Popen((*COMMAND, *options), stdout=subprocess.PIPE, cwd=tmp_path, text=True)
        started.append(process)
        line = process.stdout.readline()
        assert line.startswith("meteor-e: serving on ")
        return process, line.split()[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_nothing_is_lost_when_it_is_ended(start, number):
    process, address = start("--port", "0")
    host, port = address.removeprefix("http://").split(":")
    body = json.dumps({"segments": [WORDS] * 12})
    # Each request is under way when the signal comes: the server has its head, and has asked for the body.
    waiting = [socket.create_connection((host, int(port))) for _ in range(4)]
    head = f"POST /score HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    for connection in waiting:
        connection.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
    process.send_signal(number)
    answers = []

    def finish(connection):
        connection.sendall(body.encode())
        response = http.client.HTTPResponse(connection)
        response.begin()
        answers.append((response.status, json.loads(response.read())))

    finishing = [threading.Thread(target=finish, args=(connection,)) for connection in waiting]
    for thread in finishing:
        thread.start()
    for thread in finishing:
        thread.join()
    for connection in waiting:
        connection.close()
    assert [(status, answer["count"]) for status, answer in answers] == [(200, 12)] * 4
    assert process.wait() == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")
def test_a_socket_that_a_killed_server_left(start, tmp_path):
    path = tmp_path / "meteor.sock"
    process, address = start("--socket", "meteor.sock")
    assert address == "unix:meteor.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    refused = subprocess.run((*COMMAND, "--socket", "meteor.sock"), cwd=tmp_path, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "another server listens there" in refused.stderr
    process.kill()
    process.wait()
    assert path.exists()
    process, _ = start("--socket", "meteor.sock")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b'"status":"ok"' in b"".join(iter(lambda: connection.recv(1000), b""))
    process.terminate()
    assert process.wait() == 0
    assert not path.exists()


def test_addresses_that_cannot_be_had(cli, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        result = cli("serve", "-l", "other", "-m", "exact", "--port", port)
    assert (result.code, f"cannot listen on 127.0.0.1, port {port}: " in result.err) == (2, True)
    for options, said in (("--host", "\udcff"), "cannot listen on"), (("--cors-origin", "a\n"), "'a\\n' is no origin"):
        assert said in cli("serve", "-l", "other", "-m", "exact", "--port", "0", *options).err
    Path(cli.folder / "file").write_text("kept")
    for options in (
        ("--socket", "file"),
        ("--socket", "none/x"),
        ("--port", "1", "--socket", "x"),
        ("--max-body", "x"),
    ):
        result = cli("serve", "-l", "other", "-m", "exact", *options)
        assert (result.code, result.err.count("\n")) == (2, 1)
    assert Path(cli.folder / "file").read_text() == "kept"
    result = cli("serve", "-l", "other", "-m", "exact", "--port", "0", "-M", "blue")
    assert (result.code, "unknown metric 'blue'" in result.err) == (2, True)
    result = cli("serve", "-l", "other", "-m", "exact", "--port", "0", "-M", "chrf", "--allow", "chrf")
    assert "two metrics have one name" in result.err
    result = cli("serve", "-l", "other", "-m", "exact", "--port", "0", "--allow", "blue")
    assert (result.code, "unknown metric 'blue'" in result.err) == (2, True)
