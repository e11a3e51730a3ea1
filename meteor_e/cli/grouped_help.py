"""Help texts that are easy to search: options in groups, each with an example, and summaries in full."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from meteor_e.base.errors import ConfigError


class OptionGroup(NamedTuple):
    """Options that belong together.

    Attributes:
        options: their names, as the command's function receives them.
        example: what follows the command's name; ``…`` stands for the arguments.
    """

    options: tuple[str, ...]
    example: str


class GroupedCommand(click.Command):
    """A command whose help shows options by group.

    Args:
        groups: the groups by their headings, in order; what is in none comes last.
        options: see :class:`click.Command`.
    """

    def __init__(self, *args: Any, groups: Mapping[str, OptionGroup] | None = None, **options: Any) -> None:
        # The group says the same; click keeps the help option of whichever context came first.
        options["context_settings"] = {"help_option_names": ["-h", "--help"], **options.get("context_settings", {})}
        super().__init__(*args, **options)
        self.groups = dict(groups or {})

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; refuse numbers that are not finite, and an output that is one of the inputs."""
        rest = super().parse_args(context, args)
        read: list[Path] = []
        written = []
        for parameter in self.params:
            value = context.params.get(parameter.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                # click's ranges let them through.
                raise click.BadParameter(f"{value} is not a finite number.", context, parameter)
            if parameter.name in _WRITTEN:
                written.append((parameter.opts[0], value))
            elif _names_files(parameter):
                read += _files(value)
        for option, value in written:
            for path in _files(value):
                if any(path.samefile(other) for other in read):
                    raise ConfigError(f"{option} {value} is an input; it would be overwritten. Name another file")
        return rest

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a list per group, each below its example."""
        records = {
            parameter.name: record
            for parameter in self.get_params(context)
            if not isinstance(parameter, click.Argument) and (record := parameter.get_help_record(context)) is not None
        }
        for heading, group in self.groups.items():
            rows = [records.pop(name) for name in group.options if name in records]
            if rows:
                with formatter.section(heading):
                    # One line, however long: it is to be copied.
                    formatter.write(f"{'':{formatter.current_indent}}$ {context.command_path} {group.example}\n")
                    formatter.write_dl(rows)
        if records:
            with formatter.section("Other options"):
                formatter.write_dl(list(records.values()))


_WRITTEN = ("output", "png", "svg", "latex", "plot", "corpus", "all_points")
"""Parameters that name a file which is written."""


def _names_files(parameter: click.Parameter) -> bool:
    """Tell whether a parameter names files that are read."""
    what = parameter.metavar or ""
    return isinstance(parameter, click.Argument) or parameter.name == "chain" or "FILE" in what or "INDEX" in what


def _files(value: Any) -> list[Path]:
    """Return the files among the texts of a value, which may be a tuple of tuples."""
    if isinstance(value, tuple | list):
        return [path for item in value for path in _files(item)]
    # Path.is_file() raises for a name that is too long.
    return [Path(value)] if isinstance(value, str) and os.path.isfile(value) else []  # noqa: PTH113


class FullHelpGroup(click.Group):
    """A group whose help shows what each command is for in full; click cuts it at the end of the line."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        commands = {name: self.get_command(context, name) for name in self.list_commands(context)}
        rows = [
            (name, command.get_short_help_str(limit=1000))
            for name, command in commands.items()
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
