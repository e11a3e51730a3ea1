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


def test_contributions_of_tiny_weights():
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


def test_json_form_of_a_segment(meteor):
    form = json.loads(json.dumps(meteor.score("in the end, x", ["no", "finally, x"]).to_dict()))
    assert form["reference_index"] == 1
    assert form["statistics"]["hypothesis_length"] == 5
    assert [row["matcher"] for row in form["matchers"]] == ["exact", "stem", "synonym", "paraphrase"]
    assert form["matchers"][3]["hypothesis_content"] + form["matchers"][3]["hypothesis_function"] == 3
    assert sum(row["contribution"] for row in form["matchers"]) == pytest.approx(form["score"], abs=1e-12)
    assert form["alignment"]["matches"][0]["matcher"] == "paraphrase"
    assert form["signature"] == meteor.signature


def test_chain_can_repeat_a_matcher(own_packs):
    meteor = Meteor("en", matchers=["exact", {"use": "exact", "weight": 0.5}])
    form = meteor.score("a b", "b a").to_dict()
    assert [row["weight"] for row in form["matchers"]] == [1.0, 0.5]


def test_explanation_names_words_and_matchers(meteor):
    text = meteor.score("in the end x big", "finally x large").explain()
    first, second, *rest = text.split("\n")
    assert first.startswith("score 0.")
    assert second.endswith("1 chunk")
    assert [line.split()[0] for line in rest] == ["exact", "stem", "synonym", "paraphrase"]
    assert rest[1].endswith("stem 0.0000: no match")
    assert "in the end ~ finally" in rest[3]
    assert rest[0].endswith(": x")
