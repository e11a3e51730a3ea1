"""Tests of the report's score distributions by segment length, and of its scales."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.charts import interval_scale
from meteor_e_evaluation.reports.lengths import ALL_SEGMENTS, LENGTH_CLASSES, distributions, scale_ends


@pytest.fixture
def long_report(meteor):
    """Return a report on segments of different lengths, including the limits of the length classes."""
    lengths = [0, 1, 10, 11, 25, 26, 50, 51, 80]
    references = ["x " * length for length in lengths]
    return score_systems(meteor, {"same": references, "empty": [""] * 9}, references, method=None)


def test_distributions_group_segments_by_length(long_report):
    row = distributions(long_report)[0]
    assert [cell.segments for cell in row.cells] == [9, 2, 2, 2, 2]
    assert [cell.length_class for cell in row.cells] == [ALL_SEGMENTS, *LENGTH_CLASSES]


@pytest.mark.parametrize(
    ("segments", "ends"),
    [
        ([0.2, 0.9], (0, 1)),
        ([0.2, 3.4], (0, 10)),
        ([0.0, 55.0], (0, 100)),
        ([-5.0, -5.0], (-5, -4)),
        ([0.0] * 200 + [300.0], (0, 1)),
    ],
)
def test_scale_ends_are_round_numbers(segments, ends):
    assert scale_ends((np.array(segments),)) == ends


@pytest.mark.parametrize(
    "values", [[0.0], [1.0], [0.31, 0.3102], [0.0, 1.0], [0.24, 0.32, 0.31], [45.2, 47], [-3, 300]]
)
def test_interval_scale_contains_values_and_ticks(values):
    scale = interval_scale(values, 200, 0.004)
    assert all(0 <= scale(value) <= 200 for value in values)
    assert 2 <= len(scale.ticks) <= 7
    assert all(0 <= scale(tick) <= 200 for tick in scale.ticks)
