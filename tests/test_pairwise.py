from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

SOURCES = [
    ["in the end the big ship left", "at last the vessel leaves", "in the end the big ship left", ""],
    ["many people run", "a lot of people hurry", "people ran"],
    [],
    ["the cat sat"],
]


@pytest.fixture(params=["native", "python"])
def meteor(request, own_packs):
    found = Meteor("en")
    if request.param == "native" and found.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    found.engine = request.param
    return found


def expected(meteor, hypotheses, references):
    return [[meteor.score(one, other).score for other in references] for one in hypotheses]


def test_equals_segments_scored_one_by_one(meteor):
    for left in SOURCES[:2]:
        for right in SOURCES[:2]:
            found = meteor.pairwise(left, right)
            assert found.shape == (len(left), len(right))
            assert found.tolist() == expected(meteor, left, right)


def test_many_sources_in_batches(meteor, monkeypatch):
    whole = [matrix.tolist() for matrix in meteor.pairwise_batches(SOURCES)]
    assert whole == [expected(meteor, each, each) for each in SOURCES]
    for size in (1, 2, 5):
        monkeypatch.setattr("meteor_e.engine.pairwise.PAIRS", size)
        assert [matrix.tolist() for matrix in meteor.pairwise_batches(SOURCES)] == whole
    others = [SOURCES[1], SOURCES[0], SOURCES[3], SOURCES[2]]
    for found, left, right in zip(meteor.pairwise_batches(SOURCES, others), SOURCES, others, strict=True):
        assert found.shape == (len(left), len(right))
        assert found.tolist() == expected(meteor, left, right)


@pytest.mark.usefixtures("quick_refusal")
def test_failing_pair_is_named(own_packs):
    meteor = Meteor("other")
    bad = ["x", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    with pytest.raises(InputError, match=r"source 2, hypothesis 2, reference 2: .*because words repeat"):
        list(meteor.pairwise_batches([["x"], bad]))
