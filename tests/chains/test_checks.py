"""Tests for the static checks of chain files and language files."""

from __future__ import annotations

import pytest
from fixtures import BUILTIN_CODES

from meteor_e import Meteor
from meteor_e.base.errors import ConfigError, MeteorError
from meteor_e.base.yamlfile import dump_yaml
from meteor_e.chains.chain import resolve
from meteor_e.chains.checks import check_chain, check_language, spell_out
from meteor_e.chains.config import ChainConfig, load_chain
from meteor_e.languages.files import builtin_language
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry

PLUGIN = """
    from typing import Annotated
    from meteor_e.api import ComponentOptions, ConfigError, FilePath, KeyMatcher, Lemmatizer, Meta, ResourceError
    from meteor_e.api import SimilarityMatcher, hookimpl

    class Near(SimilarityMatcher):
        name = "near"
        def vectors(self, tokens):
            raise NotImplementedError

    class Sound(KeyMatcher):
        name = "sound"
        class Options(ComponentOptions):
            file: FilePath
            length: Annotated[int, Meta(le=9)] = 4
            table: str | None = None
            strict: bool = True
        def __init__(self, options):
            if options.length == 5:
                raise ValueError("length is not 5")
        def keys(self, token):
            return ()

    class Own(KeyMatcher):
        name = "own"
        class Options(ComponentOptions):
            length: int = 4
        def keys(self, token):
            return ()

    class Broken(KeyMatcher):
        name = "broken"
        @classmethod
        def from_options(cls, context, options):
            raise KeyError("oops")
        def keys(self, token):
            return ()

    class Needs(KeyMatcher):
        name = "needs"
        requires = ("a file",)
        @classmethod
        def from_options(cls, context, options):
            raise ResourceError("the file is missing")
        def keys(self, token):
            return ()

    @hookimpl
    def meteor_e_matchers():
        return [Near, Sound, Own, Broken, Needs]
    """


@pytest.fixture(autouse=True)
def empty_pack_store(tmp_path, monkeypatch):
    """Use a pack store without packs."""
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))


@pytest.fixture
def registry(plugin_site):
    """Return a registry with the matchers of PLUGIN."""
    plugin_site.add("sounds", PLUGIN)
    return plugin_site.registry()


def find_chain_error(folder, text: str, registry) -> str:
    """Check a chain file, and return the error message without the folder, or an empty string if it is valid."""
    file = folder / "c.yaml"
    file.write_text(text)
    try:
        check_chain(file, registry)
    except MeteorError as error:
        return str(error).replace(f"{folder}/", "")
    return ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("language: xq\ntask: rnak", "c.yaml:1: language: there is no language 'xq'"),
        ("language: other\ntask: universall", "c.yaml:2: task: language 'other' has no task 'universall' (did you"),
        ("language: other\nbeam: 0", "c.yaml:2: beam: must be a whole number, at least 1, not 0"),
        ("language: other\nmatchers: [exactt]", "c.yaml:2: there is no matcher 'exactt' (did you mean 'exact'?)"),
        (
            "language: other\nmatchers:\n- exact\n- {use: near, treshold: 0.5}",
            "c.yaml:4: matcher 'near': treshold: unknown option (did you mean 'threshold'?)",
        ),
        ("language: other\nmatchers: [{use: exact, x: 2}]", "c.yaml:2: matcher 'exact' has no option 'x'"),
        (
            "language: other\nmatchers: [{use: sound, file: x, length: 10}]",
            "c.yaml:2: matcher 'sound': length: must be a whole number, at most 9, not 10",
        ),
        (
            "language: other\nmatchers: [{use: sound, file: x, length: 5}]",
            "c.yaml:2: matcher 'sound' refuses its options",
        ),
        ("language: other\nmatchers: [{use: sound}]", "c.yaml:2: matcher 'sound': the option 'file' is missing"),
        ("language: other\nmatchers: [broken]", "c.yaml:2: making matcher 'broken' failed with KeyError: 'oops'"),
        ("language: other\nlemmatizer: {use: lokup}", "c.yaml:2: there is no lemmatizer 'lokup' (did you mean"),
        (
            "language: other\nlemmatizer: {use: lookup, file: x, flie: x}",
            "c.yaml:2: lemmatizer 'lookup': flie: unknown option (did you mean",
        ),
        # Packs and resource files do not have to exist.
        ("language: en", ""),
        ("pack: ./here", ""),
        ("language: other\nmatchers: [exact, needs, paraphrase]", ""),
        ("language: other\nlemmatizer: {use: lookup, file: nowhere.tsv}", ""),
    ],
)
def test_check_chain_reports_line_and_problem(registry, tmp_path, text, expected):
    message = find_chain_error(tmp_path, text, registry)
    assert message.startswith(expected)
    assert bool(message) == bool(expected)


@pytest.mark.parametrize("code", BUILTIN_CODES)
def test_check_language_accepts_builtin_languages(code):
    assert check_language(builtin_language(code).source, plugin_registry()).code == code


@pytest.mark.parametrize(
    ("valid", "invalid", "expected"),
    [
        ("stem]", "stemm]", "3: matchers[1]: there is no matcher 'stemm' (did you mean 'stem'?)"),
        ("synonym: 1", "sinonym: 1", "6: tasks.rank.weights.sinonym: there is no matcher 'sinonym' (did you mean 's"),
        ("name: X\n", "", " the key 'name' is missing"),
    ],
)
def test_check_language_locates_invalid_entries(tmp_path, valid, invalid, expected):
    file = tmp_path / "x.yaml"
    text = """\
code: xx
name: X
matchers: [exact, stem]
default_task: rank
tasks:
  rank: {alpha: 1, beta: 1, gamma: 1, delta: 1, weights: {exact: 1, synonym: 1}}
"""
    file.write_text(text)
    assert check_language(str(file), plugin_registry()).name == "X"
    file.write_text(text.replace(valid, invalid))
    with pytest.raises(ConfigError) as raised:
        check_language(str(file), plugin_registry())
    assert str(raised.value).startswith(f"{file}:{expected}")


# Placeholder synonyms. The tests below only compute signatures and never look up a synonym.
RESOURCES = LanguageResources().replace("own", synonyms=object())


@pytest.mark.parametrize(
    "chain",
    [
        *({"language": code} for code in BUILTIN_CODES),
        *(
            {"language": "en", "task": task}
            for task in ("adq", "hter", "util", "li", "tune", "universal", "all", "any")
        ),
        {"language": "no", "parameters": {"alpha": 0.1 + 0.2, "beta": 1e-17}, "beam": 7, "character_mode": True},
        {"language": "de", "normalization": "no-punctuation", "matchers": ["exact", {"use": "stem", "weight": 1e-5}]},
        {"language": "other", "matchers": [{"use": "stem", "stemmer": "english"}, "exact", "exact"]},
        {"language": "fr", "matchers": [{"use": "paraphrase", "optional": True}]},
        {"language": "other", "lemmatizer": "none"},
    ],
    ids=str,
)
def test_spell_out_preserves_the_metric(chain, tmp_path):
    metric = Meteor.from_config(chain, resources=RESOURCES)
    settings = spell_out(metric.chain, plugin_registry())
    file = tmp_path / "chain.yaml"
    file.write_text(dump_yaml(settings), encoding="utf-8")
    reloaded = Meteor.from_config(file, resources=RESOURCES)
    assert reloaded.signature == metric.signature
    assert spell_out(reloaded.chain, plugin_registry()) == settings


def test_spell_out_names_all_settings():
    chain = resolve(ChainConfig(language="fr"), plugin_registry())
    settings = spell_out(chain, plugin_registry())
    assert settings == {
        "language": "fr",
        "task": "rank",
        "normalization": "full",
        "parameters": {"alpha": 0.9, "beta": 1.4, "gamma": 0.6, "delta": 0.65},
        "matchers": [
            {"use": "exact", "weight": 1.0},
            {"use": "stem", "weight": 0.2},
            {"use": "paraphrase", "weight": 0.4, "optional": True},
        ],
        "beam": 40,
        "character_mode": False,
        "average": "micro",
        "pack": "fr",
        "function_words": "en",
    }


def test_spell_out_includes_option_defaults(registry):
    config = load_chain(
        {"language": "other", "matchers": ["near", {"use": "sound", "file": "x", "strict": False}, "own"]}
    )
    settings = spell_out(resolve(config, registry), registry)
    assert settings["matchers"] == [
        {"use": "near", "weight": 1.0, "threshold": 0.8},
        {"use": "sound", "weight": 1.0, "file": "x", "strict": False, "length": 4},
        {"use": "own", "weight": 1.0, "length": 4},
    ]


def test_spell_out_names_language_file_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xx.yaml").write_text("code: xx\nname: X\nmatchers: [exact]\ndefault_task: li\n")
    metric = Meteor("xx.yaml")
    settings = spell_out(metric.chain, plugin_registry())
    assert settings["language"] == str(tmp_path / "xx.yaml")
    assert Meteor.from_config(settings).signature == metric.signature
