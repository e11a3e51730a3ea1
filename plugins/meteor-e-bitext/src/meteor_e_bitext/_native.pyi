"""The extension module of :mod:`meteor_e_bitext`, whose C++ sources are in the folder ``native``.

Arrays are one-dimensional and contiguous, and must have exactly the annotated type. Arrays of starts contain the index
of the first item of each row, followed by the number of items. Phrase pairs are bytes of three uint32 per pair: first
phrase, second phrase, count. A ValueError is raised for arrays that do not fit each other.
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
    max_words: int,
    threads: int,
    positions: Uint16,
    report: Callable[[int, int], object],
) -> float:
    """Fill ``positions`` with the source position of each target word, or 65535 for none, and return the tension."""

def symmetrize(
    *, source_starts: Uint64, target_starts: Uint64, forward: Uint16, backward: Uint16, heuristic: int
) -> tuple[bytes, bytes]:
    """Combine the alignments of both directions. Return links, which are pairs of positions, and their starts."""

def number_phrases(
    *,
    words: Uint32,
    starts: Uint64,
    types: int,
    max_length: int,
    min_count: int,
    ids: Uint32,
    report: Callable[[int, int], object],
) -> tuple[bytes, bytes]:
    """Number the frequent phrases, and fill ``ids`` with a row of phrase ids per length.

    Returns:
        The position of the first occurrence of each phrase, and the number of phrases of each length.
    """

def extract_pairs(
    *,
    first_starts: Uint64,
    second_starts: Uint64,
    first_ids: Uint32,
    second_ids: Uint32,
    max_length: int,
    links: Uint16,
    link_starts: Uint64,
    begin: int,
    end: int,
    first_totals: Uint32,
    second_totals: Uint32,
) -> bytes:
    """Return the sorted phrase pairs of the sentences from ``begin`` to ``end``, and add to the totals of phrases."""

def merge_runs(runs: Sequence[NDArray[np.uint8]], write: Callable[[bytes], object]) -> None:
    """Merge sorted runs of phrase pairs, and pass blocks of the result to ``write``."""

def pivot(
    *,
    phrases: Uint32,
    to_starts: Uint64,
    to_translations: Uint32,
    to_probabilities: Doubles,
    from_starts: Uint64,
    from_translations: Uint32,
    from_probabilities: Doubles,
    min_product: float,
    min_probability: float,
) -> bytes:
    """Return the paraphrases of ``phrases`` as bytes: uint32 phrase, uint32 paraphrase, float64 probability."""
