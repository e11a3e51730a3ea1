"""Tests of the ``meteor-e`` program: help, version, completion of commands, and exit codes of errors."""

from __future__ import annotations

import subprocess
import sys

import pytest

from meteor_e import __version__
from meteor_e.base.errors import InputError, PluginError
from meteor_e.cli import program


def add_cause(error, cause):
    """Set the cause of an error, as ``raise … from …`` does, and return the error."""
    error.__cause__ = cause
    return error


def test_help_lists_every_command(cli):
    out = cli("--help").out
    for name in program.COMMANDS:
        assert f"\n  {name} " in out


@pytest.mark.parametrize("arguments", [[], ["pack"]])
def test_program_prints_help_without_a_command(capfd, arguments):
    with pytest.raises(SystemExit) as system_exit:
        program.main(arguments)
    output = "".join(capfd.readouterr())
    assert output.startswith("Usage: meteor-e")
    assert "\nOptions:\n" in output
    assert system_exit.value.code in (0, 2)  # The exit code depends on the version of click.


def test_version_option_prints_the_version(cli):
    assert cli("--version").out.startswith(f"meteor-e {__version__} (")


def test_program_rejects_unknown_commands_and_options(cli):
    assert "no such command 'scroe' (did you mean 'score'?)" in cli.failing(2, "scroe")
    assert "No such option" in cli.failing(2, "--scroe")


def test_completion_completes_the_name_of_a_command(cli):
    process = cli.start(env={"_METEOR_E_COMPLETE": "bash_complete", "COMP_WORDS": "meteor-e sc", "COMP_CWORD": "1"})
    out, _ = process.communicate()
    assert out.decode().split() == ["plain,score"]


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("a\nb"), 1, "meteor-e: a b\n"),  # A line break in a message becomes a space.
        (PluginError("broken"), 3, "meteor-e: broken\n"),
        (MemoryError(), 1, "meteor-e: out of memory; split the input into smaller parts\n"),
        (RecursionError(), 1, "meteor-e: the input is nested too deeply\n"),
        (KeyboardInterrupt(), 130, "meteor-e: interrupted\n"),
        (add_cause(ImportError("initialization failed"), KeyboardInterrupt()), 130, "meteor-e: interrupted\n"),
        (
            add_cause(PluginError("broken"), add_cause(ImportError(), KeyboardInterrupt())),
            130,
            "meteor-e: interrupted\n",
        ),
        (OSError(28, "No space left on device"), 1, "meteor-e: standard output: No space left on device\n"),
        (OSError(5, "Input/output error", "disk"), 1, "meteor-e: disk: Input/output error\n"),
    ],
)
def test_program_prints_errors_as_one_line(monkeypatch, capfd, error, code, line):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(program.cli, "main", fail)
    monkeypatch.setattr(program, "_discard_output", lambda: None)
    with pytest.raises(SystemExit) as system_exit:
        program.main(["score"])
    assert system_exit.value.code == code
    assert capfd.readouterr().err == line


def test_program_exits_with_130_if_exec_is_interrupted(tmp_path):
    """An import can execute generated code. Without the program's handler, Python would end with SIGINT."""
    script = (
        "import runpy\nfrom unittest import mock\nfrom meteor_e.cli import program\n"
        "def interrupted(*_, **__):\n    exec('raise KeyboardInterrupt')\n"
        "with mock.patch.object(program.cli, 'main', interrupted):\n"
        "    runpy.run_module('meteor_e', run_name='__main__')\n"
    )
    (tmp_path / "interrupted.py").write_text(script)
    command = [sys.executable, "-m", "interrupted"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (130, "meteor-e: interrupted\n")
