"""This module extends click with option groups, help texts with grouped options, and commands from plugins."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, ClassVar, TextIO, get_type_hints

import click

from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import ConfigError, MeteorError, PluginError, near_miss
from meteor_e.base.extras import advise_plugin
from meteor_e.plugins.distributions import load_command_notes

_INPUT_METAVAR = re.compile("FILE|INDEX")
"""The pattern matches the placeholders of options whose value is the path of an input file."""


@dataclasses.dataclass(frozen=True)
class Options:
    """Store the values of related command-line options. The help text lists the options under a common heading.

    Each subclass is a dataclass whose fields are declared with :func:`option`. A command function takes one argument
    per option group.

    The class attribute ``heading`` is the heading of the option group in the help text. The class attribute ``example``
    contains the arguments of an example command, where ``…`` stands for further arguments.
    """

    heading: ClassVar[str] = ""
    example: ClassVar[str] = ""


def option(default: Any, *flags: str, **attributes: Any) -> Any:
    """Declare a dataclass field as a command-line option. Without flags, the field is a positional argument.

    Args:
        default: the default value. It is ignored if the attributes contain ``required=True``.
        flags: the names of the option, such as ``-r`` and ``--reference``.
        attributes: further arguments of ``click.Option`` or ``click.Argument``.

    Returns:
        The dataclass field, from which :class:`GroupedCommand` creates the option or argument.
    """
    return dataclasses.field(default=default, metadata={"flags": flags, "attributes": attributes})


class GroupedCommand(click.Command):
    """A subcommand that arranges its command-line options in groups. The help text has a section for each group.

    The Python function of the subcommand takes one argument for each group of options.

    The option groups are read from the type hints of the function. Each option group is a subclass of :class:`Options`.

    Args:
        args: positional arguments of :class:`click.Command`.
        options: keyword arguments of :class:`click.Command`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        # click caches the help option, so its names are set here and do not depend on the first context.
        options["context_settings"] = {"help_option_names": ["-h", "--help"], **options.get("context_settings", {})}
        super().__init__(*args, **options)
        self.option_groups: dict[str, type[Options]] = get_type_hints(self.callback)
        self.option_groups.pop("return", None)
        for option_group in self.option_groups.values():
            for field in dataclasses.fields(option_group):
                self.params.append(_make_parameter(field))

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the command-line arguments into one :class:`Options` object for each option group.

        Raises:
            click.BadParameter: if a number is not finite.
            ConfigError: if the output file is one of the input files.
        """
        remaining_args = super().parse_args(context, args)
        self._check_numbers(context)
        self._check_output_file(context)
        for name, option_group in self.option_groups.items():
            values = {field.name: context.params.pop(field.name) for field in dataclasses.fields(option_group)}
            context.params[name] = option_group(**values)
        return remaining_args

    def _check_numbers(self, context: click.Context) -> None:
        """Raise click.BadParameter if a number is infinite or NaN, which click accepts."""
        for parameter in self.params:
            value = context.params.get(parameter.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                raise click.BadParameter(f"{value} is not a finite number.", context, parameter)

    def _check_output_file(self, context: click.Context) -> None:
        """Raise ConfigError if the output file of a command is also one of its input files."""
        output_file = context.params.get("output")
        if output_file is None:
            return
        for input_file in self._list_input_files(context):
            if _is_same_file(input_file, output_file):
                raise ConfigError(f"-o {output_file} is an input file, which would be overwritten. Name another file")

    def _list_input_files(self, context: click.Context) -> Iterator[str]:
        """Yield the values of all options and arguments that can name input files."""
        for parameter in filter(_is_input, self.params):
            value = context.params.get(parameter.name or "")
            if isinstance(value, str):
                yield value
            elif value is not None:
                yield from value

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section of the help text for each option group, with an example command and the options."""
        for option_group in self.option_groups.values():
            names = {field.name for field in dataclasses.fields(option_group)}
            options = [parameter for parameter in self.params if parameter.name in names]
            with formatter.section(option_group.heading):
                # Long examples are not wrapped, so that users can copy them as one line.
                indent = " " * formatter.current_indent
                formatter.write(f"{indent}$ {context.command_path} {option_group.example}\n")
                formatter.write_dl(_help_records(options, context))
        help_option = self.get_help_option(context)
        if help_option is not None:
            with formatter.section("Other options"):
                formatter.write_dl(_help_records([help_option], context))


def _make_parameter(field: dataclasses.Field[Any]) -> click.Parameter:
    """Create the click parameter for a dataclass field that was declared with :func:`option`."""
    flags, attributes = field.metadata["flags"], dict(field.metadata["attributes"])
    if not attributes.get("required"):
        # A required parameter must not have a default, because click would then not report that it is missing.
        attributes["default"] = field.default
    if not flags:
        return click.Argument([field.name], **attributes)
    return click.Option([*flags, field.name], **{"show_default": True, **attributes})


def _help_records(parameters: list[click.Parameter], context: click.Context) -> list[tuple[str, str]]:
    """Return the name and the help text of each parameter that has a help text."""
    records = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is not None:
            records.append(record)
    return records


def _is_input(parameter: click.Parameter) -> bool:
    """Return whether a command-line parameter can name an input file."""
    if parameter.name == "output":
        return False
    if isinstance(parameter, click.Argument) or parameter.name == "chain":
        return True
    return _INPUT_METAVAR.search(parameter.metavar or "") is not None


def _is_same_file(path1: str, path2: str) -> bool:
    """Return whether two paths refer to the same existing file."""
    # The functions of os.path return False for a path that is too long, but the methods of pathlib raise an error.
    if not (os.path.isfile(path1) and os.path.isfile(path2)):  # noqa: PTH113
        return False
    return os.path.samefile(path1, path2)  # noqa: PTH121


@contextlib.contextmanager
def destination(path: str | None) -> Iterator[TextIO]:
    """Open an output file for writing, or standard output if the path is ``None`` or ``-``.

    An output file appears only after it has been written completely. Standard output is always encoded in UTF-8, so
    that the output does not depend on the locale.
    """
    if path is not None and path != "-":
        with atomic_writer(path) as stream:
            yield stream
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    yield sys.stdout
    sys.stdout.flush()


class FullHelpGroup(click.Group):
    """Show the full summary of each command in the help text. By default, click shortens summaries."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and summaries of the commands to the help text."""
        rows = []
        for name in self.list_commands(context):
            command = self.get_command(context, name)
            if command and not command.hidden:
                rows.append((name, command.get_short_help_str(limit=1000)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class PluginGroup(FullHelpGroup):
    """A command group to which plugins can add commands through the hook ``meteor_e_commands``.

    Attributes:
        prefix: the prefix of the group's commands in the hook, such as ``"pack "``. The main group has an empty prefix.
    """

    prefix: ClassVar[str] = ""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the sorted names of the group's commands, including commands from plugins."""
        from meteor_e.plugins.registry import plugin_registry

        names = set(super().list_commands(context))
        for full_name in [*load_command_notes(), *plugin_registry().commands.names()]:
            name = full_name.removeprefix(self.prefix)
            if full_name.startswith(self.prefix) and " " not in name:
                names.add(name)
        return sorted(names)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command with a given name. The command can be built in or belong to a plugin.

        If the plugin is broken or not installed, the returned command reports the error when it is called. During
        shell completion, the method returns ``None`` for an unknown name instead of raising an error.

        Raises:
            click.UsageError: if there is no command with this name. The message suggests the most similar name.
        """
        builtin_command = super().get_command(context, name)
        if builtin_command is not None or name.startswith("-"):
            return builtin_command
        # A full name with a space, such as "pack show", is not a command of the main group.
        plugin_command = None if " " in name else self._get_plugin_command(context, name)
        if plugin_command is not None or context.resilient_parsing:
            return plugin_command
        raise click.UsageError(self._describe_unknown_command(context, name), context)

    def _get_plugin_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of a plugin, or ``None`` if no plugin has a command with this name.

        If the plugin is broken or not installed, the returned command reports the error when it is called. During
        shell completion, the method returns ``None`` for the command of a broken plugin.
        """
        from meteor_e.plugins.registry import plugin_registry

        commands = plugin_registry().commands
        full_name = self.prefix + name
        if full_name not in commands:
            return self._make_advice_command(name)
        try:
            return commands.get(full_name)
        except MeteorError as error:
            return None if context.resilient_parsing else _make_failing_command(name, f"ERROR: {error}", error)

    def _make_advice_command(self, name: str) -> click.Command | None:
        """Return a command that tells the user which plugin to install, or ``None`` if no plugin has the command."""
        full_name = self.prefix + name
        note = load_command_notes().get(full_name)
        if note is None:
            return None
        error = PluginError(advise_plugin(f"`meteor-e {full_name}`", note.distribution))
        return _make_failing_command(name, f"Needs {note.distribution}. {note.summary}", error)

    def _describe_unknown_command(self, context: click.Context, name: str) -> str:
        """Return the error message for an unknown command, with a similar name and the plugins that failed to load."""
        from meteor_e.plugins.registry import plugin_registry

        message = f"no such command {name!r}{near_miss(name, self.list_commands(context))}"
        failures = plugin_registry().failures()
        if failures:
            message += f"; plugins that failed: {'; '.join(failures)}"
        return message


def _make_failing_command(name: str, summary: str, error: MeteorError) -> click.Command:
    """Return a command that accepts any arguments, including ``--help``, and raises the given error when called."""

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
