"""Tests of ``meteor-e config check`` and ``meteor-e config show``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from meteor_e.base.yamlfile import parse_yaml
from meteor_e.chains.chain import resolve
from meteor_e.chains.checks import spell_out
from meteor_e.chains.config import load_chain
from meteor_e.cli.program import cli
from meteor_e.plugins.registry import plugin_registry

RESOURCES = Path(__file__).parents[2] / "resources"


@pytest.fixture(autouse=True)
def no_packs(tmp_path, monkeypatch):
    """Change to an empty folder, and use a pack folder that does not exist."""
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    monkeypatch.chdir(tmp_path)


def run_config_process(*arguments: str) -> tuple[int, str, str]:
    """Run ``meteor-e config`` in a separate process, and return the exit code, standard output, and standard error."""
    process = subprocess.run(
        [sys.executable, "-m", "meteor_e", "config", *arguments], capture_output=True, text=True, encoding="utf-8"
    )
    return process.returncode, process.stdout, process.stderr


def run_config(*arguments: str) -> str:
    """Run ``meteor-e config`` in this process, check that it succeeds, and return its output."""
    result = CliRunner().invoke(cli, ["config", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_check_reports_a_result_for_every_file(tmp_path):
    (tmp_path / "bad.yaml").write_text("langauge: en\nbeam: 0\nmatchers:\n  - exat\n")
    (tmp_path / "good.yaml").write_text("language: da\n")
    (tmp_path / "note.yaml").write_text("task: adq\n")
    (tmp_path / "broken.yaml").write_text("a: [\n")
    code, out, err = run_config_process("check", "bad.yaml", "good.yaml", "note.yaml", "broken.yaml", "missing.yaml")
    assert (code, err) == (2, "")
    lines = out.splitlines()
    assert lines[0] == "bad.yaml:1: langauge: unknown key (did you mean 'language'?)"
    assert lines[1].startswith("good.yaml: OK: language da, ")
    assert lines[2].startswith("note.yaml: OK: ")
    assert lines[3].startswith("broken.yaml:2: is not YAML: ")
    assert lines[4] == "missing.yaml: cannot be read: No such file or directory"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        ("language: other\npack: nopack", "the resource pack 'nopack' is not installed"),
        ("language: other\nidf: nothing.txt", "nothing.txt: No such file or directory"),
        ("lemmatizer: {use: treetagger, command: ./tt, parameter_file: c.yaml}", "there is no program './tt'"),
    ],
)
def test_check_names_the_missing_resource_of_a_chain(chain, message):
    if "treetagger" in chain:
        pytest.importorskip("meteor_e_languages")
        chain += "\nlanguage: fr\npack: none\nmatchers: [exact, lemma]"
    Path("c.yaml").write_text(chain, encoding="utf-8")
    result = CliRunner().invoke(cli, ["config", "check", "c.yaml"], standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 1
    (line,) = result.output.splitlines()
    assert line.startswith("c.yaml: cannot score: ")
    assert message in line
    result = CliRunner().invoke(cli, ["config", "check", "c.yaml", "--no-resources"], standalone_mode=False)
    assert result.return_value == 0
    assert result.output.splitlines()[-1].endswith("; resources were not checked")


def test_check_accepts_builtin_languages_and_reports_errors(tmp_path):
    paths = [str(path) for path in sorted((RESOURCES / "languages").glob("*.yaml")) if path.name != "any.yaml"]
    assert run_config("check", "--language", *paths).count(": OK: ") == len(paths) > 0
    (tmp_path / "xx.yaml").write_text("code: xx\nname: X\nmatchers: [exact]\ndefault_task: rnak\n")
    code, out, _ = run_config_process("check", "--language", "xx.yaml", "missing.yaml")
    assert code == 2
    assert out == (
        "xx.yaml:4: default_task: there is no task 'rnak'; there are li, tune, universal, all, any\n"
        "missing.yaml: cannot be read: No such file or directory\n"
    )


def test_show_prints_a_chain_that_can_be_loaded(tmp_path):
    for arguments in ([], ["-l", "no"], ["adq"], ["exact", "-l", "de", "-t", "universal"]):
        output = run_config("show", *arguments)
        (tmp_path / "shown.yaml").write_text(output, encoding="utf-8")
        assert run_config("show", "shown.yaml") == output
    assert "optional" not in run_config("show", "meteor-1.5-en")


def test_show_prints_all_keys_of_a_chain_file(tmp_path):
    (tmp_path / "chain.yaml").write_text("language: other\nlemmatizer: {use: lookup, file: ä.tsv}\n", encoding="utf-8")
    chain = parse_yaml(run_config("show", "chain.yaml").encode(), "").data
    assert chain == spell_out(resolve(load_chain("chain.yaml"), plugin_registry()), plugin_registry())
    assert chain["lemmatizer"] == {"use": "lookup", "file": str(tmp_path / "ä.tsv")}
    assert chain["parameters"] == {"alpha": 0.75, "beta": 1.4, "gamma": 0.7, "delta": 0.5}
    assert chain["beam"] == 40


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "htre"], 2, "meteor-e: there is no chain 'htre' (did you mean 'hter'?); the chains: "),
        (["show", "-l", "xq"], 2, "meteor-e: there is no language 'xq'"),
        (["show", "adq", "-l", "de"], 2, "meteor-e: "),
        (["show", "bad.yaml"], 2, "meteor-e: bad.yaml:1: beam: must be a whole number, at least 1, not 0"),
        (["check"], 2, "meteor-e: Missing argument 'FILE...'"),
    ],
)
def test_config_reports_errors_in_one_line(tmp_path, arguments, code, message):
    (tmp_path / "bad.yaml").write_text("beam: 0")
    exit_code, out, err = run_config_process(*arguments)
    assert (exit_code, out) == (code, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_check_does_not_print_control_characters_of_file_names(tmp_path):
    path = tmp_path / "a\x1b[31m.yaml"
    path.write_text("language: other\nmatchers: [exact]\n", encoding="utf-8")
    assert "\x1b" not in CliRunner().invoke(cli, ["config", "check", str(path)]).output
