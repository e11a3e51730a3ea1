from __future__ import annotations

import numpy as np
import pytest
from meteor_e_report import score_systems
from meteor_e_report.charts import HISTOGRAM, histogram_paths, interval_scale, stacked
from meteor_e_report.lengths import LENGTH_CLASSES, distributions


@pytest.fixture
def long_report(meteor):
    lengths = [0, 1, 10, 11, 25, 26, 50, 51, 80]
    return score_systems(
        meteor, {"same": ["x " * n for n in lengths], "empty": [""] * 9}, ["x " * n for n in lengths], method=None
    )


def test_segments_fall_into_their_length_class(long_report):
    row = distributions(long_report)[0]
    assert [cell.segments for cell in row] == [9, 2, 2, 2, 2]
    assert [cell.lengths for cell in row] == list(LENGTH_CLASSES)


def test_shares_count_segments(long_report):
    for row in distributions(long_report):
        for cell in row:
            for found in cell.distributions:
                assert found.shares.sum() == pytest.approx(1)
    same, empty = distributions(long_report)[0][1].distributions
    assert same.shares[-1] == 1
    assert same.quartiles == (1, 1, 1)
    assert empty.shares[0] == 1
    assert empty.mean == 0


def test_a_class_without_segments(meteor):
    report = score_systems(meteor, {"a": ["x"]}, ["x"], method=None)
    cell = distributions(report)[0][4]
    assert cell.segments == 0
    assert np.isnan(cell.distributions[0].mean)


def test_outlines_run_from_left_to_right(long_report):
    cell = distributions(long_report)[0][0]
    for path in histogram_paths(cell):
        assert path.startswith(f"M0 {HISTOGRAM.height:g}")
        assert path.endswith(f"V{HISTOGRAM.height:g}")
        assert f"H{HISTOGRAM.width:g}" in path


def test_bars_are_the_contributions(report):
    best = max(system.corpus.score for system in report.systems)
    for system, bar in zip(report.systems, stacked(report, 100), strict=True):
        assert [part.width for part in bar] == pytest.approx(
            [share.score / best * 100 for share in system.corpus.contributions()], abs=0.01
        )
        assert bar[-1].start + bar[-1].width == pytest.approx(system.corpus.score / best * 100, abs=0.03)


@pytest.mark.parametrize("values", [[0.0], [1.0], [0.31, 0.3102], [0.0, 1.0], [0.24, 0.32, 0.31]])
def test_a_scale_holds_its_values_and_some_ticks(values):
    scale = interval_scale(values, 200)
    assert all(0 <= scale(value) <= 200 for value in values)
    assert 2 <= len(scale.ticks) <= 7
    assert all(0 <= scale(tick) <= 200 for tick in scale.ticks)
