"""Tests of the command ``report``."""

from __future__ import annotations

import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.page import render

from meteor_e import Meteor

HYPOTHESES = "in the end the big ship left\nmany people run\n"
OTHER_HYPOTHESES = "at last a vessel left\na lot of people\n"
REFERENCES = "at last the vessel leaves\na lot of people hurry\n"


@pytest.fixture
def files(cli):
    """Write the outputs of two systems and a reference; return the paths."""
    return cli.file("one", HYPOTHESES), cli.file("two", OTHER_HYPOTHESES), cli.file("ref", REFERENCES)


def render_expected_page():
    """Return the page that the API makes of the same files."""
    systems = {"one": HYPOTHESES.splitlines(), "two": OTHER_HYPOTHESES.splitlines()}
    return render(score_systems(Meteor("en"), systems, REFERENCES.splitlines()))


def test_report_command_writes_the_page_of_the_api(cli, files):
    result = cli("report", *files)
    assert result == (0, "", "wrote report.html\n")
    assert (cli.folder / "report.html").read_text(encoding="utf-8") == render_expected_page()


def test_report_command_numbers_duplicate_names(cli, files):
    assert cli("report", "one", "one", "ref").code == 0
    assert "one (2)" in (cli.folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, ["one"], "a reference is missing"),
        (1, ["one", "absent"], "No such file"),
        (1, ["one", "ref", "-o", "no/report.html"], "cannot write no/report.html"),
    ],
)
def test_report_command_writes_no_page_after_an_error(cli, files, code, arguments, message):
    assert message in cli.failing(code, "report", *arguments)
    assert not (cli.folder / "report.html").exists()
