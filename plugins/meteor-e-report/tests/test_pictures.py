from __future__ import annotations

import shutil
import subprocess

import pytest

from meteor_e import InputError, Meteor
from meteor_e.report.latex import alignment_matrix, escape, write_matrices
from meteor_e.report.lengths import distributions
from meteor_e.report.plots import draw, write_plot

pytest.importorskip("matplotlib")


def test_the_plot_shows_the_distributions(report):
    figure = draw(report)
    rows = distributions(report)
    panels = list(figure.axes)
    assert len(panels) == sum(map(len, rows))
    for cell, axes in zip((cell for row in rows for cell in row), panels, strict=True):
        if cell.segments:
            drawn = [patch.get_data().values.tolist() for patch in axes.patches]
            assert drawn == [found.shares.tolist() for found in cell.distributions]
        else:
            assert not axes.patches


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_report_gives_the_same_picture(report, tmp_path, form, magic):
    write_plot(report, tmp_path / "one", form)
    write_plot(report, tmp_path / "other", form)
    content = (tmp_path / "one").read_bytes()
    assert content.startswith(magic)
    assert content == (tmp_path / "other").read_bytes()


def test_names_with_dollars(meteor, tmp_path):
    from meteor_e.report import score_systems

    found = score_systems(meteor, {"$x_1$ \\frac": ["x"], "_hidden": ["x"]}, ["x"], method=None)
    write_plot(found, tmp_path / "picture.svg", "svg")
    text = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert "A $x_1$ \\frac" in text
    assert "B _hidden" in text


def test_a_matrix_in_latex(own_packs):
    meteor = Meteor("en")
    alignment = meteor.align("in the end x", "finally y x")
    text = alignment_matrix(alignment, meteor.resources.function_words)
    assert text.startswith(r"\begin{tikzpicture}")
    assert text.endswith("\\end{tikzpicture}\n")
    assert "(0,0) grid[step=1] (3,4)" in text
    # The paraphrase covers the first word of the reference and three words of the hypothesis; x stands alone.
    assert r"\fill[meteor3!25] (0,0) rectangle (1,3);" in text
    assert r"\fill[meteor0!25] (2,3) rectangle (3,4);" in text
    frames = [line for line in text.splitlines() if "rounded corners" in line]
    assert len(frames) == alignment.chunks == 2


def test_special_characters():
    assert escape("50% of $x_1$ & #{~^\\}") == (
        r"50\% of \$x\_1\$ \& \#\{\textasciitilde{}\textasciicircum{}\textbackslash{}\}"
    )
    assert escape("a\nb\x00\u202e\ud800") == "a?b???"


def test_matrices_of_a_report(report, tmp_path):
    path = tmp_path / "matrix.tex"
    write_matrices(report, [1, 3], path)
    text = path.read_text(encoding="utf-8")
    assert text.count(r"\begin{tikzpicture}") == 2 * len(report.systems)
    assert f"% {report.signature}\n" in text
    for number, message in ((9, "there is no segment 9"), (2, "segment 2 of two: an alignment with an empty side")):
        with pytest.raises(InputError, match=message):
            write_matrices(report, [number], path)
    assert path.read_text(encoding="utf-8") == text


def test_a_name_cannot_leave_its_comment(meteor, tmp_path):
    from meteor_e.report import score_systems

    found = score_systems(meteor, {"a\n\\input{/etc/passwd}\r\u2028x": ["x"]}, ["x"], method=None)
    write_matrices(found, [1], tmp_path / "matrix.tex")
    lines = (tmp_path / "matrix.tex").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("%") for line in lines if "input" in line)


@pytest.mark.slow
def test_latex_takes_it(meteor, tmp_path):
    if shutil.which("lualatex") is None:
        pytest.skip("no lualatex on the PATH")
    nasty = '50% of $x_1$ & #{~^\\} <a|b> "q" \u202e x'
    alignment = Meteor("other", matchers=["exact"], normalization="none").align(nasty, nasty)
    (tmp_path / "matrix.tex").write_text(alignment_matrix(alignment), encoding="utf-8")
    document = r"\documentclass{article}\usepackage{tikz}\begin{document}\input{matrix}\end{document}"
    (tmp_path / "document.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["lualatex", "-halt-on-error", "-interaction=nonstopmode", "document.tex"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "document.pdf").stat().st_size > 2000
