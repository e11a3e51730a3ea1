from __future__ import annotations

import io
import sys

from meteor_e.base.progress import silent, staged, terminal_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_terminal(monkeypatch):
    """Pretend that there is a terminal; in a test's body, for pytest takes stderr when that begins."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def test_the_stage_that_goes_on_is_shown(monkeypatch):
    terminal = at_terminal(monkeypatch)
    monkeypatch.setattr("meteor_e.base.progress._REFRESH", 0)
    with terminal_progress(delay=0) as progress:
        progress("reading [bold]", 1, 2)
        progress("writing", 12_345, None)
    shown = terminal.getvalue()
    assert "reading [bold]" in shown
    assert "writing" in shown
    assert "12,345" in shown


def test_work_that_takes_a_moment_has_no_bar(monkeypatch):
    terminal = at_terminal(monkeypatch)
    with terminal_progress() as progress:
        progress("reading", 1, 2)
    with terminal_progress(hidden=True, delay=0) as progress:
        progress("reading", 1, 2)
    assert terminal.getvalue() == ""


def test_no_terminal_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal_progress(delay=0) as progress:
        assert progress is silent


def test_a_stage_has_the_name_that_the_caller_gives_it():
    seen = []
    staged(lambda *report: seen.append(report), "BLEU first")("segments", 3, 4)
    assert seen == [("BLEU first", 3, 4)]
