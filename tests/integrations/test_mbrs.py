from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

HYPOTHESES = ["he closed the door", "he shut the door", "a door"]
REFERENCES = ["he shut a door", "the door was closed"]


@pytest.fixture
def metric(tiny_pack, mbrs_metrics):
    import meteor_e.integrations.mbrs  # registers the metric

    found = mbrs_metrics.get_metric("meteor")
    assert found is meteor_e.integrations.mbrs.MetricMeteor
    return found(found.Config(language="en", options={"pack": str(tiny_pack), "normalization": "lower"}))


def test_pairwise_scores(metric, tiny_pack):
    meteor = Meteor("en", pack=tiny_pack, normalization="lower")
    expected = [[meteor.score(hypothesis, reference).score for reference in REFERENCES] for hypothesis in HYPOTHESES]
    matrix = metric.pairwise_scores(HYPOTHESES, REFERENCES)
    assert matrix.shape == (3, 2)
    assert matrix.tolist() == pytest.approx([pytest.approx(row) for row in expected])
    assert metric.score(HYPOTHESES[0], REFERENCES[0]) == expected[0][0]
    assert metric.expected_scores(HYPOTHESES, REFERENCES).argmax().item() == max(
        range(3), key=lambda row: sum(expected[row])
    )


def test_corpus_score_and_decoding(metric, tiny_pack):
    from mbrs.decoders import get_decoder

    meteor = Meteor("en", pack=tiny_pack, normalization="lower")
    lists = [["he shut a door", "x", "a door"], ["the door", "he shut it", "doors"]]
    assert metric.corpus_score(HYPOTHESES, lists) == meteor.corpus(HYPOTHESES, list(zip(*lists, strict=True))).score
    for lists in ([["a"]], [], None, [None], [3], [{"a", "b", "c"}], [["a", None, "b"]], "abc", [HYPOTHESES, ["a"]]):
        with pytest.raises(InputError):
            metric.corpus_score(HYPOTHESES, lists)
    for hypotheses in (None, 3, "abc", {"a": 1}, [], ["a", None, "b"]):
        with pytest.raises(InputError):
            metric.corpus_score(hypotheses, [["a", "b", "c"]])
    kind = get_decoder("mbr")
    found = kind(kind.Config(), metric).decode(HYPOTHESES, HYPOTHESES, nbest=3)
    expected = meteor.pairwise(HYPOTHESES, HYPOTHESES).mean(axis=1)
    assert found.idx == sorted(range(3), key=lambda place: -expected[place])
    assert found.score == pytest.approx(sorted(expected, reverse=True), abs=1e-6)
