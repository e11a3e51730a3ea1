"""Test the registry of plugins and the built-in components."""

from __future__ import annotations

import re
import sys
import warnings
from importlib.metadata import entry_points

import pytest
from fixtures import BUILTIN_CODES

from meteor_e import hookimpl
from meteor_e._version import __version__
from meteor_e.api.matchers import KeyMatcher
from meteor_e.base.errors import ConfigError, PluginError, PluginWarning
from meteor_e.chains.chain import list_plugins, resolve
from meteor_e.chains.config import ChainConfig, ChainEntry, describe_chain
from meteor_e.plugins.distributions import advise_installation, load_distributions
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.text.lemmatizers import LookupLemmatizer

# A plugin with a correct matcher.
INITIAL_PLUGIN = """
    from meteor_e import KeyMatcher, hookimpl

    class Initial(KeyMatcher):
        '''Words with one first letter match.

        More of it.
        '''

        name = "initial"
        requires = ("letters",)

        def keys(self, token):
            return {token.form[0]}

    @hookimpl
    def meteor_e_matchers():
        return [Initial]
    """


def test_registry_finds_builtins_without_entry_points():
    def fail():
        raise AssertionError("the entry points must not be read")

    registry = PluginRegistry(fail)
    names = ["exact", "stem", "synonym", "paraphrase"]
    assert [registry.matchers.get(name).name for name in names] == names
    assert {registry.languages.get(code).code for code in BUILTIN_CODES} == set(BUILTIN_CODES)
    assert registry.languages.get("cz").code == "cs"
    assert registry.lemmatizers.get("lookup") is LookupLemmatizer
    assert registry.chains.get("exact").name == "exact.yaml"
    with pytest.raises(AssertionError, match="must not be read"):
        registry.matchers.get("other")


def test_registry_finds_the_matcher_of_a_plugin(plugin_site):
    plugin_site.add("sound-plugin", INITIAL_PLUGIN, version="2.5")
    registry = plugin_site.registry()
    matcher_class = registry.matchers.get("initial")
    assert issubclass(matcher_class, KeyMatcher)
    assert matcher_class is registry.matchers.get("initial")
    builtin_names = ["characters", "exact", "lemma", "ngram", "paraphrase", "prefix", "stem", "subsequence", "synonym"]
    assert registry.matchers.names() == sorted([*builtin_names, "initial"])
    (entry,) = [entry for entry in registry.entries("matcher") if entry.name == "initial"]
    assert entry.summary == "Words with one first letter match."
    assert (entry.distribution, entry.version, entry.plugin) == ("sound-plugin", "2.5", "sound_plugin")
    assert entry.requires == ("letters",)
    assert entry.error == ""


def test_registry_finds_installed_distributions(plugin_site):
    """The folder of the distribution is on the import path."""
    plugin_site.add("sound-plugin", INITIAL_PLUGIN)
    assert PluginRegistry().matchers.get("initial").name == "initial"


@pytest.mark.parametrize(
    ("kind", "name", "error", "message"),
    [
        (
            "matcher",
            "exat",
            PluginError,
            r"no matcher 'exat' \(did you mean 'exact'\?\); the matchers: characters, exact, lemma, ngram, para",
        ),
        ("language", "xx", ConfigError, r"no language 'xx'; .*use 'other' for a language"),
        ("lemmatizer", "lokup", PluginError, r"no lemmatizer 'lokup'.*'lookup'"),
        ("feature", "blue", PluginError, "no feature 'blue'"),
        ("chain", "exakt", ConfigError, "no chain 'exakt'"),
        # A YAML parser reads an unquoted `no` as False.
        ("language", False, ConfigError, "must be a text, not False; put it in quotes"),
    ],
)
def test_registry_rejects_unknown_names(kind, name, error, message):
    with pytest.raises(error, match=message):
        PluginRegistry(list).kinds[kind].get(name)


def test_registry_reports_components_with_equal_names(plugin_site):
    plugin_site.add("first-plugin", INITIAL_PLUGIN, version="1.1")
    plugin_site.add("second-plugin", INITIAL_PLUGIN, version="2.2")
    plugin_site.add("third-plugin", INITIAL_PLUGIN.replace('"initial"', '"first-letter"'))
    registry = plugin_site.registry()
    with pytest.raises(PluginError, match=r"'initial' is claimed by first-plugin 1\.1 .* and by second-plugin 2\.2"):
        registry.matchers.get("initial")
    with pytest.warns(PluginWarning, match="'initial' is claimed by"):
        assert registry.matchers.get("first-letter").name == "first-letter"
    errors = {(entry.distribution, entry.name): entry.error for entry in registry.entries("matcher")}
    assert "second-plugin 2.2" in errors["first-plugin", "initial"]
    assert "first-plugin 1.1" in errors["second-plugin", "initial"]
    assert errors["third-plugin", "first-letter"] == ""


def test_registry_reports_a_plugin_with_a_builtin_name(plugin_site):
    plugin_site.add("greedy-plugin", INITIAL_PLUGIN.replace('"initial"', '"exact"'))
    registry = plugin_site.registry()
    assert registry.matchers.get("exact").__module__ == "meteor_e.matchers.modules"
    registry.matchers.names()
    with pytest.warns(PluginWarning, match=r"'exact' is claimed by meteor_e .* and by greedy-plugin 1\.0 .*rename"):
        assert registry.matchers.get("stem").name == "stem"
    # A built-in name has the same meaning before and after the plugins are loaded.
    assert registry.matchers.get("exact").__module__ == "meteor_e.matchers.modules"
    errors = {entry.distribution: entry.error for entry in registry.entries("matcher") if entry.name == "exact"}
    assert set(errors) == {"meteor_e", "greedy-plugin"}
    assert errors["meteor_e"] == ""
    assert "claimed by" in errors["greedy-plugin"]


@pytest.mark.parametrize(
    "requirement", ["meteor_e==0.2.0", "meteor_e[metrics]==0.2.0", "meteor-e>=99", "Meteor.E (<0.0.1)"]
)
def test_registry_rejects_plugins_for_another_version(plugin_site, requirement):
    plugin_site.add("sound-plugin", INITIAL_PLUGIN, requires=["numpy", requirement])
    registry = plugin_site.registry()
    message = f"sound-plugin 1.0: it requires {requirement}, and this is meteor_e {__version__}; install versions"
    with pytest.raises(PluginError, match=re.escape(message)):
        registry.matchers.get("initial")
    registry = plugin_site.registry()
    registry.matchers.names()
    with pytest.warns(PluginWarning, match=re.escape(message)):
        registry.matchers.get("exact")
    (entry,) = [entry for entry in registry.entries() if entry.distribution == "sound-plugin"]
    assert entry.error.startswith(f"it requires {requirement}")


@pytest.mark.parametrize(
    "requirement",
    [
        f"meteor_e=={__version__}",
        f"meteor_e[metrics]=={__version__}",
        "meteor_e",
        "meteor-e[metrics]>=0.0.1",
        "meteor_e==99; extra == 'future'",
        "meteor_e==99; python_version < '3'",
        "meteor-e-vectors==99",
    ],
)
def test_registry_loads_plugins_for_this_version(plugin_site, requirement):
    plugin_site.add("sound-plugin", INITIAL_PLUGIN, requires=[requirement])
    assert plugin_site.registry().matchers.get("initial").name == "initial"


@pytest.mark.parametrize("requirement", [f"meteor_e=={__version__}", f"meteor_e[metrics]=={__version__}", "meteor-e"])
def test_requirement_of_the_installed_version_is_checked_without_packaging(plugin_site, monkeypatch, requirement):
    """The library packaging loads slowly, and the plugins of this repository require exactly their own version."""
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    plugin_site.add("sound-plugin", INITIAL_PLUGIN, requires=[requirement])
    assert plugin_site.registry().matchers.get("initial").name == "initial"


POLISH_PLUGIN = """
    from meteor_e import hookimpl

    @hookimpl
    def meteor_e_language_files():
        return [{"code": "pl", "name": "My Polish", "matchers": ["exact"], "default_task": "li"}]
    """


@pytest.mark.parametrize(
    ("api_version", "message"),
    [
        ("1", ""),
        ("2", "it needs version 2 of meteor_e's API; meteor_e .* has version 1"),
        ("True", "it needs version True"),
    ],
)
def test_registry_checks_the_api_version_of_a_plugin(plugin_site, api_version, message):
    plugin_site.add("sound-plugin", f"    meteor_e_api = {api_version}\n{INITIAL_PLUGIN}")
    registry = plugin_site.registry()
    if not message:
        assert registry.matchers.get("initial").name == "initial"
        return
    with pytest.raises(PluginError, match=f"plugins that failed: sound-plugin 1.0: {message}"):
        registry.matchers.get("initial")


def test_environment_variable_selects_plugins(plugin_site, monkeypatch):
    plugin_site.add("sound-plugin", INITIAL_PLUGIN)
    plugin_site.add("polish-plugin", POLISH_PLUGIN)
    monkeypatch.setenv("METEOR_E_PLUGINS", "none")
    assert "initial" not in PluginRegistry().matchers.names()
    for names in ("sound-plugin", "sound-plugin, polish-plugin", "sound_plugin"):
        monkeypatch.setenv("METEOR_E_PLUGINS", names)
        assert PluginRegistry().matchers.get("initial").name == "initial"
    monkeypatch.setenv("METEOR_E_PLUGINS", "polish-plugin")
    with pytest.raises(PluginError, match="there is no matcher 'initial'"):
        PluginRegistry().matchers.get("initial")
    monkeypatch.setenv("METEOR_E_PLUGINS", "sound-plugn")
    with pytest.raises(ConfigError, match=r"'sound-plugn', which is not installed \(did you mean 'sound-plugin'\?\)"):
        PluginRegistry().matchers.names()


# For each case, the code of a plugin and a pattern of the error message.
BROKEN_PLUGINS = {
    "missing import": ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_any"),
    "syntax": ("def (", "SyntaxError"),
    "raises": ("raise ValueError('two\\nlines')", "ValueError: two lines"),
    "exits": ("import sys; sys.exit(5)", "SystemExit: 5"),
    "no hooks": ("x = 1", "it has no hooks"),
    "unknown hook": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matcher(): return []",
        r"no hook 'meteor_e_matcher' \(did you mean 'meteor_e_matchers'\?\)",
    ),
    "hook with arguments": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(registry): return []",
        "registry",
    ),
    "hook raises": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return 1 / 0",
        r"meteor_e_matchers\(\): it raised ZeroDivisionError",
    ),
    "generator raises": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers():\n    yield 1 / 0",
        r"meteor_e_matchers\(\): it raised ZeroDivisionError",
    ),
    "returns a number": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return 42",
        "returned 42; it must return a list or a mapping",
    ),
    "returns a class": (
        "from meteor_e import hookimpl, KeyMatcher\n@hookimpl\ndef meteor_e_matchers(): return KeyMatcher",
        "it must return a list or a mapping",
    ),
    "list of numbers": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return [42]",
        "42 is not a class",
    ),
    "list of texts": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return ['a:B']",
        "No module named 'a'",
    ),
    "an instance": (
        (
            "from meteor_e import hookimpl as h\nfrom meteor_e.matchers.modules import ExactMatcher as E\n"
            "@h\ndef meteor_e_matchers(): return [E()]"
        ),
        "return the class, not an instance",
    ),
    "another class": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return [dict]",
        "builtins.dict is not a subclass of meteor_e's Matcher",
    ),
    "a bad name": (INITIAL_PLUGIN.replace('"initial"', '"Two Words"'), "has the name 'Two Words'"),
    "no name": (
        (
            "from meteor_e import hookimpl, KeyMatcher\nclass M(KeyMatcher):\n    def keys(self, token): return ()\n"
            "@hookimpl\ndef meteor_e_matchers(): return [M]"
        ),
        "has the name ''; give it a name",
    ),
    "bad key": (
        "from meteor_e import hookimpl\n@hookimpl\ndef meteor_e_matchers(): return {3: 'a:B'}",
        "a mapping with the key 3",
    ),
}


@pytest.mark.parametrize(("code", "message"), BROKEN_PLUGINS.values(), ids=BROKEN_PLUGINS)
def test_registry_reports_a_broken_plugin(plugin_site, code, message):
    """The failure is an error for names that the plugin may define, and a warning for other names."""
    plugin_site.add("sad-plugin", code, version="0.3")
    plugin_site.add("sound-plugin", INITIAL_PLUGIN)
    with pytest.raises(PluginError, match=rf"no matcher 'wanted'.*plugins that failed: sad-plugin 0\.3: .*{message}"):
        plugin_site.registry().matchers.get("wanted")

    registry = plugin_site.registry()
    sys.modules.pop("sad_plugin", None)
    with pytest.warns(PluginWarning, match=rf"sad-plugin 0\.3: .*{message}") as warning_records:
        assert registry.matchers.get("initial").name == "initial"
    assert len(warning_records) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registry.matchers.get("initial")  # the warning is not repeated

    (entry,) = [entry for entry in registry.entries("matcher") if entry.kind == "plugin"]
    assert entry.distribution == "sad-plugin"
    assert "\n" not in entry.error


# For each case, the definition of a class M and a pattern of the error message.
INVALID_CLASSES = {
    "abstract": ("class M(KeyMatcher):\n    name = 'misfit'", r"sad_plugin\.M does not define keys"),
    "no matcher": ("class M:\n    name = 'misfit'", "is not a subclass of meteor_e's Matcher"),
}


@pytest.mark.parametrize(("code", "message"), INVALID_CLASSES.values(), ids=INVALID_CLASSES)
def test_registry_rejects_an_invalid_matcher_class(plugin_site, code, message):
    hook = "\n@hookimpl\ndef meteor_e_matchers(): return [M, Good]"
    good_class = "\nclass Good(KeyMatcher):\n    name = 'good'\n    def keys(self, token): return ()"
    plugin_site.add("sad-plugin", f"from meteor_e import hookimpl, KeyMatcher\n{code}{good_class}{hook}")
    registry = plugin_site.registry()
    with pytest.raises(PluginError, match=rf"no matcher 'misfit'.*sad-plugin 1\.0: meteor_e_matchers\(\): .*{message}"):
        registry.matchers.get("misfit")
    registry = plugin_site.registry()
    with pytest.warns(PluginWarning, match=message):
        assert registry.matchers.get("good").name == "good"


# A plugin that names its classes instead of importing them. Only the first class can be loaded.
LAZY_PLUGIN = """
    from meteor_e import hookimpl

    @hookimpl
    def meteor_e_matchers():
        return {"late": "late_module:Late", "lost": "late_module:Lost", "gone": "no_such_module:X", "odd": "late"}
    """
# The module with the classes of LAZY_PLUGIN. The name of the class Lost differs from the plugin's name "lost".
LATE_MODULE = """
    from meteor_e import KeyMatcher

    class Late(KeyMatcher):
        name = "late"

        def keys(self, token):
            return {1}

    class Lost(Late):
        name = "found"
    """


def test_registry_imports_a_class_when_its_name_is_used(plugin_site):
    plugin_site.add("lazy-plugin", LAZY_PLUGIN)
    plugin_site.modules.append("late_module")
    (plugin_site.folder / "late_module.py").write_text("\n".join(line[4:] for line in LATE_MODULE.splitlines()))
    registry = plugin_site.registry()
    assert "late" in registry.matchers.names()
    assert "late_module" not in sys.modules
    assert registry.matchers.get("late").__name__ == "Late"
    with pytest.raises(
        PluginError, match=r"'lost' of lazy-plugin 1\.0 is broken: the name of the loaded object is 'found'"
    ):
        registry.matchers.get("lost")
    with pytest.raises(PluginError, match=r"'gone' of .* ModuleNotFoundError"):
        registry.matchers.get("gone")
    with pytest.raises(PluginError, match=r"'odd' of .* No module named 'late'"):
        registry.matchers.get("odd")
    errors = {entry.name: entry.error for entry in registry.entries("matcher") if entry.distribution == "lazy-plugin"}
    assert errors.pop("late") == ""
    assert all(errors.values())


NYNORSK = "code: nn\nname: Nynorsk\naliases: [nno]\nmatchers: [exact]\ndefault_task: li\n"


def test_registry_loads_the_languages_of_a_plugin(plugin_site):
    (plugin_site.folder / "nn.yaml").write_text(NYNORSK)
    plugin_site.add(
        "words-plugin",
        """
        from pathlib import Path
        from meteor_e import hookimpl
        from meteor_e.languages.files import parse_language

        plain = {"matchers": ["exact"], "default_task": "li"}

        @hookimpl
        def meteor_e_language_files():
            return [
                Path(__file__).with_name("nn.yaml"),
                {"code": "vo", "name": "Volapük", **plain},
                parse_language({"code": "ia", "name": "Interlingua", **plain}, "here"),
                {"code": "bad", "name": "Bad"},
                "relative.yaml",
            ]
        """,
    )
    registry = plugin_site.registry()
    with pytest.warns(PluginWarning) as warning_records:
        assert registry.languages.get("nn").name == "Nynorsk"
    assert sorted(str(warning.message).partition(": ")[0] for warning in warning_records) == ["words-plugin 1.0"] * 2
    assert registry.languages.get("nno") is registry.languages.get("nn")
    assert registry.languages.get("vo").tasks["li"].alpha == 0.75
    assert registry.languages.get("ia").name == "Interlingua"
    entries = registry.entries("language")
    assert [entry.aliases for entry in entries if entry.name == "nn"] == [("nno",)]
    assert not [entry for entry in entries if entry.name == "nno"]
    errors = [entry.error for entry in entries if entry.error]
    assert len(errors) == 2
    assert any("default_task" in error or "matchers" in error for error in errors)
    assert any("'relative.yaml' is a relative path" in error for error in errors)


def test_registry_reads_a_mapped_language_when_it_is_used(plugin_site):
    (plugin_site.folder / "nn.yaml").write_text(NYNORSK)
    plugin_site.add(
        "words-plugin",
        """
        from importlib.resources import files
        from pathlib import Path
        from meteor_e import hookimpl

        @hookimpl
        def meteor_e_language_files():
            file = Path(__file__).with_name("nn.yaml")
            return {"nn": file, "nno": file, "zz": file, "en": file, "yy": file.with_name("yy.yaml")}
        """,
    )
    registry = plugin_site.registry()
    with pytest.raises(
        PluginError, match=r"'zz' of words-plugin 1\.0 is broken: the name of the loaded object is 'nn'"
    ):
        registry.languages.get("zz")
    with pytest.raises(PluginError, match=r"'yy' of words-plugin 1\.0 is broken"):
        registry.languages.get("yy")
    with pytest.warns(PluginWarning, match="'en' is claimed"):
        assert registry.languages.get("nno").code == "nn"
    assert registry.languages.get("en").name == "English"


def test_registry_loads_the_chains_of_a_plugin(plugin_site):
    (plugin_site.folder / "only-exact.yaml").write_text("description: equal words\nmatchers: [exact]\n")
    (plugin_site.folder / "wrong.yaml").write_text("matcherz: [exact]\n")
    plugin_site.add(
        "chain-plugin",
        """
        from pathlib import Path
        from meteor_e import hookimpl

        here = Path(__file__).parent

        @hookimpl
        def meteor_e_chains():
            return [here / "only-exact.yaml", here / "wrong.yaml", here / "none.yaml"]
        """,
    )
    registry = plugin_site.registry()
    with pytest.warns(PluginWarning, match="there is no file .*none.yaml"):
        assert registry.chains.get("only-exact").read_text().startswith("description")
    entries = {
        entry.name: entry for entry in registry.entries("chain", describe_chain) if entry.distribution == "chain-plugin"
    }
    assert entries["only-exact"].summary == "equal words"
    assert "matcherz" in entries["wrong"].error


def test_registry_calls_each_hook_once_when_it_is_needed(plugin_site):
    plugin_site.add(
        "counting-plugin",
        """
        from meteor_e import hookimpl

        called = []

        @hookimpl
        def meteor_e_matchers():
            called.append("matchers")
            return []

        @hookimpl
        def meteor_e_language_files():
            called.append("languages")
            return []
        """,
    )
    registry = plugin_site.registry()
    registry.matchers.get("exact")
    assert "counting_plugin" not in sys.modules
    registry.matchers.names()
    registry.matchers.names()
    assert sys.modules["counting_plugin"].called == ["matchers"]
    registry.entries()
    registry.entries()
    assert sys.modules["counting_plugin"].called == ["matchers", "languages"]


def test_registry_reports_a_module_of_two_distributions(plugin_site):
    plugin_site.add("first-plugin", INITIAL_PLUGIN, module="shared_module")
    plugin_site.add("second-plugin", INITIAL_PLUGIN, module="shared_module")
    registry = plugin_site.registry()
    with pytest.warns(PluginWarning, match=r"second-plugin 1\.0: the same plugin is registered by first-plugin 1\.0"):
        assert registry.matchers.get("initial").name == "initial"


def test_registry_accepts_plugins_of_a_program():
    class NotebookMatcher(KeyMatcher):
        name = "mine"

        def keys(self, token):
            return ()

    class Plugin:
        @hookimpl
        def meteor_e_matchers(self):
            return [NotebookMatcher]

    registry = PluginRegistry(list)
    builtin_names = registry.matchers.names()
    plugin = Plugin()
    registry.register(plugin, "notebook")
    assert registry.matchers.names() == sorted([*builtin_names, "mine"])
    assert registry.matchers.get("mine") is NotebookMatcher
    with pytest.raises(PluginError, match="plugin 'again': the same plugin is registered"):
        registry.register(plugin, "again")
    with pytest.raises(PluginError, match="plugin 'empty': it has no hooks"):
        registry.register(object(), "empty")


def test_list_plugins_returns_the_plugins_of_a_chain(plugin_site):
    plugin_site.add("sound-plugin", INITIAL_PLUGIN, version="2.5")
    registry = plugin_site.registry()

    def make_chain(*matchers):
        config = ChainConfig(
            matchers=tuple(map(ChainEntry, matchers)), lemmatizer=ChainEntry("lookup", options={"file": "lemmas.tsv"})
        )
        return resolve(config, registry)

    assert list_plugins(make_chain("exact", "stem"), registry) == []
    assert list_plugins(make_chain("exact", "initial"), registry) == ["sound-plugin@2.5"]


def test_builtin_components_load_without_errors():
    for entry in PluginRegistry(list).entries(describe_chain=describe_chain):
        assert entry.error == "", entry
        assert entry.summary, entry
        assert entry.kind in plugin_registry().kinds


CORE_KINDS = {"chain", "command", "lemmatizer", "matcher", "metric", "runner", "segmenter", "table format"}
"""The kinds of components that the core looks up. An installed plugin looks up the other kinds."""
INSTALLED_DISTRIBUTIONS = {entry_point.dist.name for entry_point in entry_points(group="meteor_e") if entry_point.dist}


def remove_extra(requirement: str) -> str:
    """Return the name of a distribution without its extra."""
    return requirement.partition("[")[0]


@pytest.mark.parametrize("distribution", sorted({remove_extra(name) for name in load_distributions()}))
def test_distribution_list_contains_the_installed_components(distribution):
    if distribution not in INSTALLED_DISTRIBUTIONS:
        pytest.skip(f"{distribution} is not installed")
    entries = [
        entry
        for kind in sorted(CORE_KINDS)
        for entry in plugin_registry().entries(kind)
        if entry.distribution == distribution
    ]
    component_lists = [
        components for name, components in load_distributions().items() if remove_extra(name) == distribution
    ]
    listed_components = {
        (kind, name) for components in component_lists for kind, names in components.items() for name in names
    }
    assert listed_components == {(entry.kind, entry.name) for entry in entries}
    summaries = {
        name: summary for components in component_lists for name, (_, summary) in components.get("command", {}).items()
    }
    assert summaries == {entry.name: entry.summary for entry in entries if entry.kind == "command"}


def test_advise_installation_names_distribution_and_command():
    assert advise_installation(("matcher",), "dbnary", "the matcher 'dbnary'") == (
        "the matcher 'dbnary' comes with the plugin meteor-e-languages, which is not installed: "
        "in a clone of meteor_e, run: pip install ./plugins/meteor-e-languages"
    )
    assert "'./plugins/meteor-e-languages[chinese]'" in advise_installation(("segmenter",), "jieba", "jieba")
    assert advise_installation(("metric",), "dbnary", "x") == ""


@pytest.mark.parametrize("kind", ["language", "chain"])
@pytest.mark.parametrize("name", ["e" * 5000, "a/b", "..", "any.yaml", "", "a\0b"])
def test_registry_rejects_names_that_cannot_be_files(kind, name):
    with pytest.raises(ConfigError, match=f"there is no {kind}"):
        PluginRegistry(list).kinds[kind].get(name)
