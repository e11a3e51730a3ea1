"""Test matchers that compare characters of words, and statistics of characters and subsequences of segments."""

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


def align_words(meteor, hypothesis, reference):
    """Align two texts and return the pairs of matched words."""
    alignment = meteor.align(hypothesis, reference)
    return {
        (alignment.hypothesis[match.hypothesis_start], alignment.reference[match.reference_start])
        for match in alignment.matches
    }


@pytest.mark.parametrize("matcher", [NgramMatcher, PrefixMatcher])
def test_matcher_conforms_to_the_plugin_interface(matcher):
    check_matcher(matcher)


def test_ngram_matcher_prefers_the_most_similar_word():
    meteor = Meteor("other", matchers=["exact", {"use": "ngram", "threshold": 0.4}])
    pairs = align_words(meteor, "die hunde hundert laufen", "ein hund laufenden dorthin")
    assert pairs == {("hunde", "hund"), ("laufen", "laufenden")}


def test_ngram_matcher_ignores_words_that_both_segments_have():
    meteor = Meteor("other", matchers=["exact", "ngram"])
    assert align_words(meteor, "hund hund", "hund hunde") == {("hund", "hund")}


def test_prefix_similarity_is_the_fraction_of_both_words():
    (match,) = PrefixMatcher.make(threshold=0.1).match([Token("laufen")], [Token("laufe")])
    assert match.probability == pytest.approx(2 * 5 / 11)


def test_equal_segments_gives_all_segments_the_same_weight():
    hypotheses, references = ["a b x", "a " * 50 + "y", ""], ["a b c", "a " * 50 + "c c", ""]
    options = {"matchers": ["exact"], "parameters": {"gamma": 0.0, "alpha": 0.5}}
    micro = Meteor("other", **options)
    macro = Meteor("other", average="macro", **options)
    micro_scores = [score.score for score in micro.segments(hypotheses, references)]
    macro_scores = [score.score for score in macro.segments(hypotheses, references)]
    assert macro_scores == pytest.approx(micro_scores, abs=1e-6)
    # Counts are divided by the mean length of both texts, so that the F1 of the corpus is the mean F1 of its segments.
    # The empty segment does not have any words, so it does not count.
    mean = sum(micro_scores[:2]) / 2
    assert macro.corpus(hypotheses, references).score == pytest.approx(mean, abs=1e-6)
    assert micro.corpus(hypotheses, references).score > mean + 0.1


def test_task_any_weights_matches_by_similarity():
    scores = [
        Meteor("other", task="any").score(f"a b c {word}", "a b c laufen").score
        for word in ("laufen", "laufe", "lief", "xyz")
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert scores[0] == 1


def test_ngram_shares_returns_precision_and_recall():
    assert ngram_shares(["ab"], ["ab"]) == (1, 1)
    assert ngram_shares(["ab"], []) == (0, 0)
    assert ngram_shares([], []) == (0, 0)
    # The texts are " a " and " ab ". Of the characters, all 3 of the hypothesis and 3 of the 4 of the reference match.
    # Of the bigrams, only " a" matches. None of the trigrams match.
    precision, recall = ngram_shares(["a"], ["ab"])
    assert precision == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert recall == pytest.approx((3 / 4 + 1 / 3 + 0) / 3)


def compute_common_subsequence_length(first, second):
    """Return the length of the longest common subsequence by its recursive definition."""
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first)):
        for j in range(len(second)):
            if first[i] == second[j]:
                lengths[i + 1][j + 1] = lengths[i][j] + 1
            else:
                lengths[i + 1][j + 1] = max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths[-1][-1]


def test_common_subsequence_length_equals_its_definition():
    rng = random.Random(2)
    for _ in range(300):
        first, second = ("".join(rng.choices("abcd", k=rng.randint(0, 90))) for _ in range(2))
        assert common_subsequence_length(first, second) == compute_common_subsequence_length(first, second)


def test_subsequence_shares_depends_on_the_word_order():
    assert subsequence_shares(["ab"], ["ab"]) == (1, 1)
    assert subsequence_shares(["ab"], []) == subsequence_shares([], []) == (0, 0)
    # The texts are " ba " and " ab ". Of their characters, 3 of 4 match in order. None of the 3 bigrams match.
    precision, _ = subsequence_shares(["ba"], ["ab"])
    assert precision == pytest.approx((3 / 4 + 0) / 2)
    # The reordered text has almost the same n-grams, but in another order.
    words = ["one", "two", "three", "four", "five"]
    reordered_precision, _ = subsequence_shares(words, words[3:] + words[:3])
    precision, _ = subsequence_shares(words, words)
    assert reordered_precision < precision


def test_repeated_fraction_lowers_the_score():
    assert repeated_fraction(" aaaa ", "") == repeated_fraction("", "") == 0
    assert repeated_fraction("aaaa", "") == 0
    assert repeated_fraction("aaaaa", "") == 1 / 2
    # The text has 8 character 4-grams. Of these, "abcd", " abc" and "bcd " occur twice.
    assert repeated_fraction(" abcd abcd ", " abcd ") == 3 / 8
    assert repeated_fraction(" abcd abcd ", " abcd abcd ") == 0
    meteor = Meteor.from_config("any", language="en")
    reference = "the cat sat on the mat"
    assert meteor.score("a cat on a mat", reference).score > meteor.score("a cat " * 6, reference).score


@pytest.mark.parametrize(
    "options",
    [
        {"task": "any", "character_mode": True, "segmenter": "script", "normalization": "none"},
        {"task": "any", "parameters": {"delta": 0.8}},
        {"matchers": ["exact", {"use": "ngram", "threshold": 0.4, "longest": 3}, {"use": "prefix", "weight": 0.5}]},
        {"matchers": ["exact", {"use": "stem", "stemmer": "german"}, "ngram", "characters", "subsequence"]},
    ],
)
def test_engines_agree(options):
    rng = random.Random(1)
    segments = [" ".join(rng.choices(WORDS, k=rng.randint(0, 12))) for _ in range(120)]
    statistics = []
    for engine in ("native", "python"):
        meteor = Meteor("other", **options)
        if engine == "native" and meteor.engine != "native":
            pytest.skip("the extension is not built, or METEOR_E_PURE is set")
        meteor.engine = engine
        scores = meteor.segments(segments, segments[7:] + segments[:7])
        statistics.append([score.statistics for score in scores])
    assert statistics[0] == statistics[1]


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [(" !ah", "a\0"), ("`", "\0a"), ("\0" * 9, "\0" * 7), ("\0a\0 \0\0b", "a\0 b\0\0")],
)
def test_engines_agree_on_text_with_nul(hypothesis, reference):
    """NUL is an ordinary character. In an earlier native core, "\\0a" and "`" had the same hash."""
    meteor = Meteor.from_config("any", language="en")
    if meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    native = meteor.score(hypothesis, reference)
    meteor.engine = "python"
    assert native == meteor.score(hypothesis, reference)


def test_engines_agree_on_random_text_with_nul():
    rng = random.Random(3)
    segments = ["".join(rng.choices("\0\1\2`ab ", k=rng.randint(1, 12))) for _ in range(400)]
    references = segments[9:] + segments[:9]
    meteor = Meteor.from_config("any", language="en")
    if meteor.engine != "native":
        pytest.skip("the extension is not built, or METEOR_E_PURE is set")
    native = [score.statistics for score in meteor.segments(segments, references)]
    meteor.engine = "python"
    assert native == [score.statistics for score in meteor.segments(segments, references)]


@pytest.mark.parametrize("matcher", ["ngram", "prefix"])
def test_matcher_does_not_lowercase_capitals_after_unicode_13(matcher):
    """Python 3.10 does not lowercase U+A7C0 to U+A7C1, so the matchers must not do it with any version of Python."""
    capital, small = [Token("\ua7c0\ua7c0")], [Token("\ua7c1\ua7c1")]
    options = {"threshold": 0.01}
    matcher_class = {"ngram": NgramMatcher, "prefix": PrefixMatcher}[matcher]
    assert list(matcher_class.make(**options).match(capital, small)) == []
    meteor = Meteor("other", matchers=["exact", {"use": matcher, **options}])
    assert not meteor.align("\ua7c0\ua7c0 x", "\ua7c1\ua7c1 y").matches


def test_function_words_are_lowercased_by_unicode_13():
    from meteor_e.scoring.alignment import Alignment
    from meteor_e.scoring.statistics import StatisticsCounter

    alignment = Alignment(("\ua7c0", "\u00c0"), ("x",), (), ("exact",), 0)
    statistics = StatisticsCounter({"\ua7c1", "\u00e0"}).count(alignment)
    assert statistics.hypothesis_function_words == 1


@pytest.mark.parametrize("language", ["de", "is", "hi", "zh", "ar", "th"])
def test_chain_any_accepts_all_languages(language):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meteor = Meteor.from_config("any", language=language)
    assert meteor.score("東京 Hund भारत.", "東京 Hund भारत.").score == 1
    assert "|match:exact=" in meteor.signature
    assert "segmenter:script" in meteor.signature
