from __future__ import annotations

import pytest

from meteor_e import Meteor
from meteor_e.base.yamlfile import dump_yaml, parse_yaml, read_yaml
from meteor_e.chains.chain import resolve
from meteor_e.chains.checks import check_chain, check_language, spell_out
from meteor_e.chains.config import ChainConfig, load_chain
from meteor_e.languages.files import BUILTIN_CODES, builtin_language
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
        def __init__(self, file, length, table, strict):
            if length == 5:
                raise ValueError("length is not 5")
        def keys(self, token):
            return ()

    class Own(KeyMatcher):
        name = "own"
        class Options(ComponentOptions):
            length: int = 4
        @classmethod
        def from_options(cls, context, options):
            return cls(length=options.length)
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
def no_packs(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))


@pytest.fixture
def plugins(plugin_site):
    plugin_site.add("sounds", PLUGIN)
    return plugin_site.registry()


def check(text: str, known=None) -> list[str]:
    chain, problems = check_chain(parse_yaml(text.encode(), "c.yaml"), known or plugin_registry())
    assert (chain is None) == any(not problem.is_note for problem in problems)
    return [str(problem) for problem in problems]


def starts(found: list[str], expected: list[str]) -> None:
    assert [line[: len(start)] for line, start in zip(found, expected, strict=True)] == expected


def test_everything_is_found_at_once(plugins):
    text = """\
language: other
task: universall
normalization: full
beam: 0
matchers:
  - exactt
  - {use: near, treshold: 0.5, wieght: 1}
  - {use: exact, weight: -1, optoin: 2}
  - use: sound
    file: x
    length: 10
lemmatizer: {use: lokup}
"""
    starts(
        check(text, plugins),
        [
            "c.yaml:2: task: language 'other' has no task 'universall' (did you mean 'universal'?)",
            "c.yaml:3: normalization: language 'other' has no normalization 'full'; it has none, lower",
            "c.yaml:4: beam: must be a whole number, 1 or more, not 0",
            "c.yaml:6: matchers[0]: there is no matcher 'exactt' (did you mean 'exact'?)",
            "c.yaml:7: matchers[1].treshold: matcher 'near' has no option 'treshold' (did you mean 'threshold'?)",
            "c.yaml:7: matchers[1].wieght: matcher 'near' has no option 'wieght'; its options: threshold, below (",
            "c.yaml:8: matchers[2].weight: must be a number, 0 or more, not -1",
            "c.yaml:11: matchers[3].length: must be a whole number, at most 9, not 10",
            "c.yaml:12: lemmatizer.use: there is no lemmatizer 'lokup' (did you mean 'lookup'?)",
        ],
    )


def test_a_broken_plugin_is_named(plugins):
    starts(
        check("language: other\nmatchers: [exact, broken]", plugins),
        ["c.yaml:2: matchers[1]: making matcher 'broken' failed with KeyError: 'oops'"],
    )


def test_missing_options(plugins):
    assert check("language: other\nmatchers: [{use: sound}]", plugins) == [
        "c.yaml:2: matchers[0]: matcher 'sound' needs the option 'file'"
    ]


def test_an_unknown_language_is_one_mistake():
    starts(
        check("language: xq\ntask: rnak\nmatchers: [exact, stem, {use: exat}]"),
        [
            "c.yaml:1: language: there is no language 'xq'",
            "c.yaml:3: matchers[2].use: there is no matcher 'exat' (did you mean 'exact'?)",
        ],
    )
    starts(check("language: 3\ntask: rnak"), ["c.yaml:1: language: must be a text, not 3"])


def test_nothing_is_made_with_wrong_options():
    starts(
        check("language: other\nmatchers: [{use: stem, stemer: german}]"),
        [
            "c.yaml:2: matchers[0].stemer: matcher 'stem' has no option 'stemer' (did you mean 'stemmer'?)",
        ],
    )


def test_options_of_a_lemmatizer(tmp_path):
    table = tmp_path / "lemmas.tsv"
    table.write_text("a\tNOUN\tb\n")
    assert check(f"language: other\nlemmatizer: {{use: lookup, file: {table}}}") == []
    starts(
        check(f"language: other\nlemmatizer:\n  use: lookup\n  file: {table}\n  flie: x"),
        ["c.yaml:5: lemmatizer.flie: lemmatizer 'lookup' has no option 'flie' (did you mean 'file'?)"],
    )
    table.write_text("a b\n")
    starts(
        check(f"language: other\nlemmatizer: {{use: lookup, file: {table}}}"),
        [f"c.yaml:2: lemmatizer.use: {table}:1: 1 field"],
    )


def test_missing_resources_are_notes(plugins):
    starts(
        check("language: en"),
        ["c.yaml:1: note: language: the resource pack 'en' is not installed in "],
    )
    starts(check("pack: other"), ["c.yaml:1: note: pack: the resource pack 'other' is not installed"])
    starts(check("pack: ./here"), ["c.yaml:1: note: pack: "])
    starts(
        check("language: other\nmatchers: [exact, needs, paraphrase]", plugins),
        [
            "c.yaml:2: note: matchers[1]: the file is missing",
            "c.yaml:2: note: matchers[2]: matcher 'paraphrase': no paraphrase table is installed",
        ],
    )
    # The language's own chain goes without its paraphrases.
    assert check("language: other\ntask: universal") == []
    assert check("language: other\nmatchers: [exact, {use: paraphrase, optional: true}]") == []
    starts(
        check("language: other\nlemmatizer: {use: lookup, file: nowhere.tsv}"),
        ["c.yaml:2: note: lemmatizer: lemma table"],
    )


def test_files_without_mistakes_resolve():
    chain, problems = check_chain(parse_yaml(b"language: da\nbeam: 3", "c.yaml"), plugin_registry())
    assert problems == []
    assert chain == resolve(load_chain({"language": "da", "beam": 3}), plugin_registry())


@pytest.mark.parametrize("text", ["[]", "3", "matchers: 3", "matchers: {a: 1}", "lemmatizer: []", "parameters: []"])
def test_files_that_are_no_chains(text):
    problem, *notes = check(text)
    assert ": must be " in problem
    assert all(": note: " in note for note in notes)


@pytest.mark.parametrize("code", BUILTIN_CODES)
def test_our_languages_pass(code):
    language = builtin_language(code)
    assert check_language(read_yaml(language.source), plugin_registry()) == []


def test_matchers_of_a_language():
    text = """\
code: xx
name: X
matchers: [exact, stemm]
default_task: rank
tasks:
  rank: {alpha: 1, beta: 1, gamma: 1, delta: 1, weights: {exact: 1, sinonym: 1}}
"""
    found = [str(problem) for problem in check_language(parse_yaml(text.encode(), "x.yaml"), plugin_registry())]
    starts(
        found,
        [
            "x.yaml:3: matchers[1]: there is no matcher 'stemm' (did you mean 'stem'?)",
            "x.yaml:6: tasks.rank.weights.sinonym: there is no matcher 'sinonym' (did you mean 'synonym'?)",
        ],
    )
    found = [str(problem) for problem in check_language(parse_yaml(b"code: xx", "x.yaml"), plugin_registry())]
    assert len(found) == 3


# Synonyms that are never looked up: enough for a signature.
RESOURCES = LanguageResources(own_synonyms=object(), own_description="own")  # type: ignore[arg-type]


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
def test_a_chain_spelled_out_makes_the_same_metric(chain, tmp_path):
    metric = Meteor.from_config(chain, resources=RESOURCES)
    file = tmp_path / "spelled.yaml"
    file.write_text(dump_yaml(spell_out(metric.chain, plugin_registry())), encoding="utf-8")
    again = Meteor.from_config(file, resources=RESOURCES)
    assert again.signature == metric.signature
    assert spell_out(again.chain, plugin_registry()) == spell_out(metric.chain, plugin_registry())


def test_all_that_can_be_said_is_spelled_out():
    spelled = spell_out(resolve(ChainConfig(language="fr"), plugin_registry()), plugin_registry())
    assert spelled == {
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
        "equal_segments": False,
        "pack": "fr",
        "function_words": "en",
    }


def test_defaults_of_options_are_spelled_out(plugins):
    config = load_chain(
        {"language": "other", "matchers": ["near", {"use": "sound", "file": "x", "strict": False}, "own"]}
    )
    spelled = spell_out(resolve(config, plugins), plugins)
    assert spelled["matchers"] == [
        {"use": "near", "weight": 1.0, "threshold": 0.8},
        {"use": "sound", "weight": 1.0, "file": "x", "strict": False, "length": 4},
        {"use": "own", "weight": 1.0, "length": 4},
    ]


def test_a_language_of_ones_own_is_spelled_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xx.yaml").write_text("code: xx\nname: X\nmatchers: [exact]\ndefault_task: li\n")
    metric = Meteor("xx.yaml")
    spelled = spell_out(metric.chain, plugin_registry())
    assert spelled["language"] == str(tmp_path / "xx.yaml")
    assert Meteor.from_config(spelled).signature == metric.signature
