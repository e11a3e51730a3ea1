from __future__ import annotations

import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.lengths import distributions
from meteor_e_evaluation.reports.matrix import write_matrices
from meteor_e_evaluation.reports.plots import draw, write_plot

from meteor_e import InputError


def test_the_plot_shows_the_distributions(report):
    figure = draw(report)
    rows = distributions(report)
    panels = list(figure.axes)
    assert len(panels) == sum(len(row.cells) for row in rows)
    cells = [(row, cell) for row in rows for cell in row.cells]
    for (row, cell), axes in zip(cells, panels, strict=True):
        lines = [line for line in axes.lines if len(line.get_ydata())]
        assert [line.get_ydata().tolist() for line in lines] == [found.levels.tolist() for found in cell.distributions]
        assert axes.get_xlabel() == row.title
        assert axes.get_ylabel() == ("segments at or below" if cell is row.cells[0] else "")


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_report_gives_the_same_picture(report, tmp_path, form, magic):
    write_plot(report, tmp_path / "one", form)
    write_plot(report, tmp_path / "other", form)
    content = (tmp_path / "one").read_bytes()
    assert content.startswith(magic)
    assert content == (tmp_path / "other").read_bytes()


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
    found = score_systems(meteor, {"a\n\\input{/etc/passwd}\r\u2028x": ["x"]}, ["x"], method=None)
    write_matrices(found, [1], tmp_path / "matrix.tex")
    lines = (tmp_path / "matrix.tex").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("%") for line in lines if "input" in line)
