from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from meteor_e.cli.program import cli
from meteor_e.packs.build import build_pack


def completed(*words: str) -> list[tuple[str, str]]:
    """Return type and value of what the last word may become."""
    completer = ShellComplete(cli, {}, "meteor-e", "_METEOR_E_COMPLETE")
    return [(item.type, item.value) for item in completer.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("command", ["score", "stem"])
def test_arguments_are_files(command):
    assert completed(command, "sys") == [("file", "sys")]


def test_options_that_take_files():
    assert completed("score", "--reference", "re") == [("file", "re")]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("score", "-l", "e"), "en"),
        (("score", "--language", "f"), "fr"),
        (("score", "--task", "h"), "hter"),
        (("score", "--matchers", "exact,st"), "exact,stem"),
        (("score", "-m", "para"), "paraphrase"),
        (("score", "-M", "ble"), "bleu"),
        (("score", "-M", "bleu", "-M", "chr"), "chrf++"),
        (("score", "-M", "univ"), "universal"),
        (("score", "--chain", "univ"), "universal"),
        (("score", "--normalization", "no-"), "no-punctuation"),
        (("score", "--ch"), "--chain"),
        (("sc",), "score"),
        (("pack", "inst"), "install"),
        (("pack", "install", "d"), "de"),
    ],
)
def test_names(words, value):
    assert ("plain", value) in completed(*words)


def test_installed_packs(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path))
    (tmp_path / "words").write_text("the\n", encoding="utf-8")
    build_pack(tmp_path / "my-pack", language="other", function_words=tmp_path / "words")
    assert ("plain", "my-pack") in completed("score", "--pack", "my")
    assert completed("score", "--pack", "mine") == [("file", "mine")]


def test_install(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/usr/bin/bash")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(cli, ["completion", "--install"], catch_exceptions=False)
    assert result.exit_code == 0
    script = tmp_path / ".local/share/bash-completion/completions/meteor-e"
    assert "_METEOR_E_COMPLETE" in script.read_text()
    assert str(script) in result.output


def test_an_unknown_shell_is_said(monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    result = CliRunner().invoke(cli, ["completion"])
    assert result.exit_code != 0
    assert "tcsh" in str(result.exception)


def test_names_and_files(tmp_path, monkeypatch):
    """What is both is offered side by side: bash would drop the names if it were asked to complete files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "universe.yaml").touch()
    (tmp_path / "unicode").mkdir()
    assert completed("score", "--chain", "uni") == [("plain", "universal"), ("plain", "universe.yaml")]
    assert completed("score", "--chain", "unic") == [("file", "unic")]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("score", "sys"), ["compopt", "-o", "default"]),
        (("score", "-M", "ble"), ["bleu"]),
        (("score", "-c", "univ"), ["universal"]),
    ],
)
def test_bash(tmp_path, words, answer):
    """In a real bash: what the installed script answers."""
    script = CliRunner().invoke(cli, ["completion", "bash"], catch_exceptions=False).output
    (tmp_path / "completion").write_text(script)
    (tmp_path / "system-a.txt").touch()
    program = tmp_path / "meteor-e"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m meteor_e "$@"\n')
    program.chmod(0o755)
    lines = (
        '. ./completion; compopt() { echo "compopt $*"; };'
        f" COMP_WORDS=(meteor-e {' '.join(words)}); COMP_CWORD={len(words)};"
        f" _meteor_e_completion meteor-e {words[-1]} {words[-2]}; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(
        ["bash", "-c", lines],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split()[:3] == answer, done.stderr
