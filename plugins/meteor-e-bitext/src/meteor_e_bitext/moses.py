"""Phrase pairs as a Moses phrase table, for other programs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from meteor_e_bitext.phrases import PhrasePairs


def write_phrase_table(path: Path, pairs: PhrasePairs) -> int:
    """Write ``pivot ||| phrase ||| p(pivot|phrase) 1 p(phrase|pivot) 1``, gzipped, sorted by pivot; return the lines.

    The second and fourth number would be lexical weights, which nothing here computes. Phrases that hold the
    separator ``|||`` are left out: the format cannot say them.
    """
    order = np.lexsort((pairs.pair_phrases, pairs.pair_pivots))
    lines = 0
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for begin in range(0, len(order), 1 << 16):
            block = order[begin : begin + (1 << 16)]
            text = []
            columns = (
                pairs.pivots.texts(pairs.pair_pivots[block]),
                pairs.phrases.texts(pairs.pair_phrases[block]),
                pairs.to_pivot[block].tolist(),
                pairs.from_pivot[block].tolist(),
            )
            for left, right, to_pivot, from_pivot in zip(*columns, strict=True):
                if "|||" in left or "|||" in right:
                    continue
                text.append(f"{left} ||| {right} ||| {to_pivot!r} 1 {from_pivot!r} 1\n")
            lines += len(text)
            packed.write("".join(text).encode())
    return lines
