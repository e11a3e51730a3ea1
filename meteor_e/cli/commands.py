"""Base classes of the commands: option groups, commands with grouped help, and command groups that plugins extend."""

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
"""The placeholders of options whose value is the path of an input file."""


class Options:
    """A group of related command-line options, which the help text lists under a common heading.

    Subclasses are dataclasses whose fields are declared with :func:`option`. A command receives each of its option
    groups as one argument.

    Args:
        heading: the heading of the group in the help text. By default, it is inherited from the base class.
        example: the arguments of an example command, where ``…`` stands for further arguments. By default, it is
            inherited from the base class.
    """

    heading: ClassVar[str] = ""
    example: ClassVar[str] = ""

    def __init_subclass__(cls, *, heading: str = "", example: str = "") -> None:
        cls.heading = heading or cls.heading
        cls.example = example or cls.example


def option(default: Any, *flags: str, **attributes: Any) -> Any:
    """Declare a dataclass field as a command-line option, or as a command-line argument if there are no flags.

    Args:
        default: the default value. Required arguments ignore it.
        flags: the names of the option, such as ``-r`` and ``--reference``.
        attributes: further arguments of ``click.Option`` or ``click.Argument``.
    """
    if not attributes.get("required"):
        # click does not report a missing required parameter if the parameter has a default.
        attributes = {"default": default, **attributes}
    return dataclasses.field(default=default, metadata={"flags": flags, "attributes": attributes})


class GroupedCommand(click.Command):
    """A command whose function takes option groups as arguments, and whose help text lists the options by group.

    The type hints of the command's function determine the option groups; each is a subclass of :class:`Options`.

    Args:
        args: positional arguments of :class:`click.Command`.
        options: keyword arguments of :class:`click.Command`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        # click caches the help option for a command's first context, which may lack the settings of the main group.
        options["context_settings"] = {"help_option_names": ["-h", "--help"], **options.get("context_settings", {})}
        super().__init__(*args, **options)
        self.option_groups: dict[str, type[Options]] = get_type_hints(self.callback)
        self.option_groups.pop("return", None)
        for option_group in self.option_groups.values():
            self.params.extend(map(_make_parameter, _option_fields(option_group)))

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the command-line arguments into one :class:`Options` object for each option group.

        Raises:
            click.BadParameter: if a number is not finite.
            ConfigError: if the output file is one of the input files.
        """
        remaining_args = super().parse_args(context, args)
        self._check_finite_numbers(context)
        self._check_output_file(context)
        for name, option_group in self.option_groups.items():
            values = {field.name: context.params.pop(field.name) for field in _option_fields(option_group)}
            context.params[name] = option_group(**values)
        return remaining_args

    def _check_finite_numbers(self, context: click.Context) -> None:
        """Raise ``click.BadParameter`` if a number is infinite or NaN; the number ranges of click accept both."""
        for parameter in self.params:
            value = context.params.get(parameter.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                raise click.BadParameter(f"{value} is not a finite number.", context, parameter)

    def _check_output_file(self, context: click.Context) -> None:
        """Raise ConfigError if the output file of a command is also one of its input files."""
        output = context.params.get("output")
        if not isinstance(output, str):
            return
        for parameter in filter(_is_input, self.params):
            value = context.params.get(parameter.name or "")
            paths = [value] if isinstance(value, str) else value or ()
            if any(_is_same_file(path, output) for path in paths):
                raise ConfigError(f"-o {output} is an input file, which would be overwritten. Name another file")

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section of the help text for each option group, with an example command and the options."""
        for option_group in self.option_groups.values():
            names = {field.name for field in _option_fields(option_group)}
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


def _option_fields(option_group: type[Options]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the dataclass fields of an option group."""
    return dataclasses.fields(option_group)  # type: ignore[arg-type]


def _make_parameter(field: dataclasses.Field[Any]) -> click.Parameter:
    """Return the click parameter for a field of an option group."""
    flags, attributes = field.metadata["flags"], field.metadata["attributes"]
    if not flags:
        return click.Argument([field.name], **attributes)
    return click.Option([*flags, field.name], **{"show_default": True, **attributes})


def _help_records(parameters: list[click.Parameter], context: click.Context) -> list[tuple[str, str]]:
    """Return the name and the help text of each parameter, except for parameters without a help text."""
    records = [parameter.get_help_record(context) for parameter in parameters]
    return [record for record in records if record is not None]


def _is_input(parameter: click.Parameter) -> bool:
    """Return whether the value of a parameter can be the path of an input file."""
    if parameter.name == "output":
        return False
    if isinstance(parameter, click.Argument) or parameter.name == "chain":
        return True
    return _INPUT_METAVAR.search(parameter.metavar or "") is not None


def _is_same_file(path1: str, path2: str) -> bool:
    """Return whether two paths refer to the same existing file."""
    # For a path that is too long, the methods of pathlib raise an error, but the functions of os.path return False.
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
    """A command group whose help text shows the full summary of each command. By default, click shortens summaries."""

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
        """Return the command with a given name, which can belong to the core or to a plugin.

        If the plugin is broken or not installed, the returned command reports the error when it is called. During
        shell completion, the method returns ``None`` for an unknown name instead of raising an error.

        Raises:
            click.UsageError: if there is no command with this name. The message suggests the most similar name.
        """
        command = super().get_command(context, name)
        if command is not None or name.startswith("-"):
            return command
        if " " not in name:
            command = self._get_plugin_command(context, name)
        if command is None and not context.resilient_parsing:
            raise click.UsageError(self._describe_unknown_command(context, name), context)
        return command

    def _get_plugin_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of a plugin, or ``None`` if no plugin has a command with this name.

        If the plugin is broken or not installed, the returned command reports the error when it is called.
        """
        from meteor_e.plugins.registry import plugin_registry

        full_name, commands = self.prefix + name, plugin_registry().commands
        if full_name in commands.names():
            try:
                return commands.get(full_name)
            except MeteorError as error:
                if context.resilient_parsing:
                    return None
                return _make_failing_command(name, f"ERROR: {error}", error)
        note = load_command_notes().get(full_name)
        if note is None:
            return None
        advice = PluginError(advise_plugin(f"`meteor-e {full_name}`", note.distribution))
        return _make_failing_command(name, f"Needs {note.distribution}. {note.summary}", advice)

    def _describe_unknown_command(self, context: click.Context, name: str) -> str:
        """Return the error message for an unknown command, with a suggestion and the plugins that failed to load."""
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
