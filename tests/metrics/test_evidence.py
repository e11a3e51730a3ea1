"""Which metric when: advice from the atlas's figures."""

from __future__ import annotations

import pytest

from meteor_e.base.errors import ConfigError
from meteor_e.metrics import evidence


@pytest.fixture
def known(monkeypatch):
    def entry(value, task="rating", languages=None, **more):
        base = {"value": value, "task": task, "words": 20, "references": 1, "languages": languages or {"en": value}}
        return {**base, **more}

    def row(errors, **sets):
        stress = None if errors is None else {"mean": errors}
        return {"metric": "", "needs": "nothing", "segments_per_second": 10, "stress": stress, "sets": sets}

    rows = {
        "meteor": row(0.9, a=entry(0.5), b=entry(0.2, languages={"de": 0.3, "fr": 0.1})),
        "better": row(0.8, a=entry(0.6)),
        "trained": row(0.95, a=entry(0.99, seen=True, held_out=0.4, meteor=0.45)),
        "german": row(None, b=entry(0.4, languages={"de": 0.4})),
    }
    for name, each in rows.items():
        each["metric"] = name
    monkeypatch.setattr(evidence, "atlas", lambda: rows)


def names(found):
    return [each.metric for each in found]


def test_the_best_come_first_and_those_without_evidence_last(known):
    found = evidence.advise("en", "rating")
    assert names(found) == ["better", "meteor", "trained", "german"]
    assert [each.gain for each in found] == pytest.approx([0.1, 0, -0.05, None])
    assert found[0].evidence == ("a .600 (METEOR .500)",)
    _, rows, without = evidence.advice_table(found)
    assert [row[0] for row in rows] == ["better", "meteor", "trained"]
    assert without == "No evidence: german."


def test_a_seen_set_counts_by_the_sibling_that_had_not_seen_it(known):
    trained = next(each for each in evidence.advise("en", "rating") if each.metric == "trained")
    assert trained.evidence == ("a .400 (METEOR .450)",)


def test_figures_are_those_of_the_language(known):
    found = evidence.advise("de", "rating")
    assert names(found)[:2] == ["german", "meteor"]
    assert found[0].gain == pytest.approx(0.1)
    assert all(each.gain is None for each in evidence.advise("sw", "rating"))


def test_what_differs_is_said(known):
    (first, *_) = evidence.advise("en", "rating", words=5, references=4)
    assert first.doubts == ("one reference", "other lengths")
    assert not evidence.advise("en", "rating", words=15)[0].doubts


def test_a_reward_must_notice_errors(known):
    assert names(evidence.advise("en", "reward"))[:3] == ["trained", "meteor", "better"]
    assert all(each.gain is None for each in evidence.advise("de", "reward"))


def test_an_unknown_purpose(known):
    with pytest.raises(ConfigError, match="did you mean 'rating'"):
        evidence.advise("en", "ratings")


def test_the_atlas_that_comes_with_the_package():
    rows = evidence.atlas()
    assert {"meteor", "bleu", "chrf"} <= set(rows)
    for row in rows.values():
        for entry in row["sets"].values():
            assert entry["low"] <= entry["value"] <= entry["high"]
            assert entry["task"] in evidence.PURPOSES
