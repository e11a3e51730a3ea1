"""What the native core has to know of a matcher: its family, and where its features come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from meteor_e.api.matchers import KeyMatcher, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.base.errors import ConfigError

__all__ = ["Plan", "PlannedMatcher", "plan"]

_MAX_WEIGHT = 1 << 20


class PlannedMatcher(NamedTuple):
    """A matcher of the chain, as the core handles it.

    Attributes:
        matcher: the matcher itself.
        family: ``exact``, ``keys``, ``strings``, ``synonyms``, ``similarity``, ``phrases`` or ``proposals``.
        column: which one it is of those whose features are kept alike.
        sections: of the index that the core reads itself, else ``None``.
    """

    matcher: Matcher
    family: str
    column: int
    sections: tuple[Any, ...] | None

    def specification(self) -> tuple[Any, ...]:
        """Return what :class:`meteor_e._native.Core` takes."""
        matcher = self.matcher
        return (
            self.family,
            matcher.search_weight,
            matcher.accuracy_search_weight,
            self.column,
            isinstance(matcher, KeyMatcher) and matcher.match_equal_words,
            matcher.threshold if isinstance(matcher, SimilarityMatcher) else 0.0,
            self.sections,
            # Similarities are 1 at most but for rounding, so that 2 is no bound.
            matcher.below if isinstance(matcher, SimilarityMatcher) and matcher.below is not None else 2.0,
        )


class Plan(NamedTuple):
    """All matchers of a chain."""

    matchers: tuple[PlannedMatcher, ...]

    @property
    def proposers(self) -> list[tuple[int, PlannedMatcher]]:
        """Place and plan of the matchers that are asked in Python for each pair of segments."""
        return [
            (place, planned)
            for place, planned in enumerate(self.matchers)
            if planned.family == "proposals" and not _is_empty_table(planned.matcher)
        ]

    def needs_tokens(self) -> bool:
        """Whether tokens must be kept as Python objects: a matcher is asked for each pair."""
        return bool(self.proposers)


def plan(matchers: Sequence[Matcher]) -> Plan | None:
    """Plan a chain for the native core; ``None`` if it cannot run there (weights beyond all reason)."""
    for matcher in matchers:
        for weight in (matcher.search_weight, matcher.accuracy_search_weight):
            if not abs(weight) <= _MAX_WEIGHT:
                return None
    columns: dict[str, int] = {}
    planned = []
    for matcher in matchers:
        family = _family(matcher)
        kind = "keys" if family in ("strings", "synonyms") else family
        column = columns.get(kind, 0)
        columns[kind] = column + 1
        planned.append(PlannedMatcher(matcher, family, column, _sections(matcher, family)))
    return Plan(tuple(planned))


_BUILT_IN = {
    "meteor_e.matchers.exact.ExactMatcher": "exact",
    "meteor_e.matchers.stem.StemMatcher": "strings",
    "meteor_e.matchers.synonym.SynonymMatcher": "synonyms",
}
"""By name, so that a chain without them does not import them. A class that derives from one is not in it."""


def _family(matcher: Matcher) -> str:
    kind = type(matcher)
    built_in = _BUILT_IN.get(f"{kind.__module__}.{kind.__qualname__}")
    if built_in is not None and (built_in != "synonyms" or _is_synonym_index(matcher)):
        return built_in
    # A class of a family that overrides how the family works stands outside it.
    if isinstance(matcher, KeyMatcher) and _inherits(matcher, KeyMatcher, "match", "_cached_keys"):
        return "keys"
    if isinstance(matcher, SimilarityMatcher) and _inherits(matcher, SimilarityMatcher, "match", "_rows"):
        return "similarity"
    if isinstance(matcher, PhraseMatcher) and _inherits(matcher, PhraseMatcher, "match", "_phrases", "_pairs"):
        from meteor_e.packs.paraphrases import ParaphraseIndex

        return "phrases" if type(matcher.table) is ParaphraseIndex else "proposals"
    return "proposals"


def _inherits(matcher: Matcher, family: Any, *methods: str) -> bool:
    return all(
        getattr(type(matcher), method) is getattr(family, method) and method not in vars(matcher) for method in methods
    )


def _is_synonym_index(matcher: Matcher) -> bool:
    from meteor_e.packs.synonyms import SynonymIndex

    return type(matcher.synonyms) is SynonymIndex  # type: ignore[attr-defined]


def _is_empty_table(matcher: Matcher) -> bool:
    return isinstance(matcher, PhraseMatcher) and _inherits(matcher, PhraseMatcher, "match") and matcher.table is None


def _sections(matcher: Matcher, family: str) -> tuple[Any, ...] | None:
    """Map the matcher's index again, for the core: the header is checked here, all else where it is read."""
    if family not in ("synonyms", "phrases"):
        return None
    from meteor_e.packs import paraphrases, synonyms
    from meteor_e.packs.indexfile import IndexFile

    if family == "synonyms":
        path, layout = matcher.synonyms.path, synonyms.LAYOUT  # type: ignore[attr-defined]
    elif isinstance(matcher, PhraseMatcher) and matcher.table is not None:
        path, layout = matcher.table.path, paraphrases.LAYOUT  # type: ignore[attr-defined]
    else:
        raise ConfigError(f"matcher {matcher.name!r} has no table")
    file = IndexFile.open(path, layout)
    words, probes = file.parameters[:2]
    numbers = file.parameters[2:4] if family == "phrases" else ()
    views = list(file.sections.values())
    return (str(path), words, probes, *views[:3], *numbers, *views[3:])
