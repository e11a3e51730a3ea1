"""From matchers to candidates: who may match whom, and which matches are fixed before the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
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
from meteor_e.base.errors import InputError, PluginError, guarded
from meteor_e.scoring.alignment import AlignedMatch
from meteor_e.text.identity import Identity

MAX_CANDIDATES = 4_000_000
"""Candidates of one pair of segments beyond which it is refused; those of positions that share a list count once."""

SEPARATE_CANDIDATES = 1 << 16
"""Candidates of one pair of segments beyond which reference positions share lists.

Candidates grow with the product of a word's occurrences on both sides. Positions where the same token stands and the
same phrases begin have the same candidates, so one list is enough for all of them.
"""

LONGEST_SHARED = 10_000
"""Words of either side beyond which positions share nothing, so that the time a pair takes stays bounded."""

_SEPARATOR = Token("")  # No segment has an empty word, and no table a phrase with one.


_OWN_WAYS = (
    "proposals",
    "contextual",
    "overlap",
    "ngrams",
)  # families that may look at more than a token and the phrases that begin there


class Candidates(NamedTuple):
    """All candidates of a pair.

    Attributes:
        by_reference: for each reference position the candidates that start there, as they were proposed. Positions
            may share a list; its candidates then have the ``reference_start`` of the first of them.
        fixed: for each reference position the match that is fixed there before the search, or ``None``.
    """

    by_reference: list[list[AlignedMatch]]
    fixed: list[AlignedMatch | None]


def collect_candidates(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token], identity: Identity = str
) -> Candidates:
    """Ask the matchers in chain order, and fix the matches that nothing competes with.

    If both sides have the same tokens, or words of the same identities, only the first matcher is asked. A match is
    fixed if it is the only candidate at its reference position and no other candidate covers any of its words.

    Raises:
        InputError: if the pair has more than :data:`MAX_CANDIDATES` candidates.
        PluginError: if a matcher fails, or proposes words that are not there.
    """
    if hypothesis == reference or (identity is not str and _all(identity, hypothesis) == _all(identity, reference)):
        matchers = matchers[:1]
    places: Sequence[int] = range(len(reference))
    lists = _propose(matchers, hypothesis, reference, SEPARATE_CANDIDATES)
    if lists is None:
        places, lists = _propose_shared(matchers, hypothesis, reference)
    return Candidates([lists[place] for place in places], _fixed(lists, places, len(hypothesis)))


def _propose(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token], separate: int
) -> list[list[AlignedMatch]] | None:
    """Return the candidates of each reference position; ``None`` where positions should share lists, and can."""
    reference_size, hypothesis_size = len(reference), len(hypothesis)
    by_reference: list[list[AlignedMatch]] = [[] for _ in reference]
    total = 0
    limit = min(separate, MAX_CANDIDATES)
    for index, matcher in enumerate(matchers):
        with guarded(f"matcher {matcher.name!r}"):
            for j, i, reference_length, hypothesis_length, probability in matcher.match(hypothesis, reference):
                if not (
                    0 <= j < j + reference_length <= reference_size
                    and 0 <= i < i + hypothesis_length <= hypothesis_size
                ):
                    match = Match(j, i, reference_length, hypothesis_length)
                    raise misplaced(matcher.name, match, hypothesis_size, reference_size)
                by_reference[j].append(AlignedMatch(j, reference_length, i, hypothesis_length, index, probability))
                total += 1
                if total > limit:
                    short = max(hypothesis_size, reference_size) <= LONGEST_SHARED
                    if short and all(family_of(one) not in _OWN_WAYS for one in matchers):
                        return None
                    limit = MAX_CANDIDATES
                    if total > limit:
                        raise too_many_candidates(hypothesis_size, reference_size)
    return by_reference


def _propose_shared(
    matchers: Sequence[Matcher], hypothesis: Sequence[Token], reference: Sequence[Token]
) -> tuple[list[int], list[list[AlignedMatch]]]:
    """Return the list of each reference position, and the lists."""
    phrases = {index: _phrases_at(one, reference) for index, one in enumerate(matchers) if family_of(one) == "phrases"}
    numbers: dict[Hashable, int] = {}
    firsts: list[int] = []
    places = []
    for j, token in enumerate(reference):
        key = (token, *(tuple(found[j]) for found in phrases.values()))
        place = numbers.setdefault(key, len(firsts))
        if place == len(firsts):
            firsts.append(j)
        places.append(place)
    words = [reference[first] for first in firsts]
    lists: list[list[AlignedMatch]] = [[] for _ in firsts]
    total = 0
    for index, matcher in enumerate(matchers):
        asked: Sequence[Token] = words
        starts = {place: place for place in range(len(firsts))}
        if index in phrases:
            asked, starts = _windows(reference, firsts, phrases[index])
        with guarded(f"matcher {matcher.name!r}"):
            for j, i, reference_length, hypothesis_length, probability in matcher.match(hypothesis, asked):
                place = starts.get(j, -1)
                if place < 0:
                    continue
                lists[place].append(
                    AlignedMatch(firsts[place], reference_length, i, hypothesis_length, index, probability)
                )
                total += 1
                if total > MAX_CANDIDATES:
                    raise too_many_candidates(len(hypothesis), len(reference))
    return places, lists


def _phrases_at(matcher: Matcher, reference: Sequence[Token]) -> list[list[tuple[int, int]]]:
    """Return the (length, number) of the table's phrases at each position."""
    assert isinstance(matcher, PhraseMatcher)
    table = matcher.table
    assert table is not None
    ids = [table.word_id(token.form) for token in reference]
    return [table.phrases_at(ids, start) for start in range(len(ids))]


def _windows(
    reference: Sequence[Token], firsts: Sequence[int], phrases: Sequence[Sequence[tuple[int, int]]]
) -> tuple[list[Token], dict[int, int]]:
    """Return the words that the phrases of each list cover, set apart, and which list begins where."""
    words: list[Token] = []
    starts = {}
    for place, first in enumerate(firsts):
        if phrases[first]:
            starts[len(words)] = place
            words += [*reference[first : first + phrases[first][-1][0]], _SEPARATOR]
    return words, starts


def _fixed(
    lists: Sequence[Sequence[AlignedMatch]], places: Sequence[int], hypothesis_size: int
) -> list[AlignedMatch | None]:
    uses = Counter(places)
    hypothesis_cover = [0] * hypothesis_size
    for place, matches in enumerate(lists):
        for match in matches:
            for word in range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length):
                hypothesis_cover[word] += uses[place]
    lengths = [Counter(match.reference_length for match in matches) for matches in lists]
    reference_cover = [0] * len(places)
    for j, place in enumerate(places):
        for length, count in lengths[place].items():
            for word in range(j, j + length):
                reference_cover[word] += count
    fixed: list[AlignedMatch | None] = [None] * len(places)
    for j, place in enumerate(places):
        if len(lists[place]) != 1:
            continue
        (only,) = lists[place]
        words = range(j, j + only.reference_length)
        others = range(only.hypothesis_start, only.hypothesis_start + only.hypothesis_length)
        if all(reference_cover[word] == 1 for word in words) and all(hypothesis_cover[word] == 1 for word in others):
            fixed[j] = only
    return fixed


def _all(identity: Identity, tokens: Sequence[Token]) -> list[Hashable]:
    return [identity(token.form) for token in tokens]


def misplaced(name: str, match: Match, hypothesis_size: int, reference_size: int) -> PluginError:
    """Return the error for a match that lies outside its segments.

    Args:
        name: of the matcher.
        match: what it proposed.
        hypothesis_size, reference_size: words of the segments.
    """
    j, i, reference_length, hypothesis_length, _ = match
    return PluginError(
        f"matcher {name!r} proposed reference words {j} to {j + reference_length - 1} and "
        f"hypothesis words {i} to {i + hypothesis_length - 1} of a pair with {reference_size} and "
        f"{hypothesis_size} words"
    )


def too_many_candidates(hypothesis_size: int, reference_size: int) -> InputError:
    """Return the error for a pair beyond :data:`MAX_CANDIDATES`."""
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
"""Families by their classes, each with its methods: a class that overrides one of them stands outside the family."""


def family_of(matcher: Matcher) -> str:
    """Return the family that the native core runs a matcher as."""
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

    # Not inherited: a class that derives from one of ours may look for other keys.
    own = vars(type(matcher)).get("core_family")
    if own is not None and (own != "synonyms" or type(matcher.table) is SynonymIndex):  # type: ignore[attr-defined]
        return str(own)
    for kind, (family, *methods) in _FAMILIES.items():
        if isinstance(matcher, kind) and inherits(matcher, kind, *methods):
            indexed = not isinstance(matcher, PhraseMatcher) or type(matcher.table) is ParaphraseIndex
            return family if indexed else "proposals"
    return "proposals"


def inherits(matcher: Matcher, family: Any, *methods: str) -> bool:
    """Return whether a matcher has its family's methods as they are."""
    return all(
        getattr(type(matcher), method) is getattr(family, method) and method not in vars(matcher) for method in methods
    )
