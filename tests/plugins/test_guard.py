"""An exception in the code of a plugin becomes an error that names the plugin and the line."""

from __future__ import annotations

import pytest

from meteor_e import (
    ComponentOptions,
    ConfigError,
    InputError,
    KeyMatcher,
    Lemmatizer,
    Match,
    Matcher,
    Meteor,
    PluginError,
    hookimpl,
)
from meteor_e.base.errors import plugin_errors
from meteor_e.plugins.registry import plugin_registry


class Sad(KeyMatcher):
    """A matcher that fails in a given way."""

    name = "sad"

    class Options(ComponentOptions):
        when: str = "match"

    def __init__(self, options):
        super().__init__(options)
        self.when = when = options.when
        if when == "init":
            raise KeyError("no such thing")
        if when == "refuse":
            raise ValueError("not today")

    @classmethod
    def from_options(cls, context, options):
        if options.when == "from_options":
            raise ZeroDivisionError("in from_options")
        return super().from_options(context, options)

    def keys(self, token):
        if self.when == "text":
            return token.form
        if self.when == "memory":
            raise MemoryError
        raise IndexError("two\nlines")

    def describe(self):
        if self.when == "describe":
            raise AttributeError("nothing to say")
        return ""


class Malformed(Matcher):
    """A matcher that proposes invalid matches."""

    name = "malformed"

    class Options(ComponentOptions):
        far: bool = False

    def match(self, hypothesis, reference):
        yield Match(7, 0) if self.options.far else (0, 0)


class SadLemmatizer(Lemmatizer):
    """Fails."""

    name = "sad-lemmatizer"

    def lemmatize(self, words):
        raise OSError("the tagger is gone")


class Plugin:
    @hookimpl
    def meteor_e_matchers(self):
        return [Sad, Malformed]

    @hookimpl
    def meteor_e_lemmatizers(self):
        return [SadLemmatizer]


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """A separate registry with the plugins of this module."""
    from meteor_e.plugins import registry as module

    own = module.PluginRegistry(list)
    own.register(Plugin(), "sad plugin")
    monkeypatch.setattr(module, "_registry", own)
    assert plugin_registry() is own


def meteor(**entry):
    return Meteor("other", matchers=["exact", {"use": "sad", **entry}])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, r"matcher 'sad' failed with IndexError: two lines \(.*test_guard\.py:\d+\)$"),
        ({"when": "text"}, r"matcher 'sad' failed with TypeError: .*keys returned a string"),
        ({"use": "malformed"}, "matcher 'malformed' failed with ValueError: not enough values"),
        ({"use": "malformed", "far": True}, "matcher 'malformed' proposed reference words 7 to 7"),
    ],
)
def test_while_it_matches(entry, message):
    with pytest.raises(PluginError, match=message):
        meteor(**entry).score("a b", ["b c"])


@pytest.mark.parametrize(
    ("when", "error", "message"),
    [
        ("init", PluginError, r"making matcher 'sad' failed with KeyError: 'no such thing' \("),
        ("from_options", PluginError, "making matcher 'sad' failed with ZeroDivisionError: in from_options"),
        ("describe", PluginError, "matcher 'sad' failed with AttributeError: nothing to say"),
        ("refuse", ConfigError, r"matcher 'sad' refuses its options \(when: 'refuse'\): not today"),
    ],
)
def test_while_it_is_made(when, error, message):
    with pytest.raises(error, match=message):
        meteor(when=when)


def test_failing_lemmatizer_is_reported():
    metric = Meteor("other", matchers=["exact"], lemmatizer="sad-lemmatizer")
    with pytest.raises(PluginError, match="lemmatizer 'sad-lemmatizer' failed with OSError: the tagger is gone"):
        metric.score("a b", ["b c"])


def test_errors_without_a_plugin_are_not_changed():
    with pytest.raises(MemoryError):
        meteor(when="memory").score("a b", ["b c"])
    with pytest.raises(InputError, match=r"^as it was$"), plugin_errors("x"):
        raise InputError("as it was")
    with pytest.raises(KeyboardInterrupt), plugin_errors("x"):
        raise KeyboardInterrupt
