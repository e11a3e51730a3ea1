"""Each matcher keeps to what meteor_e expects of it, and matches what it is there to match."""

from __future__ import annotations

import pytest
from meteor_e_example.abbreviations import Abbreviations
from meteor_e_example.compounds import Compounds
from meteor_e_example.contractions import Contractions, SameLemma
from meteor_e_example.lengths import LengthRatio
from meteor_e_example.ngrams import CharacterNgrams
from meteor_e_example.soundex import Soundex, soundex

from meteor_e import ConfigError, InputError, Meteor, ResourceError, Token
from meteor_e.testing import check_feature, check_lemmatizer, check_matcher


def matched(matcher, hypothesis, reference):
    """Return what a matcher proposes, as pairs of texts."""
    words = hypothesis.split(), reference.split()
    proposed = matcher.match([Token(word) for word in words[0]], [Token(word) for word in words[1]])
    return [
        (
            " ".join(words[0][m.hypothesis_start : m.hypothesis_start + m.hypothesis_length]),
            " ".join(words[1][m.reference_start : m.reference_start + m.reference_length]),
        )
        for m in proposed
    ]


@pytest.mark.parametrize(
    ("matcher", "tokens", "options"),
    [
        (Soundex, ["robert", "rupert"], {}),
        (Soundex, ["bob", "bab", "robert", "rupert"], {"shortest": 3}),
        (CharacterNgrams, ["organisation", "organization"], {}),
        (CharacterNgrams, ["organisation", "organization"], {"threshold": 0.7, "size": 2, "dimensions": 64}),
        (Abbreviations, ["eu", "european union"], {}),
        (Compounds, ["data base", "database"], {}),
        (Compounds, ["twenty four hour", "twentyfourhour", "data base", "database"], {"parts": 2}),
        (SameLemma, [Token("won", "will", "AUX"), Token("will", "will", "AUX")], {}),
    ],
)
def test_matchers_conform(matcher, tokens, options):
    check_matcher(matcher, tokens=tokens, **options)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        *(("robert", "R163"), ("rupert", "R163"), ("rubin", "R150"), ("ashcraft", "A261"), ("tymczak", "T522")),
        *(("pfister", "P236"), ("honeyman", "H555"), ("lee", "L000"), ("gutiérrez", "G362"), ("o'hara", "")),
        *(("москва", ""), ("1990", ""), ("", "")),
    ],
)
def test_soundex_codes(word, code):
    """The codes of the first words are those that the National Archives' page on Soundex explains."""
    assert soundex(word) == code


def test_soundex_matches():
    assert matched(Soundex(), "mister smyth met a smith", "smith wrote smythe a letter") == [
        ("smyth", "smith"),
        ("smyth", "smythe"),
        ("smith", "smythe"),
    ]
    assert matched(Soundex(), "the boat bit", "bad bit") == []


def test_ngrams_match():
    matcher = CharacterNgrams()
    assert matched(matcher, "the organization 1990", "an organisation 1999") == [("organization", "organisation")]
    assert matched(CharacterNgrams(threshold=0.95), "organization", "organisation") == []


def test_abbreviations_match():
    assert matched(Abbreviations(), "the eu and the un", "european union and united nations") == [
        ("eu", "european union"),
        ("un", "united nations"),
    ]
    assert matched(Abbreviations(), "united states of america", "usa") == [
        ("united states", "usa"),
        ("united states of america", "usa"),
    ]


def test_abbreviations_from_a_file(tmp_path):
    file = tmp_path / "own.tsv"
    file.write_text("# own\nzb\tzum beispiel\n\nusw\tund so weiter\n", encoding="utf-8")
    assert matched(Abbreviations(file), "zum beispiel", "zb") == [("zum beispiel", "zb")]
    assert Abbreviations(file).describe().startswith("own.tsv@")
    file.write_text("zb\tzum beispiel\nusw\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.tsv:2: a line is an abbreviation, a tab and"):
        Abbreviations(file)
    with pytest.raises(ResourceError, match=r"nowhere\.tsv': No such file"):
        Abbreviations(tmp_path / "nowhere.tsv")


def test_compounds_match():
    assert matched(Compounds(), "the data base of a steam ship", "a steamship 's database") == [
        ("steam ship", "steamship"),
        ("data base", "database"),
    ]
    assert matched(Compounds(), "steam-ship", "a steam ship") == [("steam-ship", "steam ship")]
    assert matched(Compounds(), "24", "2 4") == []
    assert matched(Compounds(parts=2), "twentyfourhour", "twenty four hour") == []


def test_contractions():
    words = ["we", "won", "'t", "go", "and", "they", "don", "'t", "say", "i", "'ve", "won"]
    assert [token.lemma for token in Contractions().analyze(words)] == (
        ["we", "will", "not", "go", "and", "they", "do", "not", "say", "i", "have", "won"]
    )
    check_lemmatizer(Contractions, words=words)


def test_length_ratio():
    assert LengthRatio().extract(["a b c", ""], [["a b c"], ["a"]]).tolist()[0] == [0.0]
    check_feature(LengthRatio)


@pytest.mark.parametrize(
    ("matcher", "options", "message"),
    [
        ("soundex", {"shortest": 0}, "shortest must be a whole number, 1 or more, not 0"),
        ("soundex", {"shorter": 5}, r"no option 'shorter' \(did you mean 'shortest'"),
        ("ngrams", {"size": 0}, "size must be a whole number, 1 or more, not 0"),
        ("ngrams", {"threshold": 2}, "threshold must be a number from 0 to 1, not 2"),
        ("compounds", {"parts": 1}, "parts must be a whole number, 2 or more, not 1"),
        ("compounds", {"parts": "three"}, "parts must be a whole number, 2 or more, not 'three'"),
        ("abbreviations", {}, "no table for language 'co'"),
    ],
)
def test_wrong_options(matcher, options, message):
    with pytest.raises(ConfigError, match=message):
        Meteor("co", matchers=["exact", {"use": matcher, **options}])
