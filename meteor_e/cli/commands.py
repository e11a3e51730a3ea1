"""Commands and groups of commands: options made from structs, help by group, commands of plugins."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import types
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import click

from meteor_e.base.errors import ConfigError, MeteorError, PluginError, PluginWarning, near_miss
from meteor_e.base.extras import comes_with_plugin
from meteor_e.plugins.distributions import noted_commands

Function = TypeVar("Function", bound=Callable[..., Any])


class Options:
    """Options that belong together: a group of the help, and one argument of a command's function.

    Subclasses are dataclasses. A field is an option: ``Annotated[int, option("Lines per segment.", low=1)] = 1``. Its
    type decides what is taken: ``bool`` is a flag, ``Literal`` a choice, ``tuple[str, ...]`` may be repeated,
    ``tuple[str, str]`` takes two texts. They are no structs of msgspec, whose import takes as long as a short run.

    Class attributes:
        heading: of the group in the help.
        example: what follows the command's name; ``…`` stands for the arguments.
    """

    heading: ClassVar[str] = "Other options"
    example: ClassVar[str] = ""


class _About(NamedTuple):
    """What the annotation of a field says of its option or argument."""

    text: str = ""
    flags: tuple[str, ...] = ()
    shown: str = ""
    low: float | None = None
    high: float | None = None
    is_open: bool = False
    is_argument: bool = False
    more: Mapping[str, Any] = types.MappingProxyType({})


def option(
    text: str,
    *flags: str,
    shown: str = "",
    low: float | None = None,
    high: float | None = None,
    is_open: bool = False,
    **more: Any,
) -> _About:
    """Return what the annotation of a field says of its option.

    Args:
        text: of the help; the default is added.
        flags: such as ``-R`` and ``--reference``; by default, the field's name.
        shown: what the help calls the default, where its value does not say it.
        low, high: bounds of a number.
        is_open: whether the bounds themselves are out of range.
        more: arguments of ``click.Option``.
    """
    return _About(text, flags, shown, low, high, is_open, more=more)


def argument(metavar: str, **more: Any) -> _About:
    """Return what the annotation of a field says of an argument; ``more`` are arguments of ``click.Argument``."""
    return _About(is_argument=True, more={"metavar": metavar, **more})


class OptionGroup(NamedTuple):
    """Options, declared one by one, that belong together.

    Attributes:
        options: their names, as the command's function receives them.
        example: what follows the command's name; ``…`` stands for the arguments.
    """

    options: tuple[str, ...]
    example: str


def options(**groups: type[Options]) -> Callable[[Function], Function]:
    """Return a decorator that gives a command groups of options; it receives each as an argument of that name."""

    def decorate(function: Function) -> Function:
        fields = {name: dataclasses.fields(group) for name, group in groups.items()}  # type: ignore[arg-type]

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for name, group in groups.items():
                given[name] = group(**{field.name: given.pop(field.name) for field in fields[name]})
            return function(*args, **given)

        made = []
        for name, group in groups.items():
            hints = get_type_hints(group, include_extras=True)
            made += [_parameter(group, field, *get_args(hints[field.name])) for field in fields[name]]
        # Click keeps them in the order of decorators, the last one first.
        call.__click_params__ = [*getattr(function, "__click_params__", ()), *reversed(made)]  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


class _Option(click.Option):
    """An option that a field declares."""

    group: type[Options]


def _parameter(group: type[Options], field: dataclasses.Field[Any], kind: Any, about: _About) -> click.Parameter:
    """Return the parameter that a field declares."""
    if isinstance(kind, types.UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    more: dict[str, Any] = {"default": field.default}
    if get_origin(kind) is tuple:
        kind, *rest = get_args(kind)
        more |= {"multiple": True} if rest == [...] else {"nargs": 1 + len(rest)}
    if about.is_argument:
        return click.Argument([field.name], nargs=-1 if "multiple" in more else 1, **about.more)
    if kind is bool:
        more["is_flag"] = True
    elif get_origin(kind) is Literal:
        more["type"] = click.Choice(get_args(kind))
    elif about.low is not None or about.high is not None:
        ranged: Any = click.IntRange if kind is int else click.FloatRange
        ends = {"min_open": about.is_open, "max_open": about.is_open and about.high is not None}
        more["type"] = ranged(about.low, about.high, **ends)
    else:
        more["type"] = kind
    shown = about.shown or ("" if field.default in (None, (), False) else str(field.default))
    text = f"{about.text}  [default: {shown}]" if shown else about.text
    flags = about.flags or (f"--{field.name.replace('_', '-')}",)
    made = _Option([*flags, field.name], help=text, **{**more, **about.more})
    made.group = group
    return made


class GroupedCommand(click.Command):
    """A command whose help shows options by group.

    Args:
        groups: the groups of options that no struct declares, by their headings.
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
            named = isinstance(parameter, click.Argument) or parameter.name == "chain"
            if isinstance(value, float) and not math.isfinite(value):
                # click's ranges let them through.
                raise click.BadParameter(f"{value} is not a finite number.", context, parameter)
            if parameter.name in _WRITTEN:
                written.append((parameter.opts[0], value))
            elif named or any(word in (parameter.metavar or "") for word in ("FILE", "INDEX")):
                read += _files(value)
        for flag, value in written:
            for path in _files(value):
                if any(path.samefile(other) for other in read):
                    raise ConfigError(f"{flag} {value} is an input; it would be overwritten. Name another file")
        return rest

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a list per group, each below its example."""
        sections: dict[str, str] = {heading: group.example for heading, group in self.groups.items()}
        rows: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context)
            if isinstance(parameter, click.Argument) or record is None:
                continue
            if isinstance(parameter, _Option):
                heading = parameter.group.heading
                sections.setdefault(heading, parameter.group.example)
            else:
                named = (heading for heading, group in self.groups.items() if parameter.name in group.options)
                heading = next(named, Options.heading)
            rows.setdefault(heading, []).append(record)
        for heading, records in sorted(rows.items(), key=lambda row: row[0] == Options.heading):
            with formatter.section(heading):
                if example := sections.get(heading):
                    # One line, however long: it is to be copied.
                    formatter.write(f"{'':{formatter.current_indent}}$ {context.command_path} {example}\n")
                formatter.write_dl(records)


_WRITTEN = ("output", "png", "svg", "latex", "plot", "corpus", "all_points")
"""Parameters that name a file which is written."""


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
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=1000)) for name, each in commands.items() if each])


class PluginGroup(FullHelpGroup):
    """A group that plugins add commands to, in ``meteor_e_commands``.

    Args:
        prefix: what their names there begin with: ``"GROUP "``, or nothing for the program itself.
    """

    def __init__(self, *args: Any, prefix: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.prefix = prefix

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plugins among them; warn of a plugin's that one of ours hides."""
        from meteor_e.plugins.registry import plugin_registry

        own, foreign = super().list_commands(context), plugin_registry().names("command")
        for name in own:
            if self.prefix + name in foreign:
                source = plugin_registry().source("command", self.prefix + name)
                text = f"command '{self.prefix}{name}' of {source} is hidden by meteor_e's own; rename the plugin's"
                warnings.warn(text, PluginWarning, stacklevel=2)
        known = {
            name.removeprefix(self.prefix) for name in (*noted_commands(), *foreign) if name.startswith(self.prefix)
        }
        return sorted({*own, *(name for name in known if " " not in name)})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command of ours, else a plugin's, else one that says what to install; ``None`` for any other."""
        from meteor_e.plugins.registry import plugin_registry

        own, whole = super().get_command(context, name), self.prefix + name
        if own is not None:
            return own
        if whole in plugin_registry().names("command"):
            try:
                found: click.Command = plugin_registry().get("command", whole)
                return found
            except MeteorError as error:
                # Completion in a shell has no place for errors.
                return None if context.resilient_parsing else _failing(name, f"ERROR: {error}", error)
        note = noted_commands().get(whole)
        if note is None:
            return None
        advice = PluginError(comes_with_plugin(f"`meteor-e {whole}`", note.distribution))
        return _failing(name, f"Needs {note.distribution}. {note.summary}", advice)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; suggest the nearest for an unknown name."""
        if args and not args[0].startswith("-") and (" " in args[0] or self.get_command(context, args[0]) is None):
            from meteor_e.plugins.registry import plugin_registry

            failures = plugin_registry().failures()
            hint = f"; plugins that failed: {'; '.join(failures)}" if failures else ""
            near = near_miss(args[0], self.list_commands(context))
            raise click.UsageError(f"no such command {args[0]!r}{near}{hint}", context)
        return super().resolve_command(context, args)


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
