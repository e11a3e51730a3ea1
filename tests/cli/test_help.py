"""Tests of the examples and options in the help of all commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from meteor_e.cli.program import cli
from meteor_e.java.options import parse


def walk_commands(command: click.Command = cli, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for each command and for each group of commands.

    Hidden commands and commands of plugins that are not installed are skipped.
    """
    name = "meteor-e" if parent is None else command.name
    context = click.Context(command, parent=parent, info_name=name)
    yield context
    if isinstance(command, click.Group):
        for subcommand_name in command.list_commands(context):
            subcommand = command.get_command(context, subcommand_name)
            assert subcommand is not None
            # Only the placeholders for commands of missing plugins have this setting.
            is_placeholder = subcommand.context_settings.get("ignore_unknown_options")
            if not is_placeholder and not subcommand.hidden:
                subcommand.name = subcommand_name
                yield from walk_commands(subcommand, context)


COMMANDS = {
    context.command_path: context for context in walk_commands() if not isinstance(context.command, click.Group)
}
"""The contexts of all commands that are not groups, by the path of the command."""
COMMANDS_WITH_REQUIRED_PARAMETERS = [
    path for path, context in COMMANDS.items() if any(parameter.required for parameter in context.command.params)
]


def get_help(context: click.Context) -> str:
    """Return the help text of a command."""
    return context.command.get_help(context)


def find_examples(context: click.Context) -> list[str]:
    """Return the arguments of each command line in a help text that calls the command itself."""
    path = re.escape(context.command_path)
    help_text = get_help(context)
    examples_with_arguments = re.findall(rf"^ *(?:\$ )?{path} (.*)$", help_text, re.MULTILINE)
    examples_without_arguments = re.findall(rf"^ *{path}()$", help_text, re.MULTILINE)
    return examples_with_arguments + examples_without_arguments


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_help_contains_valid_examples(path):
    """Each help text contains examples, and the command accepts their options."""
    context = COMMANDS[path]
    examples = find_examples(context)
    assert examples
    for example in examples:
        # Pipes and redirections are not arguments of the command.
        command_line = re.split(r" [|<>] ?", example)[0]
        arguments = [argument for argument in shlex.split(command_line) if argument != "…"]
        if context.command.name == "compat":
            parse(arguments)
        else:
            parser = context.command.make_parser(click.Context(context.command))
            parser.parse_args(arguments)


def test_short_options_have_one_meaning_in_all_commands():
    long_names: dict[str, set[str]] = {}
    for context in COMMANDS.values():
        for parameter in context.command.params:
            if not isinstance(parameter, click.Option) or parameter.hidden:
                continue
            for name in parameter.opts:
                if len(name) == 2:
                    long_names.setdefault(name, set()).add(max(parameter.opts, key=len))
    assert {name: meanings for name, meanings in long_names.items() if len(meanings) > 1} == {}
    assert long_names["-t"] == {"--task"}
    assert long_names["-l"] == {"--language"}
    assert (long_names["-f"], long_names["-o"], long_names["-M"]) == ({"--format"}, {"--output"}, {"--metric"})


@pytest.mark.parametrize("path", COMMANDS_WITH_REQUIRED_PARAMETERS)
def test_commands_report_missing_arguments(path):
    with pytest.raises(click.MissingParameter):
        COMMANDS[path].command.make_context(path, [])
