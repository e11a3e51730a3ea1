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
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    monkeypatch.chdir(tmp_path)


def meteor_e(*arguments: str) -> tuple[int, str, str]:
    """Run the command line; return exit code, standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "meteor_e", "config", *arguments], capture_output=True, text=True, encoding="utf-8"
    )
    return done.returncode, done.stdout, done.stderr


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["config", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_check_reports_a_problem_of_every_file(tmp_path):
    (tmp_path / "bad.yaml").write_text("langauge: en\nbeam: 0\nmatchers:\n  - exat\n")
    (tmp_path / "good.yaml").write_text("language: da\n")
    (tmp_path / "note.yaml").write_text("task: adq\n")
    (tmp_path / "broken.yaml").write_text("a: [\n")
    code, out, err = meteor_e("check", "bad.yaml", "good.yaml", "note.yaml", "broken.yaml", "missing.yaml")
    assert (code, err) == (2, "")
    lines = out.splitlines()
    assert lines[0] == "bad.yaml:1: langauge: unknown key (did you mean 'language'?)"
    assert lines[1].startswith("good.yaml: OK: language da, ")
    assert lines[2].startswith("note.yaml: OK: ")
    assert lines[3].startswith("broken.yaml:2: is not YAML: ")
    assert lines[4] == "missing.yaml: cannot be read: No such file or directory"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("chain", "lacking"),
    [
        ("language: other\npack: nopack", "the resource pack 'nopack' is not installed"),
        ("language: other\nidf: nothing.txt", "nothing.txt: No such file or directory"),
        ("lemmatizer: {use: treetagger, command: ./tt, parameter_file: c.yaml}", "there is no program './tt'"),
    ],
)
def test_check_says_what_a_chain_lacks_to_score(chain, lacking):
    if "treetagger" in chain:
        pytest.importorskip("meteor_e_languages")
        chain += "\nlanguage: fr\npack: none\nmatchers: [exact, lemma]"
    Path("c.yaml").write_text(chain, encoding="utf-8")
    result = CliRunner().invoke(cli, ["config", "check", "c.yaml"], standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 1
    (line,) = result.output.splitlines()
    assert line.startswith("c.yaml: cannot score: ")
    assert lacking in line
    result = CliRunner().invoke(cli, ["config", "check", "c.yaml", "--no-resources"], standalone_mode=False)
    assert result.return_value == 0
    assert result.output.splitlines()[-1].endswith("; resources were not checked")


def test_check_of_languages(tmp_path):
    files = [str(file) for file in sorted((RESOURCES / "languages").glob("*.yaml")) if file.name != "any.yaml"]
    assert run("check", "--language", *files).count(": OK: ") == len(files) > 0
    (tmp_path / "xx.yaml").write_text("code: xx\nname: X\nmatchers: [exact]\ndefault_task: rnak\n")
    code, out, _ = meteor_e("check", "--language", "xx.yaml", "missing.yaml")
    assert code == 2
    assert out == (
        "xx.yaml:4: default_task: there is no task 'rnak'; there are li, tune, universal, all, any\n"
        "missing.yaml: cannot be read: No such file or directory\n"
    )


def test_show_can_be_loaded_back(tmp_path):
    for arguments in ([], ["-l", "no"], ["adq"], ["exact", "-l", "de", "-t", "universal"]):
        output = run("show", *arguments)
        (tmp_path / "shown.yaml").write_text(output, encoding="utf-8")
        assert run("show", "shown.yaml") == output
    assert "optional" not in run("show", "meteor-1.5-en")


def test_show_of_a_file(tmp_path):
    (tmp_path / "chain.yaml").write_text("language: other\nlemmatizer: {use: lookup, file: ä.tsv}\n", encoding="utf-8")
    shown = parse_yaml(run("show", "chain.yaml").encode(), "").data
    assert shown == spell_out(resolve(load_chain("chain.yaml"), plugin_registry()), plugin_registry())
    assert shown["lemmatizer"] == {"use": "lookup", "file": str(tmp_path / "ä.tsv")}
    assert shown["parameters"] == {"alpha": 0.75, "beta": 1.4, "gamma": 0.7, "delta": 0.5}
    assert shown["beam"] == 40


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
def test_errors_are_one_line(tmp_path, arguments, code, message):
    (tmp_path / "bad.yaml").write_text("beam: 0")
    found, out, err = meteor_e(*arguments)
    assert (found, out) == (code, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_control_characters_of_a_file_s_name_are_not_printed(tmp_path):
    file = tmp_path / "a\x1b[31m.yaml"
    file.write_text("language: other\nmatchers: [exact]\n", encoding="utf-8")
    assert "\x1b" not in CliRunner().invoke(cli, ["config", "check", str(file)]).output
