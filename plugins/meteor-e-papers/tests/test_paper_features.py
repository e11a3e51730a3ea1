"""Features of metrics are compared with the libraries that compute the metrics."""

from __future__ import annotations

import pytest
from meteor_e_learned.features.meteor import MeteorFeature
from meteor_e_papers.features.metrics import (
    BleuComponentsFeature,
    BleuFeature,
    ChrfFeature,
    NistFeature,
    TerFeature,
)

from meteor_e.testing import check_component

HYPOTHESES = ["The cat sat on the mat .", "Boats left the harbour", "nothing in common"]
REFERENCES = [["A cat sat on the mat ."], ["The boats left", "Boats left the harbour early"], ["quite other words"]]


def rows(feature, hypotheses=HYPOTHESES, references=REFERENCES):
    matrix = feature.extract(hypotheses, references)
    return [dict(zip(feature.columns, row, strict=True)) for row in matrix]


@pytest.mark.parametrize("cls", [BleuFeature, BleuComponentsFeature, ChrfFeature, TerFeature, NistFeature])
def test_features_conform(cls):
    if cls is NistFeature:
        pytest.importorskip("meteor_e_evaluation", reason="NIST comes with meteor-e-evaluation")
    check_component(cls)


def test_metrics_are_sacrebleus():
    from sacrebleu.metrics import BLEU, CHRF, TER

    for feature, metric, sign in (
        (BleuFeature.make(), BLEU(effective_order=True), 1),
        (ChrfFeature.make(), CHRF(), 1),
        (ChrfFeature.make(word_order=2), CHRF(word_order=2), 1),
        (TerFeature.make(), TER(), -1),
    ):
        for row, hypothesis, references in zip(rows(feature), HYPOTHESES, REFERENCES, strict=True):
            expected = sign * metric.sentence_score(hypothesis, references).score / 100
            assert row["score"] == pytest.approx(expected), feature.name


def test_components_of_bleu():
    (row, *_) = rows(BleuComponentsFeature.make())
    assert (row["precision1"], row["precision2"]) == (6 / 7, 5 / 6)
    assert (row["matches4"], row["total4"]) == (3, 4)
    assert (row["hypothesis_length"], row["length_ratio"], row["brevity_penalty"]) == (7, 1, 1)
    empty = rows(BleuComponentsFeature.make(), [""], [["a b"]])[0]
    assert empty["brevity_penalty"] == empty["precision1"] == 0


def test_nist(tmp_path):
    corpus_nist = pytest.importorskip("nltk.translate.nist_score", reason="nltk is not installed").corpus_nist
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(references[0] for references in REFERENCES) + "\n", encoding="utf-8")
    feature = NistFeature.make(corpus_file=str(corpus))
    single_references = [[references[0]] for references in REFERENCES]
    (row, *_) = rows(feature, references=single_references)
    # Without a corpus file, the information is estimated from the reference, as in nltk with a corpus of one segment.
    rows_without_corpus = rows(NistFeature.make(), references=single_references)
    words = [text.lower().split() for text in (HYPOTHESES[0], REFERENCES[0][0])]
    assert rows_without_corpus[0]["score"] == pytest.approx(corpus_nist([[words[1]]], [words[0]]))
    assert row["score"] != rows_without_corpus[0]["score"]
    assert feature.describe() != NistFeature.make().describe()


def test_what_meteor_is_made_of_is_what_its_scores_say():
    feature = MeteorFeature.make(chain={"language": "en", "matchers": ["exact", "stem"]})
    hypotheses, references = [*HYPOTHESES, ""], [*REFERENCES, ["a"]]
    for scored, row in zip(
        feature.meteor.segments(hypotheses, references), rows(feature, hypotheses, references), strict=True
    ):
        for share in scored.contributions():
            for part in ("precision", "recall", "score"):
                assert row[f"{share.matcher}.{part}"] == pytest.approx(getattr(share, part), abs=1e-15)
