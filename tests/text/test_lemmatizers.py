"""Tests for lemmatizers: lookup tables, caching and invalid results."""

from __future__ import annotations

import gzip
import hashlib
import pickle

import pytest

from meteor_e import Meteor
from meteor_e.api import lemmatizers
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, InputError, PluginError, ResourceError
from meteor_e.testing import check_component
from meteor_e.testing.report import default_context
from meteor_e.text.lemmatizers import LookupLemmatizer, NoLemmatizer

TABLE = "boats\tNOUN\tboat\n#\tX\t#\nmice\t\tmouse\nodd\tADJ\t\nmice\tNOUN\tmouse\n"


@pytest.fixture
def table(tmp_path):
    """Return the path of a file with TABLE."""
    file = tmp_path / "own.lemmas.tsv"
    file.write_text(TABLE, encoding="utf-8")
    return file


class RecordingLemmatizer(Lemmatizer):
    """A lemmatizer that records the words of each call."""

    name = "counting"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def lemmatize(self, words):
        self.calls.append(list(words))
        return [(word[:2], "X") for word in words]


class RecordingSentenceLemmatizer(RecordingLemmatizer):
    """A sentence lemmatizer that records the words of each call. A lemma depends on the position of its word."""

    name = "counting-sentences"
    scope = "sentence"

    def lemmatize(self, words):
        self.calls.append(list(words))
        return [(f"{word}{position}", None) for position, word in enumerate(words)]


def test_lookup_returns_tags_and_lemmas(table):
    lemmatizer = LookupLemmatizer.make(default_context(), file=str(table))
    assert lemmatizer.analyze(["two", "boats", "#", "mice", "odd", "boats"]) == [
        Token("two", "two", None),
        Token("boats", "boat", "NOUN"),
        Token("#", "#", "X"),
        Token("mice", "mouse", "NOUN"),
        Token("odd", "odd", "ADJ"),
        Token("boats", "boat", "NOUN"),
    ]
    assert lemmatizer.analyze([]) == []
    digest = hashlib.sha256(TABLE.encode()).hexdigest()[:12]
    assert lemmatizer.describe() == f"own.lemmas.tsv@{digest}"
    check_component(LookupLemmatizer, file=str(table))


def test_lookup_rejects_tables_of_another_language(table):
    entry = {"use": "lookup", "file": str(table), "language": "fr"}
    with pytest.raises(ConfigError, match="'lookup': the lemmas are of 'fr', and the chain is for 'no'"):
        Meteor("no", matchers=["exact", "lemma"], lemmatizer=entry)
    Meteor("other", matchers=["exact", "lemma"], lemmatizer=entry)
    Meteor("no", matchers=["exact", "lemma"], lemmatizer={**entry, "language": "no"})


@pytest.mark.parametrize(
    "content",
    [TABLE.encode("utf-8-sig"), TABLE.replace("\n", "\r\n").encode(), TABLE.rstrip("\n").encode()],
    ids=["BOM", "CRLF", "no newline at the end"],
)
def test_lookup_accepts_bom_crlf_and_missing_newline(tmp_path, content):
    file = tmp_path / "table"
    file.write_bytes(content)
    assert LookupLemmatizer.make(file=str(file)).analyze(["mice", "boats"]) == [
        Token("mice", "mouse", "NOUN"),
        Token("boats", "boat", "NOUN"),
    ]


def test_lookup_reads_gzip_files(tmp_path, table):
    file = tmp_path / "table.gz"
    file.write_bytes(gzip.compress(TABLE.encode()))
    assert LookupLemmatizer.make(file=str(file)).analyze(["boats"]) == [Token("boats", "boat", "NOUN")]
    file.write_bytes(gzip.compress(TABLE.encode())[:-9])
    with pytest.raises(ResourceError, match=r"table\.gz' cannot be read"):
        LookupLemmatizer.make(file=str(file))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"boats\tNOUN\tboat\nmice\tmouse\n", "table:2: 2 fields; a line is word, tag and lemma"),
        (b"boats\tNOUN\tboat\n\n\tNOUN\tx\n", "table:3: "),
        (b"a\tb\tc\td\n", "table:1: "),
        (b"a\tb\tc\n\xff\tb\tc\n", "table:2: not UTF-8"),
    ],
)
def test_lookup_locates_invalid_lines(tmp_path, content, message):
    file = tmp_path / "table"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        LookupLemmatizer.make(file=str(file))


def test_lookup_requires_an_existing_file(tmp_path):
    context = default_context()
    with pytest.raises(ResourceError, match=r"nothing\.tsv' cannot be read: No such file"):
        LookupLemmatizer.make(context, file=str(tmp_path / "nothing.tsv"))
    with pytest.raises(ConfigError, match="'lookup': the option 'file' is missing"):
        LookupLemmatizer.make(context)
    with pytest.raises(ConfigError, match=r"'lookup': fille: unknown option \(did you mean 'file'\?\)"):
        LookupLemmatizer.make(context, fille="x")


def test_no_lemmatizer_returns_tokens_without_lemmas():
    assert NoLemmatizer().analyze(["a", "b"]) == [Token("a"), Token("b")]
    check_component(NoLemmatizer)
    with pytest.raises(ConfigError, match="'none' has no option 'file'; it has no options"):
        NoLemmatizer.make(default_context(), file="x")


def test_lemmatizer_caches_words():
    lemmatizer = RecordingLemmatizer()
    assert lemmatizer.analyze(["a", "b", "a"]) == [Token("a", "a", "X"), Token("b", "b", "X"), Token("a", "a", "X")]
    lemmatizer.analyze(["b", "c"])
    lemmatizer.analyze(["c", "a"])
    assert lemmatizer.calls == [["a", "b"], ["c"]]


def test_sentence_lemmatizer_caches_sentences():
    lemmatizer = RecordingSentenceLemmatizer()
    first = lemmatizer.analyze(["a", "b", "a"])
    assert [token.lemma for token in first] == ["a0", "b1", "a2"]
    first.clear()  # Changing the result must not change the cache.
    assert [token.lemma for token in lemmatizer.analyze(["a", "b", "a"])] == ["a0", "b1", "a2"]
    lemmatizer.analyze(["b", "a"])
    assert lemmatizer.calls == [["a", "b", "a"], ["b", "a"]]


@pytest.mark.parametrize("cls", [RecordingLemmatizer, RecordingSentenceLemmatizer])
def test_lemmatizer_caches_are_bounded_and_not_pickled(cls, monkeypatch):
    monkeypatch.setattr(lemmatizers, "WORD_LIMIT", 4)
    monkeypatch.setattr(lemmatizers, "SENTENCE_LIMIT", 4)
    lemmatizer = cls()
    for i in range(50):
        tokens = lemmatizer.analyze([f"w{i}", "x"])
        assert [token.form for token in tokens] == [f"w{i}", "x"]
    caches = [value for name, value in vars(lemmatizer).items() if name.endswith("_cache")]
    assert len(caches) == 1
    assert len(caches[0]) <= 4
    copy = vars(pickle.loads(pickle.dumps(lemmatizer)))
    assert not any(value for name, value in copy.items() if name.endswith("_cache"))


def test_lemmatizer_with_missing_lemmas_is_reported():
    class IncompleteLemmatizer(RecordingLemmatizer):
        def lemmatize(self, words):
            return super().lemmatize(words)[1:]

    with pytest.raises(PluginError, match="'counting' returned 1 lemmas for 2 words"):
        IncompleteLemmatizer().analyze(["a", "b"])
