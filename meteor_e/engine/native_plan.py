"""Prepare the data that the C++ core reads from Python, such as the matchers of a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from meteor_e.api.contextual_matchers import VECTOR_GRID
from meteor_e.api.matchers import KeyMatcher, Matcher, PhraseMatcher
from meteor_e.engine import candidates, search
from meteor_e.engine.candidates import family_of, inherits_methods
from meteor_e.matchers import pieces
from meteor_e.scoring import characters, statistics

MAX_SEARCH_WEIGHT = 1 << 20
"""The largest search weight with which the core computes."""

_NO_UPPER_BOUND = 2.0
"""An upper bound that no similarity reaches. Rounding errors can make a similarity slightly greater than 1."""

_KEY_FAMILIES = ("keys", "strings", "synonyms", "overlap", "ngrams")
"""Families whose features the core keeps as keys of words."""


class CoreLimits(NamedTuple):
    """Store constants that the Python engine and the C++ core have in common. The core reads all fields by name.

    Attributes:
        max_candidates: maximum number of candidates of a pair of segments.
        separate_candidates: number of candidates above which reference positions share lists.
        max_shared_words: number of words of a segment above which positions never share lists.
        max_paths: maximum number of paths at a reference position.
        max_search_weight: maximum search weight.
        graded_unit: number of units that a word counts if matches are graded.
        segment_unit: mean length of hypothesis and reference in units if all segments count equally.
        vector_grid: number by which the coordinates of contextual vectors are multiplied before they are rounded.
        max_word_characters: number of characters of a word that are split into n-grams.
        repeated_ngram: length of the n-grams whose repetition is penalized, in characters.
        repetition_penalty: part of the repeated fraction by which precision and recall are reduced.
        subsequence_characters: number of characters of a segment in which common subsequences are computed.
    """

    max_candidates: int
    separate_candidates: int
    max_shared_words: int
    max_paths: int
    max_search_weight: int
    graded_unit: int
    segment_unit: int
    vector_grid: int
    max_word_characters: int
    repeated_ngram: int
    repetition_penalty: float
    subsequence_characters: int


def core_limits() -> CoreLimits:
    """Return the limits of the Python engine, which also apply to the C++ core."""
    return CoreLimits(
        max_candidates=candidates.MAX_CANDIDATES,
        separate_candidates=candidates.SEPARATE_CANDIDATES,
        max_shared_words=candidates.MAX_SHARED_WORDS,
        max_paths=search.MAX_PATHS,
        max_search_weight=MAX_SEARCH_WEIGHT,
        graded_unit=statistics.GRADED_UNIT,
        segment_unit=statistics.SEGMENT_UNIT,
        vector_grid=VECTOR_GRID,
        max_word_characters=pieces.MAX_WORD_CHARACTERS,
        repeated_ngram=characters.REPEATED_NGRAM,
        repetition_penalty=characters.REPETITION_PENALTY,
        subsequence_characters=characters.MAX_ORDERED_CHARACTERS,
    )


class PlannedMatcher(NamedTuple):
    """A matcher's description for the C++ core. The core looks up every field except ``matcher`` by name.

    Attributes:
        matcher: the matcher itself.
        family: how the core runs the matcher: ``exact``, ``keys``, ``strings``, ``synonyms``, ``overlap``, ``ngrams``,
            ``characters``, ``subsequence``, ``similarity``, ``contextual``, ``phrases`` or ``proposals``.
        column: index of the matcher among those with the same kind of features.
        search_weight, accuracy_search_weight, match_equal_words, graded: the attributes of the matcher.
        threshold, below: the interval of similarities that match.
        longest: characters of the longest n-grams, for the family ``ngrams``.
        resource: parameters and sections of the index file that the core reads, if the matcher has one.
    """

    matcher: Matcher
    family: str
    column: int
    search_weight: float
    accuracy_search_weight: float
    match_equal_words: bool
    graded: bool
    threshold: float = 0.0
    below: float = _NO_UPPER_BOUND
    longest: int = 0
    resource: Mapping[str, Any] | None = None


def plan_chain(matchers: Sequence[Matcher]) -> tuple[PlannedMatcher, ...] | None:
    """Plan a chain for the native core.

    Returns:
        The planned matchers, or ``None`` if a search weight is too large for the core.
    """
    if not all(_has_small_search_weights(matcher) for matcher in matchers):
        return None
    # For each kind of feature, such as keys, the C++ core stores a table with one column per matcher.
    column_counts: Counter[str] = Counter()
    planned_matchers = []
    for matcher in matchers:
        family = family_of(matcher)
        feature_kind = "keys" if family in _KEY_FAMILIES else family
        planned_matchers.append(_plan_matcher(matcher, family, column=column_counts[feature_kind]))
        column_counts[feature_kind] += 1
    return tuple(planned_matchers)


def _has_small_search_weights(matcher: Matcher) -> bool:
    """Return whether both search weights of a matcher are within the limit of the C++ core. NaN is not allowed."""
    search_weights = (matcher.search_weight, matcher.accuracy_search_weight)
    return all(abs(weight) <= MAX_SEARCH_WEIGHT for weight in search_weights)


def _plan_matcher(matcher: Matcher, family: str, column: int) -> PlannedMatcher:
    """Describe a matcher for the C++ core. The attributes of :class:`PlannedMatcher` explain the arguments."""
    return PlannedMatcher(
        matcher=matcher,
        family=family,
        column=column,
        search_weight=matcher.search_weight,
        accuracy_search_weight=matcher.accuracy_search_weight,
        match_equal_words=isinstance(matcher, KeyMatcher) and matcher.match_equal_words,
        graded=matcher.graded,
        **_plan_family(matcher, family),
    )


def _plan_family(matcher: Any, family: str) -> dict[str, Any]:
    """Return the fields of :class:`PlannedMatcher` that only matchers of a certain family have."""
    match family:
        case "similarity" | "contextual":
            below = matcher.options.below
            return {
                "threshold": matcher.options.threshold,
                "below": _NO_UPPER_BOUND if below is None else below,
            }
        case "overlap":
            return {"threshold": matcher.options.threshold}
        case "ngrams":
            return {"threshold": matcher.options.threshold, "longest": matcher.options.longest}
        case "synonyms":
            return {"resource": _describe_index(matcher.table)}
        case "phrases":
            return {"resource": _describe_phrase_index(matcher.table)}
        case _:
            return {}


def has_empty_table(matcher: Matcher) -> bool:
    """Return whether a matcher cannot match anything because its phrase table is missing."""
    return (
        isinstance(matcher, PhraseMatcher)
        and inherits_methods(matcher, PhraseMatcher, "match")
        and matcher.table is None
    )


def _describe_index(index: Any) -> dict[str, Any]:
    """Describe an index file for the C++ core, which reads the file itself.

    Opening an index only checks its header. The C++ core therefore checks every entry that it reads.
    """
    words, probes, *_ = index.parameters
    return {"path": str(index.path), "words": words, "probes": probes, **index.sections}


def _describe_phrase_index(index: Any) -> dict[str, Any]:
    """Describe a phrase index file for the C++ core, which reads the file itself."""
    _, _, starting_words, node_count, *_ = index.parameters
    return {**_describe_index(index), "starting_words": starting_words, "node_count": node_count}
