"""Everything that a plugin imports.

A plugin needs this module and, for its tests, :mod:`meteor_e.testing`. Names that are not listed here may change
in any release.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext, PhraseTable, Resources, SynonymTable
from meteor_e.api.features import Feature, FeatureBatch, ReferenceFeature, SegmentFeature
from meteor_e.api.hooks import hookimpl
from meteor_e.api.languages import Language, NonbreakingPrefixes, Normalization, Task
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.segmenters import Segmenter
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, InputError, MeteorError, PluginError, PluginWarning, ResourceError

if TYPE_CHECKING:
    from meteor_e.api.estimators import Estimator
    from meteor_e.api.java_modules import JavaModule, JavaSettings
    from meteor_e.api.measures import Measure
    from meteor_e.api.metrics import Metric, MetricContext, MetricScore, Progress, Scores, SegmentMetric, SystemOutputs

# These need numpy, whose import takes longer than that of all the others; they are imported when they are used.
_LAZY = {
    "Estimator": "estimators",
    "JavaModule": "java_modules",
    "JavaSettings": "java_modules",
    "Measure": "measures",
    "Metric": "metrics",
    "MetricContext": "metrics",
    "MetricScore": "metrics",
    "Progress": "metrics",
    "Scores": "metrics",
    "SegmentMetric": "metrics",
    "SystemOutputs": "metrics",
}

__all__ = [
    "ConfigError",
    "Estimator",
    "Feature",
    "FeatureBatch",
    "InputError",
    "JavaModule",
    "JavaSettings",
    "KeyMatcher",
    "Language",
    "Lemmatizer",
    "Match",
    "Matcher",
    "MatcherContext",
    "Measure",
    "MeteorError",
    "Metric",
    "MetricContext",
    "MetricScore",
    "NonbreakingPrefixes",
    "Normalization",
    "PhraseMatcher",
    "PhraseTable",
    "PluginError",
    "PluginWarning",
    "Progress",
    "ReferenceFeature",
    "ResourceError",
    "Resources",
    "Scores",
    "SegmentFeature",
    "SegmentMetric",
    "Segmenter",
    "SimilarityMatcher",
    "SynonymTable",
    "SystemOutputs",
    "Task",
    "Token",
    "hookimpl",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(f"meteor_e.api.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'meteor_e.api' has no attribute {name!r}")
