from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.charts import PANEL, balance, interval_scale, line_path, stacked
from meteor_e_evaluation.reports.lengths import LENGTH_CLASSES, POINTS, distributions, ends_of


@pytest.fixture
def long_report(meteor):
    lengths = [0, 1, 10, 11, 25, 26, 50, 51, 80]
    return score_systems(
        meteor, {"same": ["x " * n for n in lengths], "empty": [""] * 9}, ["x " * n for n in lengths], method=None
    )


def test_segments_fall_into_their_length_class(long_report):
    row = distributions(long_report)[0]
    assert [cell.segments for cell in row.cells] == [9, 2, 2, 2, 2]
    assert [cell.lengths for cell in row.cells] == list(LENGTH_CLASSES)


def test_levels_are_shares_of_segments(report):
    for row, values in zip(distributions(report)[1:], ("precision", "recall"), strict=False):
        for found in row.cells[0].distributions:
            numbers = report.systems[found.system].values(values)
            expected = [(numbers <= at / POINTS + 1e-9).mean() for at in range(POINTS + 1)]
            assert found.levels.tolist() == pytest.approx(expected)
            assert found.quartiles[1] == np.median(numbers)
            assert found.levels[-1] == 1


def test_what_is_equal_rises_at_its_place(long_report):
    same, empty = distributions(long_report)[0].cells[1].distributions
    assert same.levels.tolist() == [0.0] * POINTS + [1.0]
    assert same.quartiles == (1, 1, 1)
    assert empty.levels.tolist() == [1.0] * (POINTS + 1)
    assert empty.mean == 0


def test_empty_classes_have_no_panel(meteor):
    report = score_systems(meteor, {"a": ["x"]}, ["x"], method=None)
    assert [cell.lengths.label for cell in distributions(report)[0].cells] == ["All segments"]
    report = score_systems(meteor, {"a": ["x", "x"]}, ["x", "x " * 30], method=None)
    assert [cell.lengths.label for cell in distributions(report)[0].cells] == [
        "All segments",
        "1–10 words",
        "26–50 words",
    ]


@pytest.mark.parametrize(
    ("segments", "ends"),
    [([0.2, 0.9], (0, 1)), ([0.0, 55.0], (0, 100)), ([-5.0, -5.0], (-5, -4)), ([0.0] * 200 + [300.0], (0, 1))],
)
def test_the_ends_of_a_scale(segments, ends):
    assert ends_of((np.array(segments),)) == ends


def test_lines_run_from_left_to_right(long_report):
    for found in distributions(long_report)[0].cells[0].distributions:
        path = line_path(found)
        assert path.startswith("M0 ")
        assert path.endswith(f"H{PANEL.width:g}V0")


def test_the_balance_counts_segments(report):
    for first, second in ((0, 1), (2, 0)):
        one, two = (report.systems[at].values("score") for at in (first, second))
        found = balance(report, 0, first, second)
        assert found == ((two > one).sum(), (two == one).sum(), (two < one).sum())
        assert sum(found.parts(100)) == pytest.approx(100, abs=0.02)


def test_bars_are_the_contributions(report):
    best = max(system.corpus.score for system in report.systems)
    for system, bar in zip(report.systems, stacked(report, 100), strict=True):
        assert [part.width for part in bar] == pytest.approx(
            [share.score / best * 100 for share in system.corpus.contributions()], abs=0.01
        )
        assert bar[-1].start + bar[-1].width == pytest.approx(system.corpus.score / best * 100, abs=0.03)


@pytest.mark.parametrize(
    "values", [[0.0], [1.0], [0.31, 0.3102], [0.0, 1.0], [0.24, 0.32, 0.31], [45.2, 47], [-3, 300]]
)
def test_a_scale_holds_its_values_and_some_ticks(values):
    scale = interval_scale(values, 200, 0.004)
    assert all(0 <= scale(value) <= 200 for value in values)
    assert 2 <= len(scale.ticks) <= 7
    assert all(0 <= scale(tick) <= 200 for tick in scale.ticks)
