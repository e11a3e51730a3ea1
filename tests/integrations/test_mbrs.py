from __future__ import annotations

import numpy as np
import pytest
from meteor_e.mbr.candidates import Source

from meteor_e import InputError, Meteor
from meteor_e.mbr.decisions import choices
from meteor_e.mbr.methods import Pruning
from meteor_e.metrics.chain_metric import ChainMetric

torch = pytest.importorskip("torch", reason="torch is not installed")

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


@pytest.mark.parametrize("nbest", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_our_choices_are_those_of_mbrs(metric, nbest, weighted):
    """Every pair, and pruning with the same seed; float32 there, so that scores agree to 1e-6 and ties in any order."""
    from mbrs.decoders import get_decoder

    random = np.random.RandomState(1)
    words = "the man saw a small dog door near he closed shut big".split()  # noqa: SIM905
    lists = [[" ".join(random.choice(words, 9)) for _ in range(40)] for _ in range(12)]
    logarithms = random.uniform(-6, -1, 40).astype(np.float32)
    weights = np.exp(logarithms).tolist() if weighted else None
    ours, theirs = ChainMetric.of(metric.meteor), torch.tensor(logarithms) if weighted else None
    for name, settings, method in (
        ("mbr", {}, None),
        ("pruning_mbr", {"seed": 5}, Pruning(seed=5)),
        ("pruning_mbr", {"alpha": 0.9, "sampling_scheduler": [4, 9, 30]}, Pruning(0.9, (4, 9, 30))),
    ):
        kind = get_decoder(name)
        decoder = kind(kind.Config(**settings), metric)
        sources = [Source(texts, weights=weights) for texts in lists]
        for texts, choice in zip(lists, choices(ours, sources, "en", method=method, best=nbest), strict=True):
            found = decoder.decode(texts, texts, nbest=nbest, reference_lprobs=theirs)
            assert choice.scores[choice.best] == pytest.approx(found.score, abs=1e-6)
            assert choice.scores[found.idx] == pytest.approx(found.score, abs=1e-6)
