"""Tests for loading and resolving chains: files, names, mappings and keyword arguments."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from meteor_e import Meteor
from meteor_e.api.languages import Normalization
from meteor_e.base.errors import ConfigError, MeteorWarning
from meteor_e.chains.chain import resolve
from meteor_e.chains.checks import check_chain
from meteor_e.chains.config import ChainConfig, ChainEntry, load_chain
from meteor_e.plugins.registry import plugin_registry

ROOT = Path(__file__).parents[2]
CHAINS = sorted(file.stem for file in (ROOT / "resources" / "chains").glob("*.yaml"))

CHAIN_WITH_ALL_KEYS = """\
name: mine
description: all of it
language: de
task: rank
normalization: no-punctuation
parameters: {alpha: 1, beta: 0.5}
matchers:
  - exact
  - {use: stem, weight: 1, stemmer: english}
  - use: paraphrase
    optional: true
beam: 5
character_mode: true
pack: de
lemmatizer: {use: lookup, file: lemmas.tsv}
"""


@pytest.fixture
def write_chain(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write_file(text: str, name: str = "chain.yaml") -> Path:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    return write_file


def test_load_chain_reads_all_keys(write_chain):
    file = write_chain(CHAIN_WITH_ALL_KEYS)
    chain = load_chain(file)
    assert chain == ChainConfig(
        language="de",
        task="rank",
        parameters={"alpha": 1.0, "beta": 0.5},
        normalization=Normalization.NO_PUNCTUATION,
        matchers=(
            ChainEntry("exact", location=f"{file}:8"),
            ChainEntry("stem", 1.0, {"stemmer": "english"}, f"{file}:9"),
            ChainEntry("paraphrase", None, {}, f"{file}:10", optional=True),
        ),
        beam=5,
        character_mode=True,
        pack="de",
        lemmatizer=ChainEntry("lookup", None, {"file": "lemmas.tsv"}, f"{file}:15"),
        name="mine",
        description="all of it",
    )
    assert all(type(value) is float for value in chain.parameters.values())
    assert chain.locations["beam"] == f"{file}:12: beam"


def test_load_chain_accepts_empty_chains(write_chain):
    assert load_chain({}) == ChainConfig()
    assert load_chain(write_chain("{}")) == ChainConfig(name="chain")


def test_load_chain_accepts_a_mapping():
    chain = load_chain({"matchers": ["exact", {"use": "stem", "file": "x"}], "pack": "./p", "parameters": {"beta": 1}})
    assert chain.matchers == (ChainEntry("exact"), ChainEntry("stem", None, {"file": "x"}))
    assert (chain.pack, chain.parameters, chain.locations) == ("./p", {"beta": 1.0}, {})


def test_lemmatizer_none_disables_lemmatization():
    assert load_chain({"lemmatizer": "none"}).lemmatizer is None
    assert load_chain({"lemmatizer": {"use": "none"}}).lemmatizer is None
    assert load_chain({"lemmatizer": "lookup"}).lemmatizer == ChainEntry("lookup")


TABLE_PLUGIN = """
    from meteor_e.api import ComponentOptions, FilePath, KeyMatcher, hookimpl

    class Table(KeyMatcher):
        '''Looks into files.'''

        name = "table"

        class Options(ComponentOptions):
            file: FilePath
            models: list[FilePath] = []
            data: FilePath | None = None
            several: FilePath | list[FilePath] | None = None
            profile: str = ""
            path: str = ""

        def keys(self, token):
            return ()

    @hookimpl
    def meteor_e_matchers():
        return [Table]
"""


def test_paths_are_relative_to_the_chain_file(write_chain, tmp_path, monkeypatch, plugin_site):
    """The type of an option, and not its name, decides whether its value is a path."""
    plugin_site.add("tables", TABLE_PLUGIN)
    monkeypatch.setenv("HOME", "/home/u")
    file = write_chain("""\
language: other
pack: packs/xx
matchers:
  - {use: table, file: x.tsv, models: [a, /b], data: ~/c, several: ../d, profile: x, path: p.bin}
lemmatizer: {use: lookup, file: l.tsv}
""")
    config = load_chain(file)
    assert load_chain(write_chain("language: ./xx.yaml")).language == str(tmp_path / "xx.yaml")
    assert config.pack == str(tmp_path / "packs" / "xx")
    chain = resolve(config, plugin_site.registry())
    assert chain.matchers[0].options == {
        "file": str(tmp_path / "x.tsv"),
        "models": [str(tmp_path / "a"), "/b"],
        "data": "/home/u/c",
        "several": str(tmp_path / ".." / "d"),
        "profile": "x",
        "path": "p.bin",
    }
    assert chain.lemmatizer.options == {"file": str(tmp_path / "l.tsv")}


@pytest.mark.parametrize("key", ["pack", "function_words"])
def test_resolve_rejects_empty_pack_names(key):
    """An unset shell variable results in an empty name, which must not select the default pack."""
    with pytest.raises(ConfigError, match="the name of a pack is empty"):
        resolve(ChainConfig(language="other", **{key: ""}), plugin_registry())


PLUGIN_CHAINS = {"baseline-vector", "dbnary", "dbnary-vector", "vector"}
"""Chains whose matchers come from plugins. The tests of these plugins test the chains."""


@pytest.mark.parametrize("name", CHAINS)
def test_builtin_chains_have_name_and_description(name):
    chain = load_chain(name)
    assert chain.name == name
    assert chain.description


@pytest.mark.parametrize("name", [name for name in CHAINS if name not in PLUGIN_CHAINS])
def test_builtin_chains_resolve(name):
    assert resolve(load_chain(name), plugin_registry()).matchers


def test_chain_meteor_1_5_en_equals_the_default_chain():
    settings = resolve(load_chain("meteor-1.5-en"), plugin_registry()).effective()
    default_settings = resolve(ChainConfig(), plugin_registry()).effective()
    for entry in default_settings["matchers"]:
        entry.pop("optional")
    assert settings == default_settings


def test_load_chain_prefers_chain_names_to_files(write_chain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_chain("language: de", "adq")
    write_chain("language: fr", "mine")
    write_chain("language: es", "mine.yaml")
    with pytest.warns(
        MeteorWarning, match=r"'adq' is the name of a chain and of a file; the chain is used\. .* \./adq"
    ):
        assert load_chain("adq").language == "en"
    assert load_chain("./adq").language == "de"
    assert load_chain(Path("adq")).language == "de"
    assert load_chain("mine").language == "fr"
    assert load_chain("mine.yaml").language == "es"


def test_load_chain_rejects_unknown_names():
    with pytest.raises(ConfigError, match=r"there is no chain 'htre' \(did you mean 'hter'\?\); the chains: adq, "):
        load_chain("htre")
    with pytest.raises(ConfigError, match=r"^nowhere/x\.yaml: cannot be read: No such file"):
        load_chain("nowhere/x.yaml")


def test_keyword_errors_name_the_key_without_a_file():
    with pytest.raises(ConfigError, match=r"^parameters\.alpah: unknown key \(did you mean 'alpha'\?\)$"):
        Meteor("other", parameters={"alpah": 0.5})
    with pytest.raises(ConfigError, match=r"^beem: unknown key \(did you mean 'beam'\?\)$"):
        Meteor.from_config("exact", beem=3)


def test_from_config_arguments_override_the_file(write_chain):
    file = write_chain("language: en\ntask: li\nbeam: 3\nmatchers: [exact]")
    meteor = Meteor.from_config(file, language="other", beam=7, normalization="none")
    assert (meteor.chain.language.code, meteor.chain.beam) == ("other", 7)
    assert meteor.chain.normalization is Normalization.NONE
    assert [entry.name for entry in meteor.chain.matchers] == ["exact"]
    # The message does not mention the file, because the argument replaces the value in the file.
    with pytest.raises(ConfigError, match=r"^language 'other' has no task 'rnak'"):
        Meteor.from_config(file, language="other", task="rnak")
    write_chain("language: en\ntask: rank\nmatchers: [exact]")
    with pytest.raises(ConfigError, match=f"^{re.escape(str(file))}:2: task: "):
        Meteor.from_config(file, language="other")


def test_chain_accepts_the_path_of_a_language_file(write_chain):
    write_chain("code: xx\nname: X\nmatchers: [exact]\ndefault_task: li\n", "xx.yaml")
    file = write_chain("language: ./xx.yaml\nmatchers: [exact]")
    meteor = Meteor.from_config(file)
    assert meteor.chain.language.code == "xx"
    assert meteor.score("a b", "a b").score == 1.0
    write_chain("code: xx\n", "xx.yaml")
    with pytest.raises(ConfigError, match=r"chain\.yaml:1: language: .*xx\.yaml: the key 'name' is missing"):
        Meteor.from_config(file)


def read_code_blocks(name: str, language: str) -> list[str]:
    """Return the code blocks in a language from a page of the documentation."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    return blocks


@pytest.mark.parametrize("text", read_code_blocks("chains.md", "yaml"))
def test_chains_in_the_documentation_are_valid(write_chain, text):
    write_chain("word\tNOUN\tlemma\n", "lemmas.tsv")
    # Check only the definition, because the packs may not be installed.
    assert check_chain(write_chain(text), plugin_registry()).matchers


def test_meteor_rejects_packs_of_another_language(own_packs):
    """The language of the pack must be that of the chain, unless the chain's language is ``other``."""
    with pytest.raises(ConfigError, match="the pack 'en' is of 'en', and the chain is for 'de'"):
        Meteor("de", matchers=["exact"], pack="en")
    Meteor("en", matchers=["exact"], pack="en")
    Meteor("other", matchers=["exact"], pack="en")


def test_language_file_determines_the_default_matchers(tmp_path):
    """The default task of this language is a shared task with weights only for exact and paraphrase."""
    file = tmp_path / "xo.yaml"
    text = "code: xo\nname: Own\nstemmer: esperanto\nmatchers: [exact, stem]\ndefault_task: universal\n"
    file.write_text(text, encoding="utf-8")
    meteor = Meteor(str(file))
    assert meteor.matcher_names == ("exact", "stem")
    assert meteor.score("bona hundo", "bonaj hundoj").score > 0
    assert Meteor(str(file), task="li").matcher_names == ("exact", "stem")
    assert Meteor("en", task="universal", matchers=None).chain.parameters.weights == (1.0, 0.6)


def test_misplaced_parameter_error_suggests_parameters():
    with pytest.raises(ConfigError, match=r"use parameters=\{'alpha': 0.2\}"):
        Meteor("other", alpha=0.2)


@pytest.mark.parametrize("source", [None, 3, [], b"chain"])
def test_from_config_rejects_other_source_types(source):
    with pytest.raises(ConfigError, match="a chain must be a path, a name or a mapping, not"):
        Meteor.from_config(source)


@pytest.mark.parametrize("weight", [-1.0, 1e7, 1e308])
def test_weights_outside_the_valid_range_are_rejected(weight):
    entry = {"use": "exact", "weight": weight}
    with pytest.raises(ConfigError, match="weight: must be a number from 0 to 1000000, not"):
        Meteor("other", matchers=[entry])
    with pytest.raises(ConfigError, match="the weight of matcher 'exact' is"):
        resolve(ChainConfig(language="other", matchers=(ChainEntry("exact", weight),)), plugin_registry())
    meteor = Meteor("other", matchers=[{"use": "exact", "weight": 1_000_000}])
    score = meteor.score("a b c", ["a b d"])
    assert all(math.isfinite(value) for value in score.to_dict().values() if isinstance(value, float))
