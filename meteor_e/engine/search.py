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
- ``matches`` is a linked list ``(earlier matches, candidate)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from meteor_e.scoring.alignment import AlignedMatch

DEFAULT_BEAM = 40
MAX_BEAM = 2**31 - 1
"""As many as the Java program's ``-x`` takes."""

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
) -> list[AlignedMatch]:
    """Choose an alignment.

    Args:
        candidates: for each reference position, the candidates that start there, in the order in which they
            were emitted.
        fixed: for each reference position, the match that is fixed there, or ``None``; no other candidate
            covers its words.
        search_weights: weight of each matcher in the search (not in the score).
        beam: number of paths that survive a position.
        compare_matched_words: the maximum-accuracy mode: paths of equal weighted matches are compared by all
            their matched words before their chunks.

    Returns:
        The chosen candidates, by reference position.
    """
    paths: list[_Path] = [(0, 0, -1, 0, None)]
    for position, starting in enumerate(candidates):
        if len(paths) > 1:
            paths.sort(key=_rank)
            del paths[beam:]
        match = fixed[position]
        if match is not None:
            gain = _gain(match, search_weights, compare_matched_words)
            paths = [path if path[3] > position else _extend_fixed(path, match, gain) for path in paths]
        else:
            free = [
                (
                    candidate,
                    ((1 << candidate.hypothesis_length) - 1) << candidate.hypothesis_start,
                    _gain(candidate, search_weights, compare_matched_words),
                    abs(position - candidate.hypothesis_start),
                )
                for candidate in starting
            ]
            paths = _expand(paths, position, free, beam)
    paths.sort(key=_rank)
    del paths[beam:]
    paths = [(path[0] + _CHUNK if path[2] >= 0 else path[0], *path[1:]) for path in paths]
    best = min(paths, key=_rank)
    chosen = []
    link = best[4]
    while link is not None:
        link, candidate = link
        chosen.append(candidate)
    chosen.reverse()
    return chosen


def _gain(match: AlignedMatch, search_weights: Sequence[float], compare_matched_words: bool) -> int:
    """Return what the match takes off a path's rank; each side's weighted length is cut to an integer."""
    weight = search_weights[match.matcher]
    gain = _WEIGHTED_MATCH * (int(match.hypothesis_length * weight) + int(match.reference_length * weight))
    if compare_matched_words:
        gain += _MATCHED_WORD * (match.hypothesis_length + match.reference_length)
    return gain


def _extend_fixed(path: _Path, match: AlignedMatch, gain: int) -> _Path:
    rank, used, last, _, matches = path
    rank += abs(match.reference_start - match.hypothesis_start) - gain
    if last >= 0 and last != match.hypothesis_start:
        rank += _CHUNK
    return (
        rank,
        used,
        match.hypothesis_start + match.hypothesis_length,
        match.reference_start + match.reference_length,
        (matches, match),
    )


def _expand(
    paths: list[_Path], position: int, free: list[tuple[AlignedMatch, int, int, int]], beam: int
) -> list[_Path]:
    """Let every path take each candidate whose words are unused, then skip the position.

    The distance of a candidate is charged to the path it is copied from, so later copies carry it.
    Of the copies of one path that gain the same, no more than ``beam`` can survive: their ranks never fall.
    """
    expanded: list[_Path] = []
    append = expanded.append
    crowded = len(free) > beam
    for path in paths:
        rank, used, last, following, matches = path
        if following > position:
            append(path)
            continue
        copies: dict[int, int] = {}
        for candidate, mask, gain, distance in free:
            if used & mask:
                continue
            start = candidate.hypothesis_start
            if last >= 0 and last != start:
                gain -= _CHUNK
            if crowded:
                copies[gain] = copies.get(gain, 0) + 1
            if not crowded or copies[gain] <= beam:
                append(
                    (
                        rank - gain,
                        used | mask,
                        start + candidate.hypothesis_length,
                        position + candidate.reference_length,
                        (matches, candidate),
                    )
                )
            rank += distance
        append((rank + _CHUNK if last >= 0 else rank, used, -1, following, matches))
    return expanded
