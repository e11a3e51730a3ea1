"""Measure `meteor-e serve`: batches, single segments at a fixed rate, and a process per call beside them.

    python benchmarks/speed/server.py HYPOTHESIS REFERENCE -l en

Starts a server with two threads on a free port. The clients are in this process, so on two processors they take part of
what they measure. On a machine that does other things, too, the processor time of the server is the figure that counts.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = "POST /{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"


def requests(pairs: list[tuple[str, str]], count: int) -> itertools.cycle[bytes]:
    """Return requests of so many segments each, without end."""
    made = []
    for start in range(0, len(pairs) - count + 1, count):
        part = [{"hypothesis": one, "references": [other]} for one, other in pairs[start : start + count]]
        body = json.dumps({"segments": part}).encode()
        made.append(HEAD.format(path="score", length=len(body)).encode() + body)
    return itertools.cycle(made)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> dict[str, object]:
    """Send a request and return the answer; fail for an error."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    answer = json.loads(await reader.readexactly(length))
    assert head.startswith(b"HTTP/1.1 200 "), (head, answer)
    return answer


async def in_batches(port: int, made: itertools.cycle[bytes], clients: int, seconds: float) -> int:
    """Let clients ask one request after the other; return the number of segments that were scored."""
    end, scored = time.monotonic() + seconds, 0

    async def client() -> None:
        nonlocal scored
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        while time.monotonic() < end:
            scored += (await ask(reader, writer, next(made)))["count"]
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return scored


async def at_a_rate(port: int, made: itertools.cycle[bytes], rate: float, seconds: float) -> list[tuple[float, float]]:
    """Send requests at a fixed rate, whether or not answers have come.

    Returns:
        For each request the seconds by which it was sent late, and those from when it was due to its answer.
    """
    free = [await asyncio.open_connection("127.0.0.1", port) for _ in range(8)]
    took: list[tuple[float, float]] = []

    async def one(due: float) -> None:
        reader, writer = free.pop() if free else await asyncio.open_connection("127.0.0.1", port)
        late = time.monotonic() - due
        await ask(reader, writer, next(made))
        # From when it was due: a client that is late does not hide a server that is.
        took.append((late, time.monotonic() - due))
        free.append((reader, writer))

    start, asked = time.monotonic(), []
    for number in range(int(rate * seconds)):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        asked.append(asyncio.create_task(one(due)))
    await asyncio.gather(*asked)
    for _, writer in free:
        writer.close()
    return took


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def per_call(pairs: list[tuple[str, str]], language: str, count: int) -> tuple[float, float]:
    """Return the seconds, and those of processor time, that a process per segment takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("hypothesis", "reference")]
        for pair in pairs[:count]:
            for file, text in zip(files, pair, strict=True):
                file.write_text(text + "\n", encoding="utf-8")
            command = (sys.executable, "-m", "meteor_e", "score", *map(str, files), "-l", language)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.monotonic() - start) / count, used / count


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hypothesis", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("-l", "--language", default="en")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rate", type=float, default=100.0)
    given = parser.parse_args()
    sides = [file.read_text(encoding="utf-8").splitlines() for file in (given.hypothesis, given.reference)]
    pairs = list(zip(*sides, strict=True))
    words = sum(len(text.split()) for text in sides[1]) / len(pairs)
    print(f"{len(pairs)} segments of {words:.1f} words, language {given.language}")
    command = (sys.executable, "-m", "meteor_e", "serve", "-l", given.language, "--port", "0", "--threads", "2")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline().rpartition(":")[2])
            batches = requests(pairs, min(given.batch, len(pairs)))
            # Everything once, so that files are read and memories full as in a server that has run for a while.
            asyncio.run(in_batches(port, batches, 1, 1.0))
            before, start = processor_time(server.pid), time.monotonic()
            scored = asyncio.run(in_batches(port, batches, given.clients, given.seconds))
            used, took = processor_time(server.pid) - before, time.monotonic() - start
            print(
                f"batches of {given.batch}, {given.clients} clients: {scored / took:,.0f} segments per second; the "
                f"server used {1e6 * used / scored:.0f} µs of processor time for each: {scored / used:,.0f} a second"
            )
            before = processor_time(server.pid)
            found = asyncio.run(at_a_rate(port, requests(pairs, 1), given.rate, given.seconds))
            used = processor_time(server.pid) - before
            lateness, latencies = (sorted(1000 * each for each in side) for side in zip(*found, strict=True))
            p50, p99 = (latencies[int(len(latencies) * share)] for share in (0.5, 0.99))
            print(
                f"one segment at a time, {given.rate:g} requests per second: p50 {p50:.1f} ms, p99 {p99:.1f} ms, most "
                f"{latencies[-1]:.1f} ms (the client itself: p99 {lateness[int(len(lateness) * 0.99)]:.1f} ms late); "
                f"{1000 * used / len(latencies):.2f} ms of processor time for each"
            )
        finally:
            server.terminate()
    took, used = per_call(pairs, given.language, 10)
    print(f"a process per call: {1000 * took:.0f} ms, {1000 * used:.0f} ms of processor time")


if __name__ == "__main__":
    main()
