from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from meteor_e_evaluation.rankings import read_rank_file, read_ranking_csv, read_ranking_xml
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


XML = """<appraise-results>
 <ranking-result>
  <HIT hit-id="1" source-language="ces" target-language="eng">
   <ranking-task id="12">
    <translation system="a,b" rank="1"/>
    <translation system="c" rank="2"/>
    <translation system="d" rank="-1"/>
   </ranking-task>
  </HIT>
  <ranking-item src-id="13" source-language="German" target-language="English">
    <source id="99">x</source>
    <translation system="c" rank="3"/>
    <translation system="d" rank="3"/>
  </ranking-item>
 </ranking-result>
</appraise-results>
"""


def test_ranking_xml_tells_systems_with_one_output_apart_and_never_compares_them(tmp_path):
    file = tmp_path / "ranks.xml"
    file.write_text(XML, encoding="utf-8")
    assert short(read_ranking_xml(file)) == [
        ("cs-en", 12, "a", "c", False),
        ("cs-en", 12, "b", "c", False),
        ("de-en", 13, "c", "d", True),
    ]


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<a><b></a>", "line 1: malformed XML"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "declares entities"),
        (
            '<a source-language="ces" target-language="eng"><translation system="a" rank="1"/></a>',
            "ranking 1: no src-id",
        ),
        (
            '<a source-language="ces" target-language="eng" id="1"><translation system="a"/></a>',
            "without system or rank",
        ),
        ('<a id="1"><translation system="a" rank="1"/></a>', "no source-language"),
    ],
)
def test_ranking_xml_says_what_is_wrong(tmp_path, xml, message):
    file = tmp_path / "ranks.xml"
    file.write_text(xml, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        list(read_ranking_xml(file))
