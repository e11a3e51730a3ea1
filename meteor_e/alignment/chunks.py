"""Which chunk each match belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.alignment.alignment import AlignedMatch

__all__ = ["chunk_numbers"]


def chunk_numbers(matches: Sequence[AlignedMatch]) -> list[int]:
    """Number the chunks of matches sorted by reference position, from 1; return the number of each match's chunk.

    A chunk ends at an unmatched reference word, or where the next match does not go on in the hypothesis; the last
    number is what :func:`~meteor_e.alignment.alignment.count_chunks` returns.
    """
    numbers: list[int] = []
    reference_end = hypothesis_end = -1
    for match in matches:
        goes_on = match.reference_start == reference_end and match.hypothesis_start == hypothesis_end
        numbers.append((numbers[-1] if numbers else 0) + (not goes_on))
        reference_end = match.reference_start + match.reference_length
        hypothesis_end = match.hypothesis_start + match.hypothesis_length
    return numbers
