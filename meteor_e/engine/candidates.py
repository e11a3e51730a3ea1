"""Collect the matches of words and phrases that the matchers of a chain propose for a pair of segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
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


class _SharedLists(NamedTuple):
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
    if _have_same_words(hypothesis, reference, identity):
        matchers = matchers[:1]
    separate_lists = _collect_separate_lists(matchers, hypothesis, reference)
    if separate_lists is None:
        candidate_lists, list_indexes = _collect_shared_lists(matchers, hypothesis, reference)
    else:
        candidate_lists, list_indexes = _SharedLists(separate_lists, range(len(reference)))
    return Candidates(
        by_reference=[candidate_lists[list_index] for list_index in list_indexes],
        fixed=_find_fixed_matches(candidate_lists, list_indexes, hypothesis_size=len(hypothesis)),
    )


def _have_same_words(hypothesis: Sequence[Token], reference: Sequence[Token], identity: Identity) -> bool:
    """Return whether two segments consist of the same words in the same order."""
    if hypothesis == reference:
        return True
    if identity is str:
        return False
    return [identity(token.form) for token in hypothesis] == [identity(token.form) for token in reference]


def _collect_separate_lists(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> list[list[AlignedMatch]] | None:
    """Collect a separate list of candidate matches for each reference position.

    If there are more than :data:`SEPARATE_CANDIDATES` candidates, and lists can be shared, the result is ``None``.
    """
    by_reference: list[list[AlignedMatch]] = [[] for _ in reference]
    candidate_count = 0
    sharing_limit = min(SEPARATE_CANDIDATES, MAX_CANDIDATES)
    for index, matcher in enumerate(matchers):
        with plugin_errors(f"matcher {matcher.name!r}"):
            for match in _propose_matches(index, matcher, hypothesis, reference):
                by_reference[match.reference_start].append(match)
                candidate_count += 1
                if candidate_count == sharing_limit + 1 and _can_share_lists(matchers, hypothesis, reference):
                    return None
                if candidate_count > MAX_CANDIDATES:
                    raise too_many_candidates(len(hypothesis), len(reference))
    return by_reference


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
        PluginError: if a match lies outside the segments.
    """
    reference_size, hypothesis_size = len(reference), len(hypothesis)
    matches = matcher.match(hypothesis, reference)
    for reference_start, hypothesis_start, reference_length, hypothesis_length, probability in matches:
        is_in_reference = 0 <= reference_start < reference_start + reference_length <= reference_size
        is_in_hypothesis = 0 <= hypothesis_start < hypothesis_start + hypothesis_length <= hypothesis_size
        if not (is_in_reference and is_in_hypothesis):
            match = Match(reference_start, hypothesis_start, reference_length, hypothesis_length)
            raise misplaced_match(matcher.name, match, hypothesis_size, reference_size)
        yield AlignedMatch(reference_start, reference_length, hypothesis_start, hypothesis_length, index, probability)


def _can_share_lists(matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]) -> bool:
    """Return whether reference positions with the same token and the same phrases can share their candidates."""
    if max(len(hypothesis), len(reference)) > MAX_SHARED_WORDS:
        return False
    return all(family_of(matcher) not in _UNSHAREABLE_FAMILIES for matcher in matchers)


def _collect_shared_lists(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> _SharedLists:
    """Collect candidate matches in lists. Repeated words of the reference share a list.

    Each matcher compares the hypothesis only with the first of the repeated words.
    """
    phrases_by_matcher: dict[int, _Phrases] = {}
    for index, matcher in enumerate(matchers):
        if family_of(matcher) == "phrases":
            phrases_by_matcher[index] = _find_phrases(matcher, reference)
    list_indexes, first_positions = _group_positions(reference, list(phrases_by_matcher.values()))
    candidate_lists: list[list[AlignedMatch]] = [[] for _ in first_positions]
    candidate_count = 0
    for index, matcher in enumerate(matchers):
        selected_words, list_by_start = _select_words(reference, first_positions, phrases_by_matcher.get(index))
        with plugin_errors(f"matcher {matcher.name!r}"):
            for match in _propose_matches(index, matcher, hypothesis, selected_words):
                list_index = list_by_start.get(match.reference_start)
                if list_index is None:
                    continue
                candidate_lists[list_index].append(match._replace(reference_start=first_positions[list_index]))
                candidate_count += 1
                if candidate_count > MAX_CANDIDATES:
                    raise too_many_candidates(len(hypothesis), len(reference))
    return _SharedLists(candidate_lists, list_indexes)


_Phrases = Sequence[Sequence[tuple[int, int]]]
"""For each position of a segment, ``(length, id)`` of the phrases that start at this position, from short to long."""


def _find_phrases(matcher: Matcher, reference: Sequence[Token]) -> _Phrases:
    """Find all phrases of a reference that occur in the table of a phrase matcher."""
    assert isinstance(matcher, PhraseMatcher)
    table = matcher.table
    assert table is not None
    word_ids = [table.word_id(token.form) for token in reference]
    return [table.phrases_at(word_ids, start) for start in range(len(word_ids))]


def _group_positions(
    reference: Sequence[Token], phrases_of_matchers: Sequence[_Phrases]
) -> tuple[list[int], list[int]]:
    """Group the reference positions at which the token and the phrases are the same.

    Args:
        reference: tokens of the reference.
        phrases_of_matchers: for each phrase matcher the phrases that start at each reference position.

    Returns:
        The index of each position's group, and the first position of each group.
    """
    index_by_key: dict[Hashable, int] = {}
    group_indexes = []
    first_positions = []
    for position, token in enumerate(reference):
        position_phrases = [tuple(phrases[position]) for phrases in phrases_of_matchers]
        key = (token, *position_phrases)
        if key not in index_by_key:
            index_by_key[key] = len(index_by_key)
            first_positions.append(position)
        group_indexes.append(index_by_key[key])
    return group_indexes, first_positions


def _select_words(
    reference: Sequence[Token], first_positions: Sequence[int], phrases: _Phrases | None
) -> tuple[list[Token], Mapping[int, int]]:
    """Select the words of the reference that a matcher compares with the hypothesis.

    Args:
        reference: tokens of the reference.
        first_positions: the first position of each list of candidates.
        phrases: the phrases that start at each reference position, for a phrase matcher; otherwise ``None``.

    Returns:
        The words; and for each word at which a match may start, the index of the list to which the match belongs.
    """
    if phrases is not None:
        return _cut_windows(reference, first_positions, phrases)
    words = [reference[position] for position in first_positions]
    list_by_start = {index: index for index in range(len(words))}
    return words, list_by_start


def _cut_windows(
    reference: Sequence[Token], first_positions: Sequence[int], phrases: _Phrases
) -> tuple[list[Token], Mapping[int, int]]:
    """Copy the phrases that start at certain positions of a reference, with separators between them.

    Each copy extends from a position to the end of the longest phrase that starts there, and is called a window.

    Args:
        reference: tokens of the reference.
        first_positions: the positions.
        phrases: the phrases that start at each reference position.

    Returns:
        The words of all windows, with a separator after each window; and a dictionary from the start of each window to
        the index of its position.
    """
    words: list[Token] = []
    index_by_start = {}
    for index, position in enumerate(first_positions):
        if not phrases[position]:
            continue
        index_by_start[len(words)] = index
        longest_length, _ = phrases[position][-1]
        words += reference[position : position + longest_length]
        words.append(_SEPARATOR)
    return words, index_by_start


def _find_fixed_matches(
    candidate_lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int], hypothesis_size: int
) -> list[AlignedMatch | None]:
    """Return the fixed match of each reference position, or ``None`` if the position does not have a fixed match.

    Args:
        candidate_lists: the distinct lists of candidates.
        list_indexes: for each reference position the index of its list.
        hypothesis_size: number of words of the hypothesis.
    """
    hypothesis_cover = _count_hypothesis_cover(candidate_lists, list_indexes, hypothesis_size)
    reference_cover = _count_reference_cover(candidate_lists, list_indexes)
    fixed: list[AlignedMatch | None] = [None] * len(list_indexes)
    for position, list_index in enumerate(list_indexes):
        candidates = candidate_lists[list_index]
        if len(candidates) != 1:
            continue
        match = candidates[0]
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
        reference_counts = reference_cover[position : position + match.reference_length]
        hypothesis_counts = hypothesis_cover[match.hypothesis_start : hypothesis_end]
        if max(reference_counts) == 1 and max(hypothesis_counts) == 1:
            fixed[position] = match
    return fixed


def _count_hypothesis_cover(
    candidate_lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int], hypothesis_size: int
) -> list[int]:
    """Count the candidate matches that contain each hypothesis word."""
    candidate_counts = [0] * hypothesis_size
    position_counts = Counter(list_indexes)
    for list_index, candidates in enumerate(candidate_lists):
        for match in candidates:
            for word in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
                candidate_counts[word] += position_counts[list_index]
    return candidate_counts


def _count_reference_cover(candidate_lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int]) -> list[int]:
    """Count the candidate matches that contain each reference word."""
    candidate_counts = [0] * len(list_indexes)
    # Several positions may share a list, so the lengths of its candidates are counted only once.
    length_counts = [Counter(match.reference_length for match in candidates) for candidates in candidate_lists]
    for start, list_index in enumerate(list_indexes):
        for length, count in length_counts[list_index].items():
            for word in range(start, start + length):
                candidate_counts[word] += count
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
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

    # Subclasses do not inherit the attribute core_family, because they may compare other keys.
    core_family: str | None = vars(type(matcher)).get("core_family")
    family = _inherited_family(matcher) if core_family is None else core_family
    # The C++ core can only read tables of the classes SynonymIndex and ParaphraseIndex.
    if family == "synonyms" and type(matcher.table) is not SynonymIndex:  # type: ignore[attr-defined]
        return _inherited_family(matcher)
    if family == "phrases" and type(matcher.table) is not ParaphraseIndex:  # type: ignore[attr-defined]
        return "proposals"
    return family


def _inherited_family(matcher: Matcher) -> str:
    """Return the family of a matcher's base class, or ``proposals`` if the matcher overrides important methods."""
    for base_class, family, methods in _FAMILIES:
        if isinstance(matcher, base_class) and inherits_methods(matcher, base_class, *methods):
            return family
    return "proposals"


def inherits_methods(matcher: Matcher, base_class: Any, *methods: str) -> bool:
    """Return whether a matcher inherits certain methods from a base class without overriding any of them."""
    for method in methods:
        is_overridden_in_class = getattr(type(matcher), method) is not getattr(base_class, method)
        is_overridden_in_instance = method in vars(matcher)
        if is_overridden_in_class or is_overridden_in_instance:
            return False
    return True
