"""Similarity of words by common characters, and n-grams of segments."""

from __future__ import annotations

import random
import warnings

import pytest

from meteor_e import Meteor
from meteor_e.api import Token
from meteor_e.matchers.pieces import NgramMatcher, PrefixMatcher
from meteor_e.scoring.characters import common_subsequence_length, ngram_shares, repeated_fraction, subsequence_shares
from meteor_e.testing import check_matcher

WORDS = [
    *("a", "b", "the", "The", "Hunde", "hund", "liefen", "läuft", "laufen", ".", ",", "東", "京"),
    *("городе", "город", "городу", "\U0001d54f\U0001d550"),
]


def aligned(meteor, hypothesis, reference):
    alignment = meteor.align(hypothesis, reference)
    return {
        (alignment.hypothesis[match.hypothesis_start], alignment.reference[match.reference_start])
        for match in alignment.matches
    }


@pytest.mark.parametrize("matcher", [NgramMatcher, PrefixMatcher])
def test_conformance(matcher):
    check_matcher(matcher)


def test_words_match_the_most_similar_unmatched_word():
    meteor = Meteor("other", matchers=["exact", {"use": "ngram", "threshold": 0.4}])
    found = aligned(meteor, "die hunde hundert laufen", "ein hund laufenden dorthin")
    assert found == {("hunde", "hund"), ("laufen", "laufenden")}


def test_words_that_the_other_side_has_are_left_to_exact():
    meteor = Meteor("other", matchers=["exact", "ngram"])
    assert aligned(meteor, "hund hund", "hund hunde") == {("hund", "hund")}


def test_prefixes_are_shares_of_both_words():
    (match,) = PrefixMatcher.make(threshold=0.1).match(*([token] for token in tokens("laufen", "laufe")))
    assert match.probability == pytest.approx(2 * 5 / 11)


def tokens(*words):
    return [Token(word) for word in words]


def test_equal_segments_count_the_same_in_a_system():
    hypotheses, references = ["a b x", "a " * 50 + "y", ""], ["a b c", "a " * 50 + "c c", ""]
    keys = {"matchers": ["exact"], "parameters": {"gamma": 0.0, "alpha": 0.5}}
    plain, equal = Meteor("other", **keys), Meteor("other", equal_segments=True, **keys)
    scores = [[one.score for one in meteor.segments(hypotheses, references)] for meteor in (plain, equal)]
    assert scores[1] == pytest.approx(scores[0], abs=1e-6)
    # F1 of shares of (H + R) / 2 is the mean of the F1 of segments; the empty one has no words to share.
    mean = sum(scores[0][:2]) / 2
    assert equal.corpus(hypotheses, references).score == pytest.approx(mean, abs=1e-6)
    assert plain.corpus(hypotheses, references).score > mean + 0.1


def test_match_weight_is_the_similarity_of_the_words():
    scores = [
        Meteor("other", task="any").score(f"a b c {word}", "a b c laufen").score
        for word in ("laufen", "laufe", "lief", "xyz")
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert scores[0] == 1


def test_shares_of_characters():
    assert ngram_shares(["ab"], ["ab"]) == (1, 1)
    assert ngram_shares(["ab"], []) == (0, 0)
    assert ngram_shares([], []) == (0, 0)
    # " a " and " ab ": 2 of 2 and 3 distinct signs, spaces twice; then " a"; nothing of three.
    precision, recall = ngram_shares(["a"], ["ab"])
    assert precision == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert recall == pytest.approx((3 / 4 + 1 / 3 + 0) / 3)


def longest_common(own, others):
    """Return the length of the longest common subsequence by its definition."""
    lengths = [[0] * (len(others) + 1) for _ in range(len(own) + 1)]
    for i, one in enumerate(own):
        for j, other in enumerate(others):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if one == other else max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths[-1][-1]


def test_common_subsequences():
    draw = random.Random(2)
    for _ in range(300):
        own, others = ("".join(draw.choices("abcd", k=draw.randint(0, 90))) for _ in "12")
        assert common_subsequence_length(own, others) == longest_common(own, others)


def test_shares_of_subsequences():
    assert subsequence_shares(["ab"], ["ab"]) == (1, 1)
    assert subsequence_shares(["ab"], []) == subsequence_shares([], []) == (0, 0)
    # " ba " and " ab ": three signs in order, and one pair of three.
    precision, _ = subsequence_shares(["ba"], ["ab"])
    assert precision == pytest.approx((3 / 4 + 0) / 2)
    # As many n-grams in common, but in another order.
    words = ["one", "two", "three", "four", "five"]
    assert subsequence_shares(words, words[3:] + words[:3])[0] < subsequence_shares(words, words[:3] + words[3:])[0]


def test_repeated_text_is_penalized():
    assert repeated_fraction(" aaaa ", "") == repeated_fraction("", "") == 0
    assert repeated_fraction("aaaa", "") == 0
    assert repeated_fraction("aaaaa", "") == 1 / 2
    # " abcd abcd ": "abcd", " abc" and "bcd " come twice, of 8.
    assert repeated_fraction(" abcd abcd ", " abcd ") == 3 / 8
    assert repeated_fraction(" abcd abcd ", " abcd abcd ") == 0
    meteor = Meteor.from_config("any", language="en")
    once, twice = (meteor.score(text, "the cat sat on the mat").score for text in ("a cat on a mat", "a cat " * 6))
    assert once > twice


@pytest.mark.parametrize(
    "keys",
    [
        {"task": "any", "character_mode": True, "segmenter": "script", "normalization": "none"},
        {"task": "any", "parameters": {"delta": 0.8}},
        {"matchers": ["exact", {"use": "ngram", "threshold": 0.4, "longest": 3}, {"use": "prefix", "weight": 0.5}]},
        {"matchers": ["exact", {"use": "stem", "stemmer": "german"}, "ngram", "characters", "subsequence"]},
    ],
)
def test_engines_agree(keys):
    draw = random.Random(1)
    segments = [" ".join(draw.choices(WORDS, k=draw.randint(0, 12))) for _ in range(120)]
    found = []
    for engine in ("native", "python"):
        meteor = Meteor("other", **keys)
        if engine == "native" and meteor.engine != "native":
            pytest.skip("the extension is not built, or METEOR_E_PURE is set")
        meteor.engine = engine
        found.append([score.statistics for score in meteor.segments(segments, segments[7:] + segments[:7])])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [(" !ah", "a\0"), ("`", "\0a"), ("\0" * 9, "\0" * 7), ("\0a\0 \0\0b", "a\0 b\0\0")],
)
def test_engines_agree_on_texts_with_nul(hypothesis, reference):
    """NUL is a character like any other: "\\0a" and "`" once had the same hash in the native core."""
    meteor = Meteor.from_config("any", language="en")
    if meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    native = meteor.score(hypothesis, reference)
    meteor.engine = "python"
    assert native == meteor.score(hypothesis, reference)


def test_engines_agree_on_random_texts_with_nul():
    draw = random.Random(3)
    segments = ["".join(draw.choices("\0\1\2`ab ", k=draw.randint(1, 12))) for _ in range(400)]
    references = segments[9:] + segments[:9]
    meteor = Meteor.from_config("any", language="en")
    if meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    native = [score.statistics for score in meteor.segments(segments, references)]
    meteor.engine = "python"
    assert native == [score.statistics for score in meteor.segments(segments, references)]


@pytest.mark.parametrize("matcher", ["ngram", "prefix"])
def test_capitals_after_unicode_13_are_not_lowercased(matcher):
    """Python 3.10 does not know U+A7C0 as the capital of U+A7C1, so no version of Python may lowercase it."""
    capital, small = ((Token(letter * 2),) for letter in ("\ua7c0", "\ua7c1"))
    options = {"threshold": 0.01}
    matcher_class = {"ngram": NgramMatcher, "prefix": PrefixMatcher}[matcher]
    assert list(matcher_class.make(**options).match(capital, small)) == []
    meteor = Meteor("other", matchers=["exact", {"use": matcher, **options}])
    assert not meteor.align("\ua7c0\ua7c0 x", "\ua7c1\ua7c1 y").matches


def test_function_words_are_compared_by_unicode_13():
    from meteor_e.scoring.alignment import Alignment
    from meteor_e.scoring.statistics import count_statistics

    alignment = Alignment(("\ua7c0", "\u00c0"), ("x",), (), ("exact",), 0)
    statistics = count_statistics(alignment, 1, {"\ua7c1", "\u00e0"})
    assert statistics.hypothesis_function_words == 1


@pytest.mark.parametrize("language", ["de", "is", "hi", "zh", "ar", "th"])
def test_chain_any_accepts_all_languages(language):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meteor = Meteor.from_config("any", language=language)
    assert meteor.score("東京 Hund भारत.", "東京 Hund भारत.").score == 1
    assert "|match:exact=" in meteor.signature
    assert "segmenter:script" in meteor.signature
