"""``meteor-e plugins``: list the installed components and the distributions that provide them."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from dataclasses import asdict
from typing import Any

import click

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.chains.config import describe_chain
from meteor_e.plugins.definitions import Entry
from meteor_e.plugins.registry import ClassRegistry, plugin_registry
from meteor_e.render.columns import format_wrapped_table
from meteor_e.render.plain import format_table, printable

KINDS = tuple(plugin_registry().kinds)

_FIRST = ("matcher", "metric", "chain")
"""Kinds whose components are listed by default, without ``--kind``."""


class _Listing(click.Command):
    """The listing, with one word before it that is a command of its own: ``new``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments of the listing, or of ``new``."""
        if args[:1] == ["new"]:
            from meteor_e.cli.new_plugin import new

            return new.make_context(f"{info_name} new", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Listing)
@click.argument("name", required=False)
@click.option("-k", "--kind", type=click.Choice(KINDS), metavar="KIND", help=f"List one kind: {', '.join(KINDS)}.")
@click.option("--wide", is_flag=True, help="Print one line each, with the distribution that it comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(name: str | None, kind: str | None, wide: bool, as_json: bool) -> None:
    """List matchers, features, languages, lemmatizers, chains and commands, and where they come from.

    Matchers, metrics and chains are listed one by one, other kinds with --kind.

    With a NAME, describe what has that name, with its options: their types, bounds and defaults.

    `meteor-e plugins new NAME` writes a plugin to begin with: see `meteor-e plugins new --help`.

    What cannot be used is listed with the reason. A plugin is any installed distribution with entry points
    of the group meteor_e. METEOR_E_PLUGINS=none in the environment switches all plugins off; a list of
    distributions, joined by commas, leaves those on.

    \b
    meteor-e plugins --kind matcher
    meteor-e plugins stem
    """
    entries = plugin_registry().entries(kind, describe_chain, name)
    if name is not None and not entries:
        description = kind or "plugin, matcher, feature, or the like,"
        kinds = [kind] if kind else KINDS
        names = {name for searched_kind in kinds for name in plugin_registry().kinds[searched_kind].names()}
        raise ConfigError(f"there is no {description} {name!r}{near_miss(name, names)}; meteor-e plugins lists all")
    if as_json:
        rows = [
            {**asdict(entry), "status": "error" if entry.error else "ok", **(_details(entry) if name else {})}
            for entry in entries
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif name is not None:
        click.echo("\n\n".join(map(_describe, entries)))
    else:
        listed_entries = [entry for entry in entries if kind or entry.error or entry.kind in _FIRST]
        lines = [
            list(map(printable, (entry.kind, entry.name, _origin(entry), _description(entry))))
            for entry in listed_entries
        ]
        if wide:
            click.echo(format_table(["kind", "name", "from", "what"], lines, left=4))
        else:
            click.echo(format_wrapped_table(["kind", "name", "what"], [[line[0], line[1], line[3]] for line in lines]))
        omitted = Counter(entry.kind for entry in entries) - Counter(entry.kind for entry in listed_entries)
        if omitted:
            counts = ", ".join(f"{count} of kind {name!r}" for name, count in omitted.items())
            click.echo(f"\n{click.wrap_text(f'Not shown: {counts}. `meteor-e plugins --kind KIND` lists them.', 80)}")


def _details(entry: Entry) -> dict[str, Any]:
    """Return description and options of a component, or an empty dictionary if the entry is broken or not a class."""
    from meteor_e.api.component import Component
    from meteor_e.api.options import option_infos

    registry = None if entry.error else plugin_registry().kinds[entry.kind]
    if not isinstance(registry, ClassRegistry):
        return {}
    component = registry.get(entry.name)
    options_class = component.options_class() if issubclass(component, Component) else None
    options = [] if options_class is None else [info._asdict() for info in option_infos(options_class)]
    return {"description": inspect.cleandoc(component.__doc__ or ""), "options": options}


def _describe(entry: Entry) -> str:
    """Return the description of a component, and a table of its options."""
    parts, details = [f"{entry.kind} {entry.name} ({_origin(entry)})"], _details(entry)
    if not details:
        return "\n\n".join([*parts, printable(_description(entry))])
    text = details["description"].partition("\nArgs:")[0].partition("\nRaises:")[0].strip()
    parts.append("\n".join(map(printable, text.split("\n"))))
    if entry.requires:
        parts.append(f"Needs {', '.join(entry.requires)}.")
    rows = [
        [info["name"], info["type"], "required" if info["required"] else _spell(info["default"]), info["help"]]
        for info in details["options"]
    ]
    table = format_wrapped_table(["option", "value", "default", "what"], [list(map(printable, row)) for row in rows])
    return "\n\n".join([*parts, table if rows else "It has no options."])


def _spell(default: Any) -> str:
    """Return a default in YAML notation."""
    return "" if default is None else json.dumps(default, ensure_ascii=False) if default != "" else "empty"


def _origin(entry: Entry) -> str:
    return f"{entry.distribution or entry.plugin} {entry.version}".strip()


def _description(entry: Entry) -> str:
    if entry.error:
        return f"ERROR: {entry.error}"
    also = f" (also {', '.join(entry.aliases)})" if entry.aliases else ""
    return entry.summary + also + (f" (needs {', '.join(entry.requires)})" if entry.requires else "")
