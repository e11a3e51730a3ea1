"""Write paraphrase tables in the format that METEOR reads."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from meteor_e.base.progress import Progress
from meteor_e_bitext.pivot import Paraphrases

_BLOCK = 1 << 16
"""The number of entries that are compressed together."""


def write_table(path: Path, paraphrases: Paraphrases, progress: Progress) -> None:
    """Write a paraphrase table as a compressed text file with three lines per entry.

    Args:
        path: the path of the file. Its content depends only on the paraphrases.
        paraphrases: the entries of the table.
        progress: called with the progress.
    """
    with path.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as compressed_file:
        _write_in_background(compressed_file, _format_blocks(paraphrases, progress))
    progress("writing paraphrases", 1, 1)


def _write_in_background(file: gzip.GzipFile, blocks: Iterator[str]) -> None:
    """Write blocks of text to a file. A second thread compresses each block while the next block is formatted."""
    with ThreadPoolExecutor(1) as executor:
        compression = executor.submit(file.write, b"")
        for block in blocks:
            compression.result()  # Waiting for the previous block limits the memory usage, and raises its errors.
            compression = executor.submit(file.write, block.encode())
        compression.result()


def _format_blocks(paraphrases: Paraphrases, progress: Progress) -> Iterator[str]:
    """Yield the text of the table in blocks of entries."""
    entry_count = len(paraphrases.phrase_ids)
    for start in range(0, entry_count, _BLOCK):
        progress("writing paraphrases", start, entry_count)
        yield _format_entries(paraphrases, slice(start, start + _BLOCK))


def _format_entries(paraphrases: Paraphrases, block: slice) -> str:
    """Format each entry of a block as three lines: the probability, the phrase and the paraphrase."""
    phrases = paraphrases.phrases
    # Many entries share a phrase, so each distinct phrase is converted to a string only once.
    distinct_phrases, phrase_indices = np.unique(paraphrases.phrase_ids[block], return_inverse=True)
    phrase_texts = phrases.texts(distinct_phrases)
    paraphrase_texts = phrases.texts(paraphrases.paraphrase_ids[block])
    probabilities = paraphrases.probabilities[block].tolist()
    entries = []
    for probability, phrase_index, paraphrase in zip(probabilities, phrase_indices, paraphrase_texts, strict=True):
        entries.append(f"{probability:.9g}\n{phrase_texts[phrase_index]}\n{paraphrase}\n")
    return "".join(entries)
