"""Tests for stemmers. The stems must equal those of the Java program."""

from __future__ import annotations

import copy
import gzip
import lzma
import pickle
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import py_rust_stemmers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_stems import JAVA_CODES, NUMBER, compute_java_stems, format_stems, read_stems

from meteor_e import Meteor
from meteor_e.api.tokens import split_words
from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.matchers.modules import StemMatcher
from meteor_e.text.stemming import FURTHER_STEMMERS, STEMMERS, FurtherStemmer, SnowballStemmer, known_stemmers, stemmer


def test_stemmers_include_all_java_languages():
    assert set(STEMMERS) == set(JAVA_CODES)


@pytest.mark.parametrize("name", STEMMERS)
def test_stemmer_reproduces_the_stems_of_java(name):
    pairs = read_stems(name)
    assert len(pairs) > 200
    stem = stemmer(name)
    assert [(word, stem(word)) for word, _ in pairs] == pairs


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        ("danish", "vent...", "vent.."),
        ("danish", "ve\u0301\u0301", "ve\u0301"),
        ("dutch", "ème", "ème"),
        ("english", "'\U0001f600", "\U0001f600"),
        ("finnish", "22.,-22", "22.,-2"),
        ("finnish", "--", "-"),
        ("finnish", "+22", "+2"),
        ("finnish", "talaaseen", "talaas"),
        ("french", "naïvement", "naïv"),
        ("french", "contiguës", "contigu"),
        ("french", "guë", "guë"),
        ("german", "ergebnissen", "ergebniss"),
        ("german", "verhältnißes", "verhaltniss"),
        ("hungarian", "idõbõl", "idõ"),
        ("hungarian", "időből", "időből"),
        ("portuguese", "evoluça~o", "evoluçã"),
        ("portuguese", "evolución", "evolu"),
        ("russian", "перелётами", "перелёт"),
    ],
)
def test_stemmer_applies_the_rules_of_the_older_release(name, word, expected):
    """METEOR contains an older release of Snowball. Each word tests one rule of it, with the Java program's stem."""
    assert stemmer(name)(word) == expected


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        ("dutch", "ü" * 1500 + "bheden", "u" * 1500 + "bheid"),
        ("german", "Uäß" * 700 + "ybnisses", "uass" * 700 + "ybniss"),
        ("german", "ü" * 1500 + "beren", "u" * 1500 + "b"),
        ("spanish", "é" * 1500 + "bándose", "e" * 1500 + "b"),
        ("finnish", "s" * 1500 + "een", "s" * 1500 + "een"),
    ],
)
def test_stemmer_handles_long_words(name, word, expected):
    assert stemmer(name)(word) == expected


@pytest.mark.parametrize(
    ("name", "part"),
    [("dutch", "ü"), ("english", "ly"), ("finnish", "s"), ("german", "ü"), ("spanish", "é"), ("turkish", "ı")],
)
def test_stemmer_takes_linear_time(name, part):
    """A word that is four times as long must not take sixteen times as long."""
    stem = stemmer(name)

    def measure_seconds(length):
        times = []
        for _ in range(3):
            start_time = time.process_time()
            stem(part * (length // len(part)))
            times.append(time.process_time() - start_time)
        return min(times)

    assert measure_seconds(400_000) < 8 * measure_seconds(100_000)


@settings(deadline=None)
@given(
    st.sampled_from(STEMMERS),
    st.text(
        st.one_of(
            st.sampled_from("'aeiusnthH2.~\xdf\xe9\xeb\xef\u0451\u0439\u0301\ue000\ud83d\ude00\U0001f600\U00100401"),
            st.characters(exclude_categories=()),
        )
    ),
)
def test_stems_contain_no_placeholder_characters(name, word):
    """Stems do not contain the placeholder characters of the algorithms."""
    stem = stemmer(name)(word)
    supplementary_characters = {char for char in stem if char > "\uffff"}
    assert supplementary_characters <= set(word.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
    assert len(stem) <= len(word) + word.count("ß") + 1


def test_missing_rust_library_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "py_rust_stemmers", None)
    with pytest.raises(
        ResourceError, match=r"the english stemmer needs py-rust-stemmers .*; run: pip install 'py-rust"
    ):
        SnowballStemmer("english")


@pytest.mark.parametrize(
    ("name", "word", "stem"),
    [
        # These are the stems of Snowball 3.1.0, which is newer than the release in METEOR.
        ("danish", "hund'", "hund"),
        ("dutch", "taie", "taie"),
        ("english", "jying", "jie"),
        ("finnish", "vanhin", "vanh"),
        ("french", "l'ami", "ami"),
        ("german", "koennen", "konn"),
        ("italian", "l'amico", "amic"),
        ("norwegian", "jeers", "jeers"),
        ("romanian", "aş", "aș"),
        ("swedish", "malöst", "malös"),
        ("turkish", "ali'", "ali"),
    ],
)
def test_other_releases_of_the_rust_library_are_rejected(monkeypatch, name, word, stem):
    stem_word = py_rust_stemmers.SnowballStemmer(name).stem_word
    newer_stemmer = types.SimpleNamespace(stem_word=lambda text: stem if text == word else stem_word(text))
    monkeypatch.setattr(py_rust_stemmers, "SnowballStemmer", lambda _: newer_stemmer)
    with pytest.raises(ResourceError, match=f"py-rust-stemmers has .* for .* in {name}, not .* as METEOR does"):
        SnowballStemmer(name)


def test_stemmer_is_a_singleton_after_pickle_and_copy():
    stem = stemmer("german")
    assert pickle.loads(pickle.dumps(stem)) is stem
    assert copy.copy(stem) is stem
    assert copy.deepcopy(stem) is stem
    assert repr(stem) == "SnowballStemmer('german')"


def test_stemmer_is_thread_safe():
    stem = stemmer("french")
    words = [word for word, _ in read_stems("french")] * 20
    expected = [stem(word) for word in words]
    barrier = threading.Barrier(4)

    def stem_words():
        barrier.wait()
        return [stem(word) for word in words]

    with ThreadPoolExecutor(4) as threads:
        results = [threads.submit(stem_words) for _ in range(4)]
        assert all(result.result() == expected for result in results)


# Tests that run the Java program


@pytest.fixture(scope="module")
def vocabulary(shared):
    """Return the distinct words of all texts in the shared data, in original case and in lower case."""
    openers = {".gz": gzip.open, ".xz": lzma.open}
    words: set[str] = set()
    paths = sorted((shared / "golden" / "input").iterdir()) + sorted((shared / "data").rglob("*"))
    for path in paths:
        if path.is_file() and path.suffix not in (".md", ".ttl") and "judgements" not in path.parts:
            with openers.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    words.update(split_words(line))
    words.update([word.lower() for word in words])
    return sorted(word for word in words if not NUMBER.fullmatch(word))


@pytest.mark.java
@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("name", STEMMERS)
def test_stemmer_equals_java_on_a_large_vocabulary(name, java, vocabulary):
    stem = stemmer(name)
    pairs = zip(vocabulary, compute_java_stems(java.jar, name, vocabulary), strict=True)
    differences = [(word, expected) for word, expected in pairs if stem(word) != expected]
    print(f"{name}: {len(vocabulary)} word types, {len(differences)} stems differ")
    assert len(vocabulary) > 100_000
    assert differences == []


@pytest.mark.java
@pytest.mark.parametrize("name", STEMMERS)
def test_stem_files_are_up_to_date(name, java):
    pairs = read_stems(name)
    words = [word for word, _ in pairs]
    java_pairs = zip(words, compute_java_stems(java.jar, name, words), strict=True)
    assert format_stems(name, pairs) == format_stems(name, java_pairs)


# Two forms of one word, and a word with a different stem.
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


def test_stemmer_names_are_unique_and_complete():
    assert not set(STEMMERS) & set(FURTHER_STEMMERS)
    assert known_stemmers() == (*STEMMERS, *FURTHER_STEMMERS)
    assert stemmer("german") is stemmer("german")
    assert set(WORDS) == set(FURTHER_STEMMERS)


@pytest.mark.parametrize("name", WORDS)
def test_stemmer_maps_forms_of_a_word_to_one_stem(name):
    stem = stemmer(name)
    form, another_form, different_word = WORDS[name]
    assert stem(form) == stem(another_form) != stem(different_word)
    assert stem("") == ""
    assert pickle.loads(pickle.dumps(stem)) is stem


@pytest.mark.parametrize("name", FURTHER_STEMMERS)
def test_further_stemmers_accept_any_text(name):
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
def test_missing_stemmer_library_is_reported(monkeypatch, module, name, message):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ResourceError, match=message):
        FurtherStemmer(name)


def test_unknown_stemmer_error_suggests_a_name():
    with pytest.raises(ConfigError, match=r"unknown stemmer 'polisch' \(did you mean 'polish'\?\); known: danish, .*"):
        StemMatcher("polisch")


@pytest.mark.parametrize(
    ("code", "hypothesis", "reference", "signature", "matchers"),
    [
        ("pl", "Koty siedzą na oknach.", "Kot siedzi na oknie.", "stem=0.5(polish, snowballstemmer ", [1, 1, 0, 1, 0]),
        ("hi", "लड़के किताबें पढ़ते हैं।", "लड़का किताब पढ़ता है।", "stem=0.5(hindi, PyStemmer ", [1, 1, 1, None, 0]),
    ],
)
def test_meteor_matches_stems_in_polish_and_hindi(code, hypothesis, reference, signature, matchers):
    meteor = Meteor(code, matchers=["exact", "stem"])
    assert signature in meteor.signature
    alignment = meteor.align(hypothesis, reference)
    matcher_by_position = {match.reference_start: match.matcher for match in alignment.matches}
    assert [matcher_by_position.get(position) for position in range(len(matchers))] == matchers
    assert meteor.score(hypothesis, reference).score > Meteor(code).score(hypothesis, reference).score


LEMMAS = "коти\tNOUN\tкіт\nсидять\tVERB\tсидіти\nсидить\tVERB\tсидіти\nвікнах\tNOUN\tвікно\nвікні\tNOUN\tвікно\n"


def test_meteor_matches_lemmas(tmp_path):
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


def test_lemma_matcher_requires_a_lemmatizer():
    for lemmatizer in (None, "none"):
        with pytest.raises(ConfigError, match=r"matcher 'lemma' needs lemmas, and the chain has no lemmatizer"):
            Meteor("other", matchers=["exact", "lemma"], lemmatizer=lemmatizer)
