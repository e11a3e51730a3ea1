from __future__ import annotations

import json

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
    assert {row["kind"] for row in rows} == {"matcher", "feature", "language", "lemmatizer", "chain", "plugin"}


def test_one_kind(listing):
    rows = json.loads(listing("--json", "--kind", "lemmatizer"))
    assert [row["name"] for row in rows if row["kind"] != "plugin"] == ["lookup", "none"]
    assert {row["kind"] for row in rows} == {"lemmatizer", "plugin"}
