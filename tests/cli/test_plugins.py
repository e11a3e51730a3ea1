from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import meteor_e.cli.plugins
from meteor_e._version import __version__
from meteor_e.cli import cli

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
    own = plugin_site.registry()
    monkeypatch.setattr(meteor_e.cli.plugins, "registry", lambda: own)

    def run(*arguments):
        result = CliRunner().invoke(cli, ["plugins", *arguments], catch_exceptions=False)
        assert result.exit_code == 0
        assert result.stderr == ""
        return result.stdout

    return run


def test_table(listing):
    lines = listing().splitlines()
    assert lines[0].split() == ["kind", "name", "from", "what"]
    (exact,) = [line for line in lines if line.startswith("matcher     exact ")]
    assert exact.split("  ")[-1] == "Words match if they are equal."
    (initial,) = [line for line in lines if " initial " in line]
    assert "sound-plugin 2.5" in initial
    assert "(needs letters)" in initial
    assert "\x1b" not in initial
    (bad,) = [line for line in lines if " bad " in line]
    assert "ERROR: " in bad
    assert "does not define keys" in bad
    (sad,) = [line for line in lines if line.startswith("plugin ")]
    assert "sad-plugin 1.0" in sad
    assert "OSError: no data" in sad
    (czech,) = [line for line in lines if line.startswith("language    cs ")]
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
    assert by_name["matcher", "bad"]["status"] == "error"
    assert by_name["plugin", "sad_plugin"]["status"] == "error"
    assert {row["kind"] for row in rows} == {
        "matcher",
        "feature",
        "language",
        "lemmatizer",
        "segmenter",
        "chain",
        "plugin",
    }


def test_one_kind(listing):
    rows = json.loads(listing("--json", "--kind", "lemmatizer"))
    assert [row["name"] for row in rows if row["kind"] != "plugin"] == ["lookup", "none"]
    assert {row["kind"] for row in rows} == {"lemmatizer", "plugin"}


RAISES = PLUGIN.replace('name = "initial"', 'name = "raises"').replace("token.form[0]", "token.form[10]")


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
    return ("score", "hypothesis.txt", "reference.txt", "-l", "other", "-m", ",".join(matchers), "--json")


def test_a_broken_plugin_is_one_line(plugin_site, run_cli):
    plugin_site.add("sound-plugin", PLUGIN.replace("[Initial, Bad]", "[Initial]"), version="2.5")
    plugin_site.add("sad-plugin", "import no_such_module_anywhere")

    code, output, errors = run_cli(*score("exact"))
    assert (code, errors) == (0, "")  # nobody looked

    code, output, errors = run_cli(*score("exact", "initial"))
    assert code == 0
    assert "|plugins:sound-plugin@2.5" in json.loads(output)["signature"]
    assert errors.startswith("meteor-e: warning: sad-plugin 1.0: 'sad_plugin' cannot be imported: ModuleNotFoundError")
    assert errors.count("\n") == 1

    code, output, errors = run_cli(*score("exact", "initials"))
    assert (code, output) == (3, "")
    assert "no matcher 'initials' (did you mean 'initial'?)" in errors
    assert "plugins that failed: sad-plugin 1.0: " in errors
    assert errors.count("\n") == 1


def test_a_matcher_that_fails_is_one_line(plugin_site, run_cli):
    plugin_site.add("sad-plugin", RAISES.replace("[Initial, Bad]", "[Initial]"))
    code, output, errors = run_cli(*score("exact", "raises"))
    assert (code, output) == (3, "")
    assert "matcher 'raises' failed with IndexError: string index out of range" in errors
    assert errors.count("\n") == 1


def test_two_plugins_with_one_name_are_one_line(plugin_site, run_cli):
    plugin_site.add("first-plugin", PLUGIN.replace("[Initial, Bad]", "[Initial]"), version="1.1")
    plugin_site.add("second-plugin", PLUGIN.replace("[Initial, Bad]", "[Initial]"), version="2.2")
    code, output, errors = run_cli(*score("exact", "initial"))
    assert (code, output) == (3, "")
    assert "'initial' is claimed by first-plugin 1.1 (first_plugin) and by second-plugin 2.2 (second_plugin)" in errors
    assert errors.count("\n") == 1


def test_a_check_notices_a_plugin_with_a_builtin_name(plugin_site, run_cli, tmp_path):
    greedy = PLUGIN.replace("[Initial, Bad]", "[Initial]").replace('"initial"', '"exact"')
    plugin_site.add("greedy-plugin", greedy)
    (tmp_path / "chain.yaml").write_text("language: other\nmatchers:\n  - exact\n", encoding="utf-8")
    code, output, errors = run_cli("config", "check", "chain.yaml")
    assert code == 2
    assert "chain.yaml:3" in output + errors
    assert "'exact' is claimed by meteor_e" in output + errors
    code, output, errors = run_cli(*score("exact"))
    assert (code, errors) == (0, "")
