"""Tests for normalization, lowercasing and word splitting."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.api.tokens import split_words
from meteor_e.base.lowercase import later_capitals, lowercase
from meteor_e.text.normalization import Normalizer, unescape_entities

PREFIXES = NonbreakingPrefixes(frozenset({"Mr", "vs"}), frozenset({"No"}))

english = Normalizer(Normalization.FULL, "english", PREFIXES)
french = Normalizer(Normalization.FULL, "french", PREFIXES)
apart = Normalizer(Normalization.FULL, "apart", PREFIXES)
bare = Normalizer(Normalization.NO_PUNCTUATION, "english", PREFIXES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Stop!Now (or)", "stop ! now ( or )"),
        ("wait...what", "wait ... what"),
        ("a,b,c", "a , b,c"),
        ("1,000,5", "1,000,5"),
        ("“so” ``said''", '" so " " said "'),
        ("well-known – 1--2", "well known - 1 2"),
        ("U.S.-based", "us based"),
        ("don't", "don 't"),
        ("1990's", "1990 's"),
        ("'tis dogs'", "' tis dogs '"),
        ("Mr. Fox", "mr. fox"),
        ("mr. Fox", "mr . fox"),
        ("No. 5", "no. 5"),
        ("No. Yes", "no . yes"),
        ("Fin. next", "fin. next"),
        ("The end.", "the end ."),
        ("a.b. C 1.5. D", "ab c 1.5 . d"),
        ("a DOTMULTI b", "a . b"),
        ("a\u00a0b\u2003c\u200bd", "a b c \u200b d"),
        ("", ""),
        (" \t\n ", ""),
        ("...", "..."),
    ],
)
def test_normalizer_applies_the_english_rules(text, words):
    assert english(text) == words


def test_normalizer_splits_apostrophes_by_language():
    assert [normalizer("l'eau") for normalizer in (english, french, apart)] == ["l 'eau", "l' eau", "l ' eau"]
    assert [normalizer("5's") for normalizer in (english, french, apart)] == ["5 's", "5 ' s", "5 ' s"]


def test_no_punctuation_keeps_letters_and_digits():
    assert bare("It's 5,5 km (or so)...") == "it s 5 5 km or so"
    assert bare("!?...") == ""


def test_lower_and_none_keep_punctuation():
    assert Normalizer(Normalization.LOWER)("  It's THIS, \u00a0ok.\x01") == "  it's this, \u00a0ok.\x01"
    assert Normalizer(Normalization.NONE)("\x00 It's THIS. ") == "\x00 It's THIS. "


def test_normalizer_trims_control_characters_like_java():
    # The Java program trims these characters only with -norm. With -lower or no option, they belong to the word.
    for character in map(chr, (*range(1, 9), 11, *range(14, 32))):
        for mode in (Normalization.NONE, Normalization.LOWER):
            assert split_words(Normalizer(mode)(f"{character}hello world{character}")) == [
                f"{character}hello",
                f"world{character}",
            ]
        assert split_words(english(f"{character}hello world{character}")) == ["hello", "world"]


def test_lowercase_ignores_letters_after_unicode_13():
    assert lowercase("\u2c2f\ua7c0\ua7d0\U00010570 \u00c0\u0410") == "\u2c2f\ua7c0\ua7d0\U00010570 \u00e0\u0430"
    # The rule for the final sigma does not treat these characters as letters, and does not skip newer combining marks.
    assert lowercase("\u2c2f\u03a3 \u0391\u03a3") == "\u2c2f\u03c3 \u03b1\u03c2"
    assert lowercase("\u0391\u0301\u03a3 \u0391\u1ac1\u03a3") == "\u03b1\u0301\u03c2 \u03b1\u1ac1\u03c3"


def test_lowercase_keeps_all_later_capitals():
    assert all(character.lower() != character == lowercase(character) for character in later_capitals())


def test_lowercase_is_independent_of_the_locale():
    assert lowercase("İSTANBUL ÀÉ ИВАН") == "i\u0307stanbul àé иван"


def test_normalizer_can_be_pickled():
    assert pickle.loads(pickle.dumps(english))("Mr. X") == english("Mr. X") == "mr. x"


def test_unescape_entities_decodes_once_and_in_order():
    assert unescape_entities("&AMP;lt; &quot;a&apos; &lt;b&gt; &amp;quot; &nbsp;") == "&lt; \"a' <b> &quot; &nbsp;"
    assert unescape_entities("plain") == "plain"


def test_normalizer_accepts_lone_surrogates():
    assert english("a\ud800b") == "a \ud800 b"
    assert Normalizer(Normalization.LOWER)("A\ud800") == "a\ud800"


@pytest.mark.parametrize("unit", ["'", ".", ",", "-", "a'", "a.", "a,", "a-", "1,", "DOTMULTI", "DOT", "&amp;", "Mr. "])
def test_normalizer_takes_linear_time(unit):
    # A regular expression that backtracks would take hours for this text.
    text = unit * (200_000 // len(unit))
    for normalizer in (english, french, apart, bare):
        assert isinstance(normalizer(text), str)
    assert isinstance(unescape_entities(text), str)


any_text = st.text(st.characters(exclude_categories=()), max_size=40)
punctuated_text = st.text(st.sampled_from("aB1 .,'`-–‘’“”!\u00a0\u2003\x0b\x85éЖ𝒜"), max_size=30)


@given(any_text | punctuated_text)
def test_normalized_words_are_lowercase_without_spaces(text):
    for normalizer in (english, french, apart, bare):
        normalized = normalizer(text)
        words = split_words(normalized)
        assert normalized == normalized.strip(" ")
        assert all(word and " " not in word for word in words)
        assert lowercase(normalized) == normalized or "Σ" in text or "\u0307" in normalized


def test_split_words_splits_at_five_ascii_characters():
    assert split_words(" a\tb\nc\rd\fe  f ") == ["a", "b", "c", "d", "e", "f"]
    words = ["a\x0bb", "c\x85d", "e\u00a0f", "g\u2028h", "i\x1cj"]
    assert split_words(" ".join(words)) == words
    assert split_words("") == split_words(" \t ") == []
