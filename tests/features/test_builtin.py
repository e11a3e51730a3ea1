"""The features that meteor_e brings, beside the libraries and a few lines of naive code."""

from __future__ import annotations

import difflib
import random

import pytest

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.features.files import ScoreFileFeature, VectorFileFeature
from meteor_e.features.metrics import BleuComponentsFeature, BleuFeature, ChrfFeature, NistFeature, TerFeature
from meteor_e.features.surface import (
    CharactersFeature,
    LengthsFeature,
    OverlapFeature,
    _edit_similarity,
    _longest_common_subsequence,
    _longest_match,
)
from meteor_e.testing import check_feature

HYPOTHESES = ["The cat sat on the mat .", "Boats left the harbour", "nothing in common"]
REFERENCES = [["A cat sat on the mat ."], ["The boats left", "Boats left the harbour early"], ["quite other words"]]


def rows(feature, hypotheses=HYPOTHESES, references=REFERENCES):
    found = feature.extract(hypotheses, references)
    return [dict(zip(feature.columns, row, strict=True)) for row in found]


@pytest.mark.parametrize(
    "cls",
    [
        *(BleuFeature, BleuComponentsFeature, ChrfFeature, TerFeature, NistFeature),
        *(LengthsFeature, CharactersFeature, OverlapFeature),
    ],
)
def test_features_conform(cls):
    check_feature(cls)


def test_metrics_are_sacrebleus():
    from sacrebleu.metrics import BLEU, CHRF, TER

    for feature, metric, sign in (
        (BleuFeature(), BLEU(effective_order=True), 1),
        (ChrfFeature(), CHRF(), 1),
        (ChrfFeature(word_order=2), CHRF(word_order=2), 1),
        (TerFeature(), TER(), -1),
    ):
        for row, hypothesis, references in zip(rows(feature), HYPOTHESES, REFERENCES, strict=True):
            expected = sign * metric.sentence_score(hypothesis, references).score / 100
            assert row["score"] == pytest.approx(expected), feature.name


def test_components_of_bleu():
    (row, *_) = rows(BleuComponentsFeature())
    assert (row["precision1"], row["precision2"]) == (6 / 7, 5 / 6)
    assert (row["matches4"], row["total4"]) == (3, 4)
    assert (row["hypothesis_length"], row["length_ratio"], row["brevity_penalty"]) == (7, 1, 1)
    empty = rows(BleuComponentsFeature(), [""], [["a b"]])[0]
    assert empty["brevity_penalty"] == empty["precision1"] == 0


def test_nist(tmp_path):
    from nltk.translate.nist_score import corpus_nist

    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(each[0] for each in REFERENCES) + "\n", encoding="utf-8")
    feature = NistFeature(corpus_file=str(corpus))
    single = [[each[0]] for each in REFERENCES]
    (row, *_) = rows(feature, references=single)
    # With one segment as the whole corpus, nltk counts the information in its reference alone, as without a file.
    own = rows(NistFeature(), references=single)
    words = [text.lower().split() for text in (HYPOTHESES[0], REFERENCES[0][0])]
    assert own[0]["score"] == pytest.approx(corpus_nist([[words[1]]], [words[0]]))
    assert row["score"] != own[0]["score"]
    assert feature.describe() != NistFeature().describe()


def test_lengths_and_characters():
    row = rows(LengthsFeature(), ["one two"], [["one", "one two three"]])[0]
    assert (row["hypothesis_words"], row["reference_words"], row["log_word_ratio"]) == (2, 2, 0)
    row = rows(CharactersFeature(), ["Die 3 Häuser, said he"], [["the 33 Houses said He."]])[0]
    assert (row["capitals_hypothesis"], row["capitals_missing"], row["capitals_added"]) == (2, 1, 1)
    assert (row["digits_missing"], row["digits_added"]) == (1, 0)
    assert (row["punctuation_missing"], row["punctuation_added"]) == (1, 1)
    assert row["non_ascii_hypothesis"] == 1
    assert (row["capitalised_missing"], row["capitalised_added"]) == (2, 1)
    assert (row["first_capital"], row["last_mark"]) == (0, 0)


def naive_distance(left, right):
    table = list(range(len(right) + 1))
    for i, item in enumerate(left, 1):
        before, table[0] = table[0], i
        for j, other in enumerate(right, 1):
            before, table[j] = table[j], min(table[j] + 1, table[j - 1] + 1, before + (item != other))
    return table[-1]


def naive_common(left, right):
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, item in enumerate(left):
        for j, other in enumerate(right):
            table[i + 1][j + 1] = table[i][j] + 1 if item == other else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def test_edits_and_subsequences_are_those_of_naive_code():
    draw = random.Random(1)
    for _ in range(500):
        left, right = (draw.choices("abcd", k=draw.randint(0, 70)) for _ in range(2))
        longest = max(len(left), len(right), 1)
        assert _edit_similarity(left, right) == pytest.approx(1 - naive_distance(left, right) / longest)
        assert _longest_common_subsequence(left, right) == naive_common(left, right)
        match = difflib.SequenceMatcher(None, left, right, autojunk=False).find_longest_match()
        assert _longest_match(left, right) == match.size


def test_overlap():
    same, other = (rows(OverlapFeature(), ["the old cat sat"], [[text]])[0] for text in ("the old cat sat", "x y z"))
    assert {same[name] for name in same} == {1.0}
    assert other["unigram_f"] == other["edit_similarity"] == other["longest_match"] == 0
    swapped = rows(OverlapFeature(), ["sat cat old the"], [["the old cat sat"]])[0]
    assert (swapped["unigram_f"], swapped["bigram_f"], swapped["order"]) == (1, 0, 0)


def test_score_files(tmp_path):
    file = tmp_path / "scores"
    file.write_text("M\txx-en\tset\tone\t1\t0.25\nM\txx-en\tset\tone\t2\t0.5\n", encoding="utf-8")
    feature = ScoreFileFeature(str(file))
    extracted = feature.extract(["a", "b"], [["c"], ["d"]], systems=["one", "one"], segments=["2", "1"])
    assert extracted.tolist() == [[0.5], [0.25]]
    with pytest.raises(InputError, match="no score of system 'two', segment 1"):
        feature.extract(["a"], [["c"]], systems=["two"], segments=["1"])
    with pytest.raises(InputError, match="needs the systems"):
        feature.extract(["a"], [["c"]])
    with file.open("a", encoding="utf-8") as stream:
        stream.write("N\txx-en\tset\tone\t1\t0.75\n")
    with pytest.raises(InputError, match="a second score"):
        ScoreFileFeature(str(file))
    assert ScoreFileFeature(str(file), metric="N").scores == {("one", "1"): 0.75}
    with pytest.raises(InputError, match="no scores of segments of metric 'O'"):
        ScoreFileFeature(str(file), metric="O")
    file.write_text("M\txx-en\tset\tone\t1\tNone\nM\txx-en\tset\tone\t2\t0.5\n", encoding="utf-8")
    feature = ScoreFileFeature(str(file))
    assert feature.extract(["a"], [["c"]], systems=["one"], segments=["2"]).tolist() == [[0.5]]
    with pytest.raises(InputError, match=r"scores has no score of system 'one', segment 1"):
        feature.extract(["a"], [["c"]], systems=["one"], segments=["1"])
    file.write_text("M\txx-en\tset\tone\t1\t0\nM\txx-en\tset\tone\t2\tinf\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: the score is infinite"):
        ScoreFileFeature(str(file))


def test_vector_files(tmp_path):
    import numpy as np

    texts, vectors, array = (tmp_path / name for name in ("texts", "vectors", "vectors.npy"))
    texts.write_text("a cat\na dog\n", encoding="utf-8")
    vectors.write_text("1 2 3\n4 5 6\n", encoding="utf-8")
    np.save(array, np.arange(1.0, 7).reshape(2, 3))
    for file in (vectors, array):
        feature = VectorFileFeature(str(texts), str(file))
        assert feature.extract(["a dog"], [["a cat", "a dog"]]).tolist() == [[4, 5, 6, 2.5, 3.5, 4.5]]
    with pytest.raises(InputError, match="no segment 'a cow'"):
        feature.extract(["a cow"], [["a cat"]])
    for content, message in (("1 2\n3\n", "differ"), ("1 x\n2 3\n", "not vectors"), ("1 2\n", "1 vectors")):
        vectors.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            VectorFileFeature(str(texts), str(vectors))
    vectors.write_text("1 nan\n2 3\n", encoding="utf-8")
    with pytest.raises((InputError, ConfigError), match="finite"):
        VectorFileFeature(str(texts), str(vectors))
