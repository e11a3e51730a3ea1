"""The help texts of commands have groups of options, valid examples, and complete summaries."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from meteor_e.cli.program import cli
from meteor_e.java.options import parse


def commands(command: click.Command = cli, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for each command, and for each group of commands."""
    name = "meteor-e" if parent is None else command.name
    context = click.Context(command, parent=parent, info_name=name)
    yield context
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            missing = found.context_settings.get("ignore_unknown_options")  # its plugin is not installed
            if not missing and not found.hidden:
                found.name = inner
                yield from commands(found, context)


ALL = {context.command_path: context for context in commands()}
LEAVES = {path: context for path, context in ALL.items() if not isinstance(context.command, click.Group)}


def help_of(context: click.Context) -> str:
    return context.command.get_help(context)


def examples(context: click.Context) -> list[str]:
    """Return the command lines in a help text that call the command, without the program's name."""
    start = rf"^ *(?:\$ )?{re.escape(context.command_path)} (.*)$"
    return re.findall(start, help_of(context), re.MULTILINE)


@pytest.mark.parametrize("path", sorted(LEAVES))
def test_examples(path):
    """Each help text contains examples, and the command accepts their options."""
    context = LEAVES[path]
    found = examples(context) + examples_without_arguments(context)
    assert found
    for line in found:
        words = shlex.split(re.split(r" [|<>] ?", line)[0])
        if context.command.name == "compat":
            parse([word for word in words if word != "…"])
        else:
            parser = context.command.make_parser(click.Context(context.command))
            parser.parse_args([word for word in words if word != "…"])


def examples_without_arguments(context: click.Context) -> list[str]:
    return re.findall(rf"^ *{re.escape(context.command_path)}()$", help_of(context), re.MULTILINE)


def test_short_options_mean_the_same_in_all_commands():
    meanings: dict[str, set[str]] = {}
    for context in LEAVES.values():
        for parameter in context.command.params:
            for letter in parameter.opts if isinstance(parameter, click.Option) and not parameter.hidden else ():
                if len(letter) == 2:
                    meanings.setdefault(letter, set()).add(max(parameter.opts, key=len))
    assert {letter: names for letter, names in meanings.items() if len(names) > 1} == {}
    assert meanings["-t"] == {"--task"}
    assert meanings["-l"] == {"--language"}
    assert (meanings["-f"], meanings["-o"], meanings["-M"]) == ({"--format"}, {"--output"}, {"--metric"})


@pytest.mark.parametrize(
    "path", [path for path, each in LEAVES.items() if any(one.required for one in each.command.params)]
)
def test_missing_arguments_are_reported(path):
    with pytest.raises(click.MissingParameter):
        LEAVES[path].command.make_context(path, [])
