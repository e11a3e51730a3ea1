"""Phrase pairs as a Moses phrase table, for other programs."""

from __future__ import annotations

import gzip
from pathlib import Path

from meteor_e.bitext.phrases import PhrasePairs

__all__ = ["write_phrase_table"]


def write_phrase_table(path: Path, pairs: PhrasePairs) -> int:
    """Write ``pivot ||| phrase ||| p(pivot|phrase) 1 p(phrase|pivot) 1``, gzipped, sorted by pivot; return the lines.

    The second and fourth number would be lexical weights, which nothing here computes. Phrases that hold the
    separator ``|||`` are left out: the format cannot say them.
    """
    import numpy as np

    order = np.lexsort((pairs.pair_phrases, pairs.pair_pivots))
    columns = (pairs.pair_pivots, pairs.pair_phrases, pairs.to_pivot, pairs.from_pivot)
    lines = 0
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for begin in range(0, len(order), 1 << 16):
            block = order[begin : begin + (1 << 16)]
            text = []
            for pivot, phrase, to_pivot, from_pivot in zip(
                *(column[block].tolist() for column in columns), strict=True
            ):
                left, right = pairs.pivots.text(pivot), pairs.phrases.text(phrase)
                if "|||" in left or "|||" in right:
                    continue
                text.append(f"{left} ||| {right} ||| {to_pivot!r} 1 {from_pivot!r} 1\n")
            lines += len(text)
            packed.write("".join(text).encode())
    return lines
