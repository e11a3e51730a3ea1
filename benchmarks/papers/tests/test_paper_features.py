"""The features that meteor_e brings, beside the libraries and a few lines of naive code."""

from __future__ import annotations

import difflib
import random
from collections import Counter

import pytest
from meteor_e_learned.features.meteor import MeteorFeature
from meteor_e_papers.features.metrics import (
    BleuComponentsFeature,
    BleuFeature,
    ChrfFeature,
    NistFeature,
    TerFeature,
)
from meteor_e_papers.features.surface import CharactersFeature, LengthsFeature, OverlapFeature

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
    if cls is NistFeature:
        pytest.importorskip("meteor_e_evaluation", reason="NIST comes with meteor-e-evaluation")
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
    corpus_nist = pytest.importorskip("nltk.translate.nist_score", reason="nltk is not installed").corpus_nist
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


def naive_order(left, right):
    shared = [word for word in right if left.count(word) == 1 == right.count(word)]
    places = [left.index(word) for word in shared]
    pairs = [(one, other) for at, one in enumerate(places) for other in places[at + 1 :]]
    return sum(one < other for one, other in pairs) / len(pairs) if pairs else 1.0


def naive_shares(left, right):
    first, second = Counter(left), Counter(right)
    common = (first & second).total()
    precision, recall = (common / side.total() if side else 0.0 for side in (first, second))
    return [precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0]


def test_overlap_is_that_of_naive_code():
    draw = random.Random(1)
    letters = "abcdefghijklmnop"
    sides = [
        [draw.choices(letters[: draw.randint(2, 16)], k=draw.randint(0, 70)) for _ in range(2)] for _ in range(300)
    ]
    found = rows(OverlapFeature(), [" ".join(left) for left, _ in sides], [[" ".join(right)] for _, right in sides])
    for (left, right), row in zip(sides, found, strict=True):
        longest = max(len(left), len(right), 1)
        assert row["edit_similarity"] == pytest.approx(1 - naive_distance(left, right) / longest)
        assert row["lcs_recall"] == pytest.approx(naive_common(left, right) / max(1, len(right)))
        match = difflib.SequenceMatcher(None, left, right, autojunk=False).find_longest_match()
        assert row["longest_match"] == pytest.approx(match.size / max(1, len(right)))
        assert row["order"] == pytest.approx(naive_order(left, right))
        for kind, order in (("unigram", 1), ("bigram", 2), ("trigram", 3), ("fourgram", 4)):
            grams = [list(zip(*(side[start:] for start in range(order)), strict=False)) for side in (left, right)]
            shares = [row[f"{kind}_{what}"] for what in ("precision", "recall", "f")]
            assert shares == pytest.approx(naive_shares(*grams)), kind
        skips = [
            [(one, other) for at, one in enumerate(side) for other in side[at + 1 : at + 6]] for side in (left, right)
        ]
        shares = [row[f"skip_bigram_{what}"] for what in ("precision", "recall", "f")]
        assert shares == pytest.approx(naive_shares(*skips))


def test_ngrams_are_exact_however_many_characters_there_are():
    """With thousands of characters, six of them do not fit into one number without being numbered anew."""
    from sacrebleu.metrics import BLEU, CHRF

    draw = random.Random(2)
    characters = [chr(point) for point in (*range(0x4E00, 0x9000), *range(97, 123))] + [" "] * 4000
    hypotheses = ["".join(draw.choices(characters, k=draw.randint(0, 300))) for _ in range(200)]
    references = [[hypothesis[draw.randint(0, 9) :] + draw.choice(characters)] for hypothesis in hypotheses]
    # Segments with one reference are counted all at once, others are left to sacreBLEU.
    references[3].append("a second one")
    for feature, metric in ((ChrfFeature(), CHRF()), (BleuFeature(), BLEU(effective_order=True))):
        found = feature.extract(hypotheses, references)[:, 0]
        expected = [
            metric.sentence_score(hypothesis, each).score / 100
            for hypothesis, each in zip(hypotheses, references, strict=True)
        ]
        assert found == pytest.approx(expected, abs=1e-12), feature.name


def test_bleu_and_chrf_of_wmt12_are_those_of_sacrebleu(shared):
    from sacrebleu.metrics import BLEU, CHRF

    folder = shared / "data/wmt12"
    (file,) = sorted((folder / "system-outputs/de-en").glob("*RWTH_primary"))
    hypotheses = file.read_text(encoding="utf-8").splitlines()
    references = (folder / "references/newstest2012-ref.en").read_text(encoding="utf-8").splitlines()
    for feature, metric in ((ChrfFeature(), CHRF()), (BleuFeature(), BLEU(effective_order=True))):
        found = feature.extract(hypotheses, [[reference] for reference in references])[:, 0]
        expected = [
            metric.sentence_score(hypothesis, [reference]).score / 100
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]
        assert abs(found - expected).max() < 1e-9, feature.name


def test_what_meteor_is_made_of_is_what_its_scores_say():
    feature = MeteorFeature(chain={"language": "en", "matchers": ["exact", "stem"]})
    hypotheses, references = [*HYPOTHESES, ""], [*REFERENCES, ["a"]]
    for scored, row in zip(
        feature.meteor.segments(hypotheses, references), rows(feature, hypotheses, references), strict=True
    ):
        for share in scored.contributions():
            for part in ("precision", "recall", "score"):
                assert row[f"{share.matcher}.{part}"] == pytest.approx(getattr(share, part), abs=1e-15)


def test_overlap():
    same, other = (rows(OverlapFeature(), ["the old cat sat"], [[text]])[0] for text in ("the old cat sat", "x y z"))
    assert {same[name] for name in same} == {1.0}
    assert other["unigram_f"] == other["edit_similarity"] == other["longest_match"] == 0
    swapped = rows(OverlapFeature(), ["sat cat old the"], [["the old cat sat"]])[0]
    assert (swapped["unigram_f"], swapped["bigram_f"], swapped["order"]) == (1, 0, 0)
