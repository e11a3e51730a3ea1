"""METEOR and METEOR-E for Python, without Java.

>>> from meteor_e import Meteor
>>> Meteor("en").score("the cat sat on the mat", ["a cat was sitting on the mat"]).score

Names are imported when they are used, so that ``import meteor_e`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meteor_e._version import __version__

if TYPE_CHECKING:
    from meteor_e.alignment.alignment import AlignedMatch, Alignment
    from meteor_e.errors import ConfigError, InputError, MeteorError, PluginError, ResourceError
    from meteor_e.features import Feature
    from meteor_e.matchers import (
        KeyMatcher,
        Match,
        Matcher,
        MatcherContext,
        PhraseMatcher,
        PhraseTable,
        SimilarityMatcher,
    )
    from meteor_e.meteor import Meteor
    from meteor_e.plugin_system.hookspecs import hookimpl
    from meteor_e.results import CorpusScore, SegmentScore
    from meteor_e.scoring.parameters import Parameters
    from meteor_e.scoring.statistics import MatcherCounts, Statistics
    from meteor_e.text.lemmatizers import Lemmatizer
    from meteor_e.text.tokens import Token

_HOMES = {
    "AlignedMatch": "alignment.alignment",
    "Alignment": "alignment.alignment",
    "ConfigError": "errors",
    "CorpusScore": "results",
    "Feature": "features",
    "InputError": "errors",
    "KeyMatcher": "matchers",
    "Lemmatizer": "text.lemmatizers",
    "Match": "matchers",
    "Matcher": "matchers",
    "MatcherContext": "matchers",
    "MatcherCounts": "scoring.statistics",
    "Meteor": "meteor",
    "MeteorError": "errors",
    "Parameters": "scoring.parameters",
    "PhraseMatcher": "matchers",
    "PhraseTable": "matchers",
    "PluginError": "errors",
    "ResourceError": "errors",
    "SegmentScore": "results",
    "SimilarityMatcher": "matchers",
    "Statistics": "scoring.statistics",
    "Token": "text.tokens",
    "hookimpl": "plugin_system.hookspecs",
}

__all__ = [
    "AlignedMatch",
    "Alignment",
    "ConfigError",
    "CorpusScore",
    "Feature",
    "InputError",
    "KeyMatcher",
    "Lemmatizer",
    "Match",
    "Matcher",
    "MatcherContext",
    "MatcherCounts",
    "Meteor",
    "MeteorError",
    "Parameters",
    "PhraseMatcher",
    "PhraseTable",
    "PluginError",
    "ResourceError",
    "SegmentScore",
    "SimilarityMatcher",
    "Statistics",
    "Token",
    "__version__",
    "hookimpl",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"meteor_e.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'meteor_e' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
