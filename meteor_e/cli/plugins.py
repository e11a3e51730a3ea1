"""The command ``meteor-e plugins`` lists the installed components, such as matchers and metrics."""

from __future__ import annotations

import inspect
import json
import re
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

_DOCSTRING_SECTION = re.compile(r"^(?:(?:Args|Raises):|(?:Parameters|Raises)\n---)", re.MULTILINE)
"""The pattern matches the start of a docstring section about arguments or errors, in the style of Google or NumPy."""

_DEFAULT_KINDS = ("matcher", "metric", "chain")
"""By default, the command ``plugins`` lists components of these kinds."""


class _ListCommand(click.Command):
    """List components, or create a new plugin if the first argument is ``new``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments, and delegate to the command ``plugins new`` if the first argument is ``new``."""
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
    elif kind is not None:
        click.echo(_format_entries(entries, wide))
    else:
        _print_default_kinds(entries, wide)


def _print_default_kinds(entries: list[Entry], wide: bool) -> None:
    """Print a table of matchers, metrics, chains and broken components. A note counts components of other kinds."""
    shown_entries = [entry for entry in entries if entry.error or entry.kind in _DEFAULT_KINDS]
    click.echo(_format_entries(shown_entries, wide))
    omitted_kinds = Counter(entry.kind for entry in entries if entry not in shown_entries)
    if omitted_kinds:
        counts = ", ".join(f"{count} of kind {kind!r}" for kind, count in omitted_kinds.items())
        note = f"Not shown: {counts}. `meteor-e plugins --kind KIND` lists them."
        click.echo(f"\n{click.wrap_text(note, 80)}")


def _describe_unknown_component(name: str, kind: str | None) -> str:
    """Return the error message for an unknown component. The message suggests a similar name of the given kind."""
    searched_kinds = [kind] if kind else KINDS
    names: set[str] = set()
    for searched_kind in searched_kinds:
        names.update(plugin_registry().kinds[searched_kind].names())
    description = kind or "plugin, matcher, feature or other component"
    return f"there is no {description} {name!r}{near_miss(name, names)}; `meteor-e plugins` lists the components"


def _json_row(entry: Entry, with_details: bool) -> dict[str, Any]:
    """Return a component as a JSON object, which includes its description and options if details are requested."""
    row = asdict(entry)
    row["status"] = "error" if entry.error else "ok"
    if with_details:
        row.update(_details(entry))
    return row


def _format_entries(entries: list[Entry], wide: bool) -> str:
    """Format components as a table. A wide table also shows the distributions, and its lines are not wrapped."""
    rows = []
    for entry in entries:
        origin = [_origin(entry)] if wide else []
        cells = [entry.kind, entry.name, *origin, _description(entry)]
        rows.append([printable(cell) for cell in cells])
    if wide:
        return format_table(["kind", "name", "from", "description"], rows, left=4)
    return format_wrapped_table(["kind", "name", "description"], rows)


def _details(entry: Entry) -> dict[str, Any]:
    """Return a dictionary with the docstring (``description``) and the ``options`` of a component class.

    The result is empty if the component cannot be loaded or is not a class.
    """
    from meteor_e.api.component import Component
    from meteor_e.api.options import option_infos

    registry = plugin_registry().kinds.get(entry.kind)
    if entry.error or not isinstance(registry, ClassRegistry):
        return {}
    component = registry.get(entry.name)
    description = inspect.cleandoc(component.__doc__ or "")
    options_class = component.options_class() if issubclass(component, Component) else None
    options = [] if options_class is None else [info._asdict() for info in option_infos(options_class)]
    return {"description": description, "options": options}


def _describe(entry: Entry) -> str:
    """Return the description of a component, followed by a table of its options."""
    heading = f"{entry.kind} {entry.name} ({_origin(entry)})"
    details = _details(entry)
    if not details:
        return f"{heading}\n\n{printable(_description(entry))}"
    # The docstring's sections about arguments and errors are for programmers, so they are not shown.
    text = _DOCSTRING_SECTION.split(details["description"], maxsplit=1)[0].strip()
    paragraphs = [heading, "\n".join(printable(line) for line in text.split("\n"))]
    if entry.requires:
        paragraphs.append(f"Needs {', '.join(entry.requires)}.")
    paragraphs.append(_format_options(details["options"]) if details["options"] else "It has no options.")
    return "\n\n".join(paragraphs)


def _format_options(options: list[dict[str, Any]]) -> str:
    """Format the options of a component as a table."""
    rows = []
    for option in options:
        default = "required" if option["required"] else _spell_default(option["default"])
        rows.append([printable(cell) for cell in (option["name"], option["type"], default, option["help"])])
    return format_wrapped_table(["option", "value", "default", "description"], rows)


def _spell_default(default: Any) -> str:
    """Return the default value of an option in YAML notation."""
    if default is None:
        return ""
    return "empty" if default == "" else json.dumps(default, ensure_ascii=False)


def _origin(entry: Entry) -> str:
    """Return the name and version of the distribution that provides a component."""
    return f"{entry.distribution or entry.plugin} {entry.version}".strip()


def _description(entry: Entry) -> str:
    """Return a component's summary, aliases and requirements. Return the error message of a broken component."""
    if entry.error:
        return f"ERROR: {entry.error}"
    aliases = f" (also {', '.join(entry.aliases)})" if entry.aliases else ""
    requirements = f" (needs {', '.join(entry.requires)})" if entry.requires else ""
    return entry.summary + aliases + requirements
