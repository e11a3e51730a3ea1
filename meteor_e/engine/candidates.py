"""From matchers to candidates: who may match whom, and which matches are fixed before the search."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from meteor_e.api.matchers import Match, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import InputError, PluginError
from meteor_e.base.guard import guarded
from meteor_e.scoring.alignment import AlignedMatch
from meteor_e.text.identity import Identity

MAX_CANDIDATES = 4_000_000
"""Candidates of one pair of segments beyond which it is refused.

Candidates grow with the product of a word's occurrences on both sides. Prose of 10,000 words a side has about
a million; a segment that repeats one word 2,000 times reaches the bound.
"""


class Candidates(NamedTuple):
    """All candidates of a pair.

    Attributes:
        by_reference: for each reference position the candidates that start there, as they were proposed.
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
    reference_size, hypothesis_size = len(reference), len(hypothesis)
    by_reference: list[list[AlignedMatch]] = [[] for _ in range(reference_size)]
    reference_cover = [0] * reference_size
    hypothesis_cover = [0] * hypothesis_size
    if hypothesis == reference or (identity is not str and _all(identity, hypothesis) == _all(identity, reference)):
        matchers = matchers[:1]
    total = 0
    for index, matcher in enumerate(matchers):
        with guarded(f"matcher {matcher.name!r}"):
            for j, i, reference_length, hypothesis_length, probability in matcher.match(hypothesis, reference):
                if reference_length == 1 == hypothesis_length and 0 <= j < reference_size and 0 <= i < hypothesis_size:
                    reference_cover[j] += 1
                    hypothesis_cover[i] += 1
                else:
                    if not (
                        0 <= j < j + reference_length <= reference_size
                        and 0 <= i < i + hypothesis_length <= hypothesis_size
                    ):
                        match = Match(j, i, reference_length, hypothesis_length)
                        raise misplaced(matcher.name, match, hypothesis_size, reference_size)
                    for word in range(j, j + reference_length):
                        reference_cover[word] += 1
                    for word in range(i, i + hypothesis_length):
                        hypothesis_cover[word] += 1
                by_reference[j].append(AlignedMatch(j, reference_length, i, hypothesis_length, index, probability))
                total += 1
                if total > MAX_CANDIDATES:
                    raise too_many_candidates(hypothesis_size, reference_size)
    fixed: list[AlignedMatch | None] = [None] * reference_size
    for j, starting in enumerate(by_reference):
        if len(starting) != 1:
            continue
        (only,) = starting
        words = range(j, j + only.reference_length)
        others = range(only.hypothesis_start, only.hypothesis_start + only.hypothesis_length)
        if all(reference_cover[word] == 1 for word in words) and all(hypothesis_cover[word] == 1 for word in others):
            fixed[j] = only
    return Candidates(by_reference, fixed)


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
