"""``meteor-e plugins``: what is there, and where it comes from."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.chains.config import describe_chain
from meteor_e.plugins.registry import KINDS as KINDS_OF_ALL
from meteor_e.plugins.registry import Entry, plugin_registry
from meteor_e.render.plain import format_table, printable

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.api.options import OptionInfo

KINDS = tuple(KINDS_OF_ALL)

_FIRST = ("matcher", "metric", "chain")
"""Kinds that are listed one by one where no kind is asked for."""


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
@click.option("-k", "--kind", type=click.Choice(KINDS), help="List one kind only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(name: str | None, kind: str | None, as_json: bool) -> None:
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
        what = kind or "plugin, matcher, feature, or the like,"
        known = {known for each in ([kind] if kind else KINDS) for known in plugin_registry().names(each)}
        raise ConfigError(f"there is no {what} {name!r}{near_miss(name, known)}; meteor-e plugins lists all")
    if as_json:
        rows = [{**asdict(entry), "status": "error" if entry.error else "ok"} for entry in entries]
        if name is not None:
            rows = [{**row, **_details(entry)} for row, entry in zip(rows, entries, strict=True)]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif name is not None:
        click.echo("\n\n".join(map(_described, entries)))
    else:
        shown = [entry for entry in entries if kind or entry.error or entry.kind in _FIRST]
        lines = [[entry.kind, entry.name, _origin(entry), _description(entry)] for entry in shown]
        rows_of_text = [list(map(printable, line)) for line in lines]
        click.echo(format_table(["kind", "name", "from", "what"], rows_of_text, left=4))
        rest = Counter(entry.kind for entry in entries) - Counter(entry.kind for entry in shown)
        if rest:
            counts = ", ".join(f"{count} of kind {name!r}" for name, count in rest.items())
            click.echo(f"\nNot shown: {counts}. `meteor-e plugins --kind KIND` lists them.")


def _component(entry: Entry) -> type[Component] | None:
    """Return the class of what an entry lists; ``None`` for what has none, or is broken."""
    if entry.error or not KINDS_OF_ALL[entry.kind].base:
        return None
    result: type[Component] | None = plugin_registry().get(entry.kind, entry.name)
    return result


def _details(entry: Entry) -> dict[str, Any]:
    """Return what JSON says of one component beside its line in the listing."""
    found = _component(entry)
    if found is None:
        return {}
    infos = _infos(found)
    return {"description": inspect.cleandoc(found.__doc__ or ""), "options": [info._asdict() for info in infos]}


def _described(entry: Entry) -> str:
    """Return a paragraph on what an entry lists, and a table of its options."""
    parts = [f"{entry.kind} {entry.name} ({_origin(entry)})"]
    found = _component(entry)
    if found is None:
        return "\n\n".join([*parts, printable(_description(entry))])
    text = inspect.cleandoc(found.__doc__ or "").partition("\nArgs:")[0].partition("\nRaises:")[0].strip()
    parts.append("\n".join(map(printable, text.split("\n"))))
    if entry.requires:
        parts.append(f"Needs {', '.join(entry.requires)}.")
    infos = _infos(found)
    rows = [[info.name, info.type, "required" if info.required else _spell(info.default), info.help] for info in infos]
    table = format_table(["option", "value", "default", "what"], [list(map(printable, row)) for row in rows], left=4)
    return "\n\n".join([*parts, table if rows else "It has no options."])


def _infos(component: type[Component]) -> list[OptionInfo]:
    from meteor_e.api.component import Component
    from meteor_e.api.options import option_infos

    kind = component.options_class() if issubclass(component, Component) else None
    return [] if kind is None else option_infos(kind)


def _spell(default: Any) -> str:
    """Return a default as a YAML file has it."""
    return "" if default is None else json.dumps(default, ensure_ascii=False) if default != "" else "empty"


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
