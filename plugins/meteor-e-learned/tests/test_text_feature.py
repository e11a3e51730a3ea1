"""What a text and its reference share, beside naive code and by hand; the extension beside numpy."""

from __future__ import annotations

import random

import numpy as np
import pytest
from meteor_e_learned import counting
from meteor_e_learned.features import word_pairs
from meteor_e_learned.features.text import TextFeature

from meteor_e.testing import check_feature

WORDS = ["the", "a", "Minister", "not", "bought", "houses", "Xqzzt", "1987", ",", "don't", "never", "in", "café", "."]


def row(hypothesis, *references):
    return dict(zip(TextFeature.columns, TextFeature().extract([hypothesis], [list(references)])[0], strict=True))


def texts(count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(0, 12))) for _ in range(count)]


def test_the_feature_conforms():
    check_feature(TextFeature)


def test_the_extension_gives_the_same_digits(monkeypatch):
    if counting._native is None:
        pytest.skip("the extension is not built")
    hypotheses, references = texts(200, 1), [[text] for text in texts(200, 2)]
    found = TextFeature().extract(hypotheses, references)
    monkeypatch.setattr(counting, "_native", None)
    word_pairs._numbers_of.cache_clear()
    plain = TextFeature().extract(hypotheses, references)
    word_pairs._numbers_of.cache_clear()
    assert (found == plain).all()


def test_chrf_is_sacrebleus():
    from sacrebleu.metrics import CHRF

    hypotheses, references = texts(40, 3), texts(40, 4)
    found = TextFeature().extract(hypotheses, [[text] for text in references])[:, TextFeature.columns.index("chrf")]
    wanted = [
        CHRF().sentence_score(one, [other]).score / 100 for one, other in zip(hypotheses, references, strict=True)
    ]
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("the Ministr Xqzzt", "the minister Xqzzt", {"unknown": 2, "unknown_added": 1, "unknown_capitalized": 1}),
        ("he sings", "he does not sing", {"negations_missing": 1, "negation_missing": 1, "polarity": 1}),
        ("he failed to come", "he did come", {"denials_added": 1}),
        ("he came", "he refused", {"denials_missing": 1}),
        ("the the end", "the end", {"repeated": 1, "doubled": 1, "determiner_recall": 1}),
        ("go in", "go on in", {"preposition_recall": 0.5, "preposition_missing": 1, "content_recall": 1}),
        ("Old Town", "old town", {"capitals": 2, "capitals_added": 2, "first_capital": 0, "edit_similarity": 0.75}),
        ("of the", "of the", {"pairs_log_probability": 0, "pairs_unlisted": 0, "chrf": 1}),
        ("", "x", {"chrf": 0, "references": 1, "content_recall": 0}),
    ],
)
def test_what_is_counted(hypothesis, reference, expected):
    found = row(hypothesis, reference)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_unusual_pairs_of_words_are_less_likely():
    usual, unusual = row("one of the best", "x"), row("one the of best", "x")
    assert usual["pairs_log_probability"] > unusual["pairs_log_probability"]
    moved = row("best of", "of the best")
    assert moved["pairs_moved_log_probability"] == moved["pairs_log_probability"] < 0


def test_several_references_count_on_average():
    both, one, other = row("a cat sat", "a cat", "sat"), row("a cat sat", "a cat"), row("a cat sat", "sat")
    assert both["references"] == 2
    names = [name for name in TextFeature.columns if name != "references" and not name.startswith("pairs_")]
    assert [both[name] for name in names] == pytest.approx([np.mean([one[name], other[name]]) for name in names])
