"""``meteor-e plugins``: what is there, and where it comes from."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from meteor_e.chains.config import describe_chain
from meteor_e.cli.tables import format_table, printable
from meteor_e.plugins import definitions
from meteor_e.plugins.registry import Entry, registry

KINDS = tuple(definitions.KINDS)


@click.command()
@click.option("-k", "--kind", type=click.Choice(KINDS), help="List one kind only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(kind: str | None, as_json: bool) -> None:
    """List matchers, features, languages, lemmatisers, chains and commands, and where they come from.

    What cannot be used is listed with the reason. A plugin is any installed distribution with entry points
    of the group meteor_e.
    """
    entries = registry().entries(kind, describe_chain)
    if as_json:
        rows = [{**asdict(entry), "status": "error" if entry.error else "ok"} for entry in entries]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    lines = [[entry.kind, entry.name, _origin(entry), _description(entry)] for entry in entries]
    click.echo(format_table(["kind", "name", "from", "what"], [list(map(printable, line)) for line in lines], left=4))


def _origin(entry: Entry) -> str:
    return f"{entry.distribution or entry.plugin} {entry.version}".strip()


def _description(entry: Entry) -> str:
    if entry.error:
        return f"ERROR: {entry.error}"
    text = entry.summary
    if entry.aliases:
        text += f" (also {', '.join(entry.aliases)})"
    if entry.requires:
        text += f" (needs {', '.join(entry.requires)})"
    return text
