from __future__ import annotations

import io
import sys

import pytest

from meteor_e.base.progress import Stage, rename_stages, silent, terminal_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def pretend_terminal(monkeypatch):
    """Return a function that makes stderr a terminal; call it in the test body, after pytest has replaced stderr."""

    def replace():
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setattr(sys, "stderr", Terminal())
        return sys.stderr

    return replace


def test_bar_shows_stage_share_and_unit(pretend_terminal):
    terminal = pretend_terminal()
    with terminal_progress(delay=0) as progress:
        progress(Stage("reading [bold]", "B"), 0, 2_000_000)
        progress(Stage("scoring", "segments"), 0, None)
    output = terminal.getvalue()
    assert "reading [bold]:   0%|" in output
    assert "2.00M" in output
    assert "B/s" in output
    assert "scoring: 0.00 segments" in output


def test_bar_is_removed_at_the_end(pretend_terminal):
    terminal = pretend_terminal()
    with terminal_progress(delay=0) as progress:
        progress("reading", 1, 2)
    assert terminal.getvalue().endswith("\r")
    assert terminal.getvalue().rstrip("\r").rpartition("\r")[2].strip() == ""


def test_bar_does_not_appear_for_short_work(pretend_terminal):
    terminal = pretend_terminal()
    with terminal_progress() as progress:
        progress("reading", 1, 2)
    with terminal_progress(hidden=True, delay=0) as progress:
        progress("reading", 1, 2)
    assert terminal.getvalue() == ""


def test_bar_needs_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal_progress(delay=0) as progress:
        assert progress is silent


def test_staged_renames_the_stage_and_keeps_its_unit():
    calls = []
    report = rename_stages(lambda *call: calls.append(call), "BLEU first")
    report("segments", 3, 4)
    report(Stage("scoring", "segments"), 3, 4)
    assert calls == [("BLEU first", 3, 4), ("BLEU first", 3, 4)]
    assert calls[1][0].unit == "segments"
