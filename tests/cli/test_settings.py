"""``--set``: options of a chain's matchers and lemmatizer from the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from meteor_e.base.errors import ConfigError
from meteor_e.chains.settings import apply_settings, chain_with_paths
from meteor_e.cli.options import parse_fields, parse_settings
from meteor_e.plugins.registry import plugin_registry


def test_values_are_those_of_yaml():
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
        *(
            ([text], r"is not of the form KEY=VALUE or MATCHER\.OPTION=VALUE")
            for text in ("stem", ".x=1", "stem.=1", "x")
        ),
        (["normalisation=none"], r"no key 'normalisation' \(did you mean 'normalization'\?\)"),
        (["a.b=1", "a.b=2"], r"--set a\.b is given twice"),
    ],
)
def test_invalid_settings_are_refused(texts, message):
    with pytest.raises(ConfigError, match=message):
        parse_settings(texts)


def test_chain_of_the_language_is_the_default():
    changed = apply_settings(None, {"language": "de"}, {"stem": {"stemmer": "english"}})
    assert changed["matchers"] == [
        {"use": "exact", "weight": 1.0, "optional": True},
        {"use": "stem", "weight": 0.8, "optional": True, "stemmer": "english"},
        {"use": "paraphrase", "weight": 0.2, "optional": True},
    ]
    assert "lemmatizer" not in changed
    with pytest.raises(ConfigError, match="the chain has no lemmatizer"):
        apply_settings(None, {"language": "de"}, {"lemmatizer": {"file": "a.tsv"}})
    named = apply_settings(None, {"language": "de"}, {"lemmatizer": {"use": "lookup", "file": "/a.tsv"}})
    assert named["lemmatizer"] == {"use": "lookup", "file": "/a.tsv"}


def test_chain_file_is_used(tmp_path):
    file = tmp_path / "chain.yaml"
    file.write_text("matchers: [exact, {use: stem, stemmer: german}]\nlemmatizer: {use: lookup, file: a.tsv}\n")
    changed = apply_settings(str(file), {}, {"stem": {"stemmer": "french"}, "lemmatizer": {"file": "/b.tsv"}})
    assert changed == {
        "matchers": [{"use": "exact"}, {"use": "stem", "stemmer": "french"}],
        "lemmatizer": {"use": "lookup", "file": "/b.tsv"},
    }
    other = apply_settings(str(file), {}, {"lemmatizer": {"use": "own", "speed": 3}})
    assert other["lemmatizer"] == {"use": "own", "speed": 3}
    replaced = apply_settings(str(file), {"matchers": ["exact"]}, {"exact": {"x": 1}})
    assert replaced["matchers"] == [{"use": "exact", "x": 1}]


def test_paths_are_seen_from_the_working_folder(tmp_path, monkeypatch):
    """Settings can add options that the chain does not set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/u")
    for path, wanted in (("x/y.tsv", tmp_path / "x" / "y.tsv"), ("~/y.tsv", Path("/home/u/y.tsv"))):
        given = parse_settings([f"lemmatizer.file={path}"])[1]
        for chain in ({"lemmatizer": "lookup"}, {"matchers": ["exact"], "lemmatizer": "lookup"}):
            changed = apply_settings(None, {"language": "de", **chain}, given)
            assert changed["lemmatizer"] == {"use": "lookup", "file": str(wanted)}


def test_settings_of_missing_matchers_are_refused():
    with pytest.raises(ConfigError, match=r"stme\.x: the chain has no matcher 'stme' \(did you mean 'stem'\?\)"):
        apply_settings("meteor-1.5-en", {}, {"stme": {"x": 1}})
    with pytest.raises(ConfigError, match=r"the chain has no lemmatizer; also name a lemmatizer"):
        apply_settings("meteor-1.5-en", {}, {"lemmatizer": {"file": "x"}})


@dataclass(frozen=True)
class Fields:
    count: int = 2
    share: float = 0.5
    folder: Path | None = None


def test_fields_of_a_dataclass():
    assert parse_fields(["count=3"], Fields) == [Fields(count=3)]
    for texts, message in (
        (["cuont=3"], "did you mean 'count'"),
        (["count=many"], "Expected `int`"),
        (["folder=x"], "the keys: count, share"),
        (["count=1", "count=2"], "given twice"),
    ):
        with pytest.raises(ConfigError, match=message):
            parse_fields(texts, Fields)


def test_paths_of_a_chain_are_changed_where_they_are():
    entry = {"use": "lookup", "file": "a.tsv", "weight": 1}
    chain = {"language": "de", "matchers": ["exact", {"use": "stem", "stemmer": "german"}], "lemmatizer": entry}
    changed = chain_with_paths({**chain, "idf": "idf.tsv", "beam": 7}, "/x/".__add__, plugin_registry())
    assert changed == {**chain, "idf": "/x/idf.tsv", "beam": 7, "lemmatizer": {**entry, "file": "/x/a.tsv"}}
    assert chain_with_paths({"lemmatizer": "lookup"}, str.upper, plugin_registry()) == {"lemmatizer": "lookup"}
