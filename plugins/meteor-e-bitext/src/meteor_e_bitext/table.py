"""Paraphrase tables in METEOR's format."""

from __future__ import annotations

import gzip
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from meteor_e.base.progress import Progress
from meteor_e_bitext.pivot import Paraphrases


def write_table(path: Path, table: Paraphrases, progress: Progress) -> None:
    """Write a table in METEOR's format: gzip text, three lines per entry. Equal tables are equal files."""
    phrases = table.phrases
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        ThreadPoolExecutor(1) as packer,
    ):
        packing: Future[int] | None = None  # of the block before, while the next one is made
        for begin in range(0, len(table.left), 1 << 16):
            block = slice(begin, begin + (1 << 16))
            left, left_rows = np.unique(table.left[block], return_inverse=True)
            left_texts = phrases.texts(left)
            columns = (table.probabilities[block].tolist(), left_rows.tolist(), phrases.texts(table.right[block]))
            text = "".join([f"{p:.9g}\n{left_texts[row]}\n{right}\n" for p, row, right in zip(*columns, strict=True)])
            if packing is not None:
                packing.result()
            packing = packer.submit(packed.write, text.encode())
            progress("writing paraphrases", begin, len(table.left))
        if packing is not None:
            packing.result()
        progress("writing paraphrases", 1, 1)
