"""Stems and lemmas in languages that METEOR never had."""

from __future__ import annotations

import pickle
import sys

import pytest

from meteor_e import Meteor
from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.matchers.modules import StemMatcher
from meteor_e.text.stemming import FURTHER_STEMMERS, STEMMERS, FurtherStemmer, known_stemmers, stemmer

# Two forms of one word, and a word of another stem.
WORDS = {
    "arabic": ("الكتاب", "كتاب", "بيت"),
    "armenian": ("գրքերին", "գրքեր", "տուն"),
    "basque": ("etxeak", "etxe", "mendi"),
    "catalan": ("gats", "gat", "casa"),
    "czech": ("kočky", "kočka", "dům"),
    "esperanto": ("katoj", "katojn", "domo"),
    "estonian": ("raamatud", "raamatut", "maja"),
    "greek": ("γάτες", "γάτα", "σπίτι"),
    "hindi": ("किताबें", "किताब", "घर"),
    "indonesian": ("makanan", "makan", "rumah"),
    "irish": ("bhád", "bád", "teach"),
    "lithuanian": ("namai", "namas", "katė"),
    "nepali": ("किताबहरू", "किताब", "घर"),
    "persian": ("کتاب‌ها", "کتاب", "خانه"),
    "polish": ("koty", "kot", "dom"),
    "serbian": ("mačke", "mačka", "kuća"),
    "sesotho": ("ratile", "rata", "ntlo"),
    "tamil": ("வீடுகள்", "வீடு", "பூனை"),
    "yiddish": ("ביכער", "ביכערס", "הויז"),
}


def test_no_name_means_two_stemmers():
    assert not set(STEMMERS) & set(FURTHER_STEMMERS)
    assert known_stemmers() == (*STEMMERS, *FURTHER_STEMMERS)
    assert stemmer("german") is stemmer("german")
    assert set(WORDS) == set(FURTHER_STEMMERS)


@pytest.mark.parametrize("name", WORDS)
def test_forms_of_a_word_have_one_stem(name):
    stem = stemmer(name)
    one, other, different = WORDS[name]
    assert stem(one) == stem(other) != stem(different)
    assert stem("") == ""
    assert pickle.loads(pickle.dumps(stem)) is stem


@pytest.mark.parametrize("name", FURTHER_STEMMERS)
def test_any_text_has_a_stem(name):
    stem = stemmer(name)
    for word in ("\ud83d", "\U0001f600" * 3, "x" * 1_000_000, "\x00", "\u0301" * 900, "'", "~"):
        assert isinstance(stem(word), str)
    assert stem("y" * 1001) == "y" * 1001


@pytest.mark.parametrize(
    ("module", "name", "message"),
    [
        ("Stemmer", "hindi", r"the hindi stemmer needs PyStemmer, .*pip install 'PyStemmer>=2.2'"),
        ("snowballstemmer.polish_stemmer", "polish", r"needs snowballstemmer, .*pip install 'meteor_e\[stemmers\]'"),
    ],
)
def test_a_library_that_is_missing_is_named(monkeypatch, module, name, message):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ResourceError, match=message):
        FurtherStemmer(name)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"unknown stemmer 'polisch' \(did you mean 'polish'\?\); known: danish, .*"):
        StemMatcher("polisch")


@pytest.mark.parametrize(
    ("code", "hypothesis", "reference", "signature", "matchers"),
    [
        ("pl", "Koty siedzą na oknach.", "Kot siedzi na oknie.", "stem=0.5(polish, snowballstemmer ", [1, 1, 0, 1, 0]),
        ("hi", "लड़के किताबें पढ़ते हैं।", "लड़का किताब पढ़ता है।", "stem=0.5(hindi, PyStemmer ", [1, 1, 1, None, 0]),
    ],
)
def test_sentences(code, hypothesis, reference, signature, matchers):
    meteor = Meteor(code, matchers=["exact", "stem"])
    assert signature in meteor.signature
    found = {match.reference_start: match.matcher for match in meteor.align(hypothesis, reference).matches}
    assert [found.get(position) for position in range(len(matchers))] == matchers
    assert meteor.score(hypothesis, reference).score > Meteor(code).score(hypothesis, reference).score


LEMMAS = "коти\tNOUN\tкіт\nсидять\tVERB\tсидіти\nсидить\tVERB\tсидіти\nвікнах\tNOUN\tвікно\nвікні\tNOUN\tвікно\n"


def test_lemmas(tmp_path):
    (tmp_path / "uk.tsv").write_text(LEMMAS, encoding="utf-8")
    meteor = Meteor("uk", matchers=["exact", "lemma"], lemmatizer={"use": "lookup", "file": str(tmp_path / "uk.tsv")})
    alignment = meteor.align("Коти сидять на вікнах.", "Кіт сидить на вікні.")
    assert [(match.reference_start, match.matcher) for match in alignment.matches] == [
        (0, 1),
        (1, 1),
        (2, 0),
        (3, 1),
        (4, 0),
    ]
    assert "lemma=0.5" in meteor.signature
    assert meteor.score("пес", "кіт").score == 0.0


def test_lemmas_need_a_lemmatizer():
    for lemmatizer in (None, "none"):
        with pytest.raises(ConfigError, match=r"matcher 'lemma' needs lemmas, and the chain has no lemmatizer"):
            Meteor("other", matchers=["exact", "lemma"], lemmatizer=lemmatizer)
