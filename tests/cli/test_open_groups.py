"""Tests of commands that plugins add to the command groups of meteor_e."""

from __future__ import annotations

import re

import click
import pytest

from meteor_e import ConfigError, hookimpl
from meteor_e.metrics.specs import parse_spec
from meteor_e.plugins.registry import PluginRegistry


@pytest.fixture
def registry(monkeypatch) -> PluginRegistry:
    """Install and return a registry that ignores the installed plugins."""
    empty_registry = PluginRegistry(entry_points=list)
    monkeypatch.setattr("meteor_e.plugins.registry._registry", empty_registry)
    return empty_registry


class ShoutPlugin:
    """A plugin that adds a valid command and a broken command to the group ``pack``."""

    @staticmethod
    @hookimpl
    def meteor_e_commands():
        @click.command()
        @click.argument("word")
        def shout(word: str) -> None:
            """Say it loud."""
            click.echo(word.upper())

        return {"pack shout": shout, "pack broken": "no_such_module:command"}


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-l", "fr", "--bitext", "a", "b")])
@pytest.mark.usefixtures("registry")
def test_command_of_a_missing_plugin_says_what_to_install(cli, arguments):
    code, out, err = cli("pack", "build", *arguments)
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "`meteor-e pack build` comes with the plugin meteor-e-bitext, which is not installed" in err
    assert "in a clone of meteor_e, run: pip install ./plugins/meteor-e-bitext" in err


@pytest.mark.usefixtures("registry")
def test_command_of_a_missing_plugin_is_suggested(cli):
    code, _, err = cli("evaluat")
    assert code == 2
    assert "did you mean 'evaluate'?" in err


@pytest.mark.parametrize(
    ("metric", "distribution"),
    [("scores:file", "meteor-e-evaluation"), ("model:x", "meteor-e-learned"), ("en-light", "meteor-e-learned")],
)
def test_metric_of_a_missing_plugin_says_what_to_install(registry, monkeypatch, metric, distribution):
    monkeypatch.setattr("meteor_e.metrics.specs.plugin_registry", lambda: registry)
    with pytest.raises(ConfigError, match=f"comes with the plugin {distribution}, which is not installed: in a clone"):
        parse_spec(metric)


@pytest.mark.usefixtures("registry")
def test_help_lists_the_command_of_a_missing_plugin(cli):
    code, out, _ = cli("pack", "--help")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("  build ")]
    assert line.split(maxsplit=1)[1].startswith("Needs meteor-e-bitext. ")


def test_plugin_adds_a_command_to_a_group(registry, cli):
    registry.register(ShoutPlugin, "shouting")
    assert cli("pack", "shout", "cat") == (0, "CAT\n", "")
    assert re.search("  shout +Say it loud", cli("pack", "--help")[1])
    code, out, err = cli("pack", "broken", "--help")
    assert (code, out) == (3, "")
    assert "'pack broken'" in err
    assert "no_such_module" in err
    # The command belongs to the group and is not a top-level command.
    assert " shout " not in cli("--help")[1]
    assert cli("pack shout")[0] == 2
    assert cli("pack", "shoot")[0] == 2
    code, out, _ = cli("plugins", "--kind", "command")
    assert "pack shout" in out


class NameConflictPlugin:
    """A plugin whose command has the name of a built-in command."""

    @staticmethod
    @hookimpl
    def meteor_e_commands():
        return {"score": click.Command("score", help="Not ours.")}


@pytest.mark.filterwarnings("always")
def test_plugin_command_with_a_builtin_name_causes_a_warning(registry, cli):
    registry.register(NameConflictPlugin, "hidden")
    code, out, err = cli("--help")
    assert (code, "Not ours." in out) == (0, False)
    assert "warning: command 'score' is claimed by meteor_e" in err
    assert "the one of meteor_e is used; rename the plugin's" in err
