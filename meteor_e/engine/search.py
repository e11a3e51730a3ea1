"""Choose the alignment from the candidate matches with a beam search.

The search follows section 3 of the specification of METEOR 1.5. It does not always find the best alignment. The result
also depends on the order of the candidates and on ties.

A path is a partial alignment: it aligns the reference words up to a certain position. Each path is a plain tuple,
because named tuples would make the search 25% slower. The tuple has five fields,
``(rank, used_words, chunk_end, next_position, matches)``:

- ``rank`` orders the paths; a lower rank is better. It is an integer that is composed of four fields. From the highest
  bits down, they are: the weighted matches (negative); in the maximum-accuracy mode, the matched words (negative); the
  chunks; and the distance. Adding a multiple of a field's unit to the rank changes this field.
- ``used_words`` is a bit mask of the hypothesis words that the path's free matches cover. Reference words do not need a
  mask, because the search visits them from left to right. Neither do the words of fixed matches, because no other
  candidate covers them.
- ``chunk_end`` is the hypothesis position at which the path's open chunk ends, or ``None`` if no chunk is open.
- ``next_position`` is the first reference position after the path's last match.
- ``matches`` is a linked list of ``(earlier matches, position, candidate)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.scoring.alignment import AlignedMatch

DEFAULT_BEAM = 40
MAX_BEAM = 2**31 - 1
"""The largest beam width that the Java program's option ``-x`` accepts."""

MAX_PATHS = 1 << 25
"""Maximum number of paths at a position. So many paths take about 4 GB; the Java program needs twice as much."""

_CHUNK_UNIT = 1 << 50
_MATCHED_WORD_UNIT = 1 << 80
_WEIGHTED_MATCH_UNIT = 1 << 110
"""The units of the fields of a rank. The unit of the distance is 1."""

_FEW_WORDS = 8
"""Number of words up to which their distances are added one after the other."""


_Path = tuple[int, int, int | None, int, Any]
_EMPTY_PATH: _Path = (0, 0, None, 0, None)
_get_rank = itemgetter(0)

_RankMatch = Callable[[AlignedMatch], int]
"""Function that returns the number that a match adds to the rank of a path."""


def search(
    candidates: Sequence[Sequence[AlignedMatch]],
    fixed: Sequence[AlignedMatch | None],
    search_weights: Sequence[float],
    *,
    beam: int = DEFAULT_BEAM,
    compare_matched_words: bool = False,
    hypothesis_size: int = 0,
) -> list[AlignedMatch]:
    """Choose an alignment, and return its matches in the order of their reference positions.

    Args:
        candidates: the candidates that start at each reference position, in the order in which they were proposed.
            Positions may share a list.
        fixed: the fixed match at each reference position, or ``None``. No other candidate contains its words.
        search_weights: weight of each matcher in the search (not in the score).
        beam: beam width, the number of partial alignments kept at each position.
        compare_matched_words: compare paths by their matched words before their chunks (maximum-accuracy mode).
        hypothesis_size: number of words of the hypothesis, for the error message.

    Raises:
        InputError: if a position has more than :data:`MAX_PATHS` paths, or all positions have four times as many.
    """
    rank_match = partial(_rank_match, search_weights=search_weights, compare_matched_words=compare_matched_words)
    runs = _divide_lists(candidates, rank_match)
    path_limit = _PathLimit(hypothesis_size, reference_size=len(candidates))
    paths = [_EMPTY_PATH]
    for position, fixed_match in enumerate(fixed):
        if fixed_match is not None:
            paths = _append_fixed_match(paths, position, fixed_match, rank_match(fixed_match))
        elif runs[position]:
            paths = _extend_paths(paths, position, runs[position], beam)
            path_limit.count(paths)
        else:
            paths = _skip_word(paths, position)
        # The sort is stable, so paths with equal ranks keep their order.
        paths.sort(key=_get_rank)
        del paths[beam:]
    complete_paths = [_close_chunk(path) for path in paths]
    return _list_matches(min(complete_paths, key=_get_rank))


class _PathLimit:
    """Limit the number of paths, because the search needs time and memory for every path.

    Args:
        hypothesis_size, reference_size: number of words of the segments, for the error message.
    """

    def __init__(self, hypothesis_size: int, reference_size: int) -> None:
        self._hypothesis_size = hypothesis_size
        self._reference_size = reference_size
        self._total = 0
        """Number of paths at all positions that have many paths."""

    def count(self, paths: Sequence[_Path]) -> None:
        """Count the partial alignments at a reference position. Raise InputError if there are too many."""
        if len(paths) > MAX_PATHS // 32:
            self._total += len(paths)
        if len(paths) > MAX_PATHS or self._total // 4 > MAX_PATHS:
            raise too_many_paths(self._hypothesis_size, self._reference_size)


def _close_chunk(path: _Path) -> _Path:
    """End the current chunk of a partial alignment, and increase the chunk count in the alignment's rank by one.

    A chunk is a group of matches that are adjacent in both segments. If the partial alignment does not have a current
    chunk, return the partial alignment unchanged.
    """
    rank, used_words, chunk_end, next_position, matches = path
    return path if chunk_end is None else (rank + _CHUNK_UNIT, used_words, None, next_position, matches)


def _skip_word(paths: list[_Path], position: int) -> list[_Path]:
    """Leave a reference word unmatched in each path, unless the path's last match contains the word."""
    skipping_paths = []
    for path in paths:
        _, _, _, next_position, _ = path
        skipping_paths.append(path if next_position > position else _close_chunk(path))
    return skipping_paths


def _list_matches(path: _Path) -> list[AlignedMatch]:
    """Return the matches of a path, sorted by their positions in the reference."""
    matches = []
    _, _, _, _, link = path
    while link is not None:
        earlier_link, position, candidate = link
        # The position is read from the path, because several reference positions may share the candidate.
        matches.append(candidate._replace(reference_start=position))
        link = earlier_link
    matches.reverse()
    return matches


class _Run(NamedTuple):
    """Consecutive candidates that one matcher proposes, with equal word counts and increasing hypothesis positions.

    Attributes:
        rank_change: number that each candidate adds to the rank of a path.
        reference_length, hypothesis_length: number of words of each candidate.
        start_mask: bit mask of the hypothesis positions at which the candidates start.
        by_start: hypothesis position → candidate.
    """

    rank_change: int
    reference_length: int
    hypothesis_length: int
    start_mask: int
    by_start: dict[int, AlignedMatch]

    def find_free_starts(self, used_words: int) -> int:
        """Find the candidates whose hypothesis words are all unused, and return a bit mask of their start positions."""
        free_starts = self.start_mask & ~used_words
        for offset in range(1, self.hypothesis_length):
            free_starts &= ~(used_words >> offset)
        return free_starts

    def make_extension(self, start: int, position: int, penalty: int) -> _Extension:
        """Describe how to extend a path by the candidate that starts at a given hypothesis position.

        Args:
            start: the hypothesis position of the candidate.
            position: the reference position.
            penalty: number to add to the rank of the path because of broken chunks and distances.
        """
        return _Extension(
            rank_change=self.rank_change + penalty,
            words=((1 << self.hypothesis_length) - 1) << start,
            chunk_end=start + self.hypothesis_length,
            next_position=position + self.reference_length,
            candidate=self.by_start[start],
        )


def too_many_paths(hypothesis_size: int, reference_size: int) -> InputError:
    """Return the error for a pair with more than :data:`MAX_PATHS` paths."""
    return InputError(
        f"the alignment of a segment of {hypothesis_size} words with its reference of {reference_size} words needs "
        f"more than {MAX_PATHS} paths, because words repeat; choose a smaller beam or split the segment"
    )


def _divide_lists(lists: Sequence[Sequence[AlignedMatch]], rank_match: _RankMatch) -> list[list[_Run]]:
    """For each reference position, group consecutive candidates that have the same matcher and the same word counts.

    If several reference positions share a list of candidates, this function divides the list only once.
    """
    distinct_lists = {id(candidates): candidates for candidates in lists}
    runs_by_id = {list_id: _divide_into_runs(distinct_lists[list_id], rank_match) for list_id in distinct_lists}
    return [runs_by_id[id(candidates)] for candidates in lists]


def _divide_into_runs(candidates: Sequence[AlignedMatch], rank_match: _RankMatch) -> list[_Run]:
    """Group consecutive candidates into runs. The candidates of a run have the same matcher and word counts."""
    groups: list[list[AlignedMatch]] = []
    for candidate in candidates:
        if groups and _continues_run(groups[-1][-1], candidate):
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return [_make_run(group, rank_match(group[0])) for group in groups]


def _make_run(candidates: Sequence[AlignedMatch], rank_change: int) -> _Run:
    """Create a run from candidates that have the same matcher and the same word counts.

    Args:
        candidates: the candidates, with increasing hypothesis positions.
        rank_change: number that each candidate adds to the rank of a path.
    """
    by_start = {candidate.hypothesis_start: candidate for candidate in candidates}
    first_candidate = candidates[0]
    return _Run(
        rank_change=rank_change,
        reference_length=first_candidate.reference_length,
        hypothesis_length=first_candidate.hypothesis_length,
        start_mask=sum(1 << start for start in by_start),
        by_start=by_start,
    )


def _continues_run(previous: AlignedMatch, candidate: AlignedMatch) -> bool:
    """Return whether a candidate belongs to the same run as the previous candidate."""
    return (
        candidate.hypothesis_start > previous.hypothesis_start
        and candidate.matcher == previous.matcher
        and candidate.reference_length == previous.reference_length
        and candidate.hypothesis_length == previous.hypothesis_length
    )


class _Extension(NamedTuple):
    """Store how a candidate extends a path.

    Attributes:
        rank_change: number to add to the rank of the path.
        words: bit mask of the candidate's hypothesis words.
        chunk_end, next_position: the new values of these fields of the path.
        candidate: the candidate.
    """

    rank_change: int
    words: int
    chunk_end: int
    next_position: int
    candidate: AlignedMatch


def _extend_paths(paths: list[_Path], position: int, runs: list[_Run], beam: int) -> list[_Path]:
    """Extend each path at a reference position in all possible ways, and return the extended paths.

    If the last match of a path already contains the reference word, the path remains unchanged. Otherwise, each
    extended path adds a candidate that starts at this position, or leaves the reference word unmatched.

    Args:
        paths: the paths up to the position.
        position: the reference position.
        runs: the candidates that start at the position.
        beam: beam width.
    """
    candidate_words = _merge_words(runs)
    # The possible extensions depend only on the path's open chunk, and on the candidates' words that the path uses.
    list_extensions = cache(lambda words, chunk_end: _list_extensions(words, chunk_end, position, runs, beam))
    extended_paths: list[_Path] = []
    for path in paths:
        rank, used_words, chunk_end, next_position, matches = path
        if next_position > position:
            # The last match of the path already contains this reference word.
            extended_paths.append(path)
            continue
        extensions, unmatched_rank_change = list_extensions(used_words & candidate_words, chunk_end)
        for rank_change, words, match_end, reference_end, candidate in extensions:
            extended_matches = (matches, position, candidate)
            extended_paths.append((rank + rank_change, used_words | words, match_end, reference_end, extended_matches))
        extended_paths.append((rank + unmatched_rank_change, used_words, None, next_position, matches))
    return extended_paths


def _merge_words(runs: list[_Run]) -> int:
    """Return a bit mask of all hypothesis words that at least one of the candidates contains."""
    words = 0
    for run in runs:
        for offset in range(run.hypothesis_length):
            words |= run.start_mask << offset
    return words


def _list_extensions(
    used_words: int, chunk_end: int | None, position: int, runs: list[_Run], beam: int
) -> tuple[list[_Extension], int]:
    """List the ways in which a path can be extended at a reference position.

    The result is the same for all paths with the same used words and the same open chunk.

    Args:
        used_words: bit mask of the used words.
        chunk_end: the hypothesis position at which the open chunk ends, or ``None``.
        position: the reference position.
        runs: the candidates that start at the position.
        beam: beam width.

    Returns:
        The extensions by candidates, and the number to add to the rank if the reference word remains unmatched.
    """
    break_penalty = 0 if chunk_end is None else _CHUNK_UNIT
    extensions = []
    distance_sum = 0
    for run in runs:
        free_starts = run.find_free_starts(used_words)
        for start in _select_starts(free_starts, chunk_end, beam):
            chunk_penalty = 0 if start == chunk_end else break_penalty
            # Like METEOR 1.5, this code also adds the distances of the position's earlier candidates to the rank.
            earlier_starts = free_starts & ((1 << start) - 1)
            earlier_distances = distance_sum + _sum_distances(earlier_starts, position)
            extensions.append(run.make_extension(start, position, chunk_penalty + earlier_distances))
        distance_sum += _sum_distances(free_starts, position)
    return extensions, break_penalty + distance_sum


def _select_starts(free_starts: int, chunk_end: int | None, beam: int) -> list[int]:
    """Select candidate matches that can be among the ``beam`` best, and return their hypothesis positions in order.

    A candidate that starts where the open chunk ends continues the chunk, and is always selected. Of the other
    candidates, only the first ``beam`` are selected, because later candidates never have better ranks.

    Args:
        free_starts: bit mask of the start positions of the candidates whose words are all unused.
        chunk_end: the hypothesis position at which the open chunk ends, or ``None``.
        beam: beam width.
    """
    if chunk_end is None or not free_starts & (1 << chunk_end):
        return _list_lowest_bits(free_starts, beam)
    breaking_starts = free_starts & ~(1 << chunk_end)
    return sorted([chunk_end, *_list_lowest_bits(breaking_starts, beam)])


def _list_lowest_bits(mask: int, limit: int) -> list[int]:
    """Return the indexes of the ``limit`` lowest set bits in a mask, in increasing order.

    Args:
        mask: the mask.
        limit: maximum number of indexes.
    """
    indexes: list[int] = []
    while mask and len(indexes) < limit:
        lowest_bit = mask & -mask
        indexes.append(lowest_bit.bit_length() - 1)
        mask ^= lowest_bit
    return indexes


def _sum_distances(words: int, position: int) -> int:
    """Return the sum of the distances between a position and several words.

    Args:
        words: bit mask of the positions of the words.
        position: the position.
    """
    if words.bit_count() <= _FEW_WORDS:  # This is the usual case, in which a loop is faster.
        return sum([abs(position - word) for word in _list_lowest_bits(words, _FEW_WORDS)])
    lower_words = words & ((1 << position) - 1)
    higher_words = words >> position  # The index of each bit is its distance.
    return position * lower_words.bit_count() - _sum_bit_indexes(lower_words) + _sum_bit_indexes(higher_words)


def _sum_bit_indexes(mask: int) -> int:
    """Return the sum of the indexes of all set bits in a mask."""
    total = 0
    size = mask.bit_length()
    digit = 0
    while 1 << digit < size:
        total += (mask & _mask_of_digit(digit, size.bit_length())).bit_count() << digit
        digit += 1
    return total


@cache
def _mask_of_digit(digit: int, digit_count: int) -> int:
    """Return a mask in which bit ``i`` is set if binary digit ``digit`` of ``i`` is 1, for ``i < 2**digit_count``."""
    half_period = 1 << digit
    mask = ((1 << half_period) - 1) << half_period
    size = 2 * half_period
    while size < 1 << digit_count:
        mask |= mask << size
        size *= 2
    return mask


def _rank_match(match: AlignedMatch, search_weights: Sequence[float], compare_matched_words: bool) -> int:
    """Return the number that a match adds to the rank of a path. The number is negative, because low ranks are good.

    Both word counts of the match are multiplied by the matcher's weight. Each product is truncated to an integer.
    """
    weight = search_weights[match.matcher]
    weighted_words = int(match.hypothesis_length * weight) + int(match.reference_length * weight)
    rank_change = -_WEIGHTED_MATCH_UNIT * weighted_words
    if compare_matched_words:
        rank_change -= _MATCHED_WORD_UNIT * (match.hypothesis_length + match.reference_length)
    return rank_change


def _append_fixed_match(paths: list[_Path], position: int, match: AlignedMatch, rank_change: int) -> list[_Path]:
    """Append a fixed match to each path.

    Args:
        paths: the paths up to the position. Their matches do not contain words of the fixed match.
        position: the reference position.
        match: the fixed match.
        rank_change: number that the match adds to the rank of a path.
    """
    hypothesis_end = match.hypothesis_start + match.hypothesis_length
    reference_end = position + match.reference_length
    distance = abs(position - match.hypothesis_start)
    extended_paths: list[_Path] = []
    for rank, used_words, chunk_end, _, matches in paths:
        is_chunk_broken = chunk_end is not None and chunk_end != match.hypothesis_start
        chunk_penalty = _CHUNK_UNIT if is_chunk_broken else 0
        extended_rank = rank + rank_change + chunk_penalty + distance
        extended_paths.append((extended_rank, used_words, hypothesis_end, reference_end, (matches, position, match)))
    return extended_paths
