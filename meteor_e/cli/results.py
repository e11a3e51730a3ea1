"""How commands write what they found: ``-f``, ``--digits``, ``-o``; and the options of significance tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, PluginError, near_miss
from meteor_e.cli.output import destination
from meteor_e.plugins.builtin import meteor_e_output_formats

if TYPE_CHECKING:
    from meteor_e.api.formats import OutputFormat, OutputOptions, Result
    from meteor_e.results import Significance

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(default: str = "text") -> Callable[[Command], Command]:
    """Add ``-f``; the command receives the name as ``form``."""
    known = ", ".join(meteor_e_output_formats())
    usage = f"Form of the output: {known}, or a plugin's.  [default: {default}]"
    return click.option("-f", "--format", "form", metavar="NAME", default=default, help=usage)


def output_option(what: str = "Write to a file.  [default: standard output]") -> Callable[[Command], Command]:
    """Add ``-o``."""
    return click.option("-o", "--output", metavar="FILE", help=what)


def output_format(name: str) -> OutputFormat:
    """Return a format by its name.

    Raises:
        ConfigError: if there is none.
        PluginError: for a format of a plugin that is broken.
    """
    from meteor_e.plugins.registry import plugin_registry

    try:
        found: Any = plugin_registry().get("output format", name)
    except PluginError:
        known = plugin_registry().names("output format")
        if name in known:
            raise
        raise ConfigError(
            f"--format: there is no format {name!r}{near_miss(name, known)}; the formats: {', '.join(known)}"
        ) from None
    made: OutputFormat = found.make()
    return made


def write_result(result: Result, form: OutputFormat, output: str | None, options: OutputOptions) -> None:
    """Write a result to standard output or a file, which is written whole or not at all."""
    with destination(output) as stream:
        form.write(result, stream, options)


class _Method(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """A method of testing, which may be left out: then what follows the option is taken for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the method; click's error for anything else, with a hint."""
        if value not in self.choices:
            known = ", ".join(map(str, self.choices))
            self.fail(f"{value!r} is no method ({known}); write the option after the files", param, ctx)
        return super().convert(value, param, ctx)


def significance_options(default: str | None = None) -> Callable[[Command], Command]:
    """Return a decorator that adds the options; the command receives ``significance``, ``samples`` and ``seed``.

    Args:
        default: the method where the option is not given; by default there is no test.
    """
    options = (
        click.option(
            "--significance",
            type=_Method(["randomization", "bootstrap", "none"]),
            is_flag=False,
            flag_value="randomization",
            default=default,
            help="Test systems against one another, and give 95 % intervals; write it after the files, or with a "
            f"method.  [default: {default or 'none; without a method: randomization'}]",
        ),
        click.option(
            "--samples",
            type=click.IntRange(min=1),
            metavar="N",
            help="Samples of the test.  [default: 1000 for bootstrap, 10000 for randomization]",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=DEFAULT_SEED, help="Seed of the test.", show_default=True
        ),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def tests_of(significance: str | None, samples: int | None, seed: int) -> Significance | None:
    """Return what the options of significance say; ``None`` for no tests."""
    from meteor_e.results import Significance

    return None if significance in (None, "none") else Significance(str(significance), samples, seed)
