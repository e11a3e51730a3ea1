"""Matchers: which words and phrases may match."""

from meteor_e.matchers.base import (
    KeyMatcher,
    Match,
    Matcher,
    MatcherContext,
    PhraseMatcher,
    PhraseTable,
    SimilarityMatcher,
)

__all__ = [
    "KeyMatcher",
    "Match",
    "Matcher",
    "MatcherContext",
    "PhraseMatcher",
    "PhraseTable",
    "SimilarityMatcher",
]
