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
def test_english_rules(text, words):
    assert english(text) == words


def test_apostrophe_is_placed_by_the_language():
    assert [normalizer("l'eau") for normalizer in (english, french, apart)] == ["l 'eau", "l' eau", "l ' eau"]
    assert [normalizer("5's") for normalizer in (english, french, apart)] == ["5 's", "5 ' s", "5 ' s"]


def test_letters_and_digits_stay_without_punctuation():
    assert bare("It's 5,5 km (or so)...") == "it s 5 5 km or so"
    assert bare("!?...") == ""


def test_lower_and_none_leave_punctuation_alone():
    assert Normalizer(Normalization.LOWER)("  It's THIS, \u00a0ok.\x01") == "  it's this, \u00a0ok.\x01"
    assert Normalizer(Normalization.NONE)("\x00 It's THIS. ") == "\x00 It's THIS. "


def test_control_characters_at_the_edges_are_trimmed_as_in_java():
    # java -jar meteor-1.5.jar … -lower (or nothing): they belong to the word; with -norm they are trimmed.
    for character in map(chr, (*range(1, 9), 11, *range(14, 32))):
        for mode in (Normalization.NONE, Normalization.LOWER):
            assert split_words(Normalizer(mode)(f"{character}hello world{character}")) == [
                f"{character}hello",
                f"world{character}",
            ]
        assert split_words(english(f"{character}hello world{character}")) == ["hello", "world"]


def test_letters_that_unicode_13_does_not_know_stay():
    assert lowercase("\u2c2f\ua7c0\ua7d0\U00010570 \u00c0\u0410") == "\u2c2f\ua7c0\ua7d0\U00010570 \u00e0\u0430"
    # They are no letters to the rule of the final sigma, nor are later marks ignored by it.
    assert lowercase("\u2c2f\u03a3 \u0391\u03a3") == "\u2c2f\u03c3 \u03b1\u03c2"
    assert lowercase("\u0391\u0301\u03a3 \u0391\u1ac1\u03a3") == "\u03b1\u0301\u03c2 \u03b1\u1ac1\u03c3"


def test_later_capitals_are_the_letters_with_a_lower_case():
    assert all(character.lower() != character == lowercase(character) for character in later_capitals())


def test_lower_case_is_unicodes_and_not_the_locales():
    assert lowercase("İSTANBUL ÀÉ ИВАН") == "i\u0307stanbul àé иван"


def test_normalizer_can_be_pickled():
    assert pickle.loads(pickle.dumps(english))("Mr. X") == english("Mr. X") == "mr. x"


def test_entities_are_undone_once_and_in_order():
    assert unescape_entities("&AMP;lt; &quot;a&apos; &lt;b&gt; &amp;quot; &nbsp;") == "&lt; \"a' <b> &quot; &nbsp;"
    assert unescape_entities("plain") == "plain"


def test_lone_surrogates_are_characters_like_others():
    assert english("a\ud800b") == "a \ud800 b"
    assert Normalizer(Normalization.LOWER)("A\ud800") == "a\ud800"


@pytest.mark.parametrize("unit", ["'", ".", ",", "-", "a'", "a.", "a,", "a-", "1,", "DOTMULTI", "DOT", "&amp;", "Mr. "])
def test_repeated_pattern_takes_linear_time(unit):
    # A rule that backtracks would need hours for this.
    text = unit * (200_000 // len(unit))
    for normalizer in (english, french, apart, bare):
        assert isinstance(normalizer(text), str)
    assert isinstance(unescape_entities(text), str)


anything = st.text(st.characters(exclude_categories=()), max_size=40)
tricky = st.text(st.sampled_from("aB1 .,'`-–‘’“”!\u00a0\u2003\x0b\x85éЖ𝒜"), max_size=30)


@given(anything | tricky)
def test_words_have_no_separators_and_no_upper_case(text):
    for normalizer in (english, french, apart, bare):
        normalized = normalizer(text)
        words = split_words(normalized)
        assert normalized == normalized.strip(" ")
        assert all(word and " " not in word for word in words)
        assert lowercase(normalized) == normalized or "Σ" in text or "\u0307" in normalized


def test_words_are_separated_by_five_ascii_characters():
    assert split_words(" a\tb\nc\rd\fe  f ") == ["a", "b", "c", "d", "e", "f"]
    words = ["a\x0bb", "c\x85d", "e\u00a0f", "g\u2028h", "i\x1cj"]
    assert split_words(" ".join(words)) == words
    assert split_words("") == split_words(" \t ") == []
