"""Tests of the readers of judgments and metric scores in the formats of shared tasks."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from meteor_e_evaluation.metric_task import MetricScore, read_metric_scores
from meteor_e_evaluation.rankings import read_rank_file, read_ranking_csv
from meteor_e_evaluation.ratings import read_assessments
from tiny_task import HEADER, ranking_row

from meteor_e.base.errors import InputError


def summarize(rows):
    """Return the main fields of rankings as tuples."""
    return [(row.pair, row.segment, row.better, row.worse, row.tie) for row in rows]


def write_file(folder: Path, text: str) -> Path:
    """Write a text to the file ``scores`` in a folder; return its path."""
    file = folder / "scores"
    file.write_text(text, encoding="utf-8")
    return file


def write_rankings(folder: Path, *rows: str) -> Path:
    """Write a ranking file; return its path."""
    return write_file(folder, "\n".join([HEADER, *rows]) + "\n")


def test_ranking_csv_yields_all_pairs_of_ranked_systems(tmp_path):
    file = write_rankings(tmp_path, ranking_row(7, {"a": 2, "b": 1, "_ref": 2, "c": -1}))
    assert summarize(read_ranking_csv(file)) == [
        ("cs-en", 7, "b", "a", False),
        ("cs-en", 7, "a", "_ref", True),
        ("cs-en", 7, "b", "_ref", False),
    ]


def test_ranking_csv_maps_language_names_to_codes(tmp_path):
    file = write_rankings(tmp_path, ranking_row(1, {"a": 1, "b": 2}))
    assert [row.pair for row in read_ranking_csv(file, {"Czech": "cz"})] == ["cz-en"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ranking_row(1, {"a": 1, "b": 2}, source="Klingon"), r"line 2: unknown language 'Klingon'"),
        (ranking_row(1, {"a": 1, "b": 2}).replace(",1,2,", ",1,two,"), r"line 2: system2rank is 'two'"),
        ("Czech,English,1", r"line 2: 3 fields; the header has 21"),
    ],
)
def test_ranking_csv_errors_name_the_line(tmp_path, row, message):
    with pytest.raises(InputError, match=message):
        list(read_ranking_csv(write_rankings(tmp_path, row)))


def test_ranking_csv_needs_its_columns(tmp_path):
    with pytest.raises(InputError, match="not a ranking file"):
        list(read_ranking_csv(write_file(tmp_path, "a,b\n1,2\n")))


def test_rank_file_is_read_from_gzip(tmp_path):
    file = tmp_path / "cs-en.rank.gz"
    file.write_bytes(gzip.compress(b"3\tcs-en\tx\tcs-en\ty\n\n4\tcs-en\ty\tcs-en\tx\n"))
    assert summarize(read_rank_file(file)) == [("cs-en", 3, "x", "y", False), ("cs-en", 4, "y", "x", False)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3\tcs-en\tx\tcs-en", "4 fields"),
        ("3\tcs-en\tx\tde-en\ty", "two language pairs"),
        ("x\tcs-en\tx\tcs-en\ty", "the segment is 'x'"),
    ],
)
def test_rank_file_errors_name_the_line(tmp_path, line, message):
    with pytest.raises(InputError, match=f"line 1: .*{message}"):
        list(read_rank_file(write_file(tmp_path, line + "\n")))


def test_assessments_are_read_in_the_format_of_2017(tmp_path):
    file = write_file(tmp_path, "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017 a.1+b.2 33 0.5\n")
    assert [row[:4] for row in read_assessments(file, segments=True)] == [("cs-en", "a.1+b.2", 33, 0.5)]
    file = write_file(tmp_path, "LP HUMAN SYSTEM\nlv-en -0.2 a\n")
    assert [row[:4] for row in read_assessments(file, segments=False)] == [("lv-en", "a", None, -0.2)]


def test_assessments_of_2021_may_have_trailing_spaces(tmp_path):
    file = write_file(tmp_path, "SYS SID RAW.SCR Z.SCR N \nA.1 4 95 0.75 1 \n")
    assert [row[:4] for row in read_assessments(file, segments=True)] == [("", "A.1", 4, 0.75)]
    assert [row.score for row in read_assessments(file, segments=True, score="RAW.SCR")] == [95.0]


def test_assessments_may_be_separated_by_tabs_or_commas(tmp_path):
    for separator in "\t,":
        header, row = separator.join(["SYSTEM", "SEGID", "SCORE"]), separator.join(["a", "1", "1"])
        file = write_file(tmp_path, f"{header}\n{row}\n")
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
def test_assessment_errors_name_the_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        list(read_assessments(write_file(tmp_path, text), segments=True))


def read_output_scores(file):
    """Read the system, the segment and the score of each line of a file of metric scores."""
    return [(score.system, score.segment, score.score) for score in read_metric_scores(file)]


def test_metric_scores_may_have_ensemble_columns(tmp_path):
    file = write_file(tmp_path, "m\tcs-en\tnt12\tsysA\t3\t0.5\nm\tcs-en\tnt12\tsysA\t4\tNone\tensemble\tno\n")
    rows = list(read_metric_scores(file))
    location = f"{file}, line 1"
    assert rows[0] == MetricScore("sysA", 3, 0.5, location, metric="m", pair="cs-en", testset="nt12")
    assert rows[1].segment == 4
    assert math.isnan(rows[1].score)
    file = write_file(tmp_path, "m\tcs-en\tnt12\tsysA\t0.5\nm\tcs-en\tnt12\tsysB\t0.6\tnon-ensemble\tyes\n")
    assert read_output_scores(file) == [("sysA", None, 0.5), ("sysB", None, 0.6)]


def test_metric_scores_may_name_the_reference(tmp_path):
    file = write_file(tmp_path, "m\tcs-en\tnt19\trefA\tsysA\t3\t0.5\n")
    (score,) = read_metric_scores(file)
    assert score.reference == "refA"
    assert read_output_scores(file) == [("sysA", 3, 0.5)]
    file = write_file(tmp_path, "m\tcs-en\tnt19\trefA\tsysA\t0.5\n")
    (score,) = read_metric_scores(file)
    assert score.reference == "refA"
    assert read_output_scores(file) == [("sysA", None, 0.5)]


def test_metric_scores_may_have_two_columns_only(tmp_path):
    file = write_file(tmp_path, "a\t1\nb\t2\na\t3\nb\t4\n")
    assert read_output_scores(file) == [
        ("a", 1, 1.0),
        ("b", 1, 2.0),
        ("a", 2, 3.0),
        ("b", 2, 4.0),
    ]
    file = write_file(tmp_path, "a\t1\nb\t2\n")
    assert read_output_scores(file) == [("a", None, 1.0), ("b", None, 2.0)]


def test_metric_score_errors_name_the_line(tmp_path):
    with pytest.raises(InputError, match="line 1: not a line of metric scores"):
        list(read_metric_scores(write_file(tmp_path, "a\tb\tc\n")))
    with pytest.raises(InputError, match="line 1: the score is 'x'"):
        list(read_metric_scores(write_file(tmp_path, "a\tx\n")))
