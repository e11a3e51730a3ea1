"""Test the scores of segments and corpora: contributions, JSON and explanations."""

from __future__ import annotations

import json

import pytest

from meteor_e import Meteor, Parameters
from meteor_e.scoring import formula
from meteor_e.scoring.results import MeteorCorpusScore
from meteor_e.scoring.statistics import MatcherCounts, Statistics


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


def test_contributions_with_tiny_weights_add_up_to_the_score():
    parameters = Parameters(0.5, 1.0, 0.5, 0.5, (1e-200, 0.0))
    rows = (MatcherCounts(1, 1, 1, 1), MatcherCounts(1, 1, 0, 0))
    statistics = Statistics(4, 4, 1, 1, rows, 2, 3, 3)
    parts = formula.compute(statistics, parameters)
    result = MeteorCorpusScore(
        **parts._asdict(),
        statistics=statistics,
        parameters=parameters,
        matchers=("a", "b"),
        signature="",
        segment_count=1,
    )
    assert result.score > 0
    assert sum(share.score for share in result.contributions()) == pytest.approx(result.score, rel=1e-12)


def test_score_to_dict_contains_statistics_and_alignment(meteor):
    score = meteor.score("in the end, x", ["no", "finally, x"])
    content = json.loads(json.dumps(score.to_dict()))
    assert content["reference_index"] == 1
    assert content["statistics"]["hypothesis_length"] == 5
    assert [row["matcher"] for row in content["matchers"]] == ["exact", "stem", "synonym", "paraphrase"]
    paraphrase = content["matchers"][3]
    assert paraphrase["hypothesis_content"] + paraphrase["hypothesis_function"] == 3
    assert sum(row["contribution"] for row in content["matchers"]) == pytest.approx(content["score"], abs=1e-12)
    assert content["alignment"]["matches"][0]["matcher"] == "paraphrase"
    assert content["signature"] == meteor.signature


def test_score_to_dict_contains_each_use_of_a_matcher(own_packs):
    meteor = Meteor("en", matchers=["exact", {"use": "exact", "weight": 0.5}])
    content = meteor.score("a b", "b a").to_dict()
    assert [row["weight"] for row in content["matchers"]] == [1.0, 0.5]


def test_explain_describes_the_words_of_each_matcher(meteor):
    explanation = meteor.score("in the end x big", "finally x large").explain()
    score_line, chunk_line, *matcher_lines = explanation.split("\n")
    assert score_line.startswith("score 0.")
    assert chunk_line.endswith("1 chunk")
    assert [line.split()[0] for line in matcher_lines] == ["exact", "stem", "synonym", "paraphrase"]
    exact, stem, _, paraphrase = matcher_lines
    assert stem.endswith("stem 0.0000: no match")
    assert "in the end ~ finally" in paraphrase
    assert exact.endswith(": x")
