"""Collect the matches of words and phrases that the matchers of a chain propose for a pair of segments."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, OverlapMatcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import InputError, PluginError, plugin_errors
from meteor_e.scoring.alignment import AlignedMatch
from meteor_e.text.identity import Identity

MAX_CANDIDATES = 4_000_000
"""Maximum number of candidates of a pair of segments. A list that reference positions share is counted once."""

SEPARATE_CANDIDATES = 1 << 16
"""Number of candidates of a pair of segments above which reference positions share lists.

The number of candidates grows with the product of a word's occurrences in both segments. Reference positions have the
same candidates if they have the same token and the same phrases start there. Such positions can share one list.
"""

MAX_SHARED_WORDS = 10_000
"""Number of words of a segment above which reference positions never share lists, which would take too much time."""

_SEPARATOR = Token("")
"""A token that does not occur in segments or in the phrases of tables."""

_UNSHAREABLE_FAMILIES = frozenset({"proposals", "contextual", "overlap", "ngrams"})
"""Families whose candidates may depend on more than the token and the phrases at a reference position."""


class Candidates(NamedTuple):
    """Store the candidate matches of a hypothesis and a reference.

    Attributes:
        by_reference: for each reference position, the candidates that start at this position, in the order of the
            proposals. Positions may share a list. The ``reference_start`` of its candidates is then the first of these
            positions.
        fixed: for each reference position, the match that is fixed before the search, or ``None``.
    """

    by_reference: list[list[AlignedMatch]]
    fixed: list[AlignedMatch | None]


class _CandidateLists(NamedTuple):
    """Store lists of candidate matches. Several reference positions may share the same list.

    Attributes:
        lists: the distinct lists.
        list_indexes: for each reference position the index of its list.
    """

    lists: list[list[AlignedMatch]]
    list_indexes: Sequence[int]


def collect_candidates(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token], identity: Identity = str
) -> Candidates:
    """Collect the matches that all matchers propose. Matches without alternatives are marked as fixed.

    If the hypothesis and the reference have the same words, only the first matcher is used. A match is fixed if none of
    its words occurs in another candidate match.

    Args:
        matchers: the chain.
        hypothesis: tokens of the hypothesis.
        reference: tokens of the reference.
        identity: function that returns equal values for words that count as equal.

    Raises:
        InputError: if the pair has more than :data:`MAX_CANDIDATES` candidates.
        PluginError: if a matcher fails, or proposes words that do not exist.
    """
    used_matchers = matchers[:1] if _have_same_words(hypothesis, reference, identity) else matchers
    candidates = _collect_lists(used_matchers, hypothesis, reference)
    return Candidates(
        by_reference=[candidates.lists[list_index] for list_index in candidates.list_indexes],
        fixed=_find_fixed_matches(candidates, hypothesis_size=len(hypothesis)),
    )


def _have_same_words(hypothesis: Sequence[Token], reference: Sequence[Token], identity: Identity) -> bool:
    """Return whether two segments consist of the same words in the same order."""
    if hypothesis == reference:
        return True
    if identity is str:
        return False
    return [identity(token.form) for token in hypothesis] == [identity(token.form) for token in reference]


def _collect_lists(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> _CandidateLists:
    """Collect candidate matches in one list per reference position, or in shared lists if there are many candidates."""
    proposals = (_propose_matches(index, matcher, hypothesis, reference) for index, matcher in enumerate(matchers))
    matches = chain.from_iterable(proposals)
    separate_limit = min(SEPARATE_CANDIDATES, MAX_CANDIDATES)
    # Collecting the candidates may take long, so they are counted only until the limit is exceeded.
    first_matches = list(islice(matches, separate_limit + 1))
    has_many_matches = len(first_matches) > separate_limit
    if has_many_matches and _can_share_lists(matchers, hypothesis, reference):
        return _collect_shared_lists(matchers, hypothesis, reference)
    all_matches = chain(first_matches, matches)
    return _divide_matches(all_matches, range(len(reference)), len(hypothesis))


def _divide_matches(
    matches: Iterable[AlignedMatch], list_indexes: Sequence[int], hypothesis_size: int
) -> _CandidateLists:
    """Add each candidate match to the list for its position in the reference. Several positions can share a list.

    Args:
        matches: the candidate matches.
        list_indexes: for each reference position the index of its list.
        hypothesis_size: number of words of the hypothesis, for the error message.

    Raises:
        InputError: if there are more than :data:`MAX_CANDIDATES` candidates.
    """
    list_count = len(set(list_indexes))
    lists: list[list[AlignedMatch]] = [[] for _ in range(list_count)]
    for match_count, match in enumerate(matches, 1):
        if match_count > MAX_CANDIDATES:
            raise too_many_candidates(hypothesis_size, reference_size=len(list_indexes))
        lists[list_indexes[match.reference_start]].append(match)
    return _CandidateLists(lists, list_indexes)


def _propose_matches(
    index: int, matcher: Matcher, hypothesis: Sequence[Token], reference: Sequence[Token]
) -> Iterator[AlignedMatch]:
    """Yield the matches that a matcher proposes for a pair of segments.

    Args:
        index: index of the matcher in the chain.
        matcher: the matcher.
        hypothesis: tokens of the hypothesis.
        reference: tokens of the reference.

    Raises:
        PluginError: if the matcher fails, or a match lies outside the segments.
    """
    with plugin_errors(f"matcher {matcher.name!r}"):
        for match in matcher.match(hypothesis, reference):
            candidate = _make_candidate(index, match)
            if not _is_inside(candidate, len(hypothesis), len(reference)):
                raise misplaced_match(matcher.name, Match(*match), len(hypothesis), len(reference))
            yield candidate


def _make_candidate(matcher_index: int, match: Match) -> AlignedMatch:
    """Convert a match that a matcher proposes to a candidate. Positions that are not integers raise TypeError."""
    # The fields are not accessed by name, because matchers may also yield plain tuples.
    reference_start, hypothesis_start, reference_length, hypothesis_length, probability = match
    return AlignedMatch(
        operator.index(reference_start),
        reference_length,
        operator.index(hypothesis_start),
        hypothesis_length,
        matcher_index,
        probability,
    )


def _is_inside(match: AlignedMatch, hypothesis_size: int, reference_size: int) -> bool:
    """Return whether a match has at least one word in both segments, and does not extend beyond the segments."""
    hypothesis_end = match.hypothesis_start + match.hypothesis_length
    reference_end = match.reference_start + match.reference_length
    return (
        0 <= match.hypothesis_start < hypothesis_end <= hypothesis_size
        and 0 <= match.reference_start < reference_end <= reference_size
    )


def _can_share_lists(matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]) -> bool:
    """Return whether equal reference positions can share a candidate list.

    Two positions of a reference are treated as equal if they contain the same token, and if the same phrases of the
    paraphrase tables start at both positions.
    """
    if max(len(hypothesis), len(reference)) > MAX_SHARED_WORDS:
        return False
    return all(family_of(matcher) not in _UNSHAREABLE_FAMILIES for matcher in matchers)


def _collect_shared_lists(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> _CandidateLists:
    """Collect candidate matches in lists. Repeated words of the reference share a list if their phrases are equal.

    The reference positions that share a list form a group. Matchers compare the hypothesis with only the first position
    of each group, because the other positions would have the same matches.
    """
    phrase_matchers = {index: matcher for index, matcher in enumerate(matchers) if family_of(matcher) == "phrases"}
    phrases_by_matcher = {index: _find_phrases(matcher, reference) for index, matcher in phrase_matchers.items()}
    groups = _group_positions(reference, list(phrases_by_matcher.values()))
    matches = _propose_matches_at(groups.first_positions, matchers, hypothesis, reference, phrases_by_matcher)
    return _divide_matches(matches, groups.group_indexes, len(hypothesis))


_Phrases = Sequence[Sequence[tuple[int, int]]]
"""For each position of a segment, ``(length, id)`` of the phrases that start at this position, from short to long."""


def _find_phrases(matcher: Matcher, reference: Sequence[Token]) -> _Phrases:
    """Find all phrases of a reference that occur in the table of a phrase matcher."""
    assert isinstance(matcher, PhraseMatcher)
    table = matcher.table
    assert table is not None
    word_ids = [table.word_id(token.form) for token in reference]
    return [table.phrases_at(word_ids, start) for start in range(len(word_ids))]


class _PositionGroups(NamedTuple):
    """Store groups of reference positions that have the same token and the same phrases.

    Attributes:
        group_indexes: for each position the index of its group.
        first_positions: the first position of each group.
    """

    group_indexes: list[int]
    first_positions: list[int]


def _group_positions(reference: Sequence[Token], phrases_of_matchers: Sequence[_Phrases]) -> _PositionGroups:
    """Group the reference positions that have the same token and the same phrases.

    Args:
        reference: tokens of the reference.
        phrases_of_matchers: for each phrase matcher the phrases that start at each reference position.
    """
    group_by_key: dict[Hashable, int] = {}
    group_indexes = []
    first_positions = []
    for position, token in enumerate(reference):
        position_phrases = [tuple(phrases[position]) for phrases in phrases_of_matchers]
        key = (token, *position_phrases)
        if key not in group_by_key:
            group_by_key[key] = len(group_by_key)
            first_positions.append(position)
        group_indexes.append(group_by_key[key])
    return _PositionGroups(group_indexes, first_positions)


class _Excerpt(NamedTuple):
    """Store the words of a reference that a matcher compares with the hypothesis.

    Attributes:
        words: the words.
        positions: for each index in ``words`` at which a match may start, the position in the reference.
    """

    words: list[Token]
    positions: Mapping[int, int]

    def propose_matches(self, index: int, matcher: Matcher, hypothesis: Sequence[Token]) -> Iterator[AlignedMatch]:
        """Yield the matches that a matcher proposes. Their positions refer to the whole reference.

        Args:
            index: index of the matcher in the chain.
            matcher: the matcher.
            hypothesis: tokens of the hypothesis.
        """
        for match in _propose_matches(index, matcher, hypothesis, self.words):
            position = self.positions.get(match.reference_start)
            if position is not None:
                yield match._replace(reference_start=position)


def _propose_matches_at(
    positions: Sequence[int],
    matchers: Sequence[Matcher],
    hypothesis: Sequence[Token],
    reference: Sequence[Token],
    phrases_by_matcher: Mapping[int, _Phrases],
) -> Iterator[AlignedMatch]:
    """Yield the matches that all matchers propose at certain reference positions.

    Args:
        positions: the positions.
        matchers: the chain.
        hypothesis: tokens of the hypothesis.
        reference: tokens of the reference.
        phrases_by_matcher: the phrases that start at each reference position, by the index of the phrase matcher.
    """
    for index, matcher in enumerate(matchers):
        if index in phrases_by_matcher:
            excerpt = _copy_phrases(reference, positions, phrases_by_matcher[index])
        else:
            excerpt = _copy_words(reference, positions)
        yield from excerpt.propose_matches(index, matcher, hypothesis)


def _copy_words(reference: Sequence[Token], positions: Sequence[int]) -> _Excerpt:
    """Copy the words at certain positions of a reference."""
    return _Excerpt([reference[position] for position in positions], dict(enumerate(positions)))


def _copy_phrases(reference: Sequence[Token], positions: Sequence[int], phrases: _Phrases) -> _Excerpt:
    """For each given position, copy the longest phrase that starts there. A separator follows each copy.

    Args:
        reference: tokens of the reference.
        positions: the positions.
        phrases: the phrases that start at each reference position.
    """
    words: list[Token] = []
    position_by_start = {}
    for position in positions:
        if phrases[position]:
            # Phrases are sorted by length, so the last phrase is the longest phrase.
            longest_length, _ = phrases[position][-1]
            start = len(words)
            position_by_start[start] = position
            words += [*reference[position : position + longest_length], _SEPARATOR]
    return _Excerpt(words, position_by_start)


class _Cover(NamedTuple):
    """Store for each word the number of candidate matches that contain the word.

    Attributes:
        hypothesis: the numbers for the words of the hypothesis.
        reference: the numbers for the words of the reference.
    """

    hypothesis: list[int]
    reference: list[int]

    def is_unrivaled(self, match: AlignedMatch, reference_start: int) -> bool:
        """Return whether a match does not share any word with another candidate match.

        Args:
            match: the match.
            reference_start: the reference position of the match, because several positions may share the match.
        """
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
        hypothesis_counts = self.hypothesis[match.hypothesis_start : hypothesis_end]
        reference_counts = self.reference[reference_start : reference_start + match.reference_length]
        return max(hypothesis_counts) == 1 and max(reference_counts) == 1


def _find_fixed_matches(candidates: _CandidateLists, hypothesis_size: int) -> list[AlignedMatch | None]:
    """Return the fixed match of each reference position, or ``None`` if the position does not have a fixed match.

    Args:
        candidates: the lists of candidates.
        hypothesis_size: number of words of the hypothesis.
    """
    cover = _Cover(_count_hypothesis_cover(candidates, hypothesis_size), _count_reference_cover(candidates))
    fixed: list[AlignedMatch | None] = []
    for position, list_index in enumerate(candidates.list_indexes):
        matches = candidates.lists[list_index]
        is_fixed = len(matches) == 1 and cover.is_unrivaled(matches[0], position)
        fixed.append(matches[0] if is_fixed else None)
    return fixed


def _count_hypothesis_cover(candidates: _CandidateLists, hypothesis_size: int) -> list[int]:
    """Count the candidate matches that contain each hypothesis word."""
    candidate_counts = [0] * hypothesis_size
    position_counts = Counter(candidates.list_indexes)
    for list_index, matches in enumerate(candidates.lists):
        for match in matches:
            for word in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
                candidate_counts[word] += position_counts[list_index]
    return candidate_counts


def _count_reference_cover(candidates: _CandidateLists) -> list[int]:
    """Count the candidate matches that contain each reference word."""
    candidate_counts = [0] * len(candidates.list_indexes)
    # Several reference positions may share a list of matches, so the match lengths are counted once for each list.
    length_counts = [Counter(match.reference_length for match in matches) for matches in candidates.lists]
    for start, list_index in enumerate(candidates.list_indexes):
        for length, match_count in length_counts[list_index].items():
            for word in range(start, start + length):
                candidate_counts[word] += match_count
    return candidate_counts


def misplaced_match(name: str, match: Match, hypothesis_size: int, reference_size: int) -> PluginError:
    """Create the exception for a match that extends beyond the end of a segment.

    Args:
        name: name of the matcher that proposed the match.
        match: the match.
        hypothesis_size, reference_size: number of words of the segments.
    """
    reference_end = match.reference_start + match.reference_length
    hypothesis_end = match.hypothesis_start + match.hypothesis_length
    return PluginError(
        f"matcher {name!r} proposed reference words {match.reference_start} to {reference_end - 1} and "
        f"hypothesis words {match.hypothesis_start} to {hypothesis_end - 1} of a pair with {reference_size} and "
        f"{hypothesis_size} words"
    )


def too_many_candidates(hypothesis_size: int, reference_size: int) -> InputError:
    """Return the error for a pair with more than :data:`MAX_CANDIDATES` candidates."""
    return InputError(
        f"a segment of {hypothesis_size} words and its reference of {reference_size} words have more "
        f"than {MAX_CANDIDATES} candidate matches, because words repeat; split the segment"
    )


_FAMILIES: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (KeyMatcher, "keys", ("match",)),
    (OverlapMatcher, "overlap", ("match", "distinct_pieces")),
    (SimilarityMatcher, "similarity", ("match", "_rows")),
    (ContextualMatcher, "contextual", ("match", "sentence_rows", "_rows")),
    (PhraseMatcher, "phrases", ("match",)),
)
"""The base classes of matchers, with the names of their families and the methods that matchers must not override.

A matcher that overrides one of these methods does not belong to the family of its base class.
"""


def family_of(matcher: Matcher) -> str:
    """Return the family of a matcher. The family tells the C++ core how to run the matcher.

    The C++ core computes the matches of most families. Matchers of the family ``proposals`` run in Python.
    """
    # The core_family of a base class is ignored, because a subclass may compare words differently than the C++ core.
    core_family: str | None = vars(type(matcher)).get("core_family")
    if core_family is not None and _has_readable_table(matcher, core_family):
        return core_family
    inherited_family = _inherited_family(matcher)
    return inherited_family if _has_readable_table(matcher, inherited_family) else "proposals"


def _has_readable_table(matcher: Matcher, family: str) -> bool:
    """Return whether the C++ core can read the table of a matcher. For families without tables, return True."""
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

    table_classes = {"synonyms": SynonymIndex, "phrases": ParaphraseIndex}
    return family not in table_classes or type(matcher.table) is table_classes[family]  # type: ignore[attr-defined]


def _inherited_family(matcher: Matcher) -> str:
    """Return the family of the base class whose methods a matcher inherits without changes.

    For any other matcher, return the family ``proposals``.
    """
    for base_class, family, methods in _FAMILIES:
        if isinstance(matcher, base_class) and inherits_methods(matcher, base_class, *methods):
            return family
    return "proposals"


def inherits_methods(matcher: Matcher, base_class: Any, *methods: str) -> bool:
    """Return whether a matcher inherits certain methods from a base class without overriding any of them."""
    return all(
        getattr(type(matcher), method) is getattr(base_class, method) and method not in vars(matcher)
        for method in methods
    )
