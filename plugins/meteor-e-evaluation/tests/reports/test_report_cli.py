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


def test_the_page_is_that_of_the_api(cli, files):
    result = cli("report", *files)
    assert result == (0, "", "wrote report.html\n")
    assert (cli.folder / "report.html").read_text(encoding="utf-8") == expected()


def test_options(cli, files):
    tests = ("--significance", "randomization", "--samples", "50", "--seed", "3")
    cli("report", *files, "--title", "T", *tests, "-o", "x")
    page = (cli.folder / "x").read_text(encoding="utf-8")
    assert page == expected(title="T", method="randomization", samples=50, seed=3)
    cli("report", *files, "--samples", "50", "-o", "x", "--significance")
    assert (cli.folder / "x").read_text(encoding="utf-8") == expected(samples=50)
    cli("report", *files, "--significance", "none", "-o", "x")
    assert (cli.folder / "x").read_text(encoding="utf-8") == expected(method=None)


def test_several_references(cli, files):
    other = cli.file("ref2", "finally the boat left\nmany people run\n")
    assert cli("report", "one", "two", "-R", "ref", "-R", other).code == 0
    assert "2 references" in (cli.folder / "report.html").read_text(encoding="utf-8")


def test_one_file_twice_is_two_systems(cli, files):
    assert cli("report", "one", "one", "ref").code == 0
    assert "one (2)" in (cli.folder / "report.html").read_text(encoding="utf-8")


def test_pictures_and_latex(cli, files):
    pytest.importorskip("matplotlib")
    result = cli(
        "report", *files, "--png", "p.png", "--svg", "p.svg", "--latex", "m.tex", "--segment", "2", "--segment", "1"
    )
    assert (result.code, result.err) == (0, "wrote report.html\nwrote p.png\nwrote p.svg\nwrote m.tex\n")
    assert (cli.folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (cli.folder / "p.svg").read_text(encoding="utf-8")
    text = (cli.folder / "m.tex").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("% segment")][::2] == [
        line for line in text.splitlines() if line.startswith(("% segment 2, A", "% segment 1, A"))
    ]


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, ["one"], "a reference is missing"),
        (2, ["one", "ref", "--latex", "m.tex"], "--latex and --segment go together"),
        (2, ["one", "ref", "--segment", "1"], "--latex and --segment go together"),
        (1, ["one", "ref", "--latex", "m.tex", "--segment", "3"], "there is no segment 3"),
        (1, ["one", "absent"], "No such file"),
        (1, ["one", "ref", "-o", "no/report.html"], "cannot write no/report.html"),
    ],
)
def test_errors(cli, files, code, arguments, message):
    assert message in cli.failing(code, "report", *arguments)
    assert not (cli.folder / "report.html").exists()


def test_systems_of_other_segments(cli):
    def document(kind, name, system, text):
        body = f'<doc docid="{name}" sysid="{system}"><seg id="1">{text}</seg></doc>'
        return f'<{kind}set setid="t" srclang="x" trglang="en">{body}</{kind}set>'

    cli.file("one.sgm", document("tst", "d1", "one", "x"))
    cli.file("two.sgm", document("tst", "d2", "two", "x"))
    cli.file("ref.sgm", document("ref", "d1", "r", "y"))
    cli.file("ref2.sgm", document("ref", "d2", "r", "z"))
    files = ("one.sgm", "two.sgm", "-R", "ref.sgm", "-R", "ref2.sgm")
    assert "one.sgm: system 'one' lacks 1 segments" in cli.failing(1, "report", *files)
    result = cli("report", *files, "--on-missing", "skip")
    assert result.code == 1
    assert "two and one are not of the same segments" in result.err.splitlines()[-1]
