"""Test that an exception in a plugin becomes an error that names the component and the line of code."""

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


class FailingMatcher(KeyMatcher):
    """Fail at the moment that the option ``when`` names."""

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


class MalformedMatcher(Matcher):
    """Propose a tuple instead of a match, or a match outside of the reference."""

    name = "malformed"

    class Options(ComponentOptions):
        far: bool = False

    def match(self, hypothesis, reference):
        yield Match(7, 0) if self.options.far else (0, 0)


class FailingLemmatizer(Lemmatizer):
    """Raise an exception."""

    name = "sad-lemmatizer"

    def lemmatize(self, words):
        raise OSError("the tagger is gone")


class Plugin:
    @hookimpl
    def meteor_e_matchers(self):
        return [FailingMatcher, MalformedMatcher]

    @hookimpl
    def meteor_e_lemmatizers(self):
        return [FailingLemmatizer]


@pytest.fixture(autouse=True)
def _separate_registry(monkeypatch):
    """Replace the registry with a registry that contains only the plugin of this module."""
    from meteor_e.plugins import registry as module

    registry = module.PluginRegistry(list)
    registry.register(Plugin(), "sad plugin")
    monkeypatch.setattr(module, "_registry", registry)
    assert plugin_registry() is registry


def make_meteor(**entry):
    """Return a metric with the failing matcher. The arguments are added to the entry of the matcher."""
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
def test_matcher_that_fails_in_scoring_raises_plugin_error(entry, message):
    with pytest.raises(PluginError, match=message):
        make_meteor(**entry).score("a b", ["b c"])


@pytest.mark.parametrize(
    ("when", "error", "message"),
    [
        ("init", PluginError, r"making matcher 'sad' failed with KeyError: 'no such thing' \("),
        ("from_options", PluginError, "making matcher 'sad' failed with ZeroDivisionError: in from_options"),
        ("describe", PluginError, "matcher 'sad' failed with AttributeError: nothing to say"),
        ("refuse", ConfigError, r"matcher 'sad' refuses its options \(when: 'refuse'\): not today"),
    ],
)
def test_matcher_that_fails_in_construction_is_reported(when, error, message):
    with pytest.raises(error, match=message):
        make_meteor(when=when)


def test_lemmatizer_that_fails_raises_plugin_error():
    metric = Meteor("other", matchers=["exact"], lemmatizer="sad-lemmatizer")
    with pytest.raises(PluginError, match="lemmatizer 'sad-lemmatizer' failed with OSError: the tagger is gone"):
        metric.score("a b", ["b c"])


def test_plugin_errors_does_not_change_other_exceptions():
    with pytest.raises(MemoryError):
        make_meteor(when="memory").score("a b", ["b c"])
    with pytest.raises(InputError, match=r"^as it was$"), plugin_errors("x"):
        raise InputError("as it was")
    with pytest.raises(KeyboardInterrupt), plugin_errors("x"):
        raise KeyboardInterrupt
