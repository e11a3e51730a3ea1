"""The public contract of plugins: all that matchers, lemmatizers, segmenters, features and languages are made from.

A plugin imports this package and, for its tests, :mod:`meteor_e.testing`. The names are also at the top of
:mod:`meteor_e`. ``docs/plugins.md`` is the manual. It says in which version of the contract each name came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.api.context import MatcherContext, PhraseTable, Resources, SynonymTable
    from meteor_e.api.estimators import Estimator
    from meteor_e.api.features import Feature, FeatureBatch, ReferenceFeature, SegmentFeature
    from meteor_e.api.hooks import API_VERSION, hookimpl
    from meteor_e.api.java_modules import JavaModule, JavaSettings
    from meteor_e.api.languages import Language, NonbreakingPrefixes, Normalization, Task
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import (
        ContextualMatcher,
        KeyMatcher,
        Match,
        Matcher,
        PhraseMatcher,
        SentenceMemory,
        SimilarityMatcher,
    )
    from meteor_e.api.measures import Agreement, Measure
    from meteor_e.api.metrics import (
        Metric,
        MetricContext,
        MetricScore,
        Progress,
        Scores,
        SegmentMetric,
        SystemOutputs,
        named_options,
    )
    from meteor_e.api.options import ComponentOptions, FilePath, FolderPath, Meta, SimilarityOptions
    from meteor_e.api.segmenters import Segmenter
    from meteor_e.api.tables import ScoreRun, ScoreRunner, SystemInput, TableFormat, TextColumns, TextTable
    from meteor_e.api.tokens import Token
    from meteor_e.base.errors import (
        ConfigError,
        InputError,
        MeteorError,
        MeteorWarning,
        PluginError,
        PluginWarning,
        ResourceError,
        located,
        near_miss,
    )
    from meteor_e.base.guard import guarded

__all__ = [
    "API_VERSION",
    "Agreement",
    "Component",
    "ComponentOptions",
    "ConfigError",
    "ContextualMatcher",
    "Estimator",
    "Feature",
    "FeatureBatch",
    "FilePath",
    "FolderPath",
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
    "Meta",
    "MeteorError",
    "MeteorWarning",
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
    "ScoreRun",
    "ScoreRunner",
    "Scores",
    "SegmentFeature",
    "SegmentMetric",
    "Segmenter",
    "SentenceMemory",
    "SimilarityMatcher",
    "SimilarityOptions",
    "SynonymTable",
    "SystemInput",
    "SystemOutputs",
    "TableFormat",
    "Task",
    "TextColumns",
    "TextTable",
    "Token",
    "guarded",
    "hookimpl",
    "located",
    "named_options",
    "near_miss",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        ".base.errors": [
            "ConfigError",
            "InputError",
            "MeteorError",
            "MeteorWarning",
            "PluginError",
            "PluginWarning",
            "ResourceError",
            "located",
            "near_miss",
        ],
        ".base.guard": ["guarded"],
        "component": ["Component"],
        "context": ["MatcherContext", "PhraseTable", "Resources", "SynonymTable"],
        "estimators": ["Estimator"],
        "features": ["Feature", "FeatureBatch", "ReferenceFeature", "SegmentFeature"],
        "hooks": ["API_VERSION", "hookimpl"],
        "java_modules": ["JavaModule", "JavaSettings"],
        "languages": ["Language", "NonbreakingPrefixes", "Normalization", "Task"],
        "lemmatizers": ["Lemmatizer"],
        "matchers": [
            "ContextualMatcher",
            "KeyMatcher",
            "Match",
            "Matcher",
            "PhraseMatcher",
            "SentenceMemory",
            "SimilarityMatcher",
        ],
        "measures": ["Agreement", "Measure"],
        "metrics": [
            "Metric",
            "MetricContext",
            "MetricScore",
            "Progress",
            "Scores",
            "SegmentMetric",
            "SystemOutputs",
            "named_options",
        ],
        "options": ["ComponentOptions", "FilePath", "FolderPath", "Meta", "SimilarityOptions"],
        "segmenters": ["Segmenter"],
        "tables": ["ScoreRun", "ScoreRunner", "SystemInput", "TableFormat", "TextColumns", "TextTable"],
        "tokens": ["Token"],
    },
)
