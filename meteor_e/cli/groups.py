"""Groups of commands that plugins add to, and commands whose plugin is not installed."""

from __future__ import annotations

import warnings

import click

from meteor_e.base.errors import MeteorError, PluginError, PluginWarning
from meteor_e.base.extras import comes_with_plugin
from meteor_e.cli.grouped_help import FullHelpGroup
from meteor_e.plugins.distributions import noted_commands


class OpenGroup(FullHelpGroup):
    """A group that plugins add commands to: theirs are called ``"GROUP COMMAND"`` in ``meteor_e_commands``."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plugins among them; warn of a plugin's that one of ours hides."""
        from meteor_e.plugins.registry import plugin_registry

        own, foreign = super().list_commands(context), self._foreign()
        for name in sorted({*own}.intersection(foreign)):
            source = plugin_registry().source("command", f"{self.name} {name}")
            text = f"command '{self.name} {name}' of {source} is hidden by meteor_e's own; rename the plugin's"
            warnings.warn(text, PluginWarning, stacklevel=2)
        ours = [name for group, name in map(_split, noted_commands()) if group == self.name]
        return sorted({*own, *ours, *foreign})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command of ours, else a plugin's, else one that says what to install; ``None`` for any other."""
        return super().get_command(context, name) or plugin_command(context, f"{self.name} {name}")

    def _foreign(self) -> list[str]:
        from meteor_e.plugins.registry import plugin_registry

        return [command for group, command in map(_split, plugin_registry().names("command")) if group == self.name]


def _split(name: str) -> tuple[str, str]:
    """Return group and command; the group of a command of the first level is empty."""
    group, _, command = name.rpartition(" ")
    return group, command


def plugin_command(context: click.Context, name: str) -> click.Command | None:
    """Return a plugin's command, else one that says what is wrong, or what to install; else ``None``.

    Args:
        context: of the command line or the group.
        name: the command, after the name of its group if it has one.
    """
    from meteor_e.plugins.registry import plugin_registry

    if name not in plugin_registry().names("command"):
        return _missing_command(name)
    try:
        result: click.Command | None = plugin_registry().get("command", name)
        return result
    except MeteorError as error:
        if context.resilient_parsing:  # completion in a shell has no place for errors
            return None
        return _failing(_split(name)[1], f"ERROR: {error}", error)


def _missing_command(name: str) -> click.Command | None:
    """Return a command that says which distribution of ours to install; ``None`` if none of them has the command.

    Args:
        name: the command, after the name of its group if it has one.
    """
    note = noted_commands().get(name)
    if note is None:
        return None
    advice = PluginError(comes_with_plugin(f"`meteor-e {name}`", note.distribution))
    return _failing(_split(name)[1], f"Needs {note.distribution}. {note.summary}", advice)


def _failing(name: str, summary: str, error: MeteorError) -> click.Command:
    """Return a command that takes whatever it is given, its help option too, and fails."""

    def fail(**_: object) -> None:
        raise error

    return click.Command(
        name,
        callback=fail,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        help=f"{summary}\n\n{error}",
        short_help=summary,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
    )
