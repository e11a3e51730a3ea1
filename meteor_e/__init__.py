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
    from meteor_e.api.context import MatcherContext, PhraseTable
    from meteor_e.api.features import Feature
    from meteor_e.api.hooks import hookimpl
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
    from meteor_e.api.metrics import Metric, MetricContext, MetricScore, SegmentMetric
    from meteor_e.api.tokens import Token
    from meteor_e.base.errors import ConfigError, InputError, MeteorError, PluginError, ResourceError
    from meteor_e.meteor import Meteor
    from meteor_e.metrics.specs import load_metric
    from meteor_e.scoring.alignment import AlignedMatch, Alignment
    from meteor_e.scoring.parameters import Parameters
    from meteor_e.scoring.results import CorpusScore, SegmentScore
    from meteor_e.scoring.statistics import MatcherCounts, Statistics

_HOMES = {
    "AlignedMatch": "scoring.alignment",
    "Alignment": "scoring.alignment",
    "ConfigError": "base.errors",
    "CorpusScore": "scoring.results",
    "Feature": "api.features",
    "InputError": "base.errors",
    "KeyMatcher": "api.matchers",
    "Lemmatizer": "api.lemmatizers",
    "Match": "api.matchers",
    "Matcher": "api.matchers",
    "MatcherContext": "api.context",
    "MatcherCounts": "scoring.statistics",
    "Meteor": "meteor",
    "MeteorError": "base.errors",
    "Parameters": "scoring.parameters",
    "PhraseMatcher": "api.matchers",
    "PhraseTable": "api.context",
    "PluginError": "base.errors",
    "ResourceError": "base.errors",
    "SegmentScore": "scoring.results",
    "SimilarityMatcher": "api.matchers",
    "Statistics": "scoring.statistics",
    "Token": "api.tokens",
    "Metric": "api.metrics",
    "MetricContext": "api.metrics",
    "MetricScore": "api.metrics",
    "SegmentMetric": "api.metrics",
    "hookimpl": "api.hooks",
    "load_metric": "metrics.specs",
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
    "Metric",
    "MetricContext",
    "MetricScore",
    "Parameters",
    "PhraseMatcher",
    "PhraseTable",
    "PluginError",
    "ResourceError",
    "SegmentMetric",
    "SegmentScore",
    "SimilarityMatcher",
    "Statistics",
    "Token",
    "__version__",
    "hookimpl",
    "load_metric",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"meteor_e.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'meteor_e' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
