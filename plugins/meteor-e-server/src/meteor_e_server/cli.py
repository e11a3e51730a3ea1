"""``meteor-e serve``: METEOR over HTTP."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import click

from meteor_e.api import ConfigError
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, MeteorMaker, metric_options

GROUPS = {
    "Address": OptionGroup(("host", "port", "socket", "origins"), "--socket meteor.sock"),
    **METRIC_GROUPS,
    "Metrics on demand": OptionGroup(("allowed", "languages", "keep"), "-l de --also-language fr --allow chrf"),
    "Limits": OptionGroup(
        ("requests", "connections", "seconds", "body", "held", "segments", "text"), "--requests 64 --time-limit 5"
    ),
}
"""The groups of the help text."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _size(_: click.Context, option: click.Parameter, text: str) -> int:
    """Read a size such as ``16M``."""
    found = re.fullmatch(r"([1-9]\d{0,9})([KMG]?)", text.upper())
    if found is None:
        raise ConfigError(f"{option.opts[0]} is {text!r}; write bytes, or a number with K, M or G")
    return int(found[1]) * _UNITS[found[2]]


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.option(
    "--host", default="127.0.0.1", help="Address to listen on; any other than the default lets other machines in."
    "  [default: 127.0.0.1]"
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), help="TCP port; 0 takes a free one.  [default: 8765]")
@click.option("--socket", metavar="FILE", help="A Unix socket instead of a port; only you may open it.")
@click.option(
    "--cors-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of this origin call the server, such as https://example.org; null is a page in a file, such as a "
    "report. May be repeated.  [default: none]",
)
@metric_options
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric to load, as for `meteor-e score`; repeat it for several. Requests name them; the first is their "
    "default.  [default: meteor]",
)
@click.option(
    "--allow", "allowed", multiple=True, metavar="METRIC", help="A metric to load when a request first names it."
)
@click.option(
    "--also-language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="A further language that requests may name; its metrics are loaded when one does.",
)
@click.option(
    "--keep", type=click.IntRange(min=1), default=4, metavar="N",
    help="Metrics loaded on demand that stay in memory.  [default: 4]",
)  # fmt: skip
@click.option(
    "--requests", type=click.IntRange(min=1), default=256, metavar="N",
    help="Requests that are open at once; further ones get 503.  [default: 256]",
)  # fmt: skip
@click.option(
    "--connections", type=click.IntRange(min=1), default=1024, metavar="N",
    help="Connections that are open at once; further ones get 503.  [default: 1024]",
)  # fmt: skip
@click.option(
    "--time-limit", "seconds", type=click.FloatRange(min=0, min_open=True, max=86400), default=30.0, metavar="SECONDS",
    help="Time that a request may take; of a stream, each of its steps.  [default: 30]",
)  # fmt: skip
@click.option("--max-body", "body", default="16M", callback=_size, metavar="SIZE",
              help="Size of a request.  [default: 16M]")  # fmt: skip
@click.option("--max-memory", "held", default="256M", callback=_size, metavar="SIZE",
              help="Size of all requests that are open.  [default: 256M]")  # fmt: skip
@click.option("--max-segments", "segments", type=click.IntRange(min=1), default=10_000, metavar="N",
              help="Segments of a request.  [default: 10000]")  # fmt: skip
@click.option("--max-text", "text", type=click.IntRange(min=1), default=20_000, metavar="N",
              help="Characters of a text.  [default: 20000]")  # fmt: skip
def serve(
    host: str,
    port: int | None,
    socket: str | None,
    origins: tuple[str, ...],
    make_meteor: MeteorMaker,
    metrics: tuple[str, ...],
    allowed: tuple[str, ...],
    languages: tuple[str, ...],
    keep: int,
    requests: int,
    connections: int,
    seconds: float,
    body: int,
    held: int,
    segments: int,
    text: int,
) -> None:
    """Answer HTTP requests with scores, alignments and error spans.

    For programs that are not Python: one process loads the metrics, and any number of clients ask. Addresses: /score,
    /align, /spans, /metrics, /health, and /openapi.json, which describes them. A line on standard output says when the
    server is ready. SIGINT (Ctrl-C) or SIGTERM ends it after the requests that are under way; a second one at once.

    \b
    meteor-e serve -l en
    meteor-e serve -l en -M meteor -M chrf --port 8000
    curl -s localhost:8765/score -H 'Content-Type: application/json' \\
      -d '{"segments": [{"hypothesis": "the cat sat", "references": ["a cat sat"]}]}'
    """
    if port is not None and socket is not None:
        raise ConfigError("--port and --socket exclude each other")
    from meteor_e_server.app import Limits, application
    from meteor_e_server.running import LOOPBACK, listening, run
    from meteor_e_server.store import Store

    opened, name = listening(host, 8765 if port is None else port, socket)
    try:
        store = Store(make_meteor, metrics or ("meteor",), allowed, languages, keep)
        limits = Limits(body=body, segments=segments, text=text, requests=requests, held=held, seconds=seconds)
        # Others may call a server on the loopback address by its names only.
        hosts = (*LOOPBACK, "[::1]") if socket is None and host in LOOPBACK else ()
        if bad := next((origin for origin in origins if not origin.isprintable() or " " in origin), None):
            raise ConfigError(f"--cors-origin {bad!r} is no origin, such as https://example.org")
        app = application(store, limits, origins, hosts)
        run(app, opened, seconds, connections, lambda: click.echo(f"meteor-e: serving on {name}"))
        store.close()
    finally:
        opened.close()
        if socket is not None:
            with contextlib.suppress(FileNotFoundError):
                Path(socket).unlink()
