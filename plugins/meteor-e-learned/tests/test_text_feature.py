"""What a text and its reference share, beside naive code and by hand; the extension beside the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest
from meteor_e_learned.features import text
from meteor_e_learned.features.text import TextFeature

from meteor_e.testing import check_component

WORDS = ["the", "a", "Minister", "not", "bought", "houses", "Xqzzt", "1987", ",", "don't", "never", "in", "café", "."]


def row(hypothesis, *references):
    return dict(zip(TextFeature.columns, TextFeature().extract([hypothesis], [list(references)])[0], strict=True))


def draw_sentences(count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(0, 12))) for _ in range(count)]


def test_the_feature_conforms():
    check_component(TextFeature)


def draw_odd_texts(count, seed):
    """Short and long texts of few characters and of many, some empty."""
    draw = random.Random(seed)
    letters = "abcXYZ  '’_.,-1é߀中\u0130\u2028\t\u3000\U0001f600٣\u1e9e\udc80"
    random_texts = [
        "".join(draw.choices(letters[: draw.randint(2, len(letters))], k=draw.randint(0, 90))) for _ in range(count)
    ]
    return ["", "no a b " * 700, *random_texts]


@pytest.fixture
def definition(monkeypatch):
    """The definition in Python, in place of the extension."""
    if text._native is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    monkeypatch.setattr(text, "_native", None)
    text._load_comparer.cache_clear()
    counter = text._load_comparer()
    text._load_comparer.cache_clear()
    return counter


@pytest.mark.native
@pytest.mark.parametrize("texts", [draw_sentences, draw_odd_texts])
def test_the_extension_gives_the_same_digits(definition, texts, monkeypatch):
    hypotheses, references = texts(200, 1), texts(200, 2)
    expected = definition(hypotheses, references)
    monkeypatch.undo()
    values = text._load_comparer()(hypotheses, references)
    assert values.shape == expected.shape == (len(hypotheses), len(text.COUNTED))
    assert (values == expected).all(), np.array(text.COUNTED)[(values != expected).any(axis=0)]
    assert (text._load_comparer()(hypotheses, references) == expected).all(), "what is remembered changes nothing"


@pytest.mark.native
def test_the_extension_refuses_what_does_not_fit():
    if text._native is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    constants = {"total": 1.0, "back_off": 1.0, "unlisted": 1.0, "strongest": 1.0, "usual": 1, "frequent": 1}
    counter = text._native.TextCounter(b"a\t1\n", b"", b"\x91\xa1a", {}, **constants)
    for wrong, error in (((["a"], []), ValueError), ((["a"], [1]), TypeError)):
        with pytest.raises(error):
            counter.numbers(*wrong)
    for damaged in (b"a\t1", b"a 1\n", b"a\tx\n"):
        with pytest.raises(ValueError, match="a line that is not"):
            text._native.TextCounter(damaged, b"", b"", {}, **constants)
    for damaged in (b"a", b"\x91", b"\x91\xa2a", b"\x91\xda\x00\x01a", b"\xdc\x00"):
        with pytest.raises(ValueError, match="lists of words"):
            text._native.TextCounter(b"", b"", damaged, {}, **constants)
    with pytest.raises(ValueError, match="of no kind"):
        text._native.TextCounter(b"", b"", b"", {"a": (99, False, False)}, **constants)


def test_chrf_is_sacrebleus():
    from sacrebleu.metrics import CHRF

    hypotheses, references = draw_sentences(40, 3), draw_sentences(40, 4)
    scores = TextFeature().extract(hypotheses, [[text] for text in references])[:, TextFeature.columns.index("chrf")]
    expected = [
        CHRF().sentence_score(hypothesis, [reference]).score / 100
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    assert scores == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("the Ministr Xqzzt", "the minister Xqzzt", {"unknown_added": 1, "unknown_capitalized": 1}),
        ("he sings", "he does not sing", {"negations_missing": 1, "polarity": 1}),
        ("he failed to come", "he did come", {"denials_added": 1}),
        ("the the end", "the end", {"repeated": 1, "determiner_recall": 1}),
        ("go in", "go on in", {"words_difference": -1, "content_recall": 1}),
        ("Old Town", "old town", {"capitals": 2, "capitals_added": 2, "first_capital": 0, "edit_similarity": 0.75}),
        ("‘he’ said “no”", "'he' said \"no\"", {"edit_similarity": 1, "mark_precision": 1, "chrf": 1}),
        ("of the", "of the", {"pairs_log_probability": 0, "pairs_unlisted": 0, "chrf": 1}),
        ("", "x", {"chrf": 0, "references": 1, "content_recall": 0}),
    ],
)
def test_what_is_counted(hypothesis, reference, expected):
    values = row(hypothesis, reference)
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_unusual_pairs_of_words_are_less_likely():
    usual, unusual = row("one of the best", "x"), row("one the of best", "x")
    assert usual["pairs_log_probability"] > unusual["pairs_log_probability"]
    reordered = row("best of", "of the best")
    assert reordered["pairs_moved_log_probability"] == reordered["pairs_log_probability"] < 0


def test_several_references_count_on_average():
    averaged, first_row, second_row = (
        row("a cat sat", "a cat", "sat"),
        row("a cat sat", "a cat"),
        row("a cat sat", "sat"),
    )
    assert averaged["references"] == 2
    names = TextFeature.columns[1:]
    assert [averaged[name] for name in names] == pytest.approx(
        [np.mean([first_row[name], second_row[name]]) for name in names]
    )
