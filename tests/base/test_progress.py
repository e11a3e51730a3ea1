"""The progress bar on the terminal."""

from __future__ import annotations

import io
import sys

import pytest

from meteor_e.base.progress import Stage, rename_stages, silent, terminal_progress


class FakeTerminal(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def replace_stderr(monkeypatch):
    """A function that replaces ``sys.stderr`` with a fake terminal.

    Call it in the test body, because pytest itself replaces ``sys.stderr`` before the test body runs.
    """

    def replace():
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setattr(sys, "stderr", FakeTerminal())
        return sys.stderr

    return replace


def test_bar_shows_stage_percentage_and_unit(replace_stderr):
    terminal = replace_stderr()
    with terminal_progress(delay=0) as progress:
        progress(Stage("reading [bold]", "B"), 0, 2_000_000)
        progress(Stage("scoring", "segments"), 0, None)
    output = terminal.getvalue()
    assert "reading [bold]:   0%|" in output
    assert "2.00M" in output
    assert "B/s" in output
    assert "scoring: 0.00 segments" in output


def test_bar_is_removed_at_the_end(replace_stderr):
    terminal = replace_stderr()
    with terminal_progress(delay=0) as progress:
        progress("reading", 1, 2)
    assert terminal.getvalue().endswith("\r")
    assert terminal.getvalue().rstrip("\r").rpartition("\r")[2].strip() == ""


def test_bar_does_not_appear_for_short_work(replace_stderr):
    terminal = replace_stderr()
    with terminal_progress() as progress:
        progress("reading", 1, 2)
    with terminal_progress(hidden=True, delay=0) as progress:
        progress("reading", 1, 2)
    assert terminal.getvalue() == ""


def test_bar_needs_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal_progress(delay=0) as progress:
        assert progress is silent


def test_rename_stages_replaces_the_name_and_keeps_the_unit():
    calls = []
    report = rename_stages(lambda *call: calls.append(call), "BLEU first")
    report("segments", 3, 4)
    report(Stage("scoring", "segments"), 3, 4)
    assert calls == [("BLEU first", 3, 4), ("BLEU first", 3, 4)]
    assert calls[1][0].unit == "segments"
