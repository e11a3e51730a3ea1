from __future__ import annotations

import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.page import render

from meteor_e import Meteor

HYPOTHESES = "in the end the big ship left\nmany people run\n"
OTHERS = "at last a vessel left\na lot of people\n"
REFERENCES = "at last the vessel leaves\na lot of people hurry\n"


@pytest.fixture
def files(cli):
    return cli.file("one", HYPOTHESES), cli.file("two", OTHERS), cli.file("ref", REFERENCES)


def expected(**options):
    systems = {"one": HYPOTHESES.splitlines(), "two": OTHERS.splitlines()}
    return render(score_systems(Meteor("en"), systems, REFERENCES.splitlines(), **options))


def test_report_command_writes_the_page_of_the_api(cli, files):
    result = cli("report", *files)
    assert result == (0, "", "wrote report.html\n")
    assert (cli.folder / "report.html").read_text(encoding="utf-8") == expected()


def test_report_command_numbers_equal_names(cli, files):
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
def test_report_command_errors(cli, files, code, arguments, message):
    assert message in cli.failing(code, "report", *arguments)
    assert not (cli.folder / "report.html").exists()
