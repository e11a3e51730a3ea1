from __future__ import annotations

import math

import pytest
from meteor_e_evaluation.metric_task import read_metric_scores

from meteor_e.api import InputError


def write(folder, text):
    file = folder / "scores"
    file.write_text(text, encoding="utf-8")
    return file


def test_metric_scores_of_the_metrics_task_in_both_forms(tmp_path):
    file = write(tmp_path, "m\tcs-en\tnt12\tsysA\t3\t0.5\nm\tcs-en\tnt12\tsysA\t4\tNone\tensemble\tno\n")
    rows = list(read_metric_scores(file))
    assert rows[0][:7] == ("m", "cs-en", "nt12", "", "sysA", 3, 0.5)
    assert rows[1].segment == 4
    assert math.isnan(rows[1].score)
    file = write(tmp_path, "m\tcs-en\tnt12\tsysA\t0.5\nm\tcs-en\tnt12\tsysB\t0.6\tnon-ensemble\tyes\n")
    assert [row[4:7] for row in read_metric_scores(file)] == [("sysA", None, 0.5), ("sysB", None, 0.6)]


def test_metric_scores_that_name_the_reference(tmp_path):
    file = write(tmp_path, "m\tcs-en\tnt19\trefA\tsysA\t3\t0.5\n")
    assert [row[3:7] for row in read_metric_scores(file)] == [("refA", "sysA", 3, 0.5)]
    file = write(tmp_path, "m\tcs-en\tnt19\trefA\tsysA\t0.5\n")
    assert [row[3:7] for row in read_metric_scores(file)] == [("refA", "sysA", None, 0.5)]


def test_metric_scores_in_the_short_form(tmp_path):
    file = write(tmp_path, "a\t1\nb\t2\na\t3\nb\t4\n")
    assert [row[4:7] for row in read_metric_scores(file)] == [
        ("a", 1, 1.0),
        ("b", 1, 2.0),
        ("a", 2, 3.0),
        ("b", 2, 4.0),
    ]
    file = write(tmp_path, "a\t1\nb\t2\n")
    assert [row[4:7] for row in read_metric_scores(file)] == [("a", None, 1.0), ("b", None, 2.0)]


def test_metric_scores_say_what_is_wrong(tmp_path):
    with pytest.raises(InputError, match="line 1: not a line of a metric's scores"):
        list(read_metric_scores(write(tmp_path, "a\tb\tc\n")))
    with pytest.raises(InputError, match="line 1: the score is 'x'"):
        list(read_metric_scores(write(tmp_path, "a\tx\n")))
