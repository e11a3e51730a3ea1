"""Tests of the feature ``text``, which compares a text with its reference.

Expected values are computed by hand or by sacreBLEU. The C++ extension is compared with the Python implementation.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from meteor_e_learned.features import text
from meteor_e_learned.features.text import TextFeature

from meteor_e.testing import check_component

WORDS = ["the", "a", "Minister", "not", "bought", "houses", "Xqzzt", "1987", ",", "don't", "never", "in", "café", "."]


def compute_row(hypothesis, *references):
    """Return the values of the feature by column."""
    return dict(zip(TextFeature.columns, TextFeature().extract([hypothesis], [list(references)])[0], strict=True))


def random_sentences(count, seed):
    """Return random sentences of up to 12 words."""
    generator = random.Random(seed)
    return [" ".join(generator.choice(WORDS) for _ in range(generator.randint(0, 12))) for _ in range(count)]


def test_text_feature_passes_interface_checks():
    check_component(TextFeature)


def random_unusual_texts(count, seed):
    """Return random texts, both empty and long, with characters from alphabets of different sizes."""
    generator = random.Random(seed)
    alphabet = "abcXYZ  '’_.,-1é߀中\u0130\u2028\t\u3000\U0001f600٣\u1e9e\udc80"
    texts = [
        "".join(generator.choices(alphabet[: generator.randint(2, len(alphabet))], k=generator.randint(0, 90)))
        for _ in range(count)
    ]
    return ["", "no a b " * 700, *texts]


@pytest.fixture
def python_comparer(monkeypatch):
    """Return the Python implementation, and disable the extension."""
    if text._native is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    monkeypatch.setattr(text, "_native", None)
    text._load_comparer.cache_clear()
    comparer = text._load_comparer()
    text._load_comparer.cache_clear()
    return comparer


@pytest.mark.native
@pytest.mark.parametrize("texts", [random_sentences, random_unusual_texts])
def test_extension_equals_the_python_implementation(python_comparer, texts, monkeypatch):
    hypotheses, references = texts(200, 1), texts(200, 2)
    expected = python_comparer(hypotheses, references)
    monkeypatch.undo()
    values = text._load_comparer()(hypotheses, references)
    assert values.shape == expected.shape == (len(hypotheses), len(text.COUNTED))
    assert (values == expected).all(), np.array(text.COUNTED)[(values != expected).any(axis=0)]
    assert (text._load_comparer()(hypotheses, references) == expected).all(), "cached values must not change the result"


@pytest.mark.native
def test_extension_rejects_invalid_arguments():
    if text._native is None:
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    constants = {"total": 1.0, "back_off": 1.0, "unlisted": 1.0, "strongest": 1.0, "usual": 1, "frequent": 1}
    comparer = text._native.TextCounter(b"a\t1\n", b"", b"\x91\xa1a", {}, **constants)
    for arguments, error in (((["a"], []), ValueError), ((["a"], [1]), TypeError)):
        with pytest.raises(error):
            comparer.numbers(*arguments)
    for invalid_bytes in (b"a\t1", b"a 1\n", b"a\tx\n"):
        with pytest.raises(ValueError, match="a line that is not"):
            text._native.TextCounter(invalid_bytes, b"", b"", {}, **constants)
    for invalid_bytes in (b"a", b"\x91", b"\x91\xa2a", b"\x91\xda\x00\x01a", b"\xdc\x00"):
        with pytest.raises(ValueError, match="lists of words"):
            text._native.TextCounter(b"", b"", invalid_bytes, {}, **constants)
    with pytest.raises(ValueError, match="of no kind"):
        text._native.TextCounter(b"", b"", b"", {"a": (99, False, False)}, **constants)


def test_text_feature_chrf_equals_sacrebleu():
    from sacrebleu.metrics import CHRF

    hypotheses, references = random_sentences(40, 3), random_sentences(40, 4)
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
def test_text_feature_counts_differences(hypothesis, reference, expected):
    values = compute_row(hypothesis, reference)
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_pair_probability_is_lower_for_unusual_pairs():
    usual_row, unusual_row = compute_row("one of the best", "x"), compute_row("one the of best", "x")
    assert usual_row["pairs_log_probability"] > unusual_row["pairs_log_probability"]
    reordered_row = compute_row("best of", "of the best")
    assert reordered_row["pairs_moved_log_probability"] == reordered_row["pairs_log_probability"] < 0


def test_text_feature_averages_over_references():
    mean_row, first_row, second_row = (
        compute_row("a cat sat", "a cat", "sat"),
        compute_row("a cat sat", "a cat"),
        compute_row("a cat sat", "sat"),
    )
    assert mean_row["references"] == 2
    names = TextFeature.columns[1:]
    assert [mean_row[name] for name in names] == pytest.approx(
        [np.mean([first_row[name], second_row[name]]) for name in names]
    )
