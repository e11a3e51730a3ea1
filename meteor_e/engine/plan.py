"""What the native core has to know of a matcher: its family, and where its features come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from meteor_e.api.matchers import (
    ContextualMatcher,
    KeyMatcher,
    Matcher,
    OverlapMatcher,
    PhraseMatcher,
    SimilarityMatcher,
)
from meteor_e.base.errors import ConfigError

_MAX_WEIGHT = 1 << 20


class PlannedMatcher(NamedTuple):
    """A matcher of the chain; the core reads all fields but the first, by name.

    Attributes:
        matcher: the matcher itself.
        family: ``exact``, ``keys``, ``strings``, ``synonyms``, ``overlap``, ``ngrams``,
            ``characters``, ``subsequence``, ``similarity``, ``contextual``, ``phrases`` or ``proposals``.
        column: which one it is of those whose features are kept alike.
        search_weight, accuracy_search_weight, match_equal_words, graded: as the matcher has them.
        threshold, below: the similarities that match.
        longest: characters of the longest n-grams, of the family ``ngrams``.
        resource: parameters and sections, by name, of the index that the core reads itself, else ``None``.
    """

    matcher: Matcher
    family: str
    column: int
    search_weight: float
    accuracy_search_weight: float
    match_equal_words: bool
    graded: bool
    threshold: float
    below: float
    longest: int
    resource: Mapping[str, Any] | None


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
        """Whether tokens must be kept as Python objects: a matcher is asked for each pair or sentence."""
        return bool(self.proposers or self.encoders)

    @property
    def encoders(self) -> list[PlannedMatcher]:
        """Matchers that give the vectors of whole sentences."""
        return [planned for planned in self.matchers if planned.family == "contextual"]


def plan(matchers: Sequence[Matcher]) -> Plan | None:
    """Plan a chain for the native core; ``None`` if it cannot run there (weights beyond all reason)."""
    for matcher in matchers:
        for weight in (matcher.search_weight, matcher.accuracy_search_weight):
            if not abs(weight) <= _MAX_WEIGHT:
                return None
    columns: dict[str, int] = {}
    planned = []
    for matcher in matchers:
        family = family_of(matcher)
        kind = "keys" if family in ("strings", "synonyms", "overlap", "ngrams") else family
        column = columns.get(kind, 0)
        columns[kind] = column + 1
        similar = matcher if isinstance(matcher, SimilarityMatcher | ContextualMatcher | OverlapMatcher) else None
        planned.append(
            PlannedMatcher(
                matcher=matcher,
                family=family,
                column=column,
                search_weight=matcher.search_weight,
                accuracy_search_weight=matcher.accuracy_search_weight,
                match_equal_words=isinstance(matcher, KeyMatcher) and matcher.match_equal_words,
                graded=matcher.graded,
                threshold=similar.options.threshold if similar is not None else 0.0,
                # Similarities are 1 at most except for rounding, so that 2 is no bound.
                below=2.0 if (below := getattr(matcher.options, "below", None)) is None else below,
                longest=matcher.options.longest if family == "ngrams" else 0,
                resource=_resource(matcher, family),
            )
        )
    return Plan(tuple(planned))


def family_of(matcher: Matcher) -> str:
    """Return the family that the native core runs a matcher as."""
    # Not inherited: a class that derives from one of ours may look for other keys.
    own = vars(type(matcher)).get("core_family")
    if own is not None and (own != "synonyms" or _is_synonym_index(matcher)):
        return str(own)
    # A class of a family that overrides how the family works stands outside it.
    if isinstance(matcher, KeyMatcher) and _inherits(matcher, KeyMatcher, "match", "_cached_keys"):
        return "keys"
    if isinstance(matcher, OverlapMatcher) and _inherits(matcher, OverlapMatcher, "match", "distinct_pieces"):
        return "overlap"
    if isinstance(matcher, SimilarityMatcher) and _inherits(matcher, SimilarityMatcher, "match", "_rows"):
        return "similarity"
    if isinstance(matcher, ContextualMatcher) and _inherits(
        matcher, ContextualMatcher, "match", "sentence_rows", "_rows"
    ):
        return "contextual"
    if isinstance(matcher, PhraseMatcher) and _inherits(matcher, PhraseMatcher, "match", "_phrases", "_pairs"):
        from meteor_e.packs.indexes import ParaphraseIndex

        return "phrases" if type(matcher.table) is ParaphraseIndex else "proposals"
    return "proposals"


def _inherits(matcher: Matcher, family: Any, *methods: str) -> bool:
    return all(
        getattr(type(matcher), method) is getattr(family, method) and method not in vars(matcher) for method in methods
    )


def _is_synonym_index(matcher: Matcher) -> bool:
    from meteor_e.packs.indexes import SynonymIndex

    return type(matcher.synonyms) is SynonymIndex  # type: ignore[attr-defined]


def _is_empty_table(matcher: Matcher) -> bool:
    return isinstance(matcher, PhraseMatcher) and _inherits(matcher, PhraseMatcher, "match") and matcher.table is None


def _resource(matcher: Matcher, family: str) -> dict[str, Any] | None:
    """Return the matcher's index, for the core: the header was checked, all else is where it is read."""
    if family not in ("synonyms", "phrases"):
        return None
    index: Any = matcher.table if isinstance(matcher, PhraseMatcher) else matcher.synonyms  # type: ignore[attr-defined]
    if index is None:
        raise ConfigError(f"matcher {matcher.name!r} has no table")
    file = index.file
    words, probes, starting_words, node_count = file.parameters[:4]
    parameters = {"words": words, "probes": probes}
    if family == "phrases":
        parameters.update(starting_words=starting_words, node_count=node_count)
    return {"path": str(file.path), **parameters, **file.sections}
