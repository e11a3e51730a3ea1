"""The command ``meteor-e compat`` replaces the Java program METEOR 1.5, and has the same options and output.

Except for the differences in ``docs/compat.md``, the output is byte-identical to the output of ``meteor-1.5.jar``.
Errors are reported in one line instead of a stack trace.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from meteor_e.cli.commands import destination
from meteor_e.java.options import FLAG_OPTIONS, VALUE_OPTIONS, JavaConfiguration, UsageError, parse


class JavaCommand(click.Command):
    """A command whose arguments have the syntax of METEOR 1.5. Click does not parse these arguments."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Store all arguments unparsed, or show the help text if the only argument is ``--help``."""
        if args in (["--help"], ["-h"], ["-help"]):
            click.echo(self.get_help(context))
            context.exit()
        context.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        """Return the placeholders of the usage line."""
        return ["TEST", "REFERENCE", "[OPTIONS]"]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the options of METEOR's Java program to the help text."""
        with formatter.section("Options of the Java program"):
            values = [(f"{name} {option.field.upper()}", option.text) for name, option in VALUE_OPTIONS.items()]
            flags = [(name, option.text) for name, option in FLAG_OPTIONS.items()]
            formatter.write_dl([*values, *flags])


@click.command(cls=JavaCommand)
def compat(arguments: Sequence[str]) -> None:
    """Run a command line of METEOR 1.5 (Java) or of METEOR-E (Java), and write the same output.

    \b
    meteor-e compat system.txt reference.txt -l en -norm -vOut
    meteor-e compat system.txt reference.txt -l fr -norm -emb fr.vectors.txt
    meteor-e compat - - -stdio -l en -norm
    """
    try:
        configuration = JavaConfiguration.from_options(parse(arguments))
    except UsageError as error:
        raise UsageError(f"{error} (see meteor-e compat --help)") from error
    with destination(None) as stream:
        from meteor_e.java.program import run

        run(configuration, stream)
