"""Pairwise scores of all hypotheses of a source with all references."""

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
    """The default metric for English, once for each engine."""
    metric = Meteor("en")
    if request.param == "native" and metric.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    metric.engine = request.param
    return metric


def score_pairs_separately(meteor, hypotheses, references):
    """Return the score matrix, with one call of ``score`` per pair."""
    return [[meteor.score(hypothesis, reference).score for reference in references] for hypothesis in hypotheses]


def test_pairwise_equals_separate_scores(meteor):
    for hypotheses in SOURCES[:2]:
        for references in SOURCES[:2]:
            matrix = meteor.pairwise(hypotheses, references)
            assert matrix.shape == (len(hypotheses), len(references))
            assert matrix.tolist() == score_pairs_separately(meteor, hypotheses, references)


def test_pairwise_batches_is_independent_of_the_batch_size(meteor, monkeypatch):
    expected = [matrix.tolist() for matrix in meteor.pairwise_batches(SOURCES)]
    assert expected == [score_pairs_separately(meteor, candidates, candidates) for candidates in SOURCES]
    for batch_size in (1, 2, 5):
        monkeypatch.setattr("meteor_e.engine.pairwise.PAIRS", batch_size)
        assert [matrix.tolist() for matrix in meteor.pairwise_batches(SOURCES)] == expected
    reference_lists = [SOURCES[1], SOURCES[0], SOURCES[3], SOURCES[2]]
    matrices = meteor.pairwise_batches(SOURCES, reference_lists)
    for matrix, hypotheses, references in zip(matrices, SOURCES, reference_lists, strict=True):
        assert matrix.shape == (len(hypotheses), len(references))
        assert matrix.tolist() == score_pairs_separately(meteor, hypotheses, references)


@pytest.mark.usefixtures("low_candidate_limit")
def test_pairwise_batches_names_the_failing_pair(own_packs):
    meteor = Meteor("other")
    candidates = ["x", "a " * 10_001 + "b", "a " * 10_001 + "c"]
    with pytest.raises(InputError, match=r"source 2, hypothesis 2, reference 2: .*because words repeat"):
        list(meteor.pairwise_batches([["x"], candidates]))
