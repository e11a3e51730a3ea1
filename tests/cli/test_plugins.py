from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from our_imports import imports

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
def listing(plugin_site, monkeypatch):
    plugin_site.add("sound-plugin", PLUGIN, version="2.5")
    plugin_site.add("sad-plugin", "raise OSError('no data')")
    plugin_site.add("none-plugin", "hooks = None", value="none_plugin:hooks")
    own = plugin_site.registry()
    monkeypatch.setattr(meteor_e.cli.plugins, "plugin_registry", lambda: own)

    def run(*arguments):
        result = CliRunner().invoke(cli, ["plugins", *arguments], catch_exceptions=False)
        assert result.exit_code == 0
        assert result.stderr == ""
        return result.stdout

    return run


def test_table(listing):
    lines = listing("--wide").splitlines()
    assert lines[0].split() == ["kind", "name", "from", "what"]
    (exact,) = [line for line in lines if line.split()[:2] == ["matcher", "exact"]]
    assert exact.split("  ")[-1] == "Words match if they are equal."
    (initial,) = [line for line in lines if " initial " in line]
    assert "sound-plugin 2.5" in initial
    assert "(needs letters)" in initial
    assert "\x1b" not in initial
    none, sad, sound = [line for line in lines if line.startswith("plugin ")]
    assert "ERROR: meteor_e_matchers(): sound_plugin.Bad does not define keys" in sound
    assert "refers to None" in none
    assert "sad-plugin 1.0" in sad
    assert "OSError: no data" in sad
    assert "of kind 'language'" in " ".join(lines[-8:])
    (czech,) = [line for line in listing("--kind", "language").splitlines() if line.split()[:2] == ["language", "cs"]]
    assert czech.endswith("Czech (also cz)")


def test_json(listing):
    rows = json.loads(listing("--json"))
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
    """Run the command in a process that has the site's plugins installed; return code, stdout, stderr."""
    (tmp_path / "hypothesis.txt").write_text("the boat left\n", encoding="utf-8")
    (tmp_path / "reference.txt").write_text("the ship lifted\n", encoding="utf-8")

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "meteor_e", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(plugin_site.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def score(*matchers):
    return ("score", "hypothesis.txt", "reference.txt", "-l", "other", "-m", ",".join(matchers), "--format=json")


def test_broken_plugin_is_reported_in_one_line(plugin_site, run_cli):
    plugin_site.add("sound-plugin", PLUGIN.replace("[Initial, Bad]", "[Initial]"), version="2.5")
    plugin_site.add("sad-plugin", "import no_such_module_anywhere")

    code, output, errors = run_cli(*score("exact"))
    assert (code, errors) == (0, "")  # nobody looked

    code, output, errors = run_cli(*score("exact", "initial"))
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
    plugin_site.add("kind-plugin", COMMAND_PLUGIN, version="3.0")
    plugin_site.add("greeting", GREETING, entry_point="unused", value="kind_plugin")
    (plugin_site.folder / "greeting-1.0.dist-info" / "entry_points.txt").unlink()


def test_command_of_a_plugin_is_listed(greeting, run_cli):
    assert run_cli("greet", "hello", "world") == (0, "hello world\n", "")
    code, output, errors = run_cli("greet", "--help")
    assert (code, errors) == (0, "")
    assert "Usage: meteor-e greet" in output
    assert run_cli("greet", "hello", "nobody") == (2, "", "meteor-e: nobody is there\n")


def test_commands_of_plugins_are_listed_with_what_they_are_for(greeting, run_cli):
    code, output, errors = run_cli("--help")
    assert code == 0
    _, _, listed = output.partition("\nPlugins:")
    listed = f" {' '.join(listed.split())} "
    assert " greet Say something nice. " in listed
    assert " sad ERROR: command 'sad' of kind-plugin 3.0 is broken: " in listed
    assert "is not a click.Command" in listed
    assert errors == ""


def test_broken_or_unknown_command_is_reported_in_one_line(greeting, plugin_site, run_cli):
    code, output, errors = run_cli("sad")
    assert (code, output, errors.count("\n")) == (3, "", 1)
    assert "command 'sad' of kind-plugin 3.0 is broken: AttributeError: " in errors
    plugin_site.add("sad-plugin", "raise OSError('no data')")
    code, output, errors = run_cli("gret")
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "no such command 'gret' (did you mean 'greet'?); plugins that failed: sad-plugin 1.0: " in errors


def test_builtin_commands_do_not_look_at_plugins(greeting, plugin_site, run_cli):
    plugin_site.add("loud-plugin", "print('LOUD')")
    assert run_cli("compat", "--help")[1].startswith("Usage: ")
    assert "LOUD" not in run_cli("compat", "--help")[1]
    assert "LOUD" in run_cli("greet", "hello", "world")[1]


def test_completion_includes_commands_of_plugins(greeting, plugin_site, run_cli, monkeypatch):
    monkeypatch.setenv("_METEOR_E_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_CWORD", "1")
    for typed, completed in (("gr", "plain,greet\n"), ("sa", "\n")):
        monkeypatch.setenv("COMP_WORDS", f"meteor-e {typed}")
        assert run_cli() == (0, completed, "")


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
def described(plugin_site, monkeypatch):
    plugin_site.add("table-plugin", OPTIONS, version="2.5")
    own = plugin_site.registry()
    monkeypatch.setattr(meteor_e.cli.plugins, "plugin_registry", lambda: own)

    def run(*arguments):
        return CliRunner().invoke(cli, ["plugins", *arguments])

    return run


def test_component_is_printed_as_json(described):
    (row,) = json.loads(described("table", "--json").output)
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


def test_components_without_options_are_described(described):
    assert "It has no options." in described("exact", "--kind", "matcher").output
    assert "chain exact" in described("exact").output


def test_unknown_name_is_refused(described):
    done = described("tabel")
    assert done.exit_code != 0
    assert "did you mean 'table'" in str(done.exception)
    assert "there is no feature 'table'" in str(described("table", "-k", "feature").exception)


@pytest.mark.slow
def test_new_plugin_passes_its_tests(tmp_path):
    """The new distribution is installed next to this meteor_e, and its tests are run."""
    folder = write_plugin("my-class", tmp_path / "plugin")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", site]
    subprocess.run([*install, folder], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["", "Two Words", "../up", "a--b", "1st", "a/b"])
def test_bad_names(name, tmp_path):
    with pytest.raises(ConfigError, match="is not a plugin name"):
        write_plugin(name, tmp_path / "plugin")
    assert not list(tmp_path.iterdir())


def test_existing_folder_is_left_alone(tmp_path):
    with pytest.raises(ConfigError, match="exists"):
        write_plugin("good", tmp_path)


def test_new_plugin_command_creates_a_plugin(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["plugins", "new", "soundalike"], catch_exceptions=False)
    assert result.exit_code == 0
    folder = tmp_path / "meteor-e-soundalike"
    assert (folder / "src/meteor_e_soundalike/soundalike.yaml").is_file()
    modules = {module for file in folder.rglob("*.py") for module, _ in imports(file.read_text(encoding="utf-8"))}
    assert modules == {"meteor_e", "meteor_e.api", "meteor_e.testing", "meteor_e_soundalike"}
