from __future__ import annotations

import subprocess
import sys

import pytest

from meteor_e import __version__
from meteor_e.base.errors import InputError, PluginError
from meteor_e.cli import program as package


def due_to(error, cause):
    """Return an error with a cause, as ``raise … from …`` does."""
    error.__cause__ = cause
    return error


def test_help_lists_every_command_without_importing_one(cli):
    out = cli("--help").out
    for name in package.COMMANDS:
        assert f"\n  {name} " in out


@pytest.mark.parametrize("arguments", [[], ["pack"]])
def test_help_is_printed_without_a_command(capfd, arguments):
    with pytest.raises(SystemExit) as caught:
        package.main(arguments)
    shown = "".join(capfd.readouterr())
    assert shown.startswith("Usage: meteor-e")
    assert "\nOptions:\n" in shown
    assert caught.value.code in (0, 2)  # by the version of click


def test_version(cli):
    assert cli("--version").out.startswith(f"meteor-e {__version__} (")


def test_unknown_command_is_refused(cli):
    assert "no such command 'scroe' (did you mean 'score'?)" in cli.failing(2, "scroe")
    assert "No such option" in cli.failing(2, "--scroe")


def test_completion_completes(cli):
    process = cli.start(env={"_METEOR_E_COMPLETE": "bash_complete", "COMP_WORDS": "meteor-e sc", "COMP_CWORD": "1"})
    out, _ = process.communicate()
    assert out.decode().split() == ["plain,score"]


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("a\nb"), 1, "meteor-e: a b\n"),
        (PluginError("broken"), 3, "meteor-e: broken\n"),
        (MemoryError(), 1, "meteor-e: out of memory; split the input into smaller parts\n"),
        (RecursionError(), 1, "meteor-e: the input is nested too deeply\n"),
        (KeyboardInterrupt(), 130, "meteor-e: interrupted\n"),
        (due_to(ImportError("initialization failed"), KeyboardInterrupt()), 130, "meteor-e: interrupted\n"),
        (due_to(PluginError("broken"), due_to(ImportError(), KeyboardInterrupt())), 130, "meteor-e: interrupted\n"),
        (OSError(28, "No space left on device"), 1, "meteor-e: standard output: No space left on device\n"),
        (OSError(5, "Input/output error", "disk"), 1, "meteor-e: disk: Input/output error\n"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(monkeypatch, capfd, error, code, line):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(package.cli, "main", fail)
    monkeypatch.setattr(package, "_discard_output", lambda: None)
    with pytest.raises(SystemExit) as caught:
        package.main(["score"])
    assert caught.value.code == code
    assert capfd.readouterr().err == line


def test_interrupt_within_exec_ends_with_its_code(tmp_path):
    """An import can execute generated code. Python by itself would end with SIGINT."""
    program = (
        "import runpy\nfrom unittest import mock\nfrom meteor_e.cli import program\n"
        "def interrupted(*_, **__):\n    exec('raise KeyboardInterrupt')\n"
        "with mock.patch.object(program.cli, 'main', interrupted):\n"
        "    runpy.run_module('meteor_e', run_name='__main__')\n"
    )
    (tmp_path / "interrupted.py").write_text(program)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "meteor-e: interrupted\n")
