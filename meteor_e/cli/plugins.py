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
from meteor_e.plugins.registries import ClassRegistry
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.columns import format_wrapped_table
from meteor_e.render.plain import format_table, printable

KINDS = tuple(plugin_registry().kinds)

_DEFAULT_KINDS = ("matcher", "metric", "chain")
"""The kinds of components that are listed without ``--kind``."""


class _ListCommand(click.Command):
    """The command ``plugins``, which lists components and has one subcommand: ``plugins new``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments of ``plugins``, or of ``plugins new`` if the first argument is ``new``."""
        if args[:1] == ["new"]:
            from meteor_e.cli.new_plugin import new

            return new.make_context(f"{info_name} new", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_ListCommand)
@click.argument("name", required=False)
@click.option("-k", "--kind", type=click.Choice(KINDS), metavar="KIND", help=f"List one kind: {', '.join(KINDS)}.")
@click.option("--wide", is_flag=True, help="Print one line per component, with its distribution.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(name: str | None, kind: str | None, wide: bool, as_json: bool) -> None:
    """List matchers, metrics, chains and other components, and the distributions that provide them.

    By default, only matchers, metrics and chains are listed. Use --kind to list components of another kind.

    With a NAME, describe the components of that name and their options: types, bounds and defaults.

    `meteor-e plugins new NAME` writes the source of a new plugin: see `meteor-e plugins new --help`.

    Components that cannot be used are listed with the reason. A plugin is any installed distribution with entry
    points of the group meteor_e. METEOR_E_PLUGINS=none in the environment turns all plugins off; a list of
    distributions, separated by commas, turns off all other plugins.

    \b
    meteor-e plugins --kind matcher
    meteor-e plugins stem
    """
    entries = plugin_registry().entries(kind, describe_chain, name)
    if name is not None and not entries:
        raise ConfigError(_describe_unknown_component(name, kind))
    if as_json:
        rows = [_json_row(entry, with_details=name is not None) for entry in entries]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif name is not None:
        click.echo("\n\n".join(map(_describe, entries)))
    else:
        shown_entries = [entry for entry in entries if kind or entry.error or entry.kind in _DEFAULT_KINDS]
        click.echo(_format_entries(shown_entries, wide))
        omitted = Counter(entry.kind for entry in entries) - Counter(entry.kind for entry in shown_entries)
        if omitted:
            counts = ", ".join(f"{count} of kind {kind_name!r}" for kind_name, count in omitted.items())
            click.echo(f"\n{click.wrap_text(f'Not shown: {counts}. `meteor-e plugins --kind KIND` lists them.', 80)}")


def _describe_unknown_component(name: str, kind: str | None) -> str:
    """Return the error message for a name that no component has; a kind restricts the suggestions."""
    names = set()
    for searched_kind in [kind] if kind else KINDS:
        names.update(plugin_registry().kinds[searched_kind].names())
    description = kind or "plugin, matcher, feature or other component"
    return f"there is no {description} {name!r}{near_miss(name, names)}; `meteor-e plugins` lists the components"


def _json_row(entry: Entry, with_details: bool) -> dict[str, Any]:
    """Return a component as an object for ``--json``, with its description and options if details are requested."""
    row = {**asdict(entry), "status": "error" if entry.error else "ok"}
    return {**row, **_details(entry)} if with_details else row


def _format_entries(entries: list[Entry], wide: bool) -> str:
    """Return a table of components; the wide table also shows their distributions."""
    if wide:
        wide_rows = [[entry.kind, entry.name, _origin(entry), _description(entry)] for entry in entries]
        wide_cells = [[printable(cell) for cell in row] for row in wide_rows]
        return format_table(["kind", "name", "from", "what"], wide_cells, left=4)
    rows = [[entry.kind, entry.name, _description(entry)] for entry in entries]
    return format_wrapped_table(["kind", "name", "what"], [[printable(cell) for cell in row] for row in rows])


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
    heading = f"{entry.kind} {entry.name} ({_origin(entry)})"
    details = _details(entry)
    if not details:
        return f"{heading}\n\n{printable(_description(entry))}"
    text = details["description"].partition("\nArgs:")[0].partition("\nRaises:")[0].strip()
    paragraphs = [heading, "\n".join(map(printable, text.split("\n")))]
    if entry.requires:
        paragraphs.append(f"Needs {', '.join(entry.requires)}.")
    paragraphs.append(_format_options(details["options"]) if details["options"] else "It has no options.")
    return "\n\n".join(paragraphs)


def _format_options(options: list[dict[str, Any]]) -> str:
    """Return a table of a component's options."""
    rows = []
    for option in options:
        default = "required" if option["required"] else _spell_default(option["default"])
        rows.append([printable(cell) for cell in (option["name"], option["type"], default, option["help"])])
    return format_wrapped_table(["option", "value", "default", "what"], rows)


def _spell_default(default: Any) -> str:
    """Return a default in YAML notation."""
    if default is None:
        return ""
    return "empty" if default == "" else json.dumps(default, ensure_ascii=False)


def _origin(entry: Entry) -> str:
    """Return the distribution and the version that a component comes from."""
    return f"{entry.distribution or entry.plugin} {entry.version}".strip()


def _description(entry: Entry) -> str:
    """Return the summary of a component with its aliases and requirements, or else its error."""
    if entry.error:
        return f"ERROR: {entry.error}"
    aliases = f" (also {', '.join(entry.aliases)})" if entry.aliases else ""
    requirements = f" (needs {', '.join(entry.requires)})" if entry.requires else ""
    return entry.summary + aliases + requirements
