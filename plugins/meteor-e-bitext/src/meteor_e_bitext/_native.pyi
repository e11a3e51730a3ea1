"""The heavy part of :mod:`meteor_e_bitext`, in C++; its sources are in ``native``.

Arrays are one-dimensional, contiguous and of the very type. ``starts`` have an end. Phrase pairs come as bytes of
three uint32: first phrase, second phrase, count. Arrays that do not fit each other are a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Uint16 = NDArray[np.uint16]
Uint32 = NDArray[np.uint32]
Uint64 = NDArray[np.uint64]
Doubles = NDArray[np.float64]

def align_words(
    *,
    source_words: Uint32,
    source_starts: Uint64,
    source_types: int,
    target_words: Uint32,
    target_starts: Uint64,
    target_types: int,
    iterations: int,
    null_probability: float,
    tension: float,
    concentration: float,
    longest: int,
    threads: int,
    positions: Uint16,
    report: Callable[[int, int], object],
) -> float:
    """Write the source position of each target word, 65535 for none, into ``positions``; return the tension."""

def symmetrize(
    *, source_starts: Uint64, target_starts: Uint64, forward: Uint16, backward: Uint16, heuristic: int
) -> tuple[bytes, bytes]:
    """Return links (pairs of positions) and their starts from the alignments of both directions."""

def number_phrases(
    *,
    words: Uint32,
    starts: Uint64,
    types: int,
    longest: int,
    least: int,
    numbers: Uint32,
    report: Callable[[int, int], object],
) -> tuple[bytes, bytes]:
    """Write the number of the phrase at each place, one row per length; return first places, and phrases per length."""

def extract_pairs(
    *,
    first_starts: Uint64,
    second_starts: Uint64,
    first_numbers: Uint32,
    second_numbers: Uint32,
    longest: int,
    links: Uint16,
    link_starts: Uint64,
    begin: int,
    end: int,
    first_counts: Uint32,
    second_counts: Uint32,
) -> bytes:
    """Return the phrase pairs of some sentences, sorted; add to the counts of the phrases of both sides."""

def merge_runs(runs: Sequence[NDArray[np.uint8]], write: Callable[[bytes], object]) -> None:
    """Merge sorted phrase pairs and hand the result on in blocks."""

def pivot(
    *,
    phrases: Uint32,
    starts: Uint64,
    pivots: Uint32,
    to_probabilities: Doubles,
    pivot_starts: Uint64,
    others: Uint32,
    from_probabilities: Doubles,
    least_product: float,
    least_sum: float,
) -> bytes:
    """Return paraphrases of ``phrases``: (uint32 phrase, uint32 paraphrase, float64 probability)."""
