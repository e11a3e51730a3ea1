"""Tests of the matcher ``wordnet`` with a tiny WordNet in the layouts of nltk and Debian, and with real data."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import zipfile

import meteor_e_languages.plugin
import pytest
import tiny_wordnet
from meteor_e_languages.wordnet import sources
from meteor_e_languages.wordnet.matcher import WordnetMatcher
from meteor_e_languages.wordnet.morphology import base_forms

from meteor_e import ConfigError, InputError, Meteor, ResourceError, Token
from meteor_e.api import MatcherContext
from meteor_e.languages.files import builtin_language
from meteor_e.packs.resources import LanguageResources
from meteor_e.testing import check_matcher, check_plugin


@pytest.fixture(autouse=True)
def _isolate_from_installed_wordnets(tmp_path, monkeypatch):
    """Hide installed wordnets, and use a temporary folder as cache."""
    monkeypatch.setattr(sources, "DEBIAN", tmp_path / "debian")
    monkeypatch.setattr(sources, "nltk_folders", lambda: [tmp_path / "nltk"])
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def debian_synsets(tmp_path):
    """Write a tiny WordNet as Debian installs it, without lexnames and index.sense; return the ids of its synsets."""
    return tiny_wordnet.write(tmp_path / "debian")


def make_context(code="en", explicit=True):
    """Return the context in which a chain for a language creates its matchers."""
    return MatcherContext(builtin_language(code), LanguageResources(), explicit)


def make_matcher(code="en", **options):
    return WordnetMatcher.make(make_context(code), **options)


def match(matcher, first, second):
    """Return whether two words match, and check that the order of the words does not matter."""
    first_token, second_token = (word if isinstance(word, Token) else Token(word) for word in (first, second))
    is_match = bool(list(matcher.match([first_token], [second_token])))
    assert bool(list(matcher.match([second_token], [first_token]))) == is_match
    return is_match


def test_matcher_passes_interface_checks(debian_synsets):
    check_plugin(meteor_e_languages.plugin)
    check_matcher(WordnetMatcher, tokens=["car", "auto", "bought", "purchases", "oxen"])
    check_matcher(WordnetMatcher, tokens=["cat", "animals"], relations=["hypernyms"], depth=2)


def test_matcher_matches_synonyms_and_base_forms(debian_synsets):
    matcher = make_matcher()
    assert match(matcher, "car", "automobile")
    assert match(matcher, "cars", "autos")
    assert match(matcher, "bought", "purchased")
    assert match(matcher, "oxen", "kerbau")
    assert match(matcher, "boxes", "boxful")
    assert match(matcher, "good", "well")  # "good" is also an adverb.
    assert match(matcher, "better", "wells") is False
    assert match(matcher, "dog", "animal") is False
    assert match(matcher, Token("xyz", lemma="car"), "auto")
    assert matcher.keys(Token("nowhere")) == set()


def test_matcher_matches_hypernyms_up_to_a_depth(debian_synsets):
    matcher = make_matcher(relations=["synonyms", "hypernyms"])
    assert match(matcher, "dog", "beasts")
    assert match(matcher, "car", "auto")
    assert match(matcher, "dog", "entity") is False
    assert match(matcher, "dog", "cat") is False, "words with a common hypernym must not match"
    assert match(matcher, "rex", "dog")
    matcher_of_depth_2 = make_matcher(relations=["hypernyms"], depth=2)
    assert match(matcher_of_depth_2, "dog", "entity")
    assert match(matcher_of_depth_2, "rex", "entity") is False
    assert match(matcher_of_depth_2, "car", "auto") is False, "synonyms must not match unless they are requested"


@pytest.mark.parametrize(
    ("relation", "first", "second"),
    [
        ("similar", "good", "fine"),
        ("also", "good", "fine"),
        ("entailments", "buy", "pay"),
        ("causes", "ride", "pay"),
        ("verb-groups", "buy", "ride"),
        ("derivations", "ox", "ride"),
    ],
)
def test_matcher_matches_words_of_related_synsets(debian_synsets, relation, first, second):
    assert match(make_matcher(), first, second) is False
    matcher = make_matcher(relations=["synonyms", relation])
    assert match(matcher, first, second)
    if relation == "derivations":
        assert match(matcher, "kerbau", second) is False, "derivations must not apply to synonyms of a word"


def test_signature_contains_the_options_of_the_matcher(debian_synsets):
    chain = ["exact", {"use": "wordnet", "relations": ["synonyms", "hypernyms"], "depth": 2, "weight": 0.5}]
    meteor = Meteor("en", matchers=chain, resources=LanguageResources())
    pairs = meteor.score("the dogs bought cars", ["an animal purchased autos"]).alignment.pairs()
    assert pairs == [("dogs", "animal", "wordnet"), ("bought", "purchased", "wordnet"), ("cars", "autos", "wordnet")]
    assert "wordnet=0.5(princeton@" in meteor.signature
    assert "relations=synonyms+hypernyms depth=2 parts=nvar)" in meteor.signature
    assert pickle.loads(pickle.dumps(meteor)).score("cars", ["autos"]).score > 0


# -- locations of the data ------------------------------------------------------------------------------------------


def test_matcher_finds_folders_and_zip_files_of_nltk(tmp_path):
    tiny_wordnet.write(tmp_path / "nltk" / "corpora" / "wordnet")
    assert match(make_matcher(), "car", "auto")
    archive_folder = tmp_path / "packed" / "corpora"
    archive_folder.mkdir(parents=True)
    with zipfile.ZipFile(archive_folder / "wordnet.zip", "w") as archive:
        for path in (tmp_path / "nltk" / "corpora" / "wordnet").iterdir():
            archive.write(path, f"wordnet/{path.name}")
    assert match(make_matcher(folder=str(tmp_path / "packed")), "car", "auto")


def test_matcher_reports_missing_data(tmp_path):
    with pytest.raises(ResourceError, match="there is no WordNet; get it with"):
        make_matcher()
    with pytest.raises(ResourceError, match=f"looked in {re.escape(str(tmp_path))};"):
        make_matcher(folder=str(tmp_path))
    with pytest.raises(ResourceError, match=r"no Open Multilingual WordNet of French; get it with .*omw-1\.4"):
        make_matcher("fr")
    matcher = WordnetMatcher.make(make_context(explicit=False))
    assert (matcher.keys(Token("car")), matcher.describe()) == (set(), "none")


def test_matcher_rejects_damaged_files(tmp_path, debian_synsets):
    folder = tmp_path / "debian"
    data = (folder / "data.noun").read_text(encoding="utf-8")
    (folder / "data.noun").write_text(data.replace(" n 01 entity", " n zz entity"), encoding="utf-8")
    with pytest.raises(ResourceError, match=r"WordNet in .* is damaged"):
        make_matcher()
    (folder / "data.noun").unlink()
    with pytest.raises(ResourceError, match="there is no WordNet"):
        make_matcher()


# -- other languages ----------------------------------------------------------------------------------------------


FRENCH_FILE = "wn-data-fra.tab"


def make_zip(name, content):
    """Return a ZIP archive with one file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


@pytest.fixture
def french_file(tmp_path, debian_synsets):
    """Write a French file of the Open Multilingual WordNet for the tiny WordNet, and return its path."""
    lines = [
        "# Tiny\tfra\thttp://example.org\tCC0",
        f"{debian_synsets['car']}\tfra:lemma\tvoiture",
        f"{debian_synsets['car']}\tlemma\tAuto",
        f"{debian_synsets['car']}\tfra:def\t0\tune chose",
        f"{debian_synsets['dog']}\tfra:lemma\tchien",
        f"{debian_synsets['animal']}\tfra:lemma\tbête",
        f"{debian_synsets['fine'].replace('-s', '-a')}\tfra:lemma\ttout à fait",
    ]
    path = tmp_path / FRENCH_FILE
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_matcher_reads_files_of_other_languages(french_file):
    matcher = make_matcher("fr", file=str(french_file))
    assert match(matcher, "voiture", "auto")
    assert match(matcher, "voitures", "auto") is False, (
        "the English rules for base forms must not apply to other languages"
    )
    assert match(matcher, "chien", "bête") is False
    assert matcher.describe().startswith("wn-data-fra.tab@")
    hypernym_matcher = make_matcher("fr", file=str(french_file), relations=["synonyms", "hypernyms"])
    assert match(hypernym_matcher, "chien", "bête")


@pytest.mark.parametrize(
    ("location", "encode"),
    [
        ("corpora/omw-1.4/fra/wn-data-fra.tab", bytes),
        ("corpora/extended_omw/wikt/wn-wikt-fra.tab.gz", gzip.compress),
        ("wn-data-fra.tab", bytes),
        ("corpora/omw-1.4.zip", lambda content: make_zip(f"omw-1.4/fra/{FRENCH_FILE}", content)),
    ],
)
def test_matcher_finds_files_in_the_layout_of_nltk(french_file, tmp_path, location, encode):
    file = tmp_path / "other" / location
    file.parent.mkdir(parents=True)
    file.write_bytes(encode(french_file.read_bytes()))
    assert match(make_matcher("fr", folder=str(tmp_path / "other")), "voiture", "auto")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"00001740-n\tfra:lemma\tx\n00001740\tfra:lemma\ty\n", InputError, r"tab:2: a line must contain a synset"),
        (b"00001740-n\tfra:lemma\n", InputError, r"tab:1: a line must contain"),
        (b"00001740-n\tfra:lemma\t\xff\n", InputError, r"tab, line 1: not valid UTF-8"),
        (
            b"00001740-n\tdeu:lemma\tx\n",
            ConfigError,
            r"tab:1: a word of the language 'deu', but the language of the chain is 'fra'",
        ),
        (b"# nothing\n", ResourceError, "no words"),
        (gzip.compress(b"x" * 1000, mtime=0)[:-9], ResourceError, "cannot read"),
    ],
)
def test_matcher_rejects_malformed_files_of_other_languages(tmp_path, content, error, message):
    path = tmp_path / "own.tab"
    path.write_bytes(content)
    with pytest.raises(error, match=message):
        make_matcher("fr", file=str(path))


@pytest.mark.parametrize(
    ("word", "part", "forms"),
    [
        ("churches", "n", ["church"]),
        ("ladies", "n", ["lady"]),
        ("boxesful", "n", ["boxful"]),
        ("riding", "v", ["ride", "rid"]),
        ("nicest", "a", ["nice"]),
        ("glass", "n", []),
        ("as", "n", []),
        ("quickly", "r", []),
    ],
)
def test_base_forms_follow_the_rules(word, part, forms):
    result = base_forms(word, part)
    assert set(forms) <= set(result)
    assert result == [] or forms


# -- real data ----------------------------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize(
    ("code", "word", "synonym"),
    [
        ("fr", "voiture", "automobile"),
        ("de", "auto", "wagen"),
        ("es", "coche", "automóvil"),
        ("ru", "автомобиль", "машина"),
        ("cs", "auto", "automobil"),
    ],
)
def test_matcher_finds_synonyms_in_real_wordnets(code, word, synonym, shared):
    matcher = make_matcher(code, folder=str(shared / "data" / "omw"))
    assert match(matcher, word, synonym)
    assert match(matcher, word, "xyzzy") is False
