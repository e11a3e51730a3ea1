"""Tests of ``meteor-e plugins`` and of commands that plugins add."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from project_imports import find_imports

import meteor_e.cli.plugins
from meteor_e._version import __version__
from meteor_e.base.errors import ConfigError
from meteor_e.cli.new_plugin import write_plugin
from meteor_e.cli.program import cli

PLUGIN = """
    from meteor_e import KeyMatcher, hookimpl

    class Initial(KeyMatcher):
        '''Words with one first letter match. \x1b[31m'''

        name = "initial"
        requires = ("letters",)

        def keys(self, token):
            return {token.form[0]}

    class Bad(KeyMatcher):
        name = "bad"

    @hookimpl
    def meteor_e_matchers():
        return [Initial, Bad]
    """


@pytest.fixture
def list_plugins(plugin_site, monkeypatch):
    """Install a partly broken plugin and two broken plugins, and return a function that runs ``meteor-e plugins``."""
    plugin_site.add("sound-plugin", PLUGIN, version="2.5")
    plugin_site.add("sad-plugin", "raise OSError('no data')")
    plugin_site.add("none-plugin", "hooks = None", value="none_plugin:hooks")
    registry = plugin_site.registry()
    monkeypatch.setattr(meteor_e.cli.plugins, "plugin_registry", lambda: registry)

    def run(*arguments):
        result = CliRunner().invoke(cli, ["plugins", *arguments], catch_exceptions=False)
        assert result.exit_code == 0
        assert result.stderr == ""
        return result.stdout

    return run


def test_plugins_prints_a_table(list_plugins):
    lines = list_plugins("--wide").splitlines()
    assert lines[0].split() == ["kind", "name", "from", "description"]
    (exact,) = [line for line in lines if line.split()[:2] == ["matcher", "exact"]]
    assert exact.split("  ")[-1] == "Words match if they are equal."
    (initial,) = [line for line in lines if " initial " in line]
    assert "sound-plugin 2.5" in initial
    assert "(needs letters)" in initial
    assert "\x1b" not in initial
    none_line, sad_line, sound_line = [line for line in lines if line.startswith("plugin ")]
    assert "ERROR: meteor_e_matchers(): sound_plugin.Bad does not define keys" in sound_line
    assert "refers to None" in none_line
    assert "sad-plugin 1.0" in sad_line
    assert "OSError: no data" in sad_line
    assert "of kind 'language'" in " ".join(lines[-8:])
    language_lines = list_plugins("--kind", "language").splitlines()
    (czech,) = [line for line in language_lines if line.split()[:2] == ["language", "cs"]]
    assert czech.endswith("Czech (also cz)")


def test_plugins_prints_json(list_plugins):
    rows = json.loads(list_plugins("--json"))
    by_name = {(row["kind"], row["name"]): row for row in rows}
    assert by_name["matcher", "exact"] == {
        "kind": "matcher",
        "name": "exact",
        "summary": "Words match if they are equal.",
        "distribution": "meteor_e",
        "version": __version__,
        "plugin": "builtin",
        "aliases": [],
        "requires": [],
        "error": "",
        "status": "ok",
    }
    assert by_name["matcher", "initial"]["distribution"] == "sound-plugin"
    assert by_name["matcher", "initial"]["version"] == "2.5"
    assert by_name["plugin", "sad_plugin"]["status"] == "error"
    assert by_name["command", "score"]["summary"] == "Score the outputs of systems against references."
    kinds = {"matcher", "metric", "language", "lemmatizer", "segmenter", "chain", "command", "plugin"}
    assert {row["kind"] for row in rows} >= kinds


@pytest.fixture
def run_cli(plugin_site, tmp_path):
    """Return a function that runs ``meteor-e`` in a separate process with the plugins of the site.

    The function returns the exit code, the standard output, and the standard error.
    """
    (tmp_path / "hypothesis.txt").write_text("the boat left\n", encoding="utf-8")
    (tmp_path / "reference.txt").write_text("the ship lifted\n", encoding="utf-8")

    def run(*arguments):
        process = subprocess.run(
            [sys.executable, "-m", "meteor_e", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(plugin_site.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return process.returncode, process.stdout, process.stderr

    return run


def score_arguments(*matchers):
    """Return the arguments of a ``score`` command that uses these matchers."""
    return ("score", "hypothesis.txt", "reference.txt", "-l", "other", "-m", ",".join(matchers), "--format=json")


def test_score_warns_of_a_broken_plugin_in_one_line(plugin_site, run_cli):
    plugin_site.add("sound-plugin", PLUGIN.replace("[Initial, Bad]", "[Initial]"), version="2.5")
    plugin_site.add("sad-plugin", "import no_such_module_anywhere")

    code, output, errors = run_cli(*score_arguments("exact"))
    # Built-in matchers do not load the plugins.
    assert (code, errors) == (0, "")

    code, output, errors = run_cli(*score_arguments("exact", "initial"))
    assert code == 0
    assert "|plugins:sound-plugin@2.5" in json.loads(output)["metrics"]["METEOR"]["signature"]
    assert errors.startswith("meteor-e: warning: sad-plugin 1.0: ModuleNotFoundError")
    assert errors.count("\n") == 1


COMMAND_PLUGIN = """
    from meteor_e import hookimpl

    @hookimpl
    def meteor_e_commands():
        return {"greet": "greeting:greet", "sad": "greeting:nothing", "odd": "greeting:ConfigError"}
    """

GREETING = """
    import click
    from meteor_e import ConfigError

    @click.group()
    def greet():
        '''Say something nice.'''

    @greet.command()
    @click.argument("name")
    def hello(name):
        '''Say hello.'''
        if name == "nobody":
            raise ConfigError("nobody is\\nthere")
        click.echo(f"hello {name}")
    """


@pytest.fixture
def greeting(plugin_site):
    """Install a plugin with a command group, whose module is a separate distribution, and two broken commands."""
    plugin_site.add("kind-plugin", COMMAND_PLUGIN, version="3.0")
    plugin_site.add("greeting", GREETING, entry_point="unused", value="kind_plugin")
    (plugin_site.folder / "greeting-1.0.dist-info" / "entry_points.txt").unlink()


def test_plugin_command_runs_and_reports_errors(greeting, run_cli):
    assert run_cli("greet", "hello", "world") == (0, "hello world\n", "")
    code, output, errors = run_cli("greet", "--help")
    assert (code, errors) == (0, "")
    assert "Usage: meteor-e greet" in output
    assert run_cli("greet", "hello", "nobody") == (2, "", "meteor-e: nobody is there\n")


def test_help_lists_plugin_commands_with_summaries(greeting, run_cli):
    code, output, errors = run_cli("--help")
    assert code == 0
    _, _, plugins_section = output.partition("\nPlugins:")
    # The help wraps lines, so the test ignores line breaks.
    plugins_text = f" {' '.join(plugins_section.split())} "
    assert " greet Say something nice. " in plugins_text
    assert " sad ERROR: command 'sad' of kind-plugin 3.0 is broken: " in plugins_text
    assert "is not a click.Command" in plugins_text
    assert errors == ""


def test_program_reports_broken_or_unknown_plugin_commands(greeting, plugin_site, run_cli):
    code, output, errors = run_cli("sad")
    assert (code, output, errors.count("\n")) == (3, "", 1)
    assert "command 'sad' of kind-plugin 3.0 is broken: AttributeError: " in errors
    plugin_site.add("sad-plugin", "raise OSError('no data')")
    code, output, errors = run_cli("gret")
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "no such command 'gret' (did you mean 'greet'?); plugins that failed: sad-plugin 1.0: " in errors


def test_builtin_commands_do_not_load_plugins(greeting, plugin_site, run_cli):
    plugin_site.add("loud-plugin", "print('LOUD')")
    assert run_cli("compat", "--help")[1].startswith("Usage: ")
    assert "LOUD" not in run_cli("compat", "--help")[1]
    assert "LOUD" in run_cli("greet", "hello", "world")[1]


def test_completion_includes_plugin_commands(greeting, plugin_site, run_cli, monkeypatch):
    monkeypatch.setenv("_METEOR_E_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_CWORD", "1")
    for prefix, output in (("gr", "plain,greet\n"), ("sa", "\n")):
        monkeypatch.setenv("COMP_WORDS", f"meteor-e {prefix}")
        assert run_cli() == (0, output, "")


OPTIONS = """
    from typing import Annotated, Literal

    from meteor_e.api import ComponentOptions, FilePath, KeyMatcher, Meta, hookimpl

    class Table(KeyMatcher):
        '''Words of one class match.

        Classes are in a file.
        '''

        name = "table"

        class Options(ComponentOptions):
            file: Annotated[FilePath, Meta(description="The classes.")]
            share: Annotated[float, Meta(ge=0, le=1, description="How much. \x1b[31m")] = 0.5
            case: Annotated[Literal["keep", "lower"], Meta(description="Whether case counts.")] = "keep"

        def keys(self, token):
            return ()

    @hookimpl
    def meteor_e_matchers():
        return [Table]
    """


@pytest.fixture
def describe_component(plugin_site, monkeypatch):
    """Install a plugin whose matcher has options, and return a function that runs ``meteor-e plugins``."""
    plugin_site.add("table-plugin", OPTIONS, version="2.5")
    registry = plugin_site.registry()
    monkeypatch.setattr(meteor_e.cli.plugins, "plugin_registry", lambda: registry)

    def run(*arguments):
        return CliRunner().invoke(cli, ["plugins", *arguments])

    return run


def test_plugins_prints_a_component_as_json(describe_component):
    (row,) = json.loads(describe_component("table", "--json").output)
    assert (row["kind"], row["name"], row["status"]) == ("matcher", "table", "ok")
    assert row["description"].startswith("Words of one class match.")
    assert row["options"][0] == {
        "name": "file",
        "type": "the path of a file",
        "required": True,
        "default": None,
        "help": "The classes.",
    }
    assert [option["default"] for option in row["options"]] == [None, 0.5, "keep"]


def test_plugins_describes_components_without_options(describe_component):
    assert "It has no options." in describe_component("exact", "--kind", "matcher").output
    assert "chain exact" in describe_component("exact").output


def test_plugins_rejects_unknown_names(describe_component):
    result = describe_component("tabel")
    assert result.exit_code != 0
    assert "did you mean 'table'" in str(result.exception)
    assert "there is no feature 'table'" in str(describe_component("table", "-k", "feature").exception)


@pytest.mark.slow
def test_write_plugin_creates_a_plugin_that_passes_its_tests(tmp_path):
    """The test installs the new plugin into a separate folder and runs the plugin's tests."""
    folder = write_plugin("my-class", tmp_path / "plugin")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", site]
    subprocess.run([*install, folder], check=True)
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout


@pytest.mark.parametrize("name", ["", "Two Words", "../up", "a--b", "1st", "a/b"])
def test_write_plugin_rejects_invalid_names(name, tmp_path):
    with pytest.raises(ConfigError, match="is not a plugin name"):
        write_plugin(name, tmp_path / "plugin")
    assert not list(tmp_path.iterdir())


def test_write_plugin_rejects_an_existing_folder(tmp_path):
    with pytest.raises(ConfigError, match="exists"):
        write_plugin("good", tmp_path)


def test_plugins_new_creates_a_plugin(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["plugins", "new", "soundalike"], catch_exceptions=False)
    assert result.exit_code == 0
    folder = tmp_path / "meteor-e-soundalike"
    assert (folder / "src/meteor_e_soundalike/soundalike.yaml").is_file()
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    modules = {module for source in sources for module, _ in find_imports(source)}
    assert modules == {"meteor_e", "meteor_e.api", "meteor_e.testing", "meteor_e_soundalike"}
