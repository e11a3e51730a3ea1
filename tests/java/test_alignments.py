from __future__ import annotations

import math

import pytest

from meteor_e.java.alignments import format_alignment
from meteor_e.scoring.alignment import AlignedMatch, Alignment

ALIGNMENT = Alignment(
    ("a", "big", "boat"),
    ("the", "boat"),
    (AlignedMatch(0, 1, 0, 2, 3, 1.0), AlignedMatch(1, 1, 2, 1, 0, 0.25)),
    ("exact", "stem", "synonym", "paraphrase"),
    1,
)
LINES = """\
a big boat
the boat
Line2Start:Length	Line1Start:Length	Module		Score
0:1			0:2			3		1.0
1:1			2:1			0		0.25

"""


@pytest.mark.parametrize(
    ("number", "scores", "head"),
    [
        (None, (), "Alignment"),
        (7, (), "Alignment 7"),
        (7, (1.0, 0.5, math.nan, 1e-5), "Alignment\t7\t1.0\t0.5\tNaN\t1.0E-5"),
        ("set\tsystem\tdocument\t1", (1.0, 0.5, 0.0, 0.1), "Alignment\tset\tsystem\tdocument\t1\t1.0\t0.5\t0.0\t0.1"),
    ],
)
def test_format(number, scores, head):
    assert format_alignment(ALIGNMENT, number, scores) == f"{head}\n{LINES}"
