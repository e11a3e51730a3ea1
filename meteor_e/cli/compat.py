"""``meteor-e compat``: the Java program's command line and output.

Standard output and files are identical to those of METEOR 1.5's jar, byte for byte. ``docs/compat.md`` lists the
exceptions. Errors are one line instead of a stack trace.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from meteor_e.cli.commands import destination
from meteor_e.java.options import FLAGS, VALUES, JavaConfiguration, UsageError, parse


class JavaCommand(click.Command):
    """A command whose arguments are those of the Java program. click does not parse them."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Store all arguments unparsed. If the only argument is ``--help``, show the help."""
        if args in (["--help"], ["-h"], ["-help"]):
            click.echo(self.get_help(context))
            context.exit()
        context.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        """Return the placeholders of the usage line: two files and the options."""
        return ["TEST", "REFERENCE", "[OPTIONS]"]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the section of the Java program's options."""
        with formatter.section("Options of the Java program"):
            values = [(f"{name} {option.field.upper()}", option.text) for name, option in VALUES.items()]
            flags = [(name, option.text) for name, option in FLAGS.items()]
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
