"""The candidate matches of a pair of segments, which are collected from the matchers of a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from meteor_e.api.matchers import (
    ContextualMatcher,
    KeyMatcher,
    Match,
    Matcher,
    OverlapMatcher,
    PhraseMatcher,
    SimilarityMatcher,
)
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
    """The candidate matches of a hypothesis and a reference.

    Attributes:
        by_reference: for each reference position, the candidates that start at this position, in the order of the
            proposals. Positions may share a list. The ``reference_start`` of its candidates is then the first of these
            positions.
        fixed: for each reference position, the match that is fixed before the search, or ``None``.
    """

    by_reference: list[list[AlignedMatch]]
    fixed: list[AlignedMatch | None]


class _SharedLists(NamedTuple):
    """Lists of candidates, which reference positions may share.

    Attributes:
        lists: the distinct lists.
        list_indexes: for each reference position the index of its list.
    """

    lists: list[list[AlignedMatch]]
    list_indexes: Sequence[int]


def collect_candidates(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token], identity: Identity = str
) -> Candidates:
    """Collect the matches that the matchers propose, in chain order, and mark matches without competitors as fixed.

    If the hypothesis and the reference have the same words, only the first matcher is used. A match is fixed if it is
    the only candidate at its reference position and no other candidate contains any of its words.

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
        lists, list_indexes = _collect_shared_lists(matchers, hypothesis, reference)
    else:
        lists, list_indexes = _SharedLists(separate_lists, range(len(reference)))
    by_reference = [lists[list_index] for list_index in list_indexes]
    return Candidates(by_reference, _find_fixed_matches(lists, list_indexes, len(hypothesis)))


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
    """Return a list of candidates for each reference position.

    The result is ``None`` if there are more than :data:`SEPARATE_CANDIDATES` candidates and positions can share lists.
    """
    reference_size, hypothesis_size = len(reference), len(hypothesis)
    by_reference: list[list[AlignedMatch]] = [[] for _ in reference]
    candidate_count = 0
    limit = min(SEPARATE_CANDIDATES, MAX_CANDIDATES)
    for index, matcher in enumerate(matchers):
        with plugin_errors(f"matcher {matcher.name!r}"):
            for j, i, reference_length, hypothesis_length, probability in matcher.match(hypothesis, reference):
                is_in_reference = 0 <= j < j + reference_length <= reference_size
                is_in_hypothesis = 0 <= i < i + hypothesis_length <= hypothesis_size
                if not (is_in_reference and is_in_hypothesis):
                    match = Match(j, i, reference_length, hypothesis_length)
                    raise misplaced_match(matcher.name, match, hypothesis_size, reference_size)
                by_reference[j].append(AlignedMatch(j, reference_length, i, hypothesis_length, index, probability))
                candidate_count += 1
                if candidate_count > limit:
                    if _can_share_lists(matchers, hypothesis, reference):
                        return None
                    limit = MAX_CANDIDATES
                    if candidate_count > limit:
                        raise too_many_candidates(hypothesis_size, reference_size)
    return by_reference


def _can_share_lists(matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]) -> bool:
    """Return whether reference positions with the same token and the same phrases have the same candidates."""
    if max(len(hypothesis), len(reference)) > MAX_SHARED_WORDS:
        return False
    return all(family_of(matcher) not in _UNSHAREABLE_FAMILIES for matcher in matchers)


def _collect_shared_lists(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> _SharedLists:
    """Collect candidates in lists that reference positions share.

    Each matcher compares the hypothesis only with the first position of each list.
    """
    phrases_by_matcher = {
        index: _find_phrases(matcher, reference)
        for index, matcher in enumerate(matchers)
        if family_of(matcher) == "phrases"
    }
    list_indexes, first_positions = _group_positions(reference, list(phrases_by_matcher.values()))
    lists: list[list[AlignedMatch]] = [[] for _ in first_positions]
    candidate_count = 0
    for index, matcher in enumerate(matchers):
        tokens, list_by_start = _select_words(reference, first_positions, phrases_by_matcher.get(index))
        with plugin_errors(f"matcher {matcher.name!r}"):
            for start, i, reference_length, hypothesis_length, probability in matcher.match(hypothesis, tokens):
                list_index = list_by_start.get(start)
                if list_index is None:
                    continue
                j = first_positions[list_index]
                lists[list_index].append(AlignedMatch(j, reference_length, i, hypothesis_length, index, probability))
                candidate_count += 1
                if candidate_count > MAX_CANDIDATES:
                    raise too_many_candidates(len(hypothesis), len(reference))
    return _SharedLists(lists, list_indexes)


_Phrases = Sequence[Sequence[tuple[int, int]]]
"""For each position of a segment, ``(length, id)`` of the phrases that start at this position, from short to long."""


def _find_phrases(matcher: Matcher, reference: Sequence[Token]) -> _Phrases:
    """Find the phrases in a reference that the table of a phrase matcher contains."""
    assert isinstance(matcher, PhraseMatcher)
    table = matcher.table
    assert table is not None
    word_ids = [table.word_id(token.form) for token in reference]
    return [table.phrases_at(word_ids, start) for start in range(len(word_ids))]


def _group_positions(reference: Sequence[Token], phrase_tables: Sequence[_Phrases]) -> tuple[list[int], list[int]]:
    """Group the reference positions that have the same token and the same phrases.

    Returns:
        The group of each position, and the first position of each group.
    """
    groups: dict[Hashable, int] = {}
    group_indexes = []
    first_positions = []
    for position, token in enumerate(reference):
        key = (token, *(tuple(phrases[position]) for phrases in phrase_tables))
        if key not in groups:
            groups[key] = len(groups)
            first_positions.append(position)
        group_indexes.append(groups[key])
    return group_indexes, first_positions


def _select_words(
    reference: Sequence[Token], first_positions: Sequence[int], phrases: _Phrases | None
) -> tuple[list[Token], Mapping[int, int]]:
    """Select the reference words with which a matcher compares the hypothesis.

    Args:
        reference: tokens of the reference.
        first_positions: the first position of each list of candidates.
        phrases: the phrases that start at each reference position, for a phrase matcher; otherwise ``None``.

    Returns:
        The words; and a dictionary from the indexes of words at which matches may start to the indexes of lists.
    """
    if phrases is not None:
        return _cut_windows(reference, first_positions, phrases)
    words = [reference[position] for position in first_positions]
    return words, {index: index for index in range(len(words))}


def _cut_windows(
    reference: Sequence[Token], first_positions: Sequence[int], phrases: _Phrases
) -> tuple[list[Token], Mapping[int, int]]:
    """Copy all words of a reference that belong to phrases which start at the given positions.

    The words from a position to the end of its longest phrase form a window.

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
        if phrases[position]:
            index_by_start[len(words)] = index
            longest_phrase, _ = phrases[position][-1]
            words += [*reference[position : position + longest_phrase], _SEPARATOR]
    return words, index_by_start


def _find_fixed_matches(
    lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int], hypothesis_size: int
) -> list[AlignedMatch | None]:
    """Return for each reference position the match that is fixed at this position, or ``None``.

    Args:
        lists: the distinct lists of candidates.
        list_indexes: for each reference position the index of its list.
        hypothesis_size: number of words of the hypothesis.
    """
    hypothesis_cover = _count_hypothesis_cover(lists, list_indexes, hypothesis_size)
    reference_cover = _count_reference_cover(lists, list_indexes)
    fixed: list[AlignedMatch | None] = [None] * len(list_indexes)
    for reference_start, list_index in enumerate(list_indexes):
        if len(lists[list_index]) != 1:
            continue
        match = lists[list_index][0]
        hypothesis_start = match.hypothesis_start
        reference_counts = reference_cover[reference_start : reference_start + match.reference_length]
        hypothesis_counts = hypothesis_cover[hypothesis_start : hypothesis_start + match.hypothesis_length]
        if max(reference_counts) == 1 and max(hypothesis_counts) == 1:
            fixed[reference_start] = match
    return fixed


def _count_hypothesis_cover(
    lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int], hypothesis_size: int
) -> list[int]:
    """Return for each hypothesis word the number of candidates that contain the word."""
    cover = [0] * hypothesis_size
    position_counts = Counter(list_indexes)
    for list_index, matches in enumerate(lists):
        for match in matches:
            for i in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
                cover[i] += position_counts[list_index]
    return cover


def _count_reference_cover(lists: Sequence[Sequence[AlignedMatch]], list_indexes: Sequence[int]) -> list[int]:
    """Return for each reference word the number of candidates that contain the word."""
    cover = [0] * len(list_indexes)
    counts_by_length = [Counter(match.reference_length for match in matches) for matches in lists]
    for start, list_index in enumerate(list_indexes):
        for length, count in counts_by_length[list_index].items():
            for j in range(start, start + length):
                cover[j] += count
    return cover


def misplaced_match(name: str, match: Match, hypothesis_size: int, reference_size: int) -> PluginError:
    """Return the error for a match that lies outside its segments.

    Args:
        name: name of the matcher that proposed the match.
        match: the match.
        hypothesis_size, reference_size: number of words of the segments.
    """
    j, i, reference_length, hypothesis_length, _ = match
    return PluginError(
        f"matcher {name!r} proposed reference words {j} to {j + reference_length - 1} and "
        f"hypothesis words {i} to {i + hypothesis_length - 1} of a pair with {reference_size} and "
        f"{hypothesis_size} words"
    )


def too_many_candidates(hypothesis_size: int, reference_size: int) -> InputError:
    """Return the error for a pair with more than :data:`MAX_CANDIDATES` candidates."""
    return InputError(
        f"a segment of {hypothesis_size} words and its reference of {reference_size} words have more "
        f"than {MAX_CANDIDATES} candidate matches, because words repeat; split the segment"
    )


_FAMILIES: dict[Any, tuple[str, ...]] = {
    KeyMatcher: ("keys", "match"),
    OverlapMatcher: ("overlap", "match", "distinct_pieces"),
    SimilarityMatcher: ("similarity", "match", "_rows"),
    ContextualMatcher: ("contextual", "match", "sentence_rows", "_rows"),
    PhraseMatcher: ("phrases", "match", "_phrases"),
}
"""For each base class, the name of its family and the methods that a matcher of the family must not override."""


def family_of(matcher: Matcher) -> str:
    """Return the family of a matcher, which determines how the native core runs the matcher.

    The core calls matchers of the family ``proposals`` in Python, and computes the matches of all others itself.
    """
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

    # The attribute core_family is not inherited, because a subclass may compare other keys.
    core_family: str | None = vars(type(matcher)).get("core_family")
    family = _inherited_family(matcher) if core_family is None else core_family
    # The core reads the tables of these two classes only.
    if family == "synonyms" and type(matcher.table) is not SynonymIndex:  # type: ignore[attr-defined]
        return _inherited_family(matcher)
    if family == "phrases" and type(matcher.table) is not ParaphraseIndex:  # type: ignore[attr-defined]
        return "proposals"
    return family


def _inherited_family(matcher: Matcher) -> str:
    """Return the family of a matcher's base class, or ``proposals`` if the matcher overrides the base class."""
    for base_class, (family, *methods) in _FAMILIES.items():
        if isinstance(matcher, base_class) and inherits_methods(matcher, base_class, *methods):
            return family
    return "proposals"


def inherits_methods(matcher: Matcher, base_class: Any, *methods: str) -> bool:
    """Return whether a matcher inherits all of these methods from a base class without overriding them."""
    for method in methods:
        if method in vars(matcher) or getattr(type(matcher), method) is not getattr(base_class, method):
            return False
    return True
