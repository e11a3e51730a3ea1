"""The beam search that chooses, among candidate matches, the alignment.

Section 3 of the specification of METEOR 1.5. The search is lossy and stable: which candidates tie, in which
order they were emitted, and to which path a distance is charged are all part of the result.

A path over the reference is a tuple ``(rank, used, last, next, matches)``:

- ``rank`` orders paths, the lower the better. It is one integer that holds, from the highest bits down, the
  weighted matches (negative), in the maximum-accuracy mode all matched words (negative), the chunks and the
  distance; adding to a field adds to the number.
- ``used`` is a bit mask of the hypothesis words that the path's free matches cover. Reference words need no
  mask, as the search passes them from left to right; nor do the words of fixed matches, which no other
  candidate covers.
- ``last`` is where the path's open chunk ends in the hypothesis, -1 when none is open.
- ``next`` is the first reference position after the path's last match.
- ``matches`` is a linked list ``(earlier matches, position, candidate)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from meteor_e.base.errors import InputError
from meteor_e.scoring.alignment import AlignedMatch

DEFAULT_BEAM = 40
MAX_BEAM = 2**31 - 1
"""As many as the Java program's ``-x`` takes."""

MAX_PATHS = 1 << 25
"""Paths out of a position beyond which a pair is refused: some 4 GB, of which the Java program needs twice as much."""

_CHUNK = 1 << 50
_MATCHED_WORD = 1 << 80
_WEIGHTED_MATCH = 1 << 110


_Path = tuple[int, int, int, int, Any]
_rank = itemgetter(0)


def search(
    candidates: Sequence[Sequence[AlignedMatch]],
    fixed: Sequence[AlignedMatch | None],
    search_weights: Sequence[float],
    *,
    beam: int = DEFAULT_BEAM,
    compare_matched_words: bool = False,
    hypothesis_size: int = 0,
) -> list[AlignedMatch]:
    """Choose an alignment.

    Args:
        candidates: for each reference position, the candidates that start there, in the order in which they
            were emitted. Positions may share a list.
        fixed: for each reference position, the match that is fixed there, or ``None``; no other candidate
            covers its words.
        search_weights: weight of each matcher in the search (not in the score).
        beam: beam width, the number of partial alignments kept at each position.
        compare_matched_words: the maximum-accuracy mode: paths of equal weighted matches are compared by all
            their matched words before their chunks.

        hypothesis_size: words of the hypothesis, for the error.

    Returns:
        The chosen candidates, by reference position.

    Raises:
        InputError: if a position, or four times as many in all, has more than :data:`MAX_PATHS` paths.
    """
    paths: list[_Path] = [(0, 0, -1, 0, None)]
    made = 0
    known_runs: dict[int, list[_Run]] = {}
    for position, starting in enumerate(candidates):
        if len(paths) > 1:
            paths.sort(key=_rank)
            del paths[beam:]
        match = fixed[position]
        if match is not None:
            gain = _gain(match, search_weights, compare_matched_words)
            paths = [path if path[3] > position else _extend_fixed(path, position, match, gain) for path in paths]
        else:
            runs = known_runs.get(id(starting))
            if runs is None:
                runs = known_runs[id(starting)] = _runs(starting, search_weights, compare_matched_words)
            paths = _expand(paths, position, runs, beam)
        if match is None and starting and len(paths) > MAX_PATHS // 32:
            made += len(paths)
        if len(paths) > MAX_PATHS or made // 4 > MAX_PATHS:
            raise too_many_paths(hypothesis_size, len(candidates))
    paths.sort(key=_rank)
    del paths[beam:]
    paths = [(path[0] + _CHUNK if path[2] >= 0 else path[0], *path[1:]) for path in paths]
    best = min(paths, key=_rank)
    chosen = []
    link = best[4]
    while link is not None:
        link, position, candidate = link
        chosen.append(candidate._replace(reference_start=position))
    chosen.reverse()
    return chosen


class _Run(NamedTuple):
    """Candidates of a list that differ only in where they begin in the hypothesis, in its order.

    Attributes:
        gain: what each takes off a path's rank.
        reference_length, hypothesis_length: of each.
        starts: the words where they begin, as a bit mask.
        by_start: the candidates.
    """

    gain: int
    reference_length: int
    hypothesis_length: int
    starts: int
    by_start: dict[int, AlignedMatch]


def too_many_paths(hypothesis_size: int, reference_size: int) -> InputError:
    """Return the error for a pair beyond :data:`MAX_PATHS`."""
    return InputError(
        f"a segment of {hypothesis_size} words and its reference of {reference_size} words have more than {MAX_PATHS} "
        "alignments beside each other, because words repeat; a smaller beam keeps fewer"
    )


def _runs(starting: Sequence[AlignedMatch], search_weights: Sequence[float], compare_matched_words: bool) -> list[_Run]:
    runs: list[_Run] = []
    group: list[AlignedMatch] = []
    for at, match in enumerate(starting):
        group.append(match)
        following = starting[at + 1] if at + 1 < len(starting) else None
        if (
            following is None
            or following.hypothesis_start <= match.hypothesis_start
            or following.matcher != match.matcher
            or following.reference_length != match.reference_length
            or following.hypothesis_length != match.hypothesis_length
        ):
            gain = _gain(match, search_weights, compare_matched_words)
            by_start = {one.hypothesis_start: one for one in group}
            starts = sum(1 << start for start in by_start)
            runs.append(_Run(gain, match.reference_length, match.hypothesis_length, starts, by_start))
            group = []
    return runs


def _expand(paths: list[_Path], position: int, runs: list[_Run], beam: int) -> list[_Path]:
    """Let every path take each candidate whose words are unused, then skip the position.

    The distance of a candidate is charged to the path it is copied from, so later copies carry it. Of the candidates
    of a run that break the chunk, or of all if none is open, only the first ``beam`` can survive: their ranks never
    fall. The distances of the others are added up at once.
    """
    expanded: list[_Path] = []
    append = expanded.append
    for path in paths:
        rank, used, last, following, matches = path
        if following > position:
            append(path)
            continue
        for gain, reference_length, length, starts, by_start in runs:
            free = starts & ~used
            for shift in range(1, length):
                free &= ~(used >> shift)
            breaking = 0
            while free:
                start = (free & -free).bit_length() - 1
                if breaking == beam and start != last:
                    passed = free & ((1 << last) - 1) if last >= 0 and free >> last & 1 else free
                    rank += _distances(passed, position)
                    free ^= passed
                    continue
                append(
                    (
                        rank - gain + (_CHUNK if last >= 0 and last != start else 0),
                        used | ((1 << length) - 1) << start,
                        start + length,
                        position + reference_length,
                        (matches, position, by_start[start]),
                    )
                )
                breaking += start != last
                rank += abs(position - start)
                free &= free - 1
        append((rank + _CHUNK if last >= 0 else rank, used, -1, following, matches))
    return expanded


def _distances(words: int, position: int) -> int:
    """Return the sum of the distances of some words, a bit mask, from a position."""
    before = words & ((1 << position) - 1)
    after = words >> position
    return position * before.bit_count() - _sum(before) + _sum(after)


def _sum(words: int) -> int:
    """Return the sum of the numbers of the bits that are set."""
    total, weight, count = 0, 0, words.bit_length()
    while 1 << weight < count:
        total += (words & _numbers_with(weight, count.bit_length())).bit_count() << weight
        weight += 1
    return total


@cache
def _numbers_with(weight: int, bits: int) -> int:
    """Return the numbers below ``2**bits`` that have a bit of some weight, as a bit mask."""
    half = 1 << weight
    mask, size = ((1 << half) - 1) << half, 2 * half
    while size < 1 << bits:
        mask |= mask << size
        size *= 2
    return mask


def _gain(match: AlignedMatch, search_weights: Sequence[float], compare_matched_words: bool) -> int:
    """Return what the match takes off a path's rank; each side's weighted length is cut to an integer."""
    weight = search_weights[match.matcher]
    gain = _WEIGHTED_MATCH * (int(match.hypothesis_length * weight) + int(match.reference_length * weight))
    if compare_matched_words:
        gain += _MATCHED_WORD * (match.hypothesis_length + match.reference_length)
    return gain


def _extend_fixed(path: _Path, position: int, match: AlignedMatch, gain: int) -> _Path:
    rank, used, last, _, matches = path
    start = match.hypothesis_start
    rank += abs(position - start) - gain
    if last >= 0 and last != start:
        rank += _CHUNK
    end = start + match.hypothesis_length
    return (rank, used, end, position + match.reference_length, (matches, position, match))
