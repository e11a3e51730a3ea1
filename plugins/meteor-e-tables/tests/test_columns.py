from __future__ import annotations

import numpy as np
import pytest
from meteor_e_tables.columns import PARTS, ColumnNames, score_columns, sum_statistics

from meteor_e import InputError, Meteor
from meteor_e.engine import candidates
from meteor_e.scoring.statistics import StatisticsSum

HYPOTHESES = ["in the end the big unknown ship left", "many people run", "", "the vessel", "many people run"]
REFERENCES = [["at last the vessel leaves"], ["a lot of people hurry", "many run"], ["x"], ["the vessel"], ["no match"]]


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("character_mode", [False, True])
def test_equals_the_segments_to_the_bit(own_packs, engine, character_mode):
    meteor = Meteor("en", character_mode=character_mode)
    expected = list(meteor.segments(HYPOTHESES, REFERENCES))
    if engine == "python":
        meteor.engine = "python"
    scored = score_columns(meteor, HYPOTHESES, REFERENCES)
    assert scored.scores.tolist() == [[getattr(segment, part) for part in PARTS] for segment in expected]
    assert scored.reference_index.tolist() == [segment.reference_index for segment in expected]
    assert scored.statistics.tolist() == [segment.statistics.to_vector() for segment in expected]
    total = StatisticsSum(len(meteor.matchers))
    for segment in expected:
        total.add(segment.statistics)
    assert scored.total == sum_statistics(scored.statistics) == total.total.to_vector()
    # A perfect pair leaves its batch out.
    perfect = sum(segment.statistics.is_perfect for segment in expected)
    assert 0 < scored.total[-3] == scored.statistics[:, -3].sum() - perfect
    assert perfect


def test_long_input_is_scored_in_pieces(own_packs, monkeypatch):
    meteor = Meteor("en")
    whole = score_columns(meteor, HYPOTHESES * 5, REFERENCES * 5)
    monkeypatch.setattr("meteor_e_tables.columns.BATCH_SEGMENTS", 3)
    pieces = score_columns(meteor, HYPOTHESES * 5, REFERENCES * 5)
    monkeypatch.setattr("meteor_e_tables.columns.BATCH_CHARACTERS", 1)
    for other in (pieces, score_columns(meteor, HYPOTHESES * 5, REFERENCES * 5)):
        assert other.total == whole.total
        for one, two in zip(whole[:3], other[:3], strict=True):
            assert np.array_equal(one, two)


def test_no_segments(own_packs):
    scored = score_columns(Meteor("en"), [], [])
    assert scored.scores.shape == (0, 6)
    assert scored.statistics.shape == (0, 23)
    assert not any(scored.total)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_segment_without_a_score_is_named(own_packs, engine, monkeypatch):
    meteor = Meteor("en")
    if engine == "python":
        meteor.engine = "python"
    if engine == "python":
        # In Python, four million candidates take many seconds.
        monkeypatch.setattr(candidates, "MAX_CANDIDATES", 40_000)
    endless = "a " * 10_001
    with pytest.raises(InputError, match=r"row 2: .*10001 words"):
        score_columns(meteor, ["a", endless], [["a"], [endless]])


def test_names(own_packs):
    names = ColumnNames.of(["exact", "stem", "exact"], "m_")
    assert names.scores[0] == "m_score"
    assert len(set(names.all())) == len(names.all()) == 6 + 1 + 7 + 12
    assert names.statistics[4] == "m_exact_hypothesis_content"
    assert names.statistics[12] == "m_exact_2_hypothesis_content"
    assert {"m_chunks", "m_hypothesis_matched", "m_reference_matched"} < set(names.statistics)
