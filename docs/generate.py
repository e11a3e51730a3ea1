"""Pages that are made from the code when the site is built: the command line's options, and the keys of a chain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from meteor_e.chains.schemas import json_schema
from meteor_e.cli import cli
from meteor_e.cli.new_plugin import new


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, content in (
        ("reference/command-line.md", command_line()),
        ("reference/chain-keys.md", chain_keys()),
    ):
        files.append(File.generated(config, path, content=content))
    return files


_OUTSIDE = re.compile(
    r"\[([^\]]*)\]"
    r"\((?:\.\./)+((?:plugins|meteor_e|benchmarks|examples|resources|tests)(?:/[^)#]*)?)(?:#[^)]*)?\)"
)
"""A link to a file of the repository beside ``docs``: its text, and the file."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """Name files of the repository that are not part of the site, instead of linking to them."""
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def command_line() -> str:
    """Return the page of all commands, as their help says it."""
    lines = ["# Command line", ""]
    lines += ["This page is made from the help texts. `meteor-e COMMAND --help` prints the same.", ""]
    context = click.Context(cli, info_name="meteor-e")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        lines += _command(command, click.Context(command, info_name=f"meteor-e {name}"), 2)
        if name == "plugins":
            lines += _command(new, click.Context(new, info_name="meteor-e plugins new"), 3)
    return "\n".join(lines) + "\n"


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} {context.info_name}"
    yield ""
    yield "```text"
    yield command.get_help(context)
    yield "```"
    yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command(inner, click.Context(inner, info_name=f"{context.info_name} {name}"), level + 1)


def chain_keys() -> str:
    """Return the page of a chain's keys, from the schema that checks them."""
    schema = json.loads(json_schema("chain"))
    definitions = schema.get("$defs", {})
    root = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    lines = [
        "# Keys of a chain",
        "",
        "This page is made from the schema that checks chain files. `meteor-e config schema chain` prints it as JSON.",
        "",
        "| key | type | meaning |",
        "|---|---|---|",
    ]
    for name, entry in root["properties"].items():
        entry = {**definitions.get(entry.get("$ref", "").rpartition("/")[2], {}), **entry}
        lines.append(f"| `{name}` | {_type(entry, definitions)} | {entry.get('description', '')} |")
    return "\n".join(lines) + "\n"


def _type(entry: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    if "$ref" in entry:
        name = entry["$ref"].rpartition("/")[2]
        return _type(definitions[name], definitions) if "enum" in definitions[name] else "mapping"
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_type(option, definitions) for option in entry["anyOf"]))
    return {"object": "mapping", "array": "list", "string": "text", "boolean": "true or false"}.get(
        entry.get("type", ""), entry.get("type", "any")
    )
