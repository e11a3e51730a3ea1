from __future__ import annotations

import pytest
from meteor_e_evaluation.ratings import read_assessments

from meteor_e.base.errors import InputError


def write(folder, text):
    file = folder / "scores"
    file.write_text(text, encoding="utf-8")
    return file


def test_assessments_of_2017(tmp_path):
    file = write(tmp_path, "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017 a.1+b.2 33 0.5\n")
    assert [row[:4] for row in read_assessments(file, segments=True)] == [("cs-en", "a.1+b.2", 33, 0.5)]
    file = write(tmp_path, "LP HUMAN SYSTEM\nlv-en -0.2 a\n")
    assert [row[:4] for row in read_assessments(file, segments=False)] == [("lv-en", "a", None, -0.2)]


def test_assessments_of_2021_with_a_blank_at_the_end_of_lines(tmp_path):
    file = write(tmp_path, "SYS SID RAW.SCR Z.SCR N \nA.1 4 95 0.75 1 \n")
    assert [row[:4] for row in read_assessments(file, segments=True)] == [("", "A.1", 4, 0.75)]
    assert [row.score for row in read_assessments(file, segments=True, score="RAW.SCR")] == [95.0]


def test_assessments_with_tabs_or_commas(tmp_path):
    for separator in "\t,":
        file = write(tmp_path, separator.join(["SYSTEM", "SEGID", "SCORE"]) + "\n" + separator.join("a11") + "\n")
        assert [row[:4] for row in read_assessments(file, segments=True)] == [("", "a", 1, 1.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SYS SID Z\nA 1 x\n", "line 2: the score is 'x', not a number"),
        ("SYS SID Z\nA 1 nan\n", "line 2: the score is 'nan'; a finite number"),
        ("SYS SID Z\nA b 1\n", "line 2: the segment is 'b'"),
        ("SYS SID Z\nA 1\n", "line 2: 2 fields; the header has 3"),
        ("SYS Z\n", "no column sid"),
        ("", "is empty"),
    ],
)
def test_assessments_say_what_is_wrong(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        list(read_assessments(write(tmp_path, text), segments=True))
