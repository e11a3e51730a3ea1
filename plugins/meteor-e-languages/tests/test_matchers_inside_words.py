"""Matchers that look inside words: accents, scripts, compounds, learned pieces."""

from __future__ import annotations

import json
import math
import pickle
import random

import pytest
from meteor_e_languages.matchers.folding import DiacriticsMatcher, TransliterationMatcher, folded
from meteor_e_languages.matchers.parts import CompoundMatcher, SubwordMatcher

from meteor_e import Meteor
from meteor_e.api import ConfigError, InputError, ResourceError, Token
from meteor_e.testing import check_matcher

LINES = "Die Tür ist offen.\nDas Haus hat eine Tür.\nHaustür und Haus, Türen und Häuser.\n" * 3
WORDS = [
    *(
        "Bundesgericht",
        "Gericht",
        "Haustür",
        "Tür",
        "Häuser",
        "haus",
        "Türen",
        "hat",
        "das",
        ".",
        "1",
        "Чайковский",
        "Tchaikovsky",
    ),
    *("гора", "gora", "ISTANBUL", "istanbul", "łódź", "Lodz", "東京", "とうきょう", "५", "5"),
]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text(LINES, "utf-8")
    return str(path)


def pairs(meteor, hypothesis, reference):
    alignment = meteor.align(hypothesis, reference)
    return {
        (alignment.hypothesis[match.hypothesis_start], alignment.reference[match.reference_start]): match.probability
        for match in alignment.matches
    }


@pytest.mark.parametrize("matcher", [DiacriticsMatcher, TransliterationMatcher])
def test_conformance_without_words(matcher):
    check_matcher(matcher, tokens=WORDS)


@pytest.mark.parametrize("matcher", [CompoundMatcher, SubwordMatcher])
def test_conformance_with_words(matcher, text):
    check_matcher(matcher, tokens=WORDS, text=text, threshold=0.2)


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("Straße", "strasse"),
        ("ŁÓDŹ", "lodz"),
        ("İstanbul", "istanbul"),
        ("ısı", "isi"),
        ("Ænøđ", "aenod"),
        ("ё", "е"),
        ("كَتَبَ", "كتب"),
        ("שָׁלוֹם", "שלום"),
        ("ｶﾞ", "ガ"),
        ("नि", "नि"),
    ],
)
def test_folded_words(word, plain):
    import unicodedata

    assert unicodedata.normalize("NFC", folded(word)) == plain


def test_vowel_signs_are_no_accents():
    words = ["की", "कि", "ที", "ที่", "ทุ", "が", "か"]
    assert len({folded(word) for word in words}) == len(words) - 1  # a tone of Thai is dropped


def test_diacritics():
    meteor = Meteor("other", matchers=["exact", "diacritics"], normalization="none")
    assert pairs(meteor, "Strasse in Lodz , LODZ", "straße in Łódź .") == {
        ("Strasse", "straße"): 1,
        ("in", "in"): 1,
        ("Lodz", "Łódź"): 1,
    }
    assert "diacritics=0.6(anyascii=" in meteor.signature


def test_scripts_must_differ():
    meteor = Meteor("other", matchers=["exact", "transliteration"], normalization="none")
    found = pairs(meteor, "Tchaikovsky , гора 5", "гори , Чайковский gora ५")
    assert set(found) == {("Tchaikovsky", "Чайковский"), (",", ","), ("гора", "gora"), ("5", "५")}
    assert found["гора", "gora"] == 1
    assert 0.5 < found["Tchaikovsky", "Чайковский"] < 1


def test_compounds():
    meteor = Meteor("de", matchers=["exact", "compound"], normalization="none", pack="none")
    found = pairs(meteor, "das Bundesgericht liebt Goldfische", "ein Gericht mit Fische")
    assert found["Bundesgericht", "Gericht"] == pytest.approx(2 * 7 / (4 + 7 + 7))
    (matcher,) = meteor.matchers[1:]
    assert matcher.parts("bundesverfassungsgericht") == ("bund", "verfassung", "gericht")
    assert matcher.parts("verfassungs-gericht") == ("verfassung", "gericht")
    assert matcher.parts("qqqqqqqqqqqq") == ("qqqqqqqqqqqq",)
    assert "wordfreq=" in meteor.signature


def splits(word, logs, links, most):
    """All ways to split a word, with the mean of their parts' logarithms."""
    if word in logs:
        yield [word]
    for end in range(1, len(word)) if most > 1 else ():
        for link in links if word[:end] in logs else ():
            rest = word[end + len(link) :]
            if rest and word.startswith(link, end):
                yield from ([word[:end], *others] for others in splits(rest, logs, links, most - 1))


def test_the_best_of_all_splits(tmp_path):
    draw = random.Random(3)
    words = {"".join(draw.choices("abs", k=draw.randint(2, 4))): draw.randint(1, 50) for _ in range(25)}
    path = tmp_path / "text"
    path.write_text("\n".join(f"{word} " * count for word, count in words.items()))
    matcher = CompoundMatcher.make(_context("da"), text=str(path), shortest=2)
    total = sum(words.values())
    logs = {word: math.log(count / total) for word, count in words.items()}
    for _ in range(200):
        word = "".join(draw.choices("abs", k=draw.randint(4, 11)))
        means = [sum(logs[part] for part in parts) / len(parts) for parts in splits(word, logs, matcher._links, 4)]
        found = matcher.parts(word)
        if means:
            assert sum(logs[part] for part in found) / len(found) == pytest.approx(max(means))
        else:
            assert found == (word,)


def test_parts_from_a_text(text):
    matcher = CompoundMatcher.make(_context("sw"), text=text, shortest=3)
    assert matcher.parts("haustür") == ("haus", "tür")
    assert matcher.parts("haus") == ("haus",)
    assert "text=text@" in matcher.describe()


def test_pieces_are_learned_and_named_in_the_signature(text, tmp_path):
    first, again = (SubwordMatcher.make(_context("sw"), text=text) for _ in range(2))
    assert first.describe() == again.describe()
    assert "".join(first.parts("haustüren")) == "haustüren"
    assert {"haus", "tür"} <= set(first.parts("haustür")) | {*first.parts("haus"), *first.parts("tür")}
    other = tmp_path / "other"
    other.write_text("something else\n" * 3)
    assert SubwordMatcher.make(_context("sw"), text=str(other)).describe() != first.describe()
    copy = pickle.loads(pickle.dumps(first))
    assert list(copy.parts("haustür")) == list(first.parts("haustür"))


def test_a_model_is_read(text, tmp_path):
    learned = SubwordMatcher.make(_context("sw"), text=text)
    path = tmp_path / "pieces.json"
    path.write_text(learned._tokenizer.to_str(), "utf-8")
    read = SubwordMatcher.make(_context("sw"), model=str(path))
    assert list(read.parts("haustür")) == list(learned.parts("haustür"))
    assert "model=pieces.json@" in read.describe()
    with pytest.raises(ConfigError, match="not both"):
        SubwordMatcher.make(_context("sw"), model=str(path), text=text)


UNIGRAM = {"type": "Unigram", "vocab": [["\u2581haus", -1.0], ["t\u00fcr", -1.5], ["\u2581", -2.0], ["e", -3.0]]}


def test_a_unigram_model_is_read(tmp_path):
    path = tmp_path / "unigram.json"
    path.write_text(json.dumps({"model": UNIGRAM, "normalizer": {"type": "none of ours"}}))
    matcher = SubwordMatcher.make(_context("sw"), model=str(path))
    assert [part for part in matcher.parts("haustürex") if part] == ["haus", "tür", "e", "x"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"\xff\0",
        b"[" * 100_000,
        *(
            json.dumps({"model": model}).encode()
            for model in (
                {"type": "BPE"},
                {"type": "BPE", "vocab": {"a": -1}, "merges": []},
                {"type": "BPE", "vocab": {"a": 1}, "merges": [["a", "b"]]},
                {"type": "BPE", "vocab": {"a": 1}, "merges": ["a"]},
                {"type": "BPE", "vocab": {"\u0120a": 1}, "merges": []},
                {"type": "WordPiece", "vocab": {}},
            )
        ),
    ],
)
def test_broken_models(content, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not a tokenizer\.json"):
        SubwordMatcher.make(_context("sw"), model=str(path))


@pytest.mark.parametrize("matcher", [CompoundMatcher, SubwordMatcher])
def test_words_that_cannot_be_had(matcher, tmp_path):
    with pytest.raises(ResourceError, match="give a text"):
        matcher.make(_context("sw"))
    with pytest.raises(InputError, match="cannot read"):
        matcher.make(_context("sw"), text=str(tmp_path / "nothing"))
    empty = tmp_path / "empty"
    empty.write_text("")
    assert list(matcher.make(_context("sw"), text=str(empty)).pieces(Token("ab"))) in (
        [("a", 0), ("b", 0)],
        [("ab", 0), ("ab", 1)],
    )


@pytest.mark.parametrize("matcher", ["compound", "diacritics", "subword", "transliteration"])
def test_huge_words(matcher, text):
    own = {"use": matcher, **({"text": text} if matcher in ("compound", "subword") else {})}
    meteor = Meteor("de", matchers=["exact", own], normalization="none", pack="none")
    long = "Haustür" * 150_000
    assert meteor.score(long, f"{long} x").score > 0
    assert 0 <= meteor.score(f"{long}en", "e\u0301\u0323" * 300_000).score <= 1


@pytest.mark.parametrize("matcher", ["compound", "diacritics", "subword", "transliteration"])
def test_both_engines_agree(matcher, text):
    own = {"use": matcher, **({"text": text} if matcher in ("compound", "subword") else {})}
    draw = random.Random(1)
    segments = [" ".join(draw.choices(WORDS, k=draw.randint(0, 12))) for _ in range(80)]
    found = []
    for engine in ("native", "python"):
        meteor = Meteor("de", matchers=["exact", own, "ngram"], normalization="none", pack="none")
        if engine == "native" and meteor.engine != "native":
            pytest.skip("there is no native core")
        meteor.engine = engine
        found.append([score.statistics for score in meteor.segments(segments, segments[7:] + segments[:7])])
    assert found[0] == found[1]


def _context(code):
    from meteor_e.chains.lookup import find_language
    from meteor_e.testing.report import default_context

    return default_context()._replace(language=find_language(code))
