"""Tests of the columns that ``meteor-e score`` adds to a table."""

from __future__ import annotations

import pytest
from meteor_e_tables.columns import PARTS, ColumnNames, ScoredColumns

from meteor_e import Meteor

HYPOTHESES = ["in the end the big unknown ship left", "many people run", "", "the vessel", "many people run"]
REFERENCES = [["at last the vessel leaves"], ["a lot of people hurry", "many run"], ["x"], ["the vessel"], ["no match"]]


@pytest.mark.parametrize("engine", ["native", "python"])
def test_table_scores_equal_segment_scores(own_packs, engine):
    meteor = Meteor("en")
    expected = list(meteor.segments(HYPOTHESES, REFERENCES))
    if engine == "python":
        meteor.engine = "python"
    columns = ScoredColumns.from_rows(meteor.rows(HYPOTHESES, REFERENCES))
    assert columns.scores.tolist() == [[getattr(segment, part) for part in PARTS] for segment in expected]
    assert columns.reference_index.tolist() == [segment.reference_index for segment in expected]
    assert columns.statistics.tolist() == [segment.statistics.to_vector() for segment in expected]


def test_column_names_have_the_prefix_and_are_unique():
    names = ColumnNames.from_matchers(["exact", "stem", "exact"], "m_")
    assert (names.scores[0], names.reference_index) == ("m_score", "m_reference_index")
    assert len(set(names.statistics)) == len(names.statistics) == 7 + 12
    assert names.statistics[4] == "m_exact_hypothesis_content"
    assert names.statistics[12] == "m_exact_2_hypothesis_content"
