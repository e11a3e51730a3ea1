"""Tests of the features of metrics. They are compared with the libraries that compute the metrics."""

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


def compute_rows(feature, hypotheses=HYPOTHESES, references=REFERENCES):
    """Return the values of a feature by column, for each segment."""
    matrix = feature.extract(hypotheses, references)
    return [dict(zip(feature.columns, row, strict=True)) for row in matrix]


@pytest.mark.parametrize("feature_class", [BleuFeature, BleuComponentsFeature, ChrfFeature, TerFeature, NistFeature])
def test_features_pass_interface_checks(feature_class):
    if feature_class is NistFeature:
        pytest.importorskip("meteor_e_evaluation", reason="NIST comes with meteor-e-evaluation")
    check_component(feature_class)


def test_metric_features_equal_sacrebleu():
    from sacrebleu.metrics import BLEU, CHRF, TER

    for feature, metric, sign in (
        (BleuFeature.make(), BLEU(effective_order=True), 1),
        (ChrfFeature.make(), CHRF(), 1),
        (ChrfFeature.make(word_order=2), CHRF(word_order=2), 1),
        (TerFeature.make(), TER(), -1),
    ):
        for row, hypothesis, references in zip(compute_rows(feature), HYPOTHESES, REFERENCES, strict=True):
            expected = sign * metric.sentence_score(hypothesis, references).score / 100
            assert row["score"] == pytest.approx(expected), feature.name


def test_bleu_components_contain_the_parts_of_bleu():
    (row, *_) = compute_rows(BleuComponentsFeature.make())
    assert (row["precision1"], row["precision2"]) == (6 / 7, 5 / 6)
    assert (row["matches4"], row["total4"]) == (3, 4)
    assert (row["hypothesis_length"], row["length_ratio"], row["brevity_penalty"]) == (7, 1, 1)
    empty_row = compute_rows(BleuComponentsFeature.make(), [""], [["a b"]])[0]
    assert empty_row["brevity_penalty"] == empty_row["precision1"] == 0


def test_nist_feature_estimates_information_from_its_corpus(tmp_path):
    corpus_nist = pytest.importorskip("nltk.translate.nist_score", reason="nltk is not installed").corpus_nist
    corpus_path = tmp_path / "corpus.txt"
    corpus_path.write_text("\n".join(references[0] for references in REFERENCES) + "\n", encoding="utf-8")
    feature = NistFeature.make(corpus_file=str(corpus_path))
    single_references = [[references[0]] for references in REFERENCES]
    (row, *_) = compute_rows(feature, references=single_references)
    # Without a corpus file, the information is estimated from the reference, as in nltk with a corpus of one segment.
    rows_without_corpus = compute_rows(NistFeature.make(), references=single_references)
    words = [text.lower().split() for text in (HYPOTHESES[0], REFERENCES[0][0])]
    assert rows_without_corpus[0]["score"] == pytest.approx(corpus_nist([[words[1]]], [words[0]]))
    assert row["score"] != rows_without_corpus[0]["score"]
    assert feature.describe() != NistFeature.make().describe()


def test_meteor_feature_equals_contributions_of_matchers():
    feature = MeteorFeature.make(chain={"language": "en", "matchers": ["exact", "stem"]})
    hypotheses, references = [*HYPOTHESES, ""], [*REFERENCES, ["a"]]
    for segment, row in zip(
        feature.meteor.segments(hypotheses, references), compute_rows(feature, hypotheses, references), strict=True
    ):
        for contribution in segment.contributions():
            for part in ("precision", "recall", "score"):
                assert row[f"{contribution.matcher}.{part}"] == pytest.approx(getattr(contribution, part), abs=1e-15)
