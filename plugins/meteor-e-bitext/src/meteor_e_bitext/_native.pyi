"""The heavy part of :mod:`meteor_e.bitext`, in C++; its sources are in ``meteor_e/bitext/native``.

Buffers are one-dimensional and contiguous. Words and phrases are uint32; ``starts`` are uint64, with an end;
positions and links are uint16. Phrase pairs come as bytes of three uint32: first phrase, second phrase, count.
"""

from __future__ import annotations

from collections.abc import Buffer, Callable, Sequence  # type: ignore[attr-defined]

def align_words(
    source_words: Buffer,
    source_starts: Buffer,
    source_types: int,
    target_words: Buffer,
    target_starts: Buffer,
    target_types: int,
    iterations: int,
    null_probability: float,
    tension: float,
    concentration: float,
    longest: int,
    threads: int,
    positions: Buffer,
    report: Callable[[int, int], object],
    /,
) -> float:
    """Write the source position of each target word, 65535 for none, into ``positions``; return the tension."""

def symmetrize(
    source_starts: Buffer, target_starts: Buffer, forward: Buffer, backward: Buffer, heuristic: int, /
) -> tuple[bytes, bytes]:
    """Return links (pairs of positions) and their starts from the alignments of both directions."""

def number_phrases(
    words: Buffer,
    starts: Buffer,
    types: int,
    longest: int,
    least: int,
    numbers: Buffer,
    report: Callable[[int, int], object],
    /,
) -> tuple[bytes, bytes]:
    """Write the number of the phrase at each place, a row a length; return first places, and phrases a length."""

def extract_pairs(
    first_starts: Buffer,
    second_starts: Buffer,
    first_numbers: Buffer,
    second_numbers: Buffer,
    longest: int,
    links: Buffer,
    link_starts: Buffer,
    begin: int,
    end: int,
    first_counts: Buffer,
    second_counts: Buffer,
    /,
) -> bytes:
    """Return the phrase pairs of some sentences, sorted; add to the counts of the phrases of both sides."""

def merge_runs(runs: Sequence[Buffer], write: Callable[[bytes], object], /) -> None:
    """Merge sorted phrase pairs and hand the result on in blocks."""

def pivot(
    phrases: Buffer,
    starts: Buffer,
    pivots: Buffer,
    to_probabilities: Buffer,
    pivot_starts: Buffer,
    others: Buffer,
    from_probabilities: Buffer,
    least_product: float,
    least_sum: float,
    /,
) -> bytes:
    """Return paraphrases of ``phrases``: (uint32 phrase, uint32 paraphrase, float64 probability)."""
