"""Tests of the option ``--set``, which changes keys of a chain and options of its matchers and its lemmatizer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from meteor_e.base.errors import ConfigError
from meteor_e.chains.settings import apply_settings, replace_chain_paths
from meteor_e.cli.options import parse_fields, parse_settings
from meteor_e.plugins.registry import plugin_registry

INVALID_FORM = r"is not of the form KEY=VALUE or MATCHER\.OPTION=VALUE"


def test_parse_settings_reads_values_as_yaml():
    texts = ["stem.stemmer=german", "a.b=0.5", "a.c=true", "a.file=x/y", "lemmatizer.use=lookup", "a.d=a=b"]
    keys, options = parse_settings([*texts, "alpha=.5", "beta=1", "beam=7", "lemmatizer=lookup"])
    assert keys == {"parameters": {"alpha": 0.5, "beta": 1}, "beam": 7, "lemmatizer": "lookup"}
    assert options == {
        "stem": {"stemmer": "german"},
        "a": {"b": 0.5, "c": True, "file": "x/y", "d": "a=b"},
        "lemmatizer": {"use": "lookup"},
    }


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["stem"], INVALID_FORM),
        ([".x=1"], INVALID_FORM),
        (["stem.=1"], INVALID_FORM),
        (["x"], INVALID_FORM),
        (["normalisation=none"], r"no key 'normalisation' \(did you mean 'normalization'\?\)"),
        (["a.b=1", "a.b=2"], r"--set a\.b is given twice"),
    ],
)
def test_parse_settings_rejects_invalid_settings(texts, message):
    with pytest.raises(ConfigError, match=message):
        parse_settings(texts)


def test_apply_settings_starts_from_the_chain_of_the_language():
    chain = apply_settings(None, {"language": "de"}, {"stem": {"stemmer": "english"}})
    assert chain["matchers"] == [
        {"use": "exact", "weight": 1.0, "optional": True},
        {"use": "stem", "weight": 0.8, "optional": True, "stemmer": "english"},
        {"use": "paraphrase", "weight": 0.2, "optional": True},
    ]
    assert "lemmatizer" not in chain
    with pytest.raises(ConfigError, match="the chain has no lemmatizer"):
        apply_settings(None, {"language": "de"}, {"lemmatizer": {"file": "a.tsv"}})
    chain = apply_settings(None, {"language": "de"}, {"lemmatizer": {"use": "lookup", "file": "/a.tsv"}})
    assert chain["lemmatizer"] == {"use": "lookup", "file": "/a.tsv"}


def test_apply_settings_changes_a_chain_file(tmp_path):
    path = tmp_path / "chain.yaml"
    path.write_text("matchers: [exact, {use: stem, stemmer: german}]\nlemmatizer: {use: lookup, file: a.tsv}\n")
    chain = apply_settings(str(path), {}, {"stem": {"stemmer": "french"}, "lemmatizer": {"file": "/b.tsv"}})
    assert chain == {
        "matchers": [{"use": "exact"}, {"use": "stem", "stemmer": "french"}],
        "lemmatizer": {"use": "lookup", "file": "/b.tsv"},
    }
    # Another lemmatizer replaces the lemmatizer of the file together with its options.
    chain = apply_settings(str(path), {}, {"lemmatizer": {"use": "own", "speed": 3}})
    assert chain["lemmatizer"] == {"use": "own", "speed": 3}
    chain = apply_settings(str(path), {"matchers": ["exact"]}, {"exact": {"x": 1}})
    assert chain["matchers"] == [{"use": "exact", "x": 1}]


def test_apply_settings_resolves_paths_from_the_working_folder(tmp_path, monkeypatch):
    """The chains do not contain the option ``file``, so the test also shows that settings can add options."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/u")
    for path, expected_path in (("x/y.tsv", tmp_path / "x" / "y.tsv"), ("~/y.tsv", Path("/home/u/y.tsv"))):
        _, options = parse_settings([f"lemmatizer.file={path}"])
        for keys in ({"lemmatizer": "lookup"}, {"matchers": ["exact"], "lemmatizer": "lookup"}):
            chain = apply_settings(None, {"language": "de", **keys}, options)
            assert chain["lemmatizer"] == {"use": "lookup", "file": str(expected_path)}


def test_apply_settings_rejects_missing_matchers_and_lemmatizers():
    with pytest.raises(ConfigError, match=r"stme\.x: the chain has no matcher 'stme' \(did you mean 'stem'\?\)"):
        apply_settings("meteor-1.5-en", {}, {"stme": {"x": 1}})
    with pytest.raises(ConfigError, match=r"the chain has no lemmatizer; also name a lemmatizer"):
        apply_settings("meteor-1.5-en", {}, {"lemmatizer": {"file": "x"}})


@dataclass(frozen=True)
class Fields:
    """A dataclass whose fields ``count`` and ``share`` can be set on the command line."""

    count: int = 2
    share: float = 0.5
    folder: Path | None = None


def test_parse_fields_returns_a_dataclass_or_an_error():
    assert parse_fields(["count=3"], Fields) == [Fields(count=3)]
    for texts, message in (
        (["cuont=3"], "did you mean 'count'"),
        (["count=many"], "Expected `int`"),
        (["folder=x"], "the keys: count, share"),
        (["count=1", "count=2"], "given twice"),
    ):
        with pytest.raises(ConfigError, match=message):
            parse_fields(texts, Fields)


def test_replace_chain_paths_changes_only_paths():
    lemmatizer = {"use": "lookup", "file": "a.tsv", "weight": 1}
    chain = {"language": "de", "matchers": ["exact", {"use": "stem", "stemmer": "german"}], "lemmatizer": lemmatizer}
    # The function prepends a folder to each path.
    new_chain = replace_chain_paths({**chain, "idf": "idf.tsv", "beam": 7}, "/x/".__add__, plugin_registry())
    assert new_chain == {**chain, "idf": "/x/idf.tsv", "beam": 7, "lemmatizer": {**lemmatizer, "file": "/x/a.tsv"}}
    assert replace_chain_paths({"lemmatizer": "lookup"}, str.upper, plugin_registry()) == {"lemmatizer": "lookup"}
