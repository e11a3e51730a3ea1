"""Groups of commands that plugins add to."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import click

from meteor_e.base.errors import MeteorError, PluginError, PluginWarning
from meteor_e.cli.grouped_help import FullHelpGroup

__all__ = ["OpenGroup"]


class OpenGroup(FullHelpGroup):
    """A group that plugins add commands to: theirs are called ``"GROUP COMMAND"`` in ``meteor_e_commands``.

    Args:
        distributions: commands that a distribution of ours adds: what it is called, and what the command is for. Where
            it is not installed, the command says what to install.
        options: see :class:`click.Group`.
    """

    def __init__(self, *, distributions: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(**options)
        self._distributions = distributions

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plugins among them; warn of a plugin's that one of ours hides."""
        from meteor_e.plugins.registry import registry

        own, foreign = super().list_commands(context), self._foreign()
        for name in sorted({*own}.intersection(foreign)):
            source = registry().source("command", f"{self.name} {name}")
            text = f"command '{self.name} {name}' of {source} is hidden by meteor_e's own; rename the plugin's"
            warnings.warn(text, PluginWarning, stacklevel=2)
        return sorted({*own, *self._distributions, *foreign})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command of ours, else a plugin's, else one that says what to install; ``None`` for any other."""
        own = super().get_command(context, name)
        if own is not None:
            return own
        if name in self._foreign():
            from meteor_e.plugins.registry import registry

            try:
                return registry().command(f"{self.name} {name}")
            except MeteorError as error:
                if context.resilient_parsing:  # completion in a shell has no place for errors
                    return None
                return _failing(name, f"ERROR: {error}", error)
        if name in self._distributions:
            return missing_command(name, f"{self.name} {name}", *self._distributions[name])
        return None

    def _foreign(self) -> list[str]:
        from meteor_e.plugins.registry import registry

        return [
            command
            for group, _, command in (name.partition(" ") for name in registry().names("command"))
            if group == self.name and command
        ]


def missing_command(name: str, path: str, distribution: str, summary: str) -> click.Command:
    """Return a command that says which distribution to install.

    Args:
        name: of the command.
        path: its name after ``meteor-e``.
        distribution: that brings it.
        summary: what the command is for.
    """
    advice = PluginError(
        f"`meteor-e {path}` comes with the plugin {distribution}, which is not installed: "
        f"pip install {distribution}, or in a clone of meteor_e: pip install ./plugins/{distribution}"
    )
    return _failing(name, f"Needs {distribution}. {summary}", advice)


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
