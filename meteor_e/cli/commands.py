"""Commands and groups of commands: options made from structs, help by group, commands of plugins."""

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

from meteor_e.base.errors import ConfigError, MeteorError, PluginError, near_miss
from meteor_e.base.extras import comes_with_plugin
from meteor_e.base.files import atomic_writer
from meteor_e.plugins.distributions import noted_commands


class Options:
    """Options that belong together: a group of the help, and one argument of a command's function.

    Subclasses are dataclasses whose fields :func:`option` declares. They are no structs of msgspec, whose import takes
    as long as a short run.

    Args:
        heading: of the group in the help; by default the base class's.
        example: what follows the command's name; ``…`` stands for the arguments. By default the base class's.
    """

    heading: ClassVar[str] = ""
    example: ClassVar[str] = ""

    def __init_subclass__(cls, *, heading: str = "", example: str = "") -> None:
        cls.heading, cls.example = heading or cls.heading, example or cls.example


def option(default: Any, *flags: str, **more: Any) -> Any:
    """Return a field that is an option of the command line; without flags, it is an argument.

    Args:
        default: its value where it is not given; for what is required, any.
        flags: such as ``-r`` and ``--reference``.
        more: arguments of ``click.Option`` or ``click.Argument``.
    """
    # What has a default is never missing for click.
    given = {} if more.get("required") else {"default": default}
    return dataclasses.field(default=default, metadata={"flags": flags, "more": {**given, **more}})


class GroupedCommand(click.Command):
    """A command whose function takes :class:`Options`; its help shows them by group.

    Args:
        options: see :class:`click.Command`. Names and types of the function's arguments tell its groups of options.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        # The group says the same; click keeps the help option of whichever context came first.
        options["context_settings"] = {"help_option_names": ["-h", "--help"], **options.get("context_settings", {})}
        super().__init__(*args, **options)
        self.structs: dict[str, type[Options]] = get_type_hints(self.callback)
        self.structs.pop("return", None)
        for struct in self.structs.values():
            for field in dataclasses.fields(struct):  # type: ignore[arg-type]
                flags, more = field.metadata["flags"], field.metadata["more"]
                made = click.Option([*flags, field.name], **{"show_default": True, **more}) if flags else None
                self.params.append(made or click.Argument([field.name], **more))

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; refuse numbers that are not finite, and an output that is one of the inputs."""
        rest = super().parse_args(context, args)
        values, output = context.params, context.params.get("output")
        for parameter in self.params:
            value = values.get(parameter.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                # click's ranges let them through.
                raise click.BadParameter(f"{value} is not a finite number.", context, parameter)
            is_input = isinstance(parameter, click.Argument) or parameter.name == "chain"
            if parameter.name != "output" and (is_input or re.search("FILE|INDEX", parameter.metavar or "")):
                paths = [value] if isinstance(value, str) else value or ()
                if isinstance(output, str) and any(_is_same_file(path, output) for path in paths):
                    raise ConfigError(f"-o {output} is an input; it would be overwritten. Name another file")
        for name, struct in self.structs.items():
            fields = dataclasses.fields(struct)  # type: ignore[arg-type]
            values[name] = struct(**{field.name: values.pop(field.name) for field in fields})
        return rest

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a list per group, each below its example."""
        for struct in self.structs.values():
            names = {field.name for field in dataclasses.fields(struct)}  # type: ignore[arg-type]
            own = [each for each in self.params if each.name in names and isinstance(each, click.Option)]
            with formatter.section(struct.heading):
                # One line, however long: it is to be copied.
                start = f"{'':{formatter.current_indent}}$ {context.command_path}"
                formatter.write(f"{start} {struct.example}\n")
                formatter.write_dl([record for each in own if (record := each.get_help_record(context))])
        help_option = self.get_help_option(context)
        if help_option is not None and (record := help_option.get_help_record(context)):
            with formatter.section("Other options"):
                formatter.write_dl([record])


@contextlib.contextmanager
def destination(path: str | None) -> Iterator[TextIO]:
    """Open standard output, or a file that is written whole or not at all.

    Standard output is UTF-8 whatever the locale says, so that the same input gives the same bytes.
    """
    if path is not None and path != "-":
        with atomic_writer(path) as stream:
            yield stream
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    yield sys.stdout
    sys.stdout.flush()


def _is_same_file(one: str, other: str) -> bool:
    """Return whether two paths name one file; names that are too long name none."""
    # Path.is_file() raises for those.
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)  # noqa: PTH113, PTH121


class FullHelpGroup(click.Group):
    """A group whose help shows what each command is for in full; click cuts it at the end of the line."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        commands = {name: self.get_command(context, name) for name in self.list_commands(context)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, each.get_short_help_str(limit=1000))
                    for name, each in commands.items()
                    if each and not each.hidden
                ]
            )


class PluginGroup(FullHelpGroup):
    """A group that plugins add commands to, in ``meteor_e_commands``.

    Class attributes:
        prefix: what their names there begin with: ``"GROUP "``, or nothing for the program itself.
    """

    prefix: ClassVar[str] = ""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plugins among them."""
        from meteor_e.plugins.registry import plugin_registry

        whole = [*noted_commands(), *plugin_registry().commands.names()]
        foreign = {name.removeprefix(self.prefix) for name in whole if name.startswith(self.prefix)}
        return sorted({*super().list_commands(context), *(name for name in foreign if " " not in name)})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command of ours, else a plugin's, else one that says what to install.

        Raises:
            click.UsageError: for an unknown name, with the nearest.
        """
        from meteor_e.plugins.registry import plugin_registry

        own, whole, registry = super().get_command(context, name), self.prefix + name, plugin_registry()
        if own is not None or name.startswith("-"):
            return own
        if " " not in name and whole in registry.commands.names():
            try:
                return registry.commands.get(whole)
            except MeteorError as error:
                # Completion in a shell has no place for errors.
                return None if context.resilient_parsing else _failing(name, f"ERROR: {error}", error)
        if " " not in name and (note := noted_commands().get(whole)):
            advice = PluginError(comes_with_plugin(f"`meteor-e {whole}`", note.distribution))
            return _failing(name, f"Needs {note.distribution}. {note.summary}", advice)
        if context.resilient_parsing:
            return None
        hint = f"; plugins that failed: {'; '.join(registry.failures())}" if registry.failures() else ""
        near = near_miss(name, self.list_commands(context))
        raise click.UsageError(f"no such command {name!r}{near}{hint}", context)


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
