from __future__ import annotations

import pytest
from meteor_e_evaluation.reports.visible import visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain é ﷺ 🙂", "plain é ﷺ 🙂"),
        ("a\x00b\x1b\n\x7f", "a␀b␛␊␡"),
        ("\u202eabc\u202c", "[RLO]abc[PDF]"),
        ("\ud800", "\ufffd"),
        ("\x85\u2028", "[U+0085][U+2028]"),
    ],
)
def test_what_is_seen(text, seen):
    assert visible(text) == seen
