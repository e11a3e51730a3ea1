"""Everything that a plugin imports.

A plugin needs this module and, for its tests, :mod:`meteor_e.testing`. Names that are not listed here may change
in any release.
"""

from __future__ import annotations

from meteor_e.api.context import MatcherContext, PhraseTable, Resources, SynonymTable
from meteor_e.api.features import Feature, FeatureBatch, ReferenceFeature, SegmentFeature
from meteor_e.api.hooks import hookimpl
from meteor_e.api.languages import Language, NonbreakingPrefixes, Normalization, Task
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.segmenters import Segmenter
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, InputError, MeteorError, PluginError, PluginWarning, ResourceError

__all__ = [
    "ConfigError",
    "Feature",
    "FeatureBatch",
    "InputError",
    "KeyMatcher",
    "Language",
    "Lemmatizer",
    "Match",
    "Matcher",
    "MatcherContext",
    "MeteorError",
    "NonbreakingPrefixes",
    "Normalization",
    "PhraseMatcher",
    "PhraseTable",
    "PluginError",
    "PluginWarning",
    "ReferenceFeature",
    "ResourceError",
    "Resources",
    "SegmentFeature",
    "Segmenter",
    "SimilarityMatcher",
    "SynonymTable",
    "Task",
    "Token",
    "hookimpl",
]
