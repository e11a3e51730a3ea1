"""Tests of the output on a terminal of 80 columns and of shell completion."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from meteor_e.cli.program import cli
from meteor_e.render.columns import format_wrapped_table
from meteor_e.render.plain import display_width


def walk_commands(command, context):
    """Yield the context of a command and the contexts of all its subcommands."""
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None:
                yield from walk_commands(subcommand, click.Context(subcommand, info_name=name, parent=context))


def test_help_of_every_command_fits_80_columns():
    long_lines = [
        f"{context.command_path}: {line}"
        for context in walk_commands(cli, click.Context(cli, info_name="meteor-e"))
        for line in context.get_help().splitlines()
        if display_width(line) > 80
    ]
    assert long_lines == []


@pytest.mark.parametrize("command", ["languages", "languages fr", "plugins", "plugins stem", "plugins --kind chain"])
def test_listing_fits_80_columns(command):
    output = CliRunner().invoke(cli, command.split(), catch_exceptions=False, env={"COLUMNS": ""}).stdout
    assert [line for line in output.splitlines() if display_width(line) > 80] == []


def test_wrapped_table_keeps_all_words():
    text = " ".join(f"word{index}" for index in range(40))
    table = format_wrapped_table(["name", "what"], [["first", text], ["second", ""]])
    assert table.split() == ["name", "what", "first", *text.split(), "second"]
    assert max(map(len, table.splitlines())) <= 80


@pytest.mark.parametrize(
    ("option", "incomplete", "expected"),
    [("-M", "met", "meteor"), ("-f", "js", "json"), ("-l", "f", "fr"), ("-c", "met", "meteor-1.5-en")],
)
def test_completion_completes_values_of_options(option, incomplete, expected):
    completion = BashComplete(cli, {}, "meteor-e", "_METEOR_E_COMPLETE")
    assert expected in [item.value for item in completion.get_completions(["score", option], incomplete)]
