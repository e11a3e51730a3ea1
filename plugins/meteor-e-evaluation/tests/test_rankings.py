from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from meteor_e_evaluation.rankings import read_rank_file, read_ranking_csv
from tiny_task import HEADER, ranking_row

from meteor_e.base.errors import InputError


def short(rows):
    return [(row.pair, row.segment, row.better, row.worse, row.tie) for row in rows]


def write(folder: Path, *rows: str) -> Path:
    file = folder / "ranks.csv"
    file.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return file


def test_ranking_csv_gives_all_pairs_ties_and_leaves_out_what_was_not_ranked(tmp_path):
    file = write(tmp_path, ranking_row(7, {"a": 2, "b": 1, "_ref": 2, "c": -1}))
    assert short(read_ranking_csv(file)) == [
        ("cs-en", 7, "b", "a", False),
        ("cs-en", 7, "a", "_ref", True),
        ("cs-en", 7, "b", "_ref", False),
    ]


def test_ranking_csv_takes_codes_for_other_names(tmp_path):
    file = write(tmp_path, ranking_row(1, {"a": 1, "b": 2}))
    assert [row.pair for row in read_ranking_csv(file, {"Czech": "cz"})] == ["cz-en"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ranking_row(1, {"a": 1, "b": 2}, source="Klingon"), r"line 2: unknown language 'Klingon'"),
        (ranking_row(1, {"a": 1, "b": 2}).replace(",1,2,", ",1,two,"), r"line 2: system2rank is 'two'"),
        ("Czech,English,1", r"line 2: 3 fields; the header has 21"),
    ],
)
def test_ranking_csv_says_what_is_wrong_and_where(tmp_path, row, message):
    with pytest.raises(InputError, match=message):
        list(read_ranking_csv(write(tmp_path, row)))


def test_ranking_csv_needs_its_columns(tmp_path):
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a ranking file"):
        list(read_ranking_csv(file))


def test_rank_file(tmp_path):
    file = tmp_path / "cs-en.rank.gz"
    file.write_bytes(gzip.compress(b"3\tcs-en\tx\tcs-en\ty\n\n4\tcs-en\ty\tcs-en\tx\n"))
    assert short(read_rank_file(file)) == [("cs-en", 3, "x", "y", False), ("cs-en", 4, "y", "x", False)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3\tcs-en\tx\tcs-en", "4 fields"),
        ("3\tcs-en\tx\tde-en\ty", "two language pairs"),
        ("x\tcs-en\tx\tcs-en\ty", "the segment is 'x'"),
    ],
)
def test_rank_file_says_what_is_wrong(tmp_path, line, message):
    file = tmp_path / "a.rank"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"line 1: .*{message}"):
        list(read_rank_file(file))
